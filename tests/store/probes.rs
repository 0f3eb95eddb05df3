//! Reads the databases without their stores, over connections of its own.

use async_trait::async_trait;
use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Binary, Text};
use diesel::{Connection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use hearback_domain::Uuid;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_tests::conformance::Probe;
use hearback_tests::postgres;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio::sync::OnceCell;

/// Reads a database file.
pub(crate) struct SqliteProbe {
    path: PathBuf,
}

impl SqliteProbe {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn connect(&self) -> SqliteConnection {
        SqliteConnection::establish(self.path.to_str().expect("a path in UTF-8"))
            .expect("the file is opened")
    }

    /// Runs statements for changes that no port offers.
    pub(crate) fn execute(&self, statements: &str) {
        self.connect().batch_execute(statements).expect("the statements are run");
    }

    /// The number of records in a full-text index, of all organizations. [`Probe::rows`] does not
    /// count its rows.
    pub(crate) fn indexed(&self, index: &str) -> i64 {
        self.count(&format!("{index}_docsize"))
    }

    /// The number of rows of a table, of all organizations.
    pub(crate) fn count(&self, table: &str) -> i64 {
        #[derive(QueryableByName)]
        struct Count {
            #[diesel(sql_type = BigInt)]
            rows: i64,
        }
        let count = sql_query(format!("SELECT count(*) AS rows FROM {table}"));
        count.get_result::<Count>(&mut self.connect()).expect("the table is read").rows
    }
}

#[async_trait]
impl Probe for SqliteProbe {
    async fn rows(&self, organization: OrganizationId) -> BTreeMap<String, i64> {
        #[derive(QueryableByName)]
        struct Table {
            #[diesel(sql_type = Text)]
            name: String,
        }
        #[derive(QueryableByName)]
        struct Count {
            #[diesel(sql_type = BigInt)]
            rows: i64,
        }
        let mut connection = self.connect();
        // The background step that indexes posts may empty the last table at any time.
        let tables = "SELECT t.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c \
                      WHERE t.type = 'table' AND c.name = 'organization_id' \
                      AND t.name <> 'feedback_posts_unindexed'";
        let tables: Vec<Table> =
            sql_query(tables).load(&mut connection).expect("the tables are read");
        assert!(!tables.is_empty());
        let mut all = BTreeMap::new();
        for Table { name } in tables {
            let count = format!("SELECT count(*) AS rows FROM {name} WHERE organization_id = ?");
            let count = sql_query(count).bind::<Binary, _>(organization.0.as_bytes().to_vec());
            let Count { rows } = count.get_result(&mut connection).expect("the rows are counted");
            all.insert(name, rows);
        }
        all
    }

    async fn mails(&self, organization: OrganizationId) -> BTreeMap<(MailingId, UserId), String> {
        #[derive(QueryableByName)]
        struct Mail {
            #[diesel(sql_type = Binary)]
            mailing_id: Vec<u8>,
            #[diesel(sql_type = Binary)]
            user_id: Vec<u8>,
            #[diesel(sql_type = Text)]
            state: String,
        }
        let mails = sql_query(MAILS).bind::<Binary, _>(organization.0.as_bytes().to_vec());
        let mails: Vec<Mail> = mails.load(&mut self.connect()).expect("the mails are read");
        let id = |bytes: &[u8]| Uuid::from_slice(bytes).expect("an identifier");
        mails
            .into_iter()
            .map(|mail| ((id(&mail.mailing_id).into(), id(&mail.user_id).into()), mail.state))
            .collect()
    }
}

/// The query for the mails of an organization, on both databases.
const MAILS: &str = "SELECT mailing_id, user_id, \
                     CASE WHEN error_class IS NULL THEN state ELSE state || ' ' || error_class END AS state \
                     FROM mails WHERE organization_id = $1";

/// Reads a PostgreSQL database.
pub(crate) struct PostgresProbe {
    url: String,
    /// A connection with the statement that counts the rows of each table. Cases count in loops, and
    /// a new connection would read the catalog of all tables each time.
    counts: OnceCell<(tokio_postgres::Client, tokio_postgres::Statement)>,
}

impl PostgresProbe {
    pub(crate) fn new(url: &str) -> Self {
        Self { url: url.to_owned(), counts: OnceCell::new() }
    }

    /// A connection whose statements conflict with no serializable transaction.
    async fn connect(&self) -> tokio_postgres::Client {
        let client = postgres::connect(&self.url).await;
        client
            .batch_execute("SET default_transaction_isolation = 'read committed'")
            .await
            .expect("the level is set");
        client
    }

    async fn prepare_counts(&self) -> (tokio_postgres::Client, tokio_postgres::Statement) {
        let client = self.connect().await;
        let tables = "SELECT c.relname::text FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid \
                      WHERE a.attname = 'organization_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition";
        let tables = client.query(tables, &[]).await.expect("the tables are read");
        assert!(!tables.is_empty());
        let count = |table: &str| {
            format!("SELECT '{table}', count(*) FROM {table} WHERE organization_id = $1")
        };
        let counts: Vec<String> = tables.iter().map(|row| count(row.get(0))).collect();
        let counts = counts.join(" UNION ALL ");
        let counts = client.prepare(&counts).await.expect("the statement is prepared");
        (client, counts)
    }

    /// Runs statements for changes that no port offers.
    pub(crate) async fn execute(&self, statements: &str) {
        self.connect().await.batch_execute(statements).await.expect("the statements are run");
    }
}

#[async_trait]
impl Probe for PostgresProbe {
    async fn rows(&self, organization: OrganizationId) -> BTreeMap<String, i64> {
        let (client, counts) = self.counts.get_or_init(async || self.prepare_counts().await).await;
        let counts = client.query(counts, &[&organization.0]).await.expect("the rows are counted");
        counts.iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    async fn mails(&self, organization: OrganizationId) -> BTreeMap<(MailingId, UserId), String> {
        let rows = self
            .connect()
            .await
            .query(MAILS, &[&organization.0])
            .await
            .expect("the mails are read");
        let key = |row: &tokio_postgres::Row| {
            (row.get::<_, Uuid>(0).into(), row.get::<_, Uuid>(1).into())
        };
        rows.iter().map(|row| (key(row), row.get(2))).collect()
    }
}
