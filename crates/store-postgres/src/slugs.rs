//! Which slugs are taken.

use crate::PgStore;
use crate::schema::{changelog_entries, help_articles, help_categories};
use async_trait::async_trait;
use diesel::prelude::*;
use hearback_domain::id::OrganizationId;
use hearback_domain::slug::Slug;
use hearback_ports::slugs::Slugged;
use hearback_ports::{SlugRepository, StoreError};
use std::collections::HashSet;

#[async_trait]
impl SlugRepository for PgStore {
    async fn taken(
        &self,
        organization: OrganizationId,
        of: Slugged,
        candidates: Vec<Slug>,
    ) -> Result<Vec<Slug>, StoreError> {
        let doing = "looking for taken slugs";
        let keys: Vec<String> = candidates.iter().map(Slug::key).collect();
        let taken: Vec<String> = match of {
            Slugged::ChangelogEntry => {
                let query = || {
                    changelog_entries::table
                        .filter(changelog_entries::organization_id.eq(organization.0))
                        .filter(changelog_entries::slug_key.eq_any(keys.clone()))
                        .select(changelog_entries::slug_key)
                };
                self.readers.rows(doing, query).await?
            }
            Slugged::HelpCategory => {
                let query = || {
                    help_categories::table
                        .filter(help_categories::organization_id.eq(organization.0))
                        .filter(help_categories::slug_key.eq_any(keys.clone()))
                        .select(help_categories::slug_key)
                };
                self.readers.rows(doing, query).await?
            }
            Slugged::HelpArticle => {
                let query = || {
                    help_articles::table
                        .filter(help_articles::organization_id.eq(organization.0))
                        .filter(help_articles::slug_key.eq_any(keys.clone()))
                        .select(help_articles::slug_key)
                };
                self.readers.rows(doing, query).await?
            }
        };
        let taken: HashSet<String> = taken.into_iter().collect();
        Ok(candidates.into_iter().filter(|slug| taken.contains(&slug.key())).collect())
    }
}
