//! PostgreSQL: one transaction, and a `COPY` in binary form for each table.

use super::explain::LoggedPlans;
use super::merges::{ByCte, Merger};
use super::{Content, DELIVERED, Explainer, Floor, Hit, PAGE, Scan};
use crate::cpu_time;
use crate::failure::Failure;
use crate::rows::{Table, Value, millis};
use bytes::BytesMut;
use std::cell::OnceCell;
use std::error::Error;
use std::pin::pin;
use std::time::{Duration, Instant, SystemTime};
use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls, Row};
use url::Url;
use uuid::Uuid;

/// Databases on the server that `scripts/with-postgres` started.
pub(crate) struct Postgres {
    server: Url,
    runtime: Runtime,
    postmaster: OnceCell<u32>,
}

impl Postgres {
    /// Finds the server.
    pub(crate) fn new() -> Result<Self, Failure> {
        let url = std::env::var("HEARBACK_TEST_POSTGRES_URL").map_err(|_| Failure::NoServer)?;
        let server = Url::parse(&url).map_err(|_| Failure::NoServer)?;
        let runtime = Runtime::new().map_err(Failure::machine("starting a runtime"))?;
        Ok(Self { server, runtime, postmaster: OnceCell::new() })
    }

    /// The server's version.
    pub(crate) fn version(&self) -> Result<String, Failure> {
        // Debian appends its own version after a space.
        let version = self.setting("server_version")?;
        Ok(version.split(' ').next().unwrap_or_default().to_owned())
    }

    /// The one value in the answer to a query.
    fn value<T: for<'a> FromSql<'a>>(&self, url: &str, query: &str) -> Result<T, Failure> {
        let failed = Failure::postgres("looking at a measurement");
        self.runtime.block_on(async {
            connect(url)
                .await?
                .query_one(query, &[])
                .await
                .and_then(|row| row.try_get(0))
                .map_err(failed)
        })
    }

    fn setting(&self, name: &str) -> Result<String, Failure> {
        self.value(self.server.as_str(), &format!("SHOW {name}"))
    }

    /// The server's first process, the parent of all others.
    pub(super) fn postmaster(&self) -> Result<u32, Failure> {
        if let Some(postmaster) = self.postmaster.get() {
            return Ok(*postmaster);
        }
        let failed = Failure::postgres("looking for the server's process");
        let postmaster = self.runtime.block_on(async {
            // An open session has a process.
            let client = connect(self.server.as_str()).await?;
            let session: i32 =
                client.query_one("SELECT pg_backend_pid()", &[]).await.map_err(failed)?.get(0);
            cpu_time::parent(session.unsigned_abs())
        })?;
        Ok(*self.postmaster.get_or_init(|| postmaster))
    }

    pub(super) fn on_server(&self, statement: &str) -> Result<(), Failure> {
        self.runtime.block_on(async {
            let client = connect(self.server.as_str()).await?;
            client
                .batch_execute(statement)
                .await
                .map_err(Failure::postgres("preparing a measurement"))
        })
    }
}

/// The time that the server has to read its settings again.
const RELOAD_LIMIT: Duration = Duration::from_secs(5);

impl Floor for Postgres {
    fn create(&self, name: &str) -> Result<String, Failure> {
        self.on_server(&format!("CREATE DATABASE {name}"))?;
        Ok(self.url(name))
    }

    fn url(&self, name: &str) -> String {
        let mut url = self.server.clone();
        url.set_path(name);
        url.into()
    }

    fn count(&self, name: &str, table: &str) -> Result<u64, Failure> {
        let count: i64 = self.value(&self.url(name), &format!("SELECT count(*) FROM {table}"))?;
        Ok(count.unsigned_abs())
    }

    fn posts_to_index(&self, _: &str) -> Result<u64, Failure> {
        // The writes index the posts.
        Ok(0)
    }

    fn is_merging(&self, _: &str) -> Result<bool, Failure> {
        // A merge moves all its votes.
        Ok(false)
    }

    fn insert(&self, name: &str, tables: Vec<Table<'_>>) -> Result<(), Failure> {
        self.runtime.block_on(insert(&self.url(name), tables))
    }

    fn keep_up(&self, name: &str) -> Result<(), Failure> {
        self.runtime.block_on(async {
            let client = connect(&self.url(name)).await?;
            // The work that autovacuum does within minutes.
            client
                .batch_execute("VACUUM (ANALYZE)")
                .await
                .map_err(Failure::postgres("keeping a database up"))
        })
    }

    fn scan(&self, name: &str, organization: Uuid) -> Result<Box<dyn Scan + '_>, Failure> {
        let client = self.runtime.block_on(connect(&self.url(name)))?;
        Ok(Box::new(Scanner { client, runtime: &self.runtime, organization }))
    }

    fn merger(&self, name: &str) -> Result<Box<dyn Merger + '_>, Failure> {
        let client = self.runtime.block_on(connect(&self.url(name)))?;
        Ok(Box::new(ByCte::new(client, &self.runtime)?))
    }

    fn explainer(&self, name: &str) -> Result<Option<Box<dyn Explainer + '_>>, Failure> {
        Ok(Some(Box::new(LoggedPlans::new(self, name)?)))
    }

    fn sync_commits(&self) -> Result<String, Failure> {
        // The server of `scripts/with-postgres` runs without both, and only for this run.
        for setting in ["fsync", "full_page_writes"] {
            self.on_server(&format!("ALTER SYSTEM SET {setting} = on"))?;
        }
        self.on_server("SELECT pg_reload_conf()")?;
        let deadline = Instant::now() + RELOAD_LIMIT;
        while self.setting("fsync")? != "on" && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        let settings = ["fsync", "full_page_writes", "synchronous_commit", "wal_sync_method"];
        let shown = settings.map(|name| Ok(format!("{name} = {}", self.setting(name)?)));
        Ok(shown.into_iter().collect::<Result<Vec<_>, Failure>>()?.join(", "))
    }

    fn delivered(&self, name: &str) -> Result<u64, Failure> {
        let count: i64 = self.value(&self.url(name), DELIVERED)?;
        Ok(count.unsigned_abs())
    }

    fn cpu_time(&self) -> Result<Option<Duration>, Failure> {
        cpu_time::of_family(self.postmaster()?).map(Some)
    }

    fn content(&self, name: &str, table: &Table<'_>) -> Result<Content, Failure> {
        let Table { name: from, columns, .. } = table;
        let columns = columns.trim_end_matches(SLUG_KEY);
        let query = format!(
            "SELECT count(*), sum(hashtextextended(ROW({columns})::text, 0))::text FROM {from}"
        );
        self.runtime.block_on(async {
            let client = connect(&self.url(name)).await?;
            let row =
                client.query_one(&query, &[]).await.map_err(Failure::postgres("reading rows"))?;
            let (count, digest): (i64, Option<String>) = (row.get(0), row.get(1));
            Ok(Content { count: count.unsigned_abs(), digest: digest.unwrap_or_default() })
        })
    }

    fn remove(&self, name: &str) -> Result<(), Failure> {
        self.on_server(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
    }

    fn settle(&self) -> Result<(), Failure> {
        self.on_server("CHECKPOINT")?;
        rustix::fs::sync();
        Ok(())
    }
}

/// A connection for scans.
struct Scanner<'a> {
    client: Client,
    runtime: &'a Runtime,
    organization: Uuid,
}

impl Scan for Scanner<'_> {
    fn hits(&mut self, text: &str, behind: Option<Hit>) -> Result<Vec<Hit>, Failure> {
        let place = behind.map(|hit| (Value::Moment(hit.updated_at), hit.id));
        let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&self.organization, &text];
        let rest = match &place {
            Some((updated_at, id)) => {
                parameters.extend([updated_at as &(dyn ToSql + Sync), id]);
                "AND (updated_at, id) < ($3, $4)"
            }
            None => "",
        };
        let query = format!(
            "WITH hits AS MATERIALIZED (
                 SELECT updated_at, id FROM help_articles
                 WHERE organization_id = $1 AND is_active AND strpos(search_text, $2) > 0 {rest}
             )
             SELECT updated_at, id FROM hits ORDER BY updated_at DESC, id DESC LIMIT {PAGE} + 1"
        );
        let scanning = self.client.query(&query, &parameters);
        let rows =
            self.runtime.block_on(scanning).map_err(Failure::postgres("scanning for hits"))?;
        let hit = |row: &Row| Hit { updated_at: millis(row.get(0)), id: row.get(1) };
        Ok(rows.iter().map(hit).collect())
    }

    fn count(&mut self, text: &str) -> Result<u64, Failure> {
        let query = "SELECT count(*) FROM help_articles WHERE organization_id = $1 AND is_active AND strpos(search_text, $2) > 0";
        let parameters: [&(dyn ToSql + Sync); 2] = [&self.organization, &text];
        let counting = self.client.query_one(query, &parameters);
        let count: i64 =
            self.runtime.block_on(counting).map_err(Failure::postgres("counting hits"))?.get(0);
        Ok(count.unsigned_abs())
    }
}

/// The last column of organizations, which is in another table here.
const SLUG_KEY: &str = ", slug_key";

async fn insert(url: &str, tables: Vec<Table<'_>>) -> Result<(), Failure> {
    let failed = Failure::postgres("inserting rows");
    let mut client = connect(url).await?;
    let transaction = client.transaction().await.map_err(&failed)?;
    for Table { name, columns, rows, .. } in tables {
        let columns = columns.trim_end_matches(SLUG_KEY);
        let described =
            transaction.prepare(&format!("SELECT {columns} FROM {name}")).await.map_err(&failed)?;
        let types: Vec<Type> =
            described.columns().iter().map(|column| column.type_().clone()).collect();
        let sink = transaction
            .copy_in(&format!("COPY {name} ({columns}) FROM STDIN BINARY"))
            .await
            .map_err(&failed)?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        for mut row in rows {
            row.truncate(types.len());
            writer.as_mut().write_raw(row).await.map_err(&failed)?;
        }
        writer.finish().await.map_err(&failed)?;
    }
    transaction.commit().await.map_err(&failed)
}

async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.map_err(Failure::postgres("connecting"))?;
    // The task ends when the client is dropped. The client reports an earlier end.
    tokio::spawn(connection);
    Ok(client)
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Id(id) => id.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Flag(flag) => flag.to_sql(ty, out),
            Self::Number(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Self::Number(number) => number.to_sql(ty, out),
            Self::Moment(millis) => (SystemTime::UNIX_EPOCH
                + Duration::from_millis(millis.unsigned_abs()))
            .to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
            Self::Nothing => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
