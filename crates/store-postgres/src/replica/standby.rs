//! The connections to a standby, and the queries on them.

use super::Unfit;
use crate::connection::{Connector, Role, WAIT};
use crate::reader::Reader;
use crate::readers::Readers;
use diesel::deserialize::FromSqlRow;
use diesel::dsl::{case_when, select};
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::pg::data_types::PgLsn;
use diesel::prelude::*;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::{Error, QueryResult};
use diesel::sql_types::{BigInt, Integer, PgLsn as Lsn, Text};
use futures_util::future::try_join_all;
use hearback_store_rows::{SqlStamp, Stamp};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// The most time that lists wait for the replica to get as far as the primary.
const PATIENCE: Duration = Duration::from_millis(10);

/// The pause between two queries for the replica's position.
const PAUSE: Duration = Duration::from_millis(1);

/// The end of the primary's log.
pub(super) struct Position {
    pub(super) log: u64,
    /// The timeline of the log, in eight hex digits. A standby begins another one when it is
    /// promoted.
    pub(super) timeline: String,
}

impl Position {
    /// Queries the position. Every change that was answered before the call lies before it.
    pub(super) async fn of(primary: &Readers) -> Result<Self, Unfit> {
        // A change is answered when its log is on the disk, unless `synchronous_commit` is `off`.
        // The insert position would be further, by records that are not committed. The replica
        // receives those later.
        let log = || {
            case_when(current_setting("synchronous_commit").eq("off"), pg_current_wal_insert_lsn())
                .otherwise(pg_current_wal_flush_lsn())
        };
        let query = || select((log(), pg_walfile_name(pg_current_wal_flush_lsn())));
        let row: Option<(PgLsn, String)> =
            primary.row("asking the primary how far it is", query).await.map_err(Unfit::Primary)?;
        let (PgLsn(log), mut file) = row.ok_or(Error::NotFound)?;
        file.truncate(TIMELINE);
        Ok(Self { log, timeline: file })
    }
}

/// The number of digits in the name of a log file that are the timeline.
const TIMELINE: usize = 8;

/// The number of connections for pages. With more of them, the standby uses more of its processors.
/// With fewer, more statements share a packet.
const SLOTS: usize = 4;

/// Connections to a running standby.
///
/// A position that one of them reports holds for all: they lead to one process, and were open
/// before the query. A standby that was restarted may have replayed less than before, but a restart
/// breaks all of them. A proof never covers other connections: each of those has to report its own
/// position (`Proof::holds_for`).
pub(super) struct Standby {
    /// The connection for queries of the position. No list holds them up.
    asked: Reader,
    readers: Vec<Reader>,
    next: AtomicUsize,
    pub(super) started: Stamp,
    pub(super) timeline: String,
}

/// The operation that looks at the standby itself.
const CHECKING: &str = "checking a replica";

impl Standby {
    /// Opens all connections, and checks that they lead to one standby of the primary.
    pub(super) async fn open(connector: &Connector, primary: &Readers) -> Result<Self, Unfit> {
        let Position { timeline, .. } = Position::of(primary).await?;
        let connect = async || Reader::new(connector.connect(Role::Reader).await?).await;
        let asked = connect().await?;
        let state: State = only(asked.rows(CHECKING, state()).await)?;
        let identity: Identity = only(asked.rows(CHECKING, diesel::sql_query(IDENTITY)).await)?;
        let of_primary = primary
            .row("asking which database the primary has", || diesel::sql_query(IDENTITY))
            .await;
        let of_primary: Identity = of_primary.map_err(Unfit::Primary)?.ok_or(Error::NotFound)?;
        if (identity.cluster, identity.database) != (of_primary.cluster, of_primary.database) {
            return Err(Unfit::Foreign);
        }
        if !state.is_in_recovery {
            return Err(Unfit::NoStandby);
        }
        if format!("{:08X}", identity.timeline) != timeline {
            return Err(Unfit::OtherTimeline);
        }
        let readers = try_join_all((0..SLOTS).map(async |_| {
            let reader = connect().await?;
            let started = only::<State>(reader.rows(CHECKING, self::state()).await)?.started;
            if started == state.started { Ok(reader) } else { Err(Unfit::SeveralServers) }
        }));
        Ok(Self {
            asked,
            readers: readers.await?,
            next: AtomicUsize::new(0),
            started: state.started,
            timeline,
        })
    }

    /// The rows of a query. `None` if they do not come within [`WAIT`]: the connection is then
    /// ended.
    pub(super) async fn rows<Q, U, ST>(&self, query: Q) -> Option<QueryResult<Vec<U>>>
    where
        Q: AsQuery + Send,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let reader = &self.readers[self.next.fetch_add(1, Ordering::Relaxed) % SLOTS];
        let rows = timeout(WAIT, reader.rows("reading from a replica", query)).await;
        rows.inspect_err(|_| reader.give_up()).ok()
    }

    /// Returns when the standby has replayed the log up to this position. Fails with
    /// [`Unfit::Behind`] after [`PATIENCE`].
    pub(super) async fn reach(&self, log: u64) -> Result<(), Unfit> {
        let end = Instant::now() + PATIENCE;
        loop {
            let state: State = only(self.asked.rows(CHECKING, state()).await)?;
            if !state.is_in_recovery {
                return Err(Unfit::NoStandby);
            }
            let bytes = log.saturating_sub(state.replayed());
            if bytes == 0 {
                return Ok(());
            }
            if Instant::now() >= end {
                return Err(Unfit::Behind { bytes });
            }
            sleep(PAUSE).await;
        }
    }

    pub(super) fn is_usable(&self) -> bool {
        self.asked.is_usable() && self.readers.iter().all(Reader::is_usable)
    }
}

fn only<T>(rows: QueryResult<Vec<T>>) -> QueryResult<T> {
    rows?.pop().ok_or(Error::NotFound)
}

/// The state of a server.
#[derive(Queryable)]
pub(super) struct State {
    pub(super) is_in_recovery: bool,
    replayed: Option<PgLsn>,
    /// When the server was started. It identifies one run of a server.
    pub(super) started: Stamp,
}

impl State {
    pub(super) fn replayed(&self) -> u64 {
        self.replayed.map_or(0, |PgLsn(log)| log)
    }
}

/// The query for [`State`].
pub(super) fn state()
-> select<(pg_is_in_recovery, pg_last_wal_replay_lsn, pg_postmaster_start_time)> {
    select((pg_is_in_recovery(), pg_last_wal_replay_lsn(), pg_postmaster_start_time()))
}

/// The query for [`Identity`]: the cluster and the database, which have the same identifiers on
/// standbys, and the timeline of the server's last checkpoint or restart point.
const IDENTITY: &str = "
    SELECT system_identifier AS cluster, timeline_id AS timeline, pg_database.oid::int8 AS database
    FROM pg_control_system(), pg_control_checkpoint(), pg_database WHERE datname = current_database()
";

#[derive(QueryableByName)]
struct Identity {
    #[diesel(sql_type = BigInt)]
    cluster: i64,
    #[diesel(sql_type = BigInt)]
    database: i64,
    #[diesel(sql_type = Integer)]
    pub(super) timeline: i32,
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// The value of a setting in this session.
    fn current_setting(name: Text) -> Text;
    /// The end of the log on the disk.
    fn pg_current_wal_flush_lsn() -> Lsn;
    /// The end of the log that is written, perhaps only to memory.
    fn pg_current_wal_insert_lsn() -> Lsn;
    /// The name of the file that contains a position of the log.
    fn pg_walfile_name(log: Lsn) -> Text;
    /// Returns whether the server is a standby.
    fn pg_is_in_recovery() -> Bool;
    /// The end of the log that a standby has replayed.
    fn pg_last_wal_replay_lsn() -> Nullable<Lsn>;
    /// When the server was started.
    fn pg_postmaster_start_time() -> SqlStamp;
}
