//! The places of connections for reading.

use crate::connection::{CONNECT_LIMIT, ConnectError, Connector, Role, WAIT};
use crate::reader::Reader;
use hearback_ports::{StoreError, deadline};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// The place of one connection.
pub(crate) struct Slot {
    connector: Arc<Connector>,
    /// The runtime that drives the connection.
    pub(crate) runtime: Handle,
    current: Mutex<Option<Arc<Reader>>>,
    /// The number of statements, including those over connections that broke.
    pub(crate) statements: AtomicU64,
    /// Locked while the connection is opened again.
    opening: Arc<tokio::sync::Mutex<()>>,
}

impl Slot {
    pub(crate) fn new(connector: &Arc<Connector>, runtime: Handle) -> Self {
        Self {
            connector: Arc::clone(connector),
            runtime,
            current: Mutex::default(),
            statements: AtomicU64::new(0),
            opening: Arc::default(),
        }
    }

    /// The connection. If it must be opened first, the wait for that is at most [`WAIT`].
    pub(crate) async fn reader(
        self: &Arc<Self>,
        doing: &'static str,
    ) -> Result<Arc<Reader>, StoreError> {
        if let Some(reader) = self.current() {
            return Ok(reader);
        }
        let opened = timeout(deadline::left(WAIT), self.reopened()).await;
        let Ok(reader) = opened else { return Err(StoreError::Busy) };
        reader.map_err(|error| StoreError::Unreachable { doing, source: Box::new(error) })
    }

    async fn reopened(self: &Arc<Self>) -> Result<Arc<Reader>, ConnectError> {
        let opening = Arc::clone(&self.opening).lock_owned().await;
        if let Some(reader) = self.current() {
            return Ok(reader);
        }
        // The connection is opened in a task of its own. So it is not lost if it opens after its
        // caller has given up, and no other one is opened meanwhile.
        let slot = Arc::clone(self);
        let opened = self.runtime.spawn(async move {
            let _opening = opening;
            let connected =
                timeout(CONNECT_LIMIT, slot.connector.connect_on(&slot.runtime, Role::Reader))
                    .await;
            let reader = Reader::new(connected.map_err(ConnectError::new)??).await?;
            let reader = Arc::new(reader);
            *slot.lock() = Some(Arc::clone(&reader));
            Ok(reader)
        });
        opened.await.map_err(ConnectError::new)?
    }

    /// Closes the connection.
    pub(crate) fn close(&self) {
        *self.lock() = None;
    }

    fn current(&self) -> Option<Arc<Reader>> {
        self.lock().as_ref().filter(|reader| reader.is_usable()).map(Arc::clone)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Reader>>> {
        // The value is only replaced and cloned, so a panic elsewhere leaves it intact.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connections for reads of locked tables. Each has one statement at a time.
pub(crate) struct Patient {
    free: Mutex<Vec<Arc<Slot>>>,
    permits: Semaphore,
}

/// The number of reads that wait for locks of tables at once.
pub(crate) const PATIENT: usize = 4;

/// A patient connection in use.
pub(crate) struct PatientUse<'a> {
    pub(crate) slot: Arc<Slot>,
    patient: &'a Patient,
    _permit: SemaphorePermit<'a>,
}

impl Patient {
    pub(crate) fn new(slots: [Arc<Slot>; PATIENT]) -> Self {
        Self { free: Mutex::new(slots.into()), permits: Semaphore::new(PATIENT) }
    }

    /// A connection without a statement. Waits for it for up to [`WAIT`].
    pub(crate) async fn take(&self) -> Result<PatientUse<'_>, StoreError> {
        let permit = timeout(deadline::left(WAIT), self.permits.acquire()).await;
        let Ok(Ok(_permit)) = permit else { return Err(StoreError::Busy) };
        let slot = self.free().pop().ok_or(StoreError::Busy)?;
        Ok(PatientUse { slot, patient: self, _permit })
    }

    /// Closes the connections that are not in use.
    pub(crate) fn close(&self) {
        self.free().iter().for_each(|slot| slot.close());
    }

    fn free(&self) -> MutexGuard<'_, Vec<Arc<Slot>>> {
        // Each change is one step, so a panic elsewhere leaves the list intact.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PatientUse<'_> {
    fn drop(&mut self) {
        self.patient.free().push(Arc::clone(&self.slot));
    }
}
