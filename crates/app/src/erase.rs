//! The background step that erases what was deleted long ago.

use crate::Caller;
use crate::audit::{self, Remark};
use crate::backlog::{Progress, Round, StepError};
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::one_person::Traces;
use hearback_domain::record::{Kind, Step};
use hearback_ports::backlog::Task;
use hearback_ports::{Change, Ports, Recorded};

/// Erases a part of what each organization deleted longer ago than it can be restored. More may be
/// left if it did anything.
pub async fn erase_deleted(ports: &Ports) -> Progress {
    let age = ports.erase_after.erased_at_age();
    let mut round = Round::of_what_is_kept(ports, Task::EraseDeleted, age);
    while let Some(organization) = round.next().await {
        let erased = erase_part(ports, organization, age).await;
        let erased = round.keep(erased);
        round.progress.done += erased.unwrap_or_default();
    }
    round.progress
}

/// Erases up to [`BATCH`] records in one change. It has no events: subscribers have heard of the
/// deletion. Returns the number of records.
async fn erase_part(
    ports: &Ports,
    organization: OrganizationId,
    age: i64,
) -> Result<usize, StepError> {
    let at = ports.clock.now();
    let keys = ports.records.erasable(organization, at.plus_millis(-age), BATCH).await?;
    let known = ports.records.load(organization, keys.clone()).await?;
    let found = keys.into_iter().filter_map(|key| known.get(key).cloned());
    let steps: Vec<Step> =
        found.map(|record| record.erase(at)).filter(|step| !step.is_empty()).collect();
    if steps.is_empty() {
        return Ok(0);
    }
    let people = steps.iter().filter_map(Step::erased).filter(|(kind, _)| *kind == Kind::User);
    let forget = |(_, id)| FollowUp::Erase { user: UserId(id), traces: Traces::Anonymize };
    let follow_ups =
        people.map(forget).chain(steps.iter().filter_map(FollowUp::of_spend)).collect();
    // Votes, subscriptions and links are removed without entries of their own.
    let told: Vec<Step> = steps.iter().filter(|it| it.erased().is_some()).cloned().collect();
    let count = steps.len();
    let caller = Caller::background(organization).doing(ACTION);
    let change = Change {
        follow_ups,
        audit: audit::entries(ports, caller, &told, &Remark::default(), at),
        steps,
        ..Change::at(at)
    };
    // If another server is faster, the next round finds what is left.
    let recorded = ports.records.apply(organization, change).await?;
    Ok(if recorded == Recorded::Done { count } else { 0 })
}

/// The name of the step in the audit log.
const ACTION: &str = "erase-deleted";

/// The most records that are erased in one transaction.
const BATCH: i64 = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{id, post};
    use hearback_domain::feedback_post::FeedbackPost;
    use hearback_domain::person::{Email, Handle};
    use hearback_domain::record::{Known, OfKind, Record};
    use hearback_domain::subscription::{Level, Subscription};
    use hearback_domain::user::User;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    /// Mocks of a store that has these records to erase.
    fn mocks(records: Vec<Record>) -> Mocks {
        let now = Time::parse("2026-06-01T12:00:00Z").unwrap();
        let before = Time::parse("2026-05-02T11:59:00Z").unwrap();
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(now);
        mocks.ids.expect_fresh().return_const(Uuid::nil());
        mocks.backlog.expect_organizations().returning(move |task, deleted_before, after, _| {
            assert_eq!((task, deleted_before), (Task::EraseDeleted, before));
            Ok(if after.is_none() { vec![ACME] } else { vec![] })
        });
        let keys = Vec::from_iter(records.iter().map(Record::key));
        mocks
            .records
            .expect_erasable()
            .once()
            .withf(move |of, deleted_before, _| *of == ACME && *deleted_before == before)
            .returning(move |_, _, _| Ok(keys.clone()));
        let known = Known::new(records);
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        mocks
    }

    fn deleted() -> Record {
        FeedbackPost { is_active: false, ..post() }.into_record()
    }

    #[tokio::test]
    async fn what_was_deleted_over_30_days_and_a_minute_ago_is_erased_without_events() {
        let subscription = Subscription {
            id: id(8),
            feedback_post_id: id(3),
            user_id: id(5),
            level: Level::All,
            created_at: Time::MIN,
        };
        let mut mocks = mocks(vec![deleted(), subscription.into_record()]);
        mocks
            .records
            .expect_apply()
            .once()
            .withf(|_, change| {
                let [Step::Edit { after, .. }, Step::Remove(_)] = &*change.steps else {
                    return false;
                };
                let [entry] = &*change.audit else { return false };
                after.is_erased()
                    && (entry.target, &*entry.data) == (after.key(), "{}")
                    && (&*entry.action, entry.actor_id) == ("erase-deleted", None)
                    && change.events.is_empty()
                    && change.follow_ups.is_empty()
            })
            .returning(|_, _| Ok(Recorded::Done));
        let progress = erase_deleted(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (2, 0));
    }

    #[tokio::test]
    async fn the_events_of_a_deleted_user_are_erased_too() {
        let person = Handle::Email(Email::parse("ada@example.com").unwrap());
        let person = person.user(None, id(7), id(5), Time::MIN);
        let mut mocks = mocks(vec![User { is_active: false, ..person }.into_record()]);
        let user = UserId(id(5));
        mocks
            .records
            .expect_apply()
            .once()
            .withf(move |_, change| {
                change.follow_ups == [FollowUp::Erase { user, traces: Traces::Anonymize }]
            })
            .returning(|_, _| Ok(Recorded::Done));
        let progress = erase_deleted(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (1, 0));
    }

    #[tokio::test]
    async fn what_another_server_erases_meanwhile_is_no_progress() {
        let mut mocks = mocks(vec![deleted()]);
        mocks.records.expect_apply().once().returning(|_, _| Ok(Recorded::Stale));
        let progress = erase_deleted(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (0, 0));
    }
}
