//! Help articles.

use crate::fold::{self, Folded};
use crate::help_category::CategoryReference;
use crate::help_collection::CollectionReference;
use crate::id::{HelpArticleId, HelpCategoryId, HelpCollectionId, UserId};
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ShortText, Title};
use crate::{ClosedSet, Time};

/// An article of the help center.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpArticle {
    /// Identifier.
    pub id: HelpArticleId,
    /// Title.
    pub title: String,
    /// Body as HTML, as it was sent; or empty.
    pub content: String,
    /// Unique among the organization's articles.
    pub slug: Slug,
    /// Short summary.
    pub excerpt: Option<String>,
    /// Whether it is a draft or published.
    pub status: ArticleStatus,
    /// Whether it may appear publicly.
    pub show_on_portal: bool,
    /// The team's internal star.
    pub is_favourite: bool,
    /// Where it is filed.
    pub parent: ArticleParent,
    /// Curated place within its parent.
    pub seq_number: Position,
    /// Who wrote it.
    pub author_id: Option<UserId>,
    /// When it was published; always there once it is.
    pub published_at: Option<Time>,
    /// Articles that it refers to, in the order given.
    pub related_article_ids: Vec<HelpArticleId>,
    /// How often it was read.
    pub view_count: i64,
    /// How many readers found it helpful.
    pub helpful_count: i64,
    /// How many readers did not.
    pub not_helpful_count: i64,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}

impl HelpArticle {
    /// The folded text that a search of articles looks in: title, content and excerpt.
    pub fn search_text(&self) -> String {
        fold::search_text([
            self.title.as_str(),
            self.content.as_str(),
            self.excerpt.as_deref().unwrap_or_default(),
        ])
    }
}

/// Where an article is filed: in exactly one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArticleParent {
    /// Directly in a collection.
    Collection(HelpCollectionId),
    /// In a category.
    Category(HelpCategoryId),
}

impl ArticleParent {
    /// From the two nullable references of which exactly one is set; `None` otherwise.
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

    /// The collection, where the article is filed directly in one.
    pub fn collection(self) -> Option<HelpCollectionId> {
        match self {
            Self::Collection(id) => Some(id),
            Self::Category(_) => None,
        }
    }

    /// The category, where the article is filed in one.
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

/// An article as lists show it: all of it but its body, with where it is filed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleSummary {
    /// Identifier.
    pub id: HelpArticleId,
    /// Title.
    pub title: String,
    /// Unique among the organization's articles.
    pub slug: Slug,
    /// Short summary.
    pub excerpt: Option<String>,
    /// Whether it is a draft or published.
    pub status: ArticleStatus,
    /// Whether it may appear publicly.
    pub show_on_portal: bool,
    /// The collection that it is filed in, directly or by its category.
    pub collection: CollectionReference,
    /// The category that it is filed in.
    pub category: Option<CategoryReference>,
    /// The team's internal star.
    pub is_favourite: bool,
    /// Curated place within its parent.
    pub seq_number: Position,
    /// When it was published; always there once it is.
    pub published_at: Option<Time>,
    /// Articles that it refers to, in the order given.
    pub related_article_ids: Vec<HelpArticleId>,
    /// Who wrote it.
    pub author_id: Option<UserId>,
    /// How often it was read.
    pub view_count: i64,
    /// How many readers found it helpful.
    pub helpful_count: i64,
    /// How many readers did not.
    pub not_helpful_count: i64,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}

/// An article with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleDetails {
    /// All but the body.
    pub summary: ArticleSummary,
    /// Body as HTML, as it was sent; or empty.
    pub content: String,
}

/// Which articles a list shows; an identifier that the organization does not have matches nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleFilter {
    /// Only those whose title, content or excerpt contains this text.
    pub search: Option<Folded>,
    /// Only those in this active collection, in its categories too.
    pub collection_id: Option<HelpCollectionId>,
    /// Only those in this active category.
    pub category_id: Option<HelpCategoryId>,
    /// Only those in this state.
    pub status: Option<ArticleStatus>,
    /// Only those that may (or may not) appear publicly.
    pub show_on_portal: Option<bool>,
    /// Only those with (or without) the team's star.
    pub is_favourite: Option<bool>,
}

impl ArticleFilter {
    /// Narrowed to what is publicly visible: published, and shown on the portal.
    #[must_use]
    pub fn public(self) -> Self {
        Self { status: Some(ArticleStatus::Published), show_on_portal: Some(true), ..self }
    }
}

/// The orders of a list.
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

/// What `/help-articles/create` makes an article of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArticleDraft {
    /// Where it is to be filed, at the end.
    pub parent: ArticleParent,
    /// Title.
    pub title: Title,
    /// Body as HTML, as it was sent; or empty.
    pub content: String,
    /// Slug; derived from the title where none is given.
    pub slug: Option<Slug>,
    /// Short summary.
    pub excerpt: Option<ShortText>,
    /// Whether it is a draft or published.
    pub status: ArticleStatus,
    /// Whether it may appear publicly.
    pub show_on_portal: bool,
    /// The team's internal star.
    pub is_favourite: bool,
    /// When it was published; the present where it is published and none is given.
    pub published_at: Option<Time>,
    /// Articles that it refers to, in the order given, each once.
    pub related_article_ids: Vec<HelpArticleId>,
}

impl ArticleDraft {
    /// The slug that the article gets unless it is taken.
    pub fn slug(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.title.as_str(), "article"))
    }

    /// Makes the article. The store gives it its position.
    pub fn create(self, id: HelpArticleId, slug: Slug, now: Time) -> HelpArticle {
        let published_now = (self.status == ArticleStatus::Published).then_some(now);
        HelpArticle {
            id,
            title: self.title.into(),
            content: self.content,
            slug,
            excerpt: self.excerpt.map(String::from),
            status: self.status,
            show_on_portal: self.show_on_portal,
            is_favourite: self.is_favourite,
            parent: self.parent,
            seq_number: Position::START,
            author_id: None,
            published_at: self.published_at.or(published_now),
            related_article_ids: self.related_article_ids,
            view_count: 0,
            helpful_count: 0,
            not_helpful_count: 0,
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

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
        }
    }

    #[test]
    fn published_without_a_time_it_is_published_now() {
        let published_at = |status, published_at| {
            let draft = ArticleDraft { status, published_at, ..draft() };
            let slug = draft.slug();
            draft.create(Uuid::nil().into(), slug, time("2026-03-01")).published_at
        };
        let given = Some(time("2020-01-01"));
        assert_eq!(published_at(ArticleStatus::Published, None), Some(time("2026-03-01")));
        assert_eq!(published_at(ArticleStatus::Published, given), given);
        assert_eq!(published_at(ArticleStatus::Draft, given), given);
        assert_eq!(published_at(ArticleStatus::Draft, None), None);
    }

    #[test]
    fn exactly_one_parent_is_one() {
        let (collection, category) =
            (Some(Uuid::from_u128(1).into()), Some(Uuid::from_u128(2).into()));
        assert_eq!(ArticleParent::new(collection, None), collection.map(ArticleParent::Collection));
        assert_eq!(ArticleParent::new(None, category), category.map(ArticleParent::Category));
        assert_eq!(ArticleParent::new(None, None), None);
        assert_eq!(ArticleParent::new(collection, category), None);
    }
}
