//! Statuses of posts.

use crate::id::StatusId;
use crate::position::Position;
use crate::{ClosedSet, Time};

/// A step of an organization's workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The identifier.
    pub id: StatusId,
    /// The name.
    pub name: String,
    /// The code, unique among the organization's statuses.
    pub code: String,
    /// The colour.
    pub color: String,
    /// The group of the status.
    pub group: StatusGroup,
    /// Whether new posts get the status. An organization has at most one such status.
    pub is_default_status: bool,
    /// Whether feedback boards offer the status.
    pub show_on_feedback: bool,
    /// Whether roadmap boards offer the status.
    pub show_on_roadmap: bool,
    /// `false` if the status is deleted.
    pub is_active: bool,
    /// The position within the group.
    pub seq_number: Position,
    /// When the status was made.
    pub created_at: Time,
}

impl Status {
    /// The statuses with which a new organization begins: name, code, colour, group. New posts get
    /// the first one.
    pub const USUAL: [(&str, &str, &str, StatusGroup); 5] = [
        ("New", "new", "#64748b", StatusGroup::Open),
        ("Planned", "planned", "#2563eb", StatusGroup::Open),
        ("In progress", "in-progress", "#d97706", StatusGroup::InProgress),
        ("Done", "done", "#16a34a", StatusGroup::Completed),
        ("Not planned", "not-planned", "#71717a", StatusGroup::Closed),
    ];
}

/// The groups of statuses, in the order of the workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatusGroup {
    /// `open`
    Open,
    /// `in-progress`
    InProgress,
    /// `completed`
    Completed,
    /// `closed`
    Closed,
}

impl ClosedSet for StatusGroup {
    const ALL: &'static [Self] = &[Self::Open, Self::InProgress, Self::Completed, Self::Closed];

    fn code(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InProgress => "in-progress",
            Self::Completed => "completed",
            Self::Closed => "closed",
        }
    }
}

/// The order of a list of statuses: by group in the order of the workflow, then position, then
/// identifier.
pub fn workflow_order(a: &Status, b: &Status) -> std::cmp::Ordering {
    (a.group, a.seq_number, a.id).cmp(&(b.group, b.seq_number, b.id))
}
