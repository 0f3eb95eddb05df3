//! Help articles.

use crate::fold;
use crate::id::{HelpArticleId, HelpCategoryId, HelpCollectionId, UserId};
use crate::position::Position;
use crate::slug::Slug;
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
        fold::search_text([self.title.as_str(), self.content.as_str(), self.excerpt.as_deref().unwrap_or_default()])
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
    pub fn new(collection: Option<HelpCollectionId>, category: Option<HelpCategoryId>) -> Option<Self> {
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
