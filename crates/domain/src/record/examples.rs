//! Records for unit tests. Each member that can refer to another record does.

use super::{Kind, OfKind, Record};
use crate::access::Access;
use crate::api_key::Sealed;
use crate::attributes::Attributes;
use crate::changelog_entry::{ChangelogEntry, EntryStatus, EntryType};
use crate::comment::{Comment, Visibility};
use crate::company::Company;
use crate::draft::Draft;
use crate::entry_link::EntryLink;
use crate::feedback_board::{BoardDraft, FeedbackBoard};
use crate::feedback_post::{FeedbackPost, Moderation};
use crate::help_article::{ArticleParent, ArticleStatus, HelpArticle};
use crate::help_article_version::HelpArticleVersion;
use crate::help_category::HelpCategory;
use crate::help_collection::HelpCollection;
use crate::merge::{DroppedVote, MergeRecord};
use crate::person::{Email, Handle};
use crate::position::Position;
use crate::roadmap_board::RoadmapBoard;
use crate::roadmap_link::RoadmapLink;
use crate::roadmap_post::RoadmapPost;
use crate::slug::Slug;
use crate::spend::Spend;
use crate::status::{Status, StatusGroup};
use crate::subscription::{Level, Subscription};
use crate::user::User;
use crate::vote::{Target, Vote};
use crate::webhook_subscription::WebhookSubscription;
use crate::{Time, Uuid};

/// The identifier of each record that an example refers to. It is that of its kind.
pub(crate) fn referred<T: From<Uuid>>(kind: Kind) -> T {
    T::from(Uuid::from_u128(1 + kind as u128))
}

/// A record of each kind that has references, and a company.
pub(crate) fn records() -> Vec<Record> {
    let article = HelpArticle {
        parent: ArticleParent::Collection(referred(Kind::HelpCollection)),
        ..article()
    };
    vec![
        company().into_record(),
        user().into_record(),
        board().into_record(),
        post().into_record(),
        roadmap_post().into_record(),
        roadmap_link().into_record(),
        comment().into_record(),
        subscription().into_record(),
        vote(Target::Feedback(referred(Kind::FeedbackPost))).into_record(),
        vote(Target::Roadmap(referred(Kind::RoadmapPost))).into_record(),
        merge().into_record(),
        dropped_vote().into_record(),
        entry().into_record(),
        entry_link().into_record(),
        category().into_record(),
        article.into_record(),
        self::article().into_record(),
        version().into_record(),
        webhook_subscription().into_record(),
    ]
}

/// The identifier of each example.
fn own<T: From<Uuid>>() -> T {
    T::from(Uuid::from_u128(1_000))
}

fn slug() -> Slug {
    Slug::derive("dark-mode", "")
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(crate) fn company() -> Company {
    Company {
        id: own(),
        external_id: "c-1".to_owned(),
        name: "Analytical".to_owned(),
        monthly_spend: Spend::MAX,
        customer_status: "paying".to_owned(),
        attributes: Attributes::default(),
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    }
}

pub(crate) fn user() -> User {
    let address = Email::parse("ada@example.com").unwrap();
    let user = Handle::Email(address).user(None, own(), own(), Time::MIN);
    User {
        name: "Ada".to_owned(),
        company_id: Some(referred(Kind::Company)),
        external_id: text("u-1"),
        ..user
    }
}

pub(crate) fn board() -> FeedbackBoard {
    let draft = BoardDraft { allowed_user_ids: vec![referred(Kind::User)], ..BoardDraft::usual() };
    draft.create(own(), slug(), Time::MIN)
}

pub(crate) fn post() -> FeedbackPost {
    FeedbackPost {
        id: own(),
        title: "Dark mode".to_owned(),
        description: "At night".to_owned(),
        slug: slug(),
        board_id: referred(Kind::FeedbackBoard),
        author_id: referred(Kind::User),
        owner_id: Some(referred(Kind::User)),
        status_id: referred(Kind::Status),
        category_id: Some(referred(Kind::Category)),
        eta: Some(Time::MAX),
        eta_is_public: false,
        is_pinned: true,
        moderation: Moderation::Pending,
        tag_ids: vec![referred(Kind::Tag)],
        attributes: Attributes::default(),
        merged_into_id: Some(referred(Kind::FeedbackPost)),
        created_by_id: Some(referred(Kind::User)),
        external_id: text("p-1"),
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
        status_changed_at: Time::MIN,
    }
}

pub(crate) fn roadmap_board() -> RoadmapBoard {
    RoadmapBoard {
        id: own(),
        name: "Plans".to_owned(),
        slug: slug(),
        description: None,
        icon_url: None,
        is_voting_enabled: true,
        access: Access::Public,
        external_id: text("b-1"),
        is_active: true,
        seq_number: Position::START,
        created_at: Time::MIN,
    }
}

pub(crate) fn roadmap_post() -> RoadmapPost {
    RoadmapPost {
        id: own(),
        title: "Dark mode".to_owned(),
        description: "At night".to_owned(),
        slug: slug(),
        roadmap_board_id: referred(Kind::RoadmapBoard),
        author_id: Some(referred(Kind::User)),
        owner_id: Some(referred(Kind::User)),
        status_id: referred(Kind::Status),
        category_id: Some(referred(Kind::Category)),
        eta: Some(Time::MAX),
        tag_ids: vec![referred(Kind::Tag)],
        external_id: text("r-1"),
        is_active: true,
        seq_number: Position::START,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    }
}

pub(crate) fn roadmap_link() -> RoadmapLink {
    RoadmapLink {
        id: own(),
        roadmap_post_id: referred(Kind::RoadmapPost),
        feedback_post_id: referred(Kind::FeedbackPost),
        sync_status: true,
        created_at: Time::MIN,
    }
}

pub(crate) fn status() -> Status {
    Status {
        id: own(),
        name: "Planned".to_owned(),
        code: "planned".to_owned(),
        color: String::new(),
        group: StatusGroup::Open,
        is_default_status: false,
        show_on_feedback: true,
        show_on_roadmap: true,
        external_id: text("s-1"),
        is_active: true,
        seq_number: Position::START,
        created_at: Time::MIN,
    }
}

pub(crate) fn comment() -> Comment {
    Comment {
        id: own(),
        content: "Yes".to_owned(),
        author_id: referred(Kind::User),
        parent_comment_id: Some(referred(Kind::Comment)),
        feedback_post_id: referred(Kind::FeedbackPost),
        visibility: Visibility::Public,
        moderation: Moderation::Pending,
        is_pinned: true,
        external_id: text("k-1"),
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    }
}

pub(crate) fn subscription() -> Subscription {
    Subscription {
        id: own(),
        feedback_post_id: referred(Kind::FeedbackPost),
        user_id: referred(Kind::User),
        level: Level::All,
        created_at: Time::MIN,
    }
}

pub(crate) fn vote(target: Target) -> Vote {
    Vote {
        id: own(),
        user_id: referred(Kind::User),
        target,
        cast_on_id: Some(referred(Kind::FeedbackPost)),
        created_by_id: Some(referred(Kind::User)),
        source_url: text("https://example.com/ticket/1"),
        created_at: Time::MIN,
    }
}

pub(crate) fn merge() -> MergeRecord {
    MergeRecord {
        id: own(),
        merge_post_id: referred(Kind::FeedbackPost),
        into_post_id: referred(Kind::FeedbackPost),
        merger_id: referred(Kind::User),
        moved_user_ids: vec![referred(Kind::User)],
        dropped_user_ids: vec![referred(Kind::User)],
        votes_kept: true,
        created_at: Time::MIN,
    }
}

pub(crate) fn dropped_vote() -> DroppedVote {
    DroppedVote {
        id: own(),
        user_id: referred(Kind::User),
        feedback_post_id: referred(Kind::FeedbackPost),
        kept_post_id: referred(Kind::FeedbackPost),
        created_by_id: Some(referred(Kind::User)),
        source_url: text("https://example.com/ticket/1"),
        created_at: Time::MIN,
    }
}

pub(crate) fn entry() -> ChangelogEntry {
    ChangelogEntry {
        id: own(),
        title: "Dark mode".to_owned(),
        content: "<p>It is here.</p>".to_owned(),
        slug: slug(),
        status: EntryStatus::Published,
        show_on_portal: true,
        featured_image_url: text("https://example.com/dark.png"),
        author_id: Some(referred(Kind::User)),
        scheduled_at: None,
        published_at: Some(Time::MIN),
        entry_type: Some(EntryType::New),
        label_ids: vec![referred(Kind::Label)],
        notify: true,
        notify_voters: true,
        external_id: text("e-1"),
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    }
}

pub(crate) fn entry_link() -> EntryLink {
    EntryLink {
        id: own(),
        changelog_entry_id: referred(Kind::ChangelogEntry),
        feedback_post_id: referred(Kind::FeedbackPost),
        created_at: Time::MIN,
    }
}

pub(crate) fn help_collection() -> HelpCollection {
    HelpCollection {
        id: own(),
        name: "Guides".to_owned(),
        slug: slug(),
        description: String::new(),
        icon: String::new(),
        color: String::new(),
        seq_number: Position::START,
        external_id: text("g-1"),
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    }
}

pub(crate) fn category() -> HelpCategory {
    HelpCategory {
        id: own(),
        collection_id: referred(Kind::HelpCollection),
        name: "Basics".to_owned(),
        slug: slug(),
        description: None,
        icon: None,
        color: None,
        seq_number: Position::START,
        external_id: text("h-1"),
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    }
}

pub(crate) fn article() -> HelpArticle {
    HelpArticle {
        id: own(),
        title: "Signing in".to_owned(),
        content: "<p>Wait.</p>".to_owned(),
        slug: slug(),
        excerpt: text("Wait"),
        status: ArticleStatus::Published,
        show_on_portal: true,
        is_favourite: true,
        parent: ArticleParent::Category(referred(Kind::HelpCategory)),
        seq_number: Position::START,
        author_id: Some(referred(Kind::User)),
        published_at: Some(Time::MIN),
        related_article_ids: vec![referred(Kind::HelpArticle)],
        view_count: 7,
        helpful_count: 5,
        not_helpful_count: 2,
        external_id: text("a-1"),
        version: 3,
        versioned_at: Time::MIN,
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    }
}

pub(crate) fn version() -> HelpArticleVersion {
    HelpArticleVersion {
        id: own(),
        help_article_id: referred(Kind::HelpArticle),
        version: 2,
        author_id: Some(referred(Kind::User)),
        created_at: Time::MIN,
        title: "Signing in".to_owned(),
        content: "<p>Wait.</p>".to_owned(),
    }
}

pub(crate) fn webhook_subscription() -> WebhookSubscription {
    WebhookSubscription {
        id: own(),
        url: "https://example.com/hook".to_owned(),
        event_types: vec![],
        board_ids: vec![referred(Kind::FeedbackBoard)],
        description: None,
        is_active: true,
        awaits_rotation: false,
        secret: Sealed(vec![1]),
        previous_secret: None,
        previous_until: None,
        created_at: Time::MIN,
    }
}
