//! Reads lists from a streaming replica.
//!
//! A replica lags behind, but a list shows every change that any server answered before the request
//! of the list began. So a list begins with two queries: for the end of the primary's log, and for
//! the position up to which the replica has replayed it. One round of both queries serves all lists
//! that wait. A list that comes during a round waits for the next one, because a position that was
//! queried before its request began proves nothing for it. If the replica does not get as far
//! within a moment, or fails, the list is read from the primary. So are all later lists, until a
//! round without waiting lists finds the replica fit.
//!
//! `docs/decisions/0012-lists-from-a-standby.md` has the reasons.

mod proof;
mod standby;

#[cfg(test)]
pub(crate) use standby::current_setting;

use crate::PgStore;
use crate::connection::{ConnectError, Connector, OpenError, Pool, Role};
use crate::error::is_time_limit;
use crate::readers::{MAX_SLOW, Reach};
use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use diesel::pg::Pg;
use diesel::query_builder::{AsQuery, QueryFragment, QueryId};
use diesel::query_dsl::CompatibleType;
use diesel::result::{Error, QueryResult};
use futures_util::FutureExt;
use hearback_ports::StoreError;
use hearback_ports::error::Source;
use hearback_ports::health::{PoolUse, ReplicaReads};
use proof::{Proof, Prover};
use standby::{State, state};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

impl PgStore {
    /// From now on, reads lists from a streaming replica whenever it is as far as the primary.
    ///
    /// A replica that is unfit or not reached is used as soon as it is fit. The call fails with
    /// [`Unfit::Address`] or [`Unfit::Foreign`] if the replica never will be fit. It must be called
    /// once, on the runtime that is to drive the connections.
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

    /// Checks whether lists could be read from a replica now.
    pub async fn examine_replica(&self, url: &str) -> Result<(), Unfit> {
        let connector = Arc::new(Connector::to_replica(url)?);
        Prover::new(&self.readers, &connector).restore().await
    }

    /// The rows of a list, from the replica if there is one and it is as far as the primary, else
    /// from the primary.
    pub(crate) async fn list_rows<Q, U, ST>(
        &self,
        reach: Reach,
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
        // Boxed, so that the future is no larger than it has to be without a replica.
        if let Some(replica) = self.replica.get()
            && let Some(answer) = replica.rows(reach, doing, &query).boxed().await
        {
            return answer;
        }
        match reach {
            Reach::Short => self.readers.rows(doing, query).await,
            Reach::Long => self.slow_readers.rows(doing, query).await,
        }
    }

    /// [`PgStore::list_rows`] for a query on the way to a page, with at most one row.
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
        Ok(self.list_rows(Reach::Short, doing, query).await?.pop())
    }
}

/// The reason why lists are not read from a replica.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The address is malformed, or its connections cannot be set up.
    #[error(transparent)]
    Address(#[from] OpenError),
    /// The replica has not replayed every change that was answered.
    #[error("it has {bytes} bytes of the primary's log left to replay")]
    Behind {
        /// The number of bytes that are left to replay.
        bytes: u64,
    },
    /// The server was promoted, or it is the primary itself.
    #[error("it is no standby, it takes writes by itself")]
    NoStandby,
    /// The server has the data of another database, or is a replica of none.
    #[error("it is a replica of another database than DATABASE_URL names, or of none")]
    Foreign,
    /// The primary was promoted from a standby, and the replica, as far as it reports, still
    /// follows the former primary.
    #[error("it is not on the primary's timeline, or has made no restart point there yet")]
    OtherTimeline,
    /// The address leads to a load balancer of several servers.
    #[error("its address leads to several servers")]
    SeveralServers,
    /// The server was not reached, or refused the connection.
    #[error(transparent)]
    Unreached(#[from] ConnectError),
    /// The server was reached and does not respond.
    #[error("it did not answer in time")]
    Silent,
    /// The connection broke. The server may come back.
    #[error("a connection to it broke")]
    Broken,
    /// The server responded with an error.
    #[error("its position in the log cannot be read")]
    Failed(#[source] Source),
    /// The primary failed, so the position that the replica has to reach is unknown.
    #[error("the primary's position in the log cannot be read")]
    Primary(#[source] StoreError),
}

impl From<Error> for Unfit {
    fn from(error: Error) -> Self {
        Self::Failed(Box::new(error))
    }
}

/// The connections to a replica, and the task that proves how far it is.
pub(crate) struct Replica {
    asking: mpsc::UnboundedSender<Asker>,
    proving: AbortHandle,
    slow: Pool,
    used: AtomicU64,
    missed: AtomicU64,
}

/// The request for a proof. It is dropped if there is no proof.
type Asker = oneshot::Sender<Proof>;

impl Replica {
    /// The rows of a query. `None` if the primary has to run it.
    async fn rows<Q, U, ST>(
        &self,
        reach: Reach,
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
        let read = match (self.proof().await, reach) {
            (None, _) => None,
            (Some(proof), Reach::Short) => proof.standby.rows(query()).await,
            (Some(proof), Reach::Long) => self.slow_rows(proof, doing, query()).await,
        };
        let answer = read.and_then(usable);
        let count = if answer.is_some() { &self.used } else { &self.missed };
        count.fetch_add(1, Ordering::Relaxed);
        answer
    }

    /// Requests a proof for a list that begins now. `None` if there is none.
    async fn proof(&self) -> Option<Proof> {
        let (asker, proof) = oneshot::channel();
        self.asking.send(asker).ok()?;
        proof.await.ok()
    }

    /// The rows of a query that walks a list. The proof is checked again on its connection, which
    /// may have been opened after the proof.
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

    /// The numbers of lists from the replica and from the primary, since the replica was set.
    pub(crate) fn reads(&self) -> ReplicaReads {
        ReplicaReads {
            used: self.used.load(Ordering::Relaxed),
            missed: self.missed.load(Ordering::Relaxed),
        }
    }

    /// The use of the connections for walks, with this name.
    pub(crate) fn in_use(&self, name: &'static str) -> PoolUse {
        self.slow.in_use(name)
    }

    /// Closes the connections.
    pub(crate) fn close(&self) {
        self.proving.abort();
        self.slow.close();
    }
}

/// Converts the result of a query on the replica. The list takes over rows, and an expired time
/// limit, because the query would take as long on the primary. `None` for any other error: it
/// concerns the replica alone, such as a conflict between the query and the replay.
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
