//! A port without listener.

use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpSocket;

/// A port of 127.0.0.1 that refuses connections while this value lives.
///
/// The port is bound. A free port could soon become that of another test, whose server would then
/// respond.
#[derive(Debug)]
pub struct ClosedPort(TcpSocket);

impl ClosedPort {
    /// Binds a port that the operating system chooses.
    pub fn choose() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a port");
        Self(socket)
    }

    /// The port's address.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().expect("an address")
    }
}
