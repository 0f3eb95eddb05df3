//! Help collections.

use crate::Time;
use crate::color::Color;
use crate::edit::replace;
use crate::id::HelpCollectionId;
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{Name, ShortText};

/// A collection of the help center.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpCollection {
    /// Identifier.
    pub id: HelpCollectionId,
    /// Name.
    pub name: String,
    /// Unique among the organization's collections.
    pub slug: Slug,
    /// Description, or empty.
    pub description: String,
    /// Icon identifier.
    pub icon: String,
    /// Hex colour.
    pub color: String,
    /// Curated place.
    pub seq_number: Position,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
    /// When a value of it last changed.
    pub updated_at: Time,
}

/// A collection with what is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionDetails {
    /// The collection.
    pub collection: HelpCollection,
    /// Its active categories.
    pub category_count: i64,
}

/// What of a collection is shown with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionReference {
    /// Identifier.
    pub id: HelpCollectionId,
    /// Name.
    pub name: String,
    /// Slug.
    pub slug: Slug,
}

/// The new values of `/help-collections/update`; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionPatch {
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

impl CollectionPatch {
    /// The collection with the new values.
    pub fn edit(self, mut collection: HelpCollection) -> HelpCollection {
        replace(&mut collection.name, self.name);
        replace(&mut collection.slug, self.slug);
        replace(&mut collection.description, self.description);
        replace(&mut collection.icon, self.icon);
        replace(&mut collection.color, self.color);
        collection
    }
}
