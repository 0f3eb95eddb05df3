//! `MailQueue`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{
    Stage, applies, change, ends, inventory, make, others, queue, write_mails, write_some,
};
use crate::build::{Imported, Tenant, at, slug};
use crate::property::for_all;
use crate::system::{deadline, fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{MailingId, OrganizationId, UserId};
use hearback_domain::mail::{Audience, MailFailure, MailOutcome, Mailing, Subject};
use hearback_domain::record::{OfKind, Step};
use hearback_domain::subscription::{Level, Subscription};
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::mail_queue::{ClaimedMail, Readers, SettledMail, Written};
use hearback_ports::mailer::Recipient;
use hearback_ports::{Change, Lease, Recorded};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Instant;

/// An organization with this many subscribers, no two of which are alike, and with users that
/// receive no mail.
fn readers(count: usize) -> (Tenant, Vec<User>) {
    let mut acme = Tenant::new();
    acme.add(User { is_subscribed: true, is_active: false, ..acme.user() });
    acme.add(User { is_subscribed: true, email: String::new(), ..acme.user() });
    let reader = |n| User { name: format!("Ada 😀 {n}"), is_subscribed: true, ..acme.user() };
    let mut readers: Vec<User> = (0..count).map(reader).collect();
    acme.add_backwards(readers.clone());
    readers.sort_by_key(|reader| reader.user_id);
    (acme, readers)
}

/// Adds an entry with a mailing.
async fn announce(stage: &Stage, acme: &Tenant) -> Mailing {
    let entry = ChangelogEntry { notify: true, ..published(acme) };
    make(stage, acme.id(), entry.clone()).await;
    Mailing::of_entry(entry.id)
}

/// A published entry.
fn published(acme: &Tenant) -> ChangelogEntry {
    let id: Uuid = fresh();
    ChangelogEntry {
        id: id.into(),
        slug: slug(id),
        status: EntryStatus::Published,
        published_at: Some(at(0)),
        ..acme.entry()
    }
}

/// Adds a post with a comment and a mailing of each subject about them. The author made the changes.
pub(crate) fn of_post(acme: &mut Tenant) -> [Mailing; 3] {
    let post = acme.add(acme.post());
    let comment = acme.add(acme.comment(&post)).id;
    let status = |note| Subject::Status { post: post.id, status: post.status_id, note };
    let mailing = |id, subject| Mailing { id, subject, actor_id: Some(acme.author.user_id) };
    [
        Mailing { actor_id: None, ..mailing(fresh(), status(None)) },
        mailing(fresh(), status(Some(comment))),
        mailing(comment.0.into(), Subject::Comment { post: post.id, comment, reply_to: None }),
    ]
}

/// A subscription to the post of a mailing.
pub(crate) fn subscribed(
    acme: &Tenant,
    user: &User,
    mailing: &Mailing,
    level: Level,
) -> Subscription {
    let Audience::Subscribers { post, .. } = mailing.subject.audience() else {
        panic!("{mailing:?} is not about a post")
    };
    let subscription = acme.post_subscription(user, &acme.post());
    Subscription { feedback_post_id: post, level, ..subscription }
}

/// An organization with subscribers, an entry with a mailing, and its mails, due at `now`.
async fn written(stage: &Stage, count: usize, now: Time) -> (Imported, Vec<User>, Mailing) {
    let (acme, readers) = readers(count);
    let acme = acme.import(&stage.ports).await;
    let mailing = announce(stage, &acme).await;
    assert_eq!(write_mails(stage, acme.id(), now, 100).await, count);
    (acme, readers, mailing)
}

fn lease(until: Time) -> Lease {
    Lease { holder: fresh(), until }
}

/// Claims exactly `count` mails. A cautious store may hand out none at first.
async fn claim(
    stage: &Stage,
    organization: OrganizationId,
    lease: Lease,
    now: Time,
    count: usize,
) -> Vec<ClaimedMail> {
    let deadline = deadline();
    let mut claimed = Vec::new();
    while claimed.len() < count && Instant::now() < deadline {
        let rest = (count - claimed.len()) as i64;
        claimed.extend(stage.ports.mail_queue.claim(organization, lease, now, rest).await.unwrap());
    }
    assert_eq!(claimed.len(), count);
    claimed
}

/// Expects that a claim returns no mail.
async fn none(stage: &Stage, organization: OrganizationId, now: Time) {
    assert_eq!(
        stage.ports.mail_queue.claim(organization, lease(Time::MAX), now, 100).await.unwrap(),
        []
    );
}

async fn settle(
    stage: &Stage,
    acme: &Tenant,
    holder: Uuid,
    mail: &ClaimedMail,
    outcome: MailOutcome,
    now: Time,
) {
    let settled = SettledMail { mailing: mail.mailing.id, user: mail.user, outcome };
    settle_all(stage, acme.id(), holder, vec![settled], now).await;
}

pub(crate) async fn settle_all(
    stage: &Stage,
    organization: OrganizationId,
    holder: Uuid,
    mails: Vec<SettledMail>,
    now: Time,
) {
    patiently(|| stage.ports.mail_queue.settle(organization, holder, mails.clone(), now)).await;
}

/// The states of the mails of an entry, in the order of their recipients.
async fn states(stage: &Stage, organization: OrganizationId) -> Vec<String> {
    stage.probe.mails(organization).await.into_values().collect()
}

fn recipient(user: &User) -> Option<Recipient> {
    Some(Recipient { name: user.name.clone(), address: user.email.clone() })
}

pub async fn each_mailing_is_written_in_batches_in_the_order_of_the_recipients(stage: Stage) {
    for limit in [1, 2, 3, 5, 6, 100] {
        let (acme, readers) = readers(6);
        let acme = acme.import(&stage.ports).await;
        let mailings =
            BTreeSet::from([announce(&stage, &acme).await.id, announce(&stage, &acme).await.id]);
        let deadline = deadline();
        let mut before = BTreeSet::new();
        while before.len() < 2 * readers.len() {
            assert!(Instant::now() < deadline, "some mails are not written in time");
            let Written::Batch(count) =
                write_some(&stage.ports, acme.id(), at(0), limit).await.unwrap()
            else {
                continue;
            };
            let mails = stage.probe.mails(acme.id()).await;
            let mails: BTreeSet<_> = mails.into_keys().collect();
            assert_eq!(mails.len() - before.len(), count);
            assert!(count <= limit as usize);
            let new: BTreeSet<MailingId> =
                mails.difference(&before).map(|&(mailing, _)| mailing).collect();
            assert!(new.len() <= 1, "a batch belongs to one mailing");
            for &mailing in &mailings {
                let to: Vec<UserId> =
                    mails.iter().filter(|mail| mail.0 == mailing).map(|&(_, user)| user).collect();
                let first: Vec<UserId> =
                    readers.iter().take(to.len()).map(|reader| reader.user_id).collect();
                assert_eq!(to, first, "by {limit}");
            }
            before = mails;
        }
        assert_eq!(write_mails(&stage, acme.id(), at(0), limit).await, 0);
        assert_eq!(
            write_some(&stage.ports, acme.id(), at(0), limit).await.unwrap(),
            Written::Nothing
        );
        assert_eq!(states(&stage, acme.id()).await, ["pending"; 12]);
    }
}

pub async fn there_is_nothing_to_write_without_a_mailing(stage: Stage) {
    let (acme, _) = readers(2);
    let acme = acme.import(&stage.ports).await;
    for organization in [acme.id(), fresh()] {
        assert_eq!(
            write_some(&stage.ports, organization, at(0), 10).await.unwrap(),
            Written::Nothing
        );
        none(&stage, organization, Time::MAX).await;
    }
}

pub async fn a_mailing_without_recipients_ends(stage: Stage) {
    let (acme, _) = readers(0);
    let acme = acme.import(&stage.ports).await;
    announce(&stage, &acme).await;
    assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 0);
    assert_eq!(write_some(&stage.ports, acme.id(), at(0), 10).await.unwrap(), Written::Nothing);
    assert!(stage.probe.mails(acme.id()).await.is_empty());
}

pub async fn the_mails_of_an_entry_are_of_its_organization_alone(stage: Stage) {
    let (acme, readers) = readers(2);
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let mailing = announce(&stage, &acme).await;
    // In the opposite organization other users are linked.
    for other in [acme.twin().id(), acme.opposite().id()] {
        assert_eq!(write_some(&stage.ports, other, at(0), 10).await.unwrap(), Written::Nothing);
    }
    write_mails(&stage, acme.id(), at(0), 10).await;
    for other in [acme.twin().id(), acme.opposite().id()] {
        none(&stage, other, Time::MAX).await;
        let settled = readers.iter().map(|user| SettledMail {
            mailing: mailing.id,
            user: user.user_id,
            outcome: MailOutcome::Sent,
        });
        settle_all(&stage, other, fresh(), settled.collect(), at(0)).await;
    }
    let claimed = claim(&stage, acme.id(), lease(at(100)), at(0), 2).await;
    let to: Vec<_> = claimed.into_iter().map(|mail| mail.recipient).collect();
    assert!(
        readers.iter().all(|reader| to.contains(&recipient(reader))),
        "the recipients have the names of this organization"
    );
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn mails_go_to_exactly_the_users_whom_a_mailing_reaches(stage: Stage) {
    let flag = || prop::bool::weighted(0.8);
    let level = prop::option::of(prop::sample::select(Level::ALL));
    let users = prop::collection::vec((flag(), flag(), flag(), flag(), level), 0..14);
    for_all(16, (users, 1..6_i64), async |(users, limit)| {
        let mut acme = Tenant::new();
        let actor = acme.add(User { is_subscribed: true, ..acme.user() });
        let actor_id = Some(actor.user_id);
        let mailings = of_post(&mut acme)
            .map(|mailing| Mailing { actor_id: mailing.actor_id.and(actor_id), ..mailing });
        let mut all = vec![(actor, Some(Level::All))];
        for (is_subscribed, is_active, has_address, is_not_blocked, level) in users {
            let is_blocked = !is_not_blocked;
            let mut user = User { is_subscribed, is_active, is_blocked, ..acme.user() };
            if !has_address {
                user.email.clear();
            }
            all.push((acme.add(user), level));
        }
        // A subscription to another post counts for nothing.
        let other = acme.add(acme.post());
        for (user, level) in &all {
            acme.add(acme.post_subscription(user, &other));
            if let Some(level) = level {
                acme.add(subscribed(&acme, user, &mailings[0], *level));
            }
        }
        let acme = acme.import(&stage.ports).await;
        let mut expected = BTreeSet::new();
        for mailing in mailings {
            queue(&stage, acme.id(), mailing).await;
            let reached = all.iter().filter(|(user, level)| mailing.reaches(user, *level, None));
            expected.extend(reached.map(|(user, _)| (mailing.id, user.user_id)));
        }
        for (notify, notify_voters) in [(true, false), (false, true), (true, true)] {
            let entry = ChangelogEntry { notify, notify_voters, ..published(&acme) };
            let link = EntryLink { feedback_post_id: other.id, ..acme.entry_link(&entry, &other) };
            let steps = vec![Step::make(entry.clone()), Step::make(link)];
            let change = Change { needs: vec![], ..change(steps, at(0)) };
            applies(&stage, acme.id(), &change, Recorded::Done).await;
            // All are subscribed to the linked post.
            let (mailing, level) = (Mailing::of_entry(entry.id), Some(Level::All));
            let reached = all.iter().filter(|(user, _)| mailing.reaches(user, level, Some(&entry)));
            expected.extend(reached.map(|(user, _)| (mailing.id, user.user_id)));
        }
        assert_eq!(write_mails(&stage, acme.id(), at(0), limit).await, expected.len());
        let mails = stage.probe.mails(acme.id()).await;
        assert_eq!(mails.into_keys().collect::<BTreeSet<_>>(), expected);
        // The portal alone tells those who receive no mail.
        let receives =
            |id: UserId| all.iter().any(|(it, _)| it.user_id == id && it.receives_mail());
        let mailed = expected.iter().filter(|(_, user)| receives(*user)).count();
        for mail in claim(&stage, acme.id(), lease(at(100)), at(0), mailed).await {
            let mut named = mailings.iter().filter(|mailing| mailing.id == mail.mailing.id);
            let subject = mail.mailing.subject;
            assert!(named.all(|mailing| *mailing == mail.mailing), "{subject:?}");
            let (user, _) = all.iter().find(|(user, _)| user.user_id == mail.user).unwrap();
            assert_eq!(mail.recipient, recipient(user), "{subject:?}");
        }
    });
}

pub async fn an_entry_that_reached_nobody_is_mailed_when_it_is_published_again(stage: Stage) {
    let (mut acme, readers) = readers(1);
    let post = acme.add(acme.post());
    acme.add(acme.post_subscription(&readers[0], &post));
    acme.add(User { is_subscribed: false, ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    // No post is linked, and the next publication is for all.
    let entry = ChangelogEntry { notify_voters: true, ..published(&acme) };
    make(&stage, acme.id(), entry.clone()).await;
    assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 0);
    let draft = ChangelogEntry { updated_at: at(1), ..entry.clone().unpublished() };
    let again = ChangelogEntry { notify: true, updated_at: at(2), ..entry.clone() };
    for (before, after) in [(&entry, &draft), (&draft, &again)] {
        let (before, after) = (before.clone().into_record(), after.clone().into_record());
        let change = change(vec![Step::Edit { before, after }], at(2));
        applies(&stage, acme.id(), &change, Recorded::Done).await;
    }
    assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 1);
}

pub async fn the_readers_of_an_entry_are_counted_before_it_is_mailed(stage: Stage) {
    let (mut acme, readers) = readers(3);
    let post = acme.add(acme.post());
    let blocked = acme.add(User { is_subscribed: true, is_blocked: true, ..acme.user() });
    acme.add(User { is_subscribed: true, changelog_mail: false, ..acme.user() });
    for user in [&readers[0], &readers[1], &blocked] {
        acme.add(acme.post_subscription(user, &post));
    }
    let acme = acme.import(&stage.ports).await;
    let entry = ChangelogEntry { notify: true, ..published(&acme) }.unpublished();
    let count = async |organization: OrganizationId, most| {
        stage.ports.mail_queue.readers(organization, entry.id, most).await.unwrap()
    };
    make(&stage, acme.id(), entry.clone()).await;
    assert_eq!(count(acme.id(), 100).await, Readers { all: 4, voters: 0 });
    make(&stage, acme.id(), acme.entry_link(&entry, &post)).await;
    assert_eq!(count(acme.id(), 100).await, Readers { all: 4, voters: 2 });
    assert_eq!(count(acme.id(), 1).await, Readers { all: 1, voters: 1 });
    assert_eq!(count(fresh(), 100).await, Readers::default());
    // An entry is mailed once.
    queue(&stage, acme.id(), Mailing::of_entry(entry.id)).await;
    assert_eq!(count(acme.id(), 100).await, Readers::default());
}

pub async fn a_mailing_is_queued_once(stage: Stage) {
    let (mut acme, readers) = readers(3);
    let [_, _, mailing] = of_post(&mut acme);
    acme.add(subscribed(&acme, &readers[0], &mailing, Level::All));
    let acme = acme.import(&stage.ports).await;
    for now in [at(0), at(5)] {
        queue(&stage, acme.id(), mailing).await;
        write_mails(&stage, acme.id(), now, 10).await;
    }
    let claimed = claim(&stage, acme.id(), lease(at(100)), at(0), 1).await;
    assert_eq!(claimed[0].mailing, mailing);
    none(&stage, acme.id(), at(50)).await;
}

pub async fn many_writers_at_once_write_each_mail_once(stage: Stage) {
    let (mut acme, readers) = readers(40);
    let mailings = of_post(&mut acme);
    for reader in &readers {
        acme.add(subscribed(&acme, reader, &mailings[0], Level::All));
    }
    let acme = acme.import(&stage.ports).await;
    announce(&stage, &acme).await;
    for mailing in mailings {
        queue(&stage, acme.id(), mailing).await;
    }
    let counts = join_all((0..8).map(|n| write_mails(&stage, acme.id(), at(0), 1 + n % 5))).await;
    assert_eq!(counts.iter().sum::<usize>(), 4 * readers.len(), "{counts:?}");
    assert_eq!(states(&stage, acme.id()).await, vec!["pending"; 4 * readers.len()]);
}

pub async fn a_mail_is_handed_out_once_it_is_due_with_its_recipient(stage: Stage) {
    let (acme, readers, mailing) = written(&stage, 3, at(10)).await;
    none(&stage, acme.id(), at(9)).await;
    let mut claimed = claim(&stage, acme.id(), lease(at(100)), at(10), 3).await;
    claimed.sort_by_key(|mail| mail.user);
    for (mail, user) in claimed.iter().zip(&readers) {
        let expected = ClaimedMail {
            mailing,
            user: user.user_id,
            attempt: 1,
            in_digest: false,
            recipient: recipient(user),
        };
        assert_eq!(
            (mail, mail.recipient.as_ref().map(|to| &to.name)),
            (&expected, Some(&user.name))
        );
    }
    assert_eq!(states(&stage, acme.id()).await, ["sending"; 3]);
    none(&stage, acme.id(), at(99)).await;
}

pub async fn mails_are_handed_out_earliest_first_up_to_the_limit(stage: Stage) {
    let (acme, _, _) = written(&stage, 6, at(0)).await;
    // Each mail is put off to another time, the last one to the earliest.
    let mine = lease(at(100));
    let mut expected = Vec::new();
    for (n, mail) in claim(&stage, acme.id(), mine, at(0), 6).await.into_iter().enumerate() {
        let time = at(1_000 - n as i64);
        settle(
            &stage,
            &acme,
            mine.holder,
            &mail,
            MailOutcome::Retry { at: time, failure: MailFailure::Unreachable },
            at(1),
        )
        .await;
        expected.insert(0, mail.user);
    }
    none(&stage, acme.id(), at(994)).await;
    let mut found = Vec::new();
    for (now, limit, count) in
        [(at(996), 1, 1), (at(996), 5, 1), (at(1_000), 3, 3), (at(2_000), 100, 1)]
    {
        let claimed = claim(&stage, acme.id(), lease(at(5_000)), now, count.min(limit)).await;
        assert!(claimed.iter().all(|mail| mail.attempt == 2));
        // The order within a claim is the sender's choice.
        let users: BTreeSet<_> = claimed.iter().map(|mail| mail.user).collect();
        assert_eq!(users, expected[found.len()..found.len() + count].iter().copied().collect());
        found.extend(claimed.iter().map(|mail| mail.user));
    }
    assert_eq!(found.len(), 6);
}

pub async fn a_claim_hands_out_no_more_mails_than_its_limit(stage: Stage) {
    let (acme, readers, _) = written(&stage, 7, at(0)).await;
    let mut users = BTreeSet::new();
    let deadline = deadline();
    while users.len() < readers.len() {
        assert!(Instant::now() < deadline, "some mails are not handed out in time");
        let claimed =
            stage.ports.mail_queue.claim(acme.id(), lease(at(100)), at(0), 3).await.unwrap();
        assert!(claimed.len() <= 3);
        let count = users.len() + claimed.len();
        users.extend(claimed.into_iter().map(|mail| mail.user));
        assert_eq!(users.len(), count, "no mail is handed out twice");
    }
}

pub async fn eight_senders_at_once_are_handed_each_mail_once(stage: Stage) {
    const MAILS: usize = 120;
    let (acme, _, _) = written(&stage, MAILS / 2, at(0)).await;
    announce(&stage, &acme).await;
    assert_eq!(write_mails(&stage, acme.id(), at(0), 100).await, MAILS / 2);
    let sender = |n: i64| {
        let (queue, organization) = (stage.ports.mail_queue.clone(), acme.id());
        tokio::spawn(async move {
            let mut mine = Vec::new();
            let mut idle = 0;
            // A claim may be empty merely because of a race with another claim.
            while idle < 30 {
                let claimed =
                    queue.claim(organization, lease(at(100)), at(0), 1 + n % 4).await.unwrap();
                idle = if claimed.is_empty() { idle + 1 } else { 0 };
                mine.extend(claimed.into_iter().map(|mail| (mail.mailing.id, mail.user)));
                tokio::task::yield_now().await;
            }
            mine
        })
    };
    let claimed: Vec<_> =
        join_all((0..8).map(sender)).await.into_iter().flat_map(Result::unwrap).collect();
    assert_eq!(claimed.len(), MAILS);
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>().len(), MAILS);
}

pub async fn an_interrupted_mail_is_given_up_and_never_handed_out_again(stage: Stage) {
    let (acme, _, _) = written(&stage, 3, at(0)).await;
    let mine = lease(at(100));
    let claimed = claim(&stage, acme.id(), mine, at(0), 2).await;
    let sent = claim(&stage, acme.id(), mine, at(0), 1).await;
    settle(&stage, &acme, mine.holder, &sent[0], MailOutcome::Sent, at(50)).await;
    // A mail is not handed out while the lease runs, nor at its last moment.
    for now in [at(99), at(100)] {
        none(&stage, acme.id(), now).await;
        assert_eq!(
            states(&stage, acme.id()).await.iter().filter(|state| *state == "sending").count(),
            2
        );
    }
    let deadline = deadline();
    while states(&stage, acme.id()).await.contains(&"sending".to_owned()) {
        assert!(Instant::now() < deadline, "an interrupted mail is not given up in time");
        none(&stage, acme.id(), at(101)).await;
    }
    let mails = stage.probe.mails(acme.id()).await;
    for mail in &claimed {
        assert_eq!(mails[&(mail.mailing.id, mail.user)], "failed interrupted");
    }
    assert_eq!(mails[&(sent[0].mailing.id, sent[0].user)], "sent");
    none(&stage, acme.id(), Time::MAX).await;
    // A sender that comes back late does not change the mail.
    for mail in &claimed {
        let retry = MailOutcome::Retry { at: at(200), failure: MailFailure::Unreachable };
        for outcome in
            [retry, MailOutcome::Sent, MailOutcome::Failed { failure: MailFailure::Refused }]
        {
            settle(&stage, &acme, mine.holder, mail, outcome, at(150)).await;
        }
    }
    none(&stage, acme.id(), Time::MAX).await;
    assert_eq!(stage.probe.mails(acme.id()).await, mails);
}

pub async fn every_outcome_is_kept_and_ends_the_mail_or_puts_it_off(stage: Stage) {
    let mut outcomes = vec![(MailOutcome::Sent, "sent".to_owned())];
    for &failure in MailFailure::ALL {
        outcomes.push((MailOutcome::Failed { failure }, format!("failed {}", failure.code())));
        outcomes.push((
            MailOutcome::Retry { at: at(500), failure },
            format!("pending {}", failure.code()),
        ));
    }
    let (acme, _, mailing) = written(&stage, outcomes.len(), at(0)).await;
    let mine = lease(at(100));
    let claimed = claim(&stage, acme.id(), mine, at(0), outcomes.len()).await;
    // All outcomes are settled at once, as a sender does.
    let settled = claimed.iter().zip(&outcomes).map(|(mail, (outcome, _))| {
        let outcome = *outcome;
        SettledMail { mailing: mail.mailing.id, user: mail.user, outcome }
    });
    settle_all(&stage, acme.id(), mine.holder, settled.collect(), at(7)).await;
    let mails = stage.probe.mails(acme.id()).await;
    for (mail, (_, state)) in claimed.iter().zip(&outcomes) {
        assert_eq!(mails[&(mailing.id, mail.user)], *state);
    }
    none(&stage, acme.id(), at(499)).await;
    let again = claim(&stage, acme.id(), lease(at(900)), at(500), MailFailure::ALL.len()).await;
    assert!(again.iter().all(|mail| mail.attempt == 2));
    none(&stage, acme.id(), at(899)).await;
    settle_all(&stage, acme.id(), mine.holder, vec![], at(7)).await;
}

pub async fn only_the_holder_of_a_mail_settles_it(stage: Stage) {
    let (acme, _, _) = written(&stage, 2, at(0)).await;
    let (mine, yours) = (lease(at(100)), lease(at(100)));
    let mail = claim(&stage, acme.id(), mine, at(0), 1).await.remove(0);
    let other = claim(&stage, acme.id(), yours, at(0), 1).await.remove(0);
    let retry = MailOutcome::Retry { at: at(5), failure: MailFailure::Unreachable };
    for outcome in [MailOutcome::Sent, retry, MailOutcome::Failed { failure: MailFailure::Refused }]
    {
        settle(&stage, &acme, yours.holder, &mail, outcome, at(1)).await;
        settle(&stage, &acme, fresh(), &mail, outcome, at(1)).await;
        settle(&stage, &acme, mine.holder, &other, outcome, at(1)).await;
    }
    assert_eq!(states(&stage, acme.id()).await, ["sending"; 2]);
    // A call with several mails settles only the mails that `holder` has leased.
    let settled = [&mail, &other].map(|mail| SettledMail {
        mailing: mail.mailing.id,
        user: mail.user,
        outcome: retry,
    });
    settle_all(&stage, acme.id(), mine.holder, settled.to_vec(), at(1)).await;
    let mails = stage.probe.mails(acme.id()).await;
    assert_eq!(mails[&(mail.mailing.id, mail.user)], "pending unreachable");
    assert_eq!(mails[&(other.mailing.id, other.user)], "sending");
    // A mail that is put off or settled has no holder, nor has a mail that was never written.
    settle(&stage, &acme, mine.holder, &mail, MailOutcome::Sent, at(2)).await;
    settle(&stage, &acme, yours.holder, &other, MailOutcome::Sent, at(2)).await;
    settle(&stage, &acme, yours.holder, &other, retry, at(3)).await;
    settle(
        &stage,
        &acme,
        mine.holder,
        &ClaimedMail { user: fresh(), ..other.clone() },
        MailOutcome::Sent,
        at(3),
    )
    .await;
    let mails = stage.probe.mails(acme.id()).await;
    assert_eq!(mails[&(mail.mailing.id, mail.user)], "pending unreachable");
    assert_eq!(mails[&(other.mailing.id, other.user)], "sent");
    assert_eq!(mails.len(), 2);
}

pub async fn a_mail_that_is_put_off_comes_back_when_it_is_due_and_counts_its_tries(stage: Stage) {
    let (acme, readers, _) = written(&stage, 1, at(0)).await;
    let mut now = at(0);
    for attempt in 1..=4 {
        let mine = lease(now.plus_millis(100));
        let mail = claim(&stage, acme.id(), mine, now, 1).await.remove(0);
        assert_eq!((mail.attempt, &mail.recipient), (attempt, &recipient(&readers[0])));
        let due = now.plus_millis(1_000);
        settle(
            &stage,
            &acme,
            mine.holder,
            &mail,
            MailOutcome::Retry { at: due, failure: MailFailure::Unreachable },
            now,
        )
        .await;
        none(&stage, acme.id(), due.plus_millis(-1)).await;
        now = due;
    }
}

pub async fn a_user_who_unsubscribed_meanwhile_is_no_recipient(stage: Stage) {
    let (acme, readers, _) = written(&stage, 3, at(0)).await;
    let gone = readers[1].user_id;
    ends(Recorded::Done, async || stage.ports.users.unsubscribe(acme.id(), gone, at(0)).await)
        .await;
    for mail in claim(&stage, acme.id(), lease(at(100)), at(0), 3).await {
        assert_eq!(mail.recipient.is_none(), mail.user == gone);
    }
    // No further mail is written to an unsubscribed user.
    announce(&stage, &acme).await;
    assert_eq!(write_mails(&stage, acme.id(), at(0), 1).await, 2);
}

pub async fn a_user_whom_a_mailing_does_not_reach_any_more_is_no_recipient(stage: Stage) {
    let (mut acme, readers) = readers(4);
    let [_, _, mailing] = of_post(&mut acme);
    let its = |reader| subscribed(&acme, reader, &mailing, Level::All);
    let subscriptions: Vec<Subscription> = readers.iter().map(its).collect();
    for subscription in &subscriptions {
        acme.add(subscription.clone());
    }
    let acme = acme.import(&stage.ports).await;
    queue(&stage, acme.id(), mailing).await;
    assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 4);
    let [gone, changed, ..] = &subscriptions[..] else { unreachable!() };
    let after = Subscription { level: Level::Status, ..changed.clone() };
    let blocked = User { is_blocked: true, ..readers[2].clone() };
    let steps = vec![
        Step::remove(gone.clone()),
        Step::edit(changed.clone(), after, at(1)),
        Step::edit(readers[2].clone(), blocked, at(1)),
    ];
    applies(&stage, acme.id(), &change(steps, at(1)), Recorded::Done).await;
    for mail in claim(&stage, acme.id(), lease(at(100)), at(2), 4).await {
        let reached = Some(mail.user).filter(|user| *user == readers[3].user_id);
        assert_eq!(mail.recipient, reached.and_then(|_| recipient(&readers[3])));
    }
}

pub async fn who_unsubscribes_while_mails_are_written_gets_none_that_is_not_written_yet(
    stage: Stage,
) {
    let (acme, readers) = readers(4);
    let acme = acme.import(&stage.ports).await;
    let mailing = announce(&stage, &acme).await;
    while stage.probe.mails(acme.id()).await.is_empty() {
        write_some(&stage.ports, acme.id(), at(0), 2).await.unwrap();
    }
    for reader in [&readers[0], &readers[2]] {
        ends(Recorded::Done, async || {
            stage.ports.users.unsubscribe(acme.id(), reader.user_id, at(0)).await
        })
        .await;
    }
    write_mails(&stage, acme.id(), at(0), 2).await;
    let written: Vec<_> = stage.probe.mails(acme.id()).await.into_keys().collect();
    assert_eq!(written, [0, 1, 3].map(|n| (mailing.id, readers[n].user_id)));
}

pub async fn mails_change_nothing_else(stage: Stage) {
    let (acme, _) = readers(2);
    let acme = acme.import(&stage.ports).await;
    announce(&stage, &acme).await;
    write_mails(&stage, acme.id(), at(0), 100).await;
    let before = inventory(&stage, acme.id()).await;
    let mine = lease(at(100));
    for mail in claim(&stage, acme.id(), mine, at(0), 2).await {
        settle(&stage, &acme, mine.holder, &mail, MailOutcome::Sent, at(1)).await;
    }
    assert_eq!(inventory(&stage, acme.id()).await, before);
}
