//! Whether the address to listen on is free, or has a ready server.

use super::skipped;
use crate::config::Reading;
use crate::serve::reachable;
use crate::settings::{LISTEN, METRICS_LISTEN};
use hearback_ports::examination::Finding;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

pub(super) async fn examine(reading: &Reading) -> Vec<Finding> {
    if let Some(finding) = skipped(reading, "address to listen on", &[LISTEN.name]) {
        return vec![finding];
    }
    let address = reading.config.listen;
    let found = match bind(address) {
        Ok(()) => {
            Finding::good(format!("{address} is free to listen on, and no server runs there"))
        }
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            finding(address, probe(address).await)
        }
        Err(error) => unusable(LISTEN.name, address, &error),
    };
    let mut findings = vec![found];
    findings.extend(
        reading
            .config
            .metrics_listen
            .filter(|_| !reading.is_wrong(METRICS_LISTEN.name))
            .map(metrics),
    );
    findings
}

/// Whether the listener for metrics can have its address. A server that has it shows nothing there
/// but metrics.
fn metrics(address: SocketAddr) -> Finding {
    match bind(address) {
        Ok(()) => Finding::good(format!("{address} is free to serve metrics on")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Finding::warning(
            format!("another process listens on {address}, the address for metrics"),
            format!(
                "unless it is a hearback (`curl http://{address}/metrics`), set \
                 HEARBACK_METRICS_LISTEN to another port"
            ),
        ),
        Err(error) => unusable(METRICS_LISTEN.name, address, &error),
    }
}

fn unusable(setting: &str, address: SocketAddr, error: &io::Error) -> Finding {
    Finding::problem(
        format!("cannot listen on {address}: {error}"),
        format!(
            "set {setting} to an address of this machine, and a port that this user may open, \
             such as one from 1024 on"
        ),
    )
}

/// Takes the address without taking connections, and gives it back.
fn bind(address: SocketAddr) -> io::Result<()> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // The server sets this, too: connections that have just ended do not block the address.
    socket.set_reuseaddr(true)?;
    socket.bind(address)
}

/// The process that listens on an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listener {
    /// A ready server.
    Ready,
    /// A server that is not ready.
    Unready,
    /// Another program.
    Stranger,
}

fn finding(address: SocketAddr, listener: Listener) -> Finding {
    match listener {
        Listener::Ready => Finding::good(format!("a hearback listens on {address} and is ready")),
        Listener::Unready => Finding::problem(
            format!("a hearback listens on {address} and is not ready"),
            "read its log: the store may be out of reach",
        ),
        Listener::Stranger => Finding::problem(
            format!("another process than hearback listens on {address}"),
            "end it (`ss -ltnp` names it), or set HEARBACK_LISTEN to another port",
        ),
    }
}

async fn probe(address: SocketAddr) -> Listener {
    let answer = timeout(PATIENCE, ask(address))
        .await
        .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    let answer = answer.unwrap_or_default();
    // The two answers of a server at `/readyz`.
    match answer.split_once("\r\n\r\n") {
        Some((head, "{\"status\":\"ok\"}")) if head.starts_with("HTTP/1.1 200 ") => Listener::Ready,
        Some((head, body))
            if head.starts_with("HTTP/1.1 503 ")
                && body == "{\"detail\":{\"error\":\"temporarily unavailable\"}}" =>
        {
            Listener::Unready
        }
        _ => Listener::Stranger,
    }
}

/// How long the answer may take. The server itself waits two seconds for the store.
const PATIENCE: Duration = Duration::from_secs(5);

async fn ask(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect(reachable(address)).await?;
    stream
        .write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The bytes that are read of an answer.
const LONGEST: u64 = 16 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn answering(answer: &'static str) -> Listener {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            assert_ne!(stream.read(&mut [0; 1024]).await.unwrap(), 0);
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        let listener = probe(address).await;
        serving.await.unwrap();
        listener
    }

    #[tokio::test]
    async fn a_hearback_server_is_distinguished_from_other_programs() {
        assert_eq!(
            answering("HTTP/1.1 200 OK\r\nA: b\r\n\r\n{\"status\":\"ok\"}").await,
            Listener::Ready
        );
        let unready = "HTTP/1.1 503 Service Unavailable\r\n\r\n{\"detail\":{\"error\":\"temporarily unavailable\"}}";
        assert_eq!(answering(unready).await, Listener::Unready);
        for other in [
            "HTTP/1.1 200 OK\r\n\r\nhello",
            "HTTP/1.1 404 Not Found\r\n\r\n",
            "220 mail.example\r\n",
            "",
        ] {
            assert_eq!(answering(other).await, Listener::Stranger, "{other}");
        }
    }
}
