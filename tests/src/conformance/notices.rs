//! `NoticeRepository`, and the digests of the `MailQueue`

#![expect(missing_docs, reason = "the name of a case states its rule")]

use super::mail_queue::{of_post, subscribed};
use super::{Stage, queue, write_mails};
use crate::build::{Imported, Tenant, at};
use crate::deliveries::counts;
use crate::system::{deadline, fresh};
use futures_util::future::join_all;
use hearback_domain::comment::Comment;
use hearback_domain::id::{MailingId, UserId};
use hearback_domain::mail::{MOST_IN_DIGEST, MailFailure, Mailing, Subject};
use hearback_domain::subscription::Level;
use hearback_domain::user::{PostMail, User, UserSelector};
use hearback_domain::{Time, Uuid};
use hearback_ports::notices::MailTrouble;
use hearback_ports::page::PageRequest;
use hearback_ports::{Lease, Limit};
use std::collections::BTreeSet;
use std::time::Instant;

/// An organization with a subscriber who wants mail in this way, and two mailings about a post that
/// are written.
async fn told(stage: &Stage, post_mail: PostMail, now: Time) -> (Imported, User, [MailingId; 2]) {
    let mut acme = Tenant::new();
    let reader = acme.add(User { is_subscribed: true, post_mail, ..acme.user() });
    let [_, status, comment] = of_post(&mut acme);
    acme.add(subscribed(&acme, &reader, &status, Level::All));
    let acme = acme.import(&stage.ports).await;
    for mailing in [status, comment] {
        queue(stage, acme.id(), mailing).await;
    }
    assert_eq!(write_mails(stage, acme.id(), now, 10).await, 2);
    let mut ids = [status.id, comment.id];
    ids.sort();
    (acme, reader, ids)
}

/// The notifications of a user in pages of one: the mailing, and whether it is unread.
async fn listed(
    stage: &Stage,
    acme: &Imported,
    user: UserId,
    since: Time,
) -> Vec<(MailingId, bool)> {
    let limit = Limit::new(1).unwrap();
    let (mut after, mut all) = (None, Vec::new());
    loop {
        let page = PageRequest { after, limit };
        let page = stage.ports.notices.page(acme.id(), user, since, page).await.unwrap();
        all.extend(page.items.into_iter().map(|it| (it.mailing.id, it.is_unread)));
        match page.next {
            Some(next) => after = Some(next),
            None => return all,
        }
    }
}

pub async fn a_reader_sees_and_reads_notifications_and_nobody_elses(stage: Stage) {
    let (acme, reader, [first, second]) = told(&stage, PostMail::Off, at(5)).await;
    let (notices, user) = (&stage.ports.notices, reader.user_id);
    let unread = async |limit| notices.unread(acme.id(), user, limit).await.unwrap();
    assert_eq!((unread(10).await, unread(1).await), (2, 1));
    assert_eq!(listed(&stage, &acme, user, at(4)).await, [(second, true), (first, true)]);
    assert_eq!(listed(&stage, &acme, user, at(5)).await, []);
    for (organization, other) in [(acme.id(), fresh()), (acme.twin().id(), user)] {
        notices.read(organization, other, None).await.unwrap();
        assert_eq!(notices.unread(organization, other, 10).await.unwrap(), 0);
    }
    notices.read(acme.id(), user, Some(first)).await.unwrap();
    assert_eq!(listed(&stage, &acme, user, at(4)).await, [(second, true), (first, false)]);
    notices.read(acme.id(), user, None).await.unwrap();
    assert_eq!(unread(10).await, 0);
    // No mail of them is to be sent.
    let lease = Lease { holder: fresh(), until: Time::MAX };
    let claimed = stage.ports.mail_queue.claim(acme.id(), lease, Time::MAX, 10).await.unwrap();
    assert_eq!(claimed, []);
    assert_eq!(notices.prune(acme.id(), at(5), 10).await.unwrap(), 0);
    counts(1, async || notices.prune(acme.id(), at(6), 1).await).await;
    assert_eq!(listed(&stage, &acme, user, at(4)).await, [(second, false)]);
}

pub async fn a_notification_stays_until_its_mail_is_sent(stage: Stage) {
    let (acme, _, _) = told(&stage, PostMail::Instant, at(5)).await;
    assert_eq!(stage.ports.notices.prune(acme.id(), Time::MAX, 10).await.unwrap(), 0);
}

pub async fn eight_senders_at_once_are_handed_a_digest_once_and_whole(stage: Stage) {
    let (acme, reader, ids) = told(&stage, PostMail::Daily, at(0)).await;
    let queue = &stage.ports.mail_queue;
    let lease = || Lease { holder: fresh(), until: Time::MAX };
    assert_eq!(queue.claim(acme.id(), lease(), at(0), 10).await.unwrap(), []);
    let tomorrow = at(0).plus_millis(24 * 60 * 60 * 1000);
    let claims = (0..8).map(async |_| {
        let mut found = Vec::new();
        for _ in 0..10 {
            // A claim may be empty merely because of a race with another one.
            let claimed = queue.claim(acme.id(), lease(), tomorrow, 1).await.unwrap();
            if !claimed.is_empty() {
                found.push(claimed);
            }
        }
        found
    });
    let digests: Vec<_> = join_all(claims).await.into_iter().flatten().collect();
    assert_eq!(digests.len(), 1, "{digests:?}");
    assert!(digests[0].iter().all(|mail| mail.in_digest && mail.user == reader.user_id));
    let claimed: BTreeSet<_> = digests[0].iter().map(|mail| mail.mailing.id).collect();
    assert_eq!(claimed, BTreeSet::from(ids));
}

pub async fn a_digest_has_the_newest_changes_and_the_portal_has_all(stage: Stage) {
    let mut acme = Tenant::new();
    let reader = User { is_subscribed: true, post_mail: PostMail::Daily, ..acme.user() };
    let reader = acme.add(reader);
    let [_, status, _] = of_post(&mut acme);
    acme.add(subscribed(&acme, &reader, &status, Level::All));
    let acme = acme.import(&stage.ports).await;
    let mut ids = Vec::new();
    for _ in 0..MOST_IN_DIGEST + 3 {
        let mailing = Mailing { id: fresh(), ..status };
        queue(&stage, acme.id(), mailing).await;
        ids.push(mailing.id);
    }
    let written = write_mails(&stage, acme.id(), at(0), 10).await;
    assert_eq!(written, ids.len());
    ids.sort();
    let tomorrow = at(0).plus_millis(24 * 60 * 60 * 1000);
    let lease = || Lease { holder: fresh(), until: Time::MAX };
    let (mut claimed, deadline) = (Vec::new(), deadline());
    // A cautious store may hand out none at first.
    while claimed.is_empty() && Instant::now() < deadline {
        claimed = stage.ports.mail_queue.claim(acme.id(), lease(), tomorrow, 1).await.unwrap();
    }
    let claimed: Vec<MailingId> = claimed.iter().map(|mail| mail.mailing.id).collect();
    assert_eq!(claimed, ids[3..]);
    let rest = stage.ports.mail_queue.claim(acme.id(), lease(), Time::MAX, 10).await.unwrap();
    assert_eq!(rest, []);
    let unread = stage.ports.notices.unread(acme.id(), reader.user_id, 1_000).await.unwrap();
    assert_eq!(unread, ids.len() as i64);
}

pub async fn each_subject_is_kept_and_reaches_whom_it_is_about(stage: Stage) {
    let mut acme = Tenant::new();
    let member =
        acme.add(User { portal_role: "member".to_owned(), is_subscribed: true, ..acme.user() });
    acme.add(User { portal_role: "viewer".to_owned(), ..acme.user() });
    let [status, ..] = of_post(&mut acme);
    let other = acme.add(acme.post());
    let reader = acme.add(User { is_subscribed: true, ..acme.user() });
    acme.add(subscribed(&acme, &reader, &status, Level::Status));
    let post = status.subject.post().unwrap();
    let acme = acme.import(&stage.ports).await;
    let comment = acme.all::<Comment>()[0].id;
    let comment = Subject::Comment { post, comment, reply_to: Some(reader.user_id) };
    let mailing = |subject| Mailing { id: fresh(), subject, actor_id: None };
    for (mailing, user) in [
        (mailing(Subject::Merged { post, into: other.id }), &reader),
        (mailing(Subject::Accepted { post, author: reader.user_id }), &reader),
        (mailing(Subject::Owner { post, owner: member.user_id }), &member),
        (mailing(comment), &reader),
        (Mailing::of_queue(at(0)), &member),
    ] {
        queue(&stage, acme.id(), mailing).await;
        // The mailing of an hour is queued once.
        queue(&stage, acme.id(), mailing).await;
        let draft = stage.ports.mail_queue.next(acme.id(), 10).await.unwrap().unwrap();
        let users: Vec<_> = draft.users.iter().map(|user| user.user_id).collect();
        assert_eq!((draft.mailing, users), (mailing, vec![user.user_id]));
        assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 1);
        queue(&stage, acme.id(), mailing).await;
        assert_eq!(write_mails(&stage, acme.id(), at(0), 10).await, 0);
    }
}

pub async fn the_latest_trouble_is_kept_until_a_mail_is_taken(stage: Stage) {
    let acme = Tenant::new().import(&stage.ports).await;
    let notices = &stage.ports.notices;
    let trouble = |failure, answer: &str, millis| MailTrouble {
        failure,
        answer: answer.to_owned(),
        at: at(millis),
    };
    let latest = async || notices.trouble(acme.id()).await.unwrap();
    assert_eq!(latest().await, None);
    let second = trouble(MailFailure::Refused, "550", 2);
    for one in [trouble(MailFailure::Unreachable, "é", 1), second.clone()] {
        notices.note(acme.id(), Some(one.clone())).await.unwrap();
        assert_eq!(latest().await, Some(one));
    }
    notices.note(acme.id(), Some(trouble(MailFailure::Unreachable, "", 0))).await.unwrap();
    assert_eq!(latest().await, Some(second));
    assert_eq!(notices.trouble(acme.twin().id()).await.unwrap(), None);
    notices.note(acme.id(), None).await.unwrap();
    assert_eq!(latest().await, None);
    notices.note(fresh(), Some(trouble(MailFailure::Unknown, "", 0))).await.unwrap();
}

pub async fn a_user_is_found_by_an_address_in_any_case_and_the_very_one_first(stage: Stage) {
    let mut acme = Tenant::new();
    let user = acme.user();
    let named = |email: &str, millis| {
        let (id, user_id): (Uuid, Uuid) = (fresh(), fresh());
        let (id, user_id) = (id.into(), user_id.into());
        let (email, created_at) = (email.to_owned(), at(millis));
        User { id, user_id, email, created_at, ..user.clone() }
    };
    let [upper, old, kelvin] =
        [named("Ada@X.example", 2), named("aDA@x.example", 1), named("\u{212a}@x.example", 0)];
    for user in [&upper, &old, &kelvin] {
        acme.add(user.clone());
    }
    acme.add(User { is_active: false, ..named("gone@x.example", 0) });
    acme.add(User { email: String::new(), ..acme.user() });
    let acme = acme.import(&stage.ports).await;
    let found = async |email: &str| {
        let selector = UserSelector::AnyCase(email.to_owned());
        let found = stage.ports.users.find(acme.id(), selector).await.unwrap();
        found.map(|user| user.user_id)
    };
    assert_eq!(found("Ada@X.example").await, Some(upper.user_id));
    assert_eq!(found("ada@x.example").await, Some(old.user_id));
    for none in ["k@x.example", "gone@x.example", "", "ada@x"] {
        assert_eq!(found(none).await, None, "{none}");
    }
}

pub async fn the_team_is_its_linked_members(stage: Stage) {
    let mut acme = Tenant::new();
    let roles = ["owner", "viewer", "end_user", "member", "admin"];
    let roles = roles.map(|role| User { portal_role: role.to_owned(), ..acme.user() });
    let gone = User { portal_role: "owner".to_owned(), is_active: false, ..acme.user() };
    for user in roles.iter().chain([&gone]) {
        acme.add(user.clone());
    }
    let acme = acme.import(&stage.ports).await;
    let mut expected: Vec<UserId> = roles.iter().map(|user| user.user_id).collect();
    expected.remove(2);
    expected.sort();
    let team = |team: Vec<User>| team.into_iter().map(|it| it.user_id).collect::<Vec<_>>();
    let users = &stage.ports.users;
    assert_eq!(team(users.team(acme.id(), 10).await.unwrap()), expected);
    assert_eq!(team(users.team(acme.id(), 2).await.unwrap()), expected[..2]);
}
