//! The help center.

use crate::lists::{Order, count, page, size};
use crate::{MemoryStore, Result, Tenant};
use async_trait::async_trait;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleLink, ArticleParent, ArticleSort, ArticleSummary,
    HelpArticle,
};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_category::{CategoryDetails, CategoryReference, HelpCategory};
use hearback_domain::help_collection::{CollectionDetails, CollectionReference, HelpCollection};
use hearback_domain::help_redirect::{HelpRedirect, Path};
use hearback_domain::id::{HelpArticleId, HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::position::Position;
use hearback_ports::page::{ByArticle, ByPosition, ByTime};
use hearback_ports::{
    HelpArticleRepository, HelpCategoryRepository, HelpCollectionRepository,
    HelpRedirectRepository, Page, PageRequest,
};
use std::cmp::Reverse;

#[async_trait]
impl HelpCollectionRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        request: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>> {
        let key = |details: &CollectionDetails| {
            let HelpCollection { seq_number: position, name, id, .. } = details.collection.clone();
            ByPosition { position, name, id: id.0 }
        };
        self.read(organization, |tenant| {
            let all = tenant.active().map(|collection| tenant.collection_details(collection));
            page(all, Order::Ascending, request, key)
        })
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
    ) -> Result<Option<CollectionDetails>> {
        self.read(organization, |tenant| Some(tenant.collection_details(tenant.find(id)?)))
    }
}

#[async_trait]
impl HelpCategoryRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        collection: Option<HelpCollectionId>,
        request: PageRequest<ByPosition>,
    ) -> Result<Page<CategoryDetails, ByPosition>> {
        let key = |details: &CategoryDetails| {
            let HelpCategory { seq_number: position, name, id, .. } = details.category.clone();
            ByPosition { position, name, id: id.0 }
        };
        self.read(organization, |tenant| {
            let is_shown = |category: &&HelpCategory| {
                let is_asked = |id| category.collection_id == id && tenant.has_collection(id);
                collection.is_none_or(is_asked)
            };
            let all = tenant.active().filter(is_shown);
            let all = all.map(|category| tenant.category_details(category));
            page(all, Order::Ascending, request, key)
        })
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
    ) -> Result<Option<CategoryDetails>> {
        self.read(organization, |tenant| Some(tenant.category_details(tenant.find(id)?)))
    }
}

#[async_trait]
impl HelpArticleRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        filter: ArticleFilter,
        sort: ArticleSort,
        request: PageRequest<ByArticle>,
    ) -> Result<Page<ArticleSummary, ByArticle>> {
        let order = match sort {
            ArticleSort::Updated | ArticleSort::Newest => Order::Descending,
            ArticleSort::Oldest | ArticleSort::Title | ArticleSort::Position => Order::Ascending,
        };
        self.read(organization, |tenant| {
            let shown = tenant.active().filter(|article| tenant.is_shown(&filter, article));
            let shown = shown.filter_map(|article| tenant.article_summary(article));
            page(shown, order, request, |summary| ByArticle::of(summary, sort))
        })
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
    ) -> Result<Option<ArticleDetails>> {
        self.read(organization, |tenant| {
            let article: &HelpArticle = tenant.find(id)?;
            let content = article.content.clone();
            Some(ArticleDetails { summary: tenant.article_summary(article)?, content })
        })
    }

    async fn around(
        &self,
        organization: OrganizationId,
        parent: ArticleParent,
        position: Position,
        id: HelpArticleId,
    ) -> Result<[Option<ArticleLink>; 2]> {
        self.read(organization, |tenant| {
            let public = ArticleFilter::default().public();
            let is_shown = |it: &&HelpArticle| it.parent == parent && tenant.is_shown(&public, it);
            let place = |it: &HelpArticle| (it.seq_number, it.id);
            let shown: Vec<&HelpArticle> = tenant.active().filter(is_shown).collect();
            let before = shown.iter().filter(|it| place(it) < (position, id));
            let behind = shown.iter().filter(|it| place(it) > (position, id));
            let found = [before.max_by_key(|it| place(it)), behind.min_by_key(|it| place(it))];
            let link =
                |it: &&HelpArticle| ArticleLink { title: it.title.clone(), slug: it.slug.clone() };
            found.map(|it| it.map(link))
        })
    }

    async fn versions(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
        below: i64,
        limit: i64,
    ) -> Result<Vec<HelpArticleVersion>> {
        self.read(organization, |tenant| {
            let is_older =
                |it: &&HelpArticleVersion| it.help_article_id == id && it.version < below;
            let mut found: Vec<_> = tenant.all().filter(is_older).cloned().collect();
            found.sort_unstable_by_key(|version| Reverse(version.version));
            found.truncate(size(limit));
            found
        })
    }
}

#[async_trait]
impl HelpRedirectRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        request: PageRequest<ByTime>,
    ) -> Result<Page<HelpRedirect, ByTime>> {
        let key = |redirect: &HelpRedirect| ByTime { at: redirect.created_at, id: redirect.id.0 };
        self.read(organization, |tenant| {
            page(tenant.all().cloned(), Order::Descending, request, key)
        })
    }

    async fn leading_to(
        &self,
        organization: OrganizationId,
        paths: Vec<Path>,
    ) -> Result<Vec<HelpRedirect>> {
        self.read(organization, |tenant| {
            let leads = |it: &&HelpRedirect| paths.contains(&it.to_path);
            tenant.all().filter(leads).cloned().collect()
        })
    }
}

impl Tenant {
    fn collection_details(&self, collection: &HelpCollection) -> CollectionDetails {
        let categories = self.active::<HelpCategory>();
        let category_count = count(categories.filter(|it| it.collection_id == collection.id));
        CollectionDetails { collection: collection.clone(), category_count }
    }

    fn category_details(&self, category: &HelpCategory) -> CategoryDetails {
        let articles = self.active::<HelpArticle>();
        let article_count = count(articles.filter(|it| it.parent.category() == Some(category.id)));
        CategoryDetails { category: category.clone(), article_count }
    }

    /// Whether a collection is active.
    fn has_collection(&self, id: HelpCollectionId) -> bool {
        self.find::<HelpCollection>(id).is_some()
    }

    fn is_shown(&self, filter: &ArticleFilter, article: &HelpArticle) -> bool {
        let is_in_collection = |id| {
            let place = self.place(article.parent);
            place.is_some_and(|(collection, _)| collection.id == id) && self.has_collection(id)
        };
        let is_in_category =
            |id| article.parent.category() == Some(id) && self.find::<HelpCategory>(id).is_some();
        filter.collection_id.is_none_or(is_in_collection)
            && filter.category_id.is_none_or(is_in_category)
            && filter.status.is_none_or(|status| article.status == status)
            && filter.show_on_portal.is_none_or(|shown| article.show_on_portal == shown)
            && filter.is_favourite.is_none_or(|favourite| article.is_favourite == favourite)
            && filter.ids.as_ref().is_none_or(|ids| ids.contains(&article.id))
            && filter.search.as_ref().is_none_or(|it| article.search_text().contains(it.as_str()))
    }

    /// The collection of an article, and its category if it is in one.
    fn place(&self, parent: ArticleParent) -> Option<(&HelpCollection, Option<&HelpCategory>)> {
        let category: Option<&HelpCategory> = parent.category().and_then(|id| self.any(id));
        let collection = parent.collection().or(category.map(|category| category.collection_id));
        Some((self.any(collection?)?, category))
    }

    fn article_summary(&self, article: &HelpArticle) -> Option<ArticleSummary> {
        let (collection, category) = self.place(article.parent)?;
        Some(ArticleSummary {
            id: article.id,
            title: article.title.clone(),
            slug: article.slug.clone(),
            excerpt: article.excerpt.clone(),
            status: article.status,
            show_on_portal: article.show_on_portal,
            collection: CollectionReference {
                id: collection.id,
                name: collection.name.clone(),
                slug: collection.slug.clone(),
            },
            category: category.map(|category| CategoryReference {
                id: category.id,
                name: category.name.clone(),
                slug: category.slug.clone(),
                collection_id: category.collection_id,
            }),
            is_favourite: article.is_favourite,
            seq_number: article.seq_number,
            published_at: article.published_at,
            related_article_ids: article.related_article_ids.clone(),
            author_id: article.author_id,
            view_count: article.view_count,
            helpful_count: article.helpful_count,
            not_helpful_count: article.not_helpful_count,
            external_id: article.external_id.clone(),
            created_at: article.created_at,
            updated_at: article.updated_at,
        })
    }
}
