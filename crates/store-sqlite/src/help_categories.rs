//! Help categories.

use crate::error::{BadRow, Undone};
use crate::rows::{Id, Origin, all};
use crate::schema::{help_articles, help_categories, help_collections};
use crate::{SqliteStore, help_collections as collections, receipts};
use async_trait::async_trait;
use diesel::dsl::{auto_type, exists};
use diesel::prelude::*;
use diesel::sqlite::Sqlite;
use hearback_domain::edit::Edit;
use hearback_domain::help_category::{CategoryCase, CategoryDetails, HelpCategory, NewCategory};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{HelpCategoryRepository, Receipt, Recorded, StoreError};
use std::borrow::Cow;

#[async_trait]
impl HelpCategoryRepository for SqliteStore {
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        page: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>, StoreError> {
        let listed =
            |connection: &mut SqliteConnection| listed(connection, organization, collection, &page);
        let rows = self.readers.read("listing help categories", listed)?;
        Ok(Page::cut(all(rows)?, page.limit, |details: &CategoryDetails| ByPosition {
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
        let row: Option<CountedCategory> =
            self.readers.read("finding a help category", |connection| {
                help_categories::table
                    .filter(help_categories::organization_id.eq(Id::of(organization)))
                    .filter(help_categories::id.eq(Id::of(id)))
                    .filter(help_categories::is_active)
                    .select((HelpCategoryRow::as_select(), article_count()))
                    .first(connection)
                    .optional()
            })?;
        Ok(row.map(CategoryDetails::try_from).transpose()?)
    }

    async fn insert(
        &self,
        organization: OrganizationId,
        category: NewCategory,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            append(connection, organization, category, receipt.as_ref())
        };
        self.writer.record("adding a help category", work).await
    }

    async fn edit_case(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
        target: Option<HelpCollectionId>,
        slug: Option<Slug>,
    ) -> Result<CategoryCase, StoreError> {
        let (row, target_found, slug_taken) =
            self.readers.snapshot("loading an update of a help category", |connection| {
                let row = active(connection, organization, id)?;
                let target_found = match target {
                    Some(target) => collections::is_active(connection, organization, target)?,
                    None => true,
                };
                let slug_taken = match &slug {
                    Some(slug) => is_taken(connection, organization, slug, id)?,
                    None => false,
                };
                Ok((row, target_found, slug_taken))
            })?;
        Ok(CategoryCase {
            category: row.map(HelpCategory::try_from).transpose()?,
            target_found,
            slug_taken,
        })
    }

    async fn update(
        &self,
        organization: OrganizationId,
        edit: Edit<HelpCategory>,
        receipt: Option<Receipt>,
    ) -> Result<Recorded, StoreError> {
        let work = move |connection: &mut SqliteConnection| {
            update(connection, organization, &edit, receipt.as_ref())
        };
        self.writer.record("updating a help category", work).await
    }
}

/// The categories of a page and the one behind it.
fn listed(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    collection: Option<HelpCollectionId>,
    page: &PageRequest<ByPosition>,
) -> QueryResult<Vec<CountedCategory>> {
    let mut query = help_categories::table
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .filter(help_categories::is_active)
        .order((help_categories::seq_number, help_categories::name, help_categories::id))
        .limit(page.limit.and_one())
        .select((HelpCategoryRow::as_select(), article_count()))
        .into_boxed();
    if let Some(collection) = collection {
        query = query.filter(help_categories::collection_id.eq(Id::of(collection))).filter(exists(
            help_collections::table
                .filter(help_collections::organization_id.eq(Id::of(organization)))
                .filter(help_collections::id.eq(Id::of(collection)))
                .filter(help_collections::is_active),
        ));
    }
    if let Some(ByPosition { position, name, id }) = &page.after {
        let position = position.ten_thousandths();
        // This form, so that the index is entered at the position.
        query = query.filter(help_categories::seq_number.ge(position)).filter(
            help_categories::seq_number
                .gt(position)
                .or(help_categories::name.gt(name))
                .or(help_categories::name.eq(name).and(help_categories::id.gt(Id(*id)))),
        );
    }
    query.load(connection)
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

fn append(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    category: NewCategory,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let place =
        collections::take_category_place(connection, organization, category.collection_id())?;
    insert(connection, organization, &category.at(place)).map_err(Undone::inserting)?;
    receipts::insert(connection, organization, receipt)
}

fn active(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpCategoryId,
) -> QueryResult<Option<HelpCategoryRow<'static>>> {
    help_categories::table
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .filter(help_categories::id.eq(Id::of(id)))
        .filter(help_categories::is_active)
        .select(HelpCategoryRow::as_select())
        .first(connection)
        .optional()
}

/// Whether another one than `id`, active or not, has a slug.
fn is_taken(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    slug: &Slug,
    id: HelpCategoryId,
) -> QueryResult<bool> {
    diesel::select(exists(
        help_categories::table
            .filter(help_categories::organization_id.eq(Id::of(organization)))
            .filter(help_categories::slug_key.eq(slug.key()))
            .filter(help_categories::id.ne(Id::of(id))),
    ))
    .get_result(connection)
}

/// Whether there is an active one.
pub(crate) fn is_active(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpCategoryId,
) -> QueryResult<bool> {
    diesel::select(exists(
        help_categories::table
            .filter(help_categories::organization_id.eq(Id::of(organization)))
            .filter(help_categories::id.eq(Id::of(id)))
            .filter(help_categories::is_active),
    ))
    .get_result(connection)
}

fn update(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    edit: &Edit<HelpCategory>,
    receipt: Option<&Receipt>,
) -> Result<(), Undone> {
    let Edit { before, after } = edit;
    // Nobody else writes between this and the commit.
    let stored = active(connection, organization, before.id)?;
    if stored.map(HelpCategory::try_from).transpose()?.as_ref() != Some(before) {
        return Err(Undone::Stale);
    }
    let seq_number = if after.collection_id == before.collection_id {
        after.seq_number
    } else {
        collections::take_category_place(connection, organization, after.collection_id)?
    };
    diesel::update(help_categories::table)
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .filter(help_categories::id.eq(Id::of(before.id)))
        .set((
            help_categories::collection_id.eq(Id::of(after.collection_id)),
            help_categories::name.eq(&after.name),
            help_categories::slug.eq(after.slug.as_str()),
            help_categories::slug_key.eq(after.slug.key()),
            help_categories::description.eq(&after.description),
            help_categories::icon.eq(&after.icon),
            help_categories::color.eq(&after.color),
            help_categories::seq_number.eq(seq_number.ten_thousandths()),
            help_categories::updated_at.eq(after.updated_at.unix_millis()),
        ))
        .execute(connection)?;
    receipts::insert(connection, organization, receipt)
}

/// Takes the place behind the last one that was given to an article of an active category.
pub(crate) fn take_article_place(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    id: HelpCategoryId,
) -> Result<Position, Undone> {
    // Nobody else writes between this and the commit.
    let last = help_categories::table
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .filter(help_categories::id.eq(Id::of(id)))
        .filter(help_categories::is_active)
        .select(help_categories::last_article_position)
        .first(connection)
        .optional()?;
    let next = last.map(Position::from_ten_thousandths).ok_or(Undone::Stale)?.next();
    diesel::update(help_categories::table)
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .filter(help_categories::id.eq(Id::of(id)))
        .set(help_categories::last_article_position.eq(next.ten_thousandths()))
        .execute(connection)?;
    Ok(next)
}

/// Writes one as it is.
pub(crate) fn insert(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    category: &HelpCategory,
) -> QueryResult<()> {
    diesel::insert_into(help_categories::table)
        .values((
            help_categories::organization_id.eq(Id::of(organization)),
            help_categories::slug_key.eq(category.slug.key()),
            help_categories::last_article_position.eq(Position::START.ten_thousandths()),
            HelpCategoryRow::from(category),
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
) -> QueryResult<Vec<HelpCategoryRow<'static>>> {
    let mut query = help_categories::table
        .filter(help_categories::organization_id.eq(Id::of(organization)))
        .order(help_categories::id)
        .limit(limit)
        .select(HelpCategoryRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(help_categories::id.gt(after));
    }
    query.load(connection)
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

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = help_categories, check_for_backend(Sqlite), treat_none_as_default_value = false)]
pub(crate) struct HelpCategoryRow<'a> {
    id: Id,
    collection_id: Id,
    name: Cow<'a, str>,
    slug: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    icon: Option<Cow<'a, str>>,
    color: Option<Cow<'a, str>>,
    seq_number: i64,
    is_active: bool,
    created_at: i64,
    updated_at: i64,
}

impl<'a> From<&'a HelpCategory> for HelpCategoryRow<'a> {
    fn from(category: &'a HelpCategory) -> Self {
        Self {
            id: Id::of(category.id),
            collection_id: Id::of(category.collection_id),
            name: Cow::from(&category.name),
            slug: Cow::from(category.slug.as_str()),
            description: category.description.as_deref().map(Cow::from),
            icon: category.icon.as_deref().map(Cow::from),
            color: category.color.as_deref().map(Cow::from),
            seq_number: category.seq_number.ten_thousandths(),
            is_active: category.is_active,
            created_at: category.created_at.unix_millis(),
            updated_at: category.updated_at.unix_millis(),
        }
    }
}

impl TryFrom<HelpCategoryRow<'_>> for HelpCategory {
    type Error = BadRow;

    fn try_from(row: HelpCategoryRow<'_>) -> Result<Self, BadRow> {
        let origin = Origin::new("help_categories", row.id);
        Ok(Self {
            id: row.id.to(),
            collection_id: row.collection_id.to(),
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
