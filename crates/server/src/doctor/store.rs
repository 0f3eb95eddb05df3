//! Whether the store is usable: its state, its schema, its clock, the fit of the master key, its
//! secrets and webhooks.

use super::skipped;
use crate::alarm::ProcessAlarm;
use crate::clock::SystemClock;
use crate::config::{Config, Reading};
use crate::data_dir::{is_same, parent};
use crate::error::chain;
use crate::ids::UuidIds;
use crate::master_key::{MasterKeyError, MasterKeySource, UnlockError};
use crate::settings::{DATA_DIR, DATABASE_URL, MASTER_KEY, READ_DATABASE_URL};
use crate::store::{PostgresUrl, Store, StoreUrl};
use hearback_app::Vault;
use hearback_app::examination::{OrganizationReport, reports};
use hearback_domain::Time;
use hearback_ports::examination::{Finding, StoreTime};
use hearback_ports::schema::SchemaState;
use hearback_ports::{Clock, Ports, StoreError};
use hearback_store_postgres::Unfit;
use std::path::Path;
use std::sync::Arc;

pub(super) async fn examine(reading: &Reading) -> Vec<Finding> {
    if let Some(finding) = skipped(
        reading,
        "store, master key and webhooks in it",
        &[DATABASE_URL.name, DATA_DIR.name],
    ) {
        return vec![finding];
    }
    let config = &reading.config;
    if let StoreUrl::Sqlite(path) = &config.store
        && matches!(path.try_exists(), Ok(false))
    {
        return vec![missing(path, config)];
    }
    match Store::open_existing(&config.store, config.connections()).await {
        Ok(store) => {
            let findings = opened(&store, reading).await;
            store.close().await;
            findings
        }
        Err(error) => vec![unreachable(&config.store, &chain(&error))],
    }
}

/// The first start makes the store, and the data directory if the store is in it.
fn missing(path: &Path, config: &Config) -> Finding {
    let (store, directory) = (&config.store, parent(path));
    if directory.is_dir() || is_same(directory, &config.data_dir) {
        return Finding::good(format!(
            "the store {store} does not exist yet: the first start makes it"
        ));
    }
    Finding::problem(
        format!("the store {store} and its directory do not exist"),
        format!("make the directory {}, or correct DATABASE_URL", directory.display()),
    )
}

fn unreachable(store: &StoreUrl, error: &str) -> Finding {
    let remedy = match store {
        StoreUrl::Sqlite(_) => {
            "set DATABASE_URL to the database, and give the file to the user that runs hearback"
        }
        StoreUrl::Postgres(_) => {
            "check that PostgreSQL runs there, that the database exists, and that DATABASE_URL \
             has the right user and password"
        }
    };
    Finding::problem(format!("the store {store} cannot be opened: {error}"), remedy)
}

async fn opened(store: &Store, reading: &Reading) -> Vec<Finding> {
    let mut findings =
        vec![Finding::good(format!("the store {} can be opened", reading.config.store))];
    findings
        .extend(store.examination().examine().await.unwrap_or_else(|error| vec![failed(&error)]));
    if let Some(replica) =
        reading.config.replica.as_ref().filter(|_| !reading.is_wrong(READ_DATABASE_URL.name))
    {
        findings.push(replica_found(replica, store.examine_replica(replica).await));
    }
    findings.push(
        store
            .examination()
            .time()
            .await
            .map_or_else(|error| failed(&error), |time| clock(time, SystemClock.now())),
    );
    let state = match store.schema_state().await {
        Ok(state) => state,
        Err(error) => return [findings, vec![failed(&error)]].concat(),
    };
    findings.push(schema(state));
    if state != SchemaState::Current {
        findings.push(Finding::skipped(
            "master key, secrets and webhooks in the store: its schema is not that of this release",
        ));
        return findings;
    }
    let ports =
        store.ports(Arc::new(SystemClock), Arc::new(UuidIds), Arc::new(ProcessAlarm::default()));
    let (fit, vault) = unlock(reading, &ports).await;
    findings.push(fit);
    match reports(&ports, vault.as_ref()).await {
        Ok(reports) => findings.extend(told(&reports, vault.as_ref())),
        Err(error) => findings.push(failed(&error)),
    }
    findings
}

fn replica_found(replica: &PostgresUrl, examined: Result<(), Unfit>) -> Finding {
    let Err(unfit) = examined else {
        return Finding::good(format!(
            "the replica {replica} is a standby of the database and has replayed its whole log"
        ));
    };
    let told = format!("lists are not read from the replica {replica}: {}", chain(&unfit));
    match unfit {
        Unfit::Address(_) | Unfit::Foreign => Finding::problem(
            told,
            "set HEARBACK_READ_DATABASE_URL to a standby of the database, or unset it",
        ),
        Unfit::Behind { .. } | Unfit::OtherTimeline => Finding::warning(
            told,
            "wait a moment; if it stays behind, check pg_stat_replication on the primary",
        ),
        Unfit::NoStandby | Unfit::SeveralServers => Finding::warning(
            told,
            "set HEARBACK_READ_DATABASE_URL to one standby of the database, or unset it",
        ),
        Unfit::Unreached(_)
        | Unfit::Silent
        | Unfit::Broken
        | Unfit::Failed(_)
        | Unfit::Primary(_) => Finding::warning(
            told,
            "check that it runs there, and that the user of HEARBACK_READ_DATABASE_URL may connect",
        ),
    }
}

fn failed(error: &StoreError) -> Finding {
    let remedy = "read the log of the database; if it is busy, try again";
    Finding::problem(chain(error), remedy)
}

fn schema(state: SchemaState) -> Finding {
    match state {
        SchemaState::Current => Finding::good("the schema is up to date"),
        SchemaState::Old => Finding::warning(
            "the schema is not up to date",
            "copy the database and the master key, then run `hearback migrate` or start the server",
        ),
        SchemaState::Newer => Finding::problem(
            format!("the schema is that of a newer release than {}", env!("CARGO_PKG_VERSION")),
            "use the newer release, or restore a copy of the database from before",
        ),
    }
}

/// The most difference of clocks, in milliseconds. Clocks decide due times, retries and the ends of
/// leases.
const APART: i64 = 2000;

fn clock(time: StoreTime, now: Time) -> Finding {
    let ahead = |time: Time| time.unix_millis() - now.unix_millis();
    let remedy = "synchronize the clocks of all machines by NTP (`timedatectl` shows the state)";
    match time {
        StoreTime::Now(time) if ahead(time).abs() >= APART => {
            let (seconds, direction) =
                (ahead(time).abs() / 1000, if ahead(time) > 0 { "ahead of" } else { "behind" });
            Finding::warning(
                format!("the database's clock is {seconds} seconds {direction} this machine's"),
                remedy,
            )
        }
        StoreTime::Written(time) if ahead(time) >= APART => Finding::warning(
            format!("the clock says {now}, but the database was last written to at {time}"),
            remedy,
        ),
        StoreTime::Now(_) => Finding::good("the database's clock and this machine's agree"),
        StoreTime::Written(_) => Finding::good("the clock is not behind the last write"),
    }
}

/// Whether the master key fits, and the vault if it does.
async fn unlock(reading: &Reading, ports: &Ports) -> (Finding, Option<Vault>) {
    if let Some(finding) = skipped(reading, "fit of the master key", &[MASTER_KEY.name]) {
        return (finding, None);
    }
    // The part about the master key reports why there is no key.
    let Ok(source) = MasterKeySource::new(&reading.config) else {
        return (Finding::skipped("fit of the master key: there is no key"), None);
    };
    match source.reopen(&*ports.instance).await {
        Ok(Some(vault)) => (Finding::good("the master key fits the store"), Some(vault)),
        Ok(None) => {
            (Finding::good("the store has no master key yet: the first start sets it"), None)
        }
        Err(error) => (Finding::problem(chain(&error), misfit(&error)), None),
    }
}

fn misfit(error: &UnlockError) -> &'static str {
    match error {
        UnlockError::MasterKey(MasterKeyError::Read { .. }) => {
            "give the file to the user that runs hearback"
        }
        UnlockError::MasterKey(MasterKeyError::Store(_))
        | UnlockError::Vault(hearback_app::vault::UnlockError::Store(_)) => {
            "read the log of the database; if it is busy, try again"
        }
        _ => {
            "restore the master key that the store was made with from your copy, to its file or \
             to HEARBACK_MASTER_KEY"
        }
    }
}

/// The findings about organizations. `vault` is `None` if secrets were not opened.
fn told(reports: &[OrganizationReport], vault: Option<&Vault>) -> Vec<Finding> {
    let sum = |count: fn(&OrganizationReport) -> usize| reports.iter().map(count).sum::<usize>();
    let mut findings = Vec::new();
    let secrets = sum(|report| report.secrets);
    findings.push(match listed(reports, |report| report.unopened) {
        _ if vault.is_none() => Finding::skipped(format!(
            "API keys and signing secrets: {secrets}, not opened without the master key"
        )),
        None => Finding::good(format!("API keys and signing secrets: {secrets}, and all open")),
        Some(listed) => Finding::problem(
            format!("API keys or signing secrets do not open: {listed}"),
            "restore them from a backup, or replace them: `hearback key rotate`, `hearback \
             webhook rotate-secret`",
        ),
    });
    findings.push(match listed(reports, |report| report.miscounted) {
        None => {
            Finding::good("counts: those of votes, comments, categories and articles are right")
        }
        Some(listed) => Finding::problem(
            format!("counts: those of some records are wrong: {listed}"),
            "run `hearback recount`",
        ),
    });
    let warning = |what, count: fn(&OrganizationReport) -> usize, remedy| {
        listed(reports, count).map(|listed| Finding::warning(format!("{what}: {listed}"), remedy))
    };
    let warnings = [
        warning(
            "webhook subscriptions are not active",
            |report| report.inactive,
            "`hearback webhook list` shows since when, `hearback webhook activate` activates them",
        ),
        warning(
            "webhook subscriptions wait for a new signing secret",
            |report| report.awaiting_rotation,
            "run `hearback webhook rotate-secret`, and give the secret to the receiver",
        ),
        warning(
            "webhook deliveries are overdue by more than a minute",
            |report| report.overdue,
            "check that `hearback serve` runs: it sends them",
        ),
        warning(
            "webhook deliveries were given up in the last day",
            |report| report.failed,
            "`hearback webhook deliveries --state failed --attempts` shows why, `hearback webhook \
             replay` sends them again",
        ),
    ];
    findings.extend(warnings.into_iter().flatten());
    findings.push(Finding::good(format!(
        "organizations: {}, active webhook subscriptions: {}",
        reports.len(),
        sum(|report| report.active)
    )));
    findings
}

/// The organizations with a count above 0, such as `acme 2, beta 1`. `None` if there is none.
fn listed(
    reports: &[OrganizationReport],
    count: impl Fn(&OrganizationReport) -> usize,
) -> Option<String> {
    let those: Vec<String> = reports
        .iter()
        .filter(|report| count(report) > 0)
        .map(|report| format!("{} {}", report.slug, count(report)))
        .collect();
    let more = those.len().saturating_sub(MOST_LISTED);
    let listed = those.get(..MOST_LISTED).unwrap_or(&those).join(", ");
    match (those.len(), more) {
        (0, _) => None,
        (_, 0) => Some(listed),
        (_, more) => Some(format!("{listed}, and {more} more organizations")),
    }
}

/// The most organizations that are named.
const MOST_LISTED: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_app::MasterKey;
    use hearback_domain::slug::Slug;

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    #[test]
    fn clocks_that_differ_are_reported() {
        let now = at("2026-03-01T09:30:00Z");
        let said = |time| clock(time, now).what;
        for agreeing in ["2026-03-01T09:29:58.001Z", "2026-03-01T09:30:01.999Z"] {
            assert_eq!(
                said(StoreTime::Now(at(agreeing))),
                "the database's clock and this machine's agree"
            );
        }
        let behind = said(StoreTime::Now(at("2026-03-01T09:29:58Z")));
        assert_eq!(behind, "the database's clock is 2 seconds behind this machine's");
        let ahead = said(StoreTime::Now(at("2026-03-01T10:30:00Z")));
        assert_eq!(ahead, "the database's clock is 3600 seconds ahead of this machine's");
        assert_eq!(
            said(StoreTime::Written(at("2020-01-01"))),
            "the clock is not behind the last write"
        );
        assert_eq!(
            said(StoreTime::Written(at("2026-03-01T09:30:02Z"))),
            "the clock says 2026-03-01T09:30:00.000Z, but the database was last written to at \
             2026-03-01T09:30:02.000Z"
        );
    }

    fn vault() -> Vault {
        Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
    }

    fn report(slug: &str) -> OrganizationReport {
        OrganizationReport {
            slug: Slug::parse(slug).unwrap(),
            secrets: 2,
            unopened: 0,
            miscounted: 0,
            active: 1,
            inactive: 0,
            awaiting_rotation: 0,
            overdue: 0,
            failed: 0,
        }
    }

    #[test]
    fn organizations_are_reported_by_their_problem() {
        assert_eq!(
            told(&[report("acme"), report("beta")], Some(&vault())),
            [
                Finding::good("API keys and signing secrets: 4, and all open"),
                Finding::good(
                    "counts: those of votes, comments, categories and articles are right"
                ),
                Finding::good("organizations: 2, active webhook subscriptions: 2"),
            ]
        );
        let troubled = OrganizationReport {
            unopened: 1,
            miscounted: 6,
            inactive: 2,
            awaiting_rotation: 3,
            overdue: 4,
            failed: 5,
            ..report("acme")
        };
        let said: Vec<String> = told(&[troubled, report("beta")], Some(&vault()))
            .into_iter()
            .map(|finding| finding.what)
            .collect();
        assert_eq!(
            said,
            [
                "API keys or signing secrets do not open: acme 1",
                "counts: those of some records are wrong: acme 6",
                "webhook subscriptions are not active: acme 2",
                "webhook subscriptions wait for a new signing secret: acme 3",
                "webhook deliveries are overdue by more than a minute: acme 4",
                "webhook deliveries were given up in the last day: acme 5",
                "organizations: 2, active webhook subscriptions: 2",
            ]
        );
        let closed = told(&[report("acme")], None);
        assert_eq!(
            closed[0],
            Finding::skipped("API keys and signing secrets: 2, not opened without the master key")
        );
    }

    #[test]
    fn ten_organizations_are_named_and_the_others_counted() {
        let many: Vec<OrganizationReport> = (0..12)
            .map(|number| OrganizationReport { inactive: 1, ..report(&format!("acme-{number}")) })
            .collect();
        let told = listed(&many, |report| report.inactive).unwrap();
        assert!(
            told.starts_with("acme-0 1, ")
                && told.ends_with(", acme-9 1, and 2 more organizations"),
            "{told}"
        );
        assert_eq!(listed(&many, |report| report.failed), None);
    }
}
