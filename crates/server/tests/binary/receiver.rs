//! A receiver of webhook deliveries, which can keep its senders waiting.

use super::support::poll;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

/// Records requests, and answers as a test says.
pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<State>,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Method, path and version.
    pub(crate) line: String,
    /// The headers by their names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

#[derive(Default)]
struct State {
    received: Mutex<Vec<Received>>,
    /// The status and the body. `None`: no answer.
    answer: Mutex<Option<(u16, Vec<u8>)>>,
    has_answer: Condvar,
}

impl Receiver {
    /// A receiver that answers with this status.
    pub(crate) fn answering(status: u16) -> Self {
        let receiver = Self::silent();
        receiver.answer(status, b"");
        receiver
    }

    /// A receiver that does not answer before [`Receiver::answer`].
    pub(crate) fn silent() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let receiver = Self { address: listener.local_addr().unwrap(), state: Arc::default() };
        let state = Arc::clone(&receiver.state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let state = Arc::clone(&state);
                std::thread::spawn(move || state.talk(stream.unwrap()));
            }
        });
        receiver
    }

    /// Answers waiting and later requests with this status and body.
    pub(crate) fn answer(&self, status: u16, body: &[u8]) {
        *self.state.answer.lock().unwrap() = Some((status, body.to_owned()));
        self.state.has_answer.notify_all();
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.received.lock().unwrap().clone()
    }

    /// The requests so far, as soon as there are `count`.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<Received> {
        poll(|| Some(self.received()).filter(|received| received.len() >= count))
    }
}

impl State {
    /// Speaks HTTP/1.1 until the client goes away.
    fn talk(&self, mut stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        loop {
            let received = read(&mut reader)?;
            self.received.lock().unwrap().push(received);
            let (status, body) = self.next_answer();
            let head =
                format!("HTTP/1.1 {status} Whatever\r\nContent-Length: {}\r\n\r\n", body.len());
            // RFC 9110: a 204 has neither a body nor its length.
            let head =
                if status == 204 { "HTTP/1.1 204 No Content\r\n\r\n".to_owned() } else { head };
            stream.write_all(&[head.as_bytes(), &body].concat()).ok()?;
        }
    }

    fn next_answer(&self) -> (u16, Vec<u8>) {
        let answer = self
            .has_answer
            .wait_while(self.answer.lock().unwrap(), |answer| answer.is_none())
            .unwrap();
        answer.clone().unwrap()
    }
}

fn read(reader: &mut impl BufRead) -> Option<Received> {
    let mut lines = reader.lines();
    let line = lines.next()?.ok()?;
    let mut headers = HashMap::new();
    loop {
        let header = lines.next()?.ok()?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(": ")?;
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { line, headers, body: String::from_utf8(body).ok()? })
}
