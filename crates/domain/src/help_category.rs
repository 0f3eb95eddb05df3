//! Help categories.

use crate::color::Color;
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace, replace_optional};
use crate::id::{HelpCategoryId, HelpCollectionId};
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ExternalId, Name, ShortText};
use crate::{Time, Uuid};

/// A category of a help collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpCategory {
    /// The identifier.
    pub id: HelpCategoryId,
    /// The collection.
    pub collection_id: HelpCollectionId,
    /// The name.
    pub name: String,
    /// The slug, unique among the organization's help categories.
    pub slug: Slug,
    /// The description.
    pub description: Option<String>,
    /// The name of an icon.
    pub icon: Option<String>,
    /// The colour.
    pub color: Option<String>,
    /// The position within its collection.
    pub seq_number: Position,
    /// The identifier that another tool gave the category, unique among the organization's active
    /// categories.
    pub external_id: Option<String>,
    /// `false` if the category is deleted.
    pub is_active: bool,
    /// When the category was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

/// A category with its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryDetails {
    /// The category.
    pub category: HelpCategory,
    /// The number of its active articles, in any state, on the portal or not.
    pub article_count: i64,
}

/// The values of a category that its articles are shown with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryReference {
    /// The identifier.
    pub id: HelpCategoryId,
    /// The name.
    pub name: String,
    /// The slug.
    pub slug: Slug,
    /// The collection of the category.
    pub collection_id: HelpCollectionId,
}

/// The fields of `/help-categories/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryDraft {
    /// The collection, at whose end the category is put.
    pub collection_id: HelpCollectionId,
    /// The name.
    pub name: Name,
    /// The slug. `None`: one derived from the name.
    pub slug: Option<Slug>,
    /// The description.
    pub description: Option<ShortText>,
    /// The name of an icon.
    pub icon: Option<ShortText>,
    /// The colour.
    pub color: Option<Color>,
    /// The identifier that another tool gave the category.
    pub external_id: Option<ExternalId>,
}

impl Draft for CategoryDraft {
    type Record = HelpCategory;
    type Name = Slug;

    fn name(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.name.as_str(), "category"))
    }

    fn create(self, id: Uuid, slug: Slug, now: Time) -> HelpCategory {
        HelpCategory {
            id: id.into(),
            collection_id: self.collection_id,
            name: self.name.into(),
            slug,
            description: self.description.map(String::from),
            icon: self.icon.map(String::from),
            color: self.color.map(String::from),
            seq_number: Position::START,
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }
}

/// The new values of `/help-categories/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CategoryPatch {
    /// The collection that the category moves to, with its articles.
    pub collection_id: Option<HelpCollectionId>,
    /// The name.
    pub name: Option<Name>,
    /// The slug.
    pub slug: Option<Slug>,
    /// The description.
    pub description: Option<ShortText>,
    /// The name of an icon.
    pub icon: Option<ShortText>,
    /// The colour.
    pub color: Option<Color>,
    /// The identifier that another tool gave the category.
    pub external_id: Patch<ExternalId>,
}

impl Patches for CategoryPatch {
    type Record = HelpCategory;

    fn edit(self, mut category: HelpCategory) -> HelpCategory {
        replace(&mut category.collection_id, self.collection_id);
        replace(&mut category.name, self.name);
        replace(&mut category.slug, self.slug);
        replace_optional(&mut category.description, self.description);
        replace_optional(&mut category.icon, self.icon);
        replace_optional(&mut category.color, self.color);
        self.external_id.apply(&mut category.external_id);
        category
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_derived_if_none_is_given() {
        let draft = CategoryDraft {
            collection_id: Uuid::nil().into(),
            name: Name::parse("First steps").unwrap(),
            slug: None,
            description: None,
            icon: None,
            color: None,
            external_id: None,
        };
        assert_eq!(draft.name().as_str(), "first-steps");
        let given = Slug::parse("Start.Here").unwrap();
        assert_eq!(CategoryDraft { slug: Some(given.clone()), ..draft }.name(), given);
    }
}
