//! Lists from a streaming replica.
//!
//! A replica lags behind, and a list shows all that was answered before its request began, through
//! whichever server it was written. So a list begins with two questions: how far does the log of
//! the primary go, and has the replica replayed as much? They are asked once for all who wait, in
//! one round after the other: whoever comes while a round is under way waits for the next, since
//! what was asked before a request began proves nothing for it. Where the replica is not as far
//! within a moment, or cannot be had, the list comes from the primary, and so do all others until a
//! round without anybody waiting finds it fit.
//!
//! `docs/decisions/0012-lists-from-a-standby.md` says why it is so.

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
use hearback_ports::health::{PoolUse, ReplicaReads};
use proof::{Proof, Prover};
use standby::{State, state};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

impl PgStore {
    /// Reads lists from a streaming replica from now on, whenever that is as far as the primary.
    ///
    /// One that is unfit, be it that it is not reached, is taken up when it is fit: an error is
    /// what never will be. To be called on the runtime that is to drive the connections, and once.
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

    /// The rows of a list, from the replica where there is one and it is as far, else from the
    /// primary.
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
        // In a box, so that who has no replica does not carry around what it would take.
        if let Some(replica) = self.replica.get()
            && let Some(answer) = replica.rows(reach, doing, &query).boxed().await
        {
            return answer;
        }
        match reach {
            Reach::Short => self.readers.rows(doing, query).await,
            Reach::Long => self.slow_readers.rows(doing, query()).await,
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
        Ok(self.list_rows(Reach::Short, doing, query).await?.pop())
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
    /// The primary is one that was a standby, and this one still follows that one's predecessor, as
    /// far as it tells.
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

    /// What holds for whoever asks now.
    async fn proof(&self) -> Option<Proof> {
        let (asker, proof) = oneshot::channel();
        self.asking.send(asker).ok()?;
        proof.await.ok()
    }

    /// The rows of a query that walks a list. Its connection tells of itself what was proved of
    /// others, since it may have been opened after that.
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

/// What is taken from the replica: rows, and that a query takes too long, which it would on the
/// primary as well. Whatever else is the matter is the replica's own, such as that a query stood in
/// the way of what was to be replayed.
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
