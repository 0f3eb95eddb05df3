//! The connections of clients: their number in all and for each address, and the end of those whose
//! clients do not take their answers.

use crate::chunks::Wire;
use crate::proxies::TrustedProxies;
use crate::source::Source;
use actix_web::rt::net::TcpStream;
use futures_util::task::AtomicWaker;
use rustix::process::{Resource, getrlimit};
use socket2::SockRef;
use std::collections::HashMap;
use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// The connections of a process.
///
/// They take at most three quarters of the files that the process may open. The rest is for the
/// store, for deliveries, and for connections that were accepted and not yet counted. A further
/// connection ends those that have been idle longest, so clients that keep their connections
/// without using them lock no other client out.
pub struct Connections {
    /// The most connections of an address that is no trusted proxy.
    per_address: Option<usize>,
    trusted_proxies: TrustedProxies,
    /// The number of connections so far. It is the clock of [`State::active`]: idleness matters
    /// only when a further connection comes.
    count: AtomicU64,
    open: Mutex<HashMap<u64, Arc<State>>>,
}

/// The part of a connection that others than its task see.
#[derive(Default)]
struct State {
    /// The source. `None` if its connections are not limited.
    source: Option<Source>,
    /// The number of connections when bytes last went over this one.
    active: AtomicU64,
    /// Whether the connection gave its place to another one.
    is_ended: AtomicBool,
    /// Whether the bytes that were written so far end with the last answer.
    is_last: AtomicBool,
    /// Wakes the task of the connection.
    waker: AtomicWaker,
    /// The bytes since the last answer. Only the task of the connection locks it.
    wire: Mutex<Wire>,
}

impl State {
    fn wire(&self) -> MutexGuard<'_, Wire> {
        // A panic elsewhere leaves lengths intact.
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connections {
    pub(crate) fn new(per_address: Option<usize>, trusted_proxies: TrustedProxies) -> Self {
        Self { per_address, trusted_proxies, count: AtomicU64::new(0), open: Mutex::default() }
    }

    /// Counts a connection, and limits how long its client may take nothing.
    pub fn admit(self: &Arc<Self>, stream: TcpStream) -> Connection {
        if let Err(error) = prepare(&stream) {
            tracing::warn!(%error, "cannot limit how long a client reads nothing");
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let state = State {
            source: self.source(&stream),
            active: AtomicU64::new(number),
            ..State::default()
        };
        let mut open = self.open();
        if let (Some(limit), Some(_)) = (self.per_address, state.source) {
            end_idlest(&mut open, limit, |other| other.source == state.source);
        }
        // The limit may change while the process runs.
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let limit = usize::try_from(files / 4 * 3).unwrap_or(usize::MAX).max(1);
        if open.len() >= limit {
            end_idlest(&mut open, limit, |_| true);
        }
        let state = Arc::new(state);
        open.insert(number, Arc::clone(&state));
        drop(open);
        Connection { stream, state, number, connections: Arc::clone(self), stall: None }
    }

    fn source(&self, stream: &TcpStream) -> Option<Source> {
        self.per_address?;
        let address = stream.peer_addr().ok()?.ip().to_canonical();
        (!self.trusted_proxies.trusts(address)).then(|| address.into())
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Arc<State>>> {
        // Each change is one step, so a panic elsewhere leaves the map intact.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends connections of a group, so that one more keeps its number within `limit`: those that have
/// been idle longest, and one in 64 at once, since each search looks at all connections.
fn end_idlest(
    open: &mut HashMap<u64, Arc<State>>,
    limit: usize,
    is_counted: impl Fn(&State) -> bool,
) {
    let counted = open.iter().filter(|(_, state)| is_counted(state));
    let mut all: Vec<_> =
        counted.map(|(number, state)| (state.active.load(Ordering::Relaxed), *number)).collect();
    let Some(excess) = (all.len() + 1).checked_sub(limit).filter(|excess| *excess > 0) else {
        return;
    };
    let ended = excess.max(limit / 64).min(all.len());
    if ended < all.len() {
        all.select_nth_unstable(ended);
    }
    for (_, number) in &all[..ended] {
        if let Some(state) = open.remove(number) {
            state.is_ended.store(true, Ordering::Relaxed);
            state.waker.wake();
        }
    }
}

/// Bounds the part of an answer that waits in the kernel, so that writes show whether the client
/// takes bytes. `TCP_USER_TIMEOUT` would not do: it ends connections whose clients take bytes slowly
/// and without a pause.
#[cfg(target_os = "linux")]
fn prepare(stream: &TcpStream) -> io::Result<()> {
    SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES)
}

#[cfg(not(target_os = "linux"))]
fn prepare(_: &TcpStream) -> io::Result<()> {
    Ok(())
}

/// The most bytes of an answer that the kernel holds before it sends them. A write waits until half
/// of them are sent.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 64 * 1024;

/// The longest wait of a write.
const PATIENCE: Duration = Duration::from_secs(10);

/// The connection of a client.
///
/// If the client takes so little of an answer that a write waits for 10 seconds, the connection
/// breaks off. On Linux, that is less than 32 to 64 KiB in 10 seconds.
///
/// If the connection gave its place to another one, it reads its end. An answer under way still
/// goes out, unless a write has to wait for the client.
pub struct Connection {
    stream: TcpStream,
    state: Arc<State>,
    number: u64,
    connections: Arc<Connections>,
    /// The end of [`PATIENCE`], while a write waits.
    stall: Option<Pin<Box<Sleep>>>,
}

/// The connection of a request.
#[derive(Clone)]
pub struct Line(Arc<State>);

impl Line {
    /// Notes that the request's body has chunks, which may have `limit` bytes in all.
    pub(crate) fn begin_chunks(&self, limit: usize) {
        self.0.wire().begin(limit);
    }

    /// Returns whether the client declared more bytes than that.
    pub(crate) fn has_too_long_chunks(&self) -> bool {
        self.0.wire().is_too_long()
    }

    /// Ends the sending side once everything that was written is sent. The client sees the end at
    /// once, and the rest of its request is read for a moment: otherwise the kernel would drop the
    /// answer.
    pub(crate) fn end_answers(&self) {
        self.0.is_last.store(true, Ordering::Relaxed);
    }
}

impl Connection {
    /// The handle for the requests of this connection.
    pub fn line(&self) -> Line {
        Line(Arc::clone(&self.state))
    }

    /// The clock of [`State::active`]. It is read before bytes go over the connection: the peer may
    /// open a further connection as soon as it has them.
    fn now(&self) -> u64 {
        self.connections.count.load(Ordering::Relaxed)
    }

    /// Returns whether the connection gave its place to another one. If not, the task is woken when
    /// it does.
    fn is_ended(&self, context: &Context<'_>) -> bool {
        self.state.waker.register(context.waker());
        self.state.is_ended.load(Ordering::Relaxed)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.open().remove(&self.number);
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.state.is_ended.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let (now, before) = (this.now(), buffer.filled().len());
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        if read.is_ready() {
            this.state.active.store(now, Ordering::Relaxed);
            this.state.wire().read(&buffer.filled()[before..]);
            return read;
        }
        if this.is_ended(context) { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let now = this.now();
        let written = Pin::new(&mut this.stream).poll_write(context, bytes);
        if written.is_ready() {
            this.state.active.store(now, Ordering::Relaxed);
            this.state.wire().wrote(bytes);
            this.stall = None;
            return written;
        }
        let is_ended = this.is_ended(context);
        let stall = this.stall.get_or_insert_with(|| Box::pin(sleep(PATIENCE)));
        if !is_ended && stall.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        // The kernel drops what the client did not take. Otherwise it would hold it for minutes.
        this.stream.set_zero_linger()?;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // A stream of TCP has no buffer of its own.
        if self.state.is_last.load(Ordering::Relaxed) {
            SockRef::from(&self.stream).shutdown(Shutdown::Write)?;
            self.state.is_last.store(false, Ordering::Relaxed);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
