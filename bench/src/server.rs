//! A running server, and requests to it.

use crate::cpu_time;
use crate::failure::Failure;
use crate::floor::PAGE;
use reqwest::RequestBuilder;
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderValue, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use uuid::Uuid;

/// A server process, and a connection to it. The process ends when this is dropped.
pub(crate) struct Server {
    process: Child,
    /// The time of its start.
    pub(crate) spawned: Instant,
    address: String,
    client: reqwest::Client,
    runtime: Runtime,
}

/// A page of search hits.
#[derive(Deserialize)]
pub(crate) struct Page {
    pub(crate) items: Vec<Item>,
    pub(crate) has_next_page: bool,
    pub(crate) cursor: Option<String>,
}

/// A search hit, as far as it is used.
#[derive(Deserialize)]
pub(crate) struct Item {
    pub(crate) id: Uuid,
}

/// An answer of the portal.
pub(crate) struct Visited {
    /// The address that it leads to, or empty.
    pub(crate) location: String,
    /// The cookies that it sets, each as `name=value`.
    pub(crate) cookies: Vec<String>,
    /// The page.
    pub(crate) page: String,
}

impl Server {
    /// Starts the server and waits until it takes requests.
    pub(crate) fn start(mut command: Command) -> Result<Self, Failure> {
        let failed = "starting hearback serve";
        // The installation fails if a provider is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).build()?;
        let runtime = Runtime::new().map_err(Failure::machine("starting a runtime"))?;
        let spawned = Instant::now();
        let process = command.spawn().map_err(Failure::machine(failed))?;
        let mut server = Self { process, spawned, address: String::new(), client, runtime };
        let mut said = String::new();
        let Some(log) = server.process.stderr.take() else {
            return Err(Failure::NotServing { log: said });
        };
        let mut log = BufReader::new(log);
        while server.address.is_empty() {
            let begin = said.len();
            if log.read_line(&mut said).map_err(Failure::machine(failed))? == 0 {
                return Err(Failure::NotServing { log: said.trim_end().to_owned() });
            }
            if let Some((_, address)) = said[begin..].split_once("listening on ") {
                server.address = address.split(['"', '\n']).next().unwrap_or_default().to_owned();
            }
        }
        read_on(log);
        Ok(server)
    }

    /// The address of the server.
    pub(crate) fn address(&self) -> Result<SocketAddr, Failure> {
        let address = self.address.trim_start_matches("http://").parse();
        address
            .map_err(|_| Failure::NotServing { log: format!("it listens on {:?}", self.address) })
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Its present memory, in bytes.
    pub(crate) fn memory(&self) -> Result<u64, Failure> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.map_err(Failure::machine("looking at the memory of hearback serve"))?;
        let resident =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        let kib: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap_or_default();
        Ok(kib * 1024)
    }

    /// Its processor time, with that of its start.
    pub(crate) fn cpu_time(&self) -> Result<Duration, Failure> {
        cpu_time::of(self.process.id())
    }

    /// The body of a request for a page of `/help-articles/search`.
    pub(crate) fn search_body(api_key: &str, query: &str, cursor: Option<&str>) -> String {
        json!({ "api_key": api_key, "query": query, "limit": PAGE, "cursor": cursor }).to_string()
    }

    /// Requests a page of `/help-articles/search`, and does not parse the answer.
    pub(crate) fn search(&self, body: &str) -> Result<Vec<u8>, Failure> {
        self.ask("/help-articles/search", body)
    }

    /// Opens a page of the portal in a browser with a cookie, and follows no redirect.
    pub(crate) fn visit(&self, path: &str, cookie: &str) -> Result<Visited, Failure> {
        let url = format!("{}{path}", self.address);
        self.visited(self.client.get(url).header(COOKIE, cookie))
    }

    /// Sends a form without fields, as a page of the portal does, and follows no redirect.
    pub(crate) fn submit(&self, path: &str) -> Result<Visited, Failure> {
        let form = self.client.post(format!("{}{path}", self.address)).body("");
        let form = form.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.visited(form.header("Sec-Fetch-Site", "same-origin"))
    }

    fn visited(&self, request: RequestBuilder) -> Result<Visited, Failure> {
        self.runtime.block_on(async {
            let answer = request.send().await?;
            let status = answer.status();
            let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
            let location = answer.headers().get(LOCATION).map(text).unwrap_or_default();
            let cookies = answer.headers().get_all(SET_COOKIE).iter().map(text);
            let pair = |cookie: String| cookie.split(';').next().unwrap_or_default().to_owned();
            let cookies = cookies.map(pair).collect();
            let page = answer.text().await?;
            match status.is_success() || status.is_redirection() {
                true => Ok(Visited { location, cookies, page }),
                false => Err(Failure::Refused { status, body: page }),
            }
        })
    }

    /// Sends a body to an endpoint, and does not parse the answer.
    pub(crate) fn ask(&self, endpoint: &str, body: &str) -> Result<Vec<u8>, Failure> {
        let url = format!("{}/api/external/v1{endpoint}", self.address);
        let request =
            self.client.post(url).header("Content-Type", "application/json").body(body.to_owned());
        self.runtime.block_on(async {
            let answer = request.send().await?;
            let status = answer.status();
            let bytes = answer.bytes().await?;
            if !status.is_success() {
                return Err(Failure::Refused {
                    status,
                    body: String::from_utf8_lossy(&bytes).into_owned(),
                });
            }
            Ok(bytes.into())
        })
    }
}

/// Reads the log of the server, which has a line for each request. Without a reader the server
/// would wait. A reader of each line would cost as much as the line, so this one reads every
/// hundredth of a second.
fn read_on(mut log: BufReader<ChildStderr>) {
    // A smaller pipe would have to be read more often.
    let _ = rustix::pipe::fcntl_setpipe_size(log.get_ref(), LOGGED);
    std::thread::spawn(move || {
        let mut lines = vec![0; LOGGED];
        while log.read(&mut lines).is_ok_and(|read| read > 0) {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
}

/// The most of the log between two reads, in bytes.
const LOGGED: usize = 1024 * 1024;

impl Drop for Server {
    fn drop(&mut self) {
        // It has no state to lose, and may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
