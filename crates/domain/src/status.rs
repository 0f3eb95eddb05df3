//! Statuses of posts.

use crate::color::Color;
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace};
use crate::id::StatusId;
use crate::position::Position;
use crate::slug::Code;
use crate::text::{ExternalId, Name};
use crate::{ClosedSet, Time, Uuid};

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
    /// The identifier that another tool gave the status, unique among the organization's active
    /// statuses.
    pub external_id: Option<String>,
    /// `false` if the status is deleted.
    pub is_active: bool,
    /// The position within the group.
    pub seq_number: Position,
    /// When the status was made.
    pub created_at: Time,
}

impl Status {
    /// The statuses with which a new organization begins. New posts get the first one.
    pub fn usual() -> Vec<StatusDraft> {
        use StatusGroup::{Closed, Completed, InProgress, Open};
        [
            ("New", "#64748b", Open),
            ("Planned", "#2563eb", Open),
            ("In progress", "#d97706", InProgress),
            ("Done", "#16a34a", Completed),
            ("Not planned", "#71717a", Closed),
        ]
        .into_iter()
        .enumerate()
        .map(|(place, (name, color, group))| StatusDraft {
            name: Name::literal(name),
            code: None,
            color: Some(Color::literal(color)),
            group,
            is_default_status: place == 0,
            show_on_feedback: true,
            show_on_roadmap: true,
            external_id: None,
        })
        .collect()
    }
}

/// The fields of `/statuses/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusDraft {
    /// The name.
    pub name: Name,
    /// The code. `None`: one derived from the name.
    pub code: Option<Code>,
    /// The colour.
    pub color: Option<Color>,
    /// The group.
    pub group: StatusGroup,
    /// Whether new posts get the status.
    pub is_default_status: bool,
    /// Whether feedback boards offer the status.
    pub show_on_feedback: bool,
    /// Whether roadmap boards offer the status.
    pub show_on_roadmap: bool,
    /// The identifier that another tool gave the status.
    pub external_id: Option<ExternalId>,
}

impl Draft for StatusDraft {
    type Record = Status;
    type Name = Code;

    fn name(&self) -> Code {
        self.code.clone().unwrap_or_else(|| Code::derive(self.name.as_str(), "status"))
    }

    fn create(self, id: Uuid, code: Code, now: Time) -> Status {
        Status {
            id: id.into(),
            name: self.name.into(),
            code: code.into(),
            color: self.color.map_or_else(|| Color::DEFAULT.to_owned(), String::from),
            group: self.group,
            is_default_status: self.is_default_status,
            show_on_feedback: self.show_on_feedback,
            show_on_roadmap: self.show_on_roadmap,
            external_id: self.external_id.map(String::from),
            is_active: true,
            seq_number: Position::START,
            created_at: now,
        }
    }
}

/// The new values of `/statuses/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusPatch {
    /// The name.
    pub name: Option<Name>,
    /// The code.
    pub code: Option<Code>,
    /// The colour.
    pub color: Option<Color>,
    /// The group. The status goes to its end.
    pub group: Option<StatusGroup>,
    /// Whether new posts get the status.
    pub is_default_status: Option<bool>,
    /// Whether feedback boards offer the status.
    pub show_on_feedback: Option<bool>,
    /// Whether roadmap boards offer the status.
    pub show_on_roadmap: Option<bool>,
    /// The identifier that another tool gave the status.
    pub external_id: Patch<ExternalId>,
}

impl Patches for StatusPatch {
    type Record = Status;

    fn edit(self, mut status: Status) -> Status {
        replace(&mut status.name, self.name);
        replace(&mut status.code, self.code);
        replace(&mut status.color, self.color);
        replace(&mut status.group, self.group);
        replace(&mut status.is_default_status, self.is_default_status);
        replace(&mut status.show_on_feedback, self.show_on_feedback);
        replace(&mut status.show_on_roadmap, self.show_on_roadmap);
        self.external_id.apply(&mut status.external_id);
        status
    }
}

/// The groups of statuses, in the order of the workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
