//! The receiver of deliveries: a server that does as little as it can, the same for both sides, in
//! a process of its own.
//!
//! It takes each request for a delivery and answers 200 without a body. Rates are computed from the
//! first and the last arrival.

use crate::cpu_time;
use crate::failure::Failure;
use crate::helper::Helper;
use crate::message::Message;
use clap::Args;
use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{LocalSet, spawn_local};

/// A running receiver.
pub(crate) struct Receiver {
    process: Helper,
    /// Its address: `http://`, host and port.
    pub(crate) address: String,
}

/// Its result.
#[derive(Clone, Copy)]
pub(crate) struct Received {
    /// From the first arrival to the last.
    pub(crate) time: Duration,
    /// Its processor time.
    pub(crate) cpu_time: Duration,
}

impl Receiver {
    /// Starts a receiver of this number of requests. It writes them to the file, if there is one.
    pub(crate) fn start(requests: u32, keep: Option<&Path>) -> Result<Self, Failure> {
        let requests = requests.to_string();
        let mut arguments = vec![OsStr::new("--requests"), OsStr::new(&requests)];
        arguments.extend(keep.iter().flat_map(|file| [OsStr::new("--keep"), file.as_os_str()]));
        let mut process = Helper::start("receive", &arguments)?;
        Ok(Self { address: process.line()?, process })
    }

    /// Waits until all requests have arrived and are answered. The receiver takes no more.
    pub(crate) fn wait(mut self) -> Result<Received, Failure> {
        Ok(Received { time: self.process.time()?, cpu_time: self.process.time()? })
    }
}

/// The arguments of the process.
#[derive(Args)]
pub(crate) struct Options {
    /// The number of requests to take
    #[arg(long)]
    requests: u32,
    /// The file for the requests
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// The process: prints its address, takes requests, and prints its result, a figure a line.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let failed = || Failure::machine("receiving deliveries");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed())?;
    let tally = Rc::new(Tally::new(options));
    LocalSet::new().block_on(&runtime, take(&tally)).map_err(failed())?;
    if let Some(file) = &options.keep {
        std::fs::write(file, &*tally.kept.borrow())
            .map_err(Failure::machine("keeping requests"))?;
    }
    if tally.arrived.get() < tally.expected {
        return Err(Failure::Silence { arrived: tally.arrived.get(), expected: tally.expected });
    }
    println!("{}\n{}", tally.time().as_nanos(), cpu_time::of_this_process().as_nanos());
    Ok(())
}

/// The time without a request after which the receiver gives up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Takes requests until all have come, or no more come.
async fn take(tally: &Rc<Tally>) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("http://{}", listener.local_addr()?);
    let accept = async {
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            // The client of a broken connection sends unanswered requests again.
            spawn_local(answer(stream, Rc::clone(tally)));
        }
    };
    let lose_patience = async {
        loop {
            let before = tally.arrived.get();
            tokio::time::sleep(PATIENCE).await;
            if tally.arrived.get() == before {
                return;
            }
        }
    };
    tokio::select! {
        accepted = accept => accepted,
        () = tally.complete.notified() => Ok(()),
        () = lose_patience => Ok(()),
    }
}

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

async fn answer(mut stream: TcpStream, tally: Rc<Tally>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(16 * 1024);
    while stream.read_buf(&mut bytes).await? > 0 {
        while let Some((_, rest)) = Message::split(&bytes) {
            let length = bytes.len() - rest.len();
            tally.count(bytes.get(..length).unwrap_or_default());
            bytes.drain(..length);
            stream.write_all(ANSWER).await?;
            tally.answered();
        }
    }
    Ok(())
}

/// The requests so far.
struct Tally {
    expected: u32,
    arrived: Cell<u32>,
    /// The times of the first and the last request.
    between: Cell<Option<(Instant, Instant)>>,
    is_keeping: bool,
    kept: RefCell<Vec<u8>>,
    complete: Notify,
}

impl Tally {
    fn new(options: &Options) -> Self {
        Self {
            expected: options.requests,
            arrived: Cell::default(),
            between: Cell::default(),
            is_keeping: options.keep.is_some(),
            kept: RefCell::default(),
            complete: Notify::new(),
        }
    }

    fn count(&self, request: &[u8]) {
        let now = Instant::now();
        let first = self.between.get().map_or(now, |(first, _)| first);
        self.between.set(Some((first, now)));
        self.arrived.set(self.arrived.get() + 1);
        if self.is_keeping {
            self.kept.borrow_mut().extend_from_slice(request);
        }
    }

    /// All earlier arrivals were answered before this request.
    fn answered(&self) {
        if self.arrived.get() >= self.expected {
            self.complete.notify_one();
        }
    }

    fn time(&self) -> Duration {
        self.between.get().map_or(Duration::ZERO, |(first, last)| last - first)
    }
}
