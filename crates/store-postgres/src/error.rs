//! Converts the errors of PostgreSQL and Diesel to those of the ports.

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error};
use hearback_ports::record::Key;
use hearback_ports::{Recorded, StoreError, Unique};
use hearback_store_rows::BadRow;

/// The reason why a change was rolled back.
#[derive(Debug)]
pub(crate) enum Undone {
    /// The loaded values have changed since.
    Stale,
    /// The change breaks a unique rule.
    Taken(Unique),
    /// A record that the change needs is missing or not active.
    Missing(Key),
    /// Active records refer to a record that must be unused.
    InUse(Key),
    /// The database or the connection to it failed.
    Failed(Error),
    /// The connection broke before the commit.
    Unreached(Error),
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        match &error {
            // Another transaction was faster, so the values must be loaded again.
            Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _) => Self::Stale,
            // A row that refers to the removed one has come since the removal began.
            Error::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, information)
                if information.message().starts_with(STILL_USED) =>
            {
                Self::Stale
            }
            // Diesel hides SQLSTATE 40P01.
            Error::DatabaseError(DatabaseErrorKind::Unknown, information)
                if DEADLOCKS.contains(&information.message()) =>
            {
                Self::Stale
            }
            _ => violated(&error).map_or(Self::Failed(error), Self::Taken),
        }
    }
}

/// An error that the database may have caused.
pub(crate) trait Cause {
    /// The error of the database.
    fn cause(&self) -> Option<&Error>;
}

impl Cause for Error {
    fn cause(&self) -> Option<&Error> {
        Some(self)
    }
}

impl Cause for Undone {
    fn cause(&self) -> Option<&Error> {
        match self {
            Self::Failed(error) | Self::Unreached(error) => Some(error),
            Self::Stale | Self::Taken(_) | Self::Missing(_) | Self::InUse(_) => None,
        }
    }
}

/// The beginning of the message about a removed row to which others refer.
const STILL_USED: &str = "update or delete on table ";

/// The messages of a deadlock: that of a server, and that of a Citus cluster.
const DEADLOCKS: [&str; 2] = [
    "deadlock detected",
    "canceling the transaction since it was involved in a distributed deadlock",
];

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

    /// Whether a statement failed because an earlier one had ended the transaction.
    fn is_of_ended_transaction(&self) -> bool {
        // Diesel hides SQLSTATE 25P02.
        matches!(self, Self::Failed(Error::DatabaseError(DatabaseErrorKind::Unknown, information))
            if information.message().starts_with("current transaction is aborted"))
    }

    /// The reason of a change whose commit was not requested: the server has rolled it back.
    pub(crate) fn before_commit(self) -> Self {
        match self {
            Self::Failed(error) => Self::Unreached(error),
            other => other,
        }
    }

    /// The result of a `record` method.
    pub(crate) fn recorded(self, doing: &'static str) -> Result<Recorded, StoreError> {
        match self {
            Self::Stale => Ok(Recorded::Stale),
            Self::Taken(unique) => Ok(Recorded::Taken(unique)),
            Self::Missing(key) => Ok(Recorded::Missing(key)),
            Self::InUse(key) => Ok(Recorded::InUse(key)),
            Self::Failed(error) => Err(write_error(doing, error)),
            Self::Unreached(error) => Err(read_error(doing, error)),
        }
    }
}

/// The failure that ended a transaction, of statements that followed each other on its connection
/// without a wait. All later ones failed because of it.
pub(crate) fn first_failure(
    results: impl IntoIterator<Item = Result<(), Undone>>,
) -> Result<(), Undone> {
    let failures = results.into_iter().filter_map(Result::err);
    failures.min_by_key(Undone::is_of_ended_transaction).map_or(Ok(()), Err)
}

/// Converts the error of a statement or transaction that was to change something.
pub(crate) fn write_error(doing: &'static str, error: Error) -> StoreError {
    // The missing response may be that to COMMIT.
    if is_disconnection(&error) || is_node_away(&error) {
        StoreError::Lost { doing, source: Box::new(error) }
    } else {
        read_error(doing, error)
    }
}

/// Converts the error of a statement that changes nothing.
pub(crate) fn read_error(doing: &'static str, error: Error) -> StoreError {
    // PostgreSQL reports a time limit as an error of the statement, so the transaction is certainly
    // rolled back.
    if is_time_limit(&error) || is_cancelled(&error) {
        StoreError::Busy
    } else if is_full(&error) {
        StoreError::Full { doing, source: Box::new(error) }
    } else if is_disconnection(&error) || is_node_away(&error) {
        StoreError::Unreachable { doing, source: Box::new(error) }
    } else {
        StoreError::Backend { doing, source: Box::new(error) }
    }
}

/// Returns whether the connection broke before the response.
pub(crate) fn is_disconnection(error: &Error) -> bool {
    match error {
        Error::DatabaseError(
            DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection,
            _,
        ) => true,
        // Diesel hides SQLSTATE 57P01 to 57P05 and 25P03, with which the server itself ends a
        // session.
        Error::DatabaseError(DatabaseErrorKind::Unknown, information) => {
            information.message().starts_with("terminating connection")
        }
        // Neither the COMMIT nor the ROLLBACK got a response.
        Error::RollbackErrorOnCommit { .. } => true,
        _ => false,
    }
}

/// The unique rule that a statement broke. `None` if it failed for another reason.
pub(crate) fn violated(error: &Error) -> Option<Unique> {
    match error {
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, information) => {
            unique_rule(&**information)
        }
        _ => None,
    }
}

/// Returns whether `lock_timeout` or `statement_timeout` ran out.
pub(crate) fn is_time_limit(error: &Error) -> bool {
    // Diesel hides SQLSTATE 55P03 and 57014. The messages of a server with another language are not
    // recognized, so the result is a failure instead of `Busy`.
    let Error::DatabaseError(DatabaseErrorKind::Unknown, information) = error else { return false };
    matches!(
        information.message(),
        "canceling statement due to lock timeout" | "canceling statement due to statement timeout"
    )
}

/// Returns whether an administrator, or the recovery of a replica, cancelled the statement.
pub(crate) fn is_cancelled(error: &Error) -> bool {
    // SQLSTATE 57014 and 40001.
    ["canceling statement due to user request", "canceling statement due to conflict with recovery"]
        .iter()
        .any(|text| message(error) == Some(text))
}

/// Returns whether the disk of the server is full.
pub(crate) fn is_full(error: &Error) -> bool {
    // SQLSTATE 53100. The message is that of the operating system.
    message(error).is_some_and(|message| message.ends_with("No space left on device"))
}

/// Returns whether the coordinator of a Citus cluster did not reach the node of the rows.
fn is_node_away(error: &Error) -> bool {
    // SQLSTATE 08006.
    message(error).is_some_and(|message| message.starts_with("connection to the remote node"))
}

fn message(error: &Error) -> Option<&str> {
    match error {
        Error::DatabaseError(_, information) => Some(information.message()),
        _ => None,
    }
}

/// The text of an error and its causes, for a place that takes only a text.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Reads the rule from the columns in `Key (column, column, …)=(…) already exists.`. In a
/// partitioned table, the constraint has the name of the partition's index, which PostgreSQL
/// generates. It always begins with the name of the table. If a node of a Citus cluster reports the
/// error, only the message has the constraint.
fn unique_rule(information: &dyn DatabaseErrorInformation) -> Option<Unique> {
    let (_, columns) = information.details()?.split_once('(')?;
    let (columns, _) = columns.split_once(")=(")?;
    let quoted = || information.message().split('"').nth(1);
    let table = information.constraint_name().or_else(quoted)?;
    let last = columns.rsplit(", ").next()?;
    // The primary keys come first: votes and API keys have other unique rules too. The name of a
    // partition begins with the name of its table.
    match last {
        "idempotency_key" => Some(Unique::Receipt),
        "id" => Some(Unique::Id),
        "slug_key" => Some(Unique::Slug),
        "host" => Some(Unique::Host),
        "code" => Some(Unique::Code),
        "external_id" => Some(Unique::ExternalId),
        "email" => Some(Unique::Email),
        "user_id" if table.starts_with("users") => Some(Unique::UserId),
        "user_id" | "feedback_post_id" if table.starts_with("votes") => Some(Unique::Vote),
        "feedback_post_id" if table.starts_with("dropped_votes") => Some(Unique::Vote),
        "feedback_post_id" if table.starts_with("comments") => Some(Unique::PinnedComment),
        "feedback_post_id" if table.starts_with("roadmap_links") => Some(Unique::Link),
        "feedback_post_id" if table.starts_with("entry_links") => Some(Unique::Link),
        "user_id" if table.starts_with("post_subscriptions") => Some(Unique::Subscription),
        "organization_id" if table.starts_with("statuses") => Some(Unique::DefaultStatus),
        "organization_id" if table.starts_with("api_keys") => Some(Unique::ActiveKey),
        "from_path" => Some(Unique::Path),
        "version" if table.starts_with("help_article_versions") => Some(Unique::Version),
        "digest" => Some(Unique::KeyDigest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Report {
        message: String,
        constraint: Option<&'static str>,
        details: String,
    }

    impl DatabaseErrorInformation for Report {
        fn message(&self) -> &str {
            &self.message
        }
        fn details(&self) -> Option<&str> {
            Some(&self.details)
        }
        fn hint(&self) -> Option<&str> {
            None
        }
        fn table_name(&self) -> Option<&str> {
            None
        }
        fn column_name(&self) -> Option<&str> {
            None
        }
        fn constraint_name(&self) -> Option<&str> {
            self.constraint
        }
        fn statement_position(&self) -> Option<i32> {
            None
        }
    }

    fn failure(kind: DatabaseErrorKind, message: &'static str) -> Error {
        let message = message.to_owned();
        Error::DatabaseError(
            kind,
            Box::new(Report { message, constraint: None, details: String::new() }),
        )
    }

    #[test]
    fn the_columns_of_a_duplicate_key_name_the_rule() {
        for (constraint, columns, unique) in [
            ("organizations_pkey", "id", Some(Unique::Id)),
            ("organization_slugs_slug_key_key", "slug_key", Some(Unique::Slug)),
            ("organization_slugs_host_key", "host", Some(Unique::Host)),
            ("votes_pkey_102008", "organization_id, id", Some(Unique::Id)),
            (
                "feedback_posts_p3_organization_id_slug_key_key",
                "organization_id, slug_key",
                Some(Unique::Slug),
            ),
            ("tags_by_code", "organization_id, code", Some(Unique::Code)),
            ("users_organization_id_user_id_key", "organization_id, user_id", Some(Unique::UserId)),
            ("users_p1_organization_id_email_key", "organization_id, email", Some(Unique::Email)),
            (
                "votes_p2_organization_id_user_id_feedback_post_id_key",
                "organization_id, user_id, feedback_post_id",
                Some(Unique::Vote),
            ),
            (
                "votes_one_per_roadmap_post",
                "organization_id, roadmap_post_id, user_id",
                Some(Unique::Vote),
            ),
            ("statuses_one_default", "organization_id", Some(Unique::DefaultStatus)),
            ("api_keys_one_active", "organization_id", Some(Unique::ActiveKey)),
            ("api_keys_digest_key", "digest", Some(Unique::KeyDigest)),
            ("receipts_pkey", "organization_id, path, idempotency_key", Some(Unique::Receipt)),
            ("feedback_post_tags_pkey", "organization_id, feedback_post_id, tag_id", None),
            ("leases_pkey", "name", None),
        ] {
            let details = format!("Key ({columns})=(a, b) already exists.");
            let message =
                format!("duplicate key value violates unique constraint \"{constraint}\"");
            for constraint in [None, Some(constraint)] {
                let report =
                    Report { message: message.clone(), constraint, details: details.clone() };
                let error =
                    Error::DatabaseError(DatabaseErrorKind::UniqueViolation, Box::new(report));
                assert_eq!(violated(&error), unique, "{message} ({columns})");
            }
        }
    }

    #[test]
    fn a_time_limit_that_ran_out_is_busy_since_nothing_was_done() {
        for message in [
            "canceling statement due to lock timeout",
            "canceling statement due to statement timeout",
        ] {
            let error = failure(DatabaseErrorKind::Unknown, message);
            assert!(matches!(write_error("writing", error), StoreError::Busy), "{message}");
        }
    }

    #[test]
    fn a_change_is_not_lost_if_the_connection_breaks_before_the_commit() {
        let broken = || Undone::Failed(failure(DatabaseErrorKind::ClosedConnection, "closed"));
        assert!(matches!(broken().recorded("writing"), Err(StoreError::Lost { .. })));
        let before = broken().before_commit().recorded("writing");
        assert!(matches!(before, Err(StoreError::Unreachable { .. })), "{before:?}");
    }

    #[test]
    fn cancelled_statements_and_a_full_disk_are_temporary_failures() {
        let read = |message| read_error("reading", failure(DatabaseErrorKind::Unknown, message));
        assert!(matches!(read("canceling statement due to user request"), StoreError::Busy));
        let full = "could not extend file \"base/5/16384\": No space left on device";
        assert!(matches!(read(full), StoreError::Full { .. }));
    }

    #[test]
    fn the_outcome_of_a_write_is_unknown_if_the_connection_breaks() {
        for (kind, message) in [
            (DatabaseErrorKind::UnableToSendCommand, "connection closed"),
            (DatabaseErrorKind::Unknown, "terminating connection due to administrator command"),
            (DatabaseErrorKind::Unknown, "connection to the remote node hb@10.0.0.2:5432 failed"),
        ] {
            assert!(
                matches!(write_error("writing", failure(kind, message)), StoreError::Lost { .. }),
                "{message}"
            );
            assert!(
                matches!(
                    read_error("reading", failure(kind, message)),
                    StoreError::Unreachable { .. }
                ),
                "{message}"
            );
        }
        let deadlock = failure(DatabaseErrorKind::Unknown, "deadlock detected");
        assert!(matches!(Undone::from(deadlock), Undone::Stale));
    }

    #[test]
    fn a_serialization_failure_makes_a_change_stale() {
        let error = failure(
            DatabaseErrorKind::SerializationFailure,
            "could not serialize access due to concurrent update",
        );
        assert!(matches!(Undone::from(error), Undone::Stale));
    }
}
