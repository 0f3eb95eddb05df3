//! Load on a server: prepared requests, sent over kept connections, from a process of its own.
//!
//! The process is one thread that does a wait, a read and a write for each request. The server
//! shares its processors, so the client takes as little as it can.

use crate::failure::Failure;
use crate::helper::Helper;
use crate::message::Message;
use clap::Args;
use rustix::event::epoll;
use rustix::time::Timespec;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The pace of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Each connection sends the next request at the answer to the last one: the pace of the
    /// server.
    Closed,
    /// A number of requests a second, even if the server falls behind. The latency of a request
    /// counts from the moment when it was due, so it includes the delay by a stall.
    Open(f64),
}

impl Pace {
    /// Returns the number of connections for this pace, at most `most`. An open pace uses each
    /// of them every two seconds, before a server closes it as idle.
    pub(crate) fn connections(self, most: usize) -> usize {
        match self {
            Self::Closed => most,
            Self::Open(rate) => most.min((rate * IDLE.as_secs_f64()).ceil() as usize),
        }
    }
}

/// The time for which a connection is idle at an even pace.
const IDLE: Duration = Duration::from_secs(2);

/// The requests.
#[derive(Clone, Copy)]
pub(crate) struct Load<'a> {
    /// A file of requests by [`write()`]. They are sent in their order, over and over.
    pub(crate) requests: &'a Path,
    /// The number of connections.
    pub(crate) connections: usize,
    /// The time of the warm-up, which is not counted.
    pub(crate) warm_up: Duration,
    /// The time of the count.
    pub(crate) time: Duration,
}

/// The result of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    /// In answers a second.
    pub(crate) rate: f64,
    /// The number of answers during the count.
    pub(crate) answers: u32,
    /// The median latency.
    pub(crate) p50: Duration,
    /// The 99th percentile of the latency.
    pub(crate) p99: Duration,
    /// The place in the file where the next load goes on.
    pub(crate) next: usize,
}

impl Observed {
    /// Reads the last line of a load.
    pub(crate) fn read(line: &str) -> Result<Self, Failure> {
        let figures: Vec<u64> = line.split(' ').filter_map(|figure| figure.parse().ok()).collect();
        let [nanos, answers, p50, p99, next] = figures[..] else {
            return Err(Failure::Helper { command: "load" });
        };
        Ok(Self {
            rate: answers as f64 / Duration::from_nanos(nanos).as_secs_f64(),
            answers: u32::try_from(answers).unwrap_or(u32::MAX),
            p50: Duration::from_nanos(p50),
            p99: Duration::from_nanos(p99),
            next: usize::try_from(next).unwrap_or_default(),
        })
    }
}

impl Load<'_> {
    /// Sends the load, from a place in the file on. Calls `counting` after the warm-up and at the
    /// end, and returns both values, too.
    pub(crate) fn send<T>(
        &self,
        server: SocketAddr,
        pace: Pace,
        begin: usize,
        mut counting: impl FnMut() -> Result<T, Failure>,
    ) -> Result<(Observed, [T; 2]), Failure> {
        let mut process = self.start(server, pace, begin)?;
        process.line()?;
        let before = counting()?;
        process.line()?;
        let after = counting()?;
        Ok((Observed::read(&process.line()?)?, [before, after]))
    }

    /// Sends the load until the result is dropped.
    pub(crate) fn start(
        &self,
        server: SocketAddr,
        pace: Pace,
        begin: usize,
    ) -> Result<Helper, Failure> {
        let mut arguments: Vec<OsString> = Vec::new();
        let mut option = |name: &str, value: OsString| arguments.extend([name.into(), value]);
        option("--server", server.to_string().into());
        option("--requests", self.requests.into());
        option("--connections", self.connections.to_string().into());
        option("--warm-up", self.warm_up.as_secs_f64().to_string().into());
        option("--time", self.time.as_secs_f64().to_string().into());
        option("--begin", begin.to_string().into());
        if let Pace::Open(rate) = pace {
            option("--rate", rate.to_string().into());
        }
        Helper::start("load", &arguments.iter().map(OsString::as_os_str).collect::<Vec<_>>())
    }
}

/// Writes a file of requests to an endpoint.
pub(crate) fn write(file: &Path, endpoint: &str, bodies: &[String]) -> Result<(), Failure> {
    let requests: Vec<String> = bodies.iter().map(|body| post(endpoint, body)).collect();
    write_all(file, &requests)
}

/// Writes a file of requests.
pub(crate) fn write_all(file: &Path, requests: &[String]) -> Result<(), Failure> {
    std::fs::write(file, requests.concat()).map_err(Failure::machine("writing requests"))
}

/// A request for a page.
pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// A request to an endpoint.
pub(crate) fn post(endpoint: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /api/external/v1{endpoint} HTTP/1.1\r\nHost: localhost\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// Sends one request, and returns the body of the answer.
pub(crate) fn ask(server: SocketAddr, endpoint: &str, body: &str) -> Result<String, Failure> {
    let failed = || Failure::machine("asking a server");
    let stream = TcpStream::connect(server).map_err(failed())?;
    let mut connection = Connection { stream, due: Instant::now(), answer: Vec::new() };
    connection.stream.write_all(post(endpoint, body).as_bytes()).map_err(failed())?;
    let mut chunk = vec![0; CHUNK];
    loop {
        if let Some(answer) =
            connection.answer(&mut chunk, |body| String::from_utf8_lossy(body).into_owned())?
        {
            return Ok(answer);
        }
    }
}

/// The arguments of the process.
#[derive(Args)]
pub(crate) struct Options {
    /// The server's address and port
    #[arg(long)]
    server: SocketAddr,
    /// The file of the requests
    #[arg(long)]
    requests: PathBuf,
    /// The number of connections
    #[arg(long)]
    connections: usize,
    /// The time of the warm-up, in seconds
    #[arg(long)]
    warm_up: f64,
    /// The time of the count, in seconds
    #[arg(long)]
    time: f64,
    /// The number of requests a second. By default the pace of the server
    #[arg(long)]
    rate: Option<f64>,
    /// The place of the first request in the file
    #[arg(long)]
    begin: usize,
}

/// The process: prints a line at the beginning and one at the end of the count, and one with the
/// result.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let failed = || Failure::machine("sending requests");
    let file = std::fs::read(&options.requests).map_err(Failure::machine("reading requests"))?;
    let mut sender = Sender::new(options, split(&file)).map_err(failed())?;
    sender.run()?;
    println!("{}", sender.shown());
    Ok(())
}

fn split(file: &[u8]) -> Vec<&[u8]> {
    let (mut requests, mut rest) = (Vec::new(), file);
    while let Some((_, behind)) = Message::split(rest) {
        let (request, _) = rest.split_at(rest.len() - behind.len());
        requests.push(request);
        rest = behind;
    }
    requests
}

/// The bytes that are read at once.
const CHUNK: usize = 256 * 1024;

/// The time that the last answers have.
const PATIENCE: Duration = Duration::from_secs(10);

struct Sender<'a> {
    requests: Vec<&'a [u8]>,
    /// The number of requests sent, with those of earlier loads.
    sent: usize,
    /// The epoll instance that an answer wakes.
    answers: OwnedFd,
    connections: Vec<Connection>,
    /// The idle connections, the one that has waited longest first: a server closes a connection
    /// that is never used.
    idle: VecDeque<usize>,
    /// The time between two requests, in the even pace.
    interval: Option<Duration>,
    /// The time of the next request.
    due: Instant,
    counted: Counted,
}

/// A connection, and the part of its answer that has come.
struct Connection {
    stream: TcpStream,
    /// The time when the request was due.
    due: Instant,
    answer: Vec<u8>,
}

/// The counts between two moments.
struct Counted {
    begin: Instant,
    end: Instant,
    answers: u64,
    /// In nanoseconds.
    latencies: Vec<u64>,
}

impl<'a> Sender<'a> {
    fn new(options: &Options, requests: Vec<&'a [u8]>) -> io::Result<Self> {
        let answers = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let now = Instant::now();
        let mut connections = Vec::new();
        for n in 0..options.connections {
            let stream = TcpStream::connect(options.server)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            epoll::add(
                &answers,
                &stream,
                epoll::EventData::new_u64(n as u64),
                epoll::EventFlags::IN,
            )?;
            connections.push(Connection { stream, due: now, answer: Vec::new() });
        }
        let begin = now + Duration::from_secs_f64(options.warm_up);
        let end = begin + Duration::from_secs_f64(options.time);
        Ok(Self {
            requests,
            sent: options.begin,
            answers,
            idle: (0..connections.len()).collect(),
            connections,
            interval: options.rate.map(|rate| Duration::from_secs_f64(1.0 / rate)),
            due: now,
            counted: Counted { begin, end, answers: 0, latencies: Vec::new() },
        })
    }

    fn run(&mut self) -> Result<(), Failure> {
        let failed = || Failure::machine("sending requests");
        let (begin, end) = (self.counted.begin, self.counted.end);
        let mut to_say = [begin, end].into_iter().peekable();
        let mut chunk = vec![0; CHUNK];
        let mut events = Vec::with_capacity(self.connections.len());
        loop {
            let now = Instant::now();
            if to_say.next_if(|moment| now >= *moment).is_some() {
                println!();
            }
            self.send_due(now).map_err(failed())?;
            let is_done = now >= end && self.idle.len() == self.connections.len();
            if is_done || now >= end + PATIENCE {
                break;
            }
            let next = [begin, end, end + PATIENCE]
                .into_iter()
                .find(|moment| *moment > now)
                .unwrap_or(now);
            let next =
                if self.idle.is_empty() || self.due >= end { next } else { next.min(self.due) };
            let wait = Timespec::try_from(next.saturating_duration_since(now)).unwrap_or_default();
            events.clear();
            epoll::wait(&self.answers, rustix::buffer::spare_capacity(&mut events), Some(&wait))
                .map_err(|error| failed()(error.into()))?;
            for event in &events {
                let n = usize::try_from(event.data.u64()).unwrap_or_default();
                if self.connections[n].answer(&mut chunk, |_| ())?.is_some() {
                    self.counted.count(self.connections[n].due);
                    self.idle.push_back(n);
                }
            }
        }
        Ok(())
    }

    /// Sends the requests that are due, as far as connections are idle.
    fn send_due(&mut self, now: Instant) -> io::Result<()> {
        while let Some(&n) = self.idle.front() {
            let due = if self.interval.is_some() { self.due } else { now };
            if due > now || due >= self.counted.end {
                break;
            }
            self.idle.pop_front();
            let request = self.requests[self.sent % self.requests.len()];
            self.sent += 1;
            self.due += self.interval.unwrap_or_default();
            let connection = &mut self.connections[n];
            connection.due = due;
            connection.stream.write_all(request)?;
        }
        Ok(())
    }

    fn shown(&mut self) -> String {
        let Counted { begin, end, answers, latencies } = &mut self.counted;
        latencies.sort_unstable();
        let within = |part: f64| {
            latencies.get((latencies.len() as f64 * part) as usize).copied().unwrap_or_default()
        };
        let next = self.sent % self.requests.len();
        format!("{} {answers} {} {} {next}", (*end - *begin).as_nanos(), within(0.5), within(0.99))
    }
}

impl Connection {
    /// Reads the bytes that have come. Returns the value that `show` makes of the body, if it is
    /// whole.
    fn answer<T>(
        &mut self,
        chunk: &mut [u8],
        show: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, Failure> {
        let read = match self.stream.read(chunk) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            read => read.map_err(Failure::machine("reading an answer"))?,
        };
        if read == 0 {
            return Err(Failure::HungUp);
        }
        let come = &chunk[..read];
        // Most answers come whole, and are not copied.
        if self.answer.is_empty()
            && let Some((answer, _)) = Message::split(come)
        {
            return shown(&answer, show).map(Some);
        }
        self.answer.extend_from_slice(come);
        let Some((answer, _)) = Message::split(&self.answer) else { return Ok(None) };
        let shown = shown(&answer, show)?;
        self.answer.clear();
        Ok(Some(shown))
    }
}

fn shown<T>(answer: &Message<'_>, show: impl FnOnce(&[u8]) -> T) -> Result<T, Failure> {
    match answer.status() {
        // The answer to a form leads to a page.
        200..300 | 303 => Ok(show(answer.body)),
        status => Err(Failure::NotAnswered {
            status,
            body: String::from_utf8_lossy(answer.body).into_owned(),
        }),
    }
}

impl Counted {
    fn count(&mut self, due: Instant) {
        let now = Instant::now();
        if (self.begin..self.end).contains(&now) {
            self.answers += 1;
        }
        if (self.begin..self.end).contains(&due) {
            self.latencies.push((now - due).as_nanos().try_into().unwrap_or(u64::MAX));
        }
    }
}
