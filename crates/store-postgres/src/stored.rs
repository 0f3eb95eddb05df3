//! Kinds of records in their tables: the statements of imports, exports and changes.

use crate::error::Undone;
use crate::readers::Readers;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::merge::{DroppedVote, MergeRecord};
use hearback_domain::record::OfKind;
use hearback_ports::StoreError;
use hearback_ports::export::{ExportKey, ExportPage};
use hearback_store_rows::rows::{DroppedVoteRow, MergeRow};
use hearback_store_rows::schema::{dropped_votes, merges};
use hearback_store_rows::{Edited, Id};

/// A kind of records that is stored in a table.
pub(crate) trait Stored: OfKind {
    /// The table.
    const TABLE: &'static str;
    /// The column by which other records refer to a record of this kind.
    const KEY: &'static str;

    /// Inserts records as they are, but without their [links](hearback_ports::Record::links).
    fn insert(
        connection: &AsyncPgConnection,
        organization: OrganizationId,
        all: &[Self],
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// Inserts a new record, but without its links. Returns `false` if its slug is taken.
    fn insert_new(
        connection: &AsyncPgConnection,
        organization: OrganizationId,
        record: &Self,
    ) -> impl Future<Output = QueryResult<bool>> + Send;

    /// Inserts the links of a record.
    fn link(
        _: &AsyncPgConnection,
        _: OrganizationId,
        _: &Self,
    ) -> impl Future<Output = QueryResult<()>> + Send {
        async { Ok(()) }
    }

    /// Writes the values of an edited record. Its statements may run among those of other updates.
    fn update(
        connection: &AsyncPgConnection,
        organization: OrganizationId,
        edited: Edited<'_, Self>,
    ) -> impl Future<Output = QueryResult<()>> + Send;

    /// Finds a record by its key, active or not.
    fn find(
        readers: &Readers,
        organization: OrganizationId,
        key: Uuid,
    ) -> impl Future<Output = Result<Option<Self>, StoreError>> + Send;

    /// Locks records that are about to change, in the order of their keys, and reads them.
    fn lock(
        connection: &mut AsyncPgConnection,
        organization: OrganizationId,
        keys: Vec<Uuid>,
    ) -> impl Future<Output = Result<Vec<Self>, Undone>> + Send;

    /// Up to `limit` records behind `after`, in the order of an export.
    fn page(
        connection: &mut AsyncPgConnection,
        organization: OrganizationId,
        after: Option<ExportKey>,
        limit: i64,
    ) -> impl Future<Output = Result<ExportPage, StoreError>> + Send;
}

/// Implements [`Stored`] for a kind whose values are all in the columns of its row, and in
/// `slug_key` if it is given.
macro_rules! stored {
    ($kind:ty: $table:ident.$key:ident as $row:ident $(<$lt:lifetime>)?) => {
        impl $crate::stored::Stored for $kind {
            $crate::stored::inserts!($table, |record| $row::from(record));
            $crate::stored::updates!($table, |edited| $row::from(edited.after));
            $crate::stored::finds!($table.$key, $row::as_select() => $row $(<$lt>)?);
        }
    };
    ($kind:ty: $table:ident.$key:ident as $row:ident $(<$lt:lifetime>)?, slug_key) => {
        impl $crate::stored::Stored for $kind {
            $crate::stored::inserts!(slugged $table, |record| (
                $table::slug_key.eq(record.slug.key()),
                $row::from(record)
            ));
            $crate::stored::updates!($table, |edited| (
                $table::slug_key.eq(edited.after.slug.key()),
                $row::from(edited.after)
            ));
            $crate::stored::finds!($table.$key, $row::as_select() => $row $(<$lt>)?);
        }
    };
}

/// Implements [`Stored::insert`] and [`Stored::insert_new`] for rows. The values may depend on the
/// organization. `listed` inserts the values that are stored in another table.
macro_rules! inserts {
    (slugged $table:ident, |$record:ident $(, $of:ident)?| $values:expr $(, $listed:path)?) => {
        $crate::stored::insert_all!($table, |$record $(, $of)?| $values $(, $listed)?);

        // The statement finds a taken slug before anything is written, and without an error in the
        // log of the server.
        async fn insert_new(
            mut connection: &diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            $record: &Self,
        ) -> QueryResult<bool> {
            $(let $of = organization;)?
            let inserted = diesel::insert_into($table::table)
                .values(($table::organization_id.eq(Id::of(organization)), $values))
                .on_conflict(($table::organization_id, $table::slug_key))
                .do_nothing()
                .execute(&mut connection)
                .await?;
            if inserted == 0 {
                return Ok(false);
            }
            $($listed(connection, organization, std::slice::from_ref($record)).await?;)?
            Ok(true)
        }
    };
    ($table:ident, |$record:ident $(, $of:ident)?| $values:expr) => {
        $crate::stored::insert_all!($table, |$record $(, $of)?| $values);

        async fn insert_new(
            connection: &diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            record: &Self,
        ) -> QueryResult<bool> {
            Self::insert(connection, organization, std::slice::from_ref(record)).await?;
            Ok(true)
        }
    };
}

/// Implements [`Stored::insert`] for rows.
macro_rules! insert_all {
    ($table:ident, |$record:ident $(, $of:ident)?| $values:expr $(, $listed:path)?) => {
        async fn insert(
            mut connection: &diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            all: &[Self],
        ) -> QueryResult<()> {
            $(let $of = organization;)?
            for some in all.chunks($crate::sql::ROWS) {
                let rows: Vec<_> = some
                    .iter()
                    .map(|$record: &Self| ($table::organization_id.eq(Id::of(organization)), $values))
                    .collect();
                let insert = diesel::insert_into($table::table).values(rows);
                hearback_store_rows::kept_if_one(some.len(), insert).execute(&mut connection).await?;
            }
            $($listed(connection, organization, all).await?;)?
            Ok(())
        }
    };
}

/// Implements [`Stored::update`] for a row. `listed` updates the values that are stored in another
/// table.
macro_rules! updates {
    ($table:ident, |$edited:ident $(, $of:ident)?| $changes:expr $(, $listed:path)?) => {
        async fn update(
            mut connection: &diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            $edited: hearback_store_rows::Edited<'_, Self>,
        ) -> QueryResult<()> {
            $(let $of = organization;)?
            let update = diesel::update($table::table)
                .filter($table::organization_id.eq(Id::of(organization)))
                .filter($table::id.eq(hearback_store_rows::Id::of($edited.after.id)))
                .set($changes);
            hearback_store_rows::kept(update).execute(&mut connection).await?;
            $($listed(connection, organization, $edited).await?;)?
            Ok(())
        }
    };
}

/// Implements the constants of [`Stored`] and its methods that read. `listed` stands for values
/// that are stored in another table: the columns are then a function of the organization.
macro_rules! finds {
    (
        $table:ident.$key:ident $(where $filter:expr)?,
        $select:expr => $row:ty $(, $listed:ident)?
    ) => {
        const TABLE: &'static str = stringify!($table);
        const KEY: &'static str = stringify!($key);

        $crate::stored::reads!($table.$key $(where $filter)?, $select => $row $(, $listed)?);

        async fn page(
            connection: &mut diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            after: Option<hearback_ports::export::ExportKey>,
            limit: i64,
        ) -> Result<hearback_ports::export::ExportPage, hearback_ports::StoreError> {
            let mut query = $table::table
                .filter($table::organization_id.eq(Id::of(organization)))
                $(.filter($filter))?
                .order($table::id)
                .limit(limit.saturating_add(1))
                .select($crate::stored::columns!(organization, $select $(, $listed)?))
                .into_boxed();
            if let Some(after) = after {
                query = query.filter($table::id.gt(hearback_store_rows::Id(after.id)));
            }
            let rows: QueryResult<Vec<$row>> = query.load(connection).await;
            $crate::export::cut::<Self, _>(rows, limit)
        }
    };
}

/// Implements [`Stored::find`] and [`Stored::lock`]. With `listed`, a kind has values in another
/// table. After a wait for the lock of a row, a statement that reads both tables sees the new
/// version of the row, but the old state of the other table. So the rows are locked in one statement,
/// and the values are read in the next.
macro_rules! reads {
    (
        $table:ident.$key:ident $(where $filter:expr)?,
        $select:expr => $row:ty $(, $listed:ident)?
    ) => {
        async fn find(
            readers: &$crate::readers::Readers,
            organization: hearback_domain::id::OrganizationId,
            key: hearback_domain::Uuid,
        ) -> Result<Option<Self>, hearback_ports::StoreError> {
            let query = || {
                $table::table
                    .filter($table::organization_id.eq(Id::of(organization)))
                    .filter($table::$key.eq(hearback_store_rows::Id(key)))
                    $(.filter($filter))?
                    .select($crate::stored::columns!(organization, $select $(, $listed)?))
            };
            // A locked table delays the operations of its name alone.
            let doing = concat!("finding a record of ", stringify!($table));
            let row: Option<$row> = readers.row(doing, query).await?;
            Ok(row.map(Self::try_from).transpose()?)
        }

        async fn lock(
            connection: &mut diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            keys: Vec<hearback_domain::Uuid>,
        ) -> Result<Vec<Self>, $crate::error::Undone> {
            let of_it = || {
                $table::table.filter($table::organization_id.eq(Id::of(organization)))$(.filter($filter))?
            };
            let columns = $crate::stored::columns!(organization, $select $(, $listed)?);
            let keys: Vec<_> = keys.into_iter().map(hearback_store_rows::Id).collect();
            let rows: Vec<$row> = if let &[key] = keys.as_slice() {
                // PostgreSQL keeps the plan of this statement. For a list of keys it would make a
                // new plan each time, since it expects more than one key.
                let one = of_it().filter($table::$key.eq(key));
                $crate::stored::lock!(connection, one, $table, columns $(, $listed)?)
            } else {
                let some = of_it().filter($table::$key.eq_any(&keys)).order($table::$key);
                $crate::stored::lock!(connection, some, $table, columns $(, $listed)?)
            };
            Ok(hearback_store_rows::all(rows)?)
        }
    };
}

macro_rules! columns {
    ($organization:ident, $select:expr) => {
        $select
    };
    ($organization:ident, $select:expr, listed) => {
        $crate::stored::of($organization, $select)
    };
}

/// The columns of records of an organization.
pub(crate) fn of<T>(organization: OrganizationId, columns: impl FnOnce(Id) -> T) -> T {
    columns(Id::of(organization))
}

macro_rules! lock {
    ($connection:ident, $found:ident, $table:ident, $select:expr) => {
        $found.select($select).for_no_key_update().load($connection).await?
    };
    ($connection:ident, $found:ident, $table:ident, $select:expr, listed) => {{
        $found.clone().select($table::id).for_no_key_update().execute($connection).await?;
        $found.select($select).load($connection).await?
    }};
}

/// Declares the functions for the values that records of a kind list in another table, each with
/// its place: `write` inserts the values of records, and `write_anew` replaces those of a record if
/// they change.
macro_rules! lists {
    (
        $kind:ident.$field:ident in $table:ident.$owner:ident.$listed:ident:
        $write:ident, $write_anew:ident
    ) => {
        async fn $write(
            connection: &diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            all: &[$kind],
        ) -> QueryResult<()> {
            let all = all.iter().map(|record| (record.id, record.$field.as_slice()));
            $crate::stored::write_lists!($table.$owner.$listed, connection, organization, all)
        }

        async fn $write_anew(
            mut connection: &diesel_async::AsyncPgConnection,
            organization: hearback_domain::id::OrganizationId,
            record: hearback_store_rows::Edited<'_, $kind>,
        ) -> QueryResult<()> {
            if record.before.$field == record.after.$field {
                return Ok(());
            }
            diesel::delete($table::table)
                .filter($table::organization_id.eq(Id::of(organization)))
                .filter($table::$owner.eq(Id::of(record.after.id)))
                .execute(&mut connection)
                .await?;
            $write(connection, organization, std::slice::from_ref(record.after)).await
        }
    };
}

/// Inserts the values that records list in another table, each with its place.
macro_rules! write_lists {
    (
        $table:ident.$owner:ident.$listed:ident,
        $connection:ident, $organization:ident, $all:expr
    ) => {{
        let placed = $all.flat_map(|(record, values)| {
            values.iter().zip(0_i32..).map(move |(value, place)| (record, *value, place))
        });
        let rows: Vec<_> = placed
            .map(|(record, value, place)| {
                (
                    $table::organization_id.eq(Id::of($organization)),
                    $table::$owner.eq(Id::of(record)),
                    $table::$listed.eq(Id::of(value)),
                    $table::place.eq(place),
                )
            })
            .collect();
        for some in rows.chunks($crate::sql::ROWS) {
            let insert = diesel::insert_into($table::table).values(some);
            hearback_store_rows::kept_if_one(some.len(), insert)
                .execute(&mut &*$connection)
                .await?;
        }
        Ok(())
    }};
}

pub(crate) use {
    columns, finds, insert_all, inserts, lists, lock, reads, stored, updates, write_lists,
};

stored!(MergeRecord: merges.id as MergeRow<'static>);
stored!(DroppedVote: dropped_votes.id as DroppedVoteRow<'static>);
