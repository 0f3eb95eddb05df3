//! Lists from a streaming replica.
//!
//! A replica lags behind, and a list shows all that was answered before its request began, through whichever server it was
//! written. So a list begins with two questions: how far does the log of the primary go, and has the replica replayed as much?
//! They are asked once for all who wait, in one round after the other: whoever comes while a round is under way waits for the
//! next, since what was asked before a request began proves nothing for it. Where the replica is not as far within a moment, or
//! cannot be had, the list comes from the primary, and so do all others until a round without anybody waiting finds it fit.
//!
//! `docs/decisions/0012-lists-from-a-standby.md` says why it is so.

use crate::PgStore;
use crate::connection::{ConnectError, Connector, OpenError, Pool, Role, WAIT};
use crate::error::{chain, is_time_limit};
use crate::readers::{MAX_SLOW, Reader, Readers, Walk};
use diesel::deserialize::FromSqlRow;
use diesel::dsl::{case_when, select};
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::pg::data_types::{PgLsn, PgTimestamp};
use diesel::prelude::*;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::{Error, QueryResult};
use diesel::sql_types::{BigInt, Integer, PgLsn as Lsn, Text};
use futures_util::FutureExt;
use futures_util::future::try_join_all;
use hearback_ports::StoreError;
use hearback_ports::health::{PoolUse, ReplicaReads};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout};

/// How long lists wait for the replica to be as far as the primary.
const PATIENCE: Duration = Duration::from_millis(10);
/// How long it is left alone between two looks at how far it is.
const PAUSE: Duration = Duration::from_millis(1);
/// How long it may take to tell how far it is.
const SILENCE: Duration = Duration::from_secs(1);
/// How long it is left alone after it was not fit to be read from.
const REST: Duration = Duration::from_millis(200);

impl PgStore {
    /// Reads lists from a streaming replica from now on, whenever that is as far as the primary.
    ///
    /// One that is unfit, be it that it is not reached, is taken up when it is fit: an error is what never will be. To be called
    /// on the runtime that is to drive the connections, and once.
    pub async fn read_lists_from(&self, url: &str) -> Result<(), Unfit> {
        let connector = Arc::new(Connector::to_replica(url)?);
        let slow = Pool::new(&connector, Role::SlowReader, MAX_SLOW)?;
        let mut prover = Prover::new(&self.readers, &connector);
        let restored = prover.restore().await;
        if let Err(unfit @ Unfit::Foreign) = restored {
            return Err(unfit);
        }
        prover.tell(&restored);
        let (asking, asked) = mpsc::unbounded_channel();
        let proving =
            connector.runtime().spawn(prover.answer(asked, restored.is_ok())).abort_handle();
        let replica =
            Replica { asking, proving, slow, used: AtomicU64::new(0), missed: AtomicU64::new(0) };
        if let Err(second) = self.replica.set(replica) {
            second.close();
        }
        Ok(())
    }

    /// Whether lists could be read from a replica now.
    pub async fn examine_replica(&self, url: &str) -> Result<(), Unfit> {
        let connector = Arc::new(Connector::to_replica(url)?);
        Prover::new(&self.readers, &connector).restore().await
    }

    /// The rows of a list, from the replica where there is one and it is as far, else from the primary.
    pub(crate) async fn list_rows<Q, U, ST>(
        &self,
        walk: Walk,
        doing: &'static str,
        query: impl Fn() -> Q + Send + Sync,
    ) -> Result<Vec<U>, StoreError>
    where
        Q: AsQuery + Send + 'static,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        // In a box, so that who has no replica does not carry around what it would take.
        if let Some(replica) = self.replica.get()
            && let Some(answer) = replica.rows(walk, doing, &query).boxed().await
        {
            return answer;
        }
        match walk {
            Walk::Short => self.readers.rows(doing, query).await,
            Walk::Long => self.slow_readers.rows(doing, query()).await,
        }
    }

    /// [`PgStore::list_rows`] for what is asked on the way to a page: one row at most.
    pub(crate) async fn list_row<Q, U, ST>(
        &self,
        doing: &'static str,
        query: impl Fn() -> Q + Send + Sync,
    ) -> Result<Option<U>, StoreError>
    where
        Q: AsQuery + Send + 'static,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        Ok(self.list_rows(Walk::Short, doing, query).await?.pop())
    }
}

/// Why lists are not read from a replica.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The address is malformed, or there is nothing to reach it with.
    #[error(transparent)]
    Address(#[from] OpenError),
    /// It has not replayed what was answered.
    #[error("it has {bytes} bytes of the primary's log left to replay")]
    Behind {
        /// How much it has left.
        bytes: u64,
    },
    /// It was promoted, or it is the primary itself.
    #[error("it is no standby, it takes writes by itself")]
    NoStandby,
    /// What it has are other data.
    #[error("it is a replica of another database than DATABASE_URL names, or of none")]
    Foreign,
    /// The primary is one that was a standby, and this one still follows that one's predecessor, as far as it tells.
    #[error("it is not on the primary's timeline, or has made no restart point there yet")]
    OtherTimeline,
    /// There is a balancer before several.
    #[error("its address leads to several servers")]
    SeveralServers,
    /// It was not reached, or did not let us in.
    #[error(transparent)]
    Unreached(#[from] ConnectError),
    /// It is reached and says nothing.
    #[error("it did not answer in time")]
    Silent,
    /// It went away, perhaps to come back.
    #[error("a connection to it broke")]
    Broken,
    /// It answered with an error.
    #[error("it does not tell how far it is")]
    Failed(#[from] Error),
    /// Without the primary nobody knows how far it should be.
    #[error("the primary does not tell how far it is")]
    Primary(#[source] StoreError),
}

/// The way to a replica.
pub(crate) struct Replica {
    asking: mpsc::UnboundedSender<Asker>,
    proving: AbortHandle,
    slow: Pool,
    used: AtomicU64,
    missed: AtomicU64,
}

/// Where a proof is waited for. It is dropped where there is none.
type Asker = oneshot::Sender<Proof>;

impl Replica {
    /// The rows of a query; `None` where the primary is to be asked.
    async fn rows<Q, U, ST>(
        &self,
        walk: Walk,
        doing: &'static str,
        query: &(impl Fn() -> Q + Send + Sync),
    ) -> Option<Result<Vec<U>, StoreError>>
    where
        Q: AsQuery + Send + 'static,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let read = match (self.proof().await, walk) {
            (None, _) => None,
            (Some(proof), Walk::Short) => proof.standby.rows(query()).await,
            (Some(proof), Walk::Long) => self.slow_rows(proof, doing, query()).await,
        };
        let answer = read.and_then(usable);
        let count = if answer.is_some() { &self.used } else { &self.missed };
        count.fetch_add(1, Ordering::Relaxed);
        answer
    }

    /// What holds for whoever asks now.
    async fn proof(&self) -> Option<Proof> {
        let (asker, proof) = oneshot::channel();
        self.asking.send(asker).ok()?;
        proof.await.ok()
    }

    /// The rows of a query that walks a list. Its connection tells of itself what was proved of others, since it may have been
    /// opened after that.
    async fn slow_rows<Q, U, ST>(
        &self,
        proof: Proof,
        doing: &'static str,
        query: Q,
    ) -> Option<QueryResult<Vec<U>>>
    where
        Q: AsQuery + Send + 'static,
        Q::Query: QueryFragment<Pg> + QueryId + Send,
        Q::SqlType: CompatibleType<U, Pg, SqlType = ST>,
        Pg: QueryMetadata<Q::SqlType>,
        U: FromSqlRow<ST, Pg> + Send + 'static,
        ST: 'static,
    {
        let reading = self.slow.run(doing, move |connection| {
            async move {
                let state: State =
                    diesel_async::RunQueryDsl::get_result(state(), connection).await?;
                if !proof.holds_for(&state) {
                    return Ok(None);
                }
                diesel_async::RunQueryDsl::load(query, connection).await.map(Some)
            }
            .boxed()
        });
        reading.await.ok()?.ok()?.transpose()
    }

    /// Where lists came from since there is a replica.
    pub(crate) fn reads(&self) -> ReplicaReads {
        ReplicaReads {
            used: self.used.load(Ordering::Relaxed),
            missed: self.missed.load(Ordering::Relaxed),
        }
    }

    /// How the connections for what walks a list are used.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.slow.in_use(name)
    }

    /// Closes the connections.
    pub(crate) fn close(&self) {
        self.proving.abort();
        self.slow.close();
    }
}

/// What is taken from the replica: rows, and that a query takes too long, which it would on the primary as well. Whatever else
/// is the matter is the replica's own, such as that a query stood in the way of what was to be replayed.
fn usable<T>(answer: QueryResult<T>) -> Option<Result<T, StoreError>> {
    match answer {
        Ok(rows) => Some(Ok(rows)),
        Err(error) if is_time_limit(&error) => Some(Err(StoreError::Busy)),
        Err(error) => {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "reading a list from the replica failed"
            );
            None
        }
    }
}

/// That a standby has replayed the log up to a position that covers all that was answered before whoever has this asked for it.
#[derive(Clone)]
struct Proof {
    standby: Arc<Standby>,
    position: u64,
}

impl Proof {
    fn holds_for(&self, state: &State) -> bool {
        state.is_in_recovery
            && state.started == self.standby.started
            && state.replayed() >= self.position
    }
}

/// Proves, again and again, that the replica is as far as the primary.
struct Prover {
    primary: Arc<Readers>,
    connector: Arc<Connector>,
    standby: Option<Arc<Standby>>,
    /// Of what kind the failure is that was told last.
    told: Option<Discriminant<Unfit>>,
}

impl Prover {
    fn new(primary: &Arc<Readers>, connector: &Arc<Connector>) -> Self {
        Self {
            primary: Arc::clone(primary),
            connector: Arc::clone(connector),
            standby: None,
            told: None,
        }
    }

    /// Answers all who ask, until nobody can any more.
    async fn answer(mut self, mut asked: mpsc::UnboundedReceiver<Asker>, mut is_fit: bool) {
        let mut askers = Vec::new();
        loop {
            if !is_fit {
                tokio::select! {
                    () = self.recover() => {}
                    () = refuse(&mut asked) => return,
                }
            }
            if asked.recv_many(&mut askers, usize::MAX).await == 0 {
                return;
            }
            let proof = self.prove().await;
            is_fit = proof.is_ok();
            self.tell(&proof);
            for asker in askers.drain(..) {
                if let Ok(proof) = &proof {
                    // Whoever asked may have gone away.
                    let _ = asker.send(proof.clone());
                }
            }
        }
    }

    /// Returns when the replica is fit.
    async fn recover(&mut self) {
        loop {
            sleep(REST).await;
            let restored = self.restore().await;
            self.tell(&restored);
            if restored.is_ok() {
                return;
            }
        }
    }

    /// Makes the replica fit, if that can be done in a while.
    async fn restore(&mut self) -> Result<(), Unfit> {
        if self.standby.is_none() {
            let opening = timeout(WAIT, Standby::open(&self.connector, &self.primary));
            self.standby = Some(Arc::new(opening.await.unwrap_or(Err(Unfit::Silent))?));
        }
        self.prove().await.map(drop)
    }

    /// Asks both. The connections to the replica are not made anew, and given up where they are of no more use.
    async fn prove(&mut self) -> Result<Proof, Unfit> {
        let proved = self.ask().await;
        if !matches!(proved, Ok(_) | Err(Unfit::Behind { .. } | Unfit::Primary(_))) {
            self.standby = None;
        }
        proved
    }

    async fn ask(&self) -> Result<Proof, Unfit> {
        let standby =
            self.standby.as_ref().filter(|standby| standby.is_usable()).ok_or(Unfit::Broken)?;
        let Position { log, timeline } = Position::of(&self.primary).await?;
        if timeline != standby.timeline {
            return Err(Unfit::OtherTimeline);
        }
        timeout(SILENCE, standby.reach(log)).await.unwrap_or(Err(Unfit::Silent))?;
        Ok(Proof { standby: Arc::clone(standby), position: log })
    }

    /// Logs what is news.
    fn tell<T>(&mut self, outcome: &Result<T, Unfit>) {
        match outcome {
            // The one comes and goes as the primary is busy, and is counted; of the other one everybody hears.
            Err(unfit @ (Unfit::Behind { .. } | Unfit::Primary(_))) => {
                tracing::debug!(error = chain(unfit), "lists are read from the primary");
            }
            Err(unfit) => {
                if self.told.replace(discriminant(unfit)) != Some(discriminant(unfit)) {
                    tracing::warn!(
                        error = chain(unfit),
                        "lists are read from the primary, since they cannot be from the replica"
                    );
                }
            }
            Ok(_) => {
                if self.told.take().is_some() {
                    tracing::info!("lists are read from the replica again");
                }
            }
        }
    }
}

/// Lets all go to the primary who ask, until nobody can any more.
async fn refuse(asked: &mut mpsc::UnboundedReceiver<Asker>) {
    while let Some(asker) = asked.recv().await {
        drop(asker);
    }
}

/// How far the log of the primary goes.
struct Position {
    log: u64,
    /// Which of the histories of the cluster it is: a standby that is promoted begins another one. Eight hex digits.
    timeline: String,
}

impl Position {
    /// Whatever was answered before this is called stands before it.
    async fn of(primary: &Readers) -> Result<Self, Unfit> {
        // A change is answered when its log is on the disk, unless somebody wants it otherwise. The other position would be
        // further, by what is not committed: the replica is sent that later.
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

/// How many connections the pages come over. More of them use more of the standby's processors, fewer put more statements into one
/// packet.
const SLOTS: usize = 4;

/// Connections to a standby that runs.
///
/// What one of them tells holds for all: they are to one process, and open since before it was asked. A standby that is started
/// anew may have less than it had, but breaks them all; and no other connections are ever used for what they proved.
struct Standby {
    /// To ask how far it is: no list is in the way of that.
    asked: Reader,
    readers: Vec<Reader>,
    next: AtomicUsize,
    started: PgTimestamp,
    timeline: String,
}

impl Standby {
    /// Opens all connections, and sees that they lead to a standby of the primary.
    async fn open(connector: &Connector, primary: &Readers) -> Result<Self, Unfit> {
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

    /// The rows of a query; `None` where they did not come in time, after which the connection is of no more use.
    async fn rows<Q, U, ST>(&self, query: Q) -> Option<QueryResult<Vec<U>>>
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
    async fn reach(&self, log: u64) -> Result<(), Unfit> {
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

    fn is_usable(&self) -> bool {
        self.asked.is_usable() && self.readers.iter().all(Reader::is_usable)
    }
}

fn only<T>(rows: QueryResult<Vec<T>>) -> QueryResult<T> {
    rows?.pop().ok_or(Error::NotFound)
}

/// How a server is doing.
#[derive(Queryable)]
struct State {
    is_in_recovery: bool,
    replayed: Option<PgLsn>,
    /// When it was started, by which one is told from another.
    started: PgTimestamp,
}

impl State {
    fn replayed(&self) -> u64 {
        self.replayed.map_or(0, |PgLsn(log)| log)
    }
}

/// The question after it.
fn state() -> select<(pg_is_in_recovery, pg_last_wal_replay_lsn, pg_postmaster_start_time)> {
    select((pg_is_in_recovery(), pg_last_wal_replay_lsn(), pg_postmaster_start_time()))
}

/// Which database of which cluster a connection is to, both as they are called by standbys too, and on which timeline the server
/// made its last checkpoint or restart point.
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
    timeline: i32,
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
    fn pg_postmaster_start_time() -> Timestamptz;
}
