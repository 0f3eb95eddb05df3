//! `/tags/…`

use crate::backlog::{Progress, Round, StepError};
use crate::once::{Outcome, Repeat};
use crate::write::{self, Update};
use crate::{Caller, Error};
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{OrganizationId, PostId, TagId};
use hearback_domain::record::{Kind, Step};
use hearback_domain::tag::{Tag, TagDraft, TagPatch};
use hearback_ports::backlog::Task;
use hearback_ports::{Ports, Recorded};
use std::collections::BTreeMap;

/// `/tags/list`: the active ones, by name.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Tag>, Error> {
    let organization = caller.view(Kind::Tag)?;
    Ok(ports.whole_lists.tags(organization).await?)
}

/// `/tags/retrieve`: an active one.
pub async fn retrieve(ports: &Ports, caller: Caller, id: TagId) -> Result<Tag, Error> {
    write::find(ports, caller, id).await
}

/// `/tags/create`
pub async fn create(
    ports: &Ports,
    caller: Caller,
    draft: TagDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::make_named(ports, caller, draft.code(), repeat, |id, code, now| {
        draft.clone().create(id.into(), code, now)
    })
    .await
}

/// The input of [`update`].
pub type UpdateTag = Update<TagId, TagPatch>;

/// `/tags/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateTag,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::update(ports, caller, update, repeat, TagPatch::edit).await
}

/// `/tags/delete`: posts no longer show the tag. [`remove_deleted_tags`] removes it from them.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    id: TagId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |tag| Ok(Tag { is_active: false, ..tag })).await
}

/// Removes deleted tags from a batch of the posts of each organization, with an event each. More
/// posts may have one if it did anything.
pub async fn remove_deleted_tags(ports: &Ports) -> Progress {
    let mut round = Round::new(ports, Task::RemoveTags);
    while let Some(organization) = round.next().await {
        let result = remove_of(ports, organization, &mut round.progress).await;
        round.keep(result);
    }
    round.progress
}

async fn remove_of(
    ports: &Ports,
    organization: OrganizationId,
    progress: &mut Progress,
) -> Result<(), StepError> {
    let mut gone = BTreeMap::<PostId, Vec<TagId>>::new();
    for (tag, post) in ports.records.tag_removals(organization, BATCH).await? {
        gone.entry(post).or_default().push(tag);
    }
    let keys = gone.keys().map(|post| (Kind::FeedbackPost, post.0)).collect();
    let known = ports.records.load(organization, keys).await?;
    let at = ports.clock.now();
    let untag = |(id, gone): (&PostId, &Vec<TagId>)| {
        let before: &FeedbackPost = known.any(*id)?;
        let mut after = before.clone();
        after.tag_ids.retain(|tag| !gone.contains(tag));
        Some(Step::edit(before.clone(), after, at))
    };
    let steps: Vec<Step> = gone.iter().filter_map(untag).collect();
    let count = steps.len();
    // If a post changes meanwhile, the next round finds all of them again.
    if write::change(ports, organization, steps, at).await? == Recorded::Done {
        progress.done += count;
    }
    Ok(())
}

/// The most tags that are removed from posts of an organization in one transaction.
const BATCH: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{id, post};
    use hearback_domain::event::EventType;
    use hearback_domain::record::{Known, OfKind};
    use hearback_domain::{Time, Uuid};
    use hearback_ports::StoreError;
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn tagged(n: u128, tag_ids: Vec<TagId>) -> FeedbackPost {
        FeedbackPost { id: id(n), tag_ids, ..post() }
    }

    /// Mocks of a store whose only organization has deleted the tags 7 and 8.
    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MAX);
        mocks.ids.expect_fresh().return_const(Uuid::nil());
        mocks.backlog.expect_organizations().returning(|task, _, after, _| {
            assert_eq!(task, Task::RemoveTags);
            Ok(if after.is_none() { vec![ACME] } else { vec![] })
        });
        mocks.records.expect_tag_removals().returning(|_, _| {
            Ok(vec![(id(7), id(5)), (id(7), id(6)), (id(8), id(5)), (id(8), id(99))])
        });
        let posts = [tagged(5, vec![id(7), id(9), id(8)]), tagged(6, vec![id(7)])];
        let known = Known::new(posts.map(OfKind::into_record));
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        mocks
    }

    #[tokio::test]
    async fn posts_lose_all_deleted_tags_in_one_change_with_their_events() {
        let mut mocks = mocks();
        mocks.alarm.expect_ring().once().return_const(());
        mocks
            .records
            .expect_apply()
            .once()
            .withf(|of, change| {
                let after = change.steps.iter().filter_map(Step::after);
                let after: Vec<_> = after.filter_map(FeedbackPost::of_record).collect();
                let tags: Vec<_> = after.iter().map(|post| (post.id, &*post.tag_ids)).collect();
                *of == ACME
                    && tags == [(id(5), &[id(9)][..]), (id(6), &[])]
                    && after.iter().all(|post| post.updated_at == Time::MAX)
                    && change.events.len() == 3
                    && change
                        .events
                        .iter()
                        .all(|it| it.what.event_type() == EventType::PostTagRemoved)
            })
            .returning(|_, _| Ok(Recorded::Done));
        let progress = remove_deleted_tags(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (2, 0));
    }

    #[tokio::test]
    async fn a_change_that_is_not_recorded_is_left_to_a_later_round() {
        for (recorded, failures) in [(Ok(Recorded::Stale), 0), (Err(StoreError::Busy), 1)] {
            let mut mocks = mocks();
            let mut recorded = Some(recorded);
            mocks.records.expect_apply().once().returning(move |_, _| recorded.take().unwrap());
            let progress = remove_deleted_tags(&mocks.ports()).await;
            assert_eq!((progress.done, progress.failures.len()), (0, failures));
        }
    }
}
