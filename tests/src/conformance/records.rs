//! `RecordRepository`, with records of every kind.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::backlog::tasks;
use super::{
    KINDS, Stage, applies, change, export_all, first_page, inventory, kept, make, others, receipt,
    write_mails,
};
use crate::build::{OfKind, Tenant, activity, at, event};
use crate::deliveries::pending;
use crate::generate::Drawing;
use crate::members::{crossed, crosses, drawn, one_of_each, together};
use crate::system::{fresh, patiently};
use hearback_app::crud;
use hearback_app::write::Update;
use hearback_domain::api_key::ApiKey;
use hearback_domain::category::Category;
use hearback_domain::changelog_entry::EntryState;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::comment::{Comment, Visibility};
use hearback_domain::counted::Count;
use hearback_domain::event::{Event, EventType};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostFilter, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::follow_up::{Affected, FollowUp, Only};
use hearback_domain::help_article::{ArticleFilter, ArticleParent, ArticleSort, HelpArticle};
use hearback_domain::help_category::{CategoryPatch, HelpCategory};
use hearback_domain::help_collection::HelpCollection;
use hearback_domain::id::{OrganizationId, TagId};
use hearback_domain::label::Label;
use hearback_domain::position::Position;
use hearback_domain::record::{Key, Known, Parent, Step};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::slug::Slug;
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::tag::Tag;
use hearback_domain::told::{quoted, told};
use hearback_domain::user::User;
use hearback_domain::vote::Vote;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_domain::{ClosedSet, Uuid, with_kind};
use hearback_ports::backlog::Task;
use hearback_ports::events::StoredEvent;
use hearback_ports::records::Name as UniqueName;
use hearback_ports::{Change, Kind, Record, Recorded, Unique, WriteResult};
use std::collections::BTreeSet;

/// A change of these steps alone: without needs, events, announcements and receipt.
pub(super) fn bare(steps: Vec<Step>) -> Change {
    Change { steps, ..Change::at(at(0)) }
}

/// The change with an event and a receipt, so that a refused change could leave more than its steps
/// behind.
pub(super) fn noted(change: Change, key: &str) -> Change {
    let events = vec![event(EventType::PostCreated, at(0))];
    Change { events, receipt: Some(receipt(key, WriteResult::Success, at(0))), ..change }
}

/// Applies a change that the store must refuse with `expected`. Asserts that nothing changes.
async fn refused(stage: &Stage, acme: &Tenant, change: Change, expected: Recorded) {
    let before = inventory(stage, acme.id()).await;
    let receipt = change.receipt.clone();
    let noted = noted(change, "refused");
    let change = Change { receipt: receipt.or(noted.receipt.clone()), ..noted };
    applies(stage, acme.id(), &change, expected).await;
    assert_eq!(inventory(stage, acme.id()).await, before);
}

pub(super) async fn load(stage: &Stage, organization: OrganizationId, keys: &[Key]) -> Known {
    stage.ports.records.load(organization, keys.to_vec()).await.unwrap()
}

/// The stored record with this key.
pub(super) async fn stored(stage: &Stage, organization: OrganizationId, (kind, id): Key) -> Record {
    let known = load(stage, organization, &[(kind, id)]).await;
    with_kind!(kind, R => known.any::<R>(id).unwrap().clone().into_record())
}

/// The record that a step leaves. If the step sets a new parent, the store gives the position.
fn left(step: &Step, stored: &Record) -> Record {
    let mut after = step.after().unwrap().clone();
    if step.new_parent().is_some() {
        after.put_at(stored.position().unwrap());
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
                let stored = stored(&stage, acme.id(), first.key()).await;
                all[place] = left(&step, &stored);
                assert_eq!(stored, all[place], "{name} of {:?}", first.kind());
            }
        }
        let known = load(&stage, acme.id(), &keys).await;
        assert_eq!(known, Known::new(all.clone()), "{:?}", first.kind());
    }
    assert_eq!(others(&stage, &acme).await, beside);
    assert_eq!(Known::new(export_all(&stage.ports, acme.id()).await), Known::new(all));
}

pub async fn an_edit_is_stale_if_any_value_differs(stage: Stage) {
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

/// The kinds of which a pair of records has one at most.
const PAIRS: [Kind; 5] =
    [Kind::Vote, Kind::RoadmapLink, Kind::EntryLink, Kind::Subscription, Kind::DroppedVote];

pub async fn records_of_every_kind_are_made_with_all_that_they_list(stage: Stage) {
    let mut draw = Drawing::of_full();
    let acme = together(&[&drawn(&mut draw)], &PAIRS).import(&stage.ports).await;
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
    // Without these kinds, each article is in a collection, and each vote is on a roadmap post.
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
            let named = [wrong.references(), wrong.links(), wrong.listed_references()].concat();
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
        applies(&stage, fresh(), &make, Recorded::Missing(make.needs[0])).await;
        applies(&stage, acme.id(), &make, Recorded::Done).await;
        let now = stored(&stage, acme.id(), right.key()).await;
        for (edit, need) in edits {
            let mut after = edit.after().unwrap().clone();
            after.put_at(now.position().unwrap_or(Position::START));
            let edit = change(vec![Step::Edit { before: now.clone(), after }], at(0));
            applies(&stage, acme.id(), &edit, Recorded::Missing(need.key())).await;
        }
        assert_eq!(stored(&stage, acme.id(), right.key()).await, now);
    }
}

/// The step that edits `before` to `after`, and sets no time of the edit.
pub(super) fn edit<R: OfKind>(before: &R, after: R) -> Step {
    Step::Edit { before: before.clone().into_record(), after: after.into_record() }
}

fn slug(text: &str) -> Slug {
    Slug::parse(text).unwrap()
}

pub async fn an_edit_needs_only_the_references_that_it_adds(stage: Stage) {
    let mut acme = Tenant::new();
    let gone = acme.add(Tag { is_active: false, ..acme.tag() });
    let post = acme.add(FeedbackPost { tag_ids: vec![gone.id], ..acme.post() });
    let tag = acme.add(acme.tag());
    let acme = acme.import(&stage.ports).await;
    let also = FeedbackPost { tag_ids: vec![tag.id, gone.id], ..post.clone() };
    let change = change(vec![edit(&post, also)], at(0));
    applies(&stage, acme.id(), &change, Recorded::Done).await;
}

pub async fn a_change_is_done_with_its_receipt_events_and_mailing_or_not_at_all(stage: Stage) {
    let mut acme = Tenant::new();
    let of_all = acme.add(acme.subscription());
    let event_types = vec![EventType::PostCreated];
    let of_one = acme.add(WebhookSubscription { event_types, ..acme.subscription() });
    acme.add(WebhookSubscription { is_active: false, ..acme.subscription() });
    let user = acme.add(User { is_subscribed: true, ..acme.user() });
    let post = acme.add(acme.post());
    let vote = acme.add(acme.vote(&user, &post));
    let external_id = Some("t-1".to_owned());
    let tag = acme.add(Tag { external_id: external_id.clone(), ..acme.tag() });
    acme.add(Status { is_default_status: true, ..acme.status() });
    let key = acme.add(acme.api_key());
    let acme = acme.import(&stage.ports).await;
    let beside = others(&stage, &acme).await;
    let entry = || {
        let (status, published_at) = (EntryStatus::Published, Some(at(0)));
        Step::make(ChangelogEntry { status, published_at, notify: true, ..acme.entry() })
    };

    let made = noted(change(vec![entry()], at(0)), "once");
    applies(&stage, acme.id(), &made, Recorded::Done).await;
    let receipt = made.receipt.clone().unwrap();
    assert_eq!(kept(&stage, acme.id(), &receipt).await, Some(WriteResult::Success));
    let id = made.events[0].id;
    let expected = BTreeSet::from([(id, of_all.id), (id, of_one.id)]);
    assert_eq!(pending(&stage, acme.id()).await, Vec::from_iter(expected));
    assert_eq!(write_mails(&stage, acme.id(), at(0), 100).await, 1);

    for (step, unique) in [
        (Step::make(FeedbackPost { id: post.id, ..acme.post() }), Unique::Id),
        (Step::make(FeedbackPost { slug: post.slug.clone(), ..acme.post() }), Unique::Slug),
        (
            Step::make(Tag { code: tag.code.clone(), name: "Web".to_owned(), ..acme.tag() }),
            Unique::Code,
        ),
        (Step::make(Tag { external_id, name: "Web".to_owned(), ..acme.tag() }), Unique::ExternalId),
        (Step::make(Tag { name: tag.name.to_uppercase(), ..acme.tag() }), Unique::Name),
        (Step::make(Status { is_default_status: true, ..acme.status() }), Unique::DefaultStatus),
        (Step::make(User { email: user.email.clone(), ..acme.user() }), Unique::Email),
        (Step::make(User { user_id: user.user_id, ..acme.user() }), Unique::UserId),
        (Step::make(Vote { id: fresh(), ..vote.clone() }), Unique::Vote),
        (Step::make(ApiKey { id: fresh(), ..acme.api_key() }), Unique::ActiveKey),
        (
            edit(&acme.board, FeedbackBoard { name: "Other".to_owned(), ..acme.board.clone() }),
            Unique::Receipt,
        ),
    ] {
        let mut change = change(vec![entry(), step], at(0));
        if unique == Unique::Receipt {
            change.receipt = Some(receipt.clone());
        }
        refused(&stage, &acme, change, Recorded::Taken(unique)).await;
    }
    assert_eq!(
        stage.ports.keys.owner(key.digest).await.unwrap().map(|owner| owner.organization),
        Some(acme.id())
    );
    assert_eq!(others(&stage, &acme).await, beside);
}

pub async fn each_type_of_event_is_recorded_with_its_change(stage: Stage) {
    let mut acme = Tenant::new();
    let subscription = acme
        .add(WebhookSubscription { event_types: EventType::ALL.to_vec(), ..acme.subscription() });
    let closed = acme.add(Status { group: StatusGroup::Closed, ..acme.status() });
    let [mobile, web] = ["Mobile", "Web"].map(|name| {
        let name = name.to_owned();
        acme.add(Tag { name, ..acme.tag() })
    });
    let acme = acme.import(&stage.ports).await;
    let post = FeedbackPost { tag_ids: vec![mobile.id], ..acme.post() };
    let (tag_ids, title) = (vec![web.id], "Say \"hi\" 😀\n\u{7f}".to_owned());
    let edited = FeedbackPost { title, tag_ids, status_id: closed.id, ..post.clone() };
    let (comment, vote) = (acme.comment(&post), acme.vote(&acme.author, &post));
    let said = Comment { content: "No".to_owned(), ..comment.clone() };
    let plan = RoadmapPost { seq_number: Position::of_place(2), ..acme.roadmap_post() };
    let renamed = RoadmapPost { title: "Online".to_owned(), ..plan.clone() };
    let shut = RoadmapPost { status_id: closed.id, ..renamed.clone() };
    let user = acme.user();
    let other = User { name: "Bea".to_owned(), ..user.clone() };
    let entry = acme.entry().with_state(EntryState::Published { at: at(7) });
    let (mut known, mut expected) = (Known::new(acme.exported()), Vec::new());
    for step in [
        Step::make(post.clone()),
        Step::make(comment.clone()),
        Step::make(vote.clone()),
        edit(&post, edited.clone()),
        edit(&comment, said.clone()),
        edit(&said, Comment { is_active: false, ..said.clone() }),
        Step::remove(vote),
        edit(&edited, FeedbackPost { is_active: false, ..edited.clone() }),
        edit(&FeedbackPost { is_active: false, ..edited.clone() }, edited.clone()),
        Step::make(FeedbackPost { moderation: Moderation::Pending, ..acme.post() }),
        Step::make(Comment { visibility: Visibility::Internal, ..acme.comment(&post) }),
        Step::make(plan.clone()),
        edit(&plan, renamed.clone()),
        edit(&renamed, shut.clone()),
        edit(&shut, RoadmapPost { is_active: false, ..shut.clone() }),
        Step::make(user.clone()),
        edit(&user, other.clone()),
        edit(&other, User { is_active: false, ..other.clone() }),
        Step::make(entry.clone()),
        edit(&entry, entry.clone().with_state(EntryState::Draft)),
        Step::make(acme.article().published(at(7))),
    ] {
        let happenings = told(&step, &load(&stage, acme.id(), &quoted(&step)).await);
        assert_eq!(happenings, told(&step, &known));
        let events = happenings.into_iter().map(|what| Event {
            id: fresh(),
            at: at(7),
            what,
            in_ledger: false,
        });
        let events: Vec<Event> = events.collect();
        expected.extend(events.iter().map(StoredEvent::from));
        let change = Change { events, ..change(vec![step.clone()], at(7)) };
        applies(&stage, acme.id(), &change, Recorded::Done).await;
        known = known.with(Known::new(step.after().cloned()));
    }
    let told = |of: &EventType| expected.iter().any(|event| event.event_type == *of);
    // Merges have a port of their own.
    let merged = [EventType::PostMerged, EventType::PostUnmerged];
    assert!(EventType::ALL.iter().filter(|it| !merged.contains(it)).all(told));
    let sent: Vec<_> = expected.iter().map(|event| (event.id, subscription.id)).collect();
    assert_eq!(pending(&stage, acme.id()).await, sent);
    assert_eq!(stage.ports.events.list(acme.id(), None, 100).await.unwrap(), expected);
}

/// A new record with a slug, of each kind that has one.
fn with_slug(acme: &Tenant, text: &str) -> Vec<Record> {
    let slug = slug(text);
    vec![
        FeedbackBoard { slug: slug.clone(), ..acme.board() }.into_record(),
        RoadmapBoard { slug: slug.clone(), ..acme.roadmap_board() }.into_record(),
        FeedbackPost { slug: slug.clone(), ..acme.post() }.into_record(),
        RoadmapPost { slug: slug.clone(), ..acme.roadmap_post() }.into_record(),
        ChangelogEntry { slug: slug.clone(), ..acme.entry() }.into_record(),
        HelpCollection { slug: slug.clone(), ..acme.help_collection() }.into_record(),
        HelpCategory { slug: slug.clone(), ..acme.help_category() }.into_record(),
        HelpArticle { slug, ..acme.article() }.into_record(),
    ]
}

/// Adds records to an organization. They are deleted if `is_deleted` is set.
fn add_all(acme: &mut Tenant, mut records: Vec<Record>, is_deleted: bool) {
    for is_active in records.iter_mut().filter_map(activity) {
        *is_active = !is_deleted;
    }
    acme.extend(records);
}

pub async fn a_slug_is_taken_in_any_case_even_by_a_deleted_record_of_the_kind(stage: Stage) {
    let mut acme = Tenant::new();
    let others = with_slug(&acme, "Other");
    let deleted = with_slug(&acme, "Night-mode");
    add_all(&mut acme, others.clone(), false);
    add_all(&mut acme, deleted, true);
    let acme = acme.import(&stage.ports).await;
    for (taken, other) in with_slug(&acme, "NIGHT-Mode").into_iter().zip(others) {
        let [written, _] = crosses(&other, &taken);
        let renamed = written.into_iter().find(|(member, _)| *member == "slug").unwrap().1;
        for step in [Step::Make(taken), Step::Edit { before: other, after: renamed }] {
            let change = change(vec![step], at(0));
            refused(&stage, &acme, change, Recorded::Taken(Unique::Slug)).await;
        }
    }
}

pub async fn a_deleted_tag_gives_up_its_code_its_external_identifier_and_its_name(stage: Stage) {
    let mut acme = Tenant::new();
    let (name, external_id) = ("ÄRGER".to_owned(), Some("t-1".to_owned()));
    let first = acme.add(Tag { name, external_id, ..acme.tag() });
    let acme = acme.import(&stage.ports).await;
    let deleted = Tag { is_active: false, ..first.clone() };
    let second = Tag { id: fresh(), name: "ärger".to_owned(), ..first.clone() };
    applies(&stage, acme.id(), &bare(vec![edit(&first, deleted.clone())]), Recorded::Done).await;
    make(&stage, acme.id(), second).await;
    let bare = |code: &Option<String>, external_id: &Option<String>, name: &str| {
        let (code, external_id) = (code.clone(), external_id.clone());
        let is_active = true;
        Tag { code, external_id, name: name.to_owned(), is_active, ..deleted.clone() }
    };
    for (restored, unique) in [
        (bare(&first.code, &None, "other"), Unique::Code),
        (bare(&None, &first.external_id, "other"), Unique::ExternalId),
        (bare(&None, &None, "Ärger"), Unique::Name),
    ] {
        let change = change(vec![edit(&deleted, restored)], at(0));
        refused(&stage, &acme, change, Recorded::Taken(unique)).await;
    }
    let restored = change(vec![edit(&deleted, bare(&None, &None, "other"))], at(0));
    applies(&stage, acme.id(), &restored, Recorded::Done).await;
}

pub async fn posts_do_not_show_a_deleted_tag_and_are_returned_until_none_has_it(stage: Stage) {
    let mut acme = Tenant::new();
    let (gone, kept) = (acme.add(acme.tag()), acme.add(acme.tag()));
    let inactive = acme.add(Tag { is_active: false, ..acme.tag() });
    let tag_ids = vec![kept.id, gone.id, inactive.id];
    let posts = [true, true, false].map(|is_active| {
        acme.add(FeedbackPost { tag_ids: tag_ids.clone(), is_active, ..acme.post() })
    });
    let acme = acme.import(&stage.ports).await;
    let shows = async |organization, expected: &[TagId]| {
        let repository = &stage.ports.feedback_posts;
        let found = repository.find(organization, posts[0].id).await.unwrap().unwrap();
        let filter = PostFilter::default();
        let listed =
            repository.page(organization, filter, PostSort::Newest, first_page()).await.unwrap();
        for details in listed.items.into_iter().chain([found]) {
            assert_eq!(details.post.tag_ids, expected);
        }
    };
    let next = async |organization, limit| {
        patiently(|| stage.ports.records.next_follow_up(organization, limit)).await
    };
    shows(acme.id(), &tag_ids).await;
    assert_eq!(next(acme.id(), 10).await, None, "an import deletes no tag");

    let deletion = edit(&gone, Tag { is_active: false, ..gone.clone() });
    let follow_up = FollowUp::Replace { key: (Kind::Tag, gone.id.0), by: None };
    let deletion = Change { follow_ups: vec![follow_up], ..bare(vec![deletion]) };
    applies(&stage, acme.id(), &deletion, Recorded::Done).await;
    shows(acme.id(), &[kept.id, inactive.id]).await;
    shows(acme.twin().id(), &tag_ids).await;
    assert_eq!(next(acme.twin().id(), 10).await, None);
    let mut left: BTreeSet<_> = posts.iter().map(|post| (Kind::FeedbackPost, post.id.0)).collect();
    for post in &posts {
        assert_eq!(tasks(&stage, &acme, at(0)).await, [Task::FollowUps]);
        let (found, keys) = next(acme.id(), 2).await.unwrap();
        let keys = BTreeSet::from_iter(keys);
        assert_eq!(found, follow_up);
        assert!(keys.len() == left.len().min(2) && keys.is_subset(&left), "{keys:?}");
        left.remove(&(Kind::FeedbackPost, post.id.0));
        let untagged = FeedbackPost { tag_ids: vec![kept.id, inactive.id], ..post.clone() };
        applies(&stage, acme.id(), &bare(vec![edit(post, untagged)]), Recorded::Done).await;
    }
    assert_eq!(next(acme.id(), 2).await, None);
    assert_eq!(tasks(&stage, &acme, at(0)).await, []);
    shows(acme.id(), &[kept.id, inactive.id]).await;
}

pub async fn a_follow_up_returns_the_records_that_it_affects(stage: Stage) {
    let mut acme = Tenant::new();
    let (status, category, tag) =
        (acme.add(acme.status()), acme.add(acme.category()), acme.add(acme.tag()));
    let board = acme.add(acme.board());
    let user = acme.add(acme.user());
    let filed = FeedbackPost {
        status_id: status.id,
        category_id: Some(category.id),
        board_id: board.id,
        author_id: user.user_id,
        tag_ids: vec![tag.id],
        ..acme.post()
    };
    let pending = FeedbackPost { moderation: Moderation::Pending, ..filed.clone() };
    let [active, pending, gone] = [
        filed.clone(),
        FeedbackPost { id: fresh(), slug: crate::build::slug(fresh()), ..pending },
        FeedbackPost { id: fresh(), slug: crate::build::slug(fresh()), is_active: false, ..filed },
    ]
    .map(|post| acme.add(post));
    let plan = acme.add(RoadmapPost {
        status_id: status.id,
        category_id: Some(category.id),
        tag_ids: vec![tag.id],
        ..acme.roadmap_post()
    });
    let comment = acme.add(Comment {
        author_id: user.user_id,
        moderation: Moderation::Pending,
        ..acme.comment(&active)
    });
    acme.add(acme.post());
    acme.add(acme.roadmap_post());
    let shelf = acme.add(acme.help_collection());
    let guide = acme.add(HelpCategory { collection_id: shelf.id, ..acme.help_category() });
    let [direct, filed_in_guide, gone_article] = [
        (ArticleParent::Collection(shelf.id), true),
        (ArticleParent::Category(guide.id), true),
        (ArticleParent::Category(guide.id), false),
    ]
    .map(|(parent, is_active)| acme.add(HelpArticle { parent, is_active, ..acme.article() }));
    let acme = acme.import(&stage.ports).await;
    let post = |post: &FeedbackPost| (Kind::FeedbackPost, post.id.0);
    let all = vec![post(&active), post(&pending), post(&gone)];
    let with_plan = [all.clone(), vec![(Kind::RoadmapPost, plan.id.0)]].concat();
    let replace =
        |kind, id: Uuid| FollowUp::Replace { key: (kind, id), by: replacement(&acme, kind) };
    let count = async |kind, member, only, id| {
        let affected = Affected { kind, member, only };
        stage.ports.records.count(acme.id(), affected, id).await.unwrap()
    };
    let posts = Kind::FeedbackPost;
    assert_eq!(count(posts, "board_id", Only::All, board.id.0).await, 3);
    assert_eq!(count(posts, "board_id", Only::Active, board.id.0).await, 2);
    assert_eq!(count(posts, "author_id", Only::Pending, user.user_id.0).await, 1);
    assert_eq!(count(posts, "status_id", Only::All, fresh()).await, 0);
    let cases = [
        (replace(Kind::Status, status.id.0), with_plan.clone()),
        (replace(Kind::Category, category.id.0), with_plan.clone()),
        (replace(Kind::Tag, tag.id.0), with_plan),
        (replace(Kind::FeedbackBoard, board.id.0), all),
        (
            FollowUp::DeleteContent { of: (Kind::FeedbackBoard, board.id.0) },
            vec![post(&active), post(&pending)],
        ),
        (
            FollowUp::DeleteContent { of: (Kind::HelpCollection, shelf.id.0) },
            vec![(Kind::HelpCategory, guide.id.0), (Kind::HelpArticle, direct.id.0)],
        ),
        (
            FollowUp::DeleteContent { of: (Kind::HelpCategory, guide.id.0) },
            vec![(Kind::HelpArticle, filed_in_guide.id.0)],
        ),
        (
            FollowUp::MoveArticles { category: guide.id, to: acme.collection.id },
            vec![(Kind::HelpArticle, filed_in_guide.id.0), (Kind::HelpArticle, gone_article.id.0)],
        ),
        (
            replace(Kind::HelpCollection, shelf.id.0),
            vec![(Kind::HelpCategory, guide.id.0), (Kind::HelpArticle, direct.id.0)],
        ),
        (
            FollowUp::RejectPending { author: user.user_id },
            vec![post(&pending), (Kind::Comment, comment.id.0)],
        ),
    ];
    for (follow_up, expected) in cases {
        // A follow-up is stored once.
        let change = Change { follow_ups: vec![follow_up; 2], ..bare(vec![]) };
        applies(&stage, acme.id(), &change, Recorded::Done).await;
        let next = || stage.ports.records.next_follow_up(acme.id(), 10);
        let (found, keys) = patiently(next).await.expect("a follow-up");
        assert_eq!(found, follow_up);
        assert_eq!(BTreeSet::from_iter(keys.clone()), BTreeSet::from_iter(expected));
        let known = loaded(&stage, acme.id(), keys).await;
        let steps = known
            .iter()
            .map(|before| Step::edit_record(before.clone(), follow_up.edit(before.clone()), at(1)));
        applies(&stage, acme.id(), &bare(steps.collect()), Recorded::Done).await;
        assert_eq!(patiently(next).await, None);
        // The records are as before for the next case.
        let now = loaded(&stage, acme.id(), known.iter().map(Record::key).collect()).await;
        let back = now.into_iter().zip(&known);
        let back = back.map(|(now, then)| Step::edit_record(now, then.clone(), at(2)));
        applies(&stage, acme.id(), &bare(back.collect()), Recorded::Done).await;
    }
}

/// The records with these keys, in their order.
async fn loaded(stage: &Stage, organization: OrganizationId, keys: Vec<Key>) -> Vec<Record> {
    let known = stage.ports.records.load(organization, keys.clone()).await.unwrap();
    keys.into_iter().map(|key| known.get(key).unwrap().clone()).collect()
}

/// A record of a kind that another record can refer to instead.
fn replacement(acme: &Tenant, kind: Kind) -> Option<Uuid> {
    match kind {
        Kind::Status => Some(acme.status.id.0),
        Kind::FeedbackBoard => Some(acme.board.id.0),
        Kind::HelpCollection => Some(acme.collection.id.0),
        _ => None,
    }
}

pub async fn a_record_that_must_be_unused_is_not_deleted_while_posts_refer_to_it(stage: Stage) {
    let mut acme = Tenant::new();
    let (used, unused) = (acme.add(acme.status()), acme.add(acme.status()));
    let post = acme.add(FeedbackPost { status_id: used.id, ..acme.post() });
    acme.add(FeedbackPost { status_id: unused.id, is_active: false, ..acme.post() });
    let acme = acme.import(&stage.ports).await;
    let delete = |status: &Status| {
        let step = edit(status, Status { is_active: false, ..status.clone() });
        Change { unused: vec![(Kind::Status, status.id.0)], ..bare(vec![step]) }
    };
    let in_use = Recorded::InUse((Kind::Status, used.id.0));
    refused(&stage, &acme, delete(&used), in_use).await;
    applies(&stage, acme.id(), &delete(&unused), Recorded::Done).await;
    let moved = edit(&post, FeedbackPost { status_id: acme.status.id, ..post.clone() });
    applies(&stage, acme.id(), &bare(vec![moved]), Recorded::Done).await;
    applies(&stage, acme.id(), &delete(&used), Recorded::Done).await;
}

pub async fn a_change_moves_the_counts_of_an_article_and_an_edit_rests_on_none(stage: Stage) {
    let mut acme = Tenant::new();
    let article = acme.add(acme.article());
    let acme = acme.import(&stage.ports).await;
    let counts = |helpful, not| {
        let both = [(Count::Helpful, helpful), (Count::NotHelpful, not)];
        let counts = both.map(|(count, by)| ((article.id.0, count), by)).into();
        Change { counts, ..bare(vec![]) }
    };
    applies(&stage, acme.id(), &counts(2, 1), Recorded::Done).await;
    let renamed = HelpArticle { title: "Renamed".to_owned(), ..article.clone() };
    applies(&stage, acme.id(), &bare(vec![edit(&article, renamed)]), Recorded::Done).await;
    applies(&stage, acme.id(), &counts(1, 1), Recorded::Done).await;
    let found = stage.ports.help_articles.find(acme.id(), article.id).await.unwrap().unwrap();
    let HelpArticle { helpful_count, not_helpful_count, .. } = article;
    assert_eq!(found.summary.title, "Renamed");
    assert_eq!(found.summary.helpful_count, helpful_count + 3);
    assert_eq!(found.summary.not_helpful_count, not_helpful_count + 2);
}

/// What moves to the end of a list keeps its order there.
pub async fn articles_that_move_are_returned_by_position(stage: Stage) {
    let mut acme = Tenant::new();
    let guide = acme.add(acme.help_category());
    let articles = [3, 1, 2].map(|place| {
        let (parent, seq_number) = (ArticleParent::Category(guide.id), Position::of_place(place));
        acme.add(HelpArticle { parent, seq_number, ..acme.article() })
    });
    let acme = acme.import(&stage.ports).await;
    let follow_up = FollowUp::MoveArticles { category: guide.id, to: acme.collection.id };
    let found = stage.ports.records.affected(acme.id(), follow_up, 2).await.unwrap();
    assert_eq!(found, [1, 2].map(|at: usize| (Kind::HelpArticle, articles[at].id.0)));
}

/// A collection that articles were to move to, and that is deleted meanwhile, has another one in its
/// place.
pub async fn articles_that_were_to_move_to_a_deleted_collection_move_to_its_replacement(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    let guide = acme.add(acme.help_category());
    acme.add(HelpArticle { parent: ArticleParent::Category(guide.id), ..acme.article() });
    let [first, second] = [(); 2].map(|()| acme.add(acme.help_collection()));
    let acme = acme.import(&stage.ports).await;
    let key = (Kind::HelpCollection, first.id.0);
    let follow = async |follow_up| {
        let change = Change { follow_ups: vec![follow_up], ..bare(vec![]) };
        applies(&stage, acme.id(), &change, Recorded::Done).await;
    };
    follow(FollowUp::MoveArticles { category: guide.id, to: first.id }).await;
    follow(FollowUp::Replace { key, by: Some(second.id.0) }).await;
    let next = || stage.ports.records.next_follow_up(acme.id(), 10);
    let (found, _) = patiently(next).await.expect("a follow-up");
    assert_eq!(found, FollowUp::MoveArticles { category: guide.id, to: second.id });
}

pub async fn a_list_has_its_active_records_by_position(stage: Stage) {
    let mut acme = Tenant::new();
    let place = |place| Position::of_place(place);
    let board = acme.add(acme.roadmap_board());
    let on = |acme: &Tenant, at, is_active| RoadmapPost {
        roadmap_board_id: board.id,
        seq_number: place(at),
        is_active,
        ..acme.roadmap_post()
    };
    let last = acme.add(on(&acme, 3, true));
    let first = acme.add(on(&acme, 1, true));
    acme.add(on(&acme, 2, false));
    acme.add(acme.roadmap_post());
    let acme = acme.import(&stage.ports).await;
    let parent = Parent::Record(Kind::RoadmapBoard, board.id.0);
    let siblings =
        async |kind, parent| stage.ports.records.siblings(acme.id(), kind, parent).await.unwrap();
    assert_eq!(siblings(Kind::RoadmapPost, parent).await, [first.id.0, last.id.0]);
    let new = RoadmapPost { roadmap_board_id: board.id, ..acme.roadmap_post() };
    let new = RoadmapPost { seq_number: Position::START, ..new };
    let between = RoadmapPost { seq_number: place(2), ..on(&acme, 2, true) };
    for step in [Step::make(new.clone()), Step::make(between.clone())] {
        applies(&stage, acme.id(), &bare(vec![step]), Recorded::Done).await;
    }
    let expected = [first.id.0, between.id.0, last.id.0, new.id.0];
    assert_eq!(siblings(Kind::RoadmapPost, parent).await, expected);
}

pub async fn a_deleted_status_category_or_label_keeps_its_code(stage: Stage) {
    let mut acme = Tenant::new();
    let status = acme.add(Status { is_active: false, ..acme.status() });
    let category = acme.add(Category { is_active: false, ..acme.category() });
    let label = acme.add(Label { is_active: false, ..acme.label() });
    let acme = acme.import(&stage.ports).await;
    for step in [
        Step::make(Status { code: status.code, ..acme.status() }),
        Step::make(Category { code: category.code, ..acme.category() }),
        Step::make(Label { code: label.code, ..acme.label() }),
    ] {
        refused(&stage, &acme, bare(vec![step]), Recorded::Taken(Unique::Code)).await;
    }
}

pub async fn a_subscription_that_an_edit_deactivates_is_inactive_since_then(stage: Stage) {
    let mut acme = Tenant::new();
    let on = acme.add(acme.subscription());
    let acme = acme.import(&stage.ports).await;
    let off = WebhookSubscription { is_active: false, ..on.clone() };
    for (before, after, since) in [(&on, &off, Some(at(7))), (&off, &on, None)] {
        let step = Step::edit(before.clone(), after.clone(), at(7));
        applies(&stage, acme.id(), &change(vec![step], at(7)), Recorded::Done).await;
        let found = stage.ports.webhook_subscriptions.find(acme.id(), on.id).await.unwrap();
        let found = found.map(|found| (found.subscription, found.inactive_since));
        assert_eq!(found, Some((after.clone(), since)));
    }
}

pub async fn the_default_status_moves_in_one_change_that_clears_it_first(stage: Stage) {
    let mut acme = Tenant::new();
    let first = acme.add(Status { is_default_status: true, ..acme.status() });
    let acme = acme.import(&stage.ports).await;
    let set = edit(&acme.status, Status { is_default_status: true, ..acme.status.clone() });
    let clear = edit(&first, Status { is_default_status: false, ..first.clone() });
    for steps in [vec![set.clone()], vec![set.clone(), clear.clone()]] {
        refused(&stage, &acme, bare(steps), Recorded::Taken(Unique::DefaultStatus)).await;
    }
    applies(&stage, acme.id(), &bare(vec![clear, set]), Recorded::Done).await;
}

pub async fn identifiers_of_a_kind_are_listed_in_their_order(stage: Stage) {
    let mut acme = Tenant::new();
    for number in 0..5 {
        acme.add(FeedbackPost { is_active: number != 3, ..acme.post() });
    }
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let mut posts: Vec<Uuid> = acme.all::<FeedbackPost>().iter().map(|post| post.id.0).collect();
    posts.sort();
    assert!(posts.len() >= 5);
    let listed = async |of, kind, after, limit| {
        stage.ports.records.ids(of, kind, after, limit).await.unwrap()
    };
    assert_eq!(listed(acme.id(), Kind::FeedbackPost, None, 100).await, posts);
    assert_eq!(listed(acme.id(), Kind::FeedbackPost, None, 2).await, posts[..2]);
    assert_eq!(listed(acme.id(), Kind::FeedbackPost, Some(posts[1]), 2).await, posts[2..4]);
    let last = posts.last().copied();
    assert_eq!(listed(acme.id(), Kind::FeedbackPost, last, 2).await, Vec::<Uuid>::new());
    let of_globex = listed(globex.id(), Kind::FeedbackPost, None, 100).await;
    assert!(posts.iter().all(|post| !of_globex.contains(post)));
}

pub async fn names_are_found_among_the_records_of_a_kind(stage: Stage) {
    let mut acme = Tenant::new();
    let [active, deleted] = ["Night-Mode", "DARK-mode"].map(slug);
    let post = acme.add(FeedbackPost { slug: active, ..acme.post() });
    let gone = acme.add(FeedbackPost { slug: deleted, is_active: false, ..acme.post() });
    let named = |text: &str| (Some(text.to_owned()), Some(format!("t-{text}")));
    let (code, external_id) = named("web");
    let tag = acme.add(Tag { code, external_id, ..acme.tag() });
    let (code, external_id) = named("mobile");
    acme.add(Tag { code, external_id, is_active: false, ..acme.tag() });
    let acme = acme.import(&stage.ports).await;
    let globex = Tenant::new().import(&stage.ports).await;
    let texts = ["night-mode", "dark-mode", "Night-Mode", "web", "mobile", "Web", "t-web"];
    let found = async |organization, kind, name| {
        let many = (0..100).map(|number| format!("none-{number}"));
        let names = many.chain(texts.map(str::to_owned)).collect();
        let found = stage.ports.records.named(organization, kind, name, names).await.unwrap();
        BTreeSet::from_iter(found)
    };
    let set = |all: &[(&str, Uuid)]| {
        BTreeSet::from_iter(all.iter().map(|&(name, id)| (name.to_owned(), id)))
    };
    let slugs = set(&[("night-mode", post.id.0), ("dark-mode", gone.id.0)]);
    assert_eq!(found(acme.id(), Kind::FeedbackPost, UniqueName::Slug).await, slugs);
    assert_eq!(found(acme.id(), Kind::Tag, UniqueName::Code).await, set(&[("web", tag.id.0)]));
    assert_eq!(
        found(acme.id(), Kind::Tag, UniqueName::ExternalId).await,
        set(&[("t-web", tag.id.0)])
    );
    assert_eq!(found(acme.id(), Kind::RoadmapPost, UniqueName::Slug).await, set(&[]));
    assert_eq!(found(acme.id(), Kind::Label, UniqueName::Code).await, set(&[]));
    assert_eq!(found(globex.id(), Kind::FeedbackPost, UniqueName::Slug).await, set(&[]));
}

/// A new record for each list that has positions.
pub(super) fn listed(acme: &Tenant) -> Vec<Record> {
    let filed = ArticleParent::Category(acme.all::<HelpCategory>()[0].id);
    vec![
        acme.board().into_record(),
        acme.roadmap_board().into_record(),
        acme.status().into_record(),
        Status { group: StatusGroup::Closed, ..acme.status() }.into_record(),
        acme.help_collection().into_record(),
        acme.help_category().into_record(),
        acme.article().into_record(),
        HelpArticle { parent: filed, ..acme.article() }.into_record(),
    ]
}

/// Makes a record. Returns its position.
pub(super) async fn put(stage: &Stage, acme: &Tenant, record: Record) -> Position {
    let (key, change) = (record.key(), change(vec![Step::Make(record)], at(0)));
    applies(stage, acme.id(), &change, Recorded::Done).await;
    stored(stage, acme.id(), key).await.position().unwrap()
}

/// Applies `rule` to a stored record. Returns its position afterwards.
async fn edited(stage: &Stage, acme: &Tenant, key: Key, rule: impl Fn(&mut Record)) -> Position {
    let before = stored(stage, acme.id(), key).await;
    let mut after = before.clone();
    rule(&mut after);
    let change = change(vec![Step::Edit { before, after }], at(0));
    applies(stage, acme.id(), &change, Recorded::Done).await;
    stored(stage, acme.id(), key).await.position().unwrap()
}

pub async fn a_new_record_goes_behind_the_last_position_that_was_ever_given_in_its_list(
    stage: Stage,
) {
    let mut acme = Tenant::new();
    acme.add(acme.help_category());
    let mut imported = listed(&acme);
    let place = Position::from_ten_thousandths;
    imported.iter_mut().for_each(|record| record.put_at(place(75_000)));
    add_all(&mut acme, imported, true);
    let acme = acme.import(&stage.ports).await;
    for (list, first) in listed(&acme).into_iter().enumerate() {
        let next = async || put(&stage, &acme, listed(&acme).swap_remove(list)).await;
        let key = first.key();
        assert_eq!(put(&stage, &acme, first).await, place(85_000));
        let delete = |record: &mut Record| *activity(record).unwrap() = false;
        assert_eq!(edited(&stage, &acme, key, delete).await, place(85_000));
        assert_eq!(next().await, place(95_000), "the place of a deleted record stays taken");
        edited(&stage, &acme, key, |record| record.put_at(place(500_000))).await;
        edited(&stage, &acme, key, |record| record.put_at(place(-5))).await;
        assert_eq!(next().await, place(510_000), "the last place was given by an edit");
        edited(&stage, &acme, key, |record| record.put_at(Position::LAST)).await;
        assert_eq!([next().await, next().await], [Position::LAST; 2]);
    }
}

pub async fn a_record_that_moves_goes_to_the_end_of_its_new_list(stage: Stage) {
    let mut acme = Tenant::new();
    let (category, other) = (acme.add(acme.help_category()), acme.add(acme.help_collection()));
    let acme = acme.import(&stage.ports).await;
    let [filed, direct] =
        [ArticleParent::Category(category.id), ArticleParent::Collection(other.id)];
    // New records, each in two alternative lists.
    let pairs = || {
        let (status, category, article) = (acme.status(), acme.help_category(), acme.article());
        let grouped = |group| Status { group, ..status.clone() }.into_record();
        let sorted =
            |collection_id| HelpCategory { collection_id, ..category.clone() }.into_record();
        let parented = |parent| HelpArticle { parent, ..article.clone() }.into_record();
        [
            [StatusGroup::InProgress, StatusGroup::Completed].map(grouped),
            [other.id, acme.collection.id].map(sorted),
            [filed, direct].map(parented),
            [direct, filed].map(parented),
        ]
    };
    for pair in 0..pairs().len() {
        let [here, there] = pairs()[pair].clone();
        let (key, [next_here, _], [_, next_there]) =
            (here.key(), pairs()[pair].clone(), pairs()[pair].clone());
        let first = put(&stage, &acme, here.clone()).await;
        let moved = edited(&stage, &acme, key, |record| *record = there.clone()).await;
        assert_eq!(put(&stage, &acme, next_here).await, first.next());
        let back = edited(&stage, &acme, key, |record| *record = here.clone()).await;
        assert_eq!(back, first.next().next());
        assert_eq!(put(&stage, &acme, next_there).await, moved.next());
    }
}

pub async fn an_edited_post_or_article_is_found_by_its_new_text_alone(stage: Stage) {
    let mut acme = Tenant::new();
    let post = acme.add(acme.post());
    let article = acme.add(acme.article());
    // There are so many articles that a store uses its index.
    let hay = |_| HelpArticle { title: "Hay".to_owned(), content: String::new(), ..acme.article() };
    acme.add_backwards((0..600).map(hay).collect());
    let acme = acme.import(&stage.ports).await;
    let beside = others(&stage, &acme).await;
    let found = async |organization, text: &str| {
        let search = Some(Folded::new(text));
        let posts = PostFilter { search: search.clone(), ..PostFilter::default() };
        let posts = stage
            .ports
            .feedback_posts
            .page(organization, posts, PostSort::Newest, first_page())
            .await;
        let articles = ArticleFilter { search, ..ArticleFilter::default() };
        let sort = ArticleSort::Updated;
        let articles = stage.ports.help_articles.page(organization, articles, sort, first_page());
        let posts = posts.unwrap().items.into_iter().map(|found| found.post.id.0);
        let articles = articles.await.unwrap().items.into_iter().map(|found| found.id.0);
        posts.chain(articles).collect::<Vec<Uuid>>()
    };
    let ids = [post.id.0, article.id.0];
    let (title, content) = ("Größe".to_owned(), "<p>A needle</p>".to_owned());
    let other_post =
        FeedbackPost { title: title.clone(), description: content.clone(), ..post.clone() };
    let other_article = HelpArticle { title, content, ..article.clone() };
    let old = [
        ("Dark mode", &ids[..1]),
        ("bright", &ids[..1]),
        ("signing", &ids[1..]),
        ("ADDRESS", &ids[1..]),
    ];
    let new = [("größe", &ids[..]), ("needle", &ids[..])];
    let there = vec![edit(&post, other_post.clone()), edit(&article, other_article.clone())];
    let back = vec![edit(&other_post, post.clone()), edit(&other_article, article.clone())];
    for (steps, here, gone) in [(there, &new[..], &old[..]), (back, &old[..], &new[..])] {
        applies(&stage, acme.id(), &bare(steps), Recorded::Done).await;
        for (text, expected) in here {
            assert_eq!(found(acme.id(), text).await, *expected, "{text}");
        }
        for (text, _) in gone {
            assert!(found(acme.id(), text).await.is_empty(), "{text}");
        }
        assert_eq!(found(acme.twin().id(), "address").await, ids[1..]);
        assert_eq!(others(&stage, &acme).await, beside);
    }
}

pub async fn a_category_that_moves_takes_its_articles_along(stage: Stage) {
    let mut acme = Tenant::new();
    let (category, other) = (acme.add(acme.help_category()), acme.add(acme.help_collection()));
    let parent = ArticleParent::Category(category.id);
    let ids = [(); 3].map(|()| acme.add(HelpArticle { parent, ..acme.article() }).id);
    let acme = acme.import(&stage.ports).await;
    let found = async |collection| {
        let filter = ArticleFilter { collection_id: Some(collection), ..ArticleFilter::default() };
        let sort = ArticleSort::Newest;
        let page = stage.ports.help_articles.page(acme.id(), filter, sort, first_page()).await;
        BTreeSet::from_iter(page.unwrap().items.into_iter().map(|article| article.id))
    };
    let before = found(acme.collection.id).await;
    assert_eq!(before, BTreeSet::from(ids));
    let patch = CategoryPatch { collection_id: Some(other.id), ..CategoryPatch::default() };
    let update = Update::new(category.id, patch);
    crud::update(&stage.ports, acme.caller(), update, None).await.unwrap();
    assert_eq!(found(other.id).await, before);
    assert_eq!(found(acme.collection.id).await, BTreeSet::new());
}
