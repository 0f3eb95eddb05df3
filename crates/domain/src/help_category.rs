//! Help categories.

use crate::Time;
use crate::id::{HelpCategoryId, HelpCollectionId};
use crate::position::Position;
use crate::slug::Slug;

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
