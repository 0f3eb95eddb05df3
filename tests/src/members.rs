//! Records of every kind that differ from each other in one member.

use crate::build::{OfKind, Tenant, activity, at};
use crate::generate::Drawing;
use hearback_domain::Time;
use hearback_domain::api_key::ApiKey;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::comment::Comment;
use hearback_domain::company::Company;
use hearback_domain::entry_link::EntryLink;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::{ArticleStatus, HelpArticle};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::help_redirect::HelpRedirect;
use hearback_domain::label::Label;
use hearback_domain::merge::{DroppedVote, MergeRecord as Merge};
use hearback_domain::organization::Organization;
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_link::RoadmapLink;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::status::Status;
use hearback_domain::subscription::Subscription;
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::vote::Vote;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::{Kind, Record};

/// Records, each with the name of the member that distinguishes it.
pub type Members = Vec<(&'static str, Record)>;

/// Declares the members of each kind: the members that an edit writes, the members that it only
/// compares, and the members that it ignores. A new member does not compile until it is declared
/// here.
macro_rules! members {
    ($($kind:ident writes { $($written:ident)* } compares { $($compared:ident)* }
        $(leaves { $($left:ident)* })?;)+) => {
        /// Copies of `a` with one value of `b` each: one copy for each written member, and one for
        /// each compared member.
        pub fn crosses(a: &Record, b: &Record) -> [Members; 2] {
            match (a, b) {
                $((Record::$kind(a), Record::$kind(b)) => {
                    let $kind { $($written: _,)* $($compared: _,)* $($($left: _,)*)? } = a;
                    [vec![$({
                        let crossed = $kind { $written: Clone::clone(&b.$written), ..a.clone() };
                        (stringify!($written), crossed.into_record())
                    },)*], vec![$({
                        let crossed = $kind { $compared: Clone::clone(&b.$compared), ..a.clone() };
                        (stringify!($compared), crossed.into_record())
                    },)*]]
                })+
                _ => panic!("{a:?} and {b:?} have different kinds"),
            }
        }
    };
}

members! {
    Organization writes { name slug help_center events_ledger portal created_at } compares { id };
    Company
        writes {
            external_id name monthly_spend customer_status attributes is_active created_at
            updated_at
        }
        compares { id };
    User
        writes {
            email name avatar_url portal_role company_id company_name customer_status locale
            attributes is_subscribed post_mail changelog_mail is_blocked is_trusted external_id
            is_active created_at updated_at
        }
        compares { id user_id };
    FeedbackBoard
        writes {
            name slug description icon_url is_voting_enabled is_commenting_enabled show_post_dates
            access allowed_email_domains allowed_user_ids post_moderation comment_moderation guests
            post_template external_id is_active seq_number created_at
        }
        compares { id };
    RoadmapBoard
        writes {
            name slug description icon_url is_voting_enabled access external_id is_active
            seq_number created_at
        }
        compares { id };
    Status
        writes {
            name code color group is_default_status show_on_feedback show_on_roadmap external_id
            is_active seq_number created_at
        }
        compares { id };
    Category
        writes {
            name code description color show_on_feedback show_on_roadmap external_id is_active
            created_at
        }
        compares { id };
    Tag
        writes {
            name code color show_on_feedback show_on_roadmap is_public external_id is_active
            created_at
        }
        compares { id };
    FeedbackPost
        writes {
            title description slug board_id author_id owner_id status_id category_id eta
            eta_is_public is_pinned created_by_id status_changed_at moderation tag_ids attributes
            external_id is_active created_at updated_at
        }
        compares { id merged_into_id };
    RoadmapPost
        writes {
            title description slug roadmap_board_id author_id owner_id status_id category_id eta
            tag_ids external_id is_active seq_number created_at updated_at
        }
        compares { id };
    RoadmapLink
        writes { sync_status created_at }
        compares { id roadmap_post_id feedback_post_id };
    EntryLink writes { created_at } compares { id changelog_entry_id feedback_post_id };
    Subscription
        writes { level created_at }
        compares { id feedback_post_id user_id };
    Comment
        writes {
            content author_id visibility moderation is_pinned external_id is_active created_at
            updated_at
        }
        compares { id parent_comment_id feedback_post_id };
    Vote writes {} compares {
            id user_id target cast_on_id created_by_id source_url created_at
        };
    Merge
        writes {}
        compares {
            id merge_post_id into_post_id merger_id moved_user_ids dropped_user_ids votes_kept
            created_at
        };
    DroppedVote
        writes {}
        compares {
            id user_id feedback_post_id kept_post_id created_by_id source_url created_at
        };
    Label
        writes { name code color description external_id is_active created_at }
        compares { id };
    ChangelogEntry
        writes {
            title content slug status show_on_portal featured_image_url author_id scheduled_at
            published_at entry_type label_ids notify notify_voters external_id is_active
            created_at updated_at
        }
        compares { id };
    HelpCollection
        writes { name slug description icon color seq_number external_id is_active created_at updated_at }
        compares { id };
    HelpCategory
        writes {
            collection_id name slug description icon color seq_number external_id is_active created_at
            updated_at
        }
        compares { id };
    HelpArticle
        writes {
            title content slug excerpt status show_on_portal is_favourite parent seq_number
            author_id published_at related_article_ids external_id version versioned_at is_active
            created_at updated_at
        }
        compares { id }
        leaves { view_count helpful_count not_helpful_count };
    HelpArticleVersion
        writes { help_article_id version author_id title content created_at }
        compares { id };
    HelpRedirect writes { from_path to_path created_at } compares { id };
    WebhookSubscription
        writes {
            url event_types board_ids description is_active awaits_rotation secret previous_secret
            previous_until created_at
        }
        compares { id };
    ApiKey writes { digest sealed created_at } compares { id };
}

/// Draws an organization whose records are active. Entries and articles have the times that every
/// status requires.
pub fn drawn(draw: &mut Drawing) -> Tenant {
    draw.tenant().map(|_, record| {
        activity(record).into_iter().for_each(|is_active| *is_active = true);
        match record {
            Record::Status(status) => status.is_default_status = false,
            // The draw of another one has the first position.
            Record::RoadmapPost(post) => post.seq_number = post.seq_number.next(),
            Record::Tag(tag) => tag.name.push_str(&tag.id.to_string()),
            Record::ChangelogEntry(entry) => {
                (entry.scheduled_at, entry.published_at) = (Some(Time::MAX), Some(at(0)));
            }
            Record::HelpArticle(article) => article.published_at = Some(at(0)),
            _ => {}
        }
    })
}

/// The first organization with the records of all `tenants`, except the kinds in `but`.
pub fn together(tenants: &[&Tenant], but: &[Kind]) -> Tenant {
    let all = tenants.iter().flat_map(|tenant| tenant.exported());
    let is_kept =
        |record: &Record| record.kind() != Kind::Organization && !but.contains(&record.kind());
    Tenant::of(tenants[0].organization.clone(), all.filter(is_kept).collect())
}

/// The first record of each kind.
pub fn one_of_each(acme: &Tenant) -> Vec<Record> {
    let mut all = acme.exported();
    all.dedup_by_key(|record| record.kind());
    all
}

/// The record `now` with another value of one member, and the name of the member. The value is
/// valid together with the values of the other members.
pub fn crossed(
    draw: &mut Drawing,
    acme: &Tenant,
    now: &Record,
    [group, place]: [usize; 2],
) -> (&'static str, Record) {
    let is_sound = |record: &Record| match record {
        Record::ChangelogEntry(entry) => match entry.status {
            EntryStatus::Draft => true,
            EntryStatus::Scheduled => entry.scheduled_at.is_some(),
            EntryStatus::Published => entry.published_at.is_some(),
        },
        Record::HelpArticle(article) => {
            article.status == ArticleStatus::Draft || article.published_at.is_some()
        }
        _ => true,
    };
    let mut draws = std::iter::repeat_with(|| draw.record(now.kind(), acme)).take(1_000).flatten();
    draws
        .find_map(|other| {
            let (member, record) = crosses(now, &other)[group].swap_remove(place);
            (record != *now && is_sound(&record)).then_some((member, record))
        })
        .unwrap_or_else(|| panic!("no draw has another value {place} of group {group}: {now:?}"))
}
