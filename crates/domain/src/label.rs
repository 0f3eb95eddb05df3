//! Changelog labels.

use crate::color::Color;
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace};
use crate::id::LabelId;
use crate::slug::Code;
use crate::text::{ExternalId, LongText, Name};
use crate::{Time, Uuid};

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
    /// The identifier that another tool gave the label, unique among the organization's active
    /// labels.
    pub external_id: Option<String>,
    /// `false` if the label is deleted.
    pub is_active: bool,
    /// When the label was made.
    pub created_at: Time,
}

/// The fields of `/labels/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelDraft {
    /// The name.
    pub name: Name,
    /// The code. `None`: one derived from the name.
    pub code: Option<Code>,
    /// The colour.
    pub color: Color,
    /// The description.
    pub description: Option<LongText>,
    /// The identifier that another tool gave the label.
    pub external_id: Option<ExternalId>,
}

impl Draft for LabelDraft {
    type Record = Label;
    type Name = Code;

    fn name(&self) -> Code {
        self.code.clone().unwrap_or_else(|| Code::derive(self.name.as_str(), "label"))
    }

    fn create(self, id: Uuid, code: Code, now: Time) -> Label {
        Label {
            id: id.into(),
            name: self.name.into(),
            code: code.into(),
            color: self.color.into(),
            description: self.description.map(String::from),
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at: now,
        }
    }
}

/// The new values of `/labels/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelPatch {
    /// The name.
    pub name: Option<Name>,
    /// The code.
    pub code: Option<Code>,
    /// The colour.
    pub color: Option<Color>,
    /// The description.
    pub description: Patch<LongText>,
    /// The identifier that another tool gave the label.
    pub external_id: Patch<ExternalId>,
}

impl Patches for LabelPatch {
    type Record = Label;

    fn edit(self, mut label: Label) -> Label {
        replace(&mut label.name, self.name);
        replace(&mut label.code, self.code);
        replace(&mut label.color, self.color);
        self.description.apply(&mut label.description);
        self.external_id.apply(&mut label.external_id);
        label
    }
}
