//! `RecordRepository`: one module over records of every kind.

#![expect(missing_docs, reason = "the name of a case says what it proves")]

use super::{KINDS, Stage, applies, change, export_all, inventory, others, receipt};
use crate::build::{OfKind, Tenant, activity, at, event};
use crate::generate::Drawing;
use crate::system::fresh;
use hearback_domain::api_key::ApiKey;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::comment::Comment;
use hearback_domain::event::EventType;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::help_article::{ArticleStatus, HelpArticle};
use hearback_domain::help_category::HelpCategory;
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::OrganizationId;
use hearback_domain::label::Label;
use hearback_domain::merge::MergeRecord as Merge;
use hearback_domain::organization::Organization;
use hearback_domain::position::Position;
use hearback_domain::record::{Key, Known, Step};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::status::Status;
use hearback_domain::tag::Tag;
use hearback_domain::user::User;
use hearback_domain::vote::Vote;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{Time, with_kind};
use hearback_ports::{Answer, Change, Kind, Record, Recorded};
use std::collections::BTreeSet;

/// Values by the members that have them.
type Members = Vec<(&'static str, Record)>;

/// Declares the members of each kind: those that an edit writes, those that it only compares, and
/// those that it leaves alone. A new member does not compile before it stands here.
macro_rules! members {
    ($($kind:ident writes { $($written:ident)* } compares { $($compared:ident)* }
        $(leaves { $($left:ident)* })?;)+) => {
        /// The record `a` with one value of `b`: for each written and for each compared member.
        fn crosses(a: &Record, b: &Record) -> [Members; 2] {
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
                _ => panic!("{a:?} and {b:?} are of two kinds"),
            }
        }
    };
}

members! {
    Organization writes { name slug help_center created_at } compares { id };
    User
        writes {
            email name avatar_url portal_role company_name customer_status is_subscribed is_active
            created_at
        }
        compares { id user_id };
    FeedbackBoard
        writes {
            name slug description icon_url is_voting_enabled is_commenting_enabled show_post_dates
            is_active seq_number created_at
        }
        compares { id };
    RoadmapBoard
        writes { name slug description icon_url is_voting_enabled is_active seq_number created_at }
        compares { id };
    Status
        writes {
            name code color group is_default_status show_on_feedback show_on_roadmap is_active
            seq_number created_at
        }
        compares { id };
    Category
        writes {
            name code description color show_on_feedback show_on_roadmap is_active created_at
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
            title description slug board_id author_id owner_id status_id category_id eta moderation
            tag_ids is_active created_at updated_at
        }
        compares { id merged_into_id };
    RoadmapPost
        writes {
            title description slug roadmap_board_id author_id owner_id status_id category_id eta
            is_active created_at updated_at
        }
        compares { id };
    Comment
        writes { content author_id visibility moderation is_active created_at updated_at }
        compares { id parent_comment_id feedback_post_id };
    Vote writes {} compares { id user_id target created_at };
    Merge
        writes {}
        compares {
            id merge_post_id into_post_id merger_id moved_user_ids dropped_user_ids created_at
        };
    Label writes { name code color description is_active created_at } compares { id };
    ChangelogEntry
        writes {
            title content slug status show_on_portal featured_image_url author_id scheduled_at
            published_at entry_type label_ids notify is_active created_at updated_at
        }
        compares { id };
    HelpCollection
        writes { name slug description icon color seq_number is_active created_at updated_at }
        compares { id };
    HelpCategory
        writes {
            collection_id name slug description icon color seq_number is_active created_at
            updated_at
        }
        compares { id };
    HelpArticle
        writes {
            title content slug excerpt status show_on_portal is_favourite parent seq_number
            author_id published_at related_article_ids is_active created_at updated_at
        }
        compares { id }
        leaves { view_count helpful_count not_helpful_count };
    WebhookSubscription
        writes { url event_types is_active awaits_rotation secret created_at }
        compares { id };
    ApiKey writes { digest sealed created_at } compares { id };
}

/// An organization of drawn records that are active, with times that each of their states may have.
fn drawn(draw: &mut Drawing) -> Tenant {
    draw.tenant().map(|_, record| {
        activity(record).into_iter().for_each(|is_active| *is_active = true);
        match record {
            Record::Status(status) => status.is_default_status = false,
            Record::Tag(tag) => tag.name.push_str(&tag.id.to_string()),
            Record::ChangelogEntry(entry) => {
                (entry.scheduled_at, entry.published_at) = (Some(Time::MAX), Some(at(0)));
            }
            Record::HelpArticle(article) => article.published_at = Some(at(0)),
            _ => {}
        }
    })
}

/// The records of several organizations in the first of them, but for some kinds.
fn together(tenants: &[&Tenant], but: &[Kind]) -> Tenant {
    let all = tenants.iter().flat_map(|tenant| tenant.exported());
    let is_kept =
        |record: &Record| record.kind() != Kind::Organization && !but.contains(&record.kind());
    Tenant::of(tenants[0].organization.clone(), all.filter(is_kept).collect())
}

/// The first record of each kind.
fn one_of_each(acme: &Tenant) -> Vec<Record> {
    let mut all = acme.exported();
    all.dedup_by_key(|record| record.kind());
    all
}

/// A record with another value of a member, which may stand beside the other values.
fn crossed(
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
        .unwrap()
}

/// A change that rests on nothing but its steps and tells nobody.
fn bare(steps: Vec<Step>) -> Change {
    Change { steps, needs: vec![], events: vec![], announced: vec![], receipt: None, at: at(0) }
}

/// The change with an event and a receipt, so that more than its steps would be left behind.
fn noted(change: Change, key: &str) -> Change {
    let events = vec![event(EventType::PostCreated, at(0))];
    Change { events, receipt: Some(receipt(key, Answer::Success, at(0))), ..change }
}

/// Applies a change that leaves nothing behind.
async fn refused(stage: &Stage, acme: &Tenant, change: Change, expected: Recorded) {
    let before = inventory(stage, acme.id()).await;
    applies(stage, acme.id(), &noted(change, "refused"), expected).await;
    assert_eq!(inventory(stage, acme.id()).await, before);
}

async fn load(stage: &Stage, organization: OrganizationId, keys: &[Key]) -> Known {
    stage.ports.records.load(organization, keys.to_vec()).await.unwrap()
}

/// A record as it is stored.
async fn stored(stage: &Stage, organization: OrganizationId, (kind, id): Key) -> Record {
    let known = load(stage, organization, &[(kind, id)]).await;
    with_kind!(kind, R => known.any::<R>(id).unwrap().clone().into_record())
}

/// The position of a record, if its kind has one.
fn position(record: &Record) -> Option<Position> {
    match record {
        Record::FeedbackBoard(FeedbackBoard { seq_number, .. })
        | Record::RoadmapBoard(RoadmapBoard { seq_number, .. })
        | Record::Status(Status { seq_number, .. })
        | Record::HelpCollection(HelpCollection { seq_number, .. })
        | Record::HelpCategory(HelpCategory { seq_number, .. })
        | Record::HelpArticle(HelpArticle { seq_number, .. }) => Some(*seq_number),
        _ => None,
    }
}

/// The record that a step leaves: a new parent gives it its position.
fn left(step: &Step, stored: &Record) -> Record {
    let mut after = step.after().unwrap().clone();
    if step.new_parent().is_some() {
        after.put_at(position(stored).unwrap());
    }
    after
}

pub async fn records_of_every_kind_are_loaded_as_they_were_written(stage: Stage) {
    let acme = Tenant::full().import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    for tenant in [&*acme, acme.twin(), acme.opposite()] {
        let all = tenant.exported();
        let keys: Vec<Key> = all.iter().map(Record::key).collect();
        assert_eq!(load(&stage, tenant.id(), &keys).await, Known::new(all));
        assert_eq!(load(&stage, globex.id(), &keys).await, Known::default());
        assert_eq!(load(&stage, fresh(), &keys).await, Known::default());
    }
    let kinds: BTreeSet<Kind> = acme.exported().iter().map(Record::kind).collect();
    assert_eq!(Vec::from_iter(kinds), KINDS);
}

pub async fn an_edit_writes_each_value_and_nothing_else(stage: Stage) {
    let mut draw = Drawing::of_any();
    let mut acme = drawn(&mut draw);
    acme.add(acme.api_key());
    let acme = acme.import(&stage.ports).await;
    let (beside, mut all) = (others(&stage, &acme).await, acme.exported());
    let keys: Vec<Key> = all.iter().map(Record::key).collect();
    for first in one_of_each(&acme) {
        let place = all.iter().position(|record| *record == first).unwrap();
        for member in 0..crosses(&first, &first)[0].len() {
            let (name, other) = crossed(&mut draw, &acme, &all[place], [0, member]);
            for after in [other, all[place].clone()] {
                let step = Step::Edit { before: all[place].clone(), after };
                applies(&stage, acme.id(), &bare(vec![step.clone()]), Recorded::Done).await;
                all[place] = left(&step, &stored(&stage, acme.id(), first.key()).await);
                let known = load(&stage, acme.id(), &keys).await;
                assert_eq!(known, Known::new(all.clone()), "{name} of {:?}", first.kind());
            }
        }
        assert_eq!(others(&stage, &acme).await, beside);
    }
    assert_eq!(Known::new(export_all(&stage.ports, acme.id()).await), Known::new(all));
}

pub async fn an_edit_is_stale_where_any_value_is_another_one(stage: Stage) {
    let mut draw = Drawing::of_any();
    let mut acme = drawn(&mut draw);
    acme.add(acme.subscription());
    acme.add(acme.api_key());
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let before = inventory(&stage, acme.id()).await;
    for now in one_of_each(&acme) {
        let counts = crosses(&now, &now).map(|members| members.len());
        for place in (0..counts[0]).map(|n| [0, n]).chain((0..counts[1]).map(|n| [1, n])) {
            let (name, other) = crossed(&mut draw, &acme, &now, place);
            let (kind, after) = (now.kind(), now.clone());
            let steps = match kind {
                Kind::Vote => vec![Step::Remove(other)],
                _ => vec![Step::Edit { before: other, after }],
            };
            let change = noted(bare(steps), "stale");
            let recorded = stage.ports.records.apply(acme.id(), change).await.unwrap();
            assert_eq!(recorded, Recorded::Stale, "{name} of {kind:?}");
        }
        let step = Step::Edit { before: now.clone(), after: now };
        for organization in [globex.id(), fresh()] {
            applies(&stage, organization, &bare(vec![step.clone()]), Recorded::Stale).await;
        }
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
}

pub async fn the_counters_of_an_article_are_neither_compared_nor_written(stage: Stage) {
    let counting = |count, article: &HelpArticle| HelpArticle {
        view_count: count,
        helpful_count: count + 1,
        not_helpful_count: count + 2,
        ..article.clone()
    };
    let mut acme = Tenant::new();
    let article = acme.add(counting(40, &acme.article()));
    let acme = acme.import(&stage.ports).await;
    let renamed = HelpArticle { title: "Signing out".to_owned(), ..article.clone() };
    let edit = Step::edit(counting(10, &article), counting(20, &renamed), at(0));
    let expected = left(&edit, &article.into_record());
    let Record::HelpArticle(expected) = expected else { panic!("{expected:?}") };
    applies(&stage, acme.id(), &bare(vec![edit]), Recorded::Done).await;
    let expected = counting(40, &expected).into_record();
    assert_eq!(stored(&stage, acme.id(), expected.key()).await, expected);
}

pub async fn records_of_every_kind_are_made_with_all_that_they_list(stage: Stage) {
    let mut draw = Drawing::of_full();
    let acme = together(&[&drawn(&mut draw)], &[Kind::Vote]).import(&stage.ports).await;
    let beside = others(&stage, &acme).await;
    for &kind in KINDS {
        let mut record = draw.record(kind, &acme).unwrap();
        if let Record::FeedbackPost(post) = &mut record {
            // A post is merged by a change of its own.
            post.merged_into_id = None;
        }
        let organization = match &record {
            Record::Organization(organization) => organization.id,
            _ => acme.id(),
        };
        let step = Step::Make(record.clone());
        applies(&stage, organization, &change(vec![step.clone()], at(0)), Recorded::Done).await;
        let found = stored(&stage, organization, record.key()).await;
        assert_eq!(found, left(&step, &found));
    }
    assert_eq!(others(&stage, &acme).await, beside);
}

pub async fn a_vote_is_removed_once(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let vote = acme.add(acme.vote(&acme.author, &post));
    let acme = acme.import(&stage.ports).await;
    let beside = others(&stage, &acme).await;
    let (key, remove) = (vote.clone().into_record().key(), bare(vec![Step::remove(vote)]));
    applies(&stage, acme.id(), &remove, Recorded::Done).await;
    assert_eq!(load(&stage, acme.id(), &[key]).await, Known::default());
    refused(&stage, &acme, remove, Recorded::Stale).await;
    assert_eq!(others(&stage, &acme).await, beside);
}

pub async fn a_change_names_the_first_record_that_it_needs_and_that_is_not_there_and_active(
    stage: Stage,
) {
    let mut draw = Drawing::of_full();
    let here = together(&[&drawn(&mut draw)], &[Kind::Vote]);
    let gone = drawn(&mut draw).map(|_, record| {
        activity(record).into_iter().for_each(|is_active| *is_active = false);
    });
    let acme = together(&[&here, &gone], &[]).import(&stage.ports).await;
    let foreign = drawn(&mut draw).import(&stage.ports).await;
    let nowhere = drawn(&mut draw);
    // Without these, articles are in collections and votes are on roadmap posts.
    let fewer = together(&[&nowhere], &[Kind::HelpCategory, Kind::FeedbackPost]);
    for &kind in KINDS {
        let mut right = draw.record(kind, &here).unwrap();
        if let Record::FeedbackPost(post) = &mut right {
            post.merged_into_id = None;
        }
        let before = inventory(&stage, acme.id()).await;
        let mut edits = Vec::new();
        for ghosts in [&gone, &*foreign, &nowhere, &fewer] {
            let Some(wrong) = draw.record(kind, ghosts) else { continue };
            let ghosts: BTreeSet<Key> = ghosts.exported().iter().map(Record::key).collect();
            let lacks = |step: &Step| {
                let mut needs = step.needs().into_iter();
                needs.find(|need| ghosts.contains(&need.key()))
            };
            let [written, compared] = crosses(&right, &wrong);
            let mut members = BTreeSet::new();
            for (_, record) in [&*written, &*compared, &[("", wrong.clone())]].concat() {
                let step = Step::Make(record);
                let Some(need) = lacks(&step) else { continue };
                members.insert(need.member);
                let change = noted(change(vec![step], at(0)), "needs");
                applies(&stage, acme.id(), &change, Recorded::Missing(need.key())).await;
            }
            let named = [wrong.references(), wrong.links()].concat();
            assert_eq!(members, named.iter().map(|reference| reference.member).collect());
            for (_, after) in written {
                let edit = Step::Edit { before: right.clone(), after };
                edits.extend(lacks(&edit).map(|need| (edit, need)));
            }
        }
        assert_eq!(inventory(&stage, acme.id()).await, before);
        if edits.is_empty() {
            continue;
        }
        let make = change(vec![Step::Make(right.clone())], at(0));
        applies(&stage, acme.id(), &make, Recorded::Done).await;
        let now = stored(&stage, acme.id(), right.key()).await;
        for (edit, need) in edits {
            let mut after = edit.after().unwrap().clone();
            after.put_at(position(&now).unwrap_or(Position::START));
            let edit = change(vec![Step::Edit { before: now.clone(), after }], at(0));
            applies(&stage, acme.id(), &edit, Recorded::Missing(need.key())).await;
        }
        assert_eq!(stored(&stage, acme.id(), right.key()).await, now);
    }
}
