//! Conversions of the errors of SQLite and Diesel to those of the ports.

use diesel::result::{DatabaseErrorKind, Error};
use hearback_ports::record::Key;
use hearback_ports::{Recorded, StoreError, Unique};
use hearback_store_rows::BadRow;

/// The reason why a change was rolled back. Nothing of it was stored.
#[derive(Debug)]
pub(crate) enum Undone {
    /// A loaded value has changed since.
    Stale,
    /// The change breaks a unique rule.
    Taken(Unique),
    /// A record that the change needs does not exist or is not active.
    Missing(Key),
    /// Active records refer to a record that must be unused.
    InUse(Key),
    /// The store failed.
    Failed(Error),
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        violated(&error).map_or(Self::Failed(error), Self::Taken)
    }
}

impl From<BadRow> for Undone {
    fn from(row: BadRow) -> Self {
        Self::Failed(row.into())
    }
}

impl Undone {
    /// Converts the error of a statement that adds rows. A violated foreign key is
    /// [`Undone::Stale`], since a row that they refer to may be gone by now.
    pub(crate) fn inserting(error: Error) -> Self {
        match error {
            Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) => Self::Stale,
            error => Self::from(error),
        }
    }

    /// The result of a `record` method.
    pub(crate) fn recorded(self, doing: &'static str) -> Result<Recorded, StoreError> {
        match self {
            Self::Stale => Ok(Recorded::Stale),
            Self::Taken(unique) => Ok(Recorded::Taken(unique)),
            Self::Missing(key) => Ok(Recorded::Missing(key)),
            Self::InUse(key) => Ok(Recorded::InUse(key)),
            Self::Failed(error) => Err(store_error(doing, error)),
        }
    }
}

/// Converts the error of a statement that changed nothing.
pub(crate) fn store_error(doing: &'static str, error: Error) -> StoreError {
    if is_busy(&error) {
        StoreError::Busy
    } else if is_full(&error) {
        StoreError::Full { doing, source: Box::new(error) }
    } else {
        StoreError::Backend { doing, source: Box::new(error) }
    }
}

/// A failure of the file that later statements meet, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Harm {
    /// The disk is full.
    Full,
    /// The file is damaged.
    Damaged,
}

impl Harm {
    /// The harm that an error shows.
    pub(crate) fn of(error: &Error) -> Option<Self> {
        if is_full(error) { Some(Self::Full) } else { is_damage(error).then_some(Self::Damaged) }
    }
}

/// An error of a write.
pub(crate) trait Cause {
    /// The error of the database that caused it.
    fn cause(&self) -> Option<&Error>;
}

impl Cause for Error {
    fn cause(&self) -> Option<&Error> {
        Some(self)
    }
}

impl Cause for Undone {
    fn cause(&self) -> Option<&Error> {
        if let Self::Failed(error) = self { Some(error) } else { None }
    }
}

/// Returns whether the disk has no room, or SQLite may not make the file longer.
fn is_full(error: &Error) -> bool {
    // Only SQLITE_FULL has this text.
    matches!(error, Error::DatabaseError(_, information) if information.message() == "database or disk is full")
}

/// Returns whether another connection held a lock until the wait for it ended.
pub(crate) fn is_busy(error: &Error) -> bool {
    // Diesel hides SQLite's result codes. Only SQLITE_BUSY has this text.
    matches!(error, Error::DatabaseError(_, information) if information.message() == "database is locked")
}

/// Returns whether the file is no longer a database, or its pages are malformed.
pub(crate) fn is_damage(error: &Error) -> bool {
    // The texts of SQLITE_NOTADB and SQLITE_CORRUPT. The latter may continue with the place of the
    // damage.
    let texts =
        ["file is not a database", "database disk image is malformed", "malformed database schema"];
    matches!(error, Error::DatabaseError(_, information) if texts.iter().any(|text| information.message().starts_with(text)))
}

/// The unique rule that a statement broke. `None` if it failed for another reason.
pub(crate) fn violated(error: &Error) -> Option<Unique> {
    match error {
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, information) => {
            unique_rule(information.message())
        }
        _ => None,
    }
}

/// Reads the rule from `UNIQUE constraint failed: table.column, table.column, …`.
fn unique_rule(message: &str) -> Option<Unique> {
    let columns = message.strip_prefix("UNIQUE constraint failed: ")?;
    let (table, _) = columns.split_once('.')?;
    let (_, column) = columns.rsplit_once('.')?;
    match (table, column) {
        // The primary keys come first: a vote and an API key have other unique rules too.
        ("receipts", _) => Some(Unique::Receipt),
        (_, "id") => Some(Unique::Id),
        (_, "slug_key") => Some(Unique::Slug),
        ("organizations", "host") => Some(Unique::Host),
        (_, "code") => Some(Unique::Code),
        (_, "external_id") => Some(Unique::ExternalId),
        ("users", "email") => Some(Unique::Email),
        ("users", "user_id") => Some(Unique::UserId),
        ("comments", "feedback_post_id") => Some(Unique::PinnedComment),
        ("roadmap_links" | "entry_links", "feedback_post_id") => Some(Unique::Link),
        ("post_subscriptions", "user_id") => Some(Unique::Subscription),
        ("votes", "user_id" | "feedback_post_id") => Some(Unique::Vote),
        ("dropped_votes", "feedback_post_id") => Some(Unique::Vote),
        ("help_redirects", "from_path") => Some(Unique::Path),
        ("help_article_versions", "version") => Some(Unique::Version),
        ("statuses", "organization_id") => Some(Unique::DefaultStatus),
        ("api_keys", "organization_id") => Some(Unique::ActiveKey),
        ("api_keys", "digest") => Some(Unique::KeyDigest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::connection::SimpleConnection;
    use diesel::{Connection, SqliteConnection};

    fn refused(connection: &mut SqliteConnection, statement: &str) -> Error {
        connection.batch_execute(statement).unwrap_err()
    }

    #[test]
    fn the_rule_is_read_from_the_message_of_sqlite() {
        let mut connection = SqliteConnection::establish(":memory:").unwrap();
        connection
            .batch_execute(
                "CREATE TABLE api_keys (organization_id blob, id blob, digest blob, is_active integer,
                     PRIMARY KEY (organization_id, id), UNIQUE (digest)) STRICT, WITHOUT ROWID;
                 CREATE UNIQUE INDEX api_keys_one_active ON api_keys (organization_id) WHERE is_active;
                 INSERT INTO api_keys VALUES (x'01', x'02', x'03', 1);",
            )
            .unwrap();
        for (values, unique) in [
            ("x'01', x'02', x'04', 0", Some(Unique::Id)),
            ("x'02', x'02', x'03', 0", Some(Unique::KeyDigest)),
            ("x'01', x'03', x'04', 1", Some(Unique::ActiveKey)),
            ("NULL, x'03', x'04', 1", None),
        ] {
            let error =
                refused(&mut connection, &format!("INSERT INTO api_keys VALUES ({values})"));
            assert_eq!(violated(&error), unique, "{error}");
        }
    }

    #[test]
    fn a_lock_that_another_connection_holds_is_busy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let path = path.to_str().unwrap();
        let mut holder = SqliteConnection::establish(path).unwrap();
        holder.batch_execute("BEGIN EXCLUSIVE").unwrap();
        let mut connection = SqliteConnection::establish(path).unwrap();
        assert!(is_busy(&refused(&mut connection, "BEGIN EXCLUSIVE")));
        assert!(!is_busy(&refused(&mut connection, "SELECT * FROM nothing")));
        drop(holder);
        assert!(matches!(
            store_error("beginning", refused(&mut connection, "nonsense")),
            StoreError::Backend { .. }
        ));
    }

    #[test]
    fn every_rule_is_known_by_its_columns() {
        for (columns, unique) in [
            ("organizations.id", Unique::Id),
            ("organizations.slug_key", Unique::Slug),
            ("organizations.host", Unique::Host),
            ("votes.organization_id, votes.id", Unique::Id),
            ("feedback_posts.organization_id, feedback_posts.slug_key", Unique::Slug),
            ("tags.organization_id, tags.code", Unique::Code),
            ("users.organization_id, users.id", Unique::Id),
            ("users.organization_id, users.user_id", Unique::UserId),
            ("users.organization_id, users.email", Unique::Email),
            ("votes.organization_id, votes.user_id, votes.feedback_post_id", Unique::Vote),
            ("votes.organization_id, votes.roadmap_post_id, votes.user_id", Unique::Vote),
            ("statuses.organization_id", Unique::DefaultStatus),
            ("api_keys.organization_id, api_keys.id", Unique::Id),
            ("api_keys.organization_id", Unique::ActiveKey),
            ("api_keys.digest", Unique::KeyDigest),
            ("receipts.organization_id, receipts.path, receipts.idempotency_key", Unique::Receipt),
        ] {
            assert_eq!(
                unique_rule(&format!("UNIQUE constraint failed: {columns}")),
                Some(unique),
                "{columns}"
            );
        }
        assert_eq!(unique_rule("UNIQUE constraint failed: leases.name"), None);
        assert_eq!(unique_rule("FOREIGN KEY constraint failed"), None);
    }
}
