//! A running server for each store, which all tests share, and the organizations that call it.

use super::openapi;
use hearback_domain::ClosedSet;
use hearback_domain::id::EventId;
use hearback_server::StoreUrl;
use hearback_tests::postgres::{self, Isolation};
use hearback_tests::{scratch, system};
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::OnceCell;

/// The kinds of stores that tests run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    /// The embedded store.
    Sqlite,
    /// PostgreSQL at its default isolation level, read committed.
    Postgres,
    /// PostgreSQL with serializable transactions.
    Serializable,
}

impl Store {
    /// The isolation level of its transactions on PostgreSQL.
    fn isolation(self) -> Isolation {
        match self {
            Self::Serializable => Isolation::Serializable,
            Self::Sqlite | Self::Postgres => Isolation::ReadCommitted,
        }
    }
}

/// A store, with the settings of all servers and commands on it.
#[derive(Clone, Debug)]
pub(crate) struct Installation {
    /// The address of the store.
    pub(crate) database_url: String,
    pub(crate) data_dir: PathBuf,
    /// The program of its servers and commands.
    pub(crate) binary: PathBuf,
    /// Environment variables in addition to the variables that all tests need.
    pub(crate) settings: Vec<(&'static str, String)>,
}

impl Installation {
    /// A new store for one test. It has the schema, and no organization.
    pub(crate) async fn new(store: Store, settings: &[(&'static str, &str)]) -> Self {
        if store != Store::Sqlite && postgres::is_citus() {
            // The tables of a cluster are on several servers, so no copy would have all of them.
            let installation = Self::without_schema(store, settings).await;
            installation.command(&["migrate", "--distribute"]).await;
            return installation;
        }
        let template = Self::template(store).await;
        let data_dir = new_folder();
        let database_url = match store {
            Store::Sqlite => {
                let copied = fs::copy(file(&template.data_dir), file(&data_dir));
                copied.expect("a copy of the store");
                url_of_file(&data_dir)
            }
            _ => postgres::copy(&template.database_url, store.isolation()).await,
        };
        Self { database_url, data_dir, binary: binary(), settings: owned(settings) }
    }

    /// The installation that each new one is a copy of, so that the migrations run once.
    async fn template(store: Store) -> &'static Self {
        static TEMPLATES: [OnceCell<Installation>; 3] = [const { OnceCell::const_new() }; 3];
        let make = async || {
            let installation = Self::without_schema(store, &[]).await;
            installation.command(&["migrate"]).await;
            installation
        };
        TEMPLATES[store as usize].get_or_init(make).await
    }

    /// A new and empty store.
    async fn without_schema(store: Store, settings: &[(&'static str, &str)]) -> Self {
        let data_dir = new_folder();
        let database_url = match store {
            Store::Sqlite => url_of_file(&data_dir),
            _ => postgres::create(store.isolation()).await,
        };
        Self { database_url, data_dir, binary: binary(), settings: owned(settings) }
    }

    /// Starts a server. It ends when it is dropped.
    pub(crate) fn serve(&self) -> Server {
        Server::start(self)
    }

    /// Starts a server that connects to the PostgreSQL database at another port.
    pub(crate) fn server_by_port(&self, port: u16) -> Server {
        let mut url = reqwest::Url::parse(&self.database_url).expect("the address of a database");
        url.set_port(Some(port)).expect("an address with a port");
        Installation { database_url: url.into(), ..self.clone() }.serve()
    }

    /// The port of the PostgreSQL database.
    pub(crate) fn database_port(&self) -> u16 {
        let url = reqwest::Url::parse(&self.database_url).expect("the address of a database");
        url.port().expect("its port")
    }

    /// Imports a file with one organization and gives the organization a key.
    pub(crate) async fn open(&self, slug: &str, lines: &str) -> Organization {
        let (installation, lines, of) = (self.clone(), lines.to_owned(), slug.to_owned());
        let key = tokio::task::spawn_blocking(move || {
            installation.run(&["import", "-"], &lines);
            installation.run(&["key", "generate", "--organization", &of], "")
        });
        let key = key.await.expect("the commands").trim().to_owned();
        Organization {
            installation: self.clone(),
            base: String::new(),
            slug: slug.to_owned(),
            key,
            client: client(),
        }
    }

    /// Loads the demo. Its key is the one that the command prints.
    pub(crate) async fn demo(&self) -> Organization {
        let said = self.command(&["demo"]).await;
        let key = said
            .lines()
            .find(|line| line.starts_with("hbk_"))
            .expect("a line with the key alone")
            .to_owned();
        Organization {
            installation: self.clone(),
            base: String::new(),
            slug: "weekwright".to_owned(),
            key,
            client: client(),
        }
    }

    /// Runs `hearback`, which must succeed. Returns its output.
    pub(crate) async fn command(&self, arguments: &[&str]) -> String {
        let arguments: Vec<String> =
            arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let installation = self.clone();
        let run =
            move || installation.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>(), "");
        tokio::task::spawn_blocking(run).await.expect("the command")
    }

    /// The mails written into the data directory so far.
    pub(crate) fn mails(&self) -> Vec<WrittenMail> {
        let mut mails = Vec::new();
        let mut folders = vec![self.data_dir.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder of the data directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "eml") {
                    let text = fs::read_to_string(&path).expect("a mail");
                    mails.push(WrittenMail { path, text });
                }
            }
        }
        mails
    }

    fn run(&self, arguments: &[&str], input: &str) -> String {
        let mut command = self
            .told(Command::new(&self.binary))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("hearback starts");
        command
            .stdin
            .take()
            .expect("its input")
            .write_all(input.as_bytes())
            .expect("hearback reads its input");
        let output = command.wait_with_output().expect("hearback ends");
        assert!(
            output.status.success(),
            "hearback {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Adds the environment variables of all servers and commands.
    pub(crate) fn told(&self, mut command: Command) -> Command {
        command
            .env("DATABASE_URL", &self.database_url)
            .env("HEARBACK_MASTER_KEY", "5a".repeat(32))
            .env("HEARBACK_DATA_DIR", &self.data_dir)
            .env("HEARBACK_PUBLIC_URL", PUBLIC_URL)
            .env("HEARBACK_MAIL_FROM", "Acme <news@feedback.example>")
            .env("HEARBACK_LOG", "info")
            // Tests type fast, and all from one address.
            .env("HEARBACK_FORM_MINIMUM_AGE", "0s")
            .env("HEARBACK_FORM_LIMIT_PER_ADDRESS", "1000000/s")
            .env("HEARBACK_FORM_LIMIT_PER_NETWORK", "1000000/s")
            .envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The public base URL of links in mails.
pub(crate) const PUBLIC_URL: &str = "https://feedback.example/news";

/// A mail in a file.
pub(crate) struct WrittenMail {
    /// The path of the file.
    pub(crate) path: PathBuf,
    /// The message.
    pub(crate) text: String,
}

impl WrittenMail {
    /// The value of a header, unfolded but not decoded.
    pub(crate) fn header(&self, name: &str) -> String {
        let (headers, _) = self.text.split_once("\r\n\r\n").expect("an empty line");
        let unfolded = headers.replace("\r\n ", " ").replace("\r\n\t", " ");
        let values: Vec<&str> = unfolded
            .lines()
            .filter_map(|line| {
                line.split_once(':').filter(|(header, _)| header.eq_ignore_ascii_case(name))
            })
            .map(|(_, value)| value.trim())
            .collect();
        let [value] = values[..] else { panic!("not one {name} in {headers}") };
        value.to_owned()
    }
}

/// A store with a server, shared by all tests.
pub(crate) struct Site {
    installation: Installation,
    server: Server,
}

impl Site {
    /// The site of a store. The first test that asks for it starts it.
    pub(crate) async fn of(store: Store) -> &'static Self {
        static SITES: [OnceCell<Site>; 3] = [const { OnceCell::const_new() }; 3];
        SITES[store as usize].get_or_init(|| Self::start(store)).await
    }

    async fn start(store: Store) -> Self {
        // What tests have deleted in the past of their drafts stays.
        let installation = Installation::new(store, &[("HEARBACK_ERASE_AFTER", "3650d")]).await;
        let server = installation.serve();
        Self { installation, server }
    }

    /// The installation of the site.
    pub(crate) fn installation(&self) -> &Installation {
        &self.installation
    }

    /// Starts another server process on the same store. It ends when it is dropped.
    pub(crate) async fn another_server(&self) -> Server {
        self.installation.serve()
    }

    /// The address of the server.
    pub(crate) fn base(&self) -> &str {
        &self.server.base
    }

    /// The URL of an endpoint.
    pub(crate) fn url(&self, path: &str) -> String {
        endpoint(&self.server.base, path)
    }

    /// A client. Each test has connections of its own, since its runtime ends with the test.
    pub(crate) fn client(&self) -> reqwest::Client {
        client()
    }

    /// The server's resident memory in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.pid))
            .expect("the server's status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
    }

    /// Sends a body unchanged.
    pub(crate) async fn raw(&self, path: &str, body: &str) -> TestResponse {
        self.bytes(path, body.as_bytes().to_vec()).await
    }

    /// Sends bytes unchanged.
    pub(crate) async fn bytes(&self, path: &str, body: Vec<u8>) -> TestResponse {
        send(self.client().post(self.url(path)), body).await
    }

    /// Runs `hearback` on the same store, which must succeed. Returns its output.
    pub(crate) async fn command(&self, arguments: &[&str]) -> String {
        self.installation.command(arguments).await
    }

    /// Imports a file with one organization and gives the organization a key.
    pub(crate) async fn open(&self, slug: &str, lines: &str) -> Organization {
        self.installation.open(slug, lines).await.at(&self.server)
    }
}

/// An organization with a key.
#[derive(Clone)]
pub(crate) struct Organization {
    installation: Installation,
    /// The base URL of the server that it calls. Empty until [`Organization::at`].
    pub(crate) base: String,
    slug: String,
    key: String,
    pub(crate) client: reqwest::Client,
}

impl Organization {
    /// The same organization, as a client of this server.
    pub(crate) fn at(&self, server: &Server) -> Self {
        Self { base: server.base.clone(), ..self.clone() }
    }

    /// The URL of an endpoint.
    pub(crate) fn url(&self, path: &str) -> String {
        endpoint(&self.base, path)
    }

    /// Calls an endpoint with the organization's key. Repeats the call while the server is busy, as
    /// a client does: under load a write may wait longer than the server's limit.
    pub(crate) async fn post(&self, path: &str, body: Value) -> TestResponse {
        let deadline = system::deadline();
        loop {
            let response = self.post_once(path, body.clone()).await;
            if response.status != 503 || Instant::now() >= deadline {
                return response;
            }
        }
    }

    /// Calls an endpoint with the organization's key, once.
    pub(crate) async fn post_once(&self, path: &str, body: Value) -> TestResponse {
        send(self.client.post(self.url(path)), self.signed(body)).await
    }

    /// Calls an endpoint that changes something, with an idempotency key.
    pub(crate) async fn repeat(&self, path: &str, key: &str, body: Value) -> TestResponse {
        let request = self.client.post(self.url(path)).header("Idempotency-Key", key);
        send(request, self.signed(body)).await
    }

    /// Sends the call of [`Organization::repeat`] and reads no response. Returns the connection.
    pub(crate) async fn send_only(&self, path: &str, key: &str, body: Value) -> TcpStream {
        let address = self.base.strip_prefix("http://").expect("an address");
        let mut connection = TcpStream::connect(address).await.expect("a connection");
        let body = self.signed(body);
        let head = format!(
            "POST /api/external/v1{path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Idempotency-Key: {key}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        connection.write_all(&[head.into_bytes(), body].concat()).await.expect("the request");
        connection
    }

    /// Calls an endpoint and returns the faults of its `422`: type, `loc` below the body, `input`.
    pub(crate) async fn faults(&self, path: &str, body: Value) -> Vec<Value> {
        let answer = self.post(path, body).await.expect(422);
        let items = answer["detail"].as_array().expect("items");
        let fault = |item: &Value| {
            let [body, place @ ..] = item["loc"].as_array().expect("a loc").as_slice() else {
                panic!("an empty loc: {item}")
            };
            assert_eq!(body, "body");
            assert!(item["msg"].as_str().is_some_and(|msg| !msg.is_empty()), "{item}");
            assert_eq!(item.as_object().map(serde_json::Map::len), Some(4), "{item}");
            let place = if let [field] = place { field.clone() } else { json!(place) };
            json!([item["type"], place, item["input"]])
        };
        items.iter().map(fault).collect()
    }

    /// Replaces one field of a valid body by each of these values. The server must refuse each
    /// value with a single fault, of that field and of the given type.
    pub(crate) async fn refuses(&self, path: &str, good: &Value, cases: &[(&str, Value, &str)]) {
        for (field, value, kind) in cases {
            let mut body = good.clone();
            body[*field] = value.clone();
            assert_eq!(
                json!(self.faults(path, body).await),
                json!([[kind, field, value]]),
                "{path}: {field} {value}"
            );
        }
    }

    /// All pages of a list, read with this limit.
    pub(crate) async fn walk(&self, path: &str, body: Value, limit: usize) -> Vec<Value> {
        let mut all = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let mut body = body.clone();
            body["limit"] = limit.into();
            body["cursor"] = cursor;
            let page = self.post(path, body).await.expect(200);
            let items = page["items"].as_array().expect("items");
            assert!(items.len() <= limit);
            all.extend(items.iter().cloned());
            if page["has_next_page"] == false {
                assert_eq!(page["cursor"], Value::Null);
                return all;
            }
            assert_eq!(items.len(), limit);
            cursor = page["cursor"].clone();
        }
    }

    /// The identifiers of the first 100 records of a list, as an array.
    pub(crate) async fn ids(&self, path: &str, body: Value) -> Value {
        let mut body = body;
        body["limit"] = 100.into();
        let page = self.post(path, body).await.expect(200);
        page["items"].as_array().expect("items").iter().map(|item| item["id"].clone()).collect()
    }

    /// Retrieves a record of the help center. `field` names it.
    pub(crate) async fn retrieve(&self, path: &str, field: &str, id: &str) -> Value {
        self.post(path, json!({field: id})).await.expect(200)
    }

    /// A client without the key.
    pub(crate) fn client(&self) -> reqwest::Client {
        self.client.clone()
    }

    /// The slug.
    pub(crate) fn slug(&self) -> &str {
        &self.slug
    }

    /// The key.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// The records in the portable format.
    pub(crate) async fn export(&self) -> Vec<Value> {
        let lines = self.installation.command(&["export", "--organization", &self.slug]).await;
        lines.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
    }

    /// Asserts that PostgreSQL has counted no deadlock in the database.
    pub(crate) async fn has_no_deadlock(&self) {
        if self.installation.database_url.starts_with("sqlite:") {
            return;
        }
        let client = postgres::connect(&self.installation.database_url).await;
        let count = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        let row = client.query_one(count, &[]).await.expect("the database counts deadlocks");
        assert_eq!(row.get::<_, i64>(0), 0, "deadlocks");
    }

    /// The recorded events, oldest first, as `{event, data}`.
    pub(crate) async fn events(&self) -> Vec<Value> {
        let url = StoreUrl::parse(&self.installation.database_url).expect("a store");
        let store = hearback_server::Store::open(
            &url,
            hearback_server::Connections { workers: 1, writes: 1 },
        )
        .await
        .expect("the store opens");
        let ports = store.ports(
            Arc::new(system::MachineClock),
            Arc::new(system::OrderedIds),
            Arc::new(system::NoAlarm),
        );
        let organization = ports
            .organizations
            .find_by_slug(&self.slug)
            .await
            .expect("an answer")
            .expect("the organization")
            .id;
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

    fn signed(&self, mut body: Value) -> Vec<u8> {
        body["api_key"] = self.key.as_str().into();
        body.to_string().into_bytes()
    }
}

/// A response of a server.
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl TestResponse {
    /// The body. Panics if the status is another one.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("UTF-8")
    }
}

/// A server process.
pub(crate) struct Server {
    base: String,
    /// The identifier of the process.
    pub(crate) pid: u32,
    log: Arc<Mutex<Vec<u8>>>,
    /// The parent of the server. It ends the server when its standard input closes: when this is
    /// dropped, at the latest with the tests. It ends with the server.
    pub(crate) keeper: Child,
}

impl Server {
    /// The base URL.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The log so far.
    pub(crate) fn log(&self) -> String {
        String::from_utf8(self.log.lock().expect("not poisoned").clone()).expect("UTF-8")
    }

    /// Kills the server.
    pub(crate) fn kill(self) {
        let killed = Command::new("kill")
            .args(["-KILL", &self.pid.to_string()])
            .status()
            .expect("kill runs");
        assert!(killed.success());
    }

    fn start(installation: &Installation) -> Self {
        let mut keeper = installation
            .told(Command::new("sh"))
            // A file beyond the limit that a test sets is an error of a write, and no signal.
            .args(["-c", r#"trap "" XFSZ; "$@" & echo $!; cat; kill -TERM $!; wait $!"#, "sh"])
            .arg(&installation.binary)
            .arg("serve")
            .env("HEARBACK_LISTEN", "127.0.0.1:0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut pid = String::new();
        BufReader::new(keeper.stdout.take().expect("its output"))
            .read_line(&mut pid)
            .expect("its process id");
        let mut log = BufReader::new(keeper.stderr.take().expect("its log"));
        let mut said = String::new();
        let base = loop {
            let mut line = String::new();
            assert_ne!(log.read_line(&mut line).expect("a line"), 0, "the server ended: {said}");
            said.push_str(&line);
            if let Some(at) = line.find("http://127.0.0.1:") {
                let digits: String = line[at + "http://127.0.0.1:".len()..]
                    .chars()
                    .take_while(char::is_ascii_digit)
                    .collect();
                break format!("http://127.0.0.1:{digits}");
            }
        };
        // A thread reads all further output at once, so that the server never waits for a reader.
        let logged = Arc::new(Mutex::new(said.into_bytes()));
        let kept = Arc::clone(&logged);
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while log.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                kept.lock().expect("not poisoned").append(&mut line);
            }
        });
        Self { base, pid: pid.trim().parse().expect("a process id"), log: logged, keeper }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

fn client() -> reqwest::Client {
    builder().build().expect("a client")
}

/// A builder of clients that trust no certificate. Reading the machine's certificates takes longer
/// than most tests.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    // This fails if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().tls_certs_only([])
}

fn endpoint(base: &str, path: &str) -> String {
    format!("{base}/api/external/v1{path}")
}

async fn send(request: reqwest::RequestBuilder, body: Vec<u8>) -> TestResponse {
    let (client, request) =
        request.header("Content-Type", "application/json").body(body).build_split();
    let request = request.expect("a request");
    let path = request.url().path().to_owned();
    let answer = client.execute(request).await.expect("an answer");
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let bytes = answer.bytes().await.expect("a body").to_vec();
    openapi::check(&path, status, &bytes);
    TestResponse { status, headers, bytes }
}

/// The file of the embedded store in a data directory.
fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("api.db")
}

fn url_of_file(data_dir: &Path) -> String {
    format!("sqlite:{}", file(data_dir).display())
}

fn owned(settings: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

/// The binary of this build. It is in the parent folder of the test binary.
pub(crate) fn binary() -> PathBuf {
    if let Some(binary) = std::env::var_os("HEARBACK_TEST_BINARY") {
        return binary.into();
    }
    let test = std::env::current_exe().expect("the path of this test");
    let binary = test.parent().and_then(Path::parent).expect("target/debug").join("hearback");
    assert!(binary.exists(), "{} is not built: run `make test`", binary.display());
    binary
}

/// A folder for the data of an installation.
pub(crate) fn new_folder() -> PathBuf {
    tempfile::tempdir_in(scratch::folder(temporary())).expect("a new folder").keep()
}

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}
