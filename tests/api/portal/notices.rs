//! Notifications, the address of an account, and the test of the mail server.

use super::{Browser, Portal, path_of};
use crate::support::{Draft, Installation, Store, eventually};
use rstest::rstest;
use serde_json::json;

const ADA: &str = "ada@example.com";
const EVE: &str = "eve@example.com";

/// The number at the bell.
const ONE_UNREAD: &str = "<b><span aria-hidden=\"true\">1</span>";

/// A portal with a post that Ada follows, and Ada's browser.
async fn followed(store: Store) -> (Portal, Browser, String) {
    let mut acme = Draft::new();
    let ada = acme.user(json!({"email": "Ada@Example.com", "name": "Ada"}));
    let post = acme.post(json!({"author_id": ada, "slug": "dark-mode", "title": "Dark mode"}));
    let portal = Portal::new(store, acme).await;
    let subscribe = json!({"post_id": post, "user_id": ada, "level": "all"});
    portal.acme.post("/feedback-posts/subscribe", subscribe).await.expect(200);
    // The case of an address does not count.
    let browser = portal.signed_in(ADA).await;
    (portal, browser, post)
}

async fn comment(portal: &Portal, post: &str, members: serde_json::Value) {
    let mut body = json!({"feedback_post_id": post, "author_email": "kim@example.com",
        "author_name": "Kim", "content": "It is **here**."});
    for (name, value) in members.as_object().expect("an object") {
        body[name.as_str()] = value.clone();
    }
    portal.acme.post("/comments/create", body).await.expect(200);
}

/// The address of the form that reads the first notification.
fn first(text: &str) -> String {
    let (_, rest) = text.split_once("action=\"/news/notifications/").expect("a notification");
    format!("/news/notifications/{}", rest.split('"').next().expect("an end"))
}

#[rstest]
#[tokio::test]
async fn a_follower_hears_in_the_portal_of_what_may_be_seen_and_reads_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, ada, post) = followed(store).await;
    assert_eq!(portal.acme.export().await.iter().filter(|it| it["kind"] == "user").count(), 1);
    comment(&portal, &post, json!({"visibility_code": "internal"})).await;
    comment(&portal, &post, json!({"moderation_status_code": "pending"})).await;
    comment(&portal, &post, json!({})).await;
    let page = eventually("a notification is there", async || {
        let page = ada.get("/news/notifications").await;
        page.text.contains("commented on").then_some(page)
    })
    .await;
    assert_eq!(page.text.matches("class=\"unread\"").count(), 1, "{}", page.text);
    assert!(page.text.contains("It is here."), "{}", page.text);
    assert!(ada.get("/news/").await.text.contains(ONE_UNREAD));
    // Nobody reads the notifications of another person.
    let eve = portal.signed_in(EVE).await;
    assert!(!eve.get("/news/notifications").await.text.contains("Dark mode"));
    let read = first(&page.text);
    assert_eq!(eve.post(&read, &[]).await.status, 303);
    assert!(ada.get("/news/").await.text.contains(ONE_UNREAD));
    let elsewhere = ada.post(&read, &[("to", "https://evil.example/")]).await;
    assert_eq!(elsewhere.location(), "/news/");
    assert!(!ada.get("/news/").await.text.contains("unread"));
    let page = portal.browser().get("/news/notifications").await;
    assert_eq!((page.status, page.location().starts_with("/news/sign-in?")), (303, true));
}

#[rstest]
#[tokio::test]
async fn an_address_changes_by_the_link_in_its_mail_and_the_former_one_hears_of_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (portal, ada, _) = followed(store).await;
    let phone = portal.signed_in(ADA).await;
    let wrong = ada.post("/news/account/address", &[("email", "no address")]).await;
    assert_eq!(wrong.status, 200);
    assert!(wrong.text.contains("value=\"no address\"") && wrong.text.contains("aria-invalid"));
    let asked = |email: &'static str| {
        let (portal, ada) = (&portal, &ada);
        async move {
            let known = portal.mails_to(email);
            let answer = ada.post("/news/account/address", &[("email", email)]).await;
            assert_eq!(answer.location(), "/news/account?done=address-asked");
            let mail = eventually("the mail is written", async || {
                let path = portal.mails_to(email).difference(&known).next().cloned()?;
                let mails = portal.installation.mails();
                mails.into_iter().find(|mail| mail.path == path).map(|mail| mail.text)
            })
            .await;
            let text = mail.replace("=\r\n", "").replace("=3D", "=");
            let (_, rest) = text.split_once("/sign-in/address/").expect("a link");
            let token: String = rest
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c))
                .collect();
            path_of(&format!("{}/sign-in/address/{token}", crate::support::PUBLIC_URL))
        }
    };
    let link = asked("new@example.com").await;
    // A program that follows links changes nothing, and neither does somebody else.
    let page = ada.get(&link).await;
    assert!(page.text.contains("<bdi>new@example.com</bdi>"), "{}", page.text);
    let eve = portal.signed_in(EVE).await;
    assert!(eve.post(&link, &[]).await.text.contains("used already"));
    // The link signs nobody in. The link of a sign-in changes no address.
    let as_sign_in = link.replace("/address/", "/");
    assert!(!portal.browser().post(&as_sign_in, &[]).await.text.contains("Ada"));
    let link = asked("new@example.com").await;
    let sign_in = portal.ask(&portal.browser(), EVE).await.1.link;
    let as_address = sign_in.replace("/sign-in/", "/sign-in/address/");
    assert!(ada.post(&as_address, &[]).await.text.contains("used already"));
    portal.members(EVE).await.expect(200);
    assert_eq!(portal.browser().get(&link).await.status, 303);
    assert_eq!(portal.members("new@example.com").await.status, 404);
    let changed = ada.post(&link, &[]).await;
    assert_eq!(changed.location(), "/news/account?done=address");
    portal.members("new@example.com").await.expect(200);
    eventually("the former address hears of it", async || {
        let mails = portal.installation.mails().into_iter();
        let mut subjects = mails.filter(|mail| mail.header("To").contains("Ada@Example.com"));
        subjects.any(|mail| mail.header("Subject").contains("changed")).then_some(())
    })
    .await;
    assert!(ada.is_signed_in().await && !phone.is_signed_in().await);
    let again = ada.post(&link, &[]).await;
    assert!(again.text.contains("used already"), "{}", again.text);
    // The address of another person is not taken over, in whatever case.
    portal.signed_in(EVE).await;
    let link = asked("EVE@example.com").await;
    let taken = ada.post(&link, &[]).await;
    assert!(taken.text.contains("Another account"), "{}", taken.text);
    portal.members("new@example.com").await.expect(200);
    let log = portal.server.log();
    assert!(!log.contains(link.rsplit('/').next().expect("a token")), "a token is in the log");
}

#[tokio::test]
async fn owners_see_what_the_mail_server_answers_and_nobody_else_does() {
    let refusing = [("HEARBACK_SMTP_URL", "smtp://127.0.0.1:9?tls=none")];
    let installation = Installation::new(Store::Sqlite, &refusing).await;
    let portal = Portal::of(installation, Draft::new()).await;
    let owner = portal.member("ada@example.com", "owner").await;
    assert!(!owner.get("/news/account").await.text.contains("answer-of"));
    assert_eq!(owner.post("/news/account/mail-test", &[]).await.status, 303);
    let page = owner.get("/news/account").await;
    assert!(page.text.contains("answer-of") && page.text.contains("refused"), "{}", page.text);
    assert_eq!(owner.post("/news/account/mail-test", &[]).await.status, 429);
    let member = portal.member("bob@example.com", "member").await;
    let page = member.get("/news/account").await;
    assert!(!page.text.contains("answer-of") && !page.text.contains("mail-test"));
    assert_eq!(member.post("/news/account/mail-test", &[]).await.status, 404);
    eventually("the pages of the owner say so", async || {
        owner.get("/news/").await.text.contains("class=\"notice trouble\"").then_some(())
    })
    .await;
    assert!(!member.get("/news/").await.text.contains("notice trouble"));
}
