//! Kinds of records in their tables: the statements of imports, exports and changes.

use diesel::prelude::*;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::merge::{DroppedVote, MergeRecord};
use hearback_domain::record::OfKind;
use hearback_ports::StoreError;
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_store_rows::Edited;
use hearback_store_rows::rows::{DroppedVoteRow, MergeRow};
use hearback_store_rows::schema::{dropped_votes, merges};

/// A kind of records that is stored in a table.
pub(crate) trait Stored: OfKind {
    /// The table.
    const TABLE: &'static str;
    /// The column by which other records refer to a record of this kind.
    const KEY: &'static str;

    /// Inserts a record as it is, but without its [links](hearback_ports::Record::links).
    fn insert(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        record: &Self,
    ) -> QueryResult<()>;

    /// Inserts the links of a record.
    fn link(_: &mut SqliteConnection, _: OrganizationId, _: &Self) -> QueryResult<()> {
        Ok(())
    }

    /// Writes the values of an edited record.
    fn update(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        edited: Edited<'_, Self>,
    ) -> QueryResult<()>;

    /// Finds a record by its key, active or not.
    fn find(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        key: Uuid,
    ) -> QueryResult<Option<Self>>;

    /// Up to `limit` records behind `after`, in the order of an export.
    fn page(
        connection: &mut SqliteConnection,
        organization: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> Result<ExportPage, StoreError>;
}

/// Implements [`Stored`] for a kind whose values are all in the columns of its row, and in
/// `slug_key` if it is given.
macro_rules! stored {
    ($kind:ty: $table:ident.$key:ident as $row:ident $(<$lt:lifetime>)?) => {
        impl $crate::stored::Stored for $kind {
            $crate::stored::inserts!($table, |record| $row::from(record));
            $crate::stored::updates!($table, |edited| hearback_store_rows::rows::EditedRow::changes(&edited));
            $crate::stored::finds!($table.$key, $row::as_select() => $row $(<$lt>)?);
        }
    };
    ($kind:ty: $table:ident.$key:ident as $row:ident $(<$lt:lifetime>)?, slug_key) => {
        impl $crate::stored::Stored for $kind {
            $crate::stored::inserts!($table, |record| (
                $table::slug_key.eq(record.slug.key()),
                $row::from(record)
            ));
            $crate::stored::updates!($table, |edited| (
                edited.changed(|record| record.slug.key()).map(|key| $table::slug_key.eq(key)),
                hearback_store_rows::rows::EditedRow::changes(&edited)
            ));
            $crate::stored::finds!($table.$key, $row::as_select() => $row $(<$lt>)?);
        }
    };
}

/// Implements [`Stored::insert`] for a row. `listed` inserts the values that are stored in another
/// table.
macro_rules! inserts {
    ($table:ident, |$record:ident| $values:expr $(, $listed:path)?) => {
        fn insert(
            connection: &mut SqliteConnection,
            organization: hearback_domain::id::OrganizationId,
            $record: &Self,
        ) -> QueryResult<()> {
            diesel::insert_into($table::table)
                .values(($table::organization_id.eq(hearback_store_rows::Id::of(organization)), $values))
                .execute(connection)?;
            $($listed(connection, organization, $record)?;)?
            Ok(())
        }
    };
}

/// Implements [`Stored::update`] for a row. `listed` updates the values that are stored in another
/// table.
macro_rules! updates {
    ($table:ident, |$edited:ident| $changes:expr $(, $listed:path)?) => {
        fn update(
            connection: &mut SqliteConnection,
            organization: hearback_domain::id::OrganizationId,
            $edited: hearback_store_rows::Edited<'_, Self>,
        ) -> QueryResult<()> {
            let update = diesel::update($table::table)
                .filter($table::organization_id.eq(hearback_store_rows::Id::of(organization)))
                .filter($table::id.eq(hearback_store_rows::Id::of($edited.after.id)))
                .set($changes);
            // Each set of changed columns has another text, so that no connection keeps them.
            match update.execute(connection) {
                // The edit changes no column, but perhaps values in another table.
                Err(diesel::result::Error::QueryBuilderError(_)) => {}
                updated => drop(updated?),
            }
            $($listed(connection, organization, $edited)?;)?
            Ok(())
        }
    };
}

/// Implements the constants of [`Stored`] and its methods that read. `listed` adds the values that
/// are stored in another table.
macro_rules! finds {
    (
        $table:ident.$key:ident $(where $filter:expr)?,
        $select:expr => $row:ty $(, $listed:path)?
    ) => {
        const TABLE: &'static str = stringify!($table);
        const KEY: &'static str = stringify!($key);

        $crate::stored::find!($table.$key $(where $filter)?, $select => $row $(, $listed)?);

        fn page(
            connection: &mut SqliteConnection,
            organization: hearback_domain::id::OrganizationId,
            after: Option<hearback_ports::export::ExportKey>,
            limit: i64,
        ) -> Result<hearback_ports::export::ExportPage, hearback_ports::StoreError> {
            let mut query = $table::table
                .filter($table::organization_id.eq(hearback_store_rows::Id::of(organization)))
                $(.filter($filter))?
                .order($table::id)
                .limit(limit.saturating_add(1))
                .select($select)
                .into_boxed();
            if let Some(after) = after {
                query = query.filter($table::id.gt(hearback_store_rows::Id(after.id)));
            }
            let rows: QueryResult<Vec<$row>> = query.load(connection);
            $(let rows = rows.and_then(|rows| $listed(connection, organization, rows));)?
            $crate::export::cut::<Self, _>(rows, limit)
        }
    };
}

/// Implements [`Stored::find`].
macro_rules! find {
    (
        $table:ident.$key:ident $(where $filter:expr)?,
        $select:expr => $row:ty $(, $listed:path)?
    ) => {
        fn find(
            connection: &mut SqliteConnection,
            organization: hearback_domain::id::OrganizationId,
            key: hearback_domain::Uuid,
        ) -> QueryResult<Option<Self>> {
            let row: Option<$row> = $table::table
                .filter($table::organization_id.eq(hearback_store_rows::Id::of(organization)))
                .filter($table::$key.eq(hearback_store_rows::Id(key)))
                $(.filter($filter))?
                .select($select)
                .first(connection)
                .optional()?;
            $(let row = $listed(connection, organization, Vec::from_iter(row))?.pop();)?
            Ok(row.map(Self::try_from).transpose()?)
        }
    };
}

/// Declares the functions for the values that records of a kind list in another table, each with
/// its place: `write` inserts the values of a record, and `write_anew` replaces them if they
/// change. `with` adds them to `rows`, which are in the order of their identifiers.
macro_rules! lists {
    (
        $kind:ident.$field:ident in $table:ident.$owner:ident.$listed:ident:
        $write:ident, $write_anew:ident $(, $with:ident($row:ty))?
    ) => {
        fn $write(
            connection: &mut SqliteConnection,
            organization: hearback_domain::id::OrganizationId,
            record: &$kind,
        ) -> QueryResult<()> {
            for (place, &value) in (0..).zip(&record.$field) {
                diesel::insert_into($table::table)
                    .values((
                        $table::organization_id.eq(Id::of(organization)),
                        $table::$owner.eq(Id::of(record.id)),
                        $table::$listed.eq(Id::of(value)),
                        $table::place.eq(place),
                    ))
                    .execute(connection)?;
            }
            Ok(())
        }

        fn $write_anew(
            connection: &mut SqliteConnection,
            organization: hearback_domain::id::OrganizationId,
            record: hearback_store_rows::Edited<'_, $kind>,
        ) -> QueryResult<()> {
            if record.before.$field == record.after.$field {
                return Ok(());
            }
            diesel::delete($table::table)
                .filter($table::organization_id.eq(Id::of(organization)))
                .filter($table::$owner.eq(Id::of(record.after.id)))
                .execute(connection)?;
            $write(connection, organization, record.after)
        }

        $(fn $with(
            connection: &mut SqliteConnection,
            organization: hearback_domain::id::OrganizationId,
            rows: Vec<$row>,
        ) -> QueryResult<Vec<hearback_store_rows::rows::Listed<$row>>> {
            let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
                return Ok(Vec::new());
            };
            let listed = $table::table
                .filter($table::organization_id.eq(Id::of(organization)))
                .filter($table::$owner.between(first.id, last.id))
                .order(($table::$owner, $table::place))
                .select(($table::$owner, $table::$listed))
                .load::<(Id, Id)>(connection)?;
            let mut listed = $crate::sql::by_first(listed);
            let with_ids = |row: $row| hearback_store_rows::rows::Listed {
                ids: listed.remove(&row.id).unwrap_or_default(),
                row,
            };
            Ok(rows.into_iter().map(with_ids).collect())
        })?
    };
}

pub(crate) use {find, finds, inserts, lists, stored, updates};

// Only merges make these.
stored!(MergeRecord: merges.id as MergeRow<'static>);
stored!(DroppedVote: dropped_votes.id as DroppedVoteRow<'static>);
