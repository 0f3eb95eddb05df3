//! `MailQueue`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::{Stage, ends, inventory, make, others, write_mails};
use crate::build::{Imported, Tenant, at, slug};
use crate::property::for_all;
use crate::system::{deadline, fresh, patiently};
use futures_util::future::join_all;
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::id::{ChangelogEntryId, OrganizationId, UserId};
use hearback_domain::mail::{MailFailure, MailOutcome};
use hearback_domain::organization::Organization;
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::mail_queue::{Announcement, ClaimedMail, SettledMail, Written};
use hearback_ports::mailer::Recipient;
use hearback_ports::{Lease, Recorded, StoreError};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
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
async fn announce(stage: &Stage, acme: &Tenant) -> ChangelogEntry {
    let id: Uuid = fresh();
    let entry = ChangelogEntry {
        id: id.into(),
        slug: slug(id),
        status: EntryStatus::Published,
        published_at: Some(at(0)),
        notify: true,
        ..acme.entry()
    };
    make(stage, acme.id(), entry.clone()).await;
    entry
}

/// An organization with subscribers, an entry with a mailing, and its mails, due at `now`.
async fn written(stage: &Stage, count: usize, now: Time) -> (Imported, Vec<User>, ChangelogEntry) {
    let (acme, readers) = readers(count);
    let acme = acme.import(&stage.ports).await;
    let entry = announce(stage, &acme).await;
    assert_eq!(write_mails(stage, acme.id(), now, 100).await, count);
    (acme, readers, entry)
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
    let settled = SettledMail { entry: mail.entry, user: mail.user, outcome };
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
        let entries =
            BTreeSet::from([announce(&stage, &acme).await.id, announce(&stage, &acme).await.id]);
        let deadline = deadline();
        let mut before = BTreeSet::new();
        while before.len() < 2 * readers.len() {
            assert!(Instant::now() < deadline, "some mails are not written in time");
            let Written::Batch(count) =
                stage.ports.mail_queue.write(acme.id(), at(0), limit).await.unwrap()
            else {
                continue;
            };
            let mails = stage.probe.mails(acme.id()).await;
            let mails: BTreeSet<_> = mails.into_keys().collect();
            assert_eq!(mails.len() - before.len(), count);
            assert!(count <= limit as usize);
            let new: BTreeSet<ChangelogEntryId> =
                mails.difference(&before).map(|&(entry, _)| entry).collect();
            assert!(new.len() <= 1, "a batch belongs to one mailing");
            for &entry in &entries {
                let to: Vec<UserId> =
                    mails.iter().filter(|mail| mail.0 == entry).map(|&(_, user)| user).collect();
                let first: Vec<UserId> =
                    readers.iter().take(to.len()).map(|reader| reader.user_id).collect();
                assert_eq!(to, first, "by {limit}");
            }
            before = mails;
        }
        assert_eq!(write_mails(&stage, acme.id(), at(0), limit).await, 0);
        assert_eq!(
            stage.ports.mail_queue.write(acme.id(), at(0), limit).await.unwrap(),
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
            stage.ports.mail_queue.write(organization, at(0), 10).await.unwrap(),
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
    assert_eq!(stage.ports.mail_queue.write(acme.id(), at(0), 10).await.unwrap(), Written::Nothing);
    assert!(stage.probe.mails(acme.id()).await.is_empty());
}

pub async fn the_mails_of_an_entry_are_of_its_organization_alone(stage: Stage) {
    let (acme, readers) = readers(2);
    let acme = acme.import(&stage.ports).await;
    let before = others(&stage, &acme).await;
    let entry = announce(&stage, &acme).await;
    // In the opposite organization other users are linked.
    for other in [acme.twin().id(), acme.opposite().id()] {
        assert_eq!(stage.ports.mail_queue.write(other, at(0), 10).await.unwrap(), Written::Nothing);
    }
    write_mails(&stage, acme.id(), at(0), 10).await;
    for other in [acme.twin().id(), acme.opposite().id()] {
        none(&stage, other, Time::MAX).await;
        let settled = readers.iter().map(|user| SettledMail {
            entry: entry.id,
            user: user.user_id,
            outcome: MailOutcome::Sent,
        });
        settle_all(&stage, other, fresh(), settled.collect(), at(0)).await;
        assert_eq!(stage.ports.mail_queue.announcement(other, entry.id).await.unwrap(), None);
    }
    let claimed = claim(&stage, acme.id(), lease(at(100)), at(0), 2).await;
    let to: Vec<_> = claimed.into_iter().map(|mail| mail.recipient).collect();
    assert!(
        readers.iter().all(|reader| to.contains(&recipient(reader))),
        "the recipients have the names of this organization"
    );
    assert_eq!(others(&stage, &acme).await, before);
}

pub async fn mails_go_to_exactly_the_users_who_receive_mail(stage: Stage) {
    let flags = (prop::bool::weighted(0.7), prop::bool::weighted(0.7), prop::bool::weighted(0.7));
    for_all(16, (prop::collection::vec(flags, 0..14), 1..6_i64), async |(flags, limit)| {
        let mut acme = Tenant::new();
        for (is_subscribed, is_active, has_address) in flags {
            let mut user = User { is_subscribed, is_active, ..acme.user() };
            if !has_address {
                user.email.clear();
            }
            acme.add(user);
        }
        let acme = acme.import(&stage.ports).await;
        let entry = announce(&stage, &acme).await.id;
        let users = acme.all::<User>();
        let expected: BTreeMap<_, _> = users
            .iter()
            .filter(|user| user.receives_mail())
            .map(|user| ((entry, user.user_id), "pending".to_owned()))
            .collect();
        assert_eq!(write_mails(&stage, acme.id(), at(0), limit).await, expected.len());
        assert_eq!(stage.probe.mails(acme.id()).await, expected);
    });
}

pub async fn many_writers_at_once_write_each_mail_once(stage: Stage) {
    let (acme, readers) = readers(40);
    let acme = acme.import(&stage.ports).await;
    for _ in 0..3 {
        announce(&stage, &acme).await;
    }
    let counts = join_all((0..8).map(|n| write_mails(&stage, acme.id(), at(0), 1 + n % 5))).await;
    assert_eq!(counts.iter().sum::<usize>(), 3 * readers.len(), "{counts:?}");
    assert_eq!(states(&stage, acme.id()).await, vec!["pending"; 3 * readers.len()]);
}

pub async fn a_mail_is_handed_out_once_it_is_due_with_its_recipient(stage: Stage) {
    let (acme, readers, entry) = written(&stage, 3, at(10)).await;
    none(&stage, acme.id(), at(9)).await;
    let mut claimed = claim(&stage, acme.id(), lease(at(100)), at(10), 3).await;
    claimed.sort_by_key(|mail| mail.user);
    for (mail, user) in claimed.iter().zip(&readers) {
        let expected = ClaimedMail {
            entry: entry.id,
            user: user.user_id,
            attempt: 1,
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
                mine.extend(claimed.into_iter().map(|mail| (mail.entry, mail.user)));
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
        assert_eq!(mails[&(mail.entry, mail.user)], "failed interrupted");
    }
    assert_eq!(mails[&(sent[0].entry, sent[0].user)], "sent");
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
    let (acme, _, entry) = written(&stage, outcomes.len(), at(0)).await;
    let mine = lease(at(100));
    let claimed = claim(&stage, acme.id(), mine, at(0), outcomes.len()).await;
    // All outcomes are settled at once, as a sender does.
    let settled = claimed.iter().zip(&outcomes).map(|(mail, (outcome, _))| {
        let outcome = *outcome;
        SettledMail { entry: mail.entry, user: mail.user, outcome }
    });
    settle_all(&stage, acme.id(), mine.holder, settled.collect(), at(7)).await;
    let mails = stage.probe.mails(acme.id()).await;
    for (mail, (_, state)) in claimed.iter().zip(&outcomes) {
        assert_eq!(mails[&(entry.id, mail.user)], *state);
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
        entry: mail.entry,
        user: mail.user,
        outcome: retry,
    });
    settle_all(&stage, acme.id(), mine.holder, settled.to_vec(), at(1)).await;
    let mails = stage.probe.mails(acme.id()).await;
    assert_eq!(mails[&(mail.entry, mail.user)], "pending unreachable");
    assert_eq!(mails[&(other.entry, other.user)], "sending");
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
    assert_eq!(mails[&(mail.entry, mail.user)], "pending unreachable");
    assert_eq!(mails[&(other.entry, other.user)], "sent");
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

pub async fn who_unsubscribes_while_mails_are_written_gets_none_that_is_not_written_yet(
    stage: Stage,
) {
    let (acme, readers) = readers(4);
    let acme = acme.import(&stage.ports).await;
    let entry = announce(&stage, &acme).await;
    while stage.probe.mails(acme.id()).await.is_empty() {
        stage.ports.mail_queue.write(acme.id(), at(0), 2).await.unwrap();
    }
    for reader in [&readers[0], &readers[2]] {
        ends(Recorded::Done, async || {
            stage.ports.users.unsubscribe(acme.id(), reader.user_id, at(0)).await
        })
        .await;
    }
    write_mails(&stage, acme.id(), at(0), 2).await;
    let written: Vec<_> = stage.probe.mails(acme.id()).await.into_keys().collect();
    assert_eq!(written, [0, 1, 3].map(|n| (entry.id, readers[n].user_id)));
}

pub async fn an_announcement_is_of_the_entry_as_it_is_active_or_not(stage: Stage) {
    let mut acme = Tenant::new();
    acme.organization =
        Organization { name: "Größe 😀 & Co.".to_owned(), ..acme.organization.clone() };
    let labels = [acme.label(), acme.label()].map(|label| acme.add(label).id);
    let kept = acme.add(ChangelogEntry { label_ids: vec![labels[1], labels[0]], ..acme.entry() });
    let deleted = acme.add(ChangelogEntry {
        is_active: false,
        content: "**bold**".to_owned(),
        ..acme.entry()
    });
    let acme = acme.import(&stage.ports).await;
    let announcement = async |organization, id| {
        let found: Result<Option<Announcement>, StoreError> =
            stage.ports.mail_queue.announcement(organization, id).await;
        found.unwrap()
    };
    for entry in [kept.clone(), deleted] {
        let organization_name = acme.organization.name.clone();
        assert_eq!(
            announcement(acme.id(), entry.id).await,
            Some(Announcement { organization_name, entry })
        );
    }
    let twin = announcement(acme.twin().id(), kept.id).await.unwrap();
    assert_eq!(twin.organization_name, acme.twin().organization.name);
    assert_eq!(twin.entry, acme.twin().all::<ChangelogEntry>()[0]);
    for (organization, id) in [(acme.id(), fresh()), (fresh(), kept.id)] {
        assert_eq!(announcement(organization, id).await, None);
    }
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
