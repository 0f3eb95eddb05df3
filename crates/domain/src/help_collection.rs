//! Help collections.

use crate::Time;
use crate::color::Color;
use crate::edit::{Edit, replace};
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

/// What an update rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionCase {
    /// The collection; `None` unless the organization has it and it is active.
    pub collection: Option<HelpCollection>,
    /// Whether another collection, active or not, has the slug that is given.
    pub slug_taken: bool,
}

/// Why a collection is not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The organization has no such active collection.
    NotFound,
    /// Another collection has the slug.
    SlugTaken,
}

impl CollectionCase {
    /// Decides an update. `updated_at` moves only where a value changes.
    pub fn edit(self, patch: CollectionPatch, now: Time) -> Result<Edit<HelpCollection>, Refusal> {
        let before = self.collection.ok_or(Refusal::NotFound)?;
        if self.slug_taken {
            return Err(Refusal::SlugTaken);
        }
        let mut after = before.clone();
        replace(&mut after.name, patch.name);
        replace(&mut after.slug, patch.slug);
        replace(&mut after.description, patch.description);
        replace(&mut after.icon, patch.icon);
        replace(&mut after.color, patch.color);
        if after != before {
            after.updated_at = now;
        }
        Ok(Edit { before, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

    fn guides() -> HelpCollection {
        HelpCollection {
            id: Uuid::nil().into(),
            name: "Guides".to_owned(),
            slug: Slug::parse("guides").unwrap(),
            description: "How to".to_owned(),
            icon: "book".to_owned(),
            color: "#64748b".to_owned(),
            seq_number: Position::START.next(),
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        }
    }

    fn edit(patch: CollectionPatch) -> Edit<HelpCollection> {
        CollectionCase { collection: Some(guides()), slug_taken: false }
            .edit(patch, Time::MAX)
            .unwrap()
    }

    #[test]
    fn only_what_is_given_changes_and_the_time_with_it() {
        let patch = CollectionPatch {
            slug: Some(Slug::parse("Guides").unwrap()),
            description: Some(ShortText::parse("").unwrap()),
            ..CollectionPatch::default()
        };
        let expected = HelpCollection {
            slug: Slug::parse("Guides").unwrap(),
            description: String::new(),
            updated_at: Time::MAX,
            ..guides()
        };
        assert_eq!(edit(patch), Edit { before: guides(), after: expected });
    }

    #[test]
    fn the_time_stays_where_no_value_changes() {
        assert!(edit(CollectionPatch::default()).is_empty());
        let same = CollectionPatch {
            name: Some(Name::parse("Guides").unwrap()),
            slug: Some(Slug::parse("guides").unwrap()),
            description: Some(ShortText::parse("How to").unwrap()),
            icon: Some(ShortText::parse("book").unwrap()),
            color: Some(Color::parse("#64748b").unwrap()),
        };
        assert!(edit(same).is_empty());
    }

    #[test]
    fn the_collection_is_looked_at_before_the_slug() {
        let refusal = |collection| {
            CollectionCase { collection, slug_taken: true }
                .edit(CollectionPatch::default(), Time::MAX)
                .unwrap_err()
        };
        assert_eq!(refusal(None), Refusal::NotFound);
        assert_eq!(refusal(Some(guides())), Refusal::SlugTaken);
    }
}
