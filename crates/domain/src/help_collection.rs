//! Help collections.

use crate::color::Color;
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace};
use crate::id::HelpCollectionId;
use crate::position::Position;
use crate::slug::Slug;
use crate::text::{ExternalId, Name, ShortText};
use crate::{Time, Uuid};

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
    /// The identifier that another tool gave the collection, unique among the organization's active
    /// collections.
    pub external_id: Option<String>,
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

/// The fields of `/help-collections/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionDraft {
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
    /// The identifier that another tool gave the collection.
    pub external_id: Option<ExternalId>,
}

impl Draft for CollectionDraft {
    type Record = HelpCollection;
    type Name = Slug;

    fn name(&self) -> Slug {
        self.slug.clone().unwrap_or_else(|| Slug::derive(self.name.as_str(), "collection"))
    }

    fn create(self, id: Uuid, slug: Slug, now: Time) -> HelpCollection {
        HelpCollection {
            id: id.into(),
            name: self.name.into(),
            slug,
            description: self.description.map(String::from).unwrap_or_default(),
            icon: self.icon.map_or_else(|| "book".to_owned(), String::from),
            color: self.color.map_or_else(|| Color::DEFAULT.to_owned(), String::from),
            seq_number: Position::START,
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at: now,
            updated_at: now,
        }
    }
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
    /// The identifier that another tool gave the collection.
    pub external_id: Patch<ExternalId>,
}

impl Patches for CollectionPatch {
    type Record = HelpCollection;

    fn edit(self, mut collection: HelpCollection) -> HelpCollection {
        replace(&mut collection.name, self.name);
        replace(&mut collection.slug, self.slug);
        replace(&mut collection.description, self.description);
        replace(&mut collection.icon, self.icon);
        replace(&mut collection.color, self.color);
        self.external_id.apply(&mut collection.external_id);
        collection
    }
}
