//! A running server on a store, one of each for all tests, and the organizations that call it.

use hearback_domain::ClosedSet;
use hearback_domain::id::EventId;
use hearback_server::StoreUrl;
use hearback_tests::{postgres, scratch, system};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The stores that every test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// The embedded one.
    Sqlite,
    /// PostgreSQL as it comes: read committed.
    Postgres,
    /// PostgreSQL with serializable transactions.
    Serializable,
}

/// A store with a server on it.
pub(crate) struct Site {
    database_url: String,
    server: Server,
}

impl Site {
    /// The site of a store; started by the first test that asks.
    pub(crate) async fn of(store: Store) -> &'static Self {
        static SITES: [OnceCell<Site>; 3] = [const { OnceCell::const_new() }; 3];
        SITES[store as usize].get_or_init(|| Self::start(store)).await
    }

    async fn start(store: Store) -> Self {
        let database_url = match store {
            Store::Sqlite => format!("sqlite:{}", scratch::folder(temporary()).join("api.db").display()),
            Store::Postgres => postgres::create(postgres::Isolation::ReadCommitted).await,
            Store::Serializable => postgres::create(postgres::Isolation::Serializable).await,
        };
        let server = Server::start(&database_url);
        Self { database_url, server }
    }

    /// Another server process on the same store; it ends when it is dropped.
    pub(crate) async fn another_server(&self) -> Server {
        Server::start(&self.database_url)
    }

    /// Another server process that reaches the database, which is PostgreSQL, at another port.
    pub(crate) fn server_by_port(&self, port: u16) -> Server {
        let mut url = reqwest::Url::parse(&self.database_url).expect("the address of a database");
        url.set_port(Some(port)).expect("an address with a port");
        Server::start(url.as_str())
    }

    /// The port of the database, which is PostgreSQL.
    pub(crate) fn database_port(&self) -> u16 {
        reqwest::Url::parse(&self.database_url).expect("the address of a database").port().expect("its port")
    }

    /// The address of the server.
    pub(crate) fn base(&self) -> &str {
        &self.server.base
    }

    /// The URL of an endpoint.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}/api/external/v1{path}", self.server.base)
    }

    /// A client; each test has connections of its own, since its runtime ends with it.
    pub(crate) fn client(&self) -> reqwest::Client {
        // Fails where it was installed before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::new()
    }

    /// Memory of the server in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.pid)).expect("the server's status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
    }

    /// Sends a body as it is.
    pub(crate) async fn raw(&self, path: &str, body: &str) -> Answer {
        self.bytes(path, body.as_bytes().to_vec()).await
    }

    /// Sends bytes as they are.
    pub(crate) async fn bytes(&self, path: &str, body: Vec<u8>) -> Answer {
        send(&self.client(), self.url(path), body).await
    }

    /// Runs `hearback` on the same store and returns what it prints.
    pub(crate) async fn command(&self, arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let database_url = self.database_url.clone();
        tokio::task::spawn_blocking(move || run(&database_url, &arguments, "")).await.expect("the command")
    }

    /// Imports a file of one organization and gives it a key.
    pub(crate) async fn open(&'static self, slug: &str, lines: &str) -> Organization {
        let (database_url, lines, of) = (self.database_url.clone(), lines.to_owned(), slug.to_owned());
        let key = tokio::task::spawn_blocking(move || {
            run(&database_url, &["import".to_owned(), "-".to_owned()], &lines);
            run(&database_url, &["key", "generate", "--organization", &of].map(str::to_owned), "")
        });
        let key = key.await.expect("the commands").trim().to_owned();
        Organization { site: self, slug: slug.to_owned(), key, client: self.client() }
    }
}

/// An organization with a key.
pub(crate) struct Organization {
    site: &'static Site,
    slug: String,
    key: String,
    client: reqwest::Client,
}

impl Organization {
    /// Calls an endpoint with the organization's key.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        let mut body = body;
        body["api_key"] = self.key.as_str().into();
        send(&self.client, self.site.url(path), body.to_string().into_bytes()).await
    }

    /// Its key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Its records in the portable format.
    pub(crate) async fn export(&self) -> Vec<Value> {
        let lines = self.site.command(&["export", "--organization", &self.slug]).await;
        lines.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
    }

    /// Its recorded events, oldest first, as `{event, data}`.
    pub(crate) async fn events(&self) -> Vec<Value> {
        let url = StoreUrl::parse(&self.site.database_url).expect("a store");
        let store = hearback_server::Store::open(&url).await.expect("the store opens");
        let ports = store.ports(Arc::new(system::MachineClock), Arc::new(system::OrderedIds));
        let organization = ports.organizations.find_by_slug(&self.slug).await.expect("an answer").expect("the organization").id;
        let mut events = Vec::new();
        let mut after: Option<EventId> = None;
        loop {
            let page = ports.events.list(organization, after, 1_000).await.expect("events");
            let Some(last) = page.last() else {
                store.close().await;
                return events;
            };
            after = Some(last.id);
            events.extend(page.iter().map(|event| {
                let data: Value = serde_json::from_str(&event.data).expect("JSON");
                json!({"event": event.event_type.code(), "data": data})
            }));
        }
    }
}

/// An answer of the server.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    /// The body, once the status is as expected.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("UTF-8")
    }
}

/// A server process.
pub(crate) struct Server {
    base: String,
    pid: u32,
    /// Ends the server when its standard input closes, be it that this is dropped or that the tests end in whatever way.
    keeper: Child,
}

impl Server {
    /// Its address.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    fn start(database_url: &str) -> Self {
        let mut keeper = settings(Command::new("sh"), database_url)
            .args(["-c", r#""$@" & echo $!; cat; kill -TERM $!; wait $!"#, "sh"])
            .arg(binary())
            .arg("serve")
            .env("HEARBACK_LISTEN", "127.0.0.1:0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut pid = String::new();
        BufReader::new(keeper.stdout.take().expect("its output")).read_line(&mut pid).expect("its process id");
        let mut log = BufReader::new(keeper.stderr.take().expect("its log"));
        let mut said = String::new();
        let base = loop {
            let mut line = String::new();
            assert_ne!(log.read_line(&mut line).expect("a line"), 0, "the server ended: {said}");
            said.push_str(&line);
            if let Some(at) = line.find("http://127.0.0.1:") {
                let digits: String = line[at + "http://127.0.0.1:".len()..].chars().take_while(char::is_ascii_digit).collect();
                break format!("http://127.0.0.1:{digits}");
            }
        };
        // What is logged later is read so that the server never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { base, pid: pid.trim().parse().expect("a process id"), keeper }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

async fn send(client: &reqwest::Client, url: String, body: Vec<u8>) -> Answer {
    let request = client.post(url).header("Content-Type", "application/json").body(body);
    let answer = request.send().await.expect("an answer");
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Answer { status, headers, bytes: answer.bytes().await.expect("a body").to_vec() }
}

fn run(database_url: &str, arguments: &[String], input: &str) -> String {
    let mut command = settings(Command::new(binary()), database_url)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hearback starts");
    command.stdin.take().expect("its input").write_all(input.as_bytes()).expect("it reads its input");
    let output = command.wait_with_output().expect("it ends");
    assert!(output.status.success(), "hearback {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn settings(mut command: Command, database_url: &str) -> Command {
    command
        .env("DATABASE_URL", database_url)
        .env("HEARBACK_MASTER_KEY", "5a".repeat(32))
        .env("HEARBACK_DATA_DIR", scratch::folder(temporary()))
        .env("HEARBACK_LOG", "info");
    command
}

/// The binary of this build: beside the folder of the test binary.
fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let binary = test.parent().and_then(Path::parent).expect("target/debug").join("hearback");
    assert!(binary.exists(), "{} is not built: run `make test`", binary.display());
    binary
}

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}
