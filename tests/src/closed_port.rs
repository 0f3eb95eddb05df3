//! Where nobody listens.

use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that takes no connection for as long as this is there.
///
/// It is bound. One that had only been free a moment ago is soon the port of another test, whose
/// server then answers.
#[derive(Debug)]
pub struct ClosedPort(TcpSocket);

impl ClosedPort {
    /// One that the operating system chooses.
    pub fn choose() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a port");
        Self(socket)
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("an address")
    }
}
