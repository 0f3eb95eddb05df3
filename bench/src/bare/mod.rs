//! The limit: a server that answers some of Hearback's requests with nothing around the statements
//! that they need.
//!
//! Each endpoint is written by hand, without validation, log, limits, ports and rules. The
//! statement itself resolves the key. The answers are Hearback's to the byte, except for the cursor
//! of a page, and the written rows are the same.

mod answers;
mod postgres;
mod sqlite;
mod writes;

use crate::failure::Failure;
use crate::helper::Helper;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use actix_web::web::{Bytes, Data, ServiceConfig, post, scope};
use actix_web::{App, HttpResponse, HttpServer, Route, error};
use clap::{Args, ValueEnum};
use postgres::Postgres;
use ring::digest::{SHA256, digest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sqlite::{Sqlite, Writer};
use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::SystemTime;
use uuid::Uuid;
use writes::Write;

/// The use of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Style {
    /// PostgreSQL: each statement has a connection for itself, of 16 that the workers share.
    Pooled,
    /// PostgreSQL: the reads of a worker share one connection, and do not wait for each other's
    /// answers.
    Pipelined,
    /// SQLite: a connection for each worker, and one for a thread that commits all waiting writes
    /// at once.
    Embedded,
}

/// The process of the bare server.
pub(crate) struct Bare {
    pub(crate) address: SocketAddr,
    pub(crate) process: Helper,
}

impl Bare {
    /// Starts it on a database.
    pub(crate) fn start(style: Style, database_url: &str) -> Result<Self, Failure> {
        let style = match style {
            Style::Pooled => "pooled",
            Style::Pipelined => "pipelined",
            Style::Embedded => "embedded",
        };
        let options = ["--style", style, "--database-url", database_url].map(OsStr::new);
        let mut process = Helper::start("serve-bare", &options)?;
        let address =
            process.line()?.parse().map_err(|_| Failure::Helper { command: "serve-bare" })?;
        Ok(Self { address, process })
    }
}

/// The arguments of the process.
#[derive(Args)]
pub(crate) struct Options {
    /// The database, as Hearback takes it
    #[arg(long)]
    database_url: String,
    /// The use of the store
    #[arg(long, value_enum)]
    style: Style,
}

/// The process: prints its address, and serves until it is killed.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let url = options.database_url.clone();
    match options.style {
        Style::Pooled => serve(move || Postgres::pooled(url.clone())),
        Style::Pipelined => serve(move || Postgres::pipelined(url.clone())),
        Style::Embedded => {
            let path = url.trim_start_matches("sqlite:").to_owned();
            let writer = Writer::start(&path)?;
            serve(move || std::future::ready(Sqlite::open(&path, writer.clone())))
        }
    }
}

fn serve<S, F>(open: impl Fn() -> F + Clone + Send + 'static) -> Result<(), Failure>
where
    S: Store,
    F: Future<Output = Result<S, Failure>> + 'static,
{
    let failed = || Failure::machine("serving");
    actix_web::rt::System::new().block_on(async {
        let server =
            HttpServer::new(move || App::new().data_factory(open.clone()).configure(routes::<S>));
        let server = server.bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed())?;
        println!("{}", server.addrs()[0]);
        server.run().await.map_err(failed())
    })
}

/// The SHA-256 of a key, by which the key is found.
type KeyDigest = [u8; 32];

/// A worker's access to a store. Answers are JSON.
trait Store: 'static {
    async fn post(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure>;
    async fn posts(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure>;
    async fn posts_by_votes(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure>;
    async fn user(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure>;
    async fn comment(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure>;
    async fn statuses(&self, key: KeyDigest) -> Result<Vec<u8>, Failure>;
    async fn entries(&self, key: KeyDigest) -> Result<Vec<u8>, Failure>;
    async fn categories(&self, key: KeyDigest) -> Result<Vec<u8>, Failure>;
    /// Whether there is a vote now.
    async fn write(&self, key: KeyDigest, write: Write) -> Result<Vec<u8>, Failure>;
}

#[derive(Deserialize)]
struct ById {
    id: Uuid,
}

#[derive(Deserialize)]
struct OfBoard {
    board_id: Uuid,
    /// By votes, if it is there.
    sort: Option<String>,
}

#[derive(Deserialize)]
struct OfUser {
    user_id: Uuid,
}

#[derive(Deserialize)]
struct Nothing {}

fn routes<S: Store>(config: &mut ServiceConfig) {
    config.service(
        scope("/api/external/v1")
            .route(
                "/feedback-posts/retrieve",
                post().to(async |store: Data<S>, body: Bytes| {
                    let (key, ById { id }) = read(&body)?;
                    answer(store.post(key, id).await)
                }),
            )
            .route(
                "/feedback-posts/list",
                post().to(async |store: Data<S>, body: Bytes| {
                    let (key, OfBoard { board_id, sort }) = read(&body)?;
                    answer(match sort {
                        None => store.posts(key, board_id).await,
                        Some(_) => store.posts_by_votes(key, board_id).await,
                    })
                }),
            )
            .route(
                "/users/retrieve",
                post().to(async |store: Data<S>, body: Bytes| {
                    let (key, OfUser { user_id }) = read(&body)?;
                    answer(store.user(key, user_id).await)
                }),
            )
            .route(
                "/comments/retrieve",
                post().to(async |store: Data<S>, body: Bytes| {
                    let (key, ById { id }) = read(&body)?;
                    answer(store.comment(key, id).await)
                }),
            )
            .route(
                "/statuses/list",
                post().to(async |store: Data<S>, body: Bytes| {
                    let (key, Nothing {}) = read(&body)?;
                    answer(store.statuses(key).await)
                }),
            )
            .route(
                "/changelog/list",
                post().to(async |store: Data<S>, body: Bytes| {
                    let (key, Nothing {}) = read(&body)?;
                    answer(store.entries(key).await)
                }),
            )
            .route(
                "/help-categories/list",
                post().to(async |store: Data<S>, body: Bytes| {
                    let (key, Nothing {}) = read(&body)?;
                    answer(store.categories(key).await)
                }),
            )
            .route("/votes/toggle", write::<S, _>(Write::Toggle))
            .route("/votes/set", write::<S, _>(Write::SetVote))
            .route("/feedback-posts/create", write::<S, _>(Write::CreatePost))
            .route("/comments/create", write::<S, _>(Write::CreateComment))
            .route("/users/upsert", write::<S, _>(Write::UpsertUser)),
    );
}

/// The route of a write.
fn write<S: Store, T: DeserializeOwned + 'static>(kind: fn(T) -> Write) -> Route {
    post().to(move |store: Data<S>, body: Bytes| async move {
        let (key, input) = read(&body)?;
        answer(store.write(key, kind(input)).await)
    })
}

fn read<T: DeserializeOwned>(body: &[u8]) -> actix_web::Result<(KeyDigest, T)> {
    #[derive(Deserialize)]
    struct Keyed<'a> {
        api_key: &'a str,
    }
    let Keyed { api_key } = serde_json::from_slice(body)?;
    let mut key = [0; 32];
    key.copy_from_slice(digest(&SHA256, api_key.as_bytes()).as_ref());
    Ok((key, serde_json::from_slice(body)?))
}

fn answer(body: Result<Vec<u8>, Failure>) -> actix_web::Result<HttpResponse> {
    let body = body.map_err(|failure| error::ErrorInternalServerError(format!("{failure:?}")))?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")))
        .body(body))
}

/// The answer of a toggle.
fn voted(voted: bool) -> Vec<u8> {
    format!(r#"{{"voted":{voted}}}"#).into_bytes()
}

#[expect(clippy::disallowed_methods, reason = "the bare server has no ports")]
fn fresh() -> Uuid {
    Uuid::now_v7()
}

#[expect(clippy::disallowed_methods, reason = "the bare server has no ports")]
fn now() -> SystemTime {
    SystemTime::now()
}
