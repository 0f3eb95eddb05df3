//! Help collections.

use crate::Time;
use crate::id::HelpCollectionId;
use crate::position::Position;
use crate::slug::Slug;

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
