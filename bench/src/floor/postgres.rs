//! PostgreSQL: one transaction, and a `COPY` in binary form for each table.

use super::{Content, Floor};
use crate::failure::Failure;
use crate::organization::Organization;
use crate::rows::{Table, Value};
use bytes::BytesMut;
use std::error::Error;
use std::pin::pin;
use std::time::{Duration, SystemTime};
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls};
use url::Url;

/// Databases on the server that `scripts/with-postgres` started.
pub(crate) struct Postgres {
    server: Url,
    runtime: Runtime,
}

impl Postgres {
    /// Finds the server.
    pub(crate) fn new() -> Result<Self, Failure> {
        let url = std::env::var("HEARBACK_TEST_POSTGRES_URL").map_err(|_| Failure::NoServer)?;
        let server = Url::parse(&url).map_err(|_| Failure::NoServer)?;
        let runtime = Runtime::new().map_err(Failure::machine("starting a runtime"))?;
        Ok(Self { server, runtime })
    }

    /// The address of a database.
    fn url(&self, name: &str) -> String {
        let mut url = self.server.clone();
        url.set_path(name);
        url.into()
    }

    fn on_server(&self, statement: &str) -> Result<(), Failure> {
        self.runtime.block_on(async {
            let client = connect(self.server.as_str()).await?;
            client.batch_execute(statement).await.map_err(Failure::postgres("preparing a measurement"))
        })
    }
}

impl Floor for Postgres {
    fn create(&self, name: &str) -> Result<String, Failure> {
        self.on_server(&format!("CREATE DATABASE {name}"))?;
        Ok(self.url(name))
    }

    fn insert(&self, name: &str, organization: &Organization) -> Result<(), Failure> {
        self.runtime.block_on(insert(&self.url(name), organization))
    }

    fn content(&self, name: &str, table: &Table<'_>) -> Result<Content, Failure> {
        let Table { name: from, columns, .. } = table;
        let query = format!("SELECT count(*), sum(hashtextextended(ROW({columns})::text, 0))::text FROM {from}");
        self.runtime.block_on(async {
            let client = connect(&self.url(name)).await?;
            let row = client.query_one(&query, &[]).await.map_err(Failure::postgres("reading rows"))?;
            let (count, digest): (i64, Option<String>) = (row.get(0), row.get(1));
            Ok(Content { count: count.unsigned_abs(), digest: digest.unwrap_or_default() })
        })
    }

    fn remove(&self, name: &str) -> Result<(), Failure> {
        self.on_server(&format!("DROP DATABASE {name} WITH (FORCE)"))
    }

    fn settle(&self) -> Result<(), Failure> {
        self.on_server("CHECKPOINT")?;
        rustix::fs::sync();
        Ok(())
    }
}

async fn insert(url: &str, organization: &Organization) -> Result<(), Failure> {
    let failed = Failure::postgres("inserting rows");
    let mut client = connect(url).await?;
    let transaction = client.transaction().await.map_err(&failed)?;
    for Table { name, columns, rows, .. } in organization.tables() {
        let described = transaction.prepare(&format!("SELECT {columns} FROM {name}")).await.map_err(&failed)?;
        let types: Vec<Type> = described.columns().iter().map(|column| column.type_().clone()).collect();
        let sink = transaction.copy_in(&format!("COPY {name} ({columns}) FROM STDIN BINARY")).await.map_err(&failed)?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for row in rows {
            writer.as_mut().write_raw(row).await.map_err(&failed)?;
        }
        writer.finish().await.map_err(&failed)?;
    }
    transaction.commit().await.map_err(&failed)
}

async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(Failure::postgres("connecting"))?;
    // Ends when the client is dropped; why it ends earlier is told to whoever uses the client.
    tokio::spawn(connection);
    Ok(client)
}

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Id(id) => id.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Flag(flag) => flag.to_sql(ty, out),
            Self::Number(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Number(number) => number.to_sql(ty, out),
            Self::Moment(millis) => (SystemTime::UNIX_EPOCH + Duration::from_millis(millis.unsigned_abs())).to_sql(ty, out),
            Self::Nothing => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
