//! Tags of posts.

use crate::Time;
use crate::color::Color;
use crate::edit::{Patch, replace};
use crate::id::TagId;
use crate::slug::Code;
use crate::text::{ExternalId, Name};

/// A free mark on posts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Identifier.
    pub id: TagId,
    /// Name. An API write makes it unique among the organization's active tags, by case folding.
    pub name: String,
    /// Unique among the organization's active tags where given.
    pub code: Option<String>,
    /// Hex colour.
    pub color: String,
    /// Whether it is offered on feedback boards.
    pub show_on_feedback: bool,
    /// Whether it is offered on roadmap boards.
    pub show_on_roadmap: bool,
    /// Whether the portal shows it.
    pub is_public: bool,
    /// Unique among the organization's active tags where given.
    pub external_id: Option<String>,
    /// `false`: deleted.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Time,
}

/// The fields of `/tags/create`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagDraft {
    /// Name.
    pub name: Name,
    /// Code; derived from the name where none is given.
    pub code: Option<Code>,
    /// Hex colour.
    pub color: Option<Color>,
    /// Whether it is offered on feedback boards.
    pub show_on_feedback: bool,
    /// Whether it is offered on roadmap boards.
    pub show_on_roadmap: bool,
    /// Whether the portal shows it.
    pub is_public: bool,
    /// The identifier that another tool gave it.
    pub external_id: Option<ExternalId>,
}

impl TagDraft {
    /// The code that the tag gets unless it is taken.
    pub fn code(&self) -> Code {
        self.code.clone().unwrap_or_else(|| Code::derive(self.name.as_str(), "tag"))
    }

    /// Makes the tag.
    pub fn create(self, id: TagId, code: Code, now: Time) -> Tag {
        Tag {
            id,
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
    /// Name.
    pub name: Option<Name>,
    /// Code.
    pub code: Option<Code>,
    /// Hex colour.
    pub color: Option<Color>,
    /// Whether it is offered on feedback boards.
    pub show_on_feedback: Option<bool>,
    /// Whether it is offered on roadmap boards.
    pub show_on_roadmap: Option<bool>,
    /// Whether the portal shows it.
    pub is_public: Option<bool>,
    /// The identifier that another tool gave it.
    pub external_id: Patch<ExternalId>,
}

impl TagPatch {
    /// The tag with the new values.
    pub fn edit(self, mut tag: Tag) -> Tag {
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
        draft().create(crate::Uuid::nil().into(), draft().code(), Time::MIN)
    }

    #[test]
    fn a_tag_has_the_code_of_its_name_and_the_usual_colour() {
        assert_eq!((tag().code.as_deref(), &*tag().color), (Some("dark-mode"), "#64748b"));
        let given = Code::parse("dm").unwrap();
        assert_eq!(TagDraft { code: Some(given.clone()), ..draft() }.code(), given);
    }

    #[test]
    fn a_patch_changes_only_what_it_gives_and_empties_what_it_clears() {
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
