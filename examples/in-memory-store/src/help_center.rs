//! The help center.

use crate::feedback::count;
use crate::page::{Order, map, page};
use crate::tenant::Tenant;
use crate::{MemoryStore, Result};
use async_trait::async_trait;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleParent, ArticleSort, ArticleSummary, HelpArticle,
};
use hearback_domain::help_category::{CategoryDetails, CategoryReference, HelpCategory};
use hearback_domain::help_collection::{CollectionDetails, CollectionReference, HelpCollection};
use hearback_domain::id::{HelpArticleId, HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_ports::page::{ArticlePlace, ByArticle, ByPosition};
use hearback_ports::{
    HelpArticleRepository, HelpCategoryRepository, HelpCollectionRepository, Page, PageRequest,
};

#[async_trait]
impl HelpCollectionRepository for MemoryStore {
    async fn page(
        &self,
        organization: OrganizationId,
        request: PageRequest<ByPosition>,
    ) -> Result<Page<CollectionDetails, ByPosition>> {
        let key = |collection: &&HelpCollection| ByPosition {
            position: collection.seq_number,
            name: collection.name.clone(),
            id: collection.id.0,
        };
        Ok(self.read(organization, |tenant| {
            let shown = page(tenant.active(), Order::Ascending, request, key);
            map(shown, |collection| Some(collection_details(tenant, collection)))
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCollectionId,
    ) -> Result<Option<CollectionDetails>> {
        Ok(self.read(organization, |tenant| Some(collection_details(tenant, tenant.find(id)?))))
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
        let key = |category: &&HelpCategory| ByPosition {
            position: category.seq_number,
            name: category.name.clone(),
            id: category.id.0,
        };
        Ok(self.read(organization, |tenant| {
            let is_shown = |category: &&HelpCategory| {
                collection.is_none_or(|id| {
                    category.collection_id == id && tenant.find::<HelpCollection>(id).is_some()
                })
            };
            let shown = page(tenant.active().filter(is_shown), Order::Ascending, request, key);
            map(shown, |category| Some(category_details(tenant, category)))
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpCategoryId,
    ) -> Result<Option<CategoryDetails>> {
        Ok(self.read(organization, |tenant| Some(category_details(tenant, tenant.find(id)?))))
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
        Ok(self.read(organization, |tenant| {
            let shown = tenant.active().filter(|article| is_shown(tenant, &filter, article));
            let shown = page(shown, order, request, |article| key(article, sort));
            map(shown, |article| summary(tenant, article))
        }))
    }

    async fn find(
        &self,
        organization: OrganizationId,
        id: HelpArticleId,
    ) -> Result<Option<ArticleDetails>> {
        Ok(self.read(organization, |tenant| {
            let article: &HelpArticle = tenant.find(id)?;
            let content = article.content.clone();
            Some(ArticleDetails { summary: summary(tenant, article)?, content })
        }))
    }
}

fn collection_details(tenant: &Tenant, collection: &HelpCollection) -> CollectionDetails {
    let categories = tenant.active::<HelpCategory>();
    let category_count = count(categories.filter(|it| it.collection_id == collection.id));
    CollectionDetails { collection: collection.clone(), category_count }
}

fn category_details(tenant: &Tenant, category: &HelpCategory) -> CategoryDetails {
    let articles = tenant.active::<HelpArticle>();
    let article_count = count(articles.filter(|it| it.parent.category() == Some(category.id)));
    CategoryDetails { category: category.clone(), article_count }
}

fn is_shown(tenant: &Tenant, filter: &ArticleFilter, article: &HelpArticle) -> bool {
    let is_in_collection = |id: HelpCollectionId| {
        tenant.find::<HelpCollection>(id).is_some()
            && filed(tenant, article.parent).is_some_and(|(collection, _)| collection.id == id)
    };
    let is_in_category = |id: HelpCategoryId| {
        tenant.find::<HelpCategory>(id).is_some() && article.parent.category() == Some(id)
    };
    filter.collection_id.is_none_or(is_in_collection)
        && filter.category_id.is_none_or(is_in_category)
        && filter.status.is_none_or(|status| article.status == status)
        && filter.show_on_portal.is_none_or(|shown| article.show_on_portal == shown)
        && filter.is_favourite.is_none_or(|favourite| article.is_favourite == favourite)
        && filter.search.as_ref().is_none_or(|text| article.search_text().contains(text.as_str()))
}

fn key(article: &HelpArticle, sort: ArticleSort) -> ByArticle {
    let place = match sort {
        ArticleSort::Updated => ArticlePlace::Time(article.updated_at),
        ArticleSort::Newest | ArticleSort::Oldest => ArticlePlace::Time(article.created_at),
        ArticleSort::Title => ArticlePlace::Title(article.title.clone()),
        ArticleSort::Position => ArticlePlace::Position(article.seq_number),
    };
    ByArticle { place, id: article.id.0 }
}

/// Where an article is filed.
fn filed(
    tenant: &Tenant,
    parent: ArticleParent,
) -> Option<(&HelpCollection, Option<&HelpCategory>)> {
    match parent {
        ArticleParent::Collection(id) => Some((tenant.any(id)?, None)),
        ArticleParent::Category(id) => {
            let category: &HelpCategory = tenant.any(id)?;
            Some((tenant.any(category.collection_id)?, Some(category)))
        }
    }
}

fn summary(tenant: &Tenant, article: &HelpArticle) -> Option<ArticleSummary> {
    let (collection, category) = filed(tenant, article.parent)?;
    let article = article.clone();
    Some(ArticleSummary {
        id: article.id,
        title: article.title,
        slug: article.slug,
        excerpt: article.excerpt,
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
        related_article_ids: article.related_article_ids,
        author_id: article.author_id,
        view_count: article.view_count,
        helpful_count: article.helpful_count,
        not_helpful_count: article.not_helpful_count,
        created_at: article.created_at,
        updated_at: article.updated_at,
    })
}
