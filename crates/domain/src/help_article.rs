//! Help articles.

use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace, replace_optional};
use crate::erasure::{CannotRestore, EraseAfter};
use crate::fold::{self, Folded};
use crate::help_category::CategoryReference;
use crate::help_collection::CollectionReference;
use crate::id::{HelpArticleId, HelpCategoryId, HelpCollectionId, UserId};
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ExternalId, ShortText, Title};
use crate::{ClosedSet, Time, Uuid};

/// An article of the help center.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpArticle {
    /// The identifier.
    pub id: HelpArticleId,
    /// The title.
    pub title: String,
    /// The body as HTML, as sent, or empty.
    pub content: String,
    /// The slug, unique among the organization's articles.
    pub slug: Slug,
    /// The excerpt.
    pub excerpt: Option<String>,
    /// The state of the article.
    pub status: ArticleStatus,
    /// Whether the portal may show the article.
    pub show_on_portal: bool,
    /// Whether the article has the team's star.
    pub is_favourite: bool,
    /// The collection or category of the article.
    pub parent: ArticleParent,
    /// The position within its parent.
    pub seq_number: Position,
    /// The author.
    pub author_id: Option<UserId>,
    /// When the article was published. `Some` once it is published.
    pub published_at: Option<Time>,
    /// The related articles, in the order given.
    pub related_article_ids: Vec<HelpArticleId>,
    /// The number of views.
    pub view_count: i64,
    /// The number of readers who found the article helpful.
    pub helpful_count: i64,
    /// The number of readers who did not find the article helpful.
    pub not_helpful_count: i64,
    /// The identifier that another tool gave the article, unique among the organization's active
    /// articles.
    pub external_id: Option<String>,
    /// The number of the version, from 1. It moves if the title or the content changes.
    pub version: i64,
    /// When the version was saved.
    pub versioned_at: Time,
    /// `false` if the article is deleted.
    pub is_active: bool,
    /// When the article was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

impl HelpArticle {
    /// Whether the article is active and published.
    pub fn is_out(&self) -> bool {
        self.is_active && self.status == ArticleStatus::Published
    }

    /// The published article. An article that is published keeps its time.
    #[must_use]
    pub fn published(self, now: Time) -> Self {
        let published_at = match self.status {
            ArticleStatus::Published => self.published_at,
            ArticleStatus::Draft => Some(now),
        };
        Self { status: ArticleStatus::Published, published_at, ..self }
    }

    /// The article as a draft. A draft stays as it is.
    #[must_use]
    pub fn unpublished(self) -> Self {
        match self.status {
            ArticleStatus::Draft => self,
            ArticleStatus::Published => {
                Self { status: ArticleStatus::Draft, published_at: None, ..self }
            }
        }
    }

    /// The deleted article as it was before.
    pub fn restored(self, after: EraseAfter, now: Time) -> Result<Self, CannotRestore> {
        after.check(self.is_active, self.updated_at, now)?;
        Ok(Self { is_active: true, ..self })
    }

    /// The folded title, content and excerpt, in which a search looks.
    pub fn search_text(&self) -> String {
        fold::search_text([
            self.title.as_str(),
            self.content.as_str(),
            self.excerpt.as_deref().unwrap_or_default(),
        ])
    }
}

/// The parent of an article: exactly one collection or category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArticleParent {
    /// A collection.
    Collection(HelpCollectionId),
    /// A category.
    Category(HelpCategoryId),
}

impl ArticleParent {
    /// Combines the two optional references. `None` unless exactly one is given.
    pub fn new(
        collection: Option<HelpCollectionId>,
        category: Option<HelpCategoryId>,
    ) -> Option<Self> {
        match (collection, category) {
            (Some(id), None) => Some(Self::Collection(id)),
            (None, Some(id)) => Some(Self::Category(id)),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }

    /// The collection, if it is the parent.
    pub fn collection(self) -> Option<HelpCollectionId> {
        match self {
            Self::Collection(id) => Some(id),
            Self::Category(_) => None,
        }
    }

    /// The category, if it is the parent.
    pub fn category(self) -> Option<HelpCategoryId> {
        match self {
            Self::Category(id) => Some(id),
            Self::Collection(_) => None,
        }
    }
}

/// The states of an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArticleStatus {
    /// `draft`
    Draft,
    /// `published`
    Published,
}

impl ClosedSet for ArticleStatus {
    const ALL: &'static [Self] = &[Self::Draft, Self::Published];

    fn code(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
        }
    }
}

/// An article without its body, as lists return it, with its collection and category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleSummary {
    /// The identifier.
    pub id: HelpArticleId,
    /// The title.
    pub title: String,
    /// The slug, unique among the organization's articles.
    pub slug: Slug,
    /// The excerpt.
    pub excerpt: Option<String>,
    /// The state of the article.
    pub status: ArticleStatus,
    /// Whether the portal may show the article.
    pub show_on_portal: bool,
    /// The collection of the article, or of its category.
    pub collection: CollectionReference,
    /// The category of the article, if it is in one.
    pub category: Option<CategoryReference>,
    /// Whether the article has the team's star.
    pub is_favourite: bool,
    /// The position within its parent.
    pub seq_number: Position,
    /// When the article was published. `Some` once it is published.
    pub published_at: Option<Time>,
    /// The related articles, in the order given.
    pub related_article_ids: Vec<HelpArticleId>,
    /// The author.
    pub author_id: Option<UserId>,
    /// The number of views.
    pub view_count: i64,
    /// The number of readers who found the article helpful.
    pub helpful_count: i64,
    /// The number of readers who did not find the article helpful.
    pub not_helpful_count: i64,
    /// The identifier that another tool gave the article.
    pub external_id: Option<String>,
    /// When the article was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

/// An article with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleDetails {
    /// The article without its body.
    pub summary: ArticleSummary,
    /// The body as HTML, as sent, or empty.
    pub content: String,
}

/// Selects the articles of a list. An identifier that the organization does not have matches
/// nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleFilter {
    /// Only articles whose title, content or excerpt contains this text.
    pub search: Option<Folded>,
    /// Only articles in this active collection or in its categories.
    pub collection_id: Option<HelpCollectionId>,
    /// Only articles in this active category.
    pub category_id: Option<HelpCategoryId>,
    /// Only articles in this state.
    pub status: Option<ArticleStatus>,
    /// Only articles that the portal may (or may not) show.
    pub show_on_portal: Option<bool>,
    /// Only articles with (or without) the team's star.
    pub is_favourite: Option<bool>,
    /// Only these articles.
    pub ids: Option<Vec<HelpArticleId>>,
}

impl ArticleFilter {
    /// Whether a list without a search sorts all articles that it finds. The index of categories
    /// has one order only, [`ArticleSort::Updated`]. An index with another order would be walked
    /// through the articles of all other categories. Articles are looked up by their identifiers.
    pub fn is_sorted(&self, sort: ArticleSort) -> bool {
        self.ids.is_some() || self.category_id.is_some() && sort != ArticleSort::Updated
    }

    /// Whether a list without a search may have to read all articles: a condition other than the
    /// category may exclude each one.
    pub fn is_walk(&self, sort: ArticleSort) -> bool {
        let others = Self { category_id: None, ..self.clone() };
        self.ids.is_none() && (self.is_sorted(sort) || others != Self::default())
    }

    /// The filter, narrowed to public articles: published, and shown on the portal.
    #[must_use]
    pub fn public(self) -> Self {
        Self { status: Some(ArticleStatus::Published), show_on_portal: Some(true), ..self }
    }
}

/// The orders of a list of articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArticleSort {
    /// `updated`: by `updated_at`, newest first.
    Updated,
    /// `newest`: by `created_at`, newest first.
    Newest,
    /// `oldest`: by `created_at`, oldest first.
    Oldest,
    /// `title`: by title.
    Title,
    /// `position`: by `seq_number`.
    Position,
}

impl ClosedSet for ArticleSort {
    const ALL: &'static [Self] =
        &[Self::Updated, Self::Newest, Self::Oldest, Self::Title, Self::Position];

    fn code(self) -> &'static str {
        match self {
            Self::Updated => "updated",
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Title => "title",
            Self::Position => "position",
        }
    }
}

/// The answers of readers to the question whether an article was helpful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleAnswers {
    /// The article.
    pub id: HelpArticleId,
    /// Its title.
    pub title: String,
    /// The number of readers who found it helpful.
    pub helpful: i64,
    /// The number of readers who did not.
    pub not_helpful: i64,
}

/// An article as another page links to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleLink {
    /// The title.
    pub title: String,
    /// The slug.
    pub slug: Slug,
}

/// The fields of `/help-articles/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleDraft {
    /// The collection or category of the article.
    pub parent: ArticleParent,
    /// The title.
    pub title: Title,
    /// The body as HTML, as sent, or empty.
    pub content: String,
    /// The slug. `None`: one derived from the title.
    pub slug: Option<Slug>,
    /// The excerpt.
    pub excerpt: Option<ShortText>,
    /// The state of the article.
    pub status: ArticleStatus,
    /// Whether the portal may show the article.
    pub show_on_portal: bool,
    /// Whether the article has the team's star.
    pub is_favourite: bool,
    /// When the article was published. If it is published and this is `None`, the present.
    pub published_at: Option<Time>,
    /// The related articles, in the order given, without duplicates.
    pub related_article_ids: Vec<HelpArticleId>,
    /// The author.
    pub author_id: Option<UserId>,
    /// The identifier that another tool gave the article.
    pub external_id: Option<ExternalId>,
}

impl Draft for ArticleDraft {
    type Record = HelpArticle;
    type Name = Slug;

    fn name(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.title.as_str(), "article"))
    }

    fn create(self, id: Uuid, slug: Slug, now: Time) -> HelpArticle {
        let published_now = (self.status == ArticleStatus::Published).then_some(now);
        HelpArticle {
            id: id.into(),
            title: self.title.into(),
            content: self.content,
            slug,
            excerpt: self.excerpt.map(String::from),
            status: self.status,
            show_on_portal: self.show_on_portal,
            is_favourite: self.is_favourite,
            parent: self.parent,
            seq_number: Position::START,
            author_id: self.author_id,
            published_at: self.published_at.or(published_now),
            related_article_ids: self.related_article_ids,
            view_count: 0,
            helpful_count: 0,
            not_helpful_count: 0,
            external_id: self.external_id.map(String::from),
            version: 1,
            versioned_at: now,
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }
}

/// The new values of `/help-articles/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticlePatch {
    /// The collection or category to whose end the article moves.
    pub parent: Option<ArticleParent>,
    /// The title.
    pub title: Option<Title>,
    /// The body as HTML, as sent, or empty.
    pub content: Option<String>,
    /// The slug.
    pub slug: Option<Slug>,
    /// The excerpt.
    pub excerpt: Patch<ShortText>,
    /// Whether the portal may show the article.
    pub show_on_portal: Option<bool>,
    /// Whether the article has the team's star.
    pub is_favourite: Option<bool>,
    /// When the article was published. A draft has it, too, until it is published.
    pub published_at: Option<Time>,
    /// The related articles, in the order given, without duplicates.
    pub related_article_ids: Option<Vec<HelpArticleId>>,
    /// The author.
    pub author_id: Patch<UserId>,
    /// The identifier that another tool gave the article.
    pub external_id: Patch<ExternalId>,
}

impl Patches for ArticlePatch {
    type Record = HelpArticle;

    fn edit(self, mut article: HelpArticle) -> HelpArticle {
        replace(&mut article.parent, self.parent);
        replace(&mut article.title, self.title);
        replace(&mut article.content, self.content);
        replace(&mut article.slug, self.slug);
        self.excerpt.apply(&mut article.excerpt);
        replace(&mut article.show_on_portal, self.show_on_portal);
        replace(&mut article.is_favourite, self.is_favourite);
        replace_optional(&mut article.published_at, self.published_at);
        replace(&mut article.related_article_ids, self.related_article_ids);
        self.author_id.apply(&mut article.author_id);
        self.external_id.apply(&mut article.external_id);
        article
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use crate::record::Record;

    fn time(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn draft() -> ArticleDraft {
        ArticleDraft {
            parent: ArticleParent::Category(Uuid::from_u128(1).into()),
            title: Title::parse("Getting started").unwrap(),
            content: String::new(),
            slug: None,
            excerpt: None,
            status: ArticleStatus::Draft,
            show_on_portal: true,
            is_favourite: false,
            published_at: None,
            related_article_ids: vec![],
            author_id: None,
            external_id: None,
        }
    }

    #[test]
    fn an_article_published_without_a_time_is_published_now() {
        let published_at = |status, published_at| {
            let draft = ArticleDraft { status, published_at, ..draft() };
            let slug = draft.name();
            draft.create(Uuid::nil(), slug, time("2026-03-01")).published_at
        };
        let given = Some(time("2020-01-01"));
        assert_eq!(published_at(ArticleStatus::Published, None), Some(time("2026-03-01")));
        assert_eq!(published_at(ArticleStatus::Published, given), given);
        assert_eq!(published_at(ArticleStatus::Draft, given), given);
        assert_eq!(published_at(ArticleStatus::Draft, None), None);
    }

    #[test]
    fn an_article_has_exactly_one_parent() {
        let (collection, category) =
            (Some(Uuid::from_u128(1).into()), Some(Uuid::from_u128(2).into()));
        assert_eq!(ArticleParent::new(collection, None), collection.map(ArticleParent::Collection));
        assert_eq!(ArticleParent::new(None, category), category.map(ArticleParent::Category));
        assert_eq!(ArticleParent::new(None, None), None);
        assert_eq!(ArticleParent::new(collection, category), None);
    }

    #[test]
    fn an_article_is_published_at_a_time_until_it_is_a_draft_again() {
        let draft = draft();
        let slug = draft.name();
        let article = draft.create(Uuid::nil(), slug, Time::MIN);
        let published = article.clone().published(time("2026-01-02"));
        assert_eq!((published.is_out(), published.published_at), (true, Some(time("2026-01-02"))));
        assert_eq!(published.clone().published(Time::MAX), published);
        assert_eq!(published.unpublished(), article);
        let dated = HelpArticle { published_at: Some(Time::MIN), ..article };
        assert_eq!(dated.clone().unpublished(), dated);
    }

    #[test]
    fn a_deleted_article_is_restored_in_time() {
        let draft = draft();
        let slug = draft.name();
        let article = draft.create(Uuid::nil(), slug, Time::MIN);
        let deleted = HelpArticle { is_active: false, ..article.clone() };
        let restored = |now| deleted.clone().restored(EraseAfter::default(), now);
        assert_eq!(restored(Time::MIN), Ok(article.clone()));
        assert_eq!(restored(Time::MAX), Err(CannotRestore));
        assert_eq!(article.restored(EraseAfter::default(), Time::MIN), Err(CannotRestore));
    }

    #[test]
    fn an_article_is_out_while_it_is_active_and_published() {
        let draft = ArticleDraft { status: ArticleStatus::Published, ..draft() };
        let slug = draft.name();
        let article = draft.create(Uuid::nil(), slug, Time::MIN);
        assert!(article.is_out());
        assert!(!HelpArticle { is_active: false, ..article.clone() }.is_out());
        assert!(!HelpArticle { status: ArticleStatus::Draft, ..article }.is_out());
    }

    #[test]
    fn an_article_is_unchanged_whatever_its_readers_do() {
        let draft = draft();
        let slug = draft.name();
        let article = draft.create(Uuid::nil(), slug, Time::MIN);
        let is_unchanged =
            |now| Record::HelpArticle(now).is_unchanged(&Record::HelpArticle(article.clone()));
        assert!(is_unchanged(article.clone()));
        assert!(is_unchanged(HelpArticle { view_count: 1, ..article.clone() }));
        assert!(is_unchanged(HelpArticle { helpful_count: 1, ..article.clone() }));
        assert!(is_unchanged(HelpArticle { not_helpful_count: 1, ..article.clone() }));
        assert!(!is_unchanged(HelpArticle { is_favourite: true, ..article.clone() }));
    }

    #[test]
    fn the_articles_of_a_category_are_sorted_but_by_its_index() {
        let all = ArticleFilter::default();
        let of_category =
            ArticleFilter { category_id: Some(Uuid::from_u128(1).into()), ..all.clone() };
        let named = ArticleFilter { ids: Some(vec![]), ..all.clone() };
        let starred = ArticleFilter { is_favourite: Some(true), ..all.clone() };
        let (updated, position) = (ArticleSort::Updated, ArticleSort::Position);
        // The expected values of `is_sorted` and `is_walk`.
        for (filter, sort, expected) in [
            (&all, updated, (false, false)),
            (&of_category, updated, (false, false)),
            (&of_category, position, (true, true)),
            (&named, updated, (true, false)),
            (&starred, updated, (false, true)),
        ] {
            assert_eq!((filter.is_sorted(sort), filter.is_walk(sort)), expected, "{filter:?}");
        }
    }

    #[test]
    fn a_search_looks_at_title_content_and_excerpt_and_visitors_see_what_is_published() {
        let article = crate::record::examples::article();
        let all = ["signing in", "<p>wait.</p>", "wait"];
        assert_eq!(article.search_text(), fold::search_text(all));
        let public = ArticleFilter::default().public();
        assert_eq!(public.status, Some(ArticleStatus::Published));
        assert_eq!(public.show_on_portal, Some(true));
    }
}
