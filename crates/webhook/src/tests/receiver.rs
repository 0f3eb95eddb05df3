//! A receiver that a test programs.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Listens until it is dropped.
pub(super) struct Receiver {
    address: SocketAddr,
    seen: Arc<Seen>,
    listening: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

impl Receiver {
    /// Runs `serve` for each connection, on 127.0.0.1.
    pub(super) async fn start<S, F>(serve: S) -> Self
    where
        S: Fn(Connection) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        Self::listen(TcpListener::bind("127.0.0.1:0").await.unwrap(), serve)
    }

    /// Runs `serve` for each connection to a listener.
    pub(super) fn listen<S, F>(listener: TcpListener, serve: S) -> Self
    where
        S: Fn(Connection) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let (address, seen) = (listener.local_addr().unwrap(), Arc::new(Seen::default()));
        let theirs = Arc::clone(&seen);
        let listening = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                theirs.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(Connection { stream, seen: Arc::clone(&theirs) }));
            }
        });
        Self { address, seen, listening }
    }

    /// Gives each request the same answer.
    pub(super) async fn answering(answer: impl Into<Vec<u8>>) -> Self {
        let answer: Arc<[u8]> = answer.into().into();
        Self::start(move |mut connection| {
            let answer = Arc::clone(&answer);
            async move {
                while connection.request().await.is_some() {
                    connection.say(&answer).await;
                }
            }
        })
        .await
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// The number of connections so far.
    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// The requests so far, as they came.
    pub(super) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

pub(super) struct Connection {
    pub(super) stream: TcpStream,
    seen: Arc<Seen>,
}

impl Connection {
    /// Reads a request with its body. `None` if the client has gone.
    pub(super) async fn request(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        while !is_whole(&bytes) {
            if self.stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return None;
            }
        }
        let request = String::from_utf8(bytes).unwrap();
        self.seen.requests.lock().unwrap().push(request.clone());
        Some(request)
    }

    /// Sends bytes. Answers whether the client took them.
    pub(super) async fn say(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Waits until the client goes away.
    pub(super) async fn wait_for_end(mut self) {
        let mut rest = Vec::new();
        let _ = self.stream.read_to_end(&mut rest).await;
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .map_or(0, |length| length.parse().unwrap());
    bytes.len() >= head.len() + "\r\n\r\n".len() + length
}
