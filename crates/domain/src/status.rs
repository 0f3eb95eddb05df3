//! Statuses of posts.

use crate::id::StatusId;
use crate::position::Position;
use crate::{ClosedSet, Time};

/// A step of an organization's workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Identifier.
    pub id: StatusId,
    /// Name.
    pub name: String,
    /// Unique among the organization's statuses.
    pub code: String,
    /// Hex colour.
    pub color: String,
    /// The part of the workflow that it belongs to.
    pub group: StatusGroup,
    /// Whether new posts get it; at most one of an organization.
    pub is_default_status: bool,
    /// Whether it is offered on feedback boards.
    pub show_on_feedback: bool,
    /// Whether it is offered on roadmap boards.
    pub show_on_roadmap: bool,
    /// `false`: deleted.
    pub is_active: bool,
    /// Place within the group.
    pub seq_number: Position,
    /// When it was made.
    pub created_at: Time,
}

/// The parts of the workflow; their order is the order in which statuses are listed.
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

/// The order of a list of statuses: by group in workflow order, then by place, then by identifier.
pub fn workflow_order(a: &Status, b: &Status) -> std::cmp::Ordering {
    (a.group, a.seq_number, a.id).cmp(&(b.group, b.seq_number, b.id))
}
