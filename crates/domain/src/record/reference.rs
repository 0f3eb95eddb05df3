//! References between records.

use super::{Kind, Record};
use crate::Uuid;
use crate::id::UserId;
use crate::vote::Target;

/// The key by which other records name a record: its kind and identifier. A user's identifier is
/// the `user_id`.
pub type Key = (Kind, Uuid);

/// A reference from a record to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The member that has the reference.
    pub member: &'static str,
    /// The kind of the referenced record.
    pub kind: Kind,
    /// The identifier of the referenced record.
    pub id: Uuid,
}

impl Reference {
    /// The key of the referenced record.
    pub fn key(self) -> Key {
        (self.kind, self.id)
    }
}

impl Record {
    /// The key by which other records name this one.
    pub fn key(&self) -> Key {
        match self {
            Self::User(user) => (Kind::User, user.user_id.0),
            other => (other.kind(), other.id()),
        }
    }

    /// The records that a store must have before this one, in the order of the portable format's
    /// table. [`Record::links`] may point to later records and are not among them.
    pub fn references(&self) -> Vec<Reference> {
        let mut all = References::default();
        match self {
            Self::FeedbackPost(post) => {
                all.one("board_id", Kind::FeedbackBoard, post.board_id);
                all.one("author_id", Kind::User, post.author_id);
                all.some("owner_id", Kind::User, post.owner_id);
                all.one("status_id", Kind::Status, post.status_id);
                all.some("category_id", Kind::Category, post.category_id);
                all.many("tag_ids", Kind::Tag, &post.tag_ids);
            }
            Self::RoadmapPost(post) => {
                all.one("roadmap_board_id", Kind::RoadmapBoard, post.roadmap_board_id);
                all.some("author_id", Kind::User, post.author_id);
                all.some("owner_id", Kind::User, post.owner_id);
                all.one("status_id", Kind::Status, post.status_id);
                all.some("category_id", Kind::Category, post.category_id);
            }
            Self::RoadmapLink(link) => {
                all.one("roadmap_post_id", Kind::RoadmapPost, link.roadmap_post_id);
                all.one("feedback_post_id", Kind::FeedbackPost, link.feedback_post_id);
            }
            Self::Comment(comment) => {
                all.one("author_id", Kind::User, comment.author_id);
                all.one("feedback_post_id", Kind::FeedbackPost, comment.feedback_post_id);
                // The parent comes last: it is a fault if it exists but is on another post.
                all.some("parent_comment_id", Kind::Comment, comment.parent_comment_id);
            }
            Self::Subscription(subscription) => {
                all.one("feedback_post_id", Kind::FeedbackPost, subscription.feedback_post_id);
                all.one("user_id", Kind::User, subscription.user_id);
            }
            Self::Vote(vote) => {
                all.one("user_id", Kind::User, vote.user_id);
                match vote.target {
                    Target::Feedback(id) => all.one("post_id", Kind::FeedbackPost, id),
                    Target::Roadmap(id) => all.one("post_id", Kind::RoadmapPost, id),
                }
            }
            Self::Merge(merge) => {
                all.one("merge_post_id", Kind::FeedbackPost, merge.merge_post_id);
                all.one("into_post_id", Kind::FeedbackPost, merge.into_post_id);
                all.one("merger_id", Kind::User, merge.merger_id);
            }
            Self::DroppedVote(vote) => {
                all.one("user_id", Kind::User, vote.user_id);
                all.one("feedback_post_id", Kind::FeedbackPost, vote.feedback_post_id);
                all.one("kept_post_id", Kind::FeedbackPost, vote.kept_post_id);
            }
            Self::ChangelogEntry(entry) => {
                all.some("author_id", Kind::User, entry.author_id);
                all.many("label_ids", Kind::Label, &entry.label_ids);
            }
            Self::EntryLink(link) => {
                all.one("changelog_entry_id", Kind::ChangelogEntry, link.changelog_entry_id);
                all.one("feedback_post_id", Kind::FeedbackPost, link.feedback_post_id);
            }
            Self::HelpCategory(category) => {
                all.one("collection_id", Kind::HelpCollection, category.collection_id);
            }
            Self::HelpArticle(article) => {
                all.some("collection_id", Kind::HelpCollection, article.parent.collection());
                all.some("category_id", Kind::HelpCategory, article.parent.category());
                all.some("author_id", Kind::User, article.author_id);
            }
            Self::HelpArticleVersion(version) => {
                all.one("help_article_id", Kind::HelpArticle, version.help_article_id);
                all.some("author_id", Kind::User, version.author_id);
            }
            Self::Organization(_)
            | Self::Company(_)
            | Self::User(_)
            | Self::FeedbackBoard(_)
            | Self::RoadmapBoard(_)
            | Self::Status(_)
            | Self::Category(_)
            | Self::Tag(_)
            | Self::Label(_)
            | Self::HelpCollection(_)
            | Self::HelpRedirect(_)
            | Self::WebhookSubscription(_)
            | Self::ApiKey(_) => {}
        }
        all.0
    }

    /// The references to records of the same kind. An import writes them at the end of an
    /// organization.
    pub fn links(&self) -> Vec<Reference> {
        let mut all = References::default();
        match self {
            Self::FeedbackPost(post) => {
                all.some("merged_into_id", Kind::FeedbackPost, post.merged_into_id);
            }
            Self::HelpArticle(article) => {
                all.many("related_article_ids", Kind::HelpArticle, &article.related_article_ids);
            }
            _ => {}
        }
        all.0
    }

    /// The references in columns that cannot have a foreign key. A store looks the records up,
    /// after those of [`Record::references`].
    pub fn listed_references(&self) -> Vec<Reference> {
        let mut all = References::default();
        match self {
            Self::User(user) => all.some("company_id", Kind::Company, user.company_id),
            Self::FeedbackBoard(board) => {
                all.many("allowed_user_ids", Kind::User, &board.allowed_user_ids);
            }
            Self::FeedbackPost(post) => {
                all.some("created_by_id", Kind::User, post.created_by_id);
            }
            Self::RoadmapPost(post) => all.many("tag_ids", Kind::Tag, &post.tag_ids),
            Self::WebhookSubscription(subscription) => {
                all.many("board_ids", Kind::FeedbackBoard, &subscription.board_ids);
            }
            Self::Vote(vote) => {
                all.some("cast_on_id", Kind::FeedbackPost, vote.cast_on_id);
                all.some("created_by_id", Kind::User, vote.created_by_id);
            }
            Self::DroppedVote(vote) => all.some("created_by_id", Kind::User, vote.created_by_id),
            Self::Merge(merge) => {
                all.many("moved_user_ids", Kind::User, &merge.moved_user_ids);
                all.many("dropped_user_ids", Kind::User, &merge.dropped_user_ids);
            }
            _ => {}
        }
        all.0
    }
}

impl Record {
    /// Calls a function with each reference to a person.
    pub fn each_person(&mut self, mut each: impl FnMut(&mut UserId)) {
        match self {
            Self::FeedbackBoard(board) => board.allowed_user_ids.iter_mut().for_each(each),
            Self::FeedbackPost(post) => {
                each(&mut post.author_id);
                post.owner_id.iter_mut().chain(&mut post.created_by_id).for_each(each);
            }
            Self::RoadmapPost(post) => {
                post.author_id.iter_mut().chain(&mut post.owner_id).for_each(each);
            }
            Self::Comment(comment) => each(&mut comment.author_id),
            Self::Subscription(subscription) => each(&mut subscription.user_id),
            Self::Vote(vote) => {
                each(&mut vote.user_id);
                vote.created_by_id.iter_mut().for_each(each);
            }
            Self::Merge(merge) => {
                each(&mut merge.merger_id);
                let moved = merge.moved_user_ids.iter_mut();
                moved.chain(&mut merge.dropped_user_ids).for_each(each);
            }
            Self::DroppedVote(vote) => {
                each(&mut vote.user_id);
                vote.created_by_id.iter_mut().for_each(each);
            }
            Self::ChangelogEntry(entry) => entry.author_id.iter_mut().for_each(each),
            Self::HelpArticle(article) => article.author_id.iter_mut().for_each(each),
            Self::HelpArticleVersion(version) => version.author_id.iter_mut().for_each(each),
            Self::Organization(_)
            | Self::Company(_)
            | Self::User(_)
            | Self::RoadmapBoard(_)
            | Self::Status(_)
            | Self::Category(_)
            | Self::Tag(_)
            | Self::RoadmapLink(_)
            | Self::Label(_)
            | Self::EntryLink(_)
            | Self::HelpCollection(_)
            | Self::HelpCategory(_)
            | Self::HelpRedirect(_)
            | Self::WebhookSubscription(_)
            | Self::ApiKey(_) => {}
        }
    }
}

#[derive(Default)]
struct References(Vec<Reference>);

impl References {
    fn one(&mut self, member: &'static str, kind: Kind, id: impl Into<Uuid>) {
        self.0.push(Reference { member, kind, id: id.into() });
    }

    fn some(&mut self, member: &'static str, kind: Kind, id: Option<impl Into<Uuid>>) {
        if let Some(id) = id {
            self.one(member, kind, id);
        }
    }

    fn many(&mut self, member: &'static str, kind: Kind, ids: &[impl Into<Uuid> + Copy]) {
        for &id in ids {
            self.one(member, kind, id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::{records, referred};
    use super::*;
    use crate::ClosedSet;

    /// The kind of each example with references, their members, and the kinds of the records there.
    fn members(of: fn(&Record) -> Vec<Reference>) -> Vec<String> {
        let line = |record: &Record| {
            let members = of(record).into_iter().map(|it| {
                assert_eq!(it.id, referred::<Uuid>(it.kind), "{record:?}");
                format!(" {}: {}", it.member, it.kind.code())
            });
            let members = Vec::from_iter(members).join(",");
            (!members.is_empty()).then(|| format!("{} has{members}", record.kind().code()))
        };
        records().iter().filter_map(line).collect()
    }

    #[test]
    fn a_store_has_these_records_before_one_that_refers_to_them() {
        let references = [
            "feedback_post has board_id: feedback_board, author_id: user, owner_id: user, \
             status_id: status, category_id: category, tag_ids: tag",
            "roadmap_post has roadmap_board_id: roadmap_board, author_id: user, \
             owner_id: user, status_id: status, category_id: category",
            "roadmap_link has roadmap_post_id: roadmap_post, feedback_post_id: feedback_post",
            "comment has author_id: user, feedback_post_id: feedback_post, \
             parent_comment_id: comment",
            "subscription has feedback_post_id: feedback_post, user_id: user",
            "vote has user_id: user, post_id: feedback_post",
            "vote has user_id: user, post_id: roadmap_post",
            "merge has merge_post_id: feedback_post, into_post_id: feedback_post, merger_id: user",
            "dropped_vote has user_id: user, feedback_post_id: feedback_post, \
             kept_post_id: feedback_post",
            "changelog_entry has author_id: user, label_ids: label",
            "entry_link has changelog_entry_id: changelog_entry, feedback_post_id: feedback_post",
            "help_category has collection_id: help_collection",
            "help_article has collection_id: help_collection, author_id: user",
            "help_article has category_id: help_category, author_id: user",
            "help_article_version has help_article_id: help_article, author_id: user",
        ];
        assert_eq!(members(Record::references), references);
    }

    #[test]
    fn an_import_writes_references_within_a_kind_at_the_end() {
        let links = [
            "feedback_post has merged_into_id: feedback_post",
            "help_article has related_article_ids: help_article",
            "help_article has related_article_ids: help_article",
        ];
        assert_eq!(members(Record::links), links);
    }

    #[test]
    fn a_store_looks_up_references_without_a_foreign_key() {
        let listed = [
            "user has company_id: company",
            "feedback_board has allowed_user_ids: user",
            "feedback_post has created_by_id: user",
            "roadmap_post has tag_ids: tag",
            "vote has cast_on_id: feedback_post, created_by_id: user",
            "vote has cast_on_id: feedback_post, created_by_id: user",
            "merge has moved_user_ids: user, dropped_user_ids: user",
            "dropped_vote has created_by_id: user",
            "webhook_subscription has board_ids: feedback_board",
        ];
        assert_eq!(members(Record::listed_references), listed);
    }

    #[test]
    fn each_reference_to_a_user_is_one_to_a_person() {
        for mut record in records() {
            let all = [record.references(), record.links(), record.listed_references()].concat();
            let users = all.iter().filter(|reference| reference.kind == Kind::User).count();
            let mut people = 0;
            record.each_person(|user| {
                assert_eq!(*user, referred(Kind::User));
                people += 1;
            });
            assert_eq!(people, users, "{record:?}");
        }
    }
}
