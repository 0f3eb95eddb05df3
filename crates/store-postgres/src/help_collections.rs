//! Help collections.

use crate::PgStore;
use crate::error::{BadRow, Undone};
use crate::readers::Walk;
use crate::rows::{Origin, ROWS, all, least, timestamp};
use crate::schema::{help_categories, help_collections, organizations as organizations_table};
use crate::{organizations, receipts};
use async_trait::async_trait;
use diesel::alias;
use diesel::dsl::{auto_type, exists};
use diesel::pg::Pg;
use diesel::pg::data_types::PgTimestamp;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::FutureExt;
use hearback_domain::Uuid;
use hearback_domain::edit::Edit;
use hearback_domain::help_collection::{CollectionCase, CollectionDetails, HelpCollection};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCollectionRepository, Receipt, Recorded, StoreError};
use std::borrow::Cow;

#[async_trait]
impl HelpCollectionRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>, StoreError> {
        let PageRequest { after, limit } = page;
        let rows: Vec<CountedCollection> = self
            .list_rows(Walk::Short, "listing help collections", || {
                let mut query = help_collections::table
                    .filter(help_collections::organization_id.eq(organization.0))
                    .filter(help_collections::is_active)
                    .order((
                        help_collections::seq_number,
                        help_collections::name,
                        help_collections::id,
                    ))
                    .limit(limit.and_one())
                    .select((HelpCollectionRow::as_select(), category_count()))
                    .into_boxed();
                if let Some(ByPosition { position, name, id }) = after.clone() {
                    let position = position.ten_thousandths();
                    // This form, so that the index is entered at the position.
                    query = query.filter(help_collections::seq_number.ge(position)).filter(
                        help_collections::seq_number
                            .gt(position)
                            .or(help_collections::name.gt(name.clone()))
                            .or(help_collections::name.eq(name).and(help_collections::id.gt(id))),
                    );
                }
                query
            })
            .await?;
        Ok(Page::cut(all(rows)?, limit, |details: &CollectionDetails| ByPosition {
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
        let row: Option<CountedCollection> = self
            .readers
            .row("finding a help collection", || {
                help_collections::table
                    .filter(help_collections::organization_id.eq(organization.0))
                    .filter(help_collections::id.eq(id.0))
                    .filter(help_collections::is_active)
                    .select((HelpCollectionRow::as_select(), category_count()))
            })
            .await?;
        Ok(row.map(CollectionDetails::try_from).transpose()?)
    }

    async fn edit_case(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
        slug: Option<Slug>,
    ) -> Result<CollectionCase, StoreError> {
        // Nothing equals the key of no slug.
        let slug_key = slug.as_ref().map(Slug::key);
        let row: Option<(Option<HelpCollectionRow<'_>>, bool)> = self
            .readers
            .row("loading an update of a help collection", || {
                let the_collection = help_collections::organization_id
                    .eq(organizations_table::id)
                    .and(help_collections::id.eq(id.0))
                    .and(help_collections::is_active);
                let other_of_slug = OTHER
                    .filter(OTHER.field(help_collections::organization_id).eq(organization.0))
                    .filter(OTHER.field(help_collections::slug_key).nullable().eq(slug_key.clone()))
                    .filter(OTHER.field(help_collections::id).ne(id.0));
                // The organization's row is there whatever else is.
                organizations_table::table
                    .left_join(help_collections::table.on(the_collection))
                    .filter(organizations_table::id.eq(organization.0))
                    .select((Option::<HelpCollectionRow<'_>>::as_select(), exists(other_of_slug)))
            })
            .await?;
        let Some((row, slug_taken)) = row else {
            return Ok(CollectionCase { collection: None, slug_taken: false });
        };
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
        let record = self.writer.record("updating a help collection", move |connection| {
            async move { update(connection, organization, &edit, receipt.as_ref()).await }.boxed()
        });
        record.await
    }
}

alias! {
    const OTHER: Alias<Other> = help_collections as other_help_collections;
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

async fn update(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    edit: &Edit<HelpCollection>,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let Edit { before, after } = edit;
    organizations::hold(connection, organization).await?;
    let stored = help_collections::table
        .filter(help_collections::organization_id.eq(organization.0))
        .filter(help_collections::id.eq(before.id.0))
        .filter(help_collections::is_active)
        .select(HelpCollectionRow::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?;
    if stored.map(HelpCollection::try_from).transpose()?.as_ref() != Some(before) {
        return Err(Undone::Stale);
    }
    diesel::update(help_collections::table)
        .filter(help_collections::organization_id.eq(organization.0))
        .filter(help_collections::id.eq(before.id.0))
        .set((
            help_collections::name.eq(&after.name),
            help_collections::slug.eq(after.slug.as_str()),
            help_collections::slug_key.eq(after.slug.key()),
            help_collections::description.eq(&after.description),
            help_collections::icon.eq(&after.icon),
            help_collections::color.eq(&after.color),
            help_collections::updated_at.eq(timestamp(after.updated_at)),
        ))
        .execute(connection)
        .await?;
    receipts::insert(connection, organization, receipt).await?;
    Ok(())
}

/// Takes the place behind the last one that was given to a category of an active collection.
pub(crate) async fn take_category_place(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> Result<Position, Undone> {
    let next = least(
        help_collections::last_category_position + Position::STEP,
        Position::LAST.ten_thousandths(),
    );
    let taken = diesel::update(help_collections::table)
        .filter(help_collections::organization_id.eq(organization.0))
        .filter(help_collections::id.eq(id.0))
        .filter(help_collections::is_active)
        .set(help_collections::last_category_position.eq(next))
        .returning(help_collections::last_category_position)
        .get_result(connection)
        .await
        .optional()?;
    taken.map(Position::from_ten_thousandths).ok_or(Undone::Stale)
}

/// Takes the place behind the last one that was given to an article filed directly in an active collection.
pub(crate) async fn take_article_place(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> Result<Position, Undone> {
    let next = least(
        help_collections::last_article_position + Position::STEP,
        Position::LAST.ten_thousandths(),
    );
    let taken = diesel::update(help_collections::table)
        .filter(help_collections::organization_id.eq(organization.0))
        .filter(help_collections::id.eq(id.0))
        .filter(help_collections::is_active)
        .set(help_collections::last_article_position.eq(next))
        .returning(help_collections::last_article_position)
        .get_result(connection)
        .await
        .optional()?;
    taken.map(Position::from_ten_thousandths).ok_or(Undone::Stale)
}

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[HelpCollection],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> = some
            .iter()
            .map(|collection| {
                (
                    help_collections::organization_id.eq(organization.0),
                    help_collections::slug_key.eq(collection.slug.key()),
                    help_collections::last_category_position.eq(Position::START.ten_thousandths()),
                    help_collections::last_article_position.eq(Position::START.ten_thousandths()),
                    HelpCollectionRow::from(collection),
                )
            })
            .collect();
        diesel::insert_into(help_collections::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<HelpCollectionRow<'static>>> {
    let mut query = help_collections::table
        .filter(help_collections::organization_id.eq(organization.0))
        .order(help_collections::id)
        .limit(limit)
        .select(HelpCollectionRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_collections::id.gt(after));
    }
    query.load(connection).await
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
#[diesel(table_name = help_collections, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct HelpCollectionRow<'a> {
    id: Uuid,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Cow<'a, str>,
    icon: Cow<'a, str>,
    color: Cow<'a, str>,
    seq_number: i64,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl<'a> From<&'a HelpCollection> for HelpCollectionRow<'a> {
    fn from(collection: &'a HelpCollection) -> Self {
        Self {
            id: collection.id.0,
            name: Cow::from(&collection.name),
            slug: Cow::from(collection.slug.as_str()),
            description: Cow::from(&collection.description),
            icon: Cow::from(&collection.icon),
            color: Cow::from(&collection.color),
            seq_number: collection.seq_number.ten_thousandths(),
            is_active: collection.is_active,
            created_at: timestamp(collection.created_at),
            updated_at: timestamp(collection.updated_at),
        }
    }
}

impl TryFrom<HelpCollectionRow<'_>> for HelpCollection {
    type Error = BadRow;

    fn try_from(row: HelpCollectionRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("help_collections", row.id);
        Ok(Self {
            id: row.id.into(),
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
