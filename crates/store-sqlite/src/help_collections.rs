//! Help collections.

use crate::error::{BadRow, Undone};
use crate::rows::{Id, Origin, all};
use crate::schema::{help_categories, help_collections};
use crate::{SqliteStore, receipts};
use async_trait::async_trait;
use diesel::dsl::{auto_type, exists};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::edit::Edit;
use hearback_domain::help_collection::{CollectionCase, CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCollectionRepository, Receipt, Recorded, StoreError};
use std::borrow::Cow;

#[async_trait]
impl HelpCollectionRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>, StoreError> {
        let rows = self.readers.read("listing help collections", |connection| {
            listed(connection, organization, &page)
        })?;
        Ok(Page::cut(all(rows)?, page.limit, |details: &CollectionDetails| ByPosition {
            position: details.collection.seq_number,
            name: details.collection.name.clone(),
            id: details.collection.id.0,
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
    ) -> Result<Option<CollectionDetails>, StoreError> {
        let row: Option<CountedCollection> =
            self.readers.read("finding a help collection", |connection| {
                help_collections::table
                    .filter(help_collections::organization_id.eq(Id::of(organization)))
                    .filter(help_collections::id.eq(Id::of(id)))
                    .filter(help_collections::is_active)
                    .select((HelpCollectionRow::as_select(), category_count()))
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(CollectionDetails::try_from).transpose()?)
    }

    async fn edit_case(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
        slug: Option<Slug>,
    ) -> Result<CollectionCase, StoreError> {
        let (row, slug_taken) =
            self.readers.snapshot("loading an update of a help collection", |connection| {
                let row = active(connection, organization, id)?;
                let slug_taken = match &slug {
                    Some(slug) => is_taken(connection, organization, slug, id)?,
                    None => false,
                };
                Ok((row, slug_taken))
            })?;
        Ok(CollectionCase {
            collection: row.map(HelpCollection::try_from).transpose()?,
            slug_taken,
        })
    }

    async fn update(
        &self,
        organization: OrganizationId,
        edit: Edit<HelpCollection>,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            update(connection, organization, &edit, receipt.as_ref())
        };
        self.writer.record("updating a help collection", work).await
    }
}

/// The collections of a page and the one behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    page: &PageRequest<ByPosition>,
) -> QueryResult<Vec<CountedCollection>> {
    let mut query = help_collections::table
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::is_active)
        .order((help_collections::seq_number, help_collections::name, help_collections::id))
        .limit(page.limit.and_one())
        .select((HelpCollectionRow::as_select(), category_count()))
        .into_boxed();
    if let Some(ByPosition { position, name, id }) = &page.after {
        let position = position.ten_thousandths();
        // This form, so that the index is entered at the position.
        query = query.filter(help_collections::seq_number.ge(position)).filter(
            help_collections::seq_number
                .gt(position)
                .or(help_collections::name.gt(name))
                .or(help_collections::name.eq(name).and(help_collections::id.gt(Id(*id)))),
        );
    }
    query.load(connection)
}

#[auto_type]
fn category_count() -> _ {
    help_categories::table
        .filter(help_categories::organization_id.eq(help_collections::organization_id))
        .filter(help_categories::collection_id.eq(help_collections::id))
        .filter(help_categories::is_active)
        .count()
        .single_value()
        .assume_not_null()
}

fn active(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> QueryResult<Option<HelpCollectionRow<'static>>> {
    help_collections::table
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::id.eq(Id::of(id)))
        .filter(help_collections::is_active)
        .select(HelpCollectionRow::as_select())
        .first(connection)
        .optional()
}

/// Whether another one than `id`, active or not, has a slug.
fn is_taken(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    slug: &Slug,
    id: HelpCollectionId,
) -> QueryResult<bool> {
    diesel::select(exists(
        help_collections::table
            .filter(help_collections::organization_id.eq(Id::of(organization)))
            .filter(help_collections::slug_key.eq(slug.key()))
            .filter(help_collections::id.ne(Id::of(id))),
    ))
    .get_result(connection)
}

/// Whether there is an active one.
pub(crate) fn is_active(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> QueryResult<bool> {
    diesel::select(exists(
        help_collections::table
            .filter(help_collections::organization_id.eq(Id::of(organization)))
            .filter(help_collections::id.eq(Id::of(id)))
            .filter(help_collections::is_active),
    ))
    .get_result(connection)
}

fn update(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    edit: &Edit<HelpCollection>,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let Edit { before, after } = edit;
    // Nobody else writes between this and the commit.
    let stored = active(connection, organization, before.id)?;
    if stored.map(HelpCollection::try_from).transpose()?.as_ref() != Some(before) {
        return Err(Undone::Stale);
    }
    diesel::update(help_collections::table)
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::id.eq(Id::of(before.id)))
        .set((
            help_collections::name.eq(&after.name),
            help_collections::slug.eq(after.slug.as_str()),
            help_collections::slug_key.eq(after.slug.key()),
            help_collections::description.eq(&after.description),
            help_collections::icon.eq(&after.icon),
            help_collections::color.eq(&after.color),
            help_collections::updated_at.eq(after.updated_at.unix_millis()),
        ))
        .execute(connection)?;
    receipts::insert(connection, organization, receipt)
}

/// Takes the place behind the last one that was given to a category of an active collection.
pub(crate) fn take_category_place(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> Result<Position, Undone> {
    // Nobody else writes between this and the commit.
    let last = help_collections::table
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::id.eq(Id::of(id)))
        .filter(help_collections::is_active)
        .select(help_collections::last_category_position)
        .first(connection)
        .optional()?;
    let next = last.map(Position::from_ten_thousandths).ok_or(Undone::Stale)?.next();
    diesel::update(help_collections::table)
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::id.eq(Id::of(id)))
        .set(help_collections::last_category_position.eq(next.ten_thousandths()))
        .execute(connection)?;
    Ok(next)
}

/// Takes the place behind the last one that was given to an article filed directly in an active collection.
pub(crate) fn take_article_place(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> Result<Position, Undone> {
    // Nobody else writes between this and the commit.
    let last = help_collections::table
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::id.eq(Id::of(id)))
        .filter(help_collections::is_active)
        .select(help_collections::last_article_position)
        .first(connection)
        .optional()?;
    let next = last.map(Position::from_ten_thousandths).ok_or(Undone::Stale)?.next();
    diesel::update(help_collections::table)
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .filter(help_collections::id.eq(Id::of(id)))
        .set(help_collections::last_article_position.eq(next.ten_thousandths()))
        .execute(connection)?;
    Ok(next)
}

/// Writes one as it is.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    collection: &HelpCollection,
) -> QueryResult<()> {
    diesel::insert_into(help_collections::table)
        .values((
            help_collections::organization_id.eq(Id::of(organization)),
            help_collections::slug_key.eq(collection.slug.key()),
            help_collections::last_category_position.eq(Position::START.ten_thousandths()),
            help_collections::last_article_position.eq(Position::START.ten_thousandths()),
            HelpCollectionRow::from(collection),
        ))
        .execute(connection)?;
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) fn export(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    after: Option<Id>,
    limit: i64,
) -> QueryResult<Vec<HelpCollectionRow<'static>>> {
    let mut query = help_collections::table
        .filter(help_collections::organization_id.eq(Id::of(organization)))
        .order(help_collections::id)
        .limit(limit)
        .select(HelpCollectionRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_collections::id.gt(after));
    }
    query.load(connection)
}

/// A row with what is counted in another table.
#[derive(Queryable)]
struct CountedCollection {
    row: HelpCollectionRow<'static>,
    category_count: i64,
}

impl TryFrom<CountedCollection> for CollectionDetails {
    type Error = BadRow;

    fn try_from(
        CountedCollection { row, category_count }: CountedCollection,
    ) -> Result<Self, BadRow> {
        Ok(Self { collection: row.try_into()?, category_count })
    }
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_collections, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct HelpCollectionRow<'a> {
    id: Id,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Cow<'a, str>,
    icon: Cow<'a, str>,
    color: Cow<'a, str>,
    seq_number: i64,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a HelpCollection> for HelpCollectionRow<'a> {
    fn from(collection: &'a HelpCollection) -> Self {
        Self {
            id: Id::of(collection.id),
            name: Cow::from(&collection.name),
            slug: Cow::from(collection.slug.as_str()),
            description: Cow::from(&collection.description),
            icon: Cow::from(&collection.icon),
            color: Cow::from(&collection.color),
            seq_number: collection.seq_number.ten_thousandths(),
            is_active: collection.is_active,
            created_at: collection.created_at.unix_millis(),
            updated_at: collection.updated_at.unix_millis(),
        }
    }
}

impl TryFrom<HelpCollectionRow<'_>> for HelpCollection {
    type Error = BadRow;

    fn try_from(row: HelpCollectionRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("help_collections", row.id);
        Ok(Self {
            id: row.id.to(),
            name: row.name.into_owned(),
            slug: origin.slug(&row.slug)?,
            description: row.description.into_owned(),
            icon: row.icon.into_owned(),
            color: row.color.into_owned(),
            seq_number: Position::from_ten_thousandths(row.seq_number),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
