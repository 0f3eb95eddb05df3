//! A folder to run the binary in, and a client for the server that it starts.

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The most time of a step before a test fails. Long, for machines with other work.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of its own. The binary runs in it with no variables but those of [`Home::set`].
pub(crate) struct Home {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Home {
    /// A home without a data directory, which will be `data`.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// A home whose deliveries may go to receivers on this machine.
    pub(crate) fn receiving_nearby() -> Self {
        Self::new().set("HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS", "true")
    }

    /// A home with an organization `acme`.
    pub(crate) fn with_acme() -> Self {
        let home = Self::new();
        home.run("organization create --slug acme --name Acme").expect_success();
        home
    }

    /// Imports the organization of [`acme_file`], and answers its key.
    pub(crate) fn import_acme(&self) -> String {
        self.import(&acme_file());
        self.generate_key()
    }

    /// Imports a file with this content.
    pub(crate) fn import(&self, content: &str) {
        self.run_with_input("import -", content).expect_success();
    }

    /// Generates the key of the organization `acme`.
    pub(crate) fn generate_key(&self) -> String {
        self.run("key generate --organization acme").expect_line()
    }

    /// The key of the organization `acme`.
    pub(crate) fn reveal_key(&self) -> String {
        self.run("key reveal --organization acme").expect_line()
    }

    /// Adds a subscription of the organization `acme`, and answers its identifier and its secret.
    /// Options may follow the URL.
    pub(crate) fn subscribe(&self, url: &str) -> (String, String) {
        let line = self.run(&format!("webhook add --organization acme --url {url}")).expect_line();
        let (id, secret) = line.split_once('\t').unwrap();
        (id.to_owned(), secret.to_owned())
    }

    /// The export of the organization `acme`, with its secrets.
    pub(crate) fn export(&self) -> String {
        self.run("export --organization acme --with-secrets").expect_success()
    }

    /// The lines of `hearback organization list`.
    pub(crate) fn organizations(&self) -> Vec<String> {
        let list = self.run("organization list").expect_success();
        list.lines().map(str::to_owned).collect()
    }

    /// Sets a variable for the commands from now on.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A connection of its own to the embedded store.
    pub(crate) fn store(&self) -> SqliteConnection {
        let mut connection =
            SqliteConnection::establish(self.path("data/hearback.db").to_str().unwrap()).unwrap();
        connection.batch_execute("PRAGMA busy_timeout = 10000").unwrap();
        connection
    }

    /// The path of a new file.
    pub(crate) fn file(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The names in a directory, sorted.
    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The command `hearback LINE`. The line is split into arguments at its spaces.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hearback"));
        command
            .args(line.split_terminator(' '))
            .current_dir(self.folder.path())
            .env_clear()
            .stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, line: &str) -> Done {
        Done::new(line, self.command(line).output().unwrap())
    }

    /// Runs a command to its end, with this standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: &str) -> Done {
        let mut child = self.start(line, Stdio::piped());
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Done::new(line, child.wait_with_output().unwrap())
    }

    pub(crate) fn start(&self, line: &str, input: Stdio) -> Child {
        self.command(line)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// A running server, on a port of its own.
    pub(crate) fn serve(&self) -> Server {
        let mut command = self.command("serve");
        command.env("HEARBACK_LISTEN", "127.0.0.1:0");
        Server::start(command)
    }
}

/// Repeats a question until it has an answer.
pub(crate) fn poll<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "no answer in time");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether a text is another one. An `…` at the end of the other one stands for any text.
pub(crate) fn is_like(text: &str, other: &str) -> bool {
    other.strip_suffix('…').map_or_else(|| text == other, |start| text.starts_with(start))
}

/// Expects that none of these is in a text.
#[track_caller]
pub(crate) fn assert_hides(text: &str, secrets: &[&str]) {
    for secret in secrets {
        let told = text.lines().find(|line| line.contains(secret));
        assert_eq!(told, None, "{secret} is printed");
    }
}

/// The last four octal digits of a file's or directory's mode.
pub(crate) fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The status and the output of a command.
#[derive(Debug)]
pub(crate) struct Done {
    line: String,
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    pub(crate) fn new(line: &str, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            line: line.to_owned(),
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// The text that it printed.
    #[track_caller]
    pub(crate) fn expect_success(self) -> String {
        assert_eq!(self.status, Some(0), "hearback {}: {self:?}", self.line);
        self.stdout
    }

    /// The only line that it printed.
    #[track_caller]
    pub(crate) fn expect_line(self) -> String {
        let stdout = self.expect_success();
        let line = stdout.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n'), "{line}");
        line.to_owned()
    }

    /// Expects success, no output, and this last line on standard error.
    #[track_caller]
    pub(crate) fn tells(self, told: &str) {
        self.ends(0, told);
    }

    /// Expects failure with this error, and no output.
    #[track_caller]
    pub(crate) fn fails(self, error: &str) {
        self.ends(1, &format!("hearback: {error}"));
    }

    /// Expects a refusal of the arguments with this error, and no output.
    #[track_caller]
    pub(crate) fn refuses(self, error: &str) {
        self.ends(2, &format!("hearback: {error}"));
    }

    /// Expects this status, no output, and this last line on standard error. An `…` at the end of
    /// the line stands for any text.
    #[track_caller]
    fn ends(self, status: i32, line: &str) {
        assert_eq!((self.status, &*self.stdout), (Some(status), ""), "{self:?}");
        let last = self.stderr.lines().last().unwrap_or_default();
        assert!(is_like(last, line), "{line:?}: {self:?}");
    }
}

/// A running `hearback serve`. Killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    log: Option<JoinHandle<String>>,
    lines: std::sync::mpsc::Receiver<Value>,
}

impl Server {
    /// Returns when it listens.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = std::sync::mpsc::channel();
        let stderr = child.stderr.take().unwrap();
        let log = std::thread::spawn(move || read_log(stderr, &sender));
        let mut server =
            Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)), log: Some(log), lines };
        let line = server.wait_for_log("listening on");
        server.address = line["address"].as_str().unwrap().parse().unwrap();
        server
    }

    /// The next line of the log whose message begins with this.
    pub(crate) fn wait_for_log(&self, message: &str) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let line = self.lines.recv_timeout(end - Instant::now()).expect(message);
            if line["message"].as_str().is_some_and(|text| text.starts_with(message)) {
                return line;
            }
        }
    }

    /// The names of its threads, as far as Linux keeps them.
    pub(crate) fn threads(&self) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        // A thread that has ended has no name.
        tasks
            .filter_map(|task| fs::read_to_string(task.unwrap().path().join("comm")).ok())
            .collect()
    }

    /// The status and body of the answer to a request.
    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.send(&request(path, &body.to_string(), ""));
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }

    /// The whole answer to a GET.
    pub(crate) fn get(&self, path: &str) -> String {
        self.get_from(self.address, path)
    }

    /// The whole answer of another listener to a GET.
    pub(crate) fn get_from(&self, address: SocketAddr, path: &str) -> String {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        self.send_to(address, &request)
    }

    /// Casts or withdraws the vote of [`USER`] on [`POST`].
    pub(crate) fn toggle(&self, key: &str) {
        assert_eq!(self.post("/votes/toggle", &toggle(key)).0, 200);
    }

    /// Whether a key is accepted.
    pub(crate) fn accepts(&self, key: &str) -> bool {
        let (status, _) = self.post("/feedback-boards/list", &json!({"api_key": key}));
        assert!(matches!(status, 200 | 401), "{status}");
        status == 200
    }

    /// The whole answer to a request.
    pub(crate) fn send(&self, request: &str) -> String {
        self.send_to(self.address, request)
    }

    fn send_to(&self, address: SocketAddr, request: &str) -> String {
        let mut stream = connect(address);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn connect(&self) -> TcpStream {
        connect(self.address)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Its status, its output and its log, as soon as it has ended.
    pub(crate) fn wait(mut self) -> (ExitStatus, String, String) {
        let status = poll(|| self.child.try_wait().unwrap());
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        (status, stdout, self.log.take().unwrap().join().unwrap())
    }

    /// Its log, as soon as it has ended without an error. A server prints nothing.
    pub(crate) fn end(self) -> String {
        let (status, stdout, log) = self.wait();
        assert_eq!((status.code(), &*stdout), (Some(0), ""), "{log}");
        log
    }

    /// Stops it, and answers like [`Server::end`].
    pub(crate) fn stop(self) -> String {
        self.signal(Signal::TERM);
        self.end()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// A request, whose connection ends with the answer.
pub(crate) fn request(path: &str, body: &str, more_headers: &str) -> String {
    format!(
        "POST /api/external/v1{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n{more_headers}\r\n{body}",
        body.len()
    )
}

/// The log as text. Each line is sent to `lines`, too, so that a test can wait for it.
fn read_log(stderr: ChildStderr, lines: &std::sync::mpsc::Sender<Value>) -> String {
    let mut text = String::new();
    for line in BufReader::new(stderr).lines() {
        let line = line.unwrap();
        if let Ok(value) = serde_json::from_str(&line) {
            let _ = lines.send(value);
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The body of a vote of [`USER`] on [`POST`].
pub(crate) fn toggle(key: &str) -> Value {
    json!({"api_key": key, "user_id": USER, "post_id": POST, "post_type": "feedback"})
}

/// A file of the portable format with a user, a board and a post without votes.
pub(crate) fn acme_file() -> String {
    let at = "2026-01-05T09:00:00.000Z";
    let records = [
        organization(),
        json!({"kind": "user", "id": "00000000-0000-7000-8000-000000000011", "user_id": USER, "email": "ann@acme.example",
               "name": "Ann", "is_subscribed": true, "created_at": at}),
        json!({"kind": "feedback_board", "id": BOARD, "name": "Ideas", "slug": "ideas", "created_at": at}),
        json!({"kind": "status", "id": STATUS, "name": "Open", "code": "open", "color": "#64748b",
               "status_group_code": "open", "created_at": at}),
        json!({"kind": "feedback_post", "id": POST, "title": "Dark mode",
               "slug": "dark-mode", "board_id": BOARD,
               "author_id": USER, "status_id": STATUS, "created_at": at}),
    ];
    records.iter().map(record).collect()
}

/// The record of an organization `acme`.
pub(crate) fn organization() -> Value {
    json!({"kind": "organization", "id": ORGANIZATION, "name": "Acme", "slug": "acme", "created_at": "2026-01-05T09:00:00.000Z"})
}

/// A record as a line of a file.
pub(crate) fn record(record: &Value) -> String {
    format!("{record}\n")
}

pub(crate) const ORGANIZATION: &str = "00000000-0000-7000-8000-000000000001";
pub(crate) const USER: &str = "00000000-0000-7000-8000-000000000010";
pub(crate) const BOARD: &str = "00000000-0000-7000-8000-000000000020";
pub(crate) const STATUS: &str = "00000000-0000-7000-8000-000000000030";
pub(crate) const POST: &str = "00000000-0000-7000-8000-000000000040";
