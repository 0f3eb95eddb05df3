//! `RecordRepository`, with two users who are one person, and with people who are erased.

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::mail_queue::{of_post, subscribed};
use super::records::{bare, load};
use super::sessions::{begins, session, sign_in, signs_in};
use super::{Stage, applies, inventory, kept, make, others, queue, receipt, write_mails};
use super::{oidc, passwords, second_factors};
use crate::build::{OfKind, Tenant, at, slug, subscription};
use crate::deliveries::{attempts, claim, ended, given_up, lease, ledger, settle, status, take};
use crate::system::{asked, fresh, patiently};
use hearback_app::effects::{Effects, Tried};
use hearback_app::one_person::{self, EraseUser, MergeUsers};
use hearback_domain::Uuid;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::comment::Comment;
use hearback_domain::event::{Event, EventType, Happening, UserFacts};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::help_article::HelpArticle;
use hearback_domain::mail::Mailing;
use hearback_domain::merge::MergeRecord;
use hearback_domain::one_person::Traces;
use hearback_domain::record::Key;
use hearback_domain::roadmap_post::RoadmapPost;
use hearback_domain::session::Session;
use hearback_domain::subscription::{Level, Subscription};
use hearback_domain::user::User;
use hearback_domain::vote::Vote;
use hearback_domain::webhook_subscription::WebhookSubscription;
use hearback_ports::delivery_queue::SettledDelivery;
use hearback_ports::{Change, Kind, Record, Recorded, WriteResult};

/// The effects of a merge or an erasure.
fn would(effects: &[(&'static str, i64)]) -> Tried {
    Tried::Would(Effects(effects.to_vec()))
}

/// Makes what follows from changes of an organization, as far as the store makes it by itself.
/// Asserts that nothing else is left.
async fn finish(stage: &Stage, acme: &Tenant) {
    while let Some((follow_up, keys)) =
        patiently(|| stage.ports.records.next_follow_up(acme.id(), 10)).await
    {
        assert_eq!(keys, [], "{follow_up:?}");
    }
}

/// Whether a record other than the user refers to the user.
fn refers(record: &Record, user: &User) -> bool {
    let all = [record.references(), record.listed_references()].concat();
    all.iter().any(|reference| reference.key() == (Kind::User, user.user_id.0))
}

pub async fn all_that_refers_to_a_user_goes_to_another_one(stage: Stage) {
    let mut acme = Tenant::new();
    let other = acme.add(acme.user());
    let user = acme.add(User { external_id: Some("crm-7".to_owned()), ..acme.user() });
    let (one, two) = (Some(user.user_id), Some(other.user_id));
    let filed =
        FeedbackPost { author_id: user.user_id, owner_id: one, created_by_id: one, ..acme.post() };
    let post = acme.add(filed.clone());
    let gone = FeedbackPost { id: fresh(), slug: slug(fresh()), is_active: false, ..filed };
    let gone = acme.add(gone);
    let plan = acme.add(RoadmapPost { author_id: one, owner_id: two, ..acme.roadmap_post() });
    let comment = acme.add(Comment { author_id: user.user_id, ..acme.comment(&post) });
    acme.add(ChangelogEntry { author_id: one, ..acme.entry() });
    let article = acme.add(HelpArticle { author_id: one, ..acme.article() });
    acme.add(acme.version(&article, 1));
    let allowed_user_ids = vec![user.user_id, acme.author.user_id];
    let board = acme.add(FeedbackBoard { allowed_user_ids, ..acme.board() });
    let [first, second] = [(); 2].map(|()| acme.add(acme.post()));
    // On the first post the user has the older vote, on the second one the other user has it.
    let older = acme.add(acme.vote(&user, &first));
    let dropped = acme.add(acme.vote(&other, &first));
    let kept = acme.add(acme.vote(&other, &second));
    let younger = acme.add(acme.vote(&user, &second));
    let alone = acme.add(acme.vote(&user, &plan));
    let filed_by = Vote { created_by_id: one, ..acme.vote(&acme.author, &second) };
    let filed_by = acme.add(filed_by);
    let subscribed = acme.add(acme.post_subscription(&user, &first));
    acme.add(acme.post_subscription(&user, &second));
    let twin = acme.add(acme.post_subscription(&other, &second));
    let merge = acme.add(MergeRecord {
        merger_id: user.user_id,
        moved_user_ids: vec![user.user_id],
        ..acme.merge(&gone, &post)
    });
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let inventory_before = inventory(&stage, acme.id()).await;
    let merge_users = |dry_run| MergeUsers { user: user.user_id, into: other.user_id, dry_run };
    let tried = async |dry_run| {
        let merged = || one_person::merge(&stage.ports, acme.caller(), merge_users(dry_run), None);
        asked(merged).await.unwrap()
    };
    let expected = would(&[
        ("posts_moved", 1),
        ("comments_moved", 1),
        ("votes_moved", 1),
        ("votes_dropped", 2),
        ("subscriptions_moved", 1),
    ]);
    assert_eq!(tried(true).await, expected);
    assert_eq!(inventory(&stage, acme.id()).await, inventory_before);
    tried(false).await;
    finish(&stage, &acme).await;

    let records = super::export_all(&stage.ports, acme.id()).await;
    let left: Vec<_> = records.iter().filter(|record| refers(record, &user)).collect();
    assert_eq!(left, Vec::<&Record>::new());
    let by_id = |id: Uuid| records.iter().find(|record| record.id() == id);
    let vote = |vote: &Vote| by_id(vote.id.0).and_then(Vote::of_record).cloned();
    let given = |vote: &Vote| Some(Vote { user_id: other.user_id, ..vote.clone() });
    assert_eq!([&older, &alone].map(vote), [&older, &alone].map(given));
    assert_eq!(vote(&kept), Some(kept));
    assert_eq!([&dropped, &younger].map(vote), [None, None]);
    assert_eq!(vote(&filed_by), Some(Vote { created_by_id: two, ..filed_by }));
    let subscriptions: Vec<&Subscription> =
        records.iter().filter_map(Subscription::of_record).collect();
    let moved = Subscription { user_id: other.user_id, ..subscribed };
    assert_eq!(subscriptions, [&moved, &twin]);
    let authors = [by_id(post.id.0), by_id(gone.id.0)].map(|post| {
        let post = post.and_then(FeedbackPost::of_record).unwrap();
        (post.author_id, post.owner_id, post.created_by_id)
    });
    assert_eq!(authors, [(other.user_id, two, two); 2]);
    let comment = by_id(comment.id.0).and_then(Comment::of_record).unwrap();
    assert_eq!(comment.author_id, other.user_id);
    let board = by_id(board.id.0).and_then(FeedbackBoard::of_record).unwrap();
    assert_eq!(board.allowed_user_ids, [other.user_id, acme.author.user_id]);
    let merge = by_id(merge.id.0).and_then(MergeRecord::of_record).unwrap();
    assert_eq!((merge.merger_id, &*merge.moved_user_ids), (other.user_id, &[other.user_id][..]));
    let [user, stayed] =
        [&user, &other].map(|it| by_id(it.id.0).and_then(User::of_record).unwrap());
    assert!(!user.is_active && user.email.is_empty());
    assert_eq!((&*stayed.email, stayed.external_id.as_deref()), (&*other.email, Some("crm-7")));
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn who_takes_the_place_of_a_user_is_not_mailed_about_changes_of_that_user(stage: Stage) {
    let mut acme = Tenant::new();
    let user = acme.add(acme.user());
    let other = acme.add(User { is_subscribed: true, ..acme.user() });
    let [of_nobody, of_user, _] = of_post(&mut acme);
    acme.add(subscribed(&acme, &other, &of_user, Level::All));
    let acme = acme.import(&stage.ports).await;
    queue(&stage, acme.id(), Mailing { actor_id: Some(user.user_id), ..of_user }).await;
    let input = MergeUsers { user: user.user_id, into: other.user_id, dry_run: false };
    asked(|| one_person::merge(&stage.ports, acme.caller(), input, None)).await.unwrap();
    assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 0);
    queue(&stage, acme.id(), of_nobody).await;
    assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 1);
}

pub async fn users_are_merged_though_the_other_one_is_merged_or_deleted_meanwhile(stage: Stage) {
    let mut acme = Tenant::new();
    let [first, second, third] = [(); 3].map(|()| acme.add(acme.user()));
    let acme = acme.import(&stage.ports).await;
    let replace = |user: &User, by: &User| FollowUp::Replace {
        key: (Kind::User, user.user_id.0),
        by: Some(by.user_id.0),
    };
    let follow = async |follow_up| {
        let change = Change { follow_ups: vec![follow_up], ..bare(vec![]) };
        applies(&stage, acme.id(), &change, Recorded::Done).await;
    };
    let post = FeedbackPost { author_id: first.user_id, ..acme.post() };
    let other_post = FeedbackPost { author_id: second.user_id, ..acme.post() };
    make(&stage, acme.id(), post.clone()).await;
    make(&stage, acme.id(), other_post.clone()).await;
    follow(replace(&first, &second)).await;
    follow(replace(&second, &third)).await;
    for _ in 0..2 {
        let next = patiently(|| stage.ports.records.next_follow_up(acme.id(), 10)).await;
        let (found, keys) = next.expect("a follow-up");
        let known = load(&stage, acme.id(), &keys).await;
        for key in keys {
            let record = known.get(key).unwrap();
            let steps = found.steps(record, None, at(1));
            applies(&stage, acme.id(), &bare(steps), Recorded::Done).await;
        }
    }
    assert_eq!(patiently(|| stage.ports.records.next_follow_up(acme.id(), 10)).await, None);
    let key = |post: &FeedbackPost| -> Key { (Kind::FeedbackPost, post.id.0) };
    let known = load(&stage, acme.id(), &[key(&post), key(&other_post)]).await;
    for post in [post, other_post] {
        assert_eq!(known.any::<FeedbackPost>(post.id).unwrap().author_id, third.user_id);
    }
}

/// A person of whom each part of a store knows something. The name, the address, the picture and
/// the other values are unique texts.
pub fn known_person() -> (Tenant, User) {
    let mut acme = Tenant::new();
    let user = acme.user();
    let mark = format!("zz{}", user.id.0.simple());
    let person = acme.add(User {
        name: format!("Name-{mark}"),
        email: format!("address-{mark}@example.com"),
        avatar_url: format!("https://example.com/avatar-{mark}.png"),
        company_name: format!("company-{mark}"),
        customer_status: format!("status-{mark}"),
        external_id: Some(format!("crm-{mark}")),
        is_subscribed: true,
        ..user
    });
    let post = acme.add(FeedbackPost { author_id: person.user_id, ..acme.post() });
    acme.add(Comment { author_id: person.user_id, ..acme.comment(&post) });
    let source_url = Some(format!("https://crm.example.com/{mark}"));
    acme.add(Vote { source_url, ..acme.vote(&person, &post) });
    acme.add(acme.post_subscription(&person, &post));
    let event_types = vec![EventType::UserCreated, EventType::UserUpdated, EventType::UserDeleted];
    acme.add(WebhookSubscription { event_types, ..subscription() });
    (acme, person)
}

/// The unique part of the values of a [`known_person`].
pub fn mark(person: &User) -> String {
    format!("zz{}", person.id.0.simple())
}

/// Gives a store events, deliveries, a mail, receipts, a session and a sign-in of a
/// [`known_person`]. Of the deliveries,
/// one has succeeded, one has failed, one waits, and one is on its way. Returns that one, with the
/// receiver's answer.
pub async fn fill(stage: &Stage, acme: &Tenant, person: &User) -> SettledDelivery {
    for n in 0..4 {
        let facts = UserFacts::from(person);
        let what = match n {
            0 => Happening::UserCreated(facts),
            _ => Happening::UserUpdated(facts),
        };
        let event = Event { id: fresh(), at: at(n), what, in_ledger: false };
        let change = Change { events: vec![event], ..bare(vec![]) };
        applies(stage, acme.id(), &change, Recorded::Done).await;
    }
    let facts = UserFacts::from(&acme.author);
    let event =
        Event { id: fresh(), at: at(100), what: Happening::UserUpdated(facts), in_ledger: false };
    let change = Change { events: vec![event], ..bare(vec![]) };
    applies(stage, acme.id(), &change, Recorded::Done).await;
    let held = lease(at(1_000));
    let taken = take(stage, claim(acme, held, at(2)), 3).await;
    let answered = |mut settled: SettledDelivery| {
        settled.attempt.answer = format!("Hello {}, {}", person.name, person.email).into_bytes();
        settled
    };
    let done = answered(ended(&taken[0], held, status(200), at(10)));
    let failed = answered(given_up(&taken[1], held, at(10)));
    settle(stage, vec![done, failed]).await;
    let id: Uuid = fresh();
    let entry = ChangelogEntry {
        id: id.into(),
        slug: slug(id),
        status: EntryStatus::Published,
        published_at: Some(at(0)),
        notify: true,
        ..acme.entry()
    };
    make(stage, acme.id(), entry).await;
    assert_eq!(write_mails(stage, acme.id(), at(20), 10).await, 1);
    for key in [format!("upsert-{}", person.email), "other".to_owned()] {
        let receipt = receipt(&key, WriteResult::Success, at(20));
        let change = Change { receipt: Some(receipt), ..bare(vec![]) };
        applies(stage, acme.id(), &change, Recorded::Done).await;
    }
    let agent = format!("Browser {}", mark(person));
    let session = Session { agent, ..session(person.user_id, 20) };
    begins(stage, acme.id(), &session, Recorded::Done).await;
    let (id, password) = (acme.id(), passwords::password(person.user_id, 20));
    passwords::sets(stage, id, &password, Some(session.digest), Recorded::Done).await;
    oidc::links(stage, id, &oidc::account(person.user_id), Recorded::Done).await;
    let factor = second_factors::factor(person.user_id);
    second_factors::adds(stage, id, &factor, session.digest, Recorded::Done).await;
    signs_in(stage, acme.id(), &sign_in(&person.email, 20), Recorded::Done).await;
    answered(ended(&taken[2], held, status(200), at(30)))
}

/// Erases a person, and makes what follows.
pub async fn erase(stage: &Stage, acme: &Tenant, person: &User, traces: Traces) {
    let erased = || {
        let erase = EraseUser { user: person.user_id, traces, dry_run: false };
        one_person::erase(&stage.ports, acme.caller(), erase, None)
    };
    asked(erased).await.unwrap();
    finish(stage, acme).await;
}

pub async fn an_erased_person_is_in_no_record_event_delivery_mail_or_receipt(stage: Stage) {
    for traces in [Traces::Anonymize, Traces::Delete] {
        let (acme, person) = known_person();
        let acme = acme.import(&stage.ports).await;
        let before = others(&stage, &acme).await;
        let on_its_way = fill(&stage, &acme, &person).await;
        let effects = async |traces| {
            let erase = EraseUser { user: person.user_id, traces, dry_run: true };
            let tried = || one_person::erase(&stage.ports, acme.caller(), erase, None);
            asked(tried).await.unwrap()
        };
        let of = |deleted: i64, anonymized| {
            would(&[
                ("posts_deleted", deleted),
                ("comments_deleted", deleted),
                ("votes_deleted", deleted),
                ("records_anonymized", anonymized),
            ])
        };
        assert_eq!(effects(Traces::Anonymize).await, of(0, 4));
        assert_eq!(effects(Traces::Delete).await, of(1, 1));
        erase(&stage, &acme, &person, traces).await;
        settle(&stage, vec![on_its_way.clone()]).await;

        let records = super::export_all(&stage.ports, acme.id()).await;
        let texts = format!("{records:?}");
        assert!(!texts.contains(&mark(&person)), "{texts}");
        let known = load(&stage, acme.id(), &[(Kind::User, person.user_id.0)]).await;
        let erased = known.any::<User>(person.user_id).unwrap();
        assert_eq!((&*erased.name, &*erased.email), ("Deleted user", ""));
        let ledger = ledger(&stage, acme.id()).await;
        let events: Vec<_> = ledger.events.iter().map(|event| event.event_type).collect();
        assert_eq!(events, [EventType::UserUpdated, EventType::UserDeleted]);
        let texts = format!("{ledger:?}");
        assert!(!texts.contains(&mark(&person)), "{texts}");
        assert_eq!(ledger.deliveries.len(), 2);
        assert_eq!(attempts(&stage, on_its_way.key).await, []);
        assert_eq!(stage.probe.mails(acme.id()).await.len(), 0);
        let rows = stage.probe.rows(acme.id()).await;
        let left = ["sessions", "sign_ins", "passwords", "second_factors", "oidc_accounts"]
            .map(|table| rows.get(table).copied().unwrap_or(0));
        assert_eq!(left, [0; 5]);
        let receipt = |key: &str| receipt(key, WriteResult::Success, at(20));
        let with_address = receipt(&format!("upsert-{}", person.email));
        assert_eq!(kept(&stage, acme.id(), &with_address).await, None);
        assert_eq!(kept(&stage, acme.id(), &receipt("other")).await, Some(WriteResult::Success));
        let is_deleted = traces == Traces::Delete;
        let active = |record: &&Record| record.is_active();
        let posts = records.iter().filter(active).filter_map(FeedbackPost::of_record).count();
        let comments = records.iter().filter(active).filter_map(Comment::of_record).count();
        let votes = records.iter().filter_map(Vote::of_record).count();
        assert_eq!([posts, comments, votes], [usize::from(!is_deleted); 3]);
        assert_eq!(records.iter().filter_map(Subscription::of_record).count(), 0);
        assert_eq!(others(&stage, &acme).await, before);

        // What is erased is erased again without a change, and its traces may be deleted later.
        assert_eq!(effects(Traces::Anonymize).await, of(0, 0));
        let before = inventory(&stage, acme.id()).await;
        erase(&stage, &acme, &person, traces).await;
        assert_eq!(inventory(&stage, acme.id()).await, before);
        erase(&stage, &acme, &person, Traces::Delete).await;
        assert_eq!(effects(Traces::Delete).await, of(0, 0));
    }
}

pub async fn the_events_of_a_merged_user_are_erased_with_the_other_one(stage: Stage) {
    let (mut acme, person) = known_person();
    let other = acme.add(acme.user());
    let acme = acme.import(&stage.ports).await;
    fill(&stage, &acme, &person).await;
    let merge = MergeUsers { user: person.user_id, into: other.user_id, dry_run: false };
    let merged = || one_person::merge(&stage.ports, acme.caller(), merge, None);
    asked(merged).await.unwrap();
    finish(&stage, &acme).await;
    erase(&stage, &acme, &other, Traces::Anonymize).await;
    let ledger = ledger(&stage, acme.id()).await;
    let texts = format!("{ledger:?} {:?}", super::export_all(&stage.ports, acme.id()).await);
    assert!(!texts.contains(&mark(&person)), "{texts}");
}
