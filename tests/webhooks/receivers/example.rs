//! A process of a receiver of `examples/webhook-receivers`.

use super::{in_repository, interpreter};
use crate::support::{Request, eventually};
use reqwest::Client;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};

/// The languages of the examples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Language {
    Python,
    Node,
    Rust,
}

impl Language {
    fn command(self) -> Command {
        match self {
            // Python runs isolated and without packages: the example has the standard library
            // alone.
            Self::Python => with_file(interpreter("python"), &["-I", "-S"], "receiver.py"),
            Self::Node => with_file(interpreter("node"), &[], "receiver.mjs"),
            Self::Rust => Command::new(built()),
        }
    }
}

fn with_file(mut command: Command, options: &[&str], name: &str) -> Command {
    command.args(options).arg(in_repository("examples/webhook-receivers").join(name));
    command
}

/// The example of this build. It is in the parent folder of the test binary.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let binary = test
        .parent()
        .and_then(Path::parent)
        .expect("target/debug")
        .join("examples/webhook-receiver");
    assert!(binary.exists(), "{} is not built: run `make test`", binary.display());
    binary
}

/// A running example on a port of its own. It ends when it is dropped.
pub(crate) struct Example {
    process: Child,
    lines: Mutex<Receiver<String>>,
    url: String,
    client: Client,
}

impl Example {
    /// Starts an example with this secret.
    pub(crate) async fn start(language: Language, secret: &str) -> Self {
        let mut command = language.command();
        command
            .env("WEBHOOK_SECRET", secret)
            .env("PORT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut process = command.spawn().expect("the example starts");
        let (sender, lines) = channel();
        let output = BufReader::new(process.stdout.take().expect("its output"));
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        // This fails if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().tls_certs_only([]).build().expect("a client");
        let mut example = Self { process, lines: Mutex::new(lines), url: String::new(), client };
        let line = example.says().await;
        let address =
            line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{language:?}: {line}"));
        example.url = format!("{address}/hook");
        example
    }

    /// The URL for deliveries.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The next line of the example's output.
    pub(crate) async fn says(&self) -> String {
        eventually("a line of the example", async || {
            self.lines.lock().expect("not poisoned").try_recv().ok()
        })
        .await
    }

    /// Sends a request to the example, perhaps one that another receiver got. Returns the status of
    /// the response.
    pub(crate) async fn answers(&self, request: &Request) -> u16 {
        let mut sending = self.client.post(&self.url).body(request.body.clone());
        for (name, value) in &request.headers {
            // These headers belong to the request's connection.
            if !["host", "content-length"].contains(&name.as_str()) {
                sending = sending.header(name, value);
            }
        }
        sending.send().await.expect("an answer").status().as_u16()
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
