//! One struct for each kind of the portable format, with its members in the order of the format's
//! table.
//!
//! An `Option` may be left out or `null`. A reader refuses unknown members, and a writer writes all
//! members.

use super::values::{
    Bounded, Code, Color, Count, Id, Plain, SeqNumber, SlugText, Stamp, WebUrl, WebhookUrl,
};
use hearback_domain::changelog_entry::{EntryStatus, EntryType};
use hearback_domain::comment::Visibility;
use hearback_domain::event::EventType;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::help_article::ArticleStatus;
use hearback_domain::status::StatusGroup;
use hearback_domain::vote::PostType;
use hearback_ports::Kind;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The first members to be read of a line. They decide the struct of the line.
#[derive(Deserialize)]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) kind: Cow<'a, str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OrganizationLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Plain,
    pub(super) slug: SlugText,
    pub(super) help_center_enabled: Option<bool>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UserLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) user_id: Id,
    pub(super) email: Bounded<0, 512>,
    pub(super) name: Plain,
    pub(super) avatar_url: Option<Plain>,
    pub(super) portal_role: Option<Plain>,
    pub(super) company_name: Option<Plain>,
    pub(super) customer_status: Option<Plain>,
    pub(super) is_subscribed: Option<bool>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FeedbackBoardLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Plain,
    pub(super) slug: SlugText,
    pub(super) description: Option<Plain>,
    pub(super) icon_url: Option<Plain>,
    pub(super) is_voting_enabled: Option<bool>,
    pub(super) is_commenting_enabled: Option<bool>,
    pub(super) show_post_dates: Option<bool>,
    pub(super) is_active: Option<bool>,
    pub(super) seq_number: Option<SeqNumber>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoadmapBoardLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Plain,
    pub(super) slug: SlugText,
    pub(super) description: Option<Plain>,
    pub(super) icon_url: Option<Plain>,
    pub(super) is_voting_enabled: Option<bool>,
    pub(super) is_active: Option<bool>,
    pub(super) seq_number: Option<SeqNumber>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Plain,
    pub(super) code: Bounded<0, 512>,
    pub(super) color: Color,
    pub(super) status_group_code: Code<StatusGroup>,
    pub(super) is_default_status: Option<bool>,
    pub(super) show_on_feedback: Option<bool>,
    pub(super) show_on_roadmap: Option<bool>,
    pub(super) is_active: Option<bool>,
    pub(super) seq_number: Option<SeqNumber>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CategoryLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Plain,
    pub(super) code: Bounded<0, 512>,
    pub(super) description: Option<Plain>,
    pub(super) color: Color,
    pub(super) show_on_feedback: Option<bool>,
    pub(super) show_on_roadmap: Option<bool>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TagLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Plain,
    pub(super) code: Option<Bounded<0, 512>>,
    pub(super) color: Color,
    pub(super) show_on_feedback: Option<bool>,
    pub(super) show_on_roadmap: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_public: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) external_id: Option<Bounded<1, 255>>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FeedbackPostLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) title: Plain,
    pub(super) description: Option<Plain>,
    pub(super) slug: SlugText,
    pub(super) board_id: Id,
    pub(super) author_id: Id,
    pub(super) owner_id: Option<Id>,
    pub(super) status_id: Id,
    pub(super) category_id: Option<Id>,
    pub(super) eta: Option<Stamp>,
    pub(super) moderation_status_code: Option<Code<Moderation>>,
    pub(super) tag_ids: Option<Vec<Id>>,
    pub(super) merged_into_id: Option<Id>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
    pub(super) updated_at: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoadmapPostLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) title: Plain,
    pub(super) description: Option<Plain>,
    pub(super) slug: SlugText,
    pub(super) roadmap_board_id: Id,
    pub(super) author_id: Option<Id>,
    pub(super) owner_id: Option<Id>,
    pub(super) status_id: Id,
    pub(super) category_id: Option<Id>,
    pub(super) eta: Option<Stamp>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
    pub(super) updated_at: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) content: Plain,
    pub(super) author_id: Id,
    pub(super) parent_comment_id: Option<Id>,
    pub(super) feedback_post_id: Id,
    pub(super) visibility_code: Option<Code<Visibility>>,
    pub(super) moderation_status_code: Option<Code<Moderation>>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
    pub(super) updated_at: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VoteLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) user_id: Id,
    pub(super) post_id: Id,
    pub(super) post_type: Code<PostType>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MergeLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) merge_post_id: Id,
    pub(super) into_post_id: Id,
    pub(super) merger_id: Id,
    pub(super) moved_user_ids: Vec<Id>,
    pub(super) dropped_user_ids: Vec<Id>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Bounded<0, 512>,
    pub(super) code: Bounded<0, 512>,
    pub(super) color: Color,
    pub(super) description: Option<Plain>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangelogEntryLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) title: Bounded<1, 512>,
    pub(super) content: Option<Plain>,
    pub(super) slug: SlugText,
    pub(super) status_code: Code<EntryStatus>,
    pub(super) show_on_portal: Option<bool>,
    pub(super) featured_image_url: Option<WebUrl>,
    pub(super) author_id: Option<Id>,
    pub(super) scheduled_at: Option<Stamp>,
    pub(super) published_at: Option<Stamp>,
    #[serde(rename = "type")]
    pub(super) entry_type: Option<Code<EntryType>>,
    pub(super) label_ids: Option<Vec<Id>>,
    pub(super) notify: Option<bool>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
    pub(super) updated_at: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HelpCollectionLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) name: Bounded<1, 512>,
    pub(super) slug: SlugText,
    pub(super) description: Option<Bounded<0, 512>>,
    pub(super) icon: Option<Bounded<0, 512>>,
    pub(super) color: Option<Color>,
    pub(super) seq_number: Option<SeqNumber>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
    pub(super) updated_at: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HelpCategoryLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) collection_id: Id,
    pub(super) name: Bounded<1, 512>,
    pub(super) slug: SlugText,
    pub(super) description: Option<Bounded<0, 512>>,
    pub(super) icon: Option<Bounded<0, 512>>,
    pub(super) color: Option<Color>,
    pub(super) seq_number: Option<SeqNumber>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
    pub(super) updated_at: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HelpArticleLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) title: Bounded<1, 512>,
    pub(super) content: Option<Plain>,
    pub(super) slug: SlugText,
    pub(super) excerpt: Option<Bounded<0, 512>>,
    pub(super) status_code: Option<Code<ArticleStatus>>,
    pub(super) show_on_portal: Option<bool>,
    pub(super) is_favourite: Option<bool>,
    pub(super) collection_id: Option<Id>,
    pub(super) category_id: Option<Id>,
    pub(super) seq_number: Option<SeqNumber>,
    pub(super) author_id: Option<Id>,
    pub(super) published_at: Option<Stamp>,
    pub(super) related_article_ids: Option<Vec<Id>>,
    pub(super) view_count: Option<Count>,
    pub(super) helpful_count: Option<Count>,
    pub(super) not_helpful_count: Option<Count>,
    pub(super) is_active: Option<bool>,
    pub(super) created_at: Stamp,
    pub(super) updated_at: Option<Stamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookSubscriptionLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) url: WebhookUrl,
    pub(super) event_types: Option<Vec<Code<EventType>>>,
    pub(super) is_active: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signing_secret: Option<Bounded<1, 256>>,
    pub(super) created_at: Stamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApiKeyLine {
    pub(super) kind: Code<Kind>,
    pub(super) id: Id,
    pub(super) key: Plain,
    pub(super) created_at: Stamp,
}
