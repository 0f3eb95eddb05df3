//! Help categories.

use crate::Time;
use crate::color::Color;
use crate::edit::{Edit, replace, replace_optional};
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

    /// Makes the category. Where it stands in its collection is for the store to say.
    pub fn create(self, id: HelpCategoryId, slug: Slug, now: Time) -> NewCategory {
        NewCategory(HelpCategory {
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
        })
    }
}

/// A category that has no place in its collection yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCategory(HelpCategory);

impl NewCategory {
    /// The collection that it is to be in.
    pub fn collection_id(&self) -> HelpCollectionId {
        self.0.collection_id
    }

    /// The category at its place.
    pub fn at(self, seq_number: Position) -> HelpCategory {
        HelpCategory { seq_number, ..self.0 }
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

/// What an update rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryCase {
    /// The category; `None` unless the organization has it and it is active.
    pub category: Option<HelpCategory>,
    /// Whether the collection that it is to move to, where one is named, is an active one of the organization.
    pub target_found: bool,
    /// Whether another category, active or not, has the slug that is given.
    pub slug_taken: bool,
}

/// Why a category is not made or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The organization has no such active category.
    NotFound,
    /// The organization has no such active collection.
    CollectionNotFound,
    /// Another category has the slug.
    SlugTaken,
}

impl CategoryCase {
    /// Decides an update. `updated_at` moves only where a value changes. A category that moves goes to the end of its new
    /// collection, which is for the store to say; a move to its own collection is none.
    pub fn edit(self, patch: CategoryPatch, now: Time) -> Result<Edit<HelpCategory>, Refusal> {
        let before = self.category.ok_or(Refusal::NotFound)?;
        if !self.target_found {
            return Err(Refusal::CollectionNotFound);
        }
        if self.slug_taken {
            return Err(Refusal::SlugTaken);
        }
        let mut after = before.clone();
        replace(&mut after.collection_id, patch.collection_id);
        replace(&mut after.name, patch.name);
        replace(&mut after.slug, patch.slug);
        replace_optional(&mut after.description, patch.description);
        replace_optional(&mut after.icon, patch.icon);
        replace_optional(&mut after.color, patch.color);
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

    const HERE: HelpCollectionId = HelpCollectionId(Uuid::from_u128(1));
    const THERE: HelpCollectionId = HelpCollectionId(Uuid::from_u128(2));

    fn draft() -> CategoryDraft {
        CategoryDraft {
            collection_id: HERE,
            name: Name::parse("First steps").unwrap(),
            slug: None,
            description: None,
            icon: Some(ShortText::parse("").unwrap()),
            color: None,
        }
    }

    fn first_steps() -> HelpCategory {
        draft().create(Uuid::nil().into(), draft().slug(), Time::MIN).at(Position::START.next())
    }

    fn case() -> CategoryCase {
        CategoryCase { category: Some(first_steps()), target_found: true, slug_taken: false }
    }

    #[test]
    fn a_slug_is_derived_where_none_is_given() {
        assert_eq!(draft().slug().as_str(), "first-steps");
        let given = Slug::parse("Start.Here").unwrap();
        assert_eq!(CategoryDraft { slug: Some(given.clone()), ..draft() }.slug(), given);
    }

    #[test]
    fn only_what_is_given_changes_and_the_time_with_it() {
        let patch = CategoryPatch {
            collection_id: Some(THERE),
            description: Some(ShortText::parse("Begin here").unwrap()),
            ..CategoryPatch::default()
        };
        let expected = HelpCategory {
            collection_id: THERE,
            description: Some("Begin here".to_owned()),
            updated_at: Time::MAX,
            ..first_steps()
        };
        assert_eq!(
            case().edit(patch, Time::MAX),
            Ok(Edit { before: first_steps(), after: expected })
        );
    }

    #[test]
    fn a_move_to_its_own_collection_changes_nothing() {
        let patch = CategoryPatch { collection_id: Some(HERE), ..CategoryPatch::default() };
        assert!(case().edit(patch, Time::MAX).unwrap().is_empty());
    }

    #[test]
    fn the_category_is_looked_at_first_then_the_target_then_the_slug() {
        let refusal =
            |case: CategoryCase| case.edit(CategoryPatch::default(), Time::MAX).unwrap_err();
        let nothing = CategoryCase { category: None, target_found: false, slug_taken: true };
        assert_eq!(refusal(nothing.clone()), Refusal::NotFound);
        assert_eq!(
            refusal(CategoryCase { category: Some(first_steps()), ..nothing }),
            Refusal::CollectionNotFound
        );
        assert_eq!(refusal(CategoryCase { slug_taken: true, ..case() }), Refusal::SlugTaken);
    }
}
