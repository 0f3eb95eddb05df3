//! Checks the set-up of the database.

use crate::connection::Role;
use crate::error::read_error;
use crate::readers::{MAX_SLOW, SHARED};
use crate::slots::PATIENT;
use crate::{DISPATCHER_CONNECTIONS, PgStore, citus};
use async_trait::async_trait;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use hearback_domain::Time;
use hearback_ports::examination::{Finding, StoreTime};
use hearback_ports::{Examination, StoreError};

#[async_trait]
impl Examination for PgStore {
    async fn examine(&self) -> Result<Vec<Finding>, StoreError> {
        // The isolation is that of changes: the other roles override the setting of the database.
        let mut connection = self.connect(EXAMINING, Role::Writer).await?;
        let facts =
            diesel::sql_query(FACTS).get_result::<Facts>(&mut connection).await.map_err(failed)?;
        let mut findings = findings(&facts, self.most_connections());
        if self.connector.is_citus() {
            findings.extend(citus::examine(&mut connection).await.map_err(failed)?);
        }
        if self.changes_sessions(connection).await? {
            findings.push(Finding::problem(
                "a pooler gives each transaction another session, without the statements that were prepared in an earlier one",
                "have the pooler in session mode (pgbouncer: pool_mode = session)",
            ));
        }
        Ok(findings)
    }

    async fn time(&self) -> Result<StoreTime, StoreError> {
        let query = || {
            diesel::sql_query(
                "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8 AS milliseconds",
            )
        };
        let clock: Option<Clock> =
            self.readers.row("asking the database for the time", query).await?;
        let milliseconds = clock.map_or(i64::MAX, |clock| clock.milliseconds);
        Ok(StoreTime::Now(Time::from_unix_millis(milliseconds).unwrap_or(Time::MAX)))
    }
}

/// The operation that an error of the examination names.
const EXAMINING: &str = "examining the database";

fn failed(error: diesel::result::Error) -> StoreError {
    read_error(EXAMINING, error)
}

impl PgStore {
    /// The most connections of this process, with one for an import, an export or a migration.
    fn most_connections(&self) -> usize {
        // The readiness probe has shared connections of its own.
        self.reading_runtimes
            + 2 * SHARED
            + PATIENT
            + MAX_SLOW
            + self.writer.max_size()
            + DISPATCHER_CONNECTIONS
            + 1
    }

    /// Returns whether two transactions of one connection may run in two sessions.
    ///
    /// While one connection is in a transaction, a second one reads the process id of its session.
    /// After the transaction, the session of the first connection is free too. Behind a pooler, the
    /// second connection then gets that session for its next queries, or alternates between both.
    /// If a session belongs to its connection, the process id stays the same.
    async fn changes_sessions(&self, mut holder: AsyncPgConnection) -> Result<bool, StoreError> {
        let mut asker = self.connect(EXAMINING, Role::Writer).await?;
        holder.batch_execute("BEGIN").await.map_err(failed)?;
        let first = session(&mut asker).await?;
        holder.batch_execute("COMMIT").await.map_err(failed)?;
        for _ in 0..3 {
            if session(&mut asker).await? != first {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

async fn session(connection: &mut AsyncPgConnection) -> Result<i32, StoreError> {
    let session = diesel::sql_query("SELECT pg_backend_pid() AS process")
        .get_result::<Session>(connection)
        .await;
    Ok(session.map_err(failed)?.process)
}

#[derive(QueryableByName)]
struct Session {
    #[diesel(sql_type = Integer)]
    process: i32,
}

#[derive(QueryableByName)]
struct Clock {
    #[diesel(sql_type = BigInt)]
    milliseconds: i64,
}

/// The query for [`Facts`]. A session without a database is one of the few that PostgreSQL needs
/// for itself, and is not counted.
const FACTS: &str = "
    SELECT current_setting('server_version') AS version,
           current_setting('server_version_num')::int4 AS version_number,
           current_setting('server_encoding') AS encoding,
           current_setting('default_transaction_isolation') AS isolation,
           current_setting('synchronous_commit') AS synchronous_commit,
           current_setting('fsync') = 'on' AS fsync,
           current_setting('full_page_writes') = 'on' AS full_page_writes,
           current_setting('statement_timeout') AS statement_timeout,
           pg_is_in_recovery() AS is_standby,
           (SELECT datctype FROM pg_database WHERE datname = current_database()) AS ctype,
           (SELECT count(*) FROM pg_available_extensions WHERE name IN ('pg_trgm', 'btree_gin')) AS extensions,
           (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL) AS sessions,
           least(current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8,
                 (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
                 (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)) AS most_sessions
";

#[derive(Clone, QueryableByName)]
struct Facts {
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = Integer)]
    version_number: i32,
    #[diesel(sql_type = Text)]
    encoding: String,
    #[diesel(sql_type = Text)]
    isolation: String,
    #[diesel(sql_type = Text)]
    synchronous_commit: String,
    #[diesel(sql_type = Bool)]
    fsync: bool,
    #[diesel(sql_type = Bool)]
    full_page_writes: bool,
    #[diesel(sql_type = Text)]
    statement_timeout: String,
    #[diesel(sql_type = Bool)]
    is_standby: bool,
    #[diesel(sql_type = Text)]
    ctype: String,
    #[diesel(sql_type = BigInt)]
    extensions: i64,
    #[diesel(sql_type = BigInt)]
    sessions: i64,
    #[diesel(sql_type = BigInt)]
    most_sessions: i64,
}

/// The oldest tested release of PostgreSQL, in the form of `server_version_num`.
const OLDEST: i32 = 150_000;

fn findings(facts: &Facts, needed: usize) -> Vec<Finding> {
    let Facts { version, encoding, isolation, .. } = facts;
    let mut findings = vec![Finding::good(format!(
        "the database is PostgreSQL {version}, {encoding}, {isolation}"
    ))];
    if facts.version_number < OLDEST {
        findings.push(Finding::problem(
            format!("PostgreSQL {version} is too old"),
            "use PostgreSQL 15 or newer",
        ));
    }
    if encoding != "UTF8" {
        findings.push(Finding::problem(
            format!("the database's encoding is {encoding}, which cannot hold all texts that people write"),
            "make the database with ENCODING 'UTF8' (docs/deployment.md) and bring the data over by export and import",
        ));
    }
    if facts.extensions < 2 {
        findings.push(Finding::problem(
            "the extensions pg_trgm and btree_gin are not installed beside PostgreSQL",
            "install PostgreSQL's additional modules: the package postgresql-contrib, if the server's own package lacks them",
        ));
    }
    if facts.is_standby {
        findings.push(Finding::problem(
            "the database is a standby, which takes no writes",
            "let DATABASE_URL name the primary, or both: with several hosts the one that takes writes is used",
        ));
    }
    if matches!(facts.ctype.as_str(), "C" | "POSIX") {
        findings.push(Finding::warning(
            format!(
                "the database's ctype is {}, which knows the letters of ASCII alone: searches for others are slow",
                facts.ctype
            ),
            "make the database with LOCALE 'C.UTF-8' (docs/deployment.md) and bring the data over by export and import",
        ));
    }
    if !facts.fsync || !facts.full_page_writes {
        findings.push(Finding::warning(
            "fsync or full_page_writes is off: a crash of the machine can damage the whole database",
            "set both to `on` in PostgreSQL's configuration, and reload it",
        ));
    }
    if facts.synchronous_commit == "off" {
        findings.push(Finding::warning(
            "synchronous_commit is off: a crash of PostgreSQL loses changes that were answered",
            "set it to `on` for the database: ALTER DATABASE … SET synchronous_commit = on",
        ));
    }
    if facts.statement_timeout == "0" {
        findings.push(Finding::warning(
            "no statement has a time limit: a pooler does not pass our settings on to the database",
            "set the limits for the role: ALTER ROLE … SET statement_timeout = '5s'; … lock_timeout = '2s'; \
             … idle_in_transaction_session_timeout = '10s'; and have the pooler in session mode",
        ));
    }
    findings.push(connections(facts, needed));
    findings
}

fn connections(facts: &Facts, needed: usize) -> Finding {
    let (used, most) = (facts.sessions, facts.most_sessions);
    let left = usize::try_from(most - used).unwrap_or_default();
    let told = format!("{used} of {most} connections are taken; a server takes up to {needed}");
    if left >= needed {
        return Finding::good(told);
    }
    Finding::warning(
        told,
        "raise max_connections (or the limit of the role or database), or have servers write over fewer connections, unless all \
         servers are already running",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::examination::Verdict;

    fn facts() -> Facts {
        Facts {
            version: "15.18".to_owned(),
            version_number: 150_018,
            encoding: "UTF8".to_owned(),
            isolation: "read committed".to_owned(),
            synchronous_commit: "on".to_owned(),
            fsync: true,
            full_page_writes: true,
            statement_timeout: "5s".to_owned(),
            is_standby: false,
            ctype: "C.UTF-8".to_owned(),
            extensions: 2,
            sessions: 5,
            most_sessions: 97,
        }
    }

    #[test]
    fn a_database_that_is_set_up_well_has_only_good_findings() {
        assert_eq!(
            findings(&facts(), 29),
            [
                Finding::good("the database is PostgreSQL 15.18, UTF8, read committed"),
                Finding::good("5 of 97 connections are taken; a server takes up to 29"),
            ]
        );
    }

    #[test]
    fn a_bad_setting_is_the_only_finding_that_is_not_good() {
        let problem =
            |facts: Facts| verdict(facts, |verdict| matches!(verdict, Verdict::Problem { .. }));
        let warning =
            |facts: Facts| verdict(facts, |verdict| matches!(verdict, Verdict::Warning { .. }));
        assert_eq!(
            problem(Facts { version_number: 140_009, ..facts() }),
            "PostgreSQL 15.18 is too old"
        );
        let latin = Facts { encoding: "LATIN1".to_owned(), ..facts() };
        assert!(problem(latin).starts_with("the database's encoding is LATIN1"));
        assert!(
            problem(Facts { extensions: 1, ..facts() })
                .starts_with("the extensions pg_trgm and btree_gin are not installed")
        );
        assert_eq!(
            problem(Facts { is_standby: true, ..facts() }),
            "the database is a standby, which takes no writes"
        );
        assert!(
            warning(Facts { ctype: "C".to_owned(), ..facts() })
                .starts_with("the database's ctype is C")
        );
        assert!(
            warning(Facts { fsync: false, ..facts() })
                .starts_with("fsync or full_page_writes is off")
        );
        assert!(
            warning(Facts { full_page_writes: false, ..facts() })
                .starts_with("fsync or full_page_writes is off")
        );
        let loose = Facts { synchronous_commit: "off".to_owned(), ..facts() };
        assert!(warning(loose).starts_with("synchronous_commit is off"));
        let pooled = Facts { statement_timeout: "0".to_owned(), ..facts() };
        assert!(warning(pooled).starts_with("no statement has a time limit"));
        for (sessions, most_sessions) in [(69, 97), (0, 28), (98, 97)] {
            let told = format!(
                "{sessions} of {most_sessions} connections are taken; a server takes up to 29"
            );
            assert_eq!(warning(Facts { sessions, most_sessions, ..facts() }), told);
        }
    }

    /// The only finding that is not good.
    fn verdict(facts: Facts, is_meant: impl Fn(&Verdict) -> bool) -> String {
        let wrong: Vec<Finding> = findings(&facts, 29)
            .into_iter()
            .filter(|finding| finding.verdict != Verdict::Good)
            .collect();
        let [finding] = &wrong[..] else { panic!("{wrong:?}") };
        assert!(is_meant(&finding.verdict), "{finding:?}");
        finding.what.clone()
    }
}
