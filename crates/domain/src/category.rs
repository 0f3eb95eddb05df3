//! Categories of posts.

use crate::color::Color;
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace};
use crate::id::CategoryId;
use crate::slug::Code;
use crate::text::{ExternalId, LongText, Name};
use crate::{Time, Uuid};

/// A category of posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Category {
    /// The identifier.
    pub id: CategoryId,
    /// The name.
    pub name: String,
    /// The code, unique among the organization's categories.
    pub code: String,
    /// The description.
    pub description: Option<String>,
    /// The colour.
    pub color: String,
    /// Whether feedback boards offer the category.
    pub show_on_feedback: bool,
    /// Whether roadmap boards offer the category.
    pub show_on_roadmap: bool,
    /// The identifier that another tool gave the category, unique among the organization's active categories.
    pub external_id: Option<String>,
    /// `false` if the category is deleted.
    pub is_active: bool,
    /// When the category was made.
    pub created_at: Time,
}

/// The fields of `/categories/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryDraft {
    /// The name.
    pub name: Name,
    /// The code. `None`: one derived from the name.
    pub code: Option<Code>,
    /// The description.
    pub description: Option<LongText>,
    /// The colour.
    pub color: Option<Color>,
    /// Whether feedback boards offer the category.
    pub show_on_feedback: bool,
    /// Whether roadmap boards offer the category.
    pub show_on_roadmap: bool,
    /// The identifier that another tool gave the category.
    pub external_id: Option<ExternalId>,
}

impl Draft for CategoryDraft {
    type Record = Category;
    type Name = Code;

    fn name(&self) -> Code {
        self.code.clone().unwrap_or_else(|| Code::derive(self.name.as_str(), "category"))
    }

    fn create(self, id: Uuid, code: Code, now: Time) -> Category {
        Category {
            id: id.into(),
            name: self.name.into(),
            code: code.into(),
            description: self.description.map(String::from),
            color: self.color.map_or_else(|| Color::DEFAULT.to_owned(), String::from),
            show_on_feedback: self.show_on_feedback,
            show_on_roadmap: self.show_on_roadmap,
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at: now,
        }
    }
}

/// The new values of `/categories/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CategoryPatch {
    /// The name.
    pub name: Option<Name>,
    /// The code.
    pub code: Option<Code>,
    /// The description.
    pub description: Patch<LongText>,
    /// The colour.
    pub color: Option<Color>,
    /// Whether feedback boards offer the category.
    pub show_on_feedback: Option<bool>,
    /// Whether roadmap boards offer the category.
    pub show_on_roadmap: Option<bool>,
    /// The identifier that another tool gave the category.
    pub external_id: Patch<ExternalId>,
}

impl Patches for CategoryPatch {
    type Record = Category;

    fn edit(self, mut category: Category) -> Category {
        replace(&mut category.name, self.name);
        replace(&mut category.code, self.code);
        self.description.apply(&mut category.description);
        replace(&mut category.color, self.color);
        replace(&mut category.show_on_feedback, self.show_on_feedback);
        replace(&mut category.show_on_roadmap, self.show_on_roadmap);
        self.external_id.apply(&mut category.external_id);
        category
    }
}
