//! `/roadmap-posts/…`

use crate::once::{Outcome, Repeat, once};
use crate::statuses::default_status;
use crate::write::{self, Changing, Decided, Update, given};
use crate::{Caller, Error, Missing, Precondition};
use hearback_domain::Time;
use hearback_domain::draft::Patches;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::fold::{Folded, search_text};
use hearback_domain::id::{OrganizationId, PostId, RoadmapPostId, StatusId};
use hearback_domain::position::{Position, make_room};
use hearback_domain::record::{Key, Kind, Known, Parent, Step};
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::{
    RoadmapFilter, RoadmapPost, RoadmapPostDetails, RoadmapPostDraft, RoadmapPostPatch,
};
use hearback_ports::page::{BySort, Page, PageRequest};
use hearback_ports::{Ports, WriteResult};

/// `/roadmap-posts/retrieve`: an active post.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: RoadmapPostId,
) -> Result<RoadmapPostDetails, Error> {
    let organization = caller.view(Kind::RoadmapPost)?;
    let found = ports.roadmap_posts.find(organization, id).await?;
    found.ok_or(Error::NotFound(Missing::Record(Kind::RoadmapPost)))
}

/// `/roadmap-posts/list`: the posts that the filter admits and whose title or description contains
/// the text, by position or by their last change.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    (filter, search): (RoadmapFilter, Option<Folded>),
    page: PageRequest<BySort>,
) -> Result<Page<RoadmapPostDetails, BySort>, Error> {
    let organization = caller.view(Kind::RoadmapPost)?;
    let Some(search) = search else {
        return Ok(ports.roadmap_posts.page(organization, filter, page).await?);
    };
    // A roadmap has few posts, so no index is kept for its searches.
    let PageRequest { mut after, limit } = page;
    let mut found = Vec::new();
    loop {
        let request = PageRequest { after, limit };
        let some = ports.roadmap_posts.page(organization, filter.clone(), request).await?;
        found.extend(some.items.into_iter().filter(|details| matches(&details.post, &search)));
        after = some.next;
        if after.is_none() || found.len() > limit.get() {
            return Ok(Page::cut(found, limit, |it| BySort::of_roadmap_post(&it.post, &filter)));
        }
    }
}

fn matches(post: &RoadmapPost, search: &Folded) -> bool {
    search_text([post.title.as_str(), post.description.as_str()]).contains(search.as_str())
}

/// The input of [`create`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateRoadmapPost {
    /// The post.
    pub draft: RoadmapPostDraft,
    /// The number of the post on its board, from 1. `None`: the last one.
    pub place: Option<i64>,
    /// The feedback posts that are linked to it.
    pub feedback_post_ids: Vec<PostId>,
}

/// `/roadmap-posts/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    input: CreateRoadmapPost,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::RoadmapPost)?;
    let CreateRoadmapPost { draft, place, feedback_post_ids } = &input;
    write::make_with(ports, caller, draft.slug(), repeat, |id, slug, now| async move {
        let status = match draft.status_id {
            Some(id) => id,
            None => default_status(ports, organization).await?,
        };
        let mut post = draft.clone().create(id.into(), slug, status, now);
        let first = put(ports, organization, &mut post, *place, now).await?;
        all_known(ports, organization, "feedback_post_ids", feedback_post_ids).await?;
        let then = feedback_post_ids
            .iter()
            .map(|feedback| Step::make(linked(ports, post.id, *feedback, false, now)))
            .collect();
        Ok(Decided { first, then, ..post.into() })
    })
    .await
}

/// The new values of a roadmap post, with its number on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchPlaced {
    /// The values.
    pub patch: RoadmapPostPatch,
    /// The number of the post on its board, from 1.
    pub place: Option<i64>,
}

/// The input of [`update`].
pub type UpdateRoadmapPost = Update<RoadmapPostId, PatchPlaced>;

/// `/roadmap-posts/update`: changes the given values. A new status is carried to the linked posts
/// that follow it.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateRoadmapPost,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::RoadmapPost)?;
    write::update_with(ports, caller, update, repeat, async |input: PatchPlaced, before| {
        let now = ports.clock.now();
        let mut post = input.patch.edit(RoadmapPost::clone(&before));
        let is_moved = post.roadmap_board_id != before.roadmap_board_id;
        let is_there = |place: &i64| !is_moved && post.seq_number.place() == *place;
        let place = input.place.filter(|place| !is_there(place));
        let first = put(ports, organization, &mut post, place, now).await?;
        if is_moved && input.place.is_some() && post.seq_number == before.seq_number {
            // With its former position, a post that moves would go to the end of the board.
            post.seq_number = Position::from_ten_thousandths(post.seq_number.ten_thousandths() + 1);
        }
        let then = carried(ports, organization, &before, &post, now).await?;
        Ok(Decided { first, then, ..post.into() })
    })
    .await
}

/// A roadmap post and its new status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRoadmapStatus {
    /// The post.
    pub post: RoadmapPostId,
    /// The status.
    pub status: StatusId,
}

/// `/roadmap-posts/change-status`
pub async fn change_status(
    ports: &Ports,
    caller: Caller,
    ChangeRoadmapStatus { post, status }: ChangeRoadmapStatus,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let patch = RoadmapPostPatch { status_id: Some(status), ..RoadmapPostPatch::default() };
    let patch = PatchPlaced { patch, place: None };
    update(ports, caller, Update::new(post, patch), repeat).await
}

/// Puts a post at its place, if one is given. Returns the steps of the posts that make room.
async fn put(
    ports: &Ports,
    organization: OrganizationId,
    post: &mut RoadmapPost,
    place: Option<i64>,
    now: Time,
) -> Result<Vec<Step>, Error> {
    let Some(place) = place else { return Ok(vec![]) };
    let position = Position::of_place(place);
    let parent = Parent::Record(Kind::RoadmapBoard, post.roadmap_board_id.0);
    let mut siblings = ports.records.siblings(organization, Kind::RoadmapPost, parent).await?;
    siblings.retain(|id| *id != post.id.0);
    let keys: Vec<Key> = siblings.into_iter().map(|id| (Kind::RoadmapPost, id)).collect();
    let known = ports.records.load(organization, keys.clone()).await?;
    let others: Vec<_> = keys.iter().filter_map(|key| known.get(*key)).collect();
    let positions: Vec<Position> = others.iter().filter_map(|other| other.position()).collect();
    post.seq_number = position;
    let moved = make_room(position, &positions).into_iter().map(|(index, position)| {
        let mut after = others[index].clone();
        after.put_at(position);
        Step::edit_record(others[index].clone(), after, now)
    });
    Ok(moved.collect())
}

/// The steps that carry the new status of a roadmap post to the linked posts that follow it.
async fn carried(
    ports: &Ports,
    organization: OrganizationId,
    before: &RoadmapPost,
    after: &RoadmapPost,
    now: Time,
) -> Result<Vec<Step>, Error> {
    if before.status_id == after.status_id {
        return Ok(vec![]);
    }
    let links = ports.roadmap_posts.links(organization, after.id).await?;
    let followers = links.iter().filter(|link| link.sync_status);
    let keys = followers.map(|link| (Kind::FeedbackPost, link.feedback_post_id.0)).collect();
    let known = ports.records.load(organization, keys).await?;
    let open = links.iter().filter(|link| link.sync_status).filter_map(|link| {
        let post: &FeedbackPost = known.active(link.feedback_post_id)?;
        post.merged_into_id.is_none().then_some(post)
    });
    let carry = |post: &FeedbackPost| {
        Step::edit(post.clone(), FeedbackPost { status_id: after.status_id, ..post.clone() }, now)
    };
    Ok(open.map(carry).collect())
}

/// A roadmap post, and feedback posts to link to it or to unlink from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPosts {
    /// The roadmap post.
    pub post: RoadmapPostId,
    /// The feedback posts.
    pub feedback_post_ids: Vec<PostId>,
    /// Whether the feedback posts get the status of the roadmap post when that changes.
    pub sync_status: bool,
}

/// `/roadmap-posts/link`: links feedback posts, and sets whether linked ones follow the status.
pub async fn link(
    ports: &Ports,
    caller: Caller,
    input: LinkPosts,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_links(ports, caller, &input, repeat, |link, feedback, now| {
        Some(match link {
            Some(link) => {
                let after = RoadmapLink { sync_status: input.sync_status, ..link.clone() };
                Step::edit(link, after, now)
            }
            None => Step::make(linked(ports, input.post, feedback, input.sync_status, now)),
        })
    })
    .await
}

/// `/roadmap-posts/unlink`
pub async fn unlink(
    ports: &Ports,
    caller: Caller,
    input: LinkPosts,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_links(ports, caller, &input, repeat, |link, _, _| link.map(Step::remove)).await
}

async fn edit_links(
    ports: &Ports,
    caller: Caller,
    LinkPosts { post, feedback_post_ids, .. }: &LinkPosts,
    repeat: Option<Repeat>,
    step: impl Fn(Option<RoadmapLink>, PostId, Time) -> Option<Step>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::RoadmapPost)?;
    let (step, repeat) = (&step, repeat.as_ref());
    once(ports, organization, (Kind::RoadmapPost, post.0), repeat, |_| async move {
        write::find::<RoadmapPost>(ports, caller, *post).await?;
        all_known(ports, organization, "feedback_post_ids", feedback_post_ids).await?;
        let links = ports.roadmap_posts.links(organization, *post).await?;
        let at = ports.clock.now();
        let of = |feedback: &PostId| {
            let link = links.iter().find(|link| link.feedback_post_id == *feedback).cloned();
            step(link, *feedback, at)
        };
        let steps = feedback_post_ids.iter().filter_map(of).collect();
        Changing::new(ports, caller, repeat, at).record(steps, WriteResult::Success, given).await
    })
    .await
}

fn linked(
    ports: &Ports,
    roadmap_post_id: RoadmapPostId,
    feedback_post_id: PostId,
    sync_status: bool,
    created_at: Time,
) -> RoadmapLink {
    let id = ports.ids.fresh().into();
    RoadmapLink { id, roadmap_post_id, feedback_post_id, sync_status, created_at }
}

/// Refuses feedback posts that the organization does not have.
pub(crate) async fn all_known(
    ports: &Ports,
    organization: OrganizationId,
    member: &'static str,
    ids: &[PostId],
) -> Result<(), Error> {
    let keys: Vec<Key> = ids.iter().map(|id| (Kind::FeedbackPost, id.0)).collect();
    let known: Known = ports.records.load(organization, keys.clone()).await?;
    match keys.iter().all(|key| known.is_active(*key)) {
        true => Ok(()),
        false => Err(Error::Refused(Precondition::UnknownOf(member))),
    }
}
