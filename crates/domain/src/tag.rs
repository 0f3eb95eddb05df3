//! Tags of posts.

use crate::color::Color;
use crate::draft::{Draft, Patches};
use crate::edit::{Patch, replace};
use crate::id::TagId;
use crate::slug::Code;
use crate::text::{ExternalId, Name};
use crate::{Time, Uuid};

/// A tag of posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The identifier.
    pub id: TagId,
    /// The name. A write by the API keeps it unique among the organization's active tags, without
    /// regard to case.
    pub name: String,
    /// The code, unique among the organization's active tags.
    pub code: Option<String>,
    /// The colour.
    pub color: String,
    /// Whether feedback boards offer the tag.
    pub show_on_feedback: bool,
    /// Whether roadmap boards offer the tag.
    pub show_on_roadmap: bool,
    /// Whether the portal shows the tag.
    pub is_public: bool,
    /// The identifier that another tool gave the tag, unique among the organization's active tags.
    pub external_id: Option<String>,
    /// `false` if the tag is deleted.
    pub is_active: bool,
    /// When the tag was made.
    pub created_at: Time,
}

/// The fields of `/tags/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagDraft {
    /// The name.
    pub name: Name,
    /// The code. `None`: one derived from the name.
    pub code: Option<Code>,
    /// The colour.
    pub color: Option<Color>,
    /// Whether feedback boards offer the tag.
    pub show_on_feedback: bool,
    /// Whether roadmap boards offer the tag.
    pub show_on_roadmap: bool,
    /// Whether the portal shows the tag.
    pub is_public: bool,
    /// The identifier that another tool gave the tag.
    pub external_id: Option<ExternalId>,
}

impl Draft for TagDraft {
    type Record = Tag;
    type Name = Code;

    fn name(&self) -> Code {
        self.code.clone().unwrap_or_else(|| Code::derive(self.name.as_str(), "tag"))
    }

    fn create(self, id: Uuid, code: Code, now: Time) -> Tag {
        Tag {
            id: id.into(),
            name: self.name.into(),
            code: Some(code.into()),
            color: self.color.map_or_else(|| Color::DEFAULT.to_owned(), String::from),
            show_on_feedback: self.show_on_feedback,
            show_on_roadmap: self.show_on_roadmap,
            is_public: self.is_public,
            external_id: self.external_id.map(String::from),
            is_active: true,
            created_at: now,
        }
    }
}

/// The new values of `/tags/update`. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagPatch {
    /// The name.
    pub name: Option<Name>,
    /// The code.
    pub code: Option<Code>,
    /// The colour.
    pub color: Option<Color>,
    /// Whether feedback boards offer the tag.
    pub show_on_feedback: Option<bool>,
    /// Whether roadmap boards offer the tag.
    pub show_on_roadmap: Option<bool>,
    /// Whether the portal shows the tag.
    pub is_public: Option<bool>,
    /// The identifier that another tool gave the tag.
    pub external_id: Patch<ExternalId>,
}

impl Patches for TagPatch {
    type Record = Tag;

    fn edit(self, mut tag: Tag) -> Tag {
        replace(&mut tag.name, self.name);
        replace(&mut tag.code, self.code.map(|code| Some(code.into())));
        replace(&mut tag.color, self.color);
        replace(&mut tag.show_on_feedback, self.show_on_feedback);
        replace(&mut tag.show_on_roadmap, self.show_on_roadmap);
        replace(&mut tag.is_public, self.is_public);
        self.external_id.apply(&mut tag.external_id);
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> TagDraft {
        TagDraft {
            name: Name::parse("Dark Mode").unwrap(),
            code: None,
            color: None,
            show_on_feedback: true,
            show_on_roadmap: false,
            is_public: true,
            external_id: Some(ExternalId::parse("t-1").unwrap()),
        }
    }

    fn tag() -> Tag {
        draft().create(Uuid::nil(), draft().name(), Time::MIN)
    }

    #[test]
    fn a_tag_has_the_code_of_its_name_and_the_default_colour() {
        assert_eq!((tag().code.as_deref(), &*tag().color), (Some("dark-mode"), "#64748b"));
        let given = Code::parse("dm").unwrap();
        assert_eq!(TagDraft { code: Some(given.clone()), ..draft() }.name(), given);
    }

    #[test]
    fn a_patch_replaces_the_values_that_it_sets_and_removes_those_that_it_clears() {
        assert_eq!(TagPatch::default().edit(tag()), tag());
        let patch = TagPatch {
            code: Some(Code::parse("dm").unwrap()),
            show_on_roadmap: Some(true),
            external_id: Patch::Clear,
            ..TagPatch::default()
        };
        let code = Some("dm".to_owned());
        let expected = Tag { code, show_on_roadmap: true, external_id: None, ..tag() };
        assert_eq!(patch.edit(tag()), expected);
    }
}
