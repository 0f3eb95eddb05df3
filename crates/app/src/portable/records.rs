//! The record of each line: the rules of the portable format that a line and its organization
//! decide.

use super::lines::*;
use super::reader::InOrganization;
use super::values::{Code, Id, Plain};
use crate::key_ring::is_key;
use crate::vault::{Purpose, Vault, digest};
use crate::webhooks::new_signing_secret;
use hearback_domain::api_key::ApiKey;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::event::EventType;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::help_article::{ArticleParent, ArticleStatus, HelpArticle};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::{HelpArticleId, PostId};
use hearback_domain::label::Label;
use hearback_domain::merge::MergeRecord;
use hearback_domain::organization::{HelpCenter, Organization};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::status::Status;
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::vote::{PostType, Target, Vote};
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{Time, Uuid};
use hearback_ports::{Kind, Record};
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The values that all records of an import share.
pub(super) struct Context {
    /// The vault that seals secrets.
    pub(super) vault: Arc<Vault>,
    /// When the import began. A scheduled entry that was due then is published.
    pub(super) now: Time,
}

/// Makes the record of one line.
pub(super) struct Making<'a> {
    pub(super) context: &'a Context,
    pub(super) organization: &'a mut InOrganization,
    /// The number of the line.
    pub(super) number: u64,
}

impl Making<'_> {
    /// The record of a line of a kind, or the fault of the line.
    pub(super) fn record(&mut self, kind: Kind, text: &[u8]) -> Result<Record, String> {
        Ok(match kind {
            Kind::Organization => Record::Organization(organization(parse(text)?)),
            Kind::User => Record::User(user(parse(text)?)),
            Kind::FeedbackBoard => Record::FeedbackBoard(self.feedback_board(parse(text)?)),
            Kind::RoadmapBoard => Record::RoadmapBoard(self.roadmap_board(parse(text)?)),
            Kind::Status => Record::Status(self.status(parse(text)?)),
            Kind::Category => Record::Category(category(parse(text)?)),
            Kind::Tag => Record::Tag(tag(parse(text)?)),
            Kind::FeedbackPost => Record::FeedbackPost(self.feedback_post(parse(text)?)),
            Kind::RoadmapPost => Record::RoadmapPost(roadmap_post(parse(text)?)),
            Kind::Comment => Record::Comment(comment(parse(text)?)),
            Kind::Vote => Record::Vote(self.vote(&parse(text)?)?),
            Kind::Merge => Record::Merge(merge(parse(text)?)?),
            Kind::Label => Record::Label(label(parse(text)?)),
            Kind::ChangelogEntry => Record::ChangelogEntry(self.changelog_entry(parse(text)?)?),
            Kind::HelpCollection => Record::HelpCollection(self.help_collection(parse(text)?)),
            Kind::HelpCategory => Record::HelpCategory(self.help_category(parse(text)?)),
            Kind::HelpArticle => Record::HelpArticle(self.help_article(parse(text)?)?),
            Kind::WebhookSubscription => {
                Record::WebhookSubscription(self.webhook_subscription(parse(text)?)?)
            }
            Kind::ApiKey => Record::ApiKey(self.api_key(parse(text)?)?),
        })
    }

    fn feedback_board(&mut self, line: FeedbackBoardLine) -> FeedbackBoard {
        FeedbackBoard {
            id: line.id.0.into(),
            name: line.name.0,
            slug: line.slug.0,
            description: line.description.map(|text| text.0),
            icon_url: line.icon_url.map(|text| text.0),
            is_voting_enabled: line.is_voting_enabled.unwrap_or(true),
            is_commenting_enabled: line.is_commenting_enabled.unwrap_or(true),
            show_post_dates: line.show_post_dates.unwrap_or(true),
            is_active: line.is_active.unwrap_or(true),
            seq_number: self.organization.place(Kind::FeedbackBoard, None, line.seq_number),
            created_at: line.created_at.0,
        }
    }

    fn roadmap_board(&mut self, line: RoadmapBoardLine) -> RoadmapBoard {
        RoadmapBoard {
            id: line.id.0.into(),
            name: line.name.0,
            slug: line.slug.0,
            description: line.description.map(|text| text.0),
            icon_url: line.icon_url.map(|text| text.0),
            is_voting_enabled: line.is_voting_enabled.unwrap_or(true),
            is_active: line.is_active.unwrap_or(true),
            seq_number: self.organization.place(Kind::RoadmapBoard, None, line.seq_number),
            created_at: line.created_at.0,
        }
    }

    fn status(&mut self, line: StatusLine) -> Status {
        Status {
            id: line.id.0.into(),
            name: line.name.0,
            code: line.code.0,
            color: line.color.0,
            group: line.status_group_code.0,
            is_default_status: line.is_default_status.unwrap_or(false),
            show_on_feedback: line.show_on_feedback.unwrap_or(true),
            show_on_roadmap: line.show_on_roadmap.unwrap_or(true),
            is_active: line.is_active.unwrap_or(true),
            seq_number: self.organization.place(Kind::Status, None, line.seq_number),
            created_at: line.created_at.0,
        }
    }

    fn feedback_post(&mut self, line: FeedbackPostLine) -> FeedbackPost {
        let merged_into_id = line.merged_into_id.map(|id| PostId(id.0));
        if let Some(into) = merged_into_id {
            self.organization.merged.insert(line.id.0.into(), (into, self.number));
        }
        FeedbackPost {
            id: line.id.0.into(),
            title: line.title.0,
            description: or_empty(line.description),
            slug: line.slug.0,
            board_id: line.board_id.0.into(),
            author_id: line.author_id.0.into(),
            owner_id: line.owner_id.map(|id| id.0.into()),
            status_id: line.status_id.0.into(),
            category_id: line.category_id.map(|id| id.0.into()),
            eta: line.eta.map(|stamp| stamp.0),
            moderation: line.moderation_status_code.map_or(Moderation::Accepted, |code| code.0),
            tag_ids: distinct(line.tag_ids.unwrap_or_default()),
            merged_into_id,
            is_active: line.is_active.unwrap_or(true),
            created_at: line.created_at.0,
            updated_at: line.updated_at.unwrap_or(line.created_at).0,
        }
    }

    fn vote(&mut self, line: &VoteLine) -> Result<Vote, String> {
        let target = match line.post_type.0 {
            PostType::Feedback => Target::Feedback(line.post_id.0.into()),
            PostType::Roadmap => Target::Roadmap(line.post_id.0.into()),
        };
        if let Target::Feedback(post) = target
            && self.organization.merged.contains_key(&post)
        {
            return Err("post_id: a merged post has no votes".to_owned());
        }
        Ok(Vote {
            id: line.id.0.into(),
            user_id: line.user_id.0.into(),
            target,
            created_at: line.created_at.0,
        })
    }

    fn changelog_entry(&mut self, line: ChangelogEntryLine) -> Result<ChangelogEntry, String> {
        let mut status = line.status_code.0;
        let scheduled_at = line.scheduled_at.map(|stamp| stamp.0);
        let mut published_at = line.published_at.map(|stamp| stamp.0);
        match (status, scheduled_at, published_at) {
            (EntryStatus::Scheduled, None, _) => {
                return Err("scheduled_at: a scheduled entry has one".to_owned());
            }
            (EntryStatus::Published, _, None) => {
                return Err("published_at: a published entry has one".to_owned());
            }
            (EntryStatus::Scheduled, Some(due), _) if due <= self.context.now => {
                status = EntryStatus::Published;
                published_at = Some(due);
            }
            _ => {}
        }
        Ok(ChangelogEntry {
            id: line.id.0.into(),
            title: line.title.0,
            content: or_empty(line.content),
            slug: line.slug.0,
            status,
            show_on_portal: line.show_on_portal.unwrap_or(true),
            featured_image_url: line.featured_image_url.map(|url| url.0),
            author_id: line.author_id.map(|id| id.0.into()),
            scheduled_at,
            published_at,
            entry_type: line.entry_type.map(|code| code.0),
            label_ids: distinct(line.label_ids.unwrap_or_default()),
            notify: line.notify.unwrap_or(false),
            is_active: line.is_active.unwrap_or(true),
            created_at: line.created_at.0,
            updated_at: line.updated_at.unwrap_or(line.created_at).0,
        })
    }

    fn help_collection(&mut self, line: HelpCollectionLine) -> HelpCollection {
        HelpCollection {
            id: line.id.0.into(),
            name: line.name.0,
            slug: line.slug.0,
            description: line.description.map_or_else(String::new, |text| text.0),
            icon: line.icon.map_or_else(|| "book".to_owned(), |text| text.0),
            color: line
                .color
                .map_or_else(|| hearback_domain::color::Color::DEFAULT.to_owned(), |color| color.0),
            seq_number: self.organization.place(Kind::HelpCollection, None, line.seq_number),
            is_active: line.is_active.unwrap_or(true),
            created_at: line.created_at.0,
            updated_at: line.updated_at.unwrap_or(line.created_at).0,
        }
    }

    fn help_category(&mut self, line: HelpCategoryLine) -> HelpCategory {
        HelpCategory {
            id: line.id.0.into(),
            collection_id: line.collection_id.0.into(),
            name: line.name.0,
            slug: line.slug.0,
            description: line.description.map(|text| text.0),
            icon: line.icon.map(|text| text.0),
            color: line.color.map(|color| color.0),
            seq_number: self.organization.place(
                Kind::HelpCategory,
                Some(line.collection_id.0),
                line.seq_number,
            ),
            is_active: line.is_active.unwrap_or(true),
            created_at: line.created_at.0,
            updated_at: line.updated_at.unwrap_or(line.created_at).0,
        }
    }

    fn help_article(&mut self, line: HelpArticleLine) -> Result<HelpArticle, String> {
        let (collection, category) =
            (line.collection_id.map(|id| id.0), line.category_id.map(|id| id.0));
        let parent = ArticleParent::new(collection.map(Into::into), category.map(Into::into))
            .ok_or("collection_id: an article has exactly one of collection_id and category_id")?;
        let status = line.status_code.map_or(ArticleStatus::Draft, |code| code.0);
        if status == ArticleStatus::Published && line.published_at.is_none() {
            return Err("published_at: a published article has one".to_owned());
        }
        let id = line.id.0.into();
        let related_article_ids: Vec<HelpArticleId> =
            distinct(line.related_article_ids.unwrap_or_default());
        if !related_article_ids.is_empty() {
            self.organization.related.push((id, related_article_ids.clone(), self.number));
        }
        Ok(HelpArticle {
            id,
            title: line.title.0,
            content: or_empty(line.content),
            slug: line.slug.0,
            excerpt: line.excerpt.map(|text| text.0),
            status,
            show_on_portal: line.show_on_portal.unwrap_or(true),
            is_favourite: line.is_favourite.unwrap_or(false),
            parent,
            seq_number: self.organization.place(
                Kind::HelpArticle,
                collection.or(category),
                line.seq_number,
            ),
            author_id: line.author_id.map(|id| id.0.into()),
            published_at: line.published_at.map(|stamp| stamp.0),
            related_article_ids,
            view_count: line.view_count.map_or(0, |count| count.0),
            helpful_count: line.helpful_count.map_or(0, |count| count.0),
            not_helpful_count: line.not_helpful_count.map_or(0, |count| count.0),
            is_active: line.is_active.unwrap_or(true),
            created_at: line.created_at.0,
            updated_at: line.updated_at.unwrap_or(line.created_at).0,
        })
    }

    fn webhook_subscription(
        &mut self,
        line: WebhookSubscriptionLine,
    ) -> Result<WebhookSubscription, String> {
        let given = line.signing_secret.map(|secret| Zeroizing::new(secret.0));
        // The secret made here is never shown, so that nothing is sent until a rotation.
        let awaits_rotation = given.is_none();
        let secret = match given {
            Some(secret) => secret,
            None => new_signing_secret(&self.context.vault).map_err(|error| error.to_string())?,
        };
        let sealed = self.context.vault.seal(
            self.organization.id,
            line.id.0,
            Purpose::SigningSecret,
            &secret,
        );
        Ok(WebhookSubscription {
            id: line.id.0.into(),
            url: line.url.0,
            event_types: event_types(line.event_types.unwrap_or_default()),
            is_active: line.is_active.unwrap_or(true),
            awaits_rotation,
            secret: sealed.map_err(|error| error.to_string())?,
            created_at: line.created_at.0,
        })
    }

    fn api_key(&mut self, line: ApiKeyLine) -> Result<ApiKey, String> {
        let key = Zeroizing::new(line.key.0);
        if !is_key(&key) {
            return Err("key: a key is hbk_ and 43 URL-safe characters".to_owned());
        }
        let sealed =
            self.context.vault.seal(self.organization.id, line.id.0, Purpose::ApiKey, &key);
        Ok(ApiKey {
            id: line.id.0.into(),
            digest: digest(&key),
            sealed: sealed.map_err(|error| error.to_string())?,
            created_at: line.created_at.0,
        })
    }
}

/// The organization of a line.
pub(super) fn organization(line: OrganizationLine) -> Organization {
    Organization {
        id: line.id.0.into(),
        name: line.name.0,
        slug: line.slug.0,
        help_center: HelpCenter::from_flag(line.help_center_enabled.unwrap_or(true)),
        created_at: line.created_at.0,
    }
}

fn user(line: UserLine) -> User {
    User {
        id: line.id.0.into(),
        user_id: line.user_id.0.into(),
        email: line.email.0,
        name: line.name.0,
        avatar_url: or_empty(line.avatar_url),
        portal_role: line.portal_role.map_or_else(|| "end_user".to_owned(), |text| text.0),
        company_name: or_empty(line.company_name),
        customer_status: or_empty(line.customer_status),
        is_subscribed: line.is_subscribed.unwrap_or(false),
        is_active: line.is_active.unwrap_or(true),
        created_at: line.created_at.0,
    }
}

fn category(line: CategoryLine) -> Category {
    Category {
        id: line.id.0.into(),
        name: line.name.0,
        code: line.code.0,
        description: line.description.map(|text| text.0),
        color: line.color.0,
        show_on_feedback: line.show_on_feedback.unwrap_or(true),
        show_on_roadmap: line.show_on_roadmap.unwrap_or(true),
        is_active: line.is_active.unwrap_or(true),
        created_at: line.created_at.0,
    }
}

fn tag(line: TagLine) -> Tag {
    Tag {
        id: line.id.0.into(),
        name: line.name.0,
        code: line.code.map(|text| text.0),
        color: line.color.0,
        show_on_feedback: line.show_on_feedback.unwrap_or(true),
        show_on_roadmap: line.show_on_roadmap.unwrap_or(true),
        is_public: line.is_public.unwrap_or(true),
        external_id: line.external_id.map(|text| text.0),
        is_active: line.is_active.unwrap_or(true),
        created_at: line.created_at.0,
    }
}

fn roadmap_post(line: RoadmapPostLine) -> RoadmapPost {
    RoadmapPost {
        id: line.id.0.into(),
        title: line.title.0,
        description: or_empty(line.description),
        slug: line.slug.0,
        roadmap_board_id: line.roadmap_board_id.0.into(),
        author_id: line.author_id.map(|id| id.0.into()),
        owner_id: line.owner_id.map(|id| id.0.into()),
        status_id: line.status_id.0.into(),
        category_id: line.category_id.map(|id| id.0.into()),
        eta: line.eta.map(|stamp| stamp.0),
        is_active: line.is_active.unwrap_or(true),
        created_at: line.created_at.0,
        updated_at: line.updated_at.unwrap_or(line.created_at).0,
    }
}

fn comment(line: CommentLine) -> Comment {
    Comment {
        id: line.id.0.into(),
        content: line.content.0,
        author_id: line.author_id.0.into(),
        parent_comment_id: line.parent_comment_id.map(|id| id.0.into()),
        feedback_post_id: line.feedback_post_id.0.into(),
        visibility: line.visibility_code.map_or(Visibility::Public, |code| code.0),
        moderation: line.moderation_status_code.map_or(Moderation::Accepted, |code| code.0),
        is_active: line.is_active.unwrap_or(true),
        created_at: line.created_at.0,
        updated_at: line.updated_at.unwrap_or(line.created_at).0,
    }
}

fn merge(line: MergeLine) -> Result<MergeRecord, String> {
    if line.merge_post_id.0 == line.into_post_id.0 {
        return Err("into_post_id: a post is not merged into itself".to_owned());
    }
    let sorted = |ids: Vec<Id>| {
        let mut ids = distinct(ids);
        ids.sort_unstable();
        ids
    };
    Ok(MergeRecord {
        id: line.id.0.into(),
        merge_post_id: line.merge_post_id.0.into(),
        into_post_id: line.into_post_id.0.into(),
        merger_id: line.merger_id.0.into(),
        moved_user_ids: sorted(line.moved_user_ids),
        dropped_user_ids: sorted(line.dropped_user_ids),
        created_at: line.created_at.0,
    })
}

fn label(line: LabelLine) -> Label {
    Label {
        id: line.id.0.into(),
        name: line.name.0,
        code: line.code.0,
        color: line.color.0,
        description: line.description.map(|text| text.0),
        is_active: line.is_active.unwrap_or(true),
        created_at: line.created_at.0,
    }
}

fn event_types(codes: Vec<Code<EventType>>) -> Vec<EventType> {
    let mut types: Vec<EventType> = Vec::with_capacity(codes.len());
    for Code(event_type) in codes {
        if !types.contains(&event_type) {
            types.push(event_type);
        }
    }
    types
}

fn or_empty(text: Option<Plain>) -> String {
    text.map_or_else(String::new, |text| text.0)
}

/// The identifiers without duplicates, each at its first place.
fn distinct<T: From<Uuid>>(ids: Vec<Id>) -> Vec<T> {
    let mut seen = HashSet::with_capacity(ids.len());
    ids.into_iter().filter(|id| seen.insert(id.0)).map(|id| id.0.into()).collect()
}

/// Reads a line. The fault names the member.
pub(super) fn parse<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|_| {
        // The line is read again to find the member. Only the first fault of a file costs this.
        let mut input = serde_json::Deserializer::from_slice(text);
        match serde_path_to_error::deserialize::<_, T>(&mut input) {
            Ok(_) => "trailing characters behind the record".to_owned(),
            Err(error) if error.path().iter().next().is_none() => reason(error.inner()),
            Err(error) => format!("{}: {}", error.path(), reason(error.inner())),
        }
    })
}

/// The message of serde_json, without its line number, which counts within this line alone, and
/// without the text that it quotes: a secret may stand in the wrong member.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line 1 column ").map_or(&*text, |(reason, _)| reason);
    match (text.split_once(": string \""), text.rsplit_once("\", expected ")) {
        (Some((wrong, _)), Some((_, expected))) => format!("{wrong}: string, expected {expected}"),
        _ => text.to_owned(),
    }
}
