//! The failures of measurements.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

/// A measurement was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file, a folder or a process of the machine failed.
    #[error("{doing}")]
    Machine { doing: String, source: io::Error },
    /// The SQLite floor failed.
    #[error("{doing}, on SQLite")]
    Sqlite { doing: &'static str, source: rusqlite::Error },
    /// The PostgreSQL floor failed.
    #[error("{doing}, on PostgreSQL")]
    Postgres { doing: &'static str, source: tokio_postgres::Error },
    /// There is no server to measure on.
    #[error(
        "HEARBACK_TEST_POSTGRES_URL is not the address of a PostgreSQL server: run `make bench`, or leave PostgreSQL out"
    )]
    NoServer,
    /// The binary failed.
    #[error("hearback {command} failed with {status}: {stderr}")]
    Hearback { command: &'static str, status: ExitStatus, stderr: String },
    /// More votes than this many users have for the posts.
    #[error("there are no {votes} votes on {posts} posts: at most {most}")]
    TooManyVotes { votes: usize, posts: usize, most: usize },
    /// The server ended before it took requests.
    #[error("hearback serve did not start: {log}")]
    NotServing { log: String },
    /// The server was not reached.
    #[error("asking hearback")]
    Http(#[from] reqwest::Error),
    /// The server failed.
    #[error("hearback answered {status}: {body}")]
    Refused { status: reqwest::StatusCode, body: String },
    /// The server has posts left to index.
    #[error("hearback has not indexed all posts in {} s", .0.as_secs())]
    NotIndexed(Duration),
    /// The server took the link of an invitation, and signed nobody in.
    #[error("hearback signed nobody in by the link of an invitation")]
    NotSignedIn,
    /// The answer of the server is not a page.
    #[error("hearback answered no page of hits")]
    NoPage(#[from] serde_json::Error),
    /// The server closed a connection that waited for an answer.
    #[error("the server closed a connection without an answer")]
    HungUp,
    /// The server refused a request.
    #[error("the server answered {status}: {body}")]
    NotAnswered { status: u16, body: String },
    /// The compared answers differ.
    #[error("two servers answered {endpoint} differently: {body}")]
    DifferentAnswers { endpoint: &'static str, body: String },
    /// The bare server does not have the record.
    #[error("the bare server has no such record")]
    NotFound,
    /// The search has too few hits for the measured page.
    #[error("a search for {text:?} has no page {page}: there are too few articles")]
    TooFewHits { text: &'static str, page: usize },
    /// A process of this binary broke off.
    #[error("hearback-bench {command} did not do its part")]
    Helper { command: &'static str },
    /// The balancer did not print its address. Its standard error has the reason.
    #[error("scripts/balancer did not start")]
    NoBalancer,
    /// Deliveries did not arrive.
    #[error("{arrived} of {expected} deliveries arrived, and no other")]
    Silence { arrived: u32, expected: u32 },
    /// Deliveries arrived twice, or were not settled as delivered.
    #[error("{delivered} of {expected} deliveries are kept as taken at the first attempt")]
    NotDelivered { delivered: u64, expected: u32 },
    /// The log has no plan.
    #[error("PostgreSQL's log has no plan of a statement on {table}")]
    NoPlan { table: String },
    /// A page has no place for a result.
    #[error("{} has no block `<!-- hearback-bench {block} -->` to `<!-- /hearback-bench {block} -->`", .file.display())]
    NoBlock { file: PathBuf, block: String },
    /// The compared answers differ.
    #[error("the scan and hearback found different articles with {text:?} on page {page}")]
    DifferentHits { text: &'static str, page: usize },
    /// The compared work differs.
    #[error("the floor and hearback wrote different rows to {table}")]
    Different { table: &'static str },
}

impl Failure {
    /// For `map_err`.
    pub(crate) fn machine(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        |source| Self::Machine { doing, source }
    }

    /// For `map_err`.
    pub(crate) fn sqlite(doing: &'static str) -> impl Fn(rusqlite::Error) -> Self {
        move |source| Self::Sqlite { doing, source }
    }

    /// For `map_err`.
    pub(crate) fn postgres(doing: &'static str) -> impl Fn(tokio_postgres::Error) -> Self {
        move |source| Self::Postgres { doing, source }
    }
}
