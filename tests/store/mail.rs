//! Mails that wait while their recipient changes in a way that no port offers.

use super::probes::{PostgresProbe, SqliteProbe};
use super::{fresh_file, open_database, open_file, postgres};
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::mail::Mailing;
use hearback_domain::record::Step;
use hearback_domain::user::User;
use hearback_ports::mail_queue::Written;
use hearback_ports::{Change, Lease, Recorded};
use hearback_tests::build::{Imported, Tenant, at};
use hearback_tests::conformance::{Stage, write_some};
use hearback_tests::postgres::Isolation;
use hearback_tests::system::{block_on, fresh};
use std::collections::BTreeMap;

/// Removes link, address or subscription of the users with these names, or changes the address.
const CHANGES: &str = "UPDATE users SET is_active = false WHERE name = 'unlinked';
                       UPDATE users SET email = NULL WHERE name = 'without address';
                       UPDATE users SET is_subscribed = false WHERE name = 'unsubscribed';
                       UPDATE users SET email = 'new@example.com' WHERE name = 'moved';";

const NAMES: [&str; 5] = ["unlinked", "without address", "unsubscribed", "moved", "reader"];

/// An organization with a waiting mail to each of its users.
async fn waiting(stage: &Stage) -> Imported {
    let mut acme = Tenant::new();
    for name in NAMES {
        acme.add(User {
            name: name.to_owned(),
            email: format!("{name}@example.com"),
            is_subscribed: true,
            ..acme.user()
        });
    }
    let acme = acme.import(&stage.ports).await;
    let entry = ChangelogEntry {
        status: EntryStatus::Published,
        published_at: Some(at(0)),
        notify: true,
        ..acme.entry()
    };
    let change = Change {
        mailings: vec![Mailing::of_entry(entry.id)],
        steps: vec![Step::make(entry)],
        ..Change::at(at(0))
    };
    let recorded = stage.ports.records.apply(acme.id(), change).await.expect("an answer");
    assert_eq!(recorded, Recorded::Done);
    let written =
        write_some(&stage.ports, acme.id(), at(0), 100).await.expect("the mails are written");
    assert_eq!(written, Written::Batch(NAMES.len()));
    acme
}

/// Asserts that a mail is sent only to a user that still receives mail, at the user's current
/// address.
async fn goes_to_whom_it_should(stage: &Stage, acme: &Imported) {
    let lease = Lease { holder: fresh(), until: at(100) };
    let claimed = stage
        .ports
        .mail_queue
        .claim(acme.id(), lease, at(0), 100)
        .await
        .expect("the mails are handed out");
    let names: BTreeMap<_, _> =
        acme.all::<User>().into_iter().map(|user| (user.user_id, user.name)).collect();
    let addresses: BTreeMap<_, _> = claimed
        .into_iter()
        .map(|mail| (names[&mail.user].clone(), mail.recipient.map(|recipient| recipient.address)))
        .collect();
    let expected = [None, None, None, Some("new@example.com"), Some("reader@example.com")];
    let expected = NAMES.into_iter().zip(expected);
    let expected: BTreeMap<_, _> =
        expected.map(|(name, address)| (name.to_owned(), address.map(str::to_owned))).collect();
    assert_eq!(addresses, expected);
}

#[test]
fn a_mail_in_a_file_goes_to_its_recipient_of_the_moment() {
    block_on(async {
        let path = fresh_file("mail");
        let stage = open_file(&path).await;
        let acme = waiting(&stage).await;
        SqliteProbe::new(&path).execute(CHANGES);
        goes_to_whom_it_should(&stage, &acme).await;
    });
}

#[test]
fn a_mail_in_a_database_goes_to_its_recipient_of_the_moment() {
    block_on(async {
        let url = postgres::create(Isolation::ReadCommitted).await;
        let stage = open_database(&url).await;
        let acme = waiting(&stage).await;
        PostgresProbe::new(&url).execute(CHANGES).await;
        goes_to_whom_it_should(&stage, &acme).await;
    });
}
