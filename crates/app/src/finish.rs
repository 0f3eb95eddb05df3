//! The background step that finishes changes of many records, which are made in parts.

use crate::Caller;
use crate::backlog::{Progress, Round, StepError};
use crate::feedback_posts::{index_titles, move_votes};
use crate::write;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Step;
use hearback_ports::backlog::Task;
use hearback_ports::{Ports, Recorded};
use std::time::Duration;

/// Makes a part of each follow-up, and moves votes of merges. More may be left if it did anything.
pub async fn finish_changes(ports: &Ports) -> Progress {
    let mut round = Round::new(ports, Task::FollowUps);
    while let Some(organization) = round.next().await {
        let done = make_part(ports, organization).await;
        let done = round.keep(done);
        round.progress.done += done.unwrap_or_default();
    }
    let mut progress = round.progress;
    progress.add(move_votes(ports).await);
    progress.add(index_titles(ports).await);
    progress
}

/// Makes the follow-ups of an organization as far as there is time, so that a change of few records
/// is whole when its caller hears of it. The background step makes what is left.
pub(crate) async fn follow(ports: &Ports, organization: OrganizationId) {
    let deadline = ports.clock.elapsed() + PATIENCE;
    while let Ok(1..) = make_part(ports, organization).await
        && ports.clock.elapsed() < deadline
    {}
}

/// The time for which a request waits for the changes that follow from it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Changes up to [`BATCH`] records of each kind, with their events. Returns their number.
async fn make_part(ports: &Ports, organization: OrganizationId) -> Result<usize, StepError> {
    let next = ports.records.next_follow_up(organization, BATCH).await?;
    let Some((follow_up, keys)) = next else { return Ok(0) };
    let known = ports.records.load(organization, keys.clone()).await?;
    let at = ports.clock.now();
    let found = keys.into_iter().filter_map(|key| known.get(key));
    let edit =
        |before: &_| Step::edit_record(Clone::clone(before), follow_up.edit(before.clone()), at);
    let steps: Vec<Step> = found.map(edit).collect();
    let count = steps.len();
    // If a record changes meanwhile, the next round finds all of them again.
    let caller = Caller::background(organization).doing(ACTION);
    let recorded = write::change(ports, caller, steps, at).await?;
    Ok(if recorded == Recorded::Done { count } else { 0 })
}

/// The name of the step in the audit log.
const ACTION: &str = "finish-changes";

/// The most records of a kind that change in one transaction.
const BATCH: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{id, post};
    use hearback_domain::event::EventType;
    use hearback_domain::feedback_post::FeedbackPost;
    use hearback_domain::follow_up::FollowUp;
    use hearback_domain::id::TagId;
    use hearback_domain::record::{Kind, Known, OfKind};
    use hearback_domain::{Time, Uuid};
    use hearback_ports::StoreError;
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn tagged(n: u128, tag_ids: Vec<TagId>) -> FeedbackPost {
        FeedbackPost { id: id(n), tag_ids, ..post() }
    }

    /// Mocks of a store whose only organization has deleted the tag 7.
    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MAX);
        mocks.ids.expect_fresh().return_const(Uuid::nil());
        mocks.backlog.expect_organizations().returning(|task, _, after, _| {
            assert_eq!(task, Task::FollowUps);
            Ok(if after.is_none() { vec![ACME] } else { vec![] })
        });
        mocks.feedback_posts.expect_move_votes().returning(|| Ok(0));
        mocks.feedback_posts.expect_index_titles().returning(|| Ok(0));
        mocks.records.expect_next_follow_up().returning(|_, _| {
            let follow_up = FollowUp::Replace { key: (Kind::Tag, id(7)), by: None };
            Ok(Some((follow_up, [5, 6, 99].map(|n| (Kind::FeedbackPost, id(n))).to_vec())))
        });
        let posts = [tagged(5, vec![id(7), id(9)]), tagged(6, vec![id(7)])];
        let known = Known::new(posts.map(OfKind::into_record));
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        mocks
    }

    #[tokio::test]
    async fn the_records_of_a_follow_up_change_together_with_their_events() {
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
                    && change.events.len() == 2
                    && change
                        .events
                        .iter()
                        .all(|it| it.what.event_type() == EventType::PostTagRemoved)
            })
            .returning(|_, _| Ok(Recorded::Done));
        let progress = finish_changes(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (2, 0));
    }

    #[tokio::test]
    async fn a_change_that_is_not_recorded_is_left_to_a_later_round() {
        for (recorded, failures) in [(Ok(Recorded::Stale), 0), (Err(StoreError::Busy), 1)] {
            let mut mocks = mocks();
            let mut recorded = Some(recorded);
            mocks.records.expect_apply().once().returning(move |_, _| recorded.take().unwrap());
            let progress = finish_changes(&mocks.ports()).await;
            assert_eq!((progress.done, progress.failures.len()), (0, failures));
        }
    }
}
