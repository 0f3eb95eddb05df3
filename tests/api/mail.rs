//! Mails and their recipients: mails as files without a mail server, and mails sent by a real one.

use crate::support::{Draft, Installation, Organization, PUBLIC_URL, Store, eventually};
use hearback_tests::smtp::{ReceivedMail, SmtpServer};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

async fn publish(acme: &Organization, members: Value) {
    let mut body = members;
    body["published"] = true.into();
    acme.post("/changelog/create", body).await.expect(200);
}

#[rstest]
#[tokio::test]
async fn each_subscribed_active_user_with_an_address_gets_a_mail_as_a_file(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[]).await;
    let mut acme = Draft::new();
    acme.user(json!({"is_subscribed": true, "email": "ada@example.com", "name": "Ada"}));
    acme.user(json!({"is_subscribed": true, "email": "eve@example.com", "name": "Eve\r\nBcc: all@example.com"}));
    acme.user(json!({"is_subscribed": false, "email": "bob@example.com"}));
    acme.user(json!({"is_subscribed": true, "email": "left@example.com", "is_active": false}));
    acme.user(json!({"is_subscribed": true, "email": ""}));
    let acme = acme.open_in(&installation).await;
    let server = installation.serve();
    let title = "Dark mode\r\nBcc: all@example.com";
    publish(&acme.at(&server), json!({"title": title, "details": "It is **here**."})).await;
    let mails = eventually("two mails are written", async || {
        let mails = installation.mails();
        (mails.len() >= 2).then_some(mails)
    })
    .await;
    let mut addresses: Vec<&str> = Vec::new();
    for mail in &mails {
        let to = mail.header("To");
        let address =
            ["ada@example.com", "eve@example.com"].into_iter().find(|address| to.contains(address));
        addresses.push(address.expect("a subscriber"));
        assert!(mail.header("From").contains("news@feedback.example"));
        let link = mail.header("List-Unsubscribe");
        assert!(
            link.starts_with(&format!("<{PUBLIC_URL}/o/"))
                && link.contains("/unsubscribe/")
                && link.ends_with('>'),
            "{link}"
        );
        assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
        assert!(mail.header("Subject").contains("Dark mode"));
        let (headers, _) = mail.text.split_once("\r\n\r\n").expect("an empty line");
        assert!(!headers.to_ascii_lowercase().contains("\r\nbcc:"), "{headers}");
        let mode = mail.path.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    addresses.sort_unstable();
    assert_eq!(addresses, ["ada@example.com", "eve@example.com"]);
}

#[rstest]
#[tokio::test]
async fn only_entries_published_to_the_portal_with_notification_are_mailed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let smtp = SmtpServer::start();
    let installation = Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url())]).await;
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    acme.user(json!({"is_subscribed": true}));
    globex.user(json!({"is_subscribed": true, "email": "somebody@else.example"}));
    acme.entry(json!({"title": "Imported", "status_code": "published", "published_at": "2026-02-01", "notify": true}));
    acme.entry(json!({"title": "Imported and due", "status_code": "scheduled", "scheduled_at": "2026-02-01", "notify": true}));
    let acme = acme.open_in(&installation).await;
    let _globex = globex.open_in(&installation).await;
    let server = installation.serve();
    let acme = acme.at(&server);
    let past = "2026-02-01";
    for silent in [
        json!({"title": "Quiet", "notify": false}),
        json!({"title": "Unlisted", "show_on_portal": false}),
        json!({"title": "Neither", "show_on_portal": false, "notify": false}),
    ] {
        publish(&acme, silent.clone()).await;
        let mut scheduled = silent;
        scheduled["status_code"] = "scheduled".into();
        scheduled["scheduled_for"] = past.into();
        acme.post("/changelog/create", scheduled).await.expect(200);
    }
    for kept in [
        json!({"title": "Draft"}),
        json!({"title": "Later", "status_code": "scheduled", "scheduled_for": "2999-01-01"}),
    ] {
        acme.post("/changelog/create", kept).await.expect(200);
    }
    let told = [
        json!({"title": "Told 1", "status_code": "published"}),
        json!({"title": "Told 2", "published": true, "notify": null, "show_on_portal": null}),
        json!({"title": "Told 3", "published": true, "notify": true, "show_on_portal": true}),
        json!({"title": "Told 4", "status_code": "scheduled", "scheduled_for": past}),
    ];
    for entry in told {
        acme.post("/changelog/create", entry).await.expect(200);
    }
    let subjects = |mails: Vec<ReceivedMail>| -> BTreeSet<String> {
        assert!(mails.iter().all(|mail| !mail.to.contains(&"somebody@else.example".to_owned())));
        mails.iter().map(|mail| mail.header("Subject").to_owned()).collect()
    };
    let expected: BTreeSet<String> = (1..=4).map(|n| format!("Acme: Told {n}")).collect();
    eventually("four entries are mailed", async || {
        (subjects(smtp.received()).len() >= 4).then_some(())
    })
    .await;
    // The silent entries were published earlier, so their mails would have come first.
    let mails = smtp.received();
    assert_eq!(mails.len(), 4);
    assert_eq!(subjects(mails), expected);
}

#[rstest]
#[tokio::test]
async fn subscribers_of_a_post_are_mailed_its_statuses_and_public_comments(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let smtp = SmtpServer::start();
    let installation = Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url())]).await;
    let mut acme = Draft::new();
    let mut user = |name: &str, is_subscribed, is_blocked| {
        let email = format!("{name}@example.com");
        acme.user(json!({"name": name, "email": email, "is_subscribed": is_subscribed,
            "is_blocked": is_blocked}))
    };
    let users = [
        user("ada", true, false),
        user("bob", true, false),
        user("kim", true, false),
        user("eve", true, true),
        user("joe", false, false),
    ];
    let kim = users[2].clone();
    let [planned, done] = ["Planned", "Done"].map(|name| acme.status(json!({"name": name})));
    let post = acme.post(json!({"status_id": planned, "author_id": kim, "slug": "dark-mode"}));
    let other = acme.post(json!({"status_id": done, "author_id": kim}));
    let slug = acme.slug().to_owned();
    let acme = acme.open_in(&installation).await;
    let server = installation.serve();
    let acme = acme.at(&server);
    for (user, level) in users.iter().zip(["all", "status", "all", "all", "all"]) {
        let body = json!({"post_id": post, "user_id": user, "level": level});
        acme.post("/feedback-posts/subscribe", body).await.expect(200);
    }
    let change = |status: &str| json!({"post_id": post, "status_id": status});
    let comment = json!({"feedback_post_id": post, "author_id": kim, "content": "Soon."});
    let with = |mut body: Value, members: &[(&str, Value)]| {
        for (name, value) in members {
            body[*name] = value.clone();
        }
        body
    };
    let notify = || ("notify", json!(true));
    for silent in [
        change(&done),
        change(&planned),
        with(change(&planned), &[notify()]),
        with(change(&planned), &[notify(), ("eta", json!("2027-01-01"))]),
    ] {
        acme.post("/feedback-posts/change-status", silent).await.expect(200);
    }
    for silent in [
        &[("notify", json!(false))][..],
        &[notify(), ("visibility_code", json!("internal"))],
        &[notify(), ("moderation_status_code", json!("pending"))],
    ] {
        acme.post("/comments/create", with(comment.clone(), silent)).await.expect(200);
    }
    acme.post("/comments/create", comment).await.expect(200);
    let noted = with(
        change(&done),
        &[notify(), ("changed_by_id", json!(kim)), ("note", json!("It is **here**."))],
    );
    acme.post("/feedback-posts/change-status", noted).await.expect(200);
    let bulk = json!({"post_ids": [post, other], "status_id": planned, "notify": true});
    let updated = acme.post("/feedback-posts/bulk-update", bulk).await.expect(200);
    assert_eq!(updated, json!({"success": true, "updated": 2}));
    let mails = eventually("six mails are sent", async || {
        let mails = smtp.received();
        (mails.len() >= 6).then_some(mails)
    })
    .await;
    let mut sent: Vec<(&str, &str)> =
        mails.iter().map(|mail| (&*mail.to[0], mail.header("Subject"))).collect();
    sent.sort_unstable();
    let expected = [
        ("ada@example.com", "Acme: Dark mode is now Done"),
        ("ada@example.com", "Acme: Dark mode is now Planned"),
        ("ada@example.com", "Acme: kim commented on Dark mode"),
        ("bob@example.com", "Acme: Dark mode is now Done"),
        ("bob@example.com", "Acme: Dark mode is now Planned"),
        ("kim@example.com", "Acme: Dark mode is now Planned"),
    ];
    assert_eq!(sent, expected);
    let noted = mails.iter().find(|mail| mail.header("Subject").ends_with("Done")).expect("a mail");
    let link = format!("{PUBLIC_URL}/o/{slug}/p/dark-mode");
    for text in ["The status is now Done.", "kim:", "It is **here**.", &link] {
        assert!(noted.text.contains(text), "{text} in {}", noted.text);
    }
    let unsubscribe = format!("<{PUBLIC_URL}/o/{slug}/unsubscribe/");
    assert!(noted.header("List-Unsubscribe").starts_with(&unsubscribe));
}

#[rstest]
#[tokio::test]
async fn a_published_entry_reaches_a_mail_server_with_both_parts_once_a_subscriber(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let smtp = SmtpServer::start();
    let installation =
        Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url()), ("HEARBACK_LOG", "trace")])
            .await;
    let mut acme = Draft::with(json!({"name": "Äcme & Sons"}));
    let addresses: BTreeSet<String> = (0..20)
        .map(|_| {
            format!(
                "{}@example.com",
                acme.user(json!({"is_subscribed": true, "name": "Zoë \"Z\" Ünï"}))
            )
        })
        .collect();
    let acme = acme.open_in(&installation).await;
    let server = installation.serve();
    let details = "It is **here**:\n\n* one\n* two\n\n<script>alert(1)</script><img src=\"javascript:x\"> [link](https://example.com/a)";
    publish(&acme.at(&server), json!({"title": "Grüße <b>& more", "details": details})).await;
    let mails = eventually("20 mails are sent", async || {
        let mails = smtp.received();
        (mails.len() >= 20).then_some(mails)
    })
    .await;
    let mailed: BTreeSet<String> = mails.iter().flat_map(|mail| mail.to.clone()).collect();
    assert_eq!((mails.len(), mailed), (20, addresses));
    let mut links = BTreeSet::new();
    for mail in &mails {
        assert_eq!(mail.to.len(), 1);
        assert_eq!(mail.from, "news@feedback.example");
        assert_eq!(mail.recipients, [("Zoë \"Z\" Ünï".to_owned(), mail.to[0].clone())]);
        assert_eq!(mail.header("Subject"), "Äcme & Sons: Grüße <b>& more");
        assert!(mail.header("Content-Type").starts_with("multipart/alternative;"));
        assert_eq!(mail.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
        let link = mail.header("List-Unsubscribe");
        let link = link
            .strip_prefix('<')
            .and_then(|link| link.strip_suffix('>'))
            .expect("an address in angle brackets");
        assert!(link.starts_with(PUBLIC_URL) && link.contains("/unsubscribe/"), "{link}");
        links.insert(link.to_owned());
        for part in [&mail.text, &mail.html] {
            assert!(part.contains(link) && part.contains("https://example.com/a"), "{part}");
        }
        assert!(mail.text.contains("Grüße <b>& more"), "{}", mail.text);
        assert!(
            mail.html.contains("Grüße &lt;b&gt;&amp; more")
                && mail.html.contains("<strong>here</strong>"),
            "{}",
            mail.html
        );
        assert!(
            !mail.html.contains("<script") && !mail.html.contains("javascript:"),
            "{}",
            mail.html
        );
    }
    assert_eq!(links.len(), 20, "each subscriber has a link of their own");
    // The log contains none of these texts.
    let log = server.log();
    for secret in links.iter().map(|link| &link[PUBLIC_URL.len()..]).chain([
        "@example.com",
        "Zoë",
        "Sons",
        "alert(1)",
    ]) {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

/// A server is killed in the middle of a mailing several times. Each time, the few mails that are
/// being sent are lost. All other mails are sent, and no subscriber gets a mail twice.
#[rstest]
#[tokio::test]
async fn a_mailing_that_is_killed_and_started_again_mails_no_user_twice(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    const SUBSCRIBERS: usize = 400;
    const KILLS: usize = 4;
    /// The number of mails that a server sends at once.
    const AT_ONCE: usize = 8;
    let smtp = SmtpServer::start();
    let installation = Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url())]).await;
    let mut acme = Draft::new();
    for _ in 0..SUBSCRIBERS {
        acme.user(json!({"is_subscribed": true}));
    }
    let acme = acme.open_in(&installation).await;
    let mut server = installation.serve();
    publish(&acme.at(&server), json!({"title": "Dark mode"})).await;
    // The mailing is recorded with the entry.
    server.kill();
    server = installation.serve();
    for kill in 1..=KILLS {
        let some = kill * SUBSCRIBERS / (KILLS + 2);
        eventually("the mailing goes on", async || (smtp.received().len() >= some).then_some(()))
            .await;
        server.kill();
        assert!(smtp.received().len() < SUBSCRIBERS, "the mailing was not finished");
        server = installation.serve();
    }
    eventually("the mailing is finished", async || {
        (smtp.received().len() >= SUBSCRIBERS - (KILLS + 1) * AT_ONCE).then_some(())
    })
    .await;
    let mut mails = smtp.received();
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = smtp.received();
        if now.len() == mails.len() {
            break;
        }
        mails = now;
    }
    let mailed: BTreeSet<String> = mails.iter().flat_map(|mail| mail.to.clone()).collect();
    assert_eq!(mailed.len(), mails.len(), "no subscriber gets a mail twice");
    drop(server);
}

/// Three servers mail the followers of a post, while each of them is killed and started again. A
/// mail on its way may be lost, and no follower gets one twice about the same comment.
#[rstest]
#[tokio::test]
async fn three_servers_that_are_killed_tell_no_follower_twice_of_a_comment(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    const FOLLOWERS: usize = 150;
    const COMMENTS: usize = 3;
    const AT_ONCE: usize = 8;
    let smtp = SmtpServer::start();
    let installation = Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url())]).await;
    let mut acme = Draft::new();
    let author = acme.user(json!({"name": "kim"}));
    let post = acme.post(json!({"author_id": author}));
    let followers: Vec<String> =
        (0..FOLLOWERS).map(|_| acme.user(json!({"is_subscribed": true}))).collect();
    let acme = acme.open_in(&installation).await;
    let mut servers = [installation.serve(), installation.serve(), installation.serve()];
    let client = acme.at(&servers[0]);
    for user in &followers {
        let body = json!({"post_id": post, "user_id": user, "level": "all"});
        client.post("/feedback-posts/subscribe", body).await.expect(200);
    }
    for n in 0..COMMENTS {
        let body =
            json!({"feedback_post_id": post, "author_id": author, "content": format!("#{n}#")});
        client.post("/comments/create", body).await.expect(200);
    }
    let all = FOLLOWERS * COMMENTS;
    for (kill, server) in servers.iter_mut().enumerate() {
        let some = (kill + 1) * all / 5;
        eventually("the mailings go on", async || (smtp.received().len() >= some).then_some(()))
            .await;
        std::mem::replace(server, installation.serve()).kill();
    }
    let least = all - servers.len() * AT_ONCE;
    eventually("the mailings end", async || (smtp.received().len() >= least).then_some(())).await;
    let mails = eventually("no mail is on its way", async || {
        let before = smtp.received().len();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mails = smtp.received();
        (mails.len() == before).then_some(mails)
    })
    .await;
    let about = |mail: &ReceivedMail| {
        let numbers: Vec<usize> =
            (0..COMMENTS).filter(|n| mail.text.contains(&format!("#{n}#"))).collect();
        (mail.to.join(" "), numbers)
    };
    let told: BTreeSet<_> = mails.iter().map(about).collect();
    assert_eq!(told.len(), mails.len(), "nobody is told twice of a comment");
    assert!(told.iter().all(|(_, numbers)| numbers.len() == 1), "a mail has one comment");
}
