//! The events and mailings of a change: pure functions of its steps, so that no endpoint can forget
//! one.

use crate::Uuid;
use crate::changelog_entry::ChangelogEntry;
use crate::comment::{Comment, Visibility};
use crate::event::{
    ArticleFacts, CommentFacts, Event, Happening, MergeFacts, Moderated, PostFacts, PostField,
    PostStatus, QueueFacts, RoadmapFacts, RoadmapField, StatusChange, StatusFacts, TagFacts,
    UserFacts, VoteFacts,
};
use crate::feedback_board::FeedbackBoard;
use crate::feedback_post::{FeedbackPost, Moderation};
use crate::help_article::{ArticleStatus, HelpArticle};
use crate::help_category::HelpCategory;
use crate::id::{ChangelogEntryId, PostId, StatusId, TagId, UserId};
use crate::mail::{Mailing, Subject, is_mailed};
use crate::record::{Key, Kind, Known, Record, Step};
use crate::roadmap_board::RoadmapBoard;
use crate::roadmap_post::RoadmapPost;
use crate::status::Status;
use crate::tag::Tag;
use crate::user::User;
use crate::vote::{Target, Vote};

/// The records that the payloads of a step's events quote.
pub fn quoted(step: &Step) -> Vec<Key> {
    if step.is_empty() {
        return vec![];
    }
    match (step.before(), step.after()) {
        (before, Some(Record::FeedbackPost(after))) => {
            let before = before.and_then(post);
            let tags = before.iter().flat_map(|before| &before.tag_ids).chain(&after.tag_ids);
            let statuses = before
                .map(|before| before.status_id)
                .filter(|status| *status != after.status_id)
                .map(|before| [before, after.status_id]);
            let mut keys = vec![(Kind::FeedbackBoard, after.board_id.0)];
            keys.extend(tags.map(|tag| (Kind::Tag, tag.0)));
            keys.extend(statuses.into_iter().flatten().map(|status| (Kind::Status, status.0)));
            keys
        }
        (before, Some(Record::RoadmapPost(after))) => {
            let before = before.and_then(roadmap_post);
            let statuses = before
                .map(|before| before.status_id)
                .filter(|status| *status != after.status_id)
                .map(|before| [before, after.status_id]);
            let board = (Kind::RoadmapBoard, after.roadmap_board_id.0);
            let statuses = statuses.into_iter().flatten().map(|status| (Kind::Status, status.0));
            std::iter::once(board).chain(statuses).collect()
        }
        (before, Some(Record::HelpArticle(after))) if is_published(before, after) => {
            let category = after.parent.category();
            category.map(|id| (Kind::HelpCategory, id.0)).into_iter().collect()
        }
        (_, Some(Record::Comment(Comment { feedback_post_id, parent_comment_id, .. }))) => {
            let parent = parent_comment_id.map(|id| (Kind::Comment, id.0));
            let post = (Kind::FeedbackPost, feedback_post_id.0);
            std::iter::once(post).chain(parent).collect()
        }
        (None, Some(Record::Vote(vote))) | (Some(Record::Vote(vote)), None) => match vote.target {
            Target::Feedback(post) => vec![(Kind::FeedbackPost, post.0)],
            Target::Roadmap(_) => vec![],
        },
        _ => vec![],
    }
}

/// The events of a step. `known` has the records that [`quoted`] names.
pub fn told(step: &Step, known: &Known) -> Vec<Happening> {
    if step.is_empty() {
        return vec![];
    }
    match (step.before(), step.after()) {
        (before, Some(Record::FeedbackPost(after))) => of_post(before.and_then(post), after, known),
        (before, Some(Record::RoadmapPost(after))) => {
            of_roadmap_post(before.and_then(roadmap_post), after, known).into_iter().collect()
        }
        (before, Some(Record::User(after))) => {
            of_user(before.and_then(user), after).into_iter().collect()
        }
        (before, Some(Record::Comment(after))) => {
            of_comment(before.and_then(comment), after, known).into_iter().collect()
        }
        (before, Some(Record::HelpArticle(after))) if is_published(before, after) => {
            vec![Happening::ArticlePublished(article_facts(after, known))]
        }
        (before, Some(Record::ChangelogEntry(after))) => {
            of_entry(before.and_then(entry), after).into_iter().collect()
        }
        (None, Some(Record::Vote(vote))) => {
            of_vote(vote, known).map(Happening::VoteCreated).into_iter().collect()
        }
        (Some(Record::Vote(vote)), None) => {
            of_vote(vote, known).map(Happening::VoteDeleted).into_iter().collect()
        }
        _ => vec![],
    }
}

/// The event of a step that merges a post, or ends its merge. `known` has the board of the post.
/// `None` if subscribers do not know the post.
pub fn told_of_merge(
    step: &Step,
    into_post_id: PostId,
    merger_id: Option<UserId>,
    known: &Known,
) -> Option<Happening> {
    let post = step.after().and_then(post)?;
    let facts = || MergeFacts { post: post_facts(post, known), into_post_id, merger_id };
    is_out(post.is_active, post.moderation).then(|| match post.merged_into_id {
        Some(_) => Happening::PostMerged(facts()),
        None => Happening::PostUnmerged(facts()),
    })
}

/// The mailings of a change. `notify` is whether the subscribers of posts hear of new statuses and
/// comments, and `actor_id` the user who made the change. `known` has the records that [`quoted`]
/// names, and `events` are those of the change. `fresh` gives new identifiers.
///
/// A new status is told with a comment on the same post. A comment that waited for moderation is
/// told when it is accepted.
pub fn mailings(
    steps: &[Step],
    events: &[Event],
    known: &Known,
    notify: bool,
    actor_id: Option<UserId>,
    mut fresh: impl FnMut() -> Uuid,
) -> Vec<Mailing> {
    let mut mailings: Vec<Mailing> =
        steps.iter().filter_map(announced).map(Mailing::of_entry).collect();
    let queued = events.iter().find(|it| matches!(it.what, Happening::ModerationQueued(_)));
    mailings.extend(queued.map(|event| Mailing::of_queue(event.at)));
    let mut comments: Vec<&Comment> =
        steps.iter().filter_map(|step| new_comment(step, notify)).collect();
    let changed = steps.iter().filter_map(|step| Some((step.before(), post(step.after()?)?)));
    for (before, after) in changed {
        let before = before.and_then(post);
        let mut tell = |subject| mailings.push(Mailing { id: fresh().into(), subject, actor_id });
        if after.is_active
            && let Some(owner) = after.owner_id
            && before.and_then(|before| before.owner_id) != Some(owner)
        {
            tell(Subject::Owner { post: after.id, owner });
        }
        let Some(before) = before.filter(|_| after.is_open()) else { continue };
        if before.moderation == Moderation::Pending {
            tell(Subject::Accepted { post: after.id, author: after.author_id });
        }
        if notify && before.status_id != after.status_id {
            let is_note = |it: &&Comment| {
                it.feedback_post_id == after.id && it.visibility == Visibility::Public
            };
            let note = comments.iter().position(is_note);
            let note = note.map(|at| comments.remove(at).id);
            tell(Subject::Status { post: after.id, status: after.status_id, note });
        }
    }
    mailings.extend(comments.into_iter().map(|it| {
        let parent = it.parent_comment_id.and_then(|id| known.any::<Comment>(id));
        let (post, comment) = (it.feedback_post_id, it.id);
        let subject =
            Subject::Comment { post, comment, reply_to: parent.map(|parent| parent.author_id) };
        Mailing { id: it.id.0.into(), subject, actor_id: Some(it.author_id) }
    }));
    mailings
}

/// The comment that a step makes, or accepts.
fn new_comment(step: &Step, notify: bool) -> Option<&Comment> {
    let after = comment(step.after()?).filter(|it| it.is_active && is_mailed(it))?;
    let is_new = match step.before().and_then(comment) {
        None => notify,
        Some(before) => before.is_active && before.moderation == Moderation::Pending,
    };
    is_new.then_some(after)
}

/// The changelog entry that a step publishes and whose readers are mailed.
fn announced(step: &Step) -> Option<ChangelogEntryId> {
    let was_out = step.before().and_then(entry).is_some_and(ChangelogEntry::is_out);
    let after = step.after().and_then(entry).filter(|entry| entry.is_announced())?;
    (!was_out).then_some(after.id)
}

fn post(record: &Record) -> Option<&FeedbackPost> {
    if let Record::FeedbackPost(post) = record { Some(post) } else { None }
}

fn comment(record: &Record) -> Option<&Comment> {
    if let Record::Comment(comment) = record { Some(comment) } else { None }
}

fn roadmap_post(record: &Record) -> Option<&RoadmapPost> {
    if let Record::RoadmapPost(post) = record { Some(post) } else { None }
}

fn user(record: &Record) -> Option<&User> {
    if let Record::User(user) = record { Some(user) } else { None }
}

fn entry(record: &Record) -> Option<&ChangelogEntry> {
    if let Record::ChangelogEntry(entry) = record { Some(entry) } else { None }
}

/// Whether a record waits for moderation.
fn is_queued(is_active: bool, moderation: Moderation) -> bool {
    is_active && moderation == Moderation::Pending
}

/// Whether subscribers know of a record: it is active and has passed moderation.
fn is_out(is_active: bool, moderation: Moderation) -> bool {
    is_active && moderation == Moderation::Accepted
}

fn of_post(before: Option<&FeedbackPost>, after: &FeedbackPost, known: &Known) -> Vec<Happening> {
    let was_out = before.is_some_and(|before| is_out(before.is_active, before.moderation));
    let facts = post_facts(after, known);
    let tag = |id: &TagId| tag_facts(&facts, *id, known);
    let Some(before) = before.filter(|_| was_out) else {
        if !is_out(after.is_active, after.moderation) {
            let was_queued =
                before.is_some_and(|before| is_queued(before.is_active, before.moderation));
            let is_queued = is_queued(after.is_active, after.moderation) && !was_queued;
            let facts = QueueFacts {
                kind: Moderated::Post,
                id: after.id.0,
                board_id: after.board_id,
                author_id: after.author_id,
            };
            return is_queued.then_some(Happening::ModerationQueued(facts)).into_iter().collect();
        }
        if before.is_some_and(|before| !before.is_active) {
            return vec![Happening::PostRestored(facts)];
        }
        // A post that waited for moderation is new to subscribers when it is accepted.
        let added = after.tag_ids.iter().map(tag).map(Happening::PostTagAdded);
        return std::iter::once(Happening::PostCreated(facts.clone())).chain(added).collect();
    };
    if !after.is_active {
        return vec![Happening::PostDeleted(facts)];
    }
    let mut all = Vec::new();
    let group = |id: StatusId| known.any::<Status>(id).map(|status| status.group);
    let status = |id: StatusId| group(id).map(|group| PostStatus { id, group });
    let is_regrouped = group(before.status_id) != group(after.status_id);
    let fields: Vec<PostField> = [
        (PostField::Title, before.title != after.title),
        (PostField::Details, before.description != after.description),
        (PostField::Board, before.board_id != after.board_id),
        (PostField::Category, before.category_id != after.category_id),
        (PostField::Owner, before.owner_id != after.owner_id),
        (PostField::Eta, before.eta != after.eta),
        // A status of another group has an event of its own.
        (PostField::Status, before.status_id != after.status_id && !is_regrouped),
    ]
    .into_iter()
    .filter_map(|(field, is_changed)| is_changed.then_some(field))
    .collect();
    if !fields.is_empty() {
        all.push(Happening::PostEdited(facts.clone(), fields));
    }
    let removed = before.tag_ids.iter().filter(|tag| !after.tag_ids.contains(tag));
    all.extend(removed.map(tag).map(Happening::PostTagRemoved));
    let added = after.tag_ids.iter().filter(|tag| !before.tag_ids.contains(tag));
    all.extend(added.map(tag).map(Happening::PostTagAdded));
    if is_regrouped
        && let (Some(previous), Some(status)) = (status(before.status_id), status(after.status_id))
    {
        all.push(Happening::PostStatusChanged(StatusFacts { post: facts, status, previous }));
    }
    all
}

/// The facts of a post. `known` has its board.
fn post_facts(post: &FeedbackPost, known: &Known) -> PostFacts {
    let board = known.any::<FeedbackBoard>(post.board_id);
    PostFacts {
        id: post.id,
        title: post.title.clone(),
        details: post.description.clone(),
        board_id: post.board_id,
        board_name: board.map(|board| board.name.clone()).unwrap_or_default(),
    }
}

fn tag_facts(post: &PostFacts, id: TagId, known: &Known) -> TagFacts {
    let PostFacts { id: post, title, board_id, board_name, .. } = post.clone();
    let tag_name = known.any::<Tag>(id).map(|tag| tag.name.clone()).unwrap_or_default();
    TagFacts { id: post, title, board_id, board_name, tag_id: id, tag_name }
}

fn of_roadmap_post(
    before: Option<&RoadmapPost>,
    after: &RoadmapPost,
    known: &Known,
) -> Option<Happening> {
    let board = known.any::<RoadmapBoard>(after.roadmap_board_id);
    let facts = RoadmapFacts {
        id: after.id,
        title: after.title.clone(),
        details: after.description.clone(),
        roadmap_board_id: after.roadmap_board_id,
        roadmap_board_name: board.map(|board| board.name.clone()).unwrap_or_default(),
    };
    let Some(before) = before else { return Some(Happening::RoadmapPostCreated(facts)) };
    match (before.is_active, after.is_active) {
        (true, true) => {}
        (true, false) => return Some(Happening::RoadmapPostDeleted(facts)),
        (false, _) => return None,
    }
    let status = |id: StatusId| known.any(id).map(|it: &Status| PostStatus { id, group: it.group });
    if let (Some(previous), Some(status)) = (status(before.status_id), status(after.status_id))
        && previous.group != status.group
    {
        let change = StatusChange { status, previous };
        return Some(Happening::RoadmapPostStatusChanged(facts, change));
    }
    let fields: Vec<RoadmapField> = [
        (RoadmapField::Title, before.title != after.title),
        (RoadmapField::Details, before.description != after.description),
        (RoadmapField::Board, before.roadmap_board_id != after.roadmap_board_id),
        (RoadmapField::Category, before.category_id != after.category_id),
        (RoadmapField::Tags, before.tag_ids != after.tag_ids),
        (RoadmapField::Owner, before.owner_id != after.owner_id),
        (RoadmapField::Eta, before.eta != after.eta),
        (RoadmapField::Status, before.status_id != after.status_id),
    ]
    .into_iter()
    .filter_map(|(field, is_changed)| is_changed.then_some(field))
    .collect();
    (!fields.is_empty()).then_some(Happening::RoadmapPostEdited(facts, fields))
}

fn of_user(before: Option<&User>, after: &User) -> Option<Happening> {
    let was_active = before.is_some_and(|before| before.is_active);
    let facts = || UserFacts::from(after);
    match (was_active, after.is_active) {
        (false, true) => Some(Happening::UserCreated(facts())),
        (true, true) => {
            let of_before = |before: &User| {
                let User { post_mail, changelog_mail, .. } = *before;
                let User { is_blocked, is_trusted, updated_at, .. } = *before;
                let after = User { post_mail, changelog_mail, ..after.clone() };
                User { is_blocked, is_trusted, updated_at, ..after }
            };
            // To block a user has no event, and neither has the choice of mails.
            let is_told = before.is_some_and(|before| of_before(before) != *before);
            is_told.then(|| Happening::UserUpdated(facts()))
        }
        (true, false) => Some(Happening::UserDeleted(after.id, after.user_id)),
        (false, false) => None,
    }
}

fn of_comment(before: Option<&Comment>, after: &Comment, known: &Known) -> Option<Happening> {
    let is_told = |comment: &Comment| {
        is_out(comment.is_active, comment.moderation) && comment.visibility == Visibility::Public
    };
    let post = known.any::<FeedbackPost>(after.feedback_post_id)?;
    let facts = CommentFacts {
        id: after.id,
        content: after.content.clone(),
        post_id: post.id,
        post_title: post.title.clone(),
        board_id: post.board_id,
        author_id: after.author_id,
        parent_comment_id: after.parent_comment_id,
    };
    match before {
        Some(before) if is_told(before) => {
            if !after.is_active {
                Some(Happening::CommentDeleted(facts))
            } else {
                (before.content != after.content).then_some(Happening::CommentEdited(facts))
            }
        }
        Some(before) if !before.is_active => None,
        _ if is_told(after) => Some(Happening::CommentCreated(facts)),
        None if is_out(after.is_active, after.moderation) => {
            Some(Happening::InternalCommentCreated(facts))
        }
        before => {
            let was_queued = before.is_some_and(|it| is_queued(it.is_active, it.moderation));
            let is_queued = is_queued(after.is_active, after.moderation) && !was_queued;
            let facts = QueueFacts {
                kind: Moderated::Comment,
                id: after.id.0,
                board_id: post.board_id,
                author_id: after.author_id,
            };
            is_queued.then_some(Happening::ModerationQueued(facts))
        }
    }
}

fn of_entry(before: Option<&ChangelogEntry>, after: &ChangelogEntry) -> Option<Happening> {
    let was_out = before.is_some_and(ChangelogEntry::is_out);
    match (was_out, after.is_out()) {
        (false, true) => Some(Happening::EntryPublished(after.into())),
        (true, false) => Some(Happening::EntryUnpublished(after.into())),
        _ => None,
    }
}

/// Whether a step publishes an article. The restoration of a published one does not.
fn is_published(before: Option<&Record>, after: &HelpArticle) -> bool {
    let published = ArticleStatus::Published;
    let was_out = matches!(before, Some(Record::HelpArticle(before)) if before.status == published);
    after.is_out() && !was_out
}

/// The facts of an article. `known` has its category.
fn article_facts(article: &HelpArticle, known: &Known) -> ArticleFacts {
    let category_id = article.parent.category();
    let category = category_id.and_then(|id| known.any::<HelpCategory>(id));
    let over_category = category.map(|category| category.collection_id);
    ArticleFacts {
        id: article.id,
        title: article.title.clone(),
        slug: article.slug.clone(),
        collection_id: article.parent.collection().or(over_category),
        category_id,
    }
}

/// The facts of a vote on a feedback post.
fn of_vote(vote: &Vote, known: &Known) -> Option<VoteFacts> {
    let Target::Feedback(post) = vote.target else { return None };
    let post = known.any::<FeedbackPost>(post)?;
    Some(VoteFacts {
        id: vote.id,
        post_id: post.id,
        post_title: post.title.clone(),
        board_id: post.board_id,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Time;
    use crate::attributes::Attributes;
    use crate::changelog_entry::EntryStatus;
    use crate::id::CommentId;
    use crate::mail::tests::entry;
    use crate::person::{Email, Handle};
    use crate::record::{OfKind, examples};
    use crate::slug::Slug;
    use crate::status::StatusGroup;
    use std::slice;

    pub(crate) fn id<T: From<Uuid>>(n: u128) -> T {
        T::from(Uuid::from_u128(n))
    }

    pub(crate) fn post() -> FeedbackPost {
        FeedbackPost {
            id: id(1),
            title: "Dark mode".to_owned(),
            description: "At night".to_owned(),
            slug: Slug::parse("dark-mode").unwrap(),
            board_id: id(2),
            author_id: id(3),
            owner_id: None,
            status_id: id(4),
            category_id: None,
            eta: None,
            eta_is_public: true,
            is_pinned: false,
            moderation: Moderation::Accepted,
            tag_ids: vec![id(7)],
            attributes: Attributes::default(),
            merged_into_id: None,
            created_by_id: None,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
            status_changed_at: Time::MIN,
        }
    }

    fn facts() -> PostFacts {
        PostFacts {
            id: id(1),
            title: "Dark mode".to_owned(),
            details: "At night".to_owned(),
            board_id: id(2),
            board_name: "Ideas".to_owned(),
        }
    }

    fn tag_facts(tag: u128, name: &str) -> TagFacts {
        TagFacts {
            id: id(1),
            title: "Dark mode".to_owned(),
            board_id: id(2),
            board_name: "Ideas".to_owned(),
            tag_id: id(tag),
            tag_name: name.to_owned(),
        }
    }

    pub(crate) fn comment() -> Comment {
        Comment {
            id: id(9),
            content: "Yes".to_owned(),
            author_id: id(3),
            parent_comment_id: None,
            feedback_post_id: id(1),
            visibility: Visibility::Public,
            moderation: Moderation::Accepted,
            is_pinned: false,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        }
    }

    fn comment_facts() -> CommentFacts {
        CommentFacts {
            id: id(9),
            content: "Yes".to_owned(),
            post_id: id(1),
            post_title: "Dark mode".to_owned(),
            board_id: id(2),
            author_id: id(3),
            parent_comment_id: None,
        }
    }

    fn known() -> Known {
        let status = |n, group| Status { id: id(n), group, ..examples::status() };
        let tag = |n, name: &str| Tag {
            id: id(n),
            name: name.to_owned(),
            code: None,
            color: String::new(),
            show_on_feedback: true,
            show_on_roadmap: true,
            is_public: true,
            external_id: None,
            is_active: true,
            created_at: Time::MIN,
        };
        let name = "Ideas".to_owned();
        let board = FeedbackBoard { id: id(2), name, ..examples::board() };
        Known::new([
            board.into_record(),
            post().into_record(),
            status(4, StatusGroup::Open).into_record(),
            status(5, StatusGroup::Open).into_record(),
            status(6, StatusGroup::Closed).into_record(),
            tag(7, "Mobile").into_record(),
            tag(8, "Web").into_record(),
        ])
    }

    /// The events of a step. Only the records that it quotes are known.
    fn of(step: &Step) -> Vec<Happening> {
        let all = known();
        let board = |id| all.any::<FeedbackBoard>(id).cloned().map(OfKind::into_record);
        let quoted = quoted(step).into_iter().filter_map(|(kind, id)| match kind {
            Kind::FeedbackBoard => board(id),
            Kind::FeedbackPost => all.any::<FeedbackPost>(id).cloned().map(OfKind::into_record),
            Kind::Status => all.any::<Status>(id).cloned().map(OfKind::into_record),
            Kind::Tag => all.any::<Tag>(id).cloned().map(OfKind::into_record),
            other => panic!("{other:?} is quoted"),
        });
        told(step, &Known::new(quoted))
    }

    fn edit(before: FeedbackPost, after: FeedbackPost) -> Vec<Happening> {
        of(&Step::edit(before, after, Time::MAX))
    }

    fn edit_comment(before: Comment, after: Comment) -> Vec<Happening> {
        of(&Step::edit(before, after, Time::MAX))
    }

    #[test]
    fn a_new_post_has_an_event_and_one_for_each_tag() {
        let expected =
            [Happening::PostCreated(facts()), Happening::PostTagAdded(tag_facts(7, "Mobile"))];
        assert_eq!(of(&Step::make(post())), expected);
    }

    #[test]
    fn a_post_that_waits_for_moderation_has_its_event_when_it_is_accepted() {
        let pending = FeedbackPost { moderation: Moderation::Pending, ..post() };
        let spam = FeedbackPost { moderation: Moderation::Spam, ..post() };
        let queued = Happening::ModerationQueued(QueueFacts {
            kind: Moderated::Post,
            id: id(1),
            board_id: id(2),
            author_id: id(3),
        });
        assert_eq!(of(&Step::make(pending.clone())), slice::from_ref(&queued));
        assert_eq!(edit(spam.clone(), pending.clone()), [queued]);
        assert_eq!(edit(pending.clone(), spam.clone()), []);
        assert_eq!(edit(pending.clone(), FeedbackPost { is_active: false, ..pending.clone() }), []);
        assert_eq!(edit(pending, post()).len(), 2);
        assert_eq!(edit(spam, post())[0], Happening::PostCreated(facts()));
    }

    #[test]
    fn the_event_of_an_edited_post_names_the_fields_that_changed() {
        let after = FeedbackPost {
            category_id: Some(id(10)),
            owner_id: Some(id(3)),
            eta: Some(Time::MAX),
            status_id: id(5),
            ..post()
        };
        let fields = vec![PostField::Category, PostField::Owner, PostField::Eta, PostField::Status];
        assert_eq!(edit(post(), after), [Happening::PostEdited(facts(), fields)]);
        let slug = FeedbackPost { slug: Slug::parse("night").unwrap(), ..post() };
        assert_eq!(edit(post(), slug), []);
        assert_eq!(edit(post(), post()), []);
    }

    #[test]
    fn a_status_of_another_group_and_tags_have_events_of_their_own() {
        let after = FeedbackPost { status_id: id(6), tag_ids: vec![id(8)], ..post() };
        let status = |n, group| PostStatus { id: id(n), group };
        let change = StatusFacts {
            post: facts(),
            status: status(6, StatusGroup::Closed),
            previous: status(4, StatusGroup::Open),
        };
        let expected = [
            Happening::PostTagRemoved(tag_facts(7, "Mobile")),
            Happening::PostTagAdded(tag_facts(8, "Web")),
            Happening::PostStatusChanged(change),
        ];
        assert_eq!(edit(post(), after), expected);
    }

    #[test]
    fn a_deleted_post_has_one_event() {
        let deleted = FeedbackPost { is_active: false, ..post() };
        assert_eq!(edit(post(), deleted.clone()), [Happening::PostDeleted(facts())]);
        let renamed = FeedbackPost { title: "Night".to_owned(), ..deleted.clone() };
        assert_eq!(edit(deleted.clone(), renamed), []);
        assert_eq!(edit(deleted, post()), [Happening::PostRestored(facts())]);
    }

    #[test]
    fn a_public_comment_has_an_event_when_it_is_made_edited_and_deleted() {
        assert_eq!(of(&Step::make(comment())), [Happening::CommentCreated(comment_facts())]);
        let after = Comment { content: "No".to_owned(), ..comment() };
        let facts = CommentFacts { content: "No".to_owned(), ..comment_facts() };
        assert_eq!(edit_comment(comment(), after), [Happening::CommentEdited(facts)]);
        let deleted = Comment { is_active: false, ..comment() };
        assert_eq!(
            edit_comment(comment(), deleted.clone()),
            [Happening::CommentDeleted(comment_facts())]
        );
        assert_eq!(edit_comment(deleted, comment()), []);
    }

    #[test]
    fn an_internal_comment_has_an_event_of_its_own_when_it_is_made() {
        let internal = Comment { visibility: Visibility::Internal, ..comment() };
        let made = Happening::InternalCommentCreated(comment_facts());
        assert_eq!(of(&Step::make(internal.clone())), [made]);
        let deleted = Comment { is_active: false, ..internal.clone() };
        assert_eq!(edit_comment(internal, deleted), []);
    }

    #[test]
    fn a_comment_that_waits_for_moderation_has_its_event_when_it_is_accepted() {
        let pending = Comment { moderation: Moderation::Pending, ..comment() };
        let queued = QueueFacts {
            kind: Moderated::Comment,
            id: comment_facts().id.0,
            board_id: id(2),
            author_id: comment_facts().author_id,
        };
        assert_eq!(of(&Step::make(pending.clone())), [Happening::ModerationQueued(queued)]);
        assert_eq!(edit_comment(pending, comment()), [Happening::CommentCreated(comment_facts())]);
    }

    #[test]
    fn a_changed_user_has_an_event_and_a_blocked_one_has_none() {
        let ada = Handle::Email(Email::parse("ada@example.com").unwrap());
        let ada = ada.user(None, id(1), id(2), Time::MIN);
        let edited = |after: User| of(&Step::edit(ada.clone(), after, Time::MAX)).len();
        assert_eq!(edited(User { locale: "de".to_owned(), ..ada.clone() }), 1);
        assert_eq!(edited(User { is_blocked: true, ..ada.clone() }), 0);
        assert_eq!(edited(User { is_trusted: true, ..ada.clone() }), 0);
        assert_eq!(edited(User { changelog_mail: !ada.changelog_mail, ..ada.clone() }), 0);
        let both = User { locale: "de".to_owned(), is_blocked: true, ..ada.clone() };
        assert_eq!(edited(both), 1);
    }

    #[test]
    fn a_vote_on_a_feedback_post_has_an_event_and_one_on_a_roadmap_post_has_none() {
        let vote = |target| Vote {
            id: id(11),
            user_id: id(3),
            target,
            cast_on_id: None,
            created_by_id: None,
            source_url: None,
            created_at: Time::MIN,
        };
        let cast = vote(Target::Feedback(id(1)));
        let facts = VoteFacts {
            id: id(11),
            post_id: id(1),
            post_title: "Dark mode".to_owned(),
            board_id: id(2),
        };
        assert_eq!(of(&Step::make(cast.clone())), [Happening::VoteCreated(facts.clone())]);
        assert_eq!(of(&Step::remove(cast)), [Happening::VoteDeleted(facts)]);
        assert_eq!(of(&Step::make(vote(Target::Roadmap(id(1))))), []);
    }

    /// The mailings of steps by the user 5, who tells the subscribers, or does not.
    fn mailed(steps: &[Step], notify: bool) -> Vec<Mailing> {
        let parent = Comment { id: id(8), author_id: id(7), ..comment() };
        let known = Known::new([Record::Comment(parent)]);
        mailings(steps, &[], &known, notify, Some(id(5)), || id(99))
    }

    fn subjects_of(steps: &[Step], notify: bool) -> Vec<Subject> {
        mailed(steps, notify).into_iter().map(|mailing| mailing.subject).collect()
    }

    /// The subjects of the mailings of steps that tell the subscribers, and of nothing else.
    fn subjects(steps: &[Step]) -> Vec<Subject> {
        assert_eq!(subjects_of(steps, false), []);
        subjects_of(steps, true)
    }

    #[test]
    fn an_entry_is_mailed_if_it_becomes_published_and_not_when_its_flags_change() {
        let entry = entry();
        let edited = |before: ChangelogEntry, after: &ChangelogEntry| {
            mailed(&[Step::edit(before, after.clone(), Time::MAX)], false)
        };
        let expected = [Mailing::of_entry(id(8))];
        assert_eq!(mailed(&[Step::make(entry.clone())], false), expected);
        assert_eq!(edited(entry.clone().unpublished(), &entry), expected);
        assert_eq!(edited(ChangelogEntry { notify: false, ..entry.clone() }, &entry), []);
        assert_eq!(edited(ChangelogEntry { show_on_portal: false, ..entry.clone() }, &entry), []);
    }

    fn new_status(post: FeedbackPost) -> Step {
        Step::edit(post.clone(), FeedbackPost { status_id: id(40), ..post }, Time::MAX)
    }

    const fn status(note: Option<CommentId>) -> Subject {
        let (post, status) = (PostId(Uuid::from_u128(1)), StatusId(Uuid::from_u128(40)));
        Subject::Status { post, status, note }
    }

    #[test]
    fn a_new_status_and_its_note_are_one_mailing() {
        let told = Subject::Comment { post: id(1), comment: id(9), reply_to: None };
        let edited = FeedbackPost { is_pinned: true, ..post() };
        let same_status = Step::edit(post(), edited, Time::MAX);
        let note = Step::make(comment());
        let steps = [new_status(post()), note.clone()];
        let mailing = |n, subject, actor| Mailing { id: id(n), subject, actor_id: Some(id(actor)) };
        assert_eq!(mailed(&steps, true), [mailing(99, status(Some(id(9))), 5)]);
        // The author of a comment is the one who made the change.
        let steps = [same_status.clone(), note];
        assert_eq!(mailed(&steps, true), [mailing(9, told, 3)]);
        assert_eq!(subjects(&[same_status]), []);
        let elsewhere = Comment { feedback_post_id: id(2), ..comment() };
        let told = Subject::Comment { post: id(2), comment: id(9), reply_to: None };
        let steps = [new_status(post()), Step::make(elsewhere)];
        assert_eq!(subjects(&steps), [status(None), told]);
        assert_eq!(subjects(&[Step::make(post())]), []);
    }

    #[test]
    fn what_visitors_do_not_see_is_no_mailing() {
        let pending = Comment { moderation: Moderation::Pending, ..comment() };
        let steps = [new_status(post()), Step::make(pending.clone())];
        assert_eq!(subjects(&steps), [status(None)]);
        assert_eq!(subjects(&[Step::make(pending.clone())]), []);
        // The note of a status is for its subscribers. An internal comment has a mailing of its own.
        let told = Subject::Comment { post: id(1), comment: id(9), reply_to: None };
        let internal = Comment { visibility: Visibility::Internal, ..comment() };
        let steps = [new_status(post()), Step::make(internal.clone())];
        assert_eq!(subjects(&steps), [status(None), told]);
        assert_eq!(subjects(&[Step::edit(internal, comment(), Time::MAX)]), []);
        // An acceptance is the news of what waited, whoever is to be told of what is new.
        let accepted = [Step::edit(pending, comment(), Time::MAX)];
        for notify in [false, true] {
            assert_eq!(subjects_of(&accepted, notify), [told]);
        }
        let hidden = [
            FeedbackPost { moderation: Moderation::Spam, ..post() },
            FeedbackPost { merged_into_id: Some(id(2)), ..post() },
            FeedbackPost { is_active: false, ..post() },
        ];
        for post in hidden {
            assert_eq!(subjects(&[new_status(post)]), []);
        }
    }

    #[test]
    fn those_whom_a_change_is_about_are_told_of_it() {
        let reply = Comment { parent_comment_id: Some(id(8)), ..comment() };
        let told = Subject::Comment { post: id(1), comment: id(9), reply_to: Some(id(7)) };
        assert_eq!(subjects(&[Step::make(reply)]), [told]);
        let edit = |before: FeedbackPost, after: FeedbackPost| {
            let one = subjects_of(&[Step::edit(before.clone(), after.clone(), Time::MAX)], false);
            assert_eq!(one, subjects_of(&[Step::edit(before, after, Time::MAX)], true));
            one
        };
        let pending = FeedbackPost { moderation: Moderation::Pending, ..post() };
        let accepted = Subject::Accepted { post: id(1), author: post().author_id };
        assert_eq!(edit(pending.clone(), post()), [accepted]);
        let rejected = FeedbackPost { moderation: Moderation::Rejected, ..post() };
        assert_eq!(edit(pending, rejected.clone()), []);
        assert_eq!(edit(rejected, post()), []);
        let of = |owner: u128| FeedbackPost { owner_id: Some(id(owner)), ..post() };
        let nobodys = || FeedbackPost { owner_id: None, ..post() };
        let owner = |owner| Subject::Owner { post: id(1), owner: id(owner) };
        assert_eq!(edit(nobodys(), of(6)), [owner(6)]);
        assert_eq!(edit(of(6), of(7)), [owner(7)]);
        assert_eq!(edit(of(6), FeedbackPost { is_pinned: true, ..of(6) }), []);
        assert_eq!(edit(of(6), nobodys()), []);
    }

    #[test]
    fn moderators_hear_once_an_hour_of_what_waits() {
        let waiting = |at: &str, n: u128| {
            let facts = QueueFacts {
                kind: Moderated::Comment,
                id: Uuid::from_u128(n),
                board_id: id(1),
                author_id: id(2),
            };
            let (at, what) = (Time::parse(at).unwrap(), Happening::ModerationQueued(facts));
            let event = Event { id: id(n), at, what, in_ledger: false };
            let all = [event.clone(), event];
            let found = mailings(&[], &all, &Known::default(), false, None, || id(99));
            assert_eq!(found.len(), 1);
            found[0].id
        };
        assert_eq!(waiting("2026-01-01T09:00:00Z", 1), waiting("2026-01-01T09:59:59Z", 2));
        assert_ne!(waiting("2026-01-01T09:00:00Z", 1), waiting("2026-01-01T10:00:00Z", 1));
    }

    #[test]
    fn the_event_of_an_edited_roadmap_post_names_the_field_that_changed() {
        let status = |n, group| Status { id: id(n), group, ..examples::status() };
        let of = |before: &RoadmapPost, after: RoadmapPost| {
            let known = Known::new([
                status(4, StatusGroup::Open).into_record(),
                status(5, StatusGroup::Open).into_record(),
                status(6, StatusGroup::Closed).into_record(),
            ]);
            let step = Step::edit(before.clone(), after, Time::MAX);
            let quoted = quoted(&step).into_iter();
            let quoted = quoted.filter_map(|key| known.get(key).cloned());
            told(&step, &Known::new(quoted))
        };
        let post = RoadmapPost { status_id: id(4), ..examples::roadmap_post() };
        for (field, after) in [
            (RoadmapField::Title, RoadmapPost { title: String::new(), ..post.clone() }),
            (RoadmapField::Details, RoadmapPost { description: String::new(), ..post.clone() }),
            (RoadmapField::Board, RoadmapPost { roadmap_board_id: id(9), ..post.clone() }),
            (RoadmapField::Category, RoadmapPost { category_id: None, ..post.clone() }),
            (RoadmapField::Tags, RoadmapPost { tag_ids: vec![], ..post.clone() }),
            (RoadmapField::Owner, RoadmapPost { owner_id: None, ..post.clone() }),
            (RoadmapField::Eta, RoadmapPost { eta: None, ..post.clone() }),
            (RoadmapField::Status, RoadmapPost { status_id: id(5), ..post.clone() }),
        ] {
            let told = of(&post, after);
            let [Happening::RoadmapPostEdited(_, fields)] = &*told else { panic!("{told:?}") };
            assert_eq!(fields, &[field]);
        }
        let regrouped = of(&post, RoadmapPost { status_id: id(6), ..post.clone() });
        assert!(matches!(&*regrouped, [Happening::RoadmapPostStatusChanged(..)]), "{regrouped:?}");
        let deleted = RoadmapPost { is_active: false, ..post.clone() };
        let told = of(&post, deleted.clone());
        assert!(matches!(&*told, [Happening::RoadmapPostDeleted(_)]), "{told:?}");
        assert_eq!(of(&deleted, RoadmapPost { title: String::new(), ..deleted.clone() }), []);
        assert_eq!(of(&post, post.clone()), []);
    }

    #[test]
    fn an_article_has_an_event_when_it_is_published_and_none_when_it_is_restored() {
        let out = examples::article();
        let draft = HelpArticle { status: ArticleStatus::Draft, ..out.clone() };
        let deleted = HelpArticle { is_active: false, ..out.clone() };
        let tells = |before: &HelpArticle, after: &HelpArticle| {
            !told(&Step::edit(before.clone(), after.clone(), Time::MAX), &Known::default())
                .is_empty()
        };
        assert!(tells(&draft, &out));
        assert!(!tells(&deleted, &out) && !tells(&out, &draft) && !tells(&draft, &deleted));
        assert!(!told(&Step::make(out), &Known::default()).is_empty());
    }

    #[test]
    fn an_entry_has_an_event_when_it_becomes_public_or_ceases_to_be() {
        let out = examples::entry();
        let draft = ChangelogEntry { status: EntryStatus::Draft, ..out.clone() };
        let of = |before: &ChangelogEntry, after: &ChangelogEntry| {
            told(&Step::edit(before.clone(), after.clone(), Time::MAX), &Known::default())
        };
        assert_eq!(of(&draft, &out), [Happening::EntryPublished((&out).into())]);
        assert_eq!(of(&out, &draft), [Happening::EntryUnpublished((&draft).into())]);
        let renamed = ChangelogEntry { title: "Night".to_owned(), ..out.clone() };
        assert_eq!(of(&out, &renamed), []);
    }

    #[test]
    fn a_merge_of_a_post_that_is_out_is_told_and_so_is_its_end() {
        let merged = FeedbackPost { merged_into_id: Some(id(9)), ..post() };
        let of = |before: FeedbackPost, after: FeedbackPost| {
            told_of_merge(&Step::edit(before, after, Time::MAX), id(9), Some(id(3)), &known())
        };
        let facts = || MergeFacts { post: facts(), into_post_id: id(9), merger_id: Some(id(3)) };
        assert_eq!(of(post(), merged.clone()), Some(Happening::PostMerged(facts())));
        assert_eq!(of(merged.clone(), post()), Some(Happening::PostUnmerged(facts())));
        let pending = |post| FeedbackPost { moderation: Moderation::Pending, ..post };
        assert_eq!(of(pending(post()), pending(merged)), None);
    }
}
