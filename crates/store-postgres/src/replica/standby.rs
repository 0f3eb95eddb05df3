//! The connections to a standby, and the questions to it.

use super::Unfit;
use crate::connection::{ConnectError, Connector, Role, WAIT};
use crate::readers::{Reader, Readers};
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

/// How long lists wait for the replica to be as far as the primary.
const PATIENCE: Duration = Duration::from_millis(10);

/// How long the replica is left alone between two looks at how far it is.
const PAUSE: Duration = Duration::from_millis(1);

/// How far the log of the primary goes.
pub(super) struct Position {
    pub(super) log: u64,
    /// Which of the histories of the cluster it is: a standby that is promoted begins another one.
    /// Eight hex digits.
    pub(super) timeline: String,
}

impl Position {
    /// Whatever was answered before this is called stands before it.
    pub(super) async fn of(primary: &Readers) -> Result<Self, Unfit> {
        // A change is answered when its log is on the disk, unless somebody wants it otherwise. The
        // other position would be further, by what is not committed: the replica is sent that
        // later.
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

/// So many digits of the name of a file of the log are the timeline.
const TIMELINE: usize = 8;

/// How many connections the pages come over. More of them use more of the standby's processors,
/// fewer put more statements into one packet.
const SLOTS: usize = 4;

/// Connections to a standby that runs.
///
/// What one of them tells holds for all: they are to one process, and open since before it was
/// asked. A standby that is started anew may have less than it had, but breaks them all; and no
/// other connections are ever used for what they proved.
pub(super) struct Standby {
    /// To ask how far it is: no list is in the way of that.
    asked: Reader,
    readers: Vec<Reader>,
    next: AtomicUsize,
    pub(super) started: Stamp,
    pub(super) timeline: String,
}

impl Standby {
    /// Opens all connections, and sees that they lead to a standby of the primary.
    pub(super) async fn open(connector: &Connector, primary: &Readers) -> Result<Self, Unfit> {
        let Position { timeline, .. } = Position::of(primary).await?;
        let connect =
            async || Ok::<_, ConnectError>(Reader::from(connector.connect(Role::Reader).await?));
        let asked = connect().await?;
        let state: State = only(asked.rows(state()).await)?;
        let identity: Identity = only(asked.rows(diesel::sql_query(IDENTITY)).await)?;
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
            let started = only::<State>(reader.rows(self::state()).await)?.started;
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

    /// The rows of a query; `None` where they did not come in time, after which the connection is
    /// of no more use.
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
        let rows = timeout(WAIT, reader.rows(query)).await;
        rows.inspect_err(|_| reader.give_up()).ok()
    }

    /// Returns when it has replayed the log up to there.
    pub(super) async fn reach(&self, log: u64) -> Result<(), Unfit> {
        let end = Instant::now() + PATIENCE;
        loop {
            let state: State = only(self.asked.rows(state()).await)?;
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

/// How a server is doing.
#[derive(Queryable)]
pub(super) struct State {
    pub(super) is_in_recovery: bool,
    replayed: Option<PgLsn>,
    /// When it was started, by which one is told from another.
    pub(super) started: Stamp,
}

impl State {
    pub(super) fn replayed(&self) -> u64 {
        self.replayed.map_or(0, |PgLsn(log)| log)
    }
}

/// The question after it.
pub(super) fn state()
-> select<(pg_is_in_recovery, pg_last_wal_replay_lsn, pg_postmaster_start_time)> {
    select((pg_is_in_recovery(), pg_last_wal_replay_lsn(), pg_postmaster_start_time()))
}

/// Which database of which cluster a connection is to, both as they are called by standbys too, and
/// on which timeline the server made its last checkpoint or restart point.
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
    /// How far the log is on the disk.
    fn pg_current_wal_flush_lsn() -> Lsn;
    /// How far it is written, be it in memory.
    fn pg_current_wal_insert_lsn() -> Lsn;
    /// The file in which a position of the log is.
    fn pg_walfile_name(log: Lsn) -> Text;
    /// Whether the server is a standby.
    fn pg_is_in_recovery() -> Bool;
    /// How far a standby is.
    fn pg_last_wal_replay_lsn() -> Nullable<Lsn>;
    /// When the server was started.
    fn pg_postmaster_start_time() -> SqlStamp;
}
