//! The background step that finishes changes of many records, which are made in parts.

use crate::Caller;
use crate::backlog::{Progress, Round, StepError};
use crate::counts::sum_spends;
use crate::feedback_posts::{index_posts, move_votes};
use crate::write;
use hearback_domain::Time;
use hearback_domain::follow_up::{FollowUp, Twin};
use hearback_domain::id::OrganizationId;
use hearback_domain::record::{Key, OfKind, Record, Step};
use hearback_ports::backlog::Task;
use hearback_ports::page::{Limit, PageRequest};
use hearback_ports::{Ports, Recorded, StoreError, VoteFilter};
use std::collections::BTreeSet;
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
    progress.add(index_posts(ports).await);
    progress.add(sum_spends(ports).await);
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
    if keys.is_empty() {
        // The store itself has made this part.
        return Ok(1);
    }
    let at = ports.clock.now();
    let steps = steps(ports, organization, follow_up, keys, at).await?;
    let count = steps.len();
    // What takes the place of another record may have been deleted since.
    let mut waived = Vec::from_iter(follow_up.replacement());
    if !waived.is_empty() {
        let known = ports.records.load(organization, waived.clone()).await?;
        waived.retain(|key| !known.is_active(*key));
    }
    // If a record changes meanwhile, the next round finds all of them again.
    let caller = Caller::at_work(ports, organization).await?.doing(ACTION);
    let follow_ups = steps.iter().filter_map(|step| follow_up.of_step(step)).collect();
    let recorded = write::change(ports, caller, steps, follow_ups, waived, at).await?;
    Ok(if recorded == Recorded::Done { count } else { 0 })
}

/// The steps of the first part of a follow-up, for the change that it follows from. So readers see a
/// change of few records at once.
pub(crate) async fn first_steps(
    ports: &Ports,
    organization: OrganizationId,
    follow_up: FollowUp,
    at: Time,
) -> Result<Vec<Step>, StoreError> {
    let keys = ports.records.affected(organization, follow_up, BATCH).await?;
    steps(ports, organization, follow_up, keys, at).await
}

/// The steps that a follow-up takes with records. None of them changes a record twice: what is left
/// out is found again.
async fn steps(
    ports: &Ports,
    organization: OrganizationId,
    follow_up: FollowUp,
    keys: Vec<Key>,
    at: Time,
) -> Result<Vec<Step>, StoreError> {
    let known = ports.records.load(organization, keys.clone()).await?;
    let (mut all, mut changed) = (Vec::new(), BTreeSet::new());
    for record in keys.into_iter().filter_map(|key| known.get(key)) {
        let twin = match follow_up.twin_of(record) {
            Some(twin) => find(ports, organization, twin).await?,
            None => None,
        };
        let steps = follow_up.steps(record, twin.as_ref(), at);
        let keys = || steps.iter().filter_map(Step::before).map(Record::key);
        if keys().all(|key| !changed.contains(&key)) {
            changed.extend(keys());
            all.extend(steps);
        }
    }
    Ok(all)
}

async fn find(
    ports: &Ports,
    organization: OrganizationId,
    twin: Twin,
) -> Result<Option<Record>, StoreError> {
    Ok(match twin {
        Twin::Vote(target, user) => {
            let filter =
                VoteFilter { user_id: Some(user), target: Some(target), ..VoteFilter::default() };
            let page = PageRequest { after: None, limit: Limit::DEFAULT };
            let found = ports.votes.page(organization, filter, page).await?;
            found.items.into_iter().next().map(OfKind::into_record)
        }
        Twin::Subscription(post, user) => {
            let found = ports.subscriptions.find(organization, post, user).await?;
            found.map(OfKind::into_record)
        }
    })
}

/// The name of the step in the audit log.
const ACTION: &str = "finish-changes";

/// The most records of a kind that change in one transaction.
const BATCH: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{id, post};
    use hearback_domain::Uuid;
    use hearback_domain::event::EventType;
    use hearback_domain::feedback_post::FeedbackPost;
    use hearback_domain::id::{TagId, UserId};
    use hearback_domain::one_person::Traces;
    use hearback_domain::person::Handle;
    use hearback_domain::record::{Kind, Known, OfKind};
    use hearback_domain::text::Text;
    use hearback_domain::user::User;
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
            let waits = after.is_none() && task == Task::FollowUps;
            Ok(if waits { vec![ACME] } else { vec![] })
        });
        mocks.feedback_posts.expect_move_votes().returning(|| Ok(0));
        mocks.feedback_posts.expect_index_posts().returning(|| Ok(0));
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
    async fn a_part_that_the_store_has_made_itself_is_progress() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MAX);
        mocks.backlog.expect_organizations().returning(|task, _, after, _| {
            let waits = after.is_none() && task == Task::FollowUps;
            Ok(if waits { vec![ACME] } else { vec![] })
        });
        mocks.feedback_posts.expect_move_votes().returning(|| Ok(0));
        mocks.feedback_posts.expect_index_posts().returning(|| Ok(0));
        mocks.records.expect_next_follow_up().returning(|_, _| {
            let follow_up = FollowUp::Erase { user: id(7), traces: Traces::Anonymize };
            Ok(Some((follow_up, vec![])))
        });
        let progress = finish_changes(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (1, 0));
    }

    #[tokio::test]
    async fn a_user_who_takes_the_place_of_another_one_may_be_deleted_meanwhile() {
        for is_active in [true, false] {
            let mut mocks = mocks();
            mocks.records.checkpoint();
            let (gone, stays): (UserId, UserId) = (id(3), id(8));
            mocks.records.expect_next_follow_up().returning(move |_, _| {
                let follow_up = FollowUp::Replace { key: (Kind::User, gone.0), by: Some(stays.0) };
                // A record that is found by two members changes once.
                Ok(Some((follow_up, vec![(Kind::FeedbackPost, id(5)); 2])))
            });
            let user = Handle::ExternalId(Text::parse("crm-7").unwrap());
            let user = user.user(None, id(9), stays, Time::MIN);
            let user = User { is_active, ..user };
            let post = FeedbackPost { author_id: gone, ..tagged(5, vec![]) };
            let known = Known::new([post.into_record(), user.into_record()]);
            mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
            mocks
                .records
                .expect_apply()
                .once()
                .withf(move |_, change| {
                    let needs = [(Kind::User, stays.0)];
                    let needs = if is_active { &needs[..] } else { &[] };
                    change.steps.len() == 1 && change.needs == needs
                })
                .returning(|_, _| Ok(Recorded::Done));
            let progress = finish_changes(&mocks.ports()).await;
            assert_eq!((progress.done, progress.failures.len()), (1, 0));
        }
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
