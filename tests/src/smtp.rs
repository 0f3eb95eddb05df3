//! A mail server for tests: a process of `tests/smtp/server.py` on a port of its own. It relays no
//! mail.

use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// A mail server. It ends when this value is dropped, at the latest with the test process.
///
/// The methods block until the server replies.
pub struct SmtpServer {
    process: Child,
    port: u16,
    pipes: Mutex<Option<Pipes>>,
}

/// The configuration of a mail server. By default it has no TLS and accepts all mail.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup<'a> {
    /// The kind of encryption, and the PEM file with the certificate and its key.
    pub tls: Option<(Tls, &'a Path)>,
    /// The user and password that clients need.
    pub login: Option<(&'a str, &'a str)>,
    /// A mechanism of AUTH that is not offered, PLAIN or LOGIN.
    pub without: Option<&'a str>,
    /// Whether addresses may have characters outside of ASCII (SMTPUTF8).
    pub utf8: bool,
}

/// When a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// After STARTTLS.
    StartTls,
    /// From the beginning of the connection.
    Implicit,
}

/// A stage of an SMTP session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The greeting.
    Connect,
    /// The command MAIL.
    Mail,
    /// The command RCPT.
    Rcpt,
    /// The command DATA.
    Data,
    /// The end of a message.
    End,
}

/// The server's behaviour at a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// The server accepts.
    Accept,
    /// The server sends this reply, such as `451 4.3.0 later`.
    Reply(&'static str),
    /// The server closes the connection without a reply.
    Drop,
    /// The server sends no reply and keeps the connection open.
    Hang,
}

/// A mail that the server accepted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ReceivedMail {
    /// The sender of the envelope.
    pub from: String,
    /// The recipients of the envelope.
    pub to: Vec<String>,
    /// The message, byte by byte.
    #[serde(deserialize_with = "bytes")]
    pub data: Vec<u8>,
    /// The message's headers, decoded and unfolded by Python.
    pub headers: Vec<(String, String)>,
    /// Names and addresses of the header `To`.
    pub recipients: Vec<(String, String)>,
    /// The plain text part, with LF line ends.
    pub text: String,
    /// The HTML part, with LF line ends.
    pub html: String,
    /// The name in the client's EHLO or HELO.
    pub hello: String,
    /// The user as which the client authenticated. `None` if it did not authenticate.
    pub user: Option<String>,
    /// Whether the connection was encrypted.
    pub encrypted: bool,
    /// The number of the connection, counted from 1.
    pub connection: u32,
}

impl ReceivedMail {
    /// The value of a header. Panics unless there is exactly one.
    pub fn header(&self, name: &str) -> &str {
        let mut values = self
            .headers
            .iter()
            .filter(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value);
        match (values.next(), values.next()) {
            (Some(value), None) => value,
            (None, _) => panic!("no {name} in {:?}", self.headers),
            (Some(_), Some(_)) => panic!("more than one {name} in {:?}", self.headers),
        }
    }
}

impl SmtpServer {
    /// Starts a server with the default configuration.
    pub fn start() -> Self {
        Self::start_as(Setup::default())
    }

    /// Starts a server.
    pub fn start_as(setup: Setup<'_>) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let mut command = Command::new(root.join("scripts/smtp-server"));
        if let Some((tls, certificate)) = setup.tls {
            command.args(["--tls", tls.name(), "--certificate"]).arg(certificate);
        }
        if let Some((user, password)) = setup.login {
            command.args(["--user", user, "--password", password]);
        }
        if let Some(mechanism) = setup.without {
            command.args(["--without", mechanism]);
        }
        if setup.utf8 {
            command.arg("--utf8");
        }
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("scripts/smtp-server starts");
        let commands = process.stdin.take().expect("its input");
        let answers = BufReader::new(process.stdout.take().expect("its output"));
        let mut pipes = Pipes { commands, answers };
        let port = pipes.answer();
        let port = port.as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
        Self { process, port, pipes: Mutex::new(Some(pipes)) }
    }

    /// `smtp://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address())
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sets the behaviour at a stage from now on.
    pub fn behave(&self, stage: Stage, behaviour: Behaviour) {
        let behaviour = match behaviour {
            Behaviour::Accept => "accept",
            Behaviour::Reply(reply) => reply,
            Behaviour::Drop => "drop",
            Behaviour::Hang => "hang",
        };
        self.ask(&json!(["behave", stage.name(), behaviour]));
    }

    /// The mails accepted so far, in their order.
    pub fn received(&self) -> Vec<ReceivedMail> {
        serde_json::from_value(self.ask(&json!(["received"]))).expect("mails")
    }

    /// The number of connections made so far.
    pub fn connections(&self) -> u64 {
        self.ask(&json!(["connections"])).as_u64().expect("a number")
    }

    /// Closes all connections.
    pub fn close_connections(&self) {
        self.ask(&json!(["close"]));
    }

    /// Waits until a client has reached the stage that hangs.
    pub fn wait_for_hanging_client(&self) {
        self.ask(&json!(["hung"]));
    }

    fn ask(&self, command: &Value) -> Value {
        let mut pipes = self.pipes.lock().expect("no question failed before");
        let pipes = pipes.as_mut().expect("the pipes are open until the server is dropped");
        writeln!(pipes.commands, "{command}").expect("the mail server reads");
        pipes.answer()
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        // The server ends when its standard input closes.
        self.pipes.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let _ = self.process.wait();
    }
}

struct Pipes {
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Pipes {
    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the mail server writes");
        serde_json::from_str(&line).expect("the mail server replies; its errors are on stderr")
    }
}

impl Tls {
    fn name(self) -> &'static str {
        match self {
            Self::StartTls => "starttls",
            Self::Implicit => "implicit",
        }
    }
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Mail => "mail",
            Self::Rcpt => "rcpt",
            Self::Data => "data",
            Self::End => "end",
        }
    }
}

/// The server encodes each byte as the character with its number.
fn bytes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.chars().map(|c| u8::try_from(c).map_err(serde::de::Error::custom)).collect()
}
