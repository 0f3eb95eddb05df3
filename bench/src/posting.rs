//! The floor of deliveries: prepared requests, posted by one client from one task for each request
//! in flight, in a process of its own.

use crate::cpu_time;
use crate::failure::Failure;
use crate::helper::Helper;
use crate::message::Message;
use clap::Args;
use reqwest::header::{CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect, retry};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use url::Url;

/// Posts the requests of a file to a receiver, `times` times each and `in_flight` at once. Returns
/// the processor time of the posts.
pub(crate) fn post(
    receiver: &str,
    requests: &Path,
    times: u32,
    in_flight: usize,
) -> Result<Duration, Failure> {
    let (times, in_flight) = (times.to_string(), in_flight.to_string());
    let options =
        ["--receiver", receiver, "--times", &times, "--in-flight", &in_flight, "--requests"]
            .map(OsStr::new);
    Helper::start("post", &[&options[..], &[requests.as_os_str()]].concat())?.time()
}

/// The arguments of the process.
#[derive(Args)]
pub(crate) struct Options {
    /// The receiver's address up to the port
    #[arg(long)]
    receiver: Url,
    /// The number of times that each request is posted
    #[arg(long)]
    times: u32,
    /// The number of requests in flight
    #[arg(long)]
    in_flight: usize,
    /// The file of the requests, as a receiver wrote it
    #[arg(long)]
    requests: PathBuf,
}

/// A prepared request.
#[derive(Clone)]
struct Post {
    url: Url,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// The process: prints the processor time of the posts, in nanoseconds.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let posts = read(options)?;
    let posts = (0..options.times).flat_map(|_| posts.clone()).collect();
    let client = client()?;
    let runtime = Runtime::new().map_err(Failure::machine("starting a runtime"))?;
    let before = cpu_time::of_this_process();
    runtime.block_on(post_all(client, posts, options.in_flight))?;
    println!("{}", (cpu_time::of_this_process() - before).as_nanos());
    Ok(())
}

fn read(options: &Options) -> Result<Vec<Post>, Failure> {
    let bytes = std::fs::read(&options.requests).map_err(Failure::machine("reading requests"))?;
    let (mut posts, mut rest) = (Vec::new(), &*bytes);
    while let Some((request, behind)) = Message::split(rest) {
        let mut url = options.receiver.clone();
        url.set_path(request.path());
        posts.push(Post { url, headers: headers(&request), body: request.body.to_vec() });
        rest = behind;
    }
    Ok(posts)
}

/// The headers of a request that its client does not add by itself.
fn headers(request: &Message<'_>) -> HeaderMap {
    let all = request
        .headers()
        .filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)));
    all.filter(|(name, _): &(HeaderName, HeaderValue)| *name != HOST && *name != CONTENT_LENGTH)
        .collect()
}

/// The client of Hearback's deliveries, without certificates and names, which this receiver does
/// not have.
fn client() -> Result<Client, Failure> {
    // The installation fails if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none())
        .retry(retry::never().max_retries_per_request(0))
        .http1_only()
        .http1_title_case_headers()
        .connect_timeout(Duration::from_secs(5))
        .pool_idle_timeout(Duration::from_secs(4))
        .build()?;
    Ok(client)
}

async fn post_all(client: Client, posts: Vec<Post>, in_flight: usize) -> Result<(), Failure> {
    let posts = Arc::new(Mutex::new(posts.into_iter()));
    let mut senders: JoinSet<Result<(), reqwest::Error>> = JoinSet::new();
    for _ in 0..in_flight {
        let (client, posts) = (client.clone(), Arc::clone(&posts));
        senders.spawn(async move {
            let next = || posts.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some(Post { url, headers, body }) = next() {
                let answer = client
                    .post(url)
                    .headers(headers)
                    .body(body)
                    .send()
                    .await?
                    .error_for_status()?;
                answer.bytes().await?;
            }
            Ok(())
        });
    }
    while let Some(ended) = senders.join_next().await {
        ended.map_err(|_| Failure::Helper { command: "post" })??;
    }
    Ok(())
}
