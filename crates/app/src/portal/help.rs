//! The help center.

use super::{Visit, gone};
use crate::{Error, help_redirects};
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{
    ArticleDetails, ArticleFilter, ArticleLink, ArticleParent, ArticleSort, ArticleSummary,
    HelpArticle,
};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::help_redirect::Path;
use hearback_domain::id::{HelpArticleId, HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_domain::missed_search::MissedSearch;
use hearback_domain::record::Kind;
use hearback_domain::slug::Slug;
use hearback_ports::page::{ByArticle, Page, PageRequest};
use hearback_ports::records::Name;
use hearback_ports::{Limit, Ports};

/// The collections, in their order.
pub async fn collections(ports: &Ports, visit: &Visit) -> Result<Vec<HelpCollection>, Error> {
    allowed(visit)?;
    let first = PageRequest { after: None, limit: most() };
    let page = ports.help_collections.page(visit.organization(), first).await?;
    Ok(page.items.into_iter().map(|it| it.collection).collect())
}

/// The page of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionPage {
    /// The collection.
    pub collection: HelpCollection,
    /// Its categories, in their order.
    pub categories: Vec<HelpCategory>,
    /// The category whose articles are listed. `None`: those of the collection and of all of them.
    pub category: Option<HelpCategory>,
    /// A part of the articles, by position.
    pub articles: Page<ArticleSummary, ByArticle>,
}

/// The page of the collection with a slug, or of one of its categories.
pub async fn collection(
    ports: &Ports,
    visit: &Visit,
    (slug, category): (&str, Option<&str>),
    after: Option<ByArticle>,
) -> Result<CollectionPage, Error> {
    allowed(visit)?;
    let organization = visit.organization();
    let id = named(ports, visit, Kind::HelpCollection, slug).await?;
    let collection = ports.help_collections.find(organization, HelpCollectionId(id)).await?;
    let collection = collection.ok_or(gone(Kind::HelpCollection))?.collection;
    let first = PageRequest { after: None, limit: most() };
    let categories = ports.help_categories.page(organization, Some(collection.id), first).await?;
    let categories: Vec<HelpCategory> =
        categories.items.into_iter().map(|it| it.category).collect();
    let category = match category {
        Some(slug) => {
            let id = HelpCategoryId(named(ports, visit, Kind::HelpCategory, slug).await?);
            let found = ports.help_categories.find(organization, id).await?;
            let found = found.map(|it| it.category);
            let inside = found.filter(|it| it.collection_id == collection.id);
            Some(inside.ok_or(gone(Kind::HelpCategory))?)
        }
        None => None,
    };
    let filter = ArticleFilter {
        collection_id: category.is_none().then_some(collection.id),
        category_id: category.as_ref().map(|it| it.id),
        ..ArticleFilter::default()
    }
    .public();
    let page = PageRequest { after, limit: most() };
    let sort = ArticleSort::Position;
    let articles = ports.help_articles.page(organization, filter, sort, page).await?;
    Ok(CollectionPage { collection, categories, category, articles })
}

/// The page of an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticlePage {
    /// The article.
    pub article: ArticleDetails,
    /// The related articles that are shown, in their order.
    pub related: Vec<ArticleSummary>,
    /// The articles before and behind it in its category, or in its collection if it has none.
    pub around: [Option<ArticleLink>; 2],
}

/// The page of the article at an address, or the path that has its place now.
pub async fn article(
    ports: &Ports,
    visit: &Visit,
    path: &Path,
) -> Result<Result<ArticlePage, Path>, Error> {
    allowed(visit)?;
    let organization = visit.organization();
    let missing = || gone(Kind::HelpArticle);
    let found = last_part(ports, visit, path).await?;
    let is_here = |article: &&ArticleDetails| {
        is_public(&article.summary) && address(&article.summary).eq_ignore_ascii_case(path.as_str())
    };
    let Some(article) = found.as_ref().filter(is_here).cloned() else {
        let to = help_redirects::resolve(ports, organization, path.clone()).await?;
        let to = to.ok_or_else(missing)?;
        // The present address of an article that is not public is nobody's business.
        let is_hidden =
            last_part(ports, visit, &to).await?.is_some_and(|it| !is_public(&it.summary));
        return if is_hidden { Err(missing()) } else { Ok(Err(to)) };
    };
    let related = related(ports, organization, &article.summary.related_article_ids).await?;
    let ArticleSummary { collection, category, seq_number, id, .. } = &article.summary;
    let parent = match category {
        Some(category) => ArticleParent::Category(category.id),
        None => ArticleParent::Collection(collection.id),
    };
    let around = ports.help_articles.around(organization, parent, *seq_number, *id).await?;
    Ok(Ok(ArticlePage { article, related, around }))
}

/// The article whose slug is the last part of a path, wherever it is.
async fn last_part(
    ports: &Ports,
    visit: &Visit,
    path: &Path,
) -> Result<Option<ArticleDetails>, Error> {
    let Some(slug) = path.slug_of_article() else { return Ok(None) };
    match named(ports, visit, Kind::HelpArticle, slug.as_str()).await {
        Ok(id) => Ok(ports.help_articles.find(visit.organization(), HelpArticleId(id)).await?),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The public articles among the first of these, in their order.
async fn related(
    ports: &Ports,
    organization: OrganizationId,
    ids: &[HelpArticleId],
) -> Result<Vec<ArticleSummary>, Error> {
    let ids = &ids[..ids.len().min(RELATED)];
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let filter = ArticleFilter { ids: Some(ids.to_vec()), ..ArticleFilter::default() }.public();
    let first = PageRequest { after: None, limit: most() };
    let page = ports.help_articles.page(organization, filter, ArticleSort::Updated, first).await?;
    let mut found = page.items;
    found.sort_by_key(|article| ids.iter().position(|id| *id == article.id));
    Ok(found)
}

/// An article that a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundArticle {
    /// The article.
    pub article: ArticleSummary,
    /// Its content.
    pub content: String,
}

/// The public articles that contain a text, the last updated first.
pub async fn article_search(
    ports: &Ports,
    visit: &Visit,
    text: &str,
    most: Limit,
) -> Result<Vec<FoundArticle>, Error> {
    allowed(visit)?;
    let filter = ArticleFilter { search: Some(Folded::new(text)), ..ArticleFilter::default() };
    let first = PageRequest { after: None, limit: most };
    let (organization, sort) = (visit.organization(), ArticleSort::Updated);
    let page = ports.help_articles.page(organization, filter.public(), sort, first).await?;
    if page.items.is_empty() {
        return Ok(vec![]);
    }
    let keys = page.items.iter().map(|it| (Kind::HelpArticle, it.id.0)).collect();
    let known = ports.records.load(organization, keys).await?;
    let found = |article: ArticleSummary| {
        let content = known.any::<HelpArticle>(article.id).map(|it| it.content.clone());
        FoundArticle { article, content: content.unwrap_or_default() }
    };
    Ok(page.items.into_iter().map(found).collect())
}

/// A search that has found no article, as it is counted. `None` if it is not: the visitor sees no
/// help center, or the text has no words that are kept.
pub fn missed(visit: &Visit, text: &str) -> Option<MissedSearch> {
    allowed(visit).ok()?;
    MissedSearch::new(text)
}

/// The address of an article in the help center: the contract's path.
pub fn address(article: &ArticleSummary) -> String {
    address_beside(article, &article.slug)
}

/// The address of the article with a slug in the category of another one, or in its collection if
/// that has no category.
pub fn address_beside(article: &ArticleSummary, slug: &Slug) -> String {
    let (collection, slug) = (article.collection.slug.as_str(), slug.as_str());
    match &article.category {
        Some(category) => format!("/help/{collection}/{}/{slug}", category.slug.as_str()),
        None => format!("/help/{collection}/{slug}"),
    }
}

/// Whether visitors may read an article.
pub(super) fn is_public(article: &ArticleSummary) -> bool {
    use hearback_domain::help_article::ArticleStatus;
    article.show_on_portal && article.status == ArticleStatus::Published
}

/// The help center is there if the plan has it and the portal shows it.
fn allowed(visit: &Visit) -> Result<(), Error> {
    let organization = &visit.frame.organization;
    match organization.help_center.is_enabled() && organization.portal.shows_help {
        true => Ok(()),
        false => Err(gone(Kind::HelpCollection)),
    }
}

/// The record of a kind that has a slug.
async fn named(
    ports: &Ports,
    visit: &Visit,
    kind: Kind,
    slug: &str,
) -> Result<hearback_domain::Uuid, Error> {
    let slug = Slug::parse(slug).map_err(|_| gone(kind))?;
    let names = vec![slug.key()];
    let named = ports.records.named(visit.organization(), kind, Name::Slug, names).await?;
    named.into_iter().next().map(|(_, id)| id).ok_or(gone(kind))
}

fn most() -> Limit {
    Limit::new(Limit::MAX).unwrap_or(Limit::DEFAULT)
}

/// The most related articles that a page shows.
const RELATED: usize = 8;
