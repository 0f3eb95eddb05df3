//! Help collections.

use crate::Time;
use crate::color::Color;
use crate::draft::Patches;
use crate::edit::replace;
use crate::id::HelpCollectionId;
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{Name, ShortText};

/// A collection of the help center.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HelpCollection {
    /// The identifier.
    pub id: HelpCollectionId,
    /// The name.
    pub name: String,
    /// The slug, unique among the organization's collections.
    pub slug: Slug,
    /// The description, or empty.
    pub description: String,
    /// The name of an icon.
    pub icon: String,
    /// The colour.
    pub color: String,
    /// The position among the organization's collections.
    pub seq_number: Position,
    /// `false` if the collection is deleted.
    pub is_active: bool,
    /// When the collection was made.
    pub created_at: Time,
    /// When a value last changed.
    pub updated_at: Time,
}

/// A collection with its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionDetails {
    /// The collection.
    pub collection: HelpCollection,
    /// The number of its active categories.
    pub category_count: i64,
}

/// The values of a collection that its articles are shown with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionReference {
    /// The identifier.
    pub id: HelpCollectionId,
    /// The name.
    pub name: String,
    /// The slug.
    pub slug: Slug,
}

/// The new values of `/help-collections/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionPatch {
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
}

impl Patches for CollectionPatch {
    type Record = HelpCollection;

    fn edit(self, mut collection: HelpCollection) -> HelpCollection {
        replace(&mut collection.name, self.name);
        replace(&mut collection.slug, self.slug);
        replace(&mut collection.description, self.description);
        replace(&mut collection.icon, self.icon);
        replace(&mut collection.color, self.color);
        collection
    }
}
