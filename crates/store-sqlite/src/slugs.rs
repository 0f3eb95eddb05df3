//! Which slugs are taken.

use crate::SqliteStore;
use crate::rows::Id;
use crate::schema::{changelog_entries, help_articles, help_categories};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use hearback_domain::id::OrganizationId;
use hearback_domain::slug::Slug;
use hearback_ports::slugs::Slugged;
use hearback_ports::{SlugRepository, StoreError};

#[async_trait]
impl SlugRepository for SqliteStore {
    async fn taken(
        &self,
        organization: OrganizationId,
        of: Slugged,
        candidates: Vec<Slug>,
    ) -> Result<Vec<Slug>, StoreError> {
        self.readers.snapshot("looking for taken slugs", |connection| {
            let mut taken = Vec::new();
            for slug in candidates {
                if is_taken(connection, organization, of, &slug)? {
                    taken.push(slug);
                }
            }
            Ok(taken)
        })
    }
}

fn is_taken(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    of: Slugged,
    slug: &Slug,
) -> QueryResult<bool> {
    match of {
        Slugged::ChangelogEntry => diesel::select(exists(
            changelog_entries::table
                .filter(changelog_entries::organization_id.eq(Id::of(organization)))
                .filter(changelog_entries::slug_key.eq(slug.key())),
        ))
        .get_result(connection),
        Slugged::HelpCategory => diesel::select(exists(
            help_categories::table
                .filter(help_categories::organization_id.eq(Id::of(organization)))
                .filter(help_categories::slug_key.eq(slug.key())),
        ))
        .get_result(connection),
        Slugged::HelpArticle => diesel::select(exists(
            help_articles::table
                .filter(help_articles::organization_id.eq(Id::of(organization)))
                .filter(help_articles::slug_key.eq(slug.key())),
        ))
        .get_result(connection),
    }
}
