//! The lines of the portable format: the members of each kind, in the order of the format's table.

use super::export::{ExportError, Writing};
use super::records::{Reading, parse};
use super::values::{
    Amount, Bounded, Code, Color, Count, Domains, Id, Member, Named, Number, PathText, Plain,
    Portal, SeqNumber, SlugText, Stamp, WebUrl, WebhookUrl,
};
use crate::vault::Purpose;
use hearback_domain::access::{Access, Guests, Moderating};
use hearback_domain::api_key::ApiKey;
use hearback_domain::attributes::Attributes;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus, EntryType};
use hearback_domain::color::Color as DomainColor;
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::company::Company;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::event::EventType;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::help_article::{ArticleParent, ArticleStatus, HelpArticle};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::help_redirect::HelpRedirect;
use hearback_domain::label::Label;
use hearback_domain::merge::{DroppedVote, MergeRecord as Merge};
use hearback_domain::organization::{HelpCenter, Organization};
use hearback_domain::portal::PortalSettings;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::spend::Spend;
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::subscription::{Level, Subscription};
use hearback_domain::tag::Tag;
use hearback_domain::user::{PostMail, User};
use hearback_domain::vote::{PostType, Target, Vote};
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::{Kind, Record};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::Write;

/// The first members to be read of a line. They decide the kind of the line.
#[derive(Deserialize)]
pub(super) struct Head<'a> {
    #[serde(borrow)]
    pub(super) kind: Cow<'a, str>,
}

/// Declares the members of each kind, each as `field: Type`, with the [`Member`] that reads and
/// writes it:
///
/// - `field as "member"` is a member with another name than the field of the record.
/// - `= value` stands for a member that is left out or `null`.
/// - `=> value` is always evaluated. The name of the member is an `Option`.
/// - `(member: Type, …) as (field, …): from_members, from_fields;` is a set of fields that is not
///   written member by member. Each expression is a tuple of one side, and sees the names of the
///   other.
///
/// An expression may use a member by its name, as it was read. A reader refuses unknown members,
/// and a writer writes all members.
macro_rules! lines {
    ($reading:ident, $writing:ident; $($kind:ident {
        $($(#[$attribute:meta])* $field:ident $(as $member:literal)?: $type:ty
            $(= $default:expr)? $(=> $make:expr)?,)*
        $(
            ($($(#[$part_attribute:meta])* $part:ident: $part_type:ty),+) as ($($whole:ident),+):
                $read:expr, $write:expr;
            $($(#[$attribute2:meta])* $field2:ident: $type2:ty
                $(= $default2:expr)? $(=> $make2:expr)?,)*
        )?
    })+) => {
        /// Reads the record of a line. The fault names the member.
        pub(super) fn read(
            kind: Kind,
            line: &[u8],
            reading: &mut Reading<'_>,
        ) -> Result<Record, String> {
            match kind {
                $(Kind::$kind => $kind::read(line, reading).map(Record::$kind),)+
            }
        }

        /// The line of a record.
        pub(super) fn write(
            record: Record,
            writing: &Writing<'_>,
            output: &mut impl Write,
        ) -> Result<(), ExportError> {
            match record {
                $(Record::$kind(record) => record.write(writing, output),)+
            }
        }

        $(const _: () = {
            #[derive(Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            struct Line {
                kind: Code<Kind>,
                $($(#[$attribute])* $(#[serde(rename = $member)])?
                $field: lines!(@type $type $(= $default)? $(=> $make)?),)*
                $($($(#[$part_attribute])* $part: $part_type,)+
                $($(#[$attribute2])* $field2: lines!(@type $type2 $(= $default2)? $(=> $make2)?),)*)?
            }

            impl Portable for $kind {
                fn read(line: &[u8], $reading: &mut Reading<'_>) -> Result<Self, String> {
                    let _ = &$reading;
                    let Line { kind: _, $($field,)* $($($part,)+ $($field2,)*)? } = parse(line)?;
                    $(let ($($whole,)+) = $read;)?
                    Ok(Self {
                        $($field: lines!(@read $field $(= $default)? $(=> $make)?),)*
                        $($($whole,)+
                        $($field2: lines!(@read $field2 $(= $default2)? $(=> $make2)?),)*)?
                    })
                }

                fn write(
                    self,
                    $writing: &Writing<'_>,
                    output: &mut impl Write,
                ) -> Result<(), ExportError> {
                    let _ = $writing;
                    let Self { $($field,)* $($($whole,)+ $($field2,)*)? } = self;
                    $(
                        let _ = ($(&$whole,)+);
                        let ($($part,)+) = $write;
                    )?
                    let line = Line {
                        kind: Code(Kind::$kind),
                        $($field: lines!(@write $field $(= $default)? $(=> $make)?),)*
                        $($($part,)+
                        $($field2: lines!(@write $field2 $(= $default2)? $(=> $make2)?),)*)?
                    };
                    Ok(serde_json::to_writer(output, &line)?)
                }
            }
        };)+
    };
    (@type $type:ty) => { $type };
    (@type $type:ty $(= $default:expr)? $(=> $make:expr)?) => { Option<$type> };
    (@read $field:ident) => { $field.value() };
    (@read $field:ident = $default:expr) => { $field.map_or_else(|| $default, Member::value) };
    (@read $field:ident => $make:expr) => { $make };
    (@write $field:ident) => { Member::of($field) };
    (@write $field:ident $(= $default:expr)? $(=> $make:expr)?) => { Some(Member::of($field)) };
}

/// A record of the portable format.
trait Portable: Sized {
    /// Reads the record of a line. The fault names the member.
    fn read(line: &[u8], reading: &mut Reading<'_>) -> Result<Self, String>;

    /// Writes the line of the record.
    fn write(self, writing: &Writing<'_>, output: &mut impl Write) -> Result<(), ExportError>;
}

lines! { reading, writing;
    Organization {
        id: Id,
        name: Plain,
        slug: SlugText,
        help_center as "help_center_enabled": bool = HelpCenter::Enabled,
        #[serde(skip_serializing_if = "is_false")]
        events_ledger: bool = false,
        #[serde(skip_serializing_if = "is_usual")]
        portal: Portal = PortalSettings::default(),
        created_at: Stamp,
    }
    Company {
        id: Id,
        external_id: Bounded<1, 255>,
        name: Plain,
        monthly_spend: Amount = Spend::default(),
        customer_status: Plain = String::new(),
        #[serde(skip_serializing_if = "has_no_attribute")]
        attributes: Named = Attributes::default(),
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    User {
        id: Id,
        user_id: Id,
        email: Bounded<0, 512>,
        name: Plain,
        avatar_url: Plain = String::new(),
        portal_role: Plain = "end_user".to_owned(),
        #[serde(skip_serializing_if = "Option::is_none")]
        company_id: Option<Id>,
        company_name: Plain = String::new(),
        customer_status: Plain = String::new(),
        #[serde(skip_serializing_if = "is_no_text")]
        locale: Plain = String::new(),
        #[serde(skip_serializing_if = "has_no_attribute")]
        attributes: Named = Attributes::default(),
        is_subscribed: bool = false,
        #[serde(skip_serializing_if = "is_default")]
        post_mail: Code<PostMail> = PostMail::Instant,
        #[serde(skip_serializing_if = "is_true")]
        changelog_mail: bool = true,
        #[serde(skip_serializing_if = "is_false")]
        is_blocked: bool = false,
        is_trusted: bool = false,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    FeedbackBoard {
        id: Id,
        name: Plain,
        slug: SlugText,
        description: Option<Plain>,
        icon_url: Option<Plain>,
        is_voting_enabled: bool = true,
        is_commenting_enabled: bool = true,
        show_post_dates: bool = true,
        #[serde(skip_serializing_if = "is_default")]
        access as "access_code": Code<Access> = Access::Public,
        #[serde(skip_serializing_if = "has_no_domain")]
        allowed_email_domains: Domains = Vec::new(),
        #[serde(skip_serializing_if = "is_empty")]
        allowed_user_ids: Vec<Id> = Vec::new(),
        #[serde(skip_serializing_if = "is_default")]
        post_moderation as "post_moderation_code": Code<Moderating> = Moderating::Off,
        #[serde(skip_serializing_if = "is_default")]
        comment_moderation as "comment_moderation_code": Code<Moderating> = Moderating::Off,
        #[serde(skip_serializing_if = "is_default")]
        guests as "guest_code": Code<Guests> = Guests::None,
        #[serde(skip_serializing_if = "Option::is_none")]
        post_template: Option<Plain>,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        seq_number: SeqNumber => reading.place(Kind::FeedbackBoard, None, seq_number),
        created_at: Stamp,
    }
    RoadmapBoard {
        id: Id,
        name: Plain,
        slug: SlugText,
        description: Option<Plain>,
        icon_url: Option<Plain>,
        is_voting_enabled: bool = true,
        #[serde(skip_serializing_if = "is_default")]
        access as "access_code": Code<Access> = Access::Public,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        seq_number: SeqNumber => reading.place(Kind::RoadmapBoard, None, seq_number),
        created_at: Stamp,
    }
    Status {
        id: Id,
        name: Plain,
        code: Bounded<0, 512>,
        color: Color,
        group as "status_group_code": Code<StatusGroup>,
        is_default_status: bool = false,
        show_on_feedback: bool = true,
        show_on_roadmap: bool = true,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        seq_number: SeqNumber => reading.place(Kind::Status, None, seq_number),
        created_at: Stamp,
    }
    Category {
        id: Id,
        name: Plain,
        code: Bounded<0, 512>,
        description: Option<Plain>,
        color: Color,
        show_on_feedback: bool = true,
        show_on_roadmap: bool = true,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
    }
    Tag {
        id: Id,
        name: Plain,
        code: Option<Bounded<0, 512>>,
        color: Color,
        show_on_feedback: bool = true,
        show_on_roadmap: bool = true,
        #[serde(skip_serializing_if = "is_true")]
        is_public: bool = true,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
    }
    FeedbackPost {
        id: Id,
        title: Plain,
        description: Plain = String::new(),
        slug: SlugText,
        board_id: Id,
        author_id: Id,
        owner_id: Option<Id>,
        status_id: Id,
        category_id: Option<Id>,
        eta: Option<Stamp>,
        #[serde(skip_serializing_if = "is_true")]
        eta_is_public: bool = true,
        #[serde(skip_serializing_if = "is_false")]
        is_pinned: bool = false,
        moderation as "moderation_status_code": Code<Moderation> = Moderation::Accepted,
        tag_ids: Vec<Id> = Vec::new(),
        #[serde(skip_serializing_if = "has_no_attribute")]
        attributes: Named = Attributes::default(),
        merged_into_id: Option<Id>,
        #[serde(skip_serializing_if = "Option::is_none")]
        created_by_id: Option<Id>,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
        status_changed_at: Stamp = created_at.value(),
    }
    RoadmapPost {
        id: Id,
        title: Plain,
        description: Plain = String::new(),
        slug: SlugText,
        roadmap_board_id: Id,
        author_id: Option<Id>,
        owner_id: Option<Id>,
        status_id: Id,
        category_id: Option<Id>,
        eta: Option<Stamp>,
        #[serde(skip_serializing_if = "is_empty")]
        tag_ids: Vec<Id> = Vec::new(),
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        seq_number: SeqNumber =>
            reading.place(Kind::RoadmapPost, Some(roadmap_board_id.0), seq_number),
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    RoadmapLink {
        id: Id,
        roadmap_post_id: Id,
        feedback_post_id: Id,
        sync_status: bool = false,
        created_at: Stamp,
    }
    Subscription {
        id: Id,
        feedback_post_id: Id,
        user_id: Id,
        level: Code<Level> = Level::All,
        created_at: Stamp,
    }
    Comment {
        id: Id,
        content: Plain,
        author_id: Id,
        parent_comment_id: Option<Id>,
        feedback_post_id: Id,
        visibility as "visibility_code": Code<Visibility> = Visibility::Public,
        moderation as "moderation_status_code": Code<Moderation> = Moderation::Accepted,
        #[serde(skip_serializing_if = "is_false")]
        is_pinned: bool = false,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    Vote {
        id: Id,
        user_id: Id,
        (post_id: Id, post_type: Code<PostType>) as (target):
            (target(post_id, post_type),), post(target);
        #[serde(skip_serializing_if = "Option::is_none")]
        cast_on_id: Option<Id>,
        #[serde(skip_serializing_if = "Option::is_none")]
        created_by_id: Option<Id>,
        #[serde(skip_serializing_if = "Option::is_none")]
        source_url: Option<Plain>,
        created_at: Stamp,
    }
    Merge {
        id: Id,
        merge_post_id: Id,
        into_post_id: Id,
        merger_id: Id,
        moved_user_ids: Vec<Id>,
        dropped_user_ids: Vec<Id>,
        #[serde(skip_serializing_if = "is_false")]
        votes_kept: bool = false,
        created_at: Stamp,
    }
    DroppedVote {
        id: Id,
        user_id: Id,
        feedback_post_id: Id,
        kept_post_id: Id,
        #[serde(skip_serializing_if = "Option::is_none")]
        created_by_id: Option<Id>,
        #[serde(skip_serializing_if = "Option::is_none")]
        source_url: Option<Plain>,
        created_at: Stamp,
    }
    Label {
        id: Id,
        name: Bounded<0, 512>,
        code: Bounded<0, 512>,
        color: Color,
        description: Option<Plain>,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
    }
    ChangelogEntry {
        id: Id,
        title: Bounded<1, 512>,
        content: Plain = String::new(),
        slug: SlugText,
        status as "status_code": Code<EntryStatus>,
        show_on_portal: bool = true,
        featured_image_url: Option<WebUrl>,
        author_id: Option<Id>,
        scheduled_at: Option<Stamp>,
        published_at: Option<Stamp>,
        entry_type as "type": Option<Code<EntryType>>,
        label_ids: Vec<Id> = Vec::new(),
        notify: bool = false,
        #[serde(skip_serializing_if = "is_false")]
        notify_voters: bool = false,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    EntryLink {
        id: Id,
        changelog_entry_id: Id,
        feedback_post_id: Id,
        created_at: Stamp,
    }
    HelpCollection {
        id: Id,
        name: Bounded<1, 512>,
        slug: SlugText,
        description: Bounded<0, 512> = String::new(),
        icon: Bounded<0, 512> = "book".to_owned(),
        color: Color = DomainColor::DEFAULT.to_owned(),
        seq_number: SeqNumber => reading.place(Kind::HelpCollection, None, seq_number),
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    HelpCategory {
        id: Id,
        collection_id: Id,
        name: Bounded<1, 512>,
        slug: SlugText,
        description: Option<Bounded<0, 512>>,
        icon: Option<Bounded<0, 512>>,
        color: Option<Color>,
        seq_number: SeqNumber =>
            reading.place(Kind::HelpCategory, Some(collection_id.0), seq_number),
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    HelpArticle {
        id: Id,
        title: Bounded<1, 512>,
        content: Plain = String::new(),
        slug: SlugText,
        excerpt: Option<Bounded<0, 512>>,
        status as "status_code": Code<ArticleStatus> = ArticleStatus::Draft,
        show_on_portal: bool = true,
        is_favourite: bool = false,
        (collection_id: Option<Id>, category_id: Option<Id>) as (parent):
            (ArticleParent::new(collection_id.value(), category_id.value()).ok_or(TWO_PARENTS)?,),
            (Member::of(parent.collection()), Member::of(parent.category()));
        seq_number: SeqNumber => {
            let parent = collection_id.or(category_id).map(|id| id.0);
            reading.place(Kind::HelpArticle, parent, seq_number)
        },
        author_id: Option<Id>,
        published_at: Option<Stamp>,
        related_article_ids: Vec<Id> = Vec::new(),
        view_count: Count = 0,
        helpful_count: Count = 0,
        not_helpful_count: Count = 0,
        #[serde(skip_serializing_if = "Option::is_none")]
        external_id: Option<Bounded<1, 255>>,
        version: Number = 1,
        versioned_at: Stamp = created_at.value(),
        is_active: bool = true,
        created_at: Stamp,
        updated_at: Stamp = created_at.value(),
    }
    HelpArticleVersion {
        id: Id,
        help_article_id: Id,
        version: Number,
        author_id: Option<Id>,
        created_at: Stamp,
        title: Bounded<1, 512>,
        content: Plain = String::new(),
    }
    HelpRedirect {
        id: Id,
        from_path: PathText,
        to_path: PathText,
        created_at: Stamp,
    }
    WebhookSubscription {
        id: Id,
        url: WebhookUrl,
        event_types: Vec<Code<EventType>> = Vec::new(),
        #[serde(skip_serializing_if = "is_empty")]
        board_ids: Vec<Id> = Vec::new(),
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<Plain>,
        is_active: bool = true,
        (
            #[serde(skip_serializing_if = "Option::is_none")]
            signing_secret: Option<Bounded<1, 256>>
        ) as (awaits_rotation, secret, previous_secret, previous_until):
            reading.signing_secret(id.0, signing_secret)?,
            (writing.signing_secret(id.0, awaits_rotation, &secret)?,);
        created_at: Stamp,
    }
    ApiKey {
        id: Id,
        (key: Plain) as (digest, sealed):
            reading.api_key(id.0, key)?,
            (writing.open(Kind::ApiKey, id.0, Purpose::ApiKey, &sealed).map(Plain)?,);
        created_at: Stamp,
    }
}

const TWO_PARENTS: &str =
    "collection_id: an article has exactly one of collection_id and category_id";

fn target(post: Id, post_type: Code<PostType>) -> Target {
    match post_type.0 {
        PostType::Feedback => Target::Feedback(post.value()),
        PostType::Roadmap => Target::Roadmap(post.value()),
    }
}

fn post(target: Target) -> (Id, Code<PostType>) {
    match target {
        Target::Feedback(id) => (Id(id.0), Code(PostType::Feedback)),
        Target::Roadmap(id) => (Id(id.0), Code(PostType::Roadmap)),
    }
}

fn is_empty<T>(given: &Option<Vec<T>>) -> bool {
    given.as_ref().is_some_and(Vec::is_empty)
}

fn has_no_domain(given: &Option<Domains>) -> bool {
    given.as_ref().is_some_and(|domains| domains.0.is_empty())
}

fn has_no_attribute(given: &Option<Named>) -> bool {
    given.as_ref().is_some_and(|attributes| attributes.0.is_empty())
}

fn is_usual(given: &Option<Portal>) -> bool {
    given.as_ref().is_some_and(|portal| portal.0 == PortalSettings::default())
}

fn is_no_text(given: &Option<Plain>) -> bool {
    given.as_ref().is_some_and(|text| text.0.is_empty())
}

fn is_false(given: &Option<bool>) -> bool {
    *given == Some(false)
}

/// Whether a code is the default of its set.
fn is_default<T: Default + PartialEq>(given: &Option<Code<T>>) -> bool {
    given.as_ref().is_some_and(|code| code.0 == T::default())
}

fn is_true(given: &Option<bool>) -> bool {
    *given == Some(true)
}
