//! Changelog labels.

use crate::Time;
use crate::id::LabelId;

/// A label of changelog entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The identifier.
    pub id: LabelId,
    /// The name.
    pub name: String,
    /// The code, unique among the organization's labels.
    pub code: String,
    /// The colour.
    pub color: String,
    /// The description.
    pub description: Option<String>,
    /// `false` if the label is deleted.
    pub is_active: bool,
    /// When the label was made.
    pub created_at: Time,
}
