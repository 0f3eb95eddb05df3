//! Stored counts: `hearback recount`, and the background steps that count votes and days.

use crate::backlog::{Progress, Round};
use crate::organizations::{self, OrganizationError};
use crate::{Caller, Error};
use futures_util::future::BoxFuture;
use hearback_domain::daily_count::{DailyCounts, Day};
use hearback_domain::feedback_post::RECENT_MILLIS;
use hearback_domain::help_article::ArticleAnswers;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Kind;
use hearback_ports::backlog::Task;
use hearback_ports::{Ports, StoreError};

/// Mends the counts of an organization, or of all. Returns the number of records that had wrong
/// ones.
pub async fn recount(ports: &Ports, slug: Option<&str>) -> Result<u64, OrganizationError> {
    let organizations = match slug {
        Some(slug) => vec![organizations::find(ports, slug).await?],
        None => organizations::list(ports).await?,
    };
    let mut mended = 0;
    for organization in organizations {
        mended += ports.counts.recount(organization.id).await?;
    }
    Ok(mended)
}

/// Sums the spend on posts of each organization that has some due. More may be due if it did
/// anything.
pub async fn sum_spends(ports: &Ports) -> Progress {
    let mut round = Round::new(ports, Task::SumSpends);
    while let Some(organization) = round.next().await {
        let summed = ports.counts.sum_spends(organization, PART).await;
        let summed = round.keep(summed.map_err(Into::into));
        round.progress.done += summed.unwrap_or_default() as usize;
    }
    round.progress
}

/// The most posts of an organization whose spend is summed in one transaction.
const PART: i64 = 100;

/// The numbers of the days from `from` to `until`, both included, as they were counted last.
pub async fn days(
    ports: &Ports,
    caller: Caller,
    from: Day,
    until: Day,
) -> Result<DailyCounts, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    Ok(ports.counts.days(organization, from, until).await?)
}

/// Up to `limit` searches of the help center that have found nothing on the days from `from` to
/// `until`, both included, with their numbers: the greatest first.
pub async fn misses(
    ports: &Ports,
    caller: Caller,
    (from, until): (Day, Day),
    limit: i64,
) -> Result<Vec<(String, i64)>, Error> {
    let organization = caller.view(Kind::HelpArticle)?;
    Ok(ports.counts.misses(organization, from, until, limit).await?)
}

/// Up to `limit` articles of the help center that have answers of readers: those that helped the
/// least first.
pub async fn answers(
    ports: &Ports,
    caller: Caller,
    limit: i64,
) -> Result<Vec<ArticleAnswers>, Error> {
    let organization = caller.view(Kind::HelpArticle)?;
    Ok(ports.counts.answers(organization, limit).await?)
}

/// Counts the recent votes of the posts of each organization.
pub async fn refresh_trends(ports: &Ports) -> Progress {
    each(ports, |organization| {
        let since = ports.clock.now().plus_millis(-RECENT_MILLIS);
        ports.counts.refresh_trends(organization, since)
    })
    .await
}

/// Counts the records of each day of each organization.
pub async fn refresh_days(ports: &Ports) -> Progress {
    each(ports, |organization| ports.counts.refresh_days(organization)).await
}

/// Counts something of each organization. The next round is due after a pause, also if numbers have
/// changed. So none of this counts as done.
async fn each<'a>(
    ports: &'a Ports,
    count: impl Fn(OrganizationId) -> BoxFuture<'a, Result<u64, StoreError>>,
) -> Progress {
    let mut progress = Progress::default();
    match ports.organizations.list().await {
        Ok(organizations) => {
            for organization in organizations {
                let counted = count(organization.id).await;
                progress.failures.extend(counted.err().map(Into::into));
            }
        }
        Err(failure) => progress.failures.push(failure.into()),
    }
    progress
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Denied, Who};
    use hearback_domain::organization::{HelpCenter, Organization};
    use hearback_domain::plan::Plan;
    use hearback_domain::portal::PortalSettings;
    use hearback_domain::slug::Slug;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const OTHER: OrganizationId = OrganizationId(Uuid::from_u128(2));

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().returning(|| Time::parse("2026-03-31T00:00:00Z").unwrap());
        let of = |id| Organization {
            id,
            name: String::new(),
            slug: Slug::parse("acme").unwrap(),
            help_center: HelpCenter::Enabled,
            events_ledger: false,
            portal: PortalSettings::default(),
            created_at: Time::MIN,
        };
        mocks.organizations.expect_list().returning(move || Ok(vec![of(ACME), of(OTHER)]));
        mocks
    }

    #[tokio::test]
    async fn a_failure_of_one_organization_holds_up_no_other_and_nothing_counts_as_done() {
        let mut mocks = mocks();
        mocks.counts.expect_refresh_trends().times(2).returning(|organization, since| {
            assert_eq!(since, Time::parse("2026-03-01T00:00:00Z").unwrap());
            if organization == ACME { Err(StoreError::Busy) } else { Ok(3) }
        });
        let progress = refresh_trends(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (0, 1));
    }

    #[tokio::test]
    async fn all_organizations_are_counted_unless_one_is_named() {
        let mut mocks = mocks();
        mocks.counts.expect_recount().times(2).returning(|_| Ok(2));
        assert_eq!(recount(&mocks.ports(), None).await.unwrap(), 4);
        let mut mocks = Mocks::default();
        mocks.organizations.expect_find_by_slug().returning(|_| Ok(None));
        let unknown = recount(&mocks.ports(), Some("acme")).await;
        assert!(matches!(unknown, Err(OrganizationError::Unknown(_))));
    }

    #[tokio::test]
    async fn figures_of_the_help_center_need_the_plan_that_has_it() {
        let mut mocks = Mocks::default();
        mocks.counts.expect_misses().once().returning(|_, from, until, limit| {
            assert_eq!((from, until, limit), (Day(1), Day(2), 3));
            Ok(vec![("vpn".to_owned(), 7)])
        });
        mocks.counts.expect_answers().once().returning(|_, _| Ok(vec![]));
        let ports = mocks.ports();
        for help_center in [HelpCenter::Enabled, HelpCenter::Disabled] {
            let caller = Caller::new(ACME, Plan { help_center }, Who::Key);
            let found = misses(&ports, caller, (Day(1), Day(2)), 3).await;
            let answered = answers(&ports, caller, 3).await;
            match help_center.is_enabled() {
                true => {
                    assert_eq!(found.unwrap(), [("vpn".to_owned(), 7)]);
                    assert_eq!(answered.unwrap(), []);
                }
                false => {
                    assert!(matches!(found, Err(Error::Denied(Denied::Feature(_)))));
                    assert!(matches!(answered, Err(Error::Denied(Denied::Feature(_)))));
                }
            }
        }
    }
}
