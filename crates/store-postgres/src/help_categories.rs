//! Help categories.

use crate::PgStore;
use crate::error::{BadRow, Undone};
use crate::readers::Walk;
use crate::rows::{Origin, ROWS, all, least, timestamp};
use crate::schema::{
    help_articles, help_categories, help_collections, organizations as organizations_table,
};
use crate::{help_collections as collections, organizations, receipts};
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
use hearback_domain::help_category::{CategoryCase, CategoryDetails, HelpCategory, NewCategory};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCategoryRepository, Receipt, Recorded, StoreError, Unique};
use std::borrow::Cow;

#[async_trait]
impl HelpCategoryRepository for PgStore {
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>, StoreError> {
        let PageRequest { after, limit } = page;
        let rows: Vec<CountedCategory> = self
            .list_rows(Walk::Short, "listing help categories", || {
                let mut query = help_categories::table
                    .filter(help_categories::organization_id.eq(organization.0))
                    .filter(help_categories::is_active)
                    .order((
                        help_categories::seq_number,
                        help_categories::name,
                        help_categories::id,
                    ))
                    .limit(limit.and_one())
                    .select((HelpCategoryRow::as_select(), article_count()))
                    .into_boxed();
                if let Some(collection) = collection {
                    query = query.filter(help_categories::collection_id.eq(collection.0)).filter(
                        exists(
                            help_collections::table
                                .filter(help_collections::organization_id.eq(organization.0))
                                .filter(help_collections::id.eq(collection.0))
                                .filter(help_collections::is_active),
                        ),
                    );
                }
                if let Some(ByPosition { position, name, id }) = after.clone() {
                    let position = position.ten_thousandths();
                    // This form, so that the index is entered at the position.
                    query = query.filter(help_categories::seq_number.ge(position)).filter(
                        help_categories::seq_number
                            .gt(position)
                            .or(help_categories::name.gt(name.clone()))
                            .or(help_categories::name.eq(name).and(help_categories::id.gt(id))),
                    );
                }
                query
            })
            .await?;
        Ok(Page::cut(all(rows)?, limit, |details: &CategoryDetails| ByPosition {
            position: details.category.seq_number,
            name: details.category.name.clone(),
            id: details.category.id.0,
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
    ) -> Result<Option<CategoryDetails>, StoreError> {
        let row: Option<CountedCategory> = self
            .readers
            .row("finding a help category", || {
                help_categories::table
                    .filter(help_categories::organization_id.eq(organization.0))
                    .filter(help_categories::id.eq(id.0))
                    .filter(help_categories::is_active)
                    .select((HelpCategoryRow::as_select(), article_count()))
            })
            .await?;
        Ok(row.map(CategoryDetails::try_from).transpose()?)
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        category: NewCategory,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("adding a help category", move |connection| {
            async move { append(connection, organization, category, receipt.as_ref()).await }
                .boxed()
        });
        record.await
    }

    async fn edit_case(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
        target: Option<HelpCollectionId>,
        slug: Option<Slug>,
    ) -> Result<CategoryCase, StoreError> {
        // Nothing equals the key of no slug, or the identifier of no collection.
        let slug_key = slug.as_ref().map(Slug::key);
        let target_id = target.map(Uuid::from);
        let row: Option<(Option<HelpCategoryRow<'_>>, bool, bool)> = self
            .readers
            .row("loading an update of a help category", || {
                let the_category = help_categories::organization_id
                    .eq(organizations_table::id)
                    .and(help_categories::id.eq(id.0))
                    .and(help_categories::is_active);
                let the_target = help_collections::table
                    .filter(help_collections::organization_id.eq(organization.0))
                    .filter(help_collections::id.nullable().eq(target_id))
                    .filter(help_collections::is_active);
                let other_of_slug = OTHER
                    .filter(OTHER.field(help_categories::organization_id).eq(organization.0))
                    .filter(OTHER.field(help_categories::slug_key).nullable().eq(slug_key.clone()))
                    .filter(OTHER.field(help_categories::id).ne(id.0));
                // The organization's row is there whatever else is.
                organizations_table::table
                    .left_join(help_categories::table.on(the_category))
                    .filter(organizations_table::id.eq(organization.0))
                    .select((
                        Option::<HelpCategoryRow<'_>>::as_select(),
                        exists(the_target),
                        exists(other_of_slug),
                    ))
            })
            .await?;
        let (row, target_found, slug_taken) = row.unwrap_or_default();
        let category = row.map(HelpCategory::try_from).transpose()?;
        Ok(CategoryCase { category, target_found: target.is_none() || target_found, slug_taken })
    }

    async fn update(
        &self,
        organization: OrganizationId,
        edit: Edit<HelpCategory>,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let record = self.writer.record("updating a help category", move |connection| {
            async move { update(connection, organization, &edit, receipt.as_ref()).await }.boxed()
        });
        record.await
    }
}

alias! {
    const OTHER: Alias<Other> = help_categories as other_help_categories;
}

#[auto_type]
fn article_count() -> _ {
    help_articles::table
        .filter(help_articles::organization_id.eq(help_categories::organization_id))
        .filter(help_articles::category_id.eq(help_categories::id.nullable()))
        .filter(help_articles::is_active)
        .count()
        .single_value()
        .assume_not_null()
}

async fn append(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    category: NewCategory,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    organizations::hold(connection, organization).await?;
    let place =
        collections::take_category_place(connection, organization, category.collection_id())
            .await?;
    let category = category.at(place);
    let inserted = diesel::insert_into(help_categories::table)
        .values(WholeRow::new(organization, &category))
        .on_conflict((help_categories::organization_id, help_categories::slug_key))
        .do_nothing()
        .execute(connection)
        .await
        .map_err(Undone::inserting)?;
    if inserted == 0 {
        return Err(Undone::Taken(Unique::Slug));
    }
    receipts::insert(connection, organization, receipt).await?;
    Ok(())
}

async fn update(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    edit: &Edit<HelpCategory>,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let Edit { before, after } = edit;
    organizations::hold(connection, organization).await?;
    let stored = help_categories::table
        .filter(help_categories::organization_id.eq(organization.0))
        .filter(help_categories::id.eq(before.id.0))
        .filter(help_categories::is_active)
        .select(HelpCategoryRow::as_select())
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?;
    if stored.map(HelpCategory::try_from).transpose()?.as_ref() != Some(before) {
        return Err(Undone::Stale);
    }
    let seq_number = if after.collection_id == before.collection_id {
        after.seq_number
    } else {
        collections::take_category_place(connection, organization, after.collection_id).await?
    };
    diesel::update(help_categories::table)
        .filter(help_categories::organization_id.eq(organization.0))
        .filter(help_categories::id.eq(before.id.0))
        .set((
            help_categories::collection_id.eq(after.collection_id.0),
            help_categories::name.eq(&after.name),
            help_categories::slug.eq(after.slug.as_str()),
            help_categories::slug_key.eq(after.slug.key()),
            help_categories::description.eq(&after.description),
            help_categories::icon.eq(&after.icon),
            help_categories::color.eq(&after.color),
            help_categories::seq_number.eq(seq_number.ten_thousandths()),
            help_categories::updated_at.eq(timestamp(after.updated_at)),
        ))
        .execute(connection)
        .await?;
    receipts::insert(connection, organization, receipt).await?;
    Ok(())
}

/// Takes the place behind the last one that was given to an article of an active category.
pub(crate) async fn take_article_place(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    id: HelpCategoryId,
) -> Result<Position, Undone> {
    let next = least(
        help_categories::last_article_position + Position::STEP,
        Position::LAST.ten_thousandths(),
    );
    let taken = diesel::update(help_categories::table)
        .filter(help_categories::organization_id.eq(organization.0))
        .filter(help_categories::id.eq(id.0))
        .filter(help_categories::is_active)
        .set(help_categories::last_article_position.eq(next))
        .returning(help_categories::last_article_position)
        .get_result(connection)
        .await
        .optional()?;
    taken.map(Position::from_ten_thousandths).ok_or(Undone::Stale)
}

/// Writes them as they are.
pub(crate) async fn insert(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    all: &[HelpCategory],
) -> QueryResult<()> {
    for some in all.chunks(ROWS) {
        let rows: Vec<_> =
            some.iter().map(|category| WholeRow::new(organization, category)).collect();
        diesel::insert_into(help_categories::table).values(rows).execute(connection).await?;
    }
    Ok(())
}

/// Those behind `after`, by id.
pub(crate) async fn export(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    after: Option<Uuid>,
    limit: i64,
) -> QueryResult<Vec<HelpCategoryRow<'static>>> {
    let mut query = help_categories::table
        .filter(help_categories::organization_id.eq(organization.0))
        .order(help_categories::id)
        .limit(limit)
        .select(HelpCategoryRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_categories::id.gt(after));
    }
    query.load(connection).await
}

/// A row with what is counted in another table.
#[derive(Queryable)]
struct CountedCategory {
    row: HelpCategoryRow<'static>,
    article_count: i64,
}

impl TryFrom<CountedCategory> for CategoryDetails {
    type Error = BadRow;

    fn try_from(CountedCategory { row, article_count }: CountedCategory) -> Result<Self, BadRow> {
        Ok(Self { category: row.try_into()?, article_count })
    }
}

/// A row with the columns that are the store's own, as it is when it is new.
#[derive(Insertable)]
#[diesel(table_name = help_categories, treat_none_as_default_value = false)]
struct WholeRow<'a> {
    organization_id: Uuid,
    slug_key: String,
    last_article_position: i64,
    #[diesel(embed)]
    row: HelpCategoryRow<'a>,
}

impl<'a> WholeRow<'a> {
    fn new(organization: OrganizationId, category: &'a HelpCategory) -> Self {
        Self {
            organization_id: organization.0,
            slug_key: category.slug.key(),
            last_article_position: Position::START.ten_thousandths(),
            row: HelpCategoryRow::from(category),
        }
    }
}

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_categories, check_for_backend(Pg), treat_none_as_default_value = false)]
pub(crate) struct HelpCategoryRow<'a> {
    id: Uuid,
    collection_id: Uuid,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    icon: Option<Cow<'a, str>>,
    color: Option<Cow<'a, str>>,
    seq_number: i64,
    is_active: bool,
    created_at: PgTimestamp,
    updated_at: PgTimestamp,
}

impl<'a> From<&'a HelpCategory> for HelpCategoryRow<'a> {
    fn from(category: &'a HelpCategory) -> Self {
        Self {
            id: category.id.0,
            collection_id: category.collection_id.0,
            name: Cow::from(&category.name),
            slug: Cow::from(category.slug.as_str()),
            description: category.description.as_deref().map(Cow::from),
            icon: category.icon.as_deref().map(Cow::from),
            color: category.color.as_deref().map(Cow::from),
            seq_number: category.seq_number.ten_thousandths(),
            is_active: category.is_active,
            created_at: timestamp(category.created_at),
            updated_at: timestamp(category.updated_at),
        }
    }
}

impl TryFrom<HelpCategoryRow<'_>> for HelpCategory {
    type Error = BadRow;

    fn try_from(row: HelpCategoryRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("help_categories", row.id);
        Ok(Self {
            id: row.id.into(),
            collection_id: row.collection_id.into(),
            name: row.name.into_owned(),
            slug: origin.slug(&row.slug)?,
            description: row.description.map(Cow::into_owned),
            icon: row.icon.map(Cow::into_owned),
            color: row.color.map(Cow::into_owned),
            seq_number: Position::from_ten_thousandths(row.seq_number),
            is_active: row.is_active,
            created_at: origin.time("created_at", row.created_at)?,
            updated_at: origin.time("updated_at", row.updated_at)?,
        })
    }
}
