//! The rows of the store, read without its adapters.

use super::Installation;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use hearback_domain::Uuid;
use hearback_domain::id::{DeliveryId, EventId, SubscriptionId};
use hearback_tests::postgres;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A connection to the database of a store.
pub(crate) enum Database {
    Sqlite(SqliteConnection),
    Postgres(tokio_postgres::Client),
}

/// A recorded event.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Event {
    pub(crate) id: Uuid,
    pub(crate) event_type: String,
    data: String,
    /// When the event was recorded. All times here are in milliseconds since 1970.
    pub(crate) recorded_at: i64,
}

/// A delivery.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Delivery {
    pub(crate) event_id: Uuid,
    pub(crate) subscription_id: Uuid,
    pub(crate) state: String,
    pub(crate) attempt_count: u32,
    pub(crate) next_attempt_at: Option<i64>,
}

/// An attempt of a delivery.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Attempt {
    pub(crate) attempt: u32,
    pub(crate) started_at: i64,
    pub(crate) status: Option<u16>,
    pub(crate) error_class: Option<String>,
    pub(crate) duration_ms: u64,
    /// The beginning of the response's body, in hex.
    pub(crate) answer: String,
}

/// A vote on a feedback post.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Vote {
    pub(crate) id: Uuid,
}

impl Event {
    /// The contract's `data`.
    pub(crate) fn data(&self) -> Value {
        serde_json::from_str(&self.data).expect("JSON")
    }
}

impl Delivery {
    /// The identifier that the receiver gets.
    pub(crate) fn id(&self) -> Uuid {
        DeliveryId::of(EventId(self.event_id), SubscriptionId(self.subscription_id)).0
    }
}

/// A column, with the way in which it is read, so that both databases return the same value.
pub(crate) enum Column {
    Id(&'static str),
    Plain(&'static str),
    Time(&'static str),
    Bytes(&'static str),
}

/// A table whose rows belong to organizations.
pub(crate) trait Row: DeserializeOwned {
    const TABLE: &'static str;
    const COLUMNS: &'static [Column];
    /// The primary key without the organization.
    const ORDER: &'static str;
}

use Column::{Bytes, Id, Plain, Time};

impl Row for Event {
    const TABLE: &'static str = "events";
    const COLUMNS: &'static [Column] =
        &[Id("id"), Plain("event_type"), Plain("data"), Time("recorded_at")];
    const ORDER: &'static str = "id";
}

impl Row for Delivery {
    const TABLE: &'static str = "deliveries";
    const COLUMNS: &'static [Column] = &[
        Id("event_id"),
        Id("subscription_id"),
        Plain("state"),
        Plain("attempt_count"),
        Time("next_attempt_at"),
    ];
    const ORDER: &'static str = "event_id, subscription_id";
}

impl Row for Attempt {
    const TABLE: &'static str = "delivery_attempts";
    const COLUMNS: &'static [Column] = &[
        Plain("attempt"),
        Time("started_at"),
        Plain("status"),
        Plain("error_class"),
        Plain("duration_ms"),
        Bytes("answer"),
    ];
    const ORDER: &'static str = "event_id, subscription_id, attempt";
}

impl Row for Vote {
    const TABLE: &'static str = "votes";
    const COLUMNS: &'static [Column] = &[Id("id")];
    const ORDER: &'static str = "id";
}

impl Database {
    /// Connects to the database of an installation.
    pub(crate) async fn of(installation: &Installation) -> Self {
        let url = &installation.database_url;
        match url.strip_prefix("sqlite:") {
            Some(path) => {
                let mut connection = SqliteConnection::establish(path).expect("the database");
                connection.batch_execute("PRAGMA busy_timeout = 30000").expect("a setting");
                Self::Sqlite(connection)
            }
            None => Self::Postgres(postgres::connect(url).await),
        }
    }

    /// The rows of an organization, ordered by their key.
    pub(crate) async fn rows<R: Row>(&mut self, organization: &str) -> Vec<R> {
        let (object, id) = match self {
            Self::Sqlite(_) => ("json_object", format!("x'{}'", organization.replace('-', ""))),
            Self::Postgres(_) => ("json_build_object", format!("'{organization}'")),
        };
        let members: Vec<String> = R::COLUMNS.iter().map(|column| self.member(column)).collect();
        let statement = format!(
            "SELECT cast({object}({}) AS text) AS line FROM {} WHERE organization_id = {id} ORDER BY {}",
            members.join(", "),
            R::TABLE,
            R::ORDER
        );
        let lines = self.lines(&statement).await;
        lines
            .iter()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    /// Runs a statement, in the dialect of the database.
    pub(crate) async fn execute(&mut self, statement: &str) {
        match self {
            Self::Sqlite(connection) => connection.batch_execute(statement).expect("a success"),
            Self::Postgres(client) => client.batch_execute(statement).await.expect("a success"),
        }
    }

    /// The name and the value of a column, as arguments of the function that makes JSON.
    fn member(&self, column: &Column) -> String {
        let is_sqlite = matches!(self, Self::Sqlite(_));
        let (name, value) = match *column {
            Id(name) if is_sqlite => (name, format!("lower(hex({name}))")),
            // SQLite stores milliseconds.
            Time(name) if is_sqlite => (name, name.to_owned()),
            Id(name) | Plain(name) => (name, name.to_owned()),
            Time(name) => (name, format!("floor(extract(epoch FROM {name}) * 1000)::bigint")),
            Bytes(name) if is_sqlite => (name, format!("lower(hex({name}))")),
            Bytes(name) => (name, format!("encode({name}, 'hex')")),
        };
        format!("'{name}', {value}")
    }

    async fn lines(&mut self, statement: &str) -> Vec<String> {
        match self {
            Self::Sqlite(connection) => {
                let lines: Vec<Line> = diesel::sql_query(statement).load(connection).expect("rows");
                lines.into_iter().map(|line| line.line).collect()
            }
            Self::Postgres(client) => {
                let rows = client.query(statement, &[]).await.expect("rows");
                rows.iter().map(|row| row.get("line")).collect()
            }
        }
    }
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}
