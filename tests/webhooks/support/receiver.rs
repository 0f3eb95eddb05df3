//! A receiver that records requests and responds as a test says.

use super::api::openapi::faults_of_delivery;
use super::{eventually, now};
use hearback_domain::Uuid;
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A receiver on a port of its own. It responds with `200` by default.
pub(crate) struct Receiver {
    address: SocketAddr,
    /// `None` while requests are held.
    steps: watch::Sender<Option<Arc<[Step]>>>,
    log: Arc<Log>,
    listening: JoinHandle<()>,
}

/// A step of the response to a request. After the last step, the connection takes the next request.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes several times, with a pause before each.
    Repeat(Vec<u8>, u64, Duration),
    /// Waits for this time.
    Pause(Duration),
    /// Waits until the peer closes the connection.
    Wait,
    /// Resets the connection.
    Reset,
}

/// A whole response. `head` is the status line without version, with the headers, such as `503
/// Busy\r\nRetry-After: 3`.
pub(crate) fn answer(head: &str, body: &[u8]) -> Step {
    let mut bytes =
        format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend(body);
    Step::Send(bytes)
}

#[derive(Default)]
struct Log {
    connections: AtomicUsize,
    requests: Mutex<Vec<Request>>,
    /// The deviations of requests from the OpenAPI document.
    faults: Mutex<Vec<String>>,
    sources: Mutex<BTreeSet<u16>>,
    closings: Mutex<Vec<Closing>>,
}

/// The end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closing {
    /// The time since the last request.
    pub(crate) after: Duration,
    /// The number of bytes sent of the response to that request.
    pub(crate) sent: u64,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// When the request arrived, in milliseconds since 1970.
    pub(crate) at: i64,
    /// The request line.
    pub(crate) line: String,
    /// Names are in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The value of a header. `None` if the request does not have it.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        let mut values = self
            .headers
            .iter()
            .filter(|(header, _)| header == name)
            .map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "the header {name} occurs twice");
        value
    }

    /// The value of a header. Panics if the request does not have it.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.find(name).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    /// The identifier of the delivery.
    pub(crate) fn delivery(&self) -> Uuid {
        super::uuid(self.header("x-service-delivery-id"))
    }

    /// The number of the attempt.
    pub(crate) fn attempt(&self) -> u32 {
        self.header("x-service-attempt").parse().expect("a number")
    }

    /// The body as text.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        Self::with(vec![answer("200 OK", b"")]).await
    }

    /// A receiver with these steps from the start.
    pub(crate) async fn with(steps: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let log = Arc::new(Log::default());
        let (sender, steps) = watch::channel(Some(steps.into()));
        let shared = Arc::clone(&log);
        let listening = tokio::spawn(async move {
            loop {
                let (stream, peer) = listener.accept().await.expect("a connection");
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let (steps, log) = (steps.clone(), Arc::clone(&shared));
                tokio::spawn(
                    Connection { stream, from: peer.port(), read: Vec::new(), steps, log }.run(),
                );
            }
        });
        Self { address, steps: sender, log, listening }
    }

    /// The receiver's URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Takes these steps for each request from now on, and for the requests that are held.
    pub(crate) fn does(&self, steps: Vec<Step>) {
        self.steps.send_replace(Some(steps.into()));
    }

    /// Responds with this head and no body from now on, to held requests too.
    pub(crate) fn answers(&self, head: &str) {
        self.does(vec![answer(head, b"")]);
    }

    /// Holds requests from now on: records them without a response.
    pub(crate) fn holds(&self) {
        self.steps.send_replace(None);
    }

    /// The requests so far, in the order of their arrival.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.log.requests.lock().expect("not poisoned").clone()
    }

    /// The number of requests so far.
    pub(crate) fn count(&self) -> usize {
        self.log.requests.lock().expect("not poisoned").len()
    }

    /// The port that the receiver listens on.
    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// The peer ports of all requests so far.
    pub(crate) fn sources(&self) -> BTreeSet<u16> {
        self.log.sources.lock().expect("not poisoned").clone()
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.log.connections.load(Ordering::Relaxed)
    }

    /// The connections that have ended so far.
    pub(crate) fn closings(&self) -> Vec<Closing> {
        self.log.closings.lock().expect("not poisoned").clone()
    }

    /// Waits for at least `count` requests and returns all requests so far.
    pub(crate) async fn received(&self, count: usize) -> Vec<Request> {
        eventually("deliveries", async || (self.count() >= count).then(|| self.requests())).await
    }
}

/// Asserts that all requests to the receiver agreed with docs/openapi.json.
impl Drop for Receiver {
    fn drop(&mut self) {
        self.listening.abort();
        let faults = self.log.faults.lock().expect("not poisoned");
        assert!(
            faults.is_empty() || std::thread::panicking(),
            "requests deviate from docs/openapi.json: {faults:?}"
        );
    }
}

struct Connection {
    stream: TcpStream,
    /// The port of the peer.
    from: u16,
    read: Vec<u8>,
    steps: watch::Receiver<Option<Arc<[Step]>>>,
    log: Arc<Log>,
}

impl Connection {
    async fn run(mut self) {
        while let Some(request) = self.next().await {
            let event = request.find("x-service-event").unwrap_or_default();
            let mut faults = faults_of_delivery(event, &request.headers, &request.body);
            self.log.faults.lock().expect("not poisoned").append(&mut faults);
            self.log.requests.lock().expect("not poisoned").push(request);
            self.log.sources.lock().expect("not poisoned").insert(self.from);
            let (came, mut sent) = (Instant::now(), 0);
            let steps = self
                .steps
                .wait_for(Option::is_some)
                .await
                .map(|steps| steps.clone().unwrap_or_default());
            // The receiver was dropped.
            let Ok(steps) = steps else { return };
            let mut is_open = true;
            for step in steps.iter() {
                is_open = is_open && self.take(step, &mut sent).await;
            }
            if !is_open || !self.has_more().await {
                self.log
                    .closings
                    .lock()
                    .expect("not poisoned")
                    .push(Closing { after: came.elapsed(), sent });
                return;
            }
        }
    }

    /// Returns whether another request begins before the peer closes the connection.
    async fn has_more(&mut self) -> bool {
        !self.read.is_empty()
            || self.stream.read_buf(&mut self.read).await.is_ok_and(|read| read > 0)
    }

    /// Takes a step. Returns whether the connection is still open afterwards.
    async fn take(&mut self, step: &Step, sent: &mut u64) -> bool {
        match step {
            Step::Send(bytes) => self.send(bytes, sent).await,
            Step::Repeat(bytes, times, pause) => {
                for _ in 0..*times {
                    if !pause.is_zero() {
                        tokio::time::sleep(*pause).await;
                    }
                    if !self.send(bytes, sent).await {
                        return false;
                    }
                }
                true
            }
            Step::Pause(duration) => {
                tokio::time::sleep(*duration).await;
                true
            }
            // Bytes from the peer end the wait too. The connection then stays open.
            Step::Wait => self.stream.read(&mut [0]).await.is_ok_and(|read| read > 0),
            Step::Reset => {
                self.stream.set_zero_linger().expect("a setting");
                false
            }
        }
    }

    async fn send(&mut self, bytes: &[u8], sent: &mut u64) -> bool {
        let done = self.stream.write_all(bytes).await.is_ok();
        *sent += if done { bytes.len() as u64 } else { 0 };
        done
    }

    /// The next request. `None` if the peer has closed the connection.
    async fn next(&mut self) -> Option<Request> {
        let end =
            self.read_until(|read| read.windows(4).position(|bytes| bytes == b"\r\n\r\n")).await?;
        let head = String::from_utf8(self.read[..end].to_vec()).expect("a head in UTF-8");
        let mut lines = head.split("\r\n");
        let line = lines.next().expect("a first line").to_owned();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").expect("a header"))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let whole =
            end + 4 + length.map_or(0, |(_, value)| value.parse::<usize>().expect("a number"));
        self.read_until(|read| (read.len() >= whole).then_some(whole)).await?;
        let body = self.read[end + 4..whole].to_vec();
        self.read.drain(..whole);
        Some(Request { at: now().unix_millis(), line, headers, body })
    }

    async fn read_until(&mut self, found: impl Fn(&[u8]) -> Option<usize>) -> Option<usize> {
        loop {
            if let Some(at) = found(&self.read) {
                return Some(at);
            }
            if self.stream.read_buf(&mut self.read).await.ok()? == 0 {
                return None;
            }
        }
    }
}
