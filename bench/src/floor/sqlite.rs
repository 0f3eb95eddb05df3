//! SQLite: one transaction, and a prepared statement for each table.

use super::merges::{ByStatements, Merger};
use super::{Content, DELIVERED, Explainer, Floor, Hit, PAGE, Scan};
use crate::failure::Failure;
use crate::rows::{Table, Value};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, Row, ToSql, params_from_iter};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use uuid::Uuid;

/// Database files in a folder.
pub(crate) struct Sqlite<'a> {
    pub(crate) folder: &'a Path,
}

/// The durability, the memory and the checks of references of Hearback's imports. The write-ahead
/// log is a property of the file, and needs no pragma.
const SETTINGS: &str =
    "PRAGMA synchronous = FULL; PRAGMA cache_size = -131072; PRAGMA foreign_keys = ON";
/// The settings of Hearback's readers.
const READER_SETTINGS: &str = "PRAGMA synchronous = FULL; PRAGMA cache_size = -8192; PRAGMA foreign_keys = ON; \
                               PRAGMA temp_store = MEMORY; PRAGMA query_only = ON";

impl Floor for Sqlite<'_> {
    fn create(&self, name: &str) -> Result<String, Failure> {
        Ok(self.url(name))
    }

    fn url(&self, name: &str) -> String {
        format!("sqlite:{}", self.file(name).display())
    }

    fn count(&self, name: &str, table: &str) -> Result<u64, Failure> {
        let failed = Failure::sqlite("counting rows");
        let connection =
            Connection::open_with_flags(self.file(name), OpenFlags::SQLITE_OPEN_READ_WRITE)
                .map_err(&failed)?;
        let query = format!("SELECT count(*) FROM {table}");
        let count: i64 = connection.query_row(&query, [], |row| row.get(0)).map_err(&failed)?;
        Ok(count.unsigned_abs())
    }

    fn posts_to_index(&self, name: &str) -> Result<u64, Failure> {
        self.count(name, "feedback_posts_unindexed")
    }

    fn is_merging(&self, name: &str) -> Result<bool, Failure> {
        Ok(self.count(name, "feedback_posts WHERE votes_from_id IS NOT NULL")? > 0)
    }

    fn insert(&self, name: &str, tables: Vec<Table<'_>>) -> Result<(), Failure> {
        let failed = Failure::sqlite("inserting rows");
        let mut connection = Connection::open(self.file(name)).map_err(&failed)?;
        connection.execute_batch(SETTINGS).map_err(&failed)?;
        let transaction = connection.transaction().map_err(&failed)?;
        for Table { name, columns, rows, .. } in tables {
            let values = vec!["?"; columns.split(',').count()].join(", ");
            let mut insert = transaction
                .prepare(&format!("INSERT INTO {name} ({columns}) VALUES ({values})"))
                .map_err(&failed)?;
            for row in rows {
                insert.execute(params_from_iter(row)).map_err(&failed)?;
            }
        }
        transaction.commit().map_err(&failed)?;
        // Moves the rest of the log to the database.
        connection.close().map_err(|(_, error)| failed(error))
    }

    fn keep_up(&self, _: &str) -> Result<(), Failure> {
        Ok(())
    }

    fn scan(&self, name: &str, organization: Uuid) -> Result<Box<dyn Scan + '_>, Failure> {
        let failed = Failure::sqlite("opening a database for scans");
        let connection = Connection::open(self.file(name)).map_err(&failed)?;
        connection.execute_batch(READER_SETTINGS).map_err(&failed)?;
        Ok(Box::new(Scanner { connection, organization }))
    }

    fn merger(&self, name: &str) -> Result<Box<dyn Merger + '_>, Failure> {
        let connection = Connection::open(self.file(name))
            .map_err(Failure::sqlite("opening a database for merges"))?;
        Ok(Box::new(ByStatements::new(connection)?))
    }

    fn explainer(&self, _: &str) -> Result<Option<Box<dyn Explainer + '_>>, Failure> {
        Ok(None)
    }

    fn sync_commits(&self) -> Result<String, Failure> {
        Ok("write-ahead log, synchronous = FULL".to_owned())
    }

    fn delivered(&self, name: &str) -> Result<u64, Failure> {
        let failed = Failure::sqlite("counting deliveries");
        let connection = Connection::open(self.file(name)).map_err(&failed)?;
        let count: i64 = connection.query_row(DELIVERED, [], |row| row.get(0)).map_err(&failed)?;
        Ok(count.unsigned_abs())
    }

    fn cpu_time(&self) -> Result<Option<Duration>, Failure> {
        Ok(None)
    }

    fn content(&self, name: &str, table: &Table<'_>) -> Result<Content, Failure> {
        let failed = Failure::sqlite("reading rows");
        let connection = Connection::open(self.file(name)).map_err(&failed)?;
        let query = format!("SELECT {} FROM {}", table.columns, table.name);
        let mut statement = connection.prepare(&query).map_err(&failed)?;
        let width = statement.column_count();
        let mut rows = statement.query([]).map_err(&failed)?;
        let (mut count, mut digest) = (0, 0_u64);
        while let Some(row) = rows.next().map_err(&failed)? {
            count += 1;
            digest = digest.wrapping_add(hash(row, width).map_err(&failed)?);
        }
        Ok(Content { count, digest: digest.to_string() })
    }

    fn remove(&self, name: &str) -> Result<(), Failure> {
        // The last connection removes the log and its index. A killed server leaves them.
        for file in
            ["db", "db-wal", "db-shm"].map(|extension| self.file(name).with_extension(extension))
        {
            match fs::remove_file(file) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Failure::Machine {
                        doing: "removing a database".to_owned(),
                        source: error,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn settle(&self) -> Result<(), Failure> {
        rustix::fs::sync();
        Ok(())
    }
}

impl Sqlite<'_> {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension("db")
    }
}

/// A connection for scans.
struct Scanner {
    connection: Connection,
    organization: Uuid,
}

impl Scan for Scanner {
    fn hits(&mut self, text: &str, behind: Option<Hit>) -> Result<Vec<Hit>, Failure> {
        let failed = Failure::sqlite("scanning for hits");
        let mut parameters = vec![Value::Id(self.organization), Value::Text(text)];
        let rest = match behind {
            Some(Hit { updated_at, id }) => {
                parameters.extend([Value::Moment(updated_at), Value::Id(id)]);
                "AND (updated_at, id) < (?, ?)"
            }
            None => "",
        };
        let query = format!(
            "WITH hits AS MATERIALIZED (
                 SELECT updated_at, id FROM help_articles
                 WHERE organization_id = ? AND is_active AND instr(search_text, ?) > 0 {rest}
             )
             SELECT updated_at, id FROM hits ORDER BY updated_at DESC, id DESC LIMIT {PAGE} + 1"
        );
        let mut statement = self.connection.prepare(&query).map_err(&failed)?;
        let hit =
            |row: &Row<'_>| Ok(Hit { updated_at: row.get(0)?, id: Uuid::from_bytes(row.get(1)?) });
        let hits = statement.query_map(params_from_iter(parameters), hit).map_err(&failed)?;
        hits.collect::<Result<_, _>>().map_err(&failed)
    }

    fn count(&mut self, text: &str) -> Result<u64, Failure> {
        let query = "SELECT count(*) FROM help_articles WHERE organization_id = ? AND is_active AND instr(search_text, ?) > 0";
        let parameters = [Value::Id(self.organization), Value::Text(text)];
        let count: i64 = self
            .connection
            .query_row(query, params_from_iter(parameters), |row| row.get(0))
            .map_err(Failure::sqlite("counting hits"))?;
        Ok(count.unsigned_abs())
    }
}

fn hash(row: &Row<'_>, width: usize) -> rusqlite::Result<u64> {
    let mut hasher = DefaultHasher::new();
    for column in 0..width {
        match row.get_ref(column)? {
            ValueRef::Null => hasher.write_u8(0),
            ValueRef::Integer(number) => number.hash(&mut hasher),
            ValueRef::Real(number) => number.to_bits().hash(&mut hasher),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.hash(&mut hasher),
        }
    }
    Ok(hasher.finish())
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Id(id) => ValueRef::Blob(id.as_bytes()),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Flag(flag) => ValueRef::Integer((*flag).into()),
            Self::Number(number) | Self::Moment(number) => ValueRef::Integer(*number),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Nothing => ValueRef::Null,
        }))
    }
}
