//! Support around the servers: a balancer, and a forwarder to a database that can be held up.

/// The support of the API's tests: stores, servers, drafts of organizations.
#[path = "../api/support/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the tests of the API need more of it")]
mod api;

pub(crate) use api::{Draft, Installation, Organization, Server, Store, error, eventually};

use api::site;
use hearback_tests::cluster::Script;
use std::process::{Child, Command, Stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

impl Installation {
    /// An installation on a PostgreSQL database that was made for it.
    pub(crate) fn on(database_url: String, settings: &[(&'static str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self { database_url, data_dir: site::new_folder(), binary: site::binary(), settings }
    }

    /// Starts `hearback`.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.told(Command::new(&self.binary));
        command.args(arguments).stdin(Stdio::null()).spawn().expect("hearback starts")
    }

    /// Runs `hearback`, which must fail. Returns its output and its errors.
    pub(crate) async fn failure(&self, arguments: &[&str]) -> String {
        let mut command = self.told(Command::new(&self.binary));
        command.args(arguments).stdin(Stdio::null());
        let output = tokio::task::spawn_blocking(move || command.output().expect("hearback runs"))
            .await
            .expect("the command");
        assert!(!output.status.success(), "hearback {arguments:?} does not fail");
        String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
    }
}

impl Organization {
    /// The same organization as a client of a port of this machine, each time over a new
    /// connection.
    pub(crate) fn through(&self, port: u16) -> Self {
        let mut through = self.clone();
        through.base = format!("http://127.0.0.1:{port}");
        through.client = site::builder().pool_max_idle_per_host(0).build().expect("a client");
        through
    }
}

/// haproxy in front of servers. Each connection goes to the next server.
pub(crate) struct Balancer {
    _script: Script,
    /// The port that it listens on.
    pub(crate) port: u16,
}

impl Balancer {
    /// Starts haproxy.
    pub(crate) fn start(servers: &[Server]) -> Self {
        let addresses: Vec<&str> =
            servers.iter().map(|server| server.base().trim_start_matches("http://")).collect();
        let (_script, lines) = Script::start("balancer", &addresses, &[], |_| true);
        Self { _script, port: lines[0].parse().expect("a port") }
    }
}

/// A forwarder to several ports in turn, which can be held up like a machine that hangs: it then
/// accepts and keeps connections, but forwards nothing.
pub(crate) struct Way {
    /// The port that it listens on.
    pub(crate) port: u16,
    is_open: watch::Sender<bool>,
}

impl Way {
    /// Starts a forwarder that is not held up.
    pub(crate) async fn to(ports: Vec<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let way = Self {
            port: listener.local_addr().expect("an address").port(),
            is_open: watch::Sender::new(true),
        };
        tokio::spawn(carry(listener, ports, way.is_open.subscribe()));
        way
    }

    /// Holds up everything, or lets it go on.
    pub(crate) fn set_open(&self, is_open: bool) {
        self.is_open.send_replace(is_open);
    }
}

async fn carry(listener: TcpListener, to: Vec<u16>, is_open: watch::Receiver<bool>) {
    for to in to.into_iter().cycle() {
        let Ok((near, _)) = listener.accept().await else { return };
        let Ok(far) = TcpStream::connect(("127.0.0.1", to)).await else { continue };
        let ((near_read, near_write), (far_read, far_write)) =
            (near.into_split(), far.into_split());
        tokio::spawn(carry_on(near_read, far_write, is_open.clone()));
        tokio::spawn(carry_on(far_read, near_write, is_open.clone()));
    }
}

async fn carry_on(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut is_open: watch::Receiver<bool>,
) -> Option<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        is_open.wait_for(|is_open| *is_open).await.ok()?;
        to.write_all(&buffer[..read]).await.ok()?;
    }
}
