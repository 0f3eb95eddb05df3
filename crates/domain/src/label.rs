//! Changelog labels.

use crate::Time;
use crate::id::LabelId;

/// A label of changelog entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Identifier.
    pub id: LabelId,
    /// Name.
    pub name: String,
    /// Unique among the organization's labels.
    pub code: String,
    /// Hex colour.
    pub color: String,
    /// Description.
    pub description: Option<String>,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
}
