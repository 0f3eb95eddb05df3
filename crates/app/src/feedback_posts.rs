//! `/feedback-posts/…`

use crate::audit::Remark;
use crate::backlog::Progress;
use crate::effects::{Effects, Tried};
use crate::moderation::{beginning, post_text};
use crate::once::{DEADLINE, Outcome, Repeat, Round, once};
use crate::statuses::default_status;
use crate::subscriptions;
use crate::write::{self, Changing, Decided, Update, given};
use crate::{Caller, Error, Missing, Precondition, audit};
use hearback_domain::Time;
use hearback_domain::comment::{CommentDraft, Visibility};
use hearback_domain::edit::Patch;
use hearback_domain::event::{Event, Moderated};
use hearback_domain::feedback_post::{
    FeedbackPost, Moderation, PostDetails, PostDraft, PostFilter, PostPatch, PostSort,
};
use hearback_domain::id::{BoardId, PostId, StatusId, TagId, UserId};
use hearback_domain::mail::{Mailing, Subject};
use hearback_domain::merge::{Merge, MergeEffects, MergeRequest, Unmerge, UnmergeEffects};
use hearback_domain::person::Person;
use hearback_domain::record::{Key, Kind, Step};
use hearback_domain::similar::{SimilarPost, best};
use hearback_domain::subscription::Level;
use hearback_domain::tag::Tag;
use hearback_domain::text::{Content, Title};
use hearback_domain::told::told_of_merge;
use hearback_domain::user::User;
use hearback_ports::feedback_posts::Attached;
use hearback_ports::page::{ByPost, Page, PageRequest};
use hearback_ports::{Ports, Recorded, StoreError, WriteResult};

/// `/feedback-posts/retrieve`: an active post, merged or not.
pub async fn retrieve(ports: &Ports, caller: Caller, id: PostId) -> Result<PostDetails, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    let found = ports.feedback_posts.find(organization, id).await?;
    let sees = |it: &PostDetails| caller.audience().sees(it.post.moderation, it.post.author_id);
    found.filter(sees).ok_or(Error::NotFound(Missing::Record(Kind::FeedbackPost)))
}

/// `/feedback-posts/list`: the posts that the filter admits.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: PostFilter,
    sort: PostSort,
    page: PageRequest<ByPost>,
) -> Result<Page<PostDetails, ByPost>, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    let filter = PostFilter { audience: caller.audience(), ..filter };
    Ok(ports.feedback_posts.page(organization, filter, sort, page).await?)
}

/// The input of [`similar`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindSimilar {
    /// What the posts are similar to.
    pub to: SimilarTo,
    /// The board of the posts. `None`: all boards.
    pub board: Option<BoardId>,
    /// The most posts.
    pub most: usize,
}

/// What posts are similar to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SimilarTo {
    /// The title of a post that may be made.
    Title(Title),
    /// A post, which is not similar to itself.
    Post(PostId),
}

/// `/feedback-posts/similar`: the posts with the most similar titles, best first.
pub async fn similar(
    ports: &Ports,
    caller: Caller,
    FindSimilar { to, board, most }: FindSimilar,
) -> Result<Vec<SimilarPost>, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    let (title, itself) = match to {
        SimilarTo::Title(title) => (String::from(title), None),
        SimilarTo::Post(id) => (retrieve(ports, caller, id).await?.post.title, Some(id)),
    };
    if let Some(board) = board {
        let board = (Kind::FeedbackBoard, board.0);
        if !ports.records.load(organization, vec![board]).await?.is_active(board) {
            return Ok(Vec::new());
        }
    }
    let candidates = ports.feedback_posts.candidates(organization, title.clone(), board).await?;
    let others = candidates.into_iter().filter(|(id, _)| Some(*id) != itself);
    let mut found = Vec::new();
    for (id, score) in best(&title, others, most) {
        // A post that is deleted meanwhile is left out.
        let details = ports.feedback_posts.find(organization, id).await?;
        found.extend(details.map(|details| SimilarPost { details, score }));
    }
    Ok(found)
}

/// The input of [`create`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatePost {
    /// The post.
    pub draft: PostDraft,
    /// Its author.
    pub author: Person,
    /// Whether the author hears about the post.
    pub subscribe_author: bool,
}

/// `/feedback-posts/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    CreatePost { draft, author, subscribe_author }: CreatePost,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::FeedbackPost)?;
    write::make_authored(ports, caller, draft.slug(), &author, repeat, |id, slug, writer, now| {
        let (mut draft, author) = (draft.clone(), writer.id);
        async move {
            let place = (Moderated::Post, draft.board_id);
            let text = post_text(&draft.title, &draft.description);
            let written = (writer, &*text);
            draft.moderation = beginning(ports, caller, draft.moderation, place, written).await?;
            let status = match draft.status_id {
                Some(id) => id,
                None => default_status(ports, organization).await?,
            };
            let post = draft.create(id.into(), slug, author, status, now);
            let subscription = subscribe_author
                .then(|| subscriptions::new(ports, post.id, author, Level::All, post.created_at));
            Ok(Decided { then: subscription.into_iter().map(Step::make).collect(), ..post.into() })
        }
    })
    .await
}

/// The input of [`update`].
pub type UpdatePost = Update<PostId, PostPatch>;

/// `/feedback-posts/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdatePost,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::try_update(ports, caller, update, repeat, |patch: PostPatch, post| {
        patch.edit(post).map_err(Precondition::from)
    })
    .await
}

/// The input of [`change_status`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeStatus {
    /// The post.
    pub post: PostId,
    /// Its new status.
    pub status: StatusId,
    /// Its new expected date.
    pub eta: Option<Time>,
    /// The user who changed the status.
    pub changed_by: Option<UserId>,
    /// The public comment of that user on the change.
    pub note: Option<Content>,
    /// Whether the subscribers of the post are mailed.
    pub notify: bool,
}

/// `/feedback-posts/change-status`
pub async fn change_status(
    ports: &Ports,
    caller: Caller,
    input: ChangeStatus,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let ChangeStatus { post, status, eta, changed_by, note, notify } = &input;
    write::edit_with(ports, caller, *post, repeat, async |post: FeedbackPost| {
        let patch = PostPatch {
            status_id: Some(*status),
            eta: eta.map_or(Patch::Keep, Patch::Set),
            ..PostPatch::default()
        };
        let id = post.id;
        let post = patch.edit(post).map_err(|refusal| Error::Refused(refusal.into()))?;
        let now = ports.clock.now();
        let comment = changed_by.zip(note.clone()).map(|(author, content)| {
            let draft = CommentDraft {
                feedback_post_id: id,
                content,
                parent_comment_id: None,
                visibility: None,
                moderation: Moderation::Accepted,
                external_id: None,
                created_at: None,
            };
            draft.create(ports.ids.fresh().into(), author, Visibility::Public, now)
        });
        let needs = changed_by.map(|user| write::need("changed_by_id", Kind::User, user));
        Ok(Decided {
            then: comment.into_iter().map(Step::make).collect(),
            needs: needs.into_iter().collect(),
            remark: Remark {
                actor_id: *changed_by,
                note: note.as_ref().map(|note| note.as_str().to_owned()),
            },
            notify: *notify,
            ..post.into()
        })
    })
    .await
}

/// The input of [`bulk_update`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkUpdate {
    /// The posts.
    pub posts: Vec<PostId>,
    /// The new values of each of them. They include no tags.
    pub patch: PostPatch,
    /// The tags to add.
    pub add_tag_ids: Vec<TagId>,
    /// The tags to remove.
    pub remove_tag_ids: Vec<TagId>,
    /// Whether the subscribers of each post that gets another status are mailed.
    pub notify: bool,
}

/// `/feedback-posts/bulk-update`: changes all posts, or none. Returns the number of changed posts.
pub async fn bulk_update(
    ports: &Ports,
    caller: Caller,
    input: BulkUpdate,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::FeedbackPost)?;
    let (input, repeat) = (&input, repeat.as_ref());
    once(ports, organization, &input.posts, repeat, |_| async move {
        let posts = input.posts.iter().map(|id| (Kind::FeedbackPost, id.0));
        let tags = input.add_tag_ids.iter().chain(&input.remove_tag_ids);
        let tags: Vec<Key> = tags.map(|id| (Kind::Tag, id.0)).collect();
        let known = ports.records.load(organization, posts.chain(tags.clone()).collect()).await?;
        let at = ports.clock.now();
        let mut steps = Vec::with_capacity(input.posts.len());
        for id in &input.posts {
            let before: &FeedbackPost =
                known.active(*id).ok_or(Error::NotFound(Missing::Record(Kind::FeedbackPost)))?;
            let after = input.patch.clone().edit(before.clone());
            let mut after = after.map_err(|refusal| Error::Refused(refusal.into()))?;
            for tag in &input.add_tag_ids {
                after = after.with_tag(*tag);
            }
            for tag in &input.remove_tag_ids {
                after = after.without_tag(*tag);
            }
            steps.push(Step::edit(before.clone(), after, at));
        }
        if tags.iter().any(|tag| !known.is_active(*tag)) {
            return Err(Error::Refused(Precondition::UnknownOf("tag_ids")));
        }
        steps.retain(|step| !step.is_empty());
        let answer = WriteResult::Updated(steps.len() as u64);
        let mut round = Changing::new(ports, caller, repeat, at);
        round.notify = input.notify;
        round.record(steps, answer, given).await
    })
    .await
}

/// A post, and a tag to add to it or to remove from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagPost {
    /// The post.
    pub post: PostId,
    /// The tag.
    pub tag: TagId,
}

/// `/feedback-posts/add-tag`: the tag comes behind the others.
pub async fn add_tag(
    ports: &Ports,
    caller: Caller,
    input: TagPost,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_tags(ports, caller, input, repeat, FeedbackPost::with_tag).await
}

/// `/feedback-posts/remove-tag`
pub async fn remove_tag(
    ports: &Ports,
    caller: Caller,
    input: TagPost,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_tags(ports, caller, input, repeat, FeedbackPost::without_tag).await
}

async fn edit_tags(
    ports: &Ports,
    caller: Caller,
    TagPost { post, tag }: TagPost,
    repeat: Option<Repeat>,
    rule: fn(FeedbackPost, TagId) -> FeedbackPost,
) -> Result<Outcome, Error> {
    let edited =
        write::edit_with(ports, caller, post, repeat, move |post: FeedbackPost| async move {
            write::find::<Tag>(ports, caller, tag).await?;
            if post.merged_into_id.is_some() {
                return Err(Error::Refused(Precondition::PostMerged));
            }
            Ok(rule(post, tag).into())
        })
        .await;
    // The tag was deleted meanwhile.
    edited.map_err(|error| match error {
        Error::Refused(Precondition::UnknownOf(_)) => Error::NotFound(Missing::Record(Kind::Tag)),
        error => error,
    })
}

/// `/feedback-posts/restore`: for a time after the deletion, if the board of the post is active.
pub async fn restore(
    ports: &Ports,
    caller: Caller,
    id: PostId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let refusal = Precondition::PostNotRestored;
    write::restore(ports, caller, id, repeat, refusal, |post: FeedbackPost, now| {
        let board = write::need("board_id", Kind::FeedbackBoard, post.board_id);
        Ok((post.restored(ports.erase_after, now)?, board))
    })
    .await
}

/// The input of [`merge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePosts {
    /// The posts.
    pub request: MergeRequest,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

impl From<MergeRequest> for MergePosts {
    fn from(request: MergeRequest) -> Self {
        Self { request, dry_run: false }
    }
}

/// `/feedback-posts/merge`: marks the source as merged into the target and moves its votes to the
/// target.
pub async fn merge(
    ports: &Ports,
    caller: Caller,
    MergePosts { request, dry_run }: MergePosts,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    let organization = caller.manage(Kind::FeedbackPost)?;
    let MergeRequest { source, target, merger } = request;
    let decide = async || {
        let case = ports.feedback_posts.merge_case(organization, request).await?;
        Ok::<_, Error>(case.decide(request, ports.ids.fresh().into(), ports.clock.now())?)
    };
    let decide = &decide;
    if dry_run {
        decide().await?;
        let MergeEffects { moved, dropped } =
            ports.feedback_posts.merge_effects(organization, source, target).await?;
        return Ok(Tried::Would(Effects(vec![("votes_moved", moved), ("votes_dropped", dropped)])));
    }
    let repeat = repeat.as_ref();
    let merged = once(ports, organization, target, repeat, |_| async move {
        let merge = decide().await?;
        let key = (Kind::FeedbackPost, source.0);
        let known = ports.records.load(organization, vec![key]).await?;
        let Some(post) = known.active::<FeedbackPost>(source) else {
            return Ok((Recorded::Stale, WriteResult::Success));
        };
        let marking = Marking { ports, caller, repeat, into: target, merger: Some(merger) };
        let at = post.updated_at.plus_millis(1).max(merge.at);
        let mut attached = marking.attached(post, Some(target), at).await?;
        let target = audit::merged_in(ports, caller, (source, target), &marking.remark(), at);
        attached.audit.push(target);
        let emits = attached.event.is_some();
        let merge = Merge { at, ..merge };
        let recorded = ports.feedback_posts.merge(organization, merge, attached).await?;
        marking.answer(emits, recorded)
    });
    merged.await.map(Tried::Did)
}

/// The input of [`unmerge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnmergePost {
    /// The merged post.
    pub post: PostId,
    /// The user who ends the merge.
    pub merger: Option<UserId>,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// `/feedback-posts/unmerge`: ends the merge of a post. Each post has its own votes again, and those
/// that were cast since stay on the target.
pub async fn unmerge(
    ports: &Ports,
    caller: Caller,
    UnmergePost { post: source, merger, dry_run }: UnmergePost,
    repeat: Option<Repeat>,
) -> Result<Tried, Error> {
    let organization = caller.manage(Kind::FeedbackPost)?;
    let decide = async || {
        let post: FeedbackPost = write::find(ports, caller, source).await?;
        if let Some(merger) = merger {
            write::find::<User>(ports, caller, merger).await?;
        }
        let into = post.merged_into_id.ok_or(Error::Refused(Precondition::PostNotMerged))?;
        let at = post.updated_at.plus_millis(1).max(ports.clock.now());
        Ok::<_, Error>((post, Unmerge { source, into, at }))
    };
    let decide = &decide;
    let deadline = ports.clock.elapsed() + DEADLINE;
    if dry_run {
        loop {
            let (_, unmerge) = decide().await?;
            let effects = ports.feedback_posts.unmerge_effects(organization, unmerge).await?;
            if let Some(UnmergeEffects { returned, restored, followed }) = effects {
                return Ok(Tried::Would(Effects(vec![
                    ("votes_returned", returned),
                    ("votes_restored", restored),
                    ("posts_followed", followed),
                ])));
            }
            if ports.clock.elapsed() >= deadline {
                return Err(StoreError::Busy.into());
            }
        }
    }
    let repeat = repeat.as_ref();
    let unmerged = once(ports, organization, source, repeat, |_| async move {
        let (post, unmerge) = decide().await?;
        let marking = Marking { ports, caller, repeat, into: unmerge.into, merger };
        let attached = marking.attached(&post, None, unmerge.at).await?;
        let emits = attached.event.is_some();
        let recorded = ports.feedback_posts.unmerge(organization, unmerge, attached).await?;
        marking.answer(emits, recorded)
    });
    unmerged.await.map(Tried::Did)
}

/// A change of the mark of a merged post.
struct Marking<'a> {
    ports: &'a Ports,
    caller: Caller,
    repeat: Option<&'a Repeat>,
    /// The post that it is or was merged into.
    into: PostId,
    merger: Option<UserId>,
}

impl Marking<'_> {
    /// What is recorded with the change.
    async fn attached(
        &self,
        before: &FeedbackPost,
        merged_into_id: Option<PostId>,
        at: Time,
    ) -> Result<Attached, Error> {
        let Self { ports, caller, repeat, into, merger } = *self;
        let organization = caller.manage(Kind::FeedbackPost)?;
        let board = (Kind::FeedbackBoard, before.board_id.0);
        let known = ports.records.load(organization, vec![board]).await?;
        let after = FeedbackPost { merged_into_id, ..before.clone() };
        let step = Step::edit(before.clone(), after, at);
        let in_ledger = caller.keeps_events();
        let event = |what| Event { id: ports.ids.fresh().into(), at, what, in_ledger };
        let event = told_of_merge(&step, into, merger, &known).map(event);
        let mailing = event.as_ref().filter(|_| merged_into_id.is_some()).map(|_| {
            let subject = Subject::Merged { post: before.id, into };
            (Mailing { id: ports.ids.fresh().into(), subject, actor_id: merger }, at)
        });
        Ok(Attached {
            event,
            mailing,
            audit: audit::entries(ports, caller, &[step], &self.remark(), at),
            receipt: repeat.map(|repeat| repeat.receipt(&WriteResult::Success, at)),
        })
    }

    fn remark(&self) -> Remark {
        Remark { actor_id: self.merger, note: None }
    }

    fn answer(&self, emits: bool, recorded: Recorded) -> Round {
        if emits && recorded == Recorded::Done {
            self.ports.alarm.ring();
        }
        Ok((recorded, WriteResult::Success))
    }
}

/// Adds some posts to the indexes of titles and texts if they are missing there. More may be left if
/// it did anything.
pub async fn index_posts(ports: &Ports) -> Progress {
    match ports.feedback_posts.index_posts().await {
        Ok(done) => Progress { done, failures: vec![] },
        Err(failure) => Progress { done: 0, failures: vec![failure.into()] },
    }
}

/// Moves a part of the votes of a merge that has left some to move. More may be left if it did
/// anything.
pub async fn move_votes(ports: &Ports) -> Progress {
    match ports.feedback_posts.move_votes().await {
        Ok(done) => Progress { done, failures: vec![] },
        Err(failure) => Progress { done: 0, failures: vec![failure.into()] },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::post;
    use hearback_domain::Uuid;
    use hearback_domain::event::EventType;
    use hearback_domain::id::OrganizationId;
    use hearback_domain::merge::{MergeCase, PostState};
    use hearback_domain::record::{Known, OfKind};
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const CALLER: Caller = Caller::background(ORGANIZATION);

    fn request() -> MergeRequest {
        MergeRequest {
            source: Uuid::from_u128(2).into(),
            target: Uuid::from_u128(3).into(),
            merger: Uuid::from_u128(4).into(),
        }
    }

    fn mocks(source: PostState) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
        mocks.feedback_posts.expect_merge_case().returning(move |_, _| {
            Ok(MergeCase {
                source: Some(source),
                target: Some(PostState::Open),
                merger_linked: true,
            })
        });
        // The source. It is merged in the tests of the end of a merge.
        mocks.records.expect_load().returning(|_, keys| {
            let source = (Kind::FeedbackPost, request().source.0);
            let merged_into_id = Some(request().target);
            let post = FeedbackPost { id: request().source, merged_into_id, ..post() };
            Ok(Known::new(keys.contains(&source).then(|| post.into_record())))
        });
        mocks
    }

    #[tokio::test]
    async fn a_decided_merge_is_recorded() {
        let mut mocks = mocks(PostState::Open);
        mocks
            .feedback_posts
            .expect_merge()
            .once()
            .withf(|organization, merge, attached| {
                let MergeRequest { source, target, merger } = request();
                // The post was last changed at that time, too.
                let at = Time::MIN.plus_millis(1);
                let expected = Merge { id: Uuid::from_u128(9).into(), source, target, merger, at };
                let what = attached.event.as_ref().map(|event| event.what.event_type());
                let logged: Vec<Uuid> = attached.audit.iter().map(|entry| entry.target.1).collect();
                (*organization, *merge) == (ORGANIZATION, expected)
                    && what == Some(EventType::PostMerged)
                    && logged == [source.0, target.0]
                    && attached.receipt.is_none()
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        mocks.alarm.expect_ring().once().return_const(());
        let tried = merge(&mocks.ports(), CALLER, request().into(), None).await.unwrap();
        assert_eq!(tried, Tried::Did(Outcome::Fresh(WriteResult::Success)));
    }

    #[tokio::test]
    async fn a_refused_merge_records_nothing() {
        for dry_run in [false, true] {
            let input = MergePosts { request: request(), dry_run };
            let outcome = merge(&mocks(PostState::Shut).ports(), CALLER, input, None).await;
            assert!(matches!(outcome, Err(Error::Refused(Precondition::CannotMerge))));
        }
    }

    #[tokio::test]
    async fn the_end_of_a_merge_that_changes_meanwhile_is_tried_again() {
        let mut mocks = mocks(PostState::Open);
        let mut results =
            vec![Some(UnmergeEffects { returned: 3, restored: 2, followed: 1 }), None];
        let effects = mocks.feedback_posts.expect_unmerge_effects();
        effects.times(2).returning(move |_, _| Ok(results.pop().flatten()));
        let input = UnmergePost { post: request().source, merger: None, dry_run: true };
        let tried = unmerge(&mocks.ports(), CALLER, input, None).await.unwrap();
        let effects = vec![("votes_returned", 3), ("votes_restored", 2), ("posts_followed", 1)];
        assert_eq!(tried, Tried::Would(Effects(effects)));
    }
}
