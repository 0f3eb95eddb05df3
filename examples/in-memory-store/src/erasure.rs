//! Deleted records that wait for their erasure.

use crate::Tenant;
use crate::lists::size;
use hearback_domain::comment::Comment;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::id::{HelpArticleId, PostId, RoadmapPostId, UserId};
use hearback_domain::merge::{DroppedVote, MergeRecord};
use hearback_domain::record::Key;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::subscription::Subscription;
use hearback_domain::vote::{Target, Vote};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::{Kind, Record};
use std::collections::{BTreeSet, HashSet};

/// Whether a record was deleted before a time, and is not erased.
pub(crate) fn waits(record: &Record, before: Time) -> bool {
    deleted_at(record).is_some_and(|at| at < before)
        && record.clone().erased().is_some()
        && !record.is_erased()
}

/// When a record was deleted: its last change.
fn deleted_at(record: &Record) -> Option<Time> {
    match record {
        _ if record.is_active() => None,
        Record::User(user) => Some(user.updated_at),
        Record::Company(company) => Some(company.updated_at),
        Record::FeedbackPost(post) => Some(post.updated_at),
        Record::RoadmapPost(post) => Some(post.updated_at),
        Record::Comment(comment) => Some(comment.updated_at),
        Record::ChangelogEntry(entry) => Some(entry.updated_at),
        Record::HelpArticle(article) => Some(article.updated_at),
        _ => None,
    }
}

impl Tenant {
    /// Up to `limit` records that the erasure of what was deleted before a time has to reach. What
    /// belongs to posts comes first.
    pub(crate) fn erasable(&self, before: Time, limit: i64) -> Vec<Key> {
        let deleted = |kind| self.of_kind(kind).filter(|record| waits(record, before));
        let posts: BTreeSet<PostId> =
            deleted(Kind::FeedbackPost).map(|post| post.id().into()).collect();
        let plans: BTreeSet<RoadmapPostId> =
            deleted(Kind::RoadmapPost).map(|post| post.id().into()).collect();
        let articles: BTreeSet<HelpArticleId> =
            deleted(Kind::HelpArticle).map(|article| article.id().into()).collect();
        let holders = posts.iter().map(|post| self.holder(*post));
        let holders: HashSet<Target> = holders.filter(|it| self.is_gone(*it, before)).collect();
        let belongs = |record: &Record| match record {
            Record::Vote(Vote { target: Target::Roadmap(post), .. }) => plans.contains(post),
            Record::Vote(Vote { target, cast_on_id, user_id, .. }) => {
                let goes_back =
                    cast_on_id.is_some_and(|it| self.find::<FeedbackPost>(it).is_some());
                holders.contains(target) && !goes_back && !self.was_moved(*target, *user_id)
            }
            Record::DroppedVote(DroppedVote { feedback_post_id: post, .. }) => {
                self.find::<FeedbackPost>(*post).is_none() && holders.contains(&self.holder(*post))
            }
            Record::Subscription(Subscription { feedback_post_id: post, .. }) => {
                posts.contains(post)
            }
            Record::RoadmapLink(link) => {
                let RoadmapLink { feedback_post_id, roadmap_post_id, .. } = link;
                posts.contains(feedback_post_id) || plans.contains(roadmap_post_id)
            }
            Record::EntryLink(EntryLink { feedback_post_id: post, .. }) => posts.contains(post),
            Record::HelpArticleVersion(HelpArticleVersion { help_article_id, .. }) => {
                articles.contains(help_article_id)
            }
            Record::Comment(Comment { feedback_post_id: post, .. }) => {
                posts.contains(post) && !record.is_erased()
            }
            _ => false,
        };
        let mut found: Vec<Key> =
            self.records.values().filter(|it| belongs(it)).map(|it| it.key()).collect();
        if found.is_empty() {
            let all = Kind::ALL.iter().flat_map(|kind| deleted(*kind));
            let mut all: Vec<_> = all.map(|it| (deleted_at(it), it.key())).collect();
            all.sort_unstable();
            found = all.into_iter().map(|(_, key)| key).collect();
        }
        found.truncate(size(limit));
        found
    }

    /// The post that has the votes on a post.
    fn holder(&self, post: PostId) -> Target {
        self.end_of_merges(Target::Feedback(post))
    }

    /// Whether a post was deleted before a time.
    fn is_gone(&self, post: Target, before: Time) -> bool {
        let Target::Feedback(post) = post else { return false };
        let post = self.record((Kind::FeedbackPost, post.0));
        post.and_then(deleted_at).is_some_and(|at| at < before)
    }

    /// Whether a merge of an earlier release, which did not keep where votes were cast, moved the
    /// vote of a user to a post, and has not ended.
    fn was_moved(&self, holder: Target, user: UserId) -> bool {
        self.all::<MergeRecord>().any(|merge| {
            !merge.votes_kept
                && merge.moved_user_ids.contains(&user)
                && self.find::<FeedbackPost>(merge.merge_post_id).is_some()
                && self.holder(merge.merge_post_id) == holder
        })
    }
}
