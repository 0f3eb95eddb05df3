//! Help categories.

use crate::Time;
use crate::color::Color;
use crate::edit::{replace, replace_optional};
use crate::id::{HelpCategoryId, HelpCollectionId};
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{Name, ShortText};

/// A category within a help collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpCategory {
    /// Identifier.
    pub id: HelpCategoryId,
    /// The collection that it is in.
    pub collection_id: HelpCollectionId,
    /// Name.
    pub name: String,
    /// Unique among the organization's help categories.
    pub slug: Slug,
    /// Description.
    pub description: Option<String>,
    /// Icon identifier.
    pub icon: Option<String>,
    /// Hex colour.
    pub color: Option<String>,
    /// Curated place within the collection.
    pub seq_number: Position,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}

/// A category with what is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryDetails {
    /// The category.
    pub category: HelpCategory,
    /// Its active articles, drafts and unlisted ones too.
    pub article_count: i64,
}

/// What of a category is shown with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryReference {
    /// Identifier.
    pub id: HelpCategoryId,
    /// Name.
    pub name: String,
    /// Slug.
    pub slug: Slug,
    /// The collection that it is in.
    pub collection_id: HelpCollectionId,
}

/// What `/help-categories/create` makes a category of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryDraft {
    /// The collection that it is to be in, at the end.
    pub collection_id: HelpCollectionId,
    /// Name.
    pub name: Name,
    /// Slug; derived from the name where none is given.
    pub slug: Option<Slug>,
    /// Description.
    pub description: Option<ShortText>,
    /// Icon identifier.
    pub icon: Option<ShortText>,
    /// Hex colour.
    pub color: Option<Color>,
}

impl CategoryDraft {
    /// The slug that the category gets unless it is taken.
    pub fn slug(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.name.as_str(), "category"))
    }

    /// Makes the category. The store gives it its position.
    pub fn create(self, id: HelpCategoryId, slug: Slug, now: Time) -> HelpCategory {
        HelpCategory {
            id,
            collection_id: self.collection_id,
            name: self.name.into(),
            slug,
            description: self.description.map(String::from),
            icon: self.icon.map(String::from),
            color: self.color.map(String::from),
            seq_number: Position::START,
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }
}

/// The new values of `/help-categories/update`; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CategoryPatch {
    /// The collection that it moves to, with its articles.
    pub collection_id: Option<HelpCollectionId>,
    /// Name.
    pub name: Option<Name>,
    /// Slug.
    pub slug: Option<Slug>,
    /// Description.
    pub description: Option<ShortText>,
    /// Icon identifier.
    pub icon: Option<ShortText>,
    /// Hex colour.
    pub color: Option<Color>,
}

impl CategoryPatch {
    /// The category with the new values. A category that moves goes to the end of its new
    /// collection.
    pub fn edit(self, mut category: HelpCategory) -> HelpCategory {
        replace(&mut category.collection_id, self.collection_id);
        replace(&mut category.name, self.name);
        replace(&mut category.slug, self.slug);
        replace_optional(&mut category.description, self.description);
        replace_optional(&mut category.icon, self.icon);
        replace_optional(&mut category.color, self.color);
        category
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_derived_where_none_is_given() {
        let draft = CategoryDraft {
            collection_id: crate::Uuid::nil().into(),
            name: Name::parse("First steps").unwrap(),
            slug: None,
            description: None,
            icon: None,
            color: None,
        };
        assert_eq!(draft.slug().as_str(), "first-steps");
        let given = Slug::parse("Start.Here").unwrap();
        assert_eq!(CategoryDraft { slug: Some(given.clone()), ..draft }.slug(), given);
    }
}
