//! Connections to a server that a test reads and writes byte by byte.

use crate::support::{Draft, Installation, Organization, Server, Store};
use std::fs;
use std::process::Command;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Opens a connection.
pub(crate) async fn connect(server: &Server) -> TcpStream {
    let address = server.base().trim_start_matches("http://");
    TcpStream::connect(address).await.expect("a connection")
}

/// Sends a request on a new connection, and leaves the response unread.
pub(crate) async fn send(server: &Server, path: &str, body: &[u8]) -> TcpStream {
    let mut stream = connect(server).await;
    stream.write_all(&[head(path, body.len()).as_bytes(), body].concat()).await.expect("is sent");
    stream
}

/// The head of a request.
pub(crate) fn head(path: &str, length: usize) -> String {
    format!("POST /api/external/v1{path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n")
}

/// Asks for a file, and leaves it unread.
pub(crate) async fn get(server: &Server, path: &str) -> TcpStream {
    let mut stream = connect(server).await;
    let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(head.as_bytes()).await.expect("is sent");
    stream
}

/// The status of a response, whose rest is left unread.
pub(crate) async fn status(stream: &mut TcpStream) -> String {
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.expect("a response");
    String::from_utf8_lossy(&head[9..]).into_owned()
}

/// The most memory that a server had so far, in bytes.
pub(crate) fn peak(server: &Server) -> usize {
    let process = fs::read_to_string(format!("/proc/{}/status", server.pid)).expect("its state");
    let line = process.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
}

/// Sets the most files that a running server may open.
pub(crate) fn limit_files(server: &Server, files: usize) {
    let limit = [format!("--pid={}", server.pid), format!("--nofile={files}")];
    assert!(Command::new("prlimit").args(limit).status().expect("prlimit runs").success());
}

/// Imports an organization into a new store, and starts a server.
pub(crate) async fn open(
    draft: &Draft,
    settings: &[(&'static str, &str)],
) -> (Organization, Server) {
    let installation = Installation::new(Store::Sqlite, settings).await;
    let acme = installation.open(draft.slug(), &draft.lines()).await;
    (acme, installation.serve())
}
