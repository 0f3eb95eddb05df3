//! Signing in, sessions, and those who try it without a right.

use super::{Browser, HOST, Page, Portal, base_of, path_of};
use crate::support::{Draft, Installation, PUBLIC_URL, Store, error, eventually};
use hearback_tests::postgres;
use reqwest::{Method, Url};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const ADA: &str = "ada@example.com";

async fn portal(store: Store) -> Portal {
    Portal::new(store, Draft::new()).await
}

/// The page of a proof that is not good: it signs nobody in.
#[track_caller]
fn assert_refused(page: &Page, words: &str) {
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains(words), "{}", page.text);
    assert_eq!(page.cookies(), Vec::<String>::new());
}

const USED_LINK: &str = "This link was used already";
const USED_CODE: &str = "The code is not good any more";

#[rstest]
#[tokio::test]
async fn an_invitation_signs_in_once_to_its_role(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("owner", "admin", "member", "viewer")] role: &str,
) {
    let portal = portal(store).await;
    let link = portal.invite(portal.acme.slug(), ADA, role).await;
    assert_eq!(portal.members(ADA).await.expect(404), error("user not found"));
    let browser = portal.browser();
    let answer = browser.post(&link, &[]).await;
    assert_eq!(answer.location(), "/news/?done=signed-in");
    assert!(browser.is_signed_in().await);
    assert_eq!(portal.members(ADA).await.expect(200)["portal_role"], role);

    for other in [portal.browser(), browser] {
        let session = other.session();
        assert_refused(&other.post(&link, &[]).await, USED_LINK);
        assert_eq!(other.session(), session);
    }
}

#[rstest]
#[tokio::test]
async fn a_program_that_follows_the_links_of_mails_neither_signs_in_nor_uses_a_link_up(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let invitation = portal.invite(portal.acme.slug(), ADA, "member").await;
    let (_, letter) = portal.ask(&portal.browser(), "eve@example.com").await;
    for link in [&invitation, &letter.link] {
        let scanner = portal.browser();
        for method in [Method::GET, Method::HEAD].iter().cycle().take(20) {
            let page = scanner.request(method.clone(), link, None).await;
            assert_eq!((page.status, page.cookies()), (200, vec![]));
        }
        assert!(!scanner.is_signed_in().await);
        let browser = portal.browser();
        assert_eq!(browser.post(link, &[]).await.status, 303);
        assert!(browser.is_signed_in().await);
    }
}

#[rstest]
#[tokio::test]
async fn a_later_invitation_ends_an_earlier_one(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let earlier = portal.invite(portal.acme.slug(), ADA, "owner").await;
    let later = portal.invite(portal.acme.slug(), ADA, "viewer").await;
    let browser = portal.browser();
    assert_refused(&browser.post(&earlier, &[]).await, USED_LINK);
    assert_eq!(browser.post(&later, &[]).await.status, 303);
    assert_eq!(portal.members(ADA).await.expect(200)["portal_role"], "viewer");
}

#[rstest]
#[tokio::test]
async fn an_invitation_and_a_code_of_another_organization_are_not_good(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let globex = Draft::new();
    let slug = globex.slug().to_owned();
    portal.another(globex).await;
    let base = format!("/news/o/{slug}");
    let invitation = portal.invite(&slug, ADA, "owner").await;
    assert!(invitation.starts_with(&format!("{base}/sign-in/")), "{invitation}");
    let browser = portal.browser();
    let (_, letter) = portal.ask_at(&base, &browser, ADA, "").await;
    for link in [&invitation, &letter.link] {
        let link = link.replace(&base, "/news");
        assert_refused(&browser.post(&link, &[]).await, USED_LINK);
    }
    let code = [("code", &*letter.code)];
    assert_refused(&browser.post("/news/sign-in/code", &code).await, USED_CODE);
    assert_eq!(portal.members(ADA).await.expect(404), error("user not found"));
    assert_eq!(browser.post(&invitation, &[]).await.status, 303);
}

#[rstest]
#[tokio::test]
async fn a_code_signs_in_once_and_uses_the_link_up(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    let again = browser.copy();
    let code = [("code", &*letter.code)];
    let answer = browser.post("/news/sign-in/code", &code).await;
    assert_eq!(answer.location(), "/news/?done=signed-in");
    assert!(browser.is_signed_in().await);
    assert_refused(&again.post("/news/sign-in/code", &code).await, USED_CODE);
    assert_refused(&portal.browser().post(&letter.link, &[]).await, USED_LINK);
}

#[rstest]
#[tokio::test]
async fn a_link_signs_in_once_and_uses_the_code_up(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    let other = portal.browser();
    assert_eq!(other.post(&letter.link, &[]).await.location(), "/news/?done=signed-in");
    assert!(other.is_signed_in().await);
    assert!(!browser.is_signed_in().await);
    let code = [("code", &*letter.code)];
    assert_refused(&browser.post("/news/sign-in/code", &code).await, USED_CODE);
    assert_refused(&browser.post(&letter.link, &[]).await, USED_LINK);
}

#[rstest]
#[tokio::test]
async fn a_code_is_not_good_in_another_browser_which_takes_no_try_of_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    let without = portal.browser();
    let of_another = portal.browser();
    portal.ask(&of_another, "eve@example.com").await;
    let made_up = portal.browser();
    made_up.keep("__Host-hearback-sign-in", &"A".repeat(43));
    let code = [("code", &*letter.code), ("email", ADA)];
    for _ in 0..6 {
        for other in [&without, &of_another, &made_up] {
            let page = other.post("/news/sign-in/code", &code).await;
            assert_eq!((page.status, page.cookies()), (200, vec![]));
            assert!(!other.is_signed_in().await);
        }
    }
    assert_eq!(browser.post("/news/sign-in/code", &code).await.status, 303);
}

#[rstest]
#[tokio::test]
async fn a_code_may_be_typed_wrong_four_times(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    for wrong in [&*letter.wrong_code(), "", "x", &format!("{}0", letter.code)] {
        let code = [("code", wrong), ("email", ADA)];
        let page = browser.post("/news/sign-in/code", &code).await;
        assert_refused(&page, "This is not the code");
    }
    let spaced = format!(" {} {} ", &letter.code[..3], &letter.code[3..]);
    assert_eq!(browser.post("/news/sign-in/code", &[("code", &spaced)]).await.status, 303);
}

#[rstest]
#[tokio::test]
async fn five_wrong_codes_end_the_code_and_the_link(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    let wrong = letter.wrong_code();
    for _ in 0..5 {
        let page = browser.post("/news/sign-in/code", &[("code", &wrong), ("email", ADA)]).await;
        assert_eq!((page.status, page.cookies()), (200, vec![]));
    }
    let right = [("code", &*letter.code), ("email", ADA)];
    assert_refused(&browser.post("/news/sign-in/code", &right).await, USED_CODE);
    assert_refused(&browser.post(&letter.link, &[]).await, USED_LINK);
    assert!(!browser.is_signed_in().await);
    assert_eq!(portal.members(ADA).await.expect(404), error("user not found"));
}

#[rstest]
#[tokio::test]
async fn sixty_four_guesses_at_once_get_no_more_than_five_tries(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    let wrong = letter.wrong_code();
    let guess = [("code", &*wrong), ("email", ADA)];
    let guesses = (0..64).map(|_| browser.send("/news/sign-in/code", &guess));
    let pages = futures_util::future::join_all(guesses).await;
    let tried = pages.iter().filter(|page| page.text.contains("This is not the code")).count();
    // The fifth wrong code is answered as one that is not good any more.
    assert!(tried <= 4, "{tried}");
    let right = [("code", &*letter.code), ("email", ADA)];
    assert_refused(&browser.post("/news/sign-in/code", &right).await, USED_CODE);
}

#[rstest]
#[tokio::test]
async fn a_known_and_an_unknown_address_are_answered_alike_and_both_get_a_mail(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    acme.user(json!({"email": ADA, "is_subscribed": true}));
    acme.user(json!({"email": "bob@example.com", "is_blocked": true}));
    acme.user(json!({"email": "kim@example.com", "is_active": false}));
    acme.user(json!({"email": "own@example.com", "portal_role": "owner"}));
    let portal = Portal::new(store, acme).await;
    let mut seen = Vec::new();
    for email in [ADA, "bob@example.com", "kim@example.com", "own@example.com", "eve@example.com"] {
        let (page, letter) = portal.ask(&portal.browser(), email).await;
        assert!(letter.link.starts_with("/news/sign-in/"), "{}", letter.link);
        let headers: BTreeSet<String> = page.headers.keys().map(ToString::to_string).collect();
        seen.push((page.seen(email, "…@example.com"), headers));
    }
    for other in &seen[1..] {
        assert_eq!(*other, seen[0]);
    }
}

#[rstest]
#[tokio::test]
async fn an_address_gets_five_mails_in_any_spelling_and_the_sixth_is_answered_alike(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let ask = async |email: &str| {
        let page = portal.browser().post("/news/sign-in", &[("email", email)]).await;
        (page.seen(email, ADA), page.cookies().len())
    };
    let first = ask(ADA).await;
    let spellings = ["Ada@example.com", ADA, "ada@EXAMPLE.com", "ADA@example.com", ADA];
    for email in [&spellings[..], &[ADA, "aDa@example.com", "adA@Example.Com"]].concat() {
        assert_eq!(ask(email).await, first, "{email}");
    }
    // Others get theirs meanwhile, and then this one has all of its mails.
    portal.ask(&portal.browser(), "eve@example.com").await;
    let mails = || {
        let all = portal.installation.mails().into_iter();
        all.filter(|mail| mail.header("To").to_lowercase().contains(ADA)).count()
    };
    eventually("five mails are written", async || (mails() >= 5).then_some(())).await;
    portal.ask(&portal.browser(), "joe@example.com").await;
    assert_eq!(mails(), 5);
}

#[rstest]
#[tokio::test]
async fn a_mail_goes_to_the_address_that_it_signs_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let known = acme.user(json!({"email": "mark@example.com", "portal_role": "owner"}));
    let portal = Portal::new(store, acme).await;
    // The sign of the kelvin is a `k` in lower case, and the address is somebody else's.
    let browser = portal.browser();
    browser.post("/news/sign-in", &[("email", "mar\u{212a}@example.com")]).await;
    let letter = eventually("a mail is written", async || {
        super::Letter::read(&portal.installation.mails().first()?.text)
    });
    let code = letter.await.code;
    browser.post("/news/sign-in/code", &[("code", &code)]).await;
    assert!(!browser.get("/news/account").await.text.contains("mark@example.com"));

    let browser = portal.signed_in("mark@example.com").await;
    let page = browser.get("/news/account").await;
    assert!(page.text.contains("value=\"mark@example.com\""), "{}", page.text);
    assert_eq!(portal.members("mark@example.com").await.expect(200)["user_id"], known);
}

#[rstest]
#[tokio::test]
async fn an_unknown_address_becomes_a_user_when_its_mail_is_redeemed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let users = async || {
        let users = portal.acme.walk("/users/list", json!({}), 100).await;
        users.iter().map(|user| user["email"].clone()).collect::<Vec<Value>>()
    };
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    browser.get(&letter.link).await;
    let wrong = [("code", &*letter.wrong_code()), ("email", ADA)];
    browser.post("/news/sign-in/code", &wrong).await;
    assert_eq!(users().await, Vec::<Value>::new());
    browser.post("/news/sign-in/code", &[("code", &letter.code)]).await;
    assert_eq!(users().await, [json!(ADA)]);
    let user = portal.members(ADA).await.expect(200);
    assert_eq!(user["portal_role"], "end_user");
}

#[rstest]
#[tokio::test]
async fn nobody_signs_in_by_mail_where_that_is_off(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::with(json!({"portal": {"signs_in_by_mail": false}}));
    let portal = Portal::new(store, acme).await;
    let page = portal.browser().get("/news/sign-in").await;
    assert!(!page.text.contains("name=\"email\""), "{}", page.text);
    let page = portal.browser().post("/news/sign-in", &[("email", ADA)]).await;
    assert_eq!((page.status, page.cookies()), (404, vec![]));
    // An invitation comes from the command line.
    portal.member("eve@example.com", "owner").await;
    assert_eq!(portal.installation.mails().len(), 0);
}

/// Whether a cookie of a session signs in.
async fn signs_in(portal: &Portal, (name, value): &(String, String)) -> bool {
    let browser = portal.browser();
    browser.keep(name, value);
    browser.is_signed_in().await
}

#[rstest]
#[tokio::test]
async fn the_session_of_another_organization_is_none(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let globex = Draft::new();
    let base = format!("/news/o/{}", globex.slug());
    portal.another(globex).await;
    let (name, value) = portal.signed_in(ADA).await.session().expect("a session");
    let there = portal.signed_in_at(&base, ADA).await;
    let (other_name, other) = there.session().expect("a session");
    assert_ne!(name, other_name);
    assert!(!there.is_signed_in().await);
    assert!(signs_in(&portal, &(name.clone(), value.clone())).await);
    for cookie in [(name.clone(), other.clone()), (other_name.clone(), other), (other_name, value)]
    {
        assert!(!signs_in(&portal, &cookie).await, "{cookie:?}");
    }
}

#[rstest]
#[tokio::test]
async fn a_made_up_session_is_none(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let portal = portal(store).await;
    let browser = portal.signed_in(ADA).await;
    let (name, value) = browser.session().expect("a session");
    // The account page names the sessions by their digests.
    let another = portal.signed_in(ADA).await;
    let digest = another.get("/news/account").await.field("session").expect("the first session");
    assert_ne!(digest, value);
    let mut made_up = vec![digest, String::new(), "x".to_owned(), "A".repeat(43)];
    made_up.extend([format!("{value}A"), value[1..].to_owned(), value.to_lowercase()]);
    made_up.extend([format!("{value}="), "A".repeat(4_000), "é".to_owned(), "%00".to_owned()]);
    made_up.push("' OR 1=1 --".to_owned());
    for value in made_up {
        assert!(!signs_in(&portal, &(name.clone(), value.clone())).await, "{value}");
    }
    assert!(signs_in(&portal, &(name, value)).await);
}

#[rstest]
#[tokio::test]
async fn a_session_that_has_signed_out_is_none(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let (browser, other) = (portal.signed_in(ADA).await, portal.signed_in(ADA).await);
    let session = browser.session().expect("a session");
    let answer = browser.post("/news/sign-out", &[]).await;
    assert_eq!(answer.location(), "/news/?done=signed-out");
    assert_eq!(browser.session(), None);
    let [cookie] = &answer.cookies()[..] else { panic!("{:?}", answer.cookies()) };
    assert!(
        cookie.starts_with(&format!("{}=;", session.0)) && cookie.contains("Secure"),
        "{cookie}"
    );
    assert!(!signs_in(&portal, &session).await);
    assert!(other.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn the_account_page_ends_one_session_or_all_others(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let first = portal.signed_in(ADA).await;
    let second = portal.signed_in(ADA).await;
    let stranger = portal.signed_in("eve@example.com").await;
    let id = first.get("/news/account").await.field("session").expect("the other session");
    // The identifier ends nothing of somebody else.
    stranger.post("/news/account/sessions", &[("session", &id)]).await;
    assert!(second.is_signed_in().await);
    let ended = first.post("/news/account/sessions", &[("session", &id)]).await;
    assert_eq!(ended.location(), "/news/account?done=saved");
    assert!(!second.is_signed_in().await);

    let (third, fourth) = (portal.signed_in(ADA).await, portal.signed_in(ADA).await);
    first.post("/news/account/sessions", &[]).await;
    assert!(!third.is_signed_in().await && !fourth.is_signed_in().await);
    assert!(first.is_signed_in().await && stranger.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn the_session_of_a_deleted_user_is_none(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.signed_in(ADA).await;
    let user = portal.members(ADA).await.expect(200)["user_id"].clone();
    portal.acme.post("/users/delete", json!({"user_id": user})).await.expect(200);
    assert!(!browser.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn a_session_that_was_planted_is_not_the_one_after_signing_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("made up", "of the attacker")] planted: &str,
) {
    let portal = portal(store).await;
    let attacker = portal.signed_in("eve@example.com").await;
    let (name, of_attacker) = attacker.session().expect("a session");
    let value = if planted == "made up" { "A".repeat(43) } else { of_attacker };
    let victim = portal.browser();
    victim.keep(&name, &value);
    let (_, letter) = portal.ask(&victim, ADA).await;
    assert_eq!(victim.post("/news/sign-in/code", &[("code", &letter.code)]).await.status, 303);
    assert_ne!(victim.session(), Some((name.clone(), value.clone())));
    assert!(victim.get("/news/account").await.text.contains(ADA));
    // What the attacker knows is good for nothing any more.
    assert!(!signs_in(&portal, &(name, value)).await);
}

#[rstest]
#[tokio::test]
async fn the_earlier_session_of_a_browser_ends_when_it_signs_in_again(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("code", "link")] by: &str,
) {
    let portal = portal(store).await;
    let browser = portal.signed_in(ADA).await;
    let earlier = browser.session().expect("a session");
    let (_, letter) = portal.ask(&browser, ADA).await;
    let answer = match by {
        "code" => browser.post("/news/sign-in/code", &[("code", &letter.code)]).await,
        _ => browser.post(&letter.link, &[]).await,
    };
    assert_eq!(answer.status, 303, "{}", answer.text);
    let session = browser.session().expect("a session");
    assert_ne!(session, earlier);
    assert!(!signs_in(&portal, &earlier).await);
    assert!(signs_in(&portal, &session).await);
}

// The test sets the time of the last use in the database.
#[tokio::test]
async fn a_session_that_is_used_stays_in_the_browser_for_seven_more_days() {
    let portal = portal(Store::Postgres).await;
    let browser = portal.signed_in(ADA).await;
    let (name, value) = browser.session().expect("a session");
    let database = postgres::connect(&portal.installation.database_url).await;
    let idle = async || {
        let earlier = "UPDATE sessions SET seen_at = seen_at - interval '61 minutes'";
        database.batch_execute(earlier).await.expect("an earlier use");
    };
    let home = browser.get("/news/").await;
    assert_eq!(home.cookies(), Vec::<String>::new());
    idle().await;
    // No cache that others share may keep the token.
    let (_, style) = home.text.split_once("href=\"/news/colors/").expect("colours");
    let style = style.split('"').next().expect("an end");
    let style = browser.get(&format!("/news/colors/{style}")).await;
    assert!(style.header("Cache-Control").starts_with("public"));
    assert_eq!(style.cookies(), Vec::<String>::new());

    // Each answer to a session that is due renews it once, the page of a fault as well.
    for path in ["/news/", "/news/p/nothing"] {
        idle().await;
        let cookies = browser.get(path).await.cookies();
        let [cookie] = &cookies[..] else { panic!("{path}: {cookies:?}") };
        assert!(cookie.starts_with(&format!("{name}={value}; ")), "{cookie}");
        for part in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/", "Max-Age=604800"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert_eq!(browser.get(path).await.cookies(), Vec::<String>::new());
    }

    // The session that begins or ends is the one that counts.
    let (_, letter) = portal.ask(&browser, ADA).await;
    let token = browser.form_token("/news").await;
    idle().await;
    browser.send(&letter.link, &[("form_token", &token)]).await;
    assert_ne!(browser.session(), Some((name.clone(), value)));
    assert!(browser.is_signed_in().await);
    let token = browser.form_token("/news").await;
    idle().await;
    browser.send("/news/sign-out", &[("form_token", &token)]).await;
    assert_eq!(browser.session(), None);
}

#[rstest]
#[tokio::test]
async fn cookies_are_of_this_host_alone_and_no_script_reads_them(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let browser = portal.browser();
    let (page, letter) = portal.ask(&browser, ADA).await;
    let signed_in = browser.post("/news/sign-in/code", &[("code", &letter.code)]).await;
    let chosen = browser.post("/news/language", &[("language", "de")]).await;
    let signed_out = browser.post("/news/sign-out", &[]).await;
    let all = [&page, &signed_in, &chosen, &signed_out].map(|page| {
        let [cookie] = &page.cookies()[..] else { panic!("{:?}", page.cookies()) };
        cookie.clone()
    });
    for cookie in &all {
        assert!(cookie.starts_with("__Host-hearback-"), "{cookie}");
        let parts: Vec<&str> = cookie.split("; ").skip(1).collect();
        for part in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(parts.contains(&part), "{part} in {cookie}");
        }
        assert!(!parts.iter().any(|part| part.starts_with("Domain")), "{cookie}");
    }
    let ages = ["Max-Age=600", "Max-Age=604800", "Max-Age=31536000", "Max-Age=0"];
    for (cookie, age) in all.iter().zip(ages) {
        assert!(cookie.contains(age), "{cookie}");
    }
    // 32 random bytes.
    let value = |cookie: &str| cookie.split(['=', ';']).nth(1).expect("a value").to_owned();
    assert_eq!((value(&all[0]).len(), value(&all[1]).len()), (43, 43));
}

#[rstest]
#[tokio::test]
async fn neither_tokens_nor_codes_nor_addresses_are_ever_logged(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[("HEARBACK_LOG", "trace")]).await;
    let portal = Portal::of(installation, Draft::new()).await;
    let invitation = portal.invite(portal.acme.slug(), "eve@example.com", "owner").await;
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, ADA).await;
    let of_browser = browser.cookies()["__Host-hearback-sign-in"].clone();
    let links = [&invitation, &letter.link].map(|link| link.rsplit('/').next().expect("a token"));
    let mut asked = 0;
    for method in [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::OPTIONS] {
        for token in links {
            let lost = &token[1..];
            for path in [
                format!("/sign-in/{token}?x={token}"),
                format!("/sign-in/{lost}"),
                format!("/sign-in/%41{lost}"),
                format!("/sign-in/{lost}/"),
                format!("/sign-in/x/{lost}"),
                format!("/sign-in//{lost}"),
                format!("//sign-in/{lost}"),
                format!("/%73ign-in/{lost}"),
                format!("/{lost}"),
                format!("/o/x/sign-in/{lost}"),
            ] {
                for browser in [portal.browser(), portal.browser_at("elsewhere.example")] {
                    // Nothing that redeems a link.
                    let browser = browser.with_headers(&[("Accept", "text/html")]);
                    let path =
                        if browser.host == HOST { format!("/news{path}") } else { path.clone() };
                    let page = browser.request(method.clone(), &path, None).await;
                    assert!(page.status < 500, "{method} {path}");
                    asked += 1;
                }
            }
        }
    }
    let wrong = [("code", &*letter.wrong_code()), ("email", ADA)];
    browser.post("/news/sign-in/code", &wrong).await;
    assert_eq!(browser.post("/news/sign-in/code", &[("code", &letter.code)]).await.status, 303);
    let other = portal.browser();
    assert_eq!(other.post(&invitation, &[]).await.status, 303);
    let sessions = [&browser, &other].map(|browser| browser.session().expect("a session").1);
    let form_token = browser.form_token("/news").await;
    let elsewhere = portal.browser_at("elsewhere.example");
    elsewhere.keep("__Host-hearback-sign-in", &sessions[0]);
    elsewhere.get("/account").await;
    let log = eventually("each request is logged", async || {
        let log = portal.server.log();
        (log.matches("duration_ms").count() >= asked).then_some(log)
    })
    .await;
    let texts = [links[0], links[1], &sessions[0], &sessions[1], &of_browser, &form_token];
    for text in texts {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(&text[1..])).collect();
        assert_eq!(lines, Vec::<&str>::new(), "{text}");
    }
    for address in [ADA, "eve@example.com"] {
        assert!(!log.contains(address), "{address} is in the log");
    }
    let code = format!("\"{}\"", letter.code);
    assert!(!log.contains(&code) && !log.contains(&format!("code={}", letter.code)));
}

/// Spellings of an address that is not one of the portal's.
const ELSEWHERE: [&str; 30] = [
    "https://evil.example/",
    "HTTPS://evil.example",
    "https:evil.example",
    "https:/evil.example",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "\\/evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    " //evil.example",
    "/\r\n/evil.example",
    "/news\r\nLocation: https://evil.example",
    "/news/\r\nSet-Cookie: x=y",
    "/news//evil.example",
    "/news/..//evil.example",
    "/news/../../evil",
    "/news/%2e%2e//evil.example",
    "/news/.%2E/admin",
    "/news/\\..\\..\\evil.example",
    "/newsletter",
    "/news.evil.example",
    "/news@evil.example",
    "/admin",
    "news/p/x",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "\u{ff0f}\u{ff0f}evil.example",
    "/\0/evil.example",
];

#[track_caller]
fn assert_stays(location: &str, asked: &str) {
    assert!(
        location.starts_with("/news/") || location.starts_with("/news?"),
        "{location} for {asked:?}"
    );
    let page = Url::parse(&format!("{PUBLIC_URL}/sign-in")).expect("an address");
    let to = page.join(location).expect("an address");
    assert_eq!(to.origin(), page.origin(), "{location} for {asked:?}");
    assert!(to.path().starts_with("/news/"), "{location} for {asked:?}");
}

#[rstest]
#[tokio::test]
async fn a_sign_in_leads_nowhere_but_into_the_portal(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
    #[values("code", "link")] by: &str,
) {
    let portal = portal(store).await;
    for (n, asked) in ELSEWHERE.iter().enumerate() {
        let browser = portal.browser();
        let query: String = Url::parse_with_params("https://x.example/", [("return_to", asked)])
            .expect("an address")
            .query()
            .expect("a query")
            .to_owned();
        let page = browser.get(&format!("/news/sign-in?{query}")).await;
        let offered = page.field("return_to").expect("a field");
        // A page of another site may bring any value, and one of this site too.
        for (m, value) in [&*offered, asked].into_iter().enumerate() {
            let email = format!("ada-{n}-{m}@example.com");
            let (page, letter) = portal.ask_at("/news", &browser, &email, value).await;
            let kept = page.field("return_to").expect("a field");
            let fields = [("code", &*letter.code), ("return_to", &*kept)];
            let answer = match by {
                "code" => browser.post("/news/sign-in/code", &fields).await,
                _ => browser.post(&letter.link, &fields).await,
            };
            assert_stays(&answer.location(), asked);
            assert_eq!(answer.cookies().len(), 1);
            // Whoever has signed in is sent on at once.
            assert_stays(&browser.get(&format!("/news/sign-in?{query}")).await.location(), asked);
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_sign_in_leads_back_to_the_page_that_asked_for_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    acme.post(json!({"slug": "dark-mode"}));
    let portal = Portal::new(store, acme).await;
    for (from, behind) in [
        ("/news/p/dark-mode", "/news/p/dark-mode?done=signed-in"),
        ("/news/?q=a%20b&sort=new", "/news/?q=a%20b&sort=new&done=signed-in"),
    ] {
        let browser = portal.browser();
        let page = browser.get(from).await;
        let (_, link) = page.text.split_once("/sign-in?return_to=").expect("a link to sign in");
        let query = link.split('"').next().expect("an address");
        let page = browser.get(&format!("/news/sign-in?return_to={query}")).await;
        let return_to = page.field("return_to").expect("a field");
        assert_eq!(return_to, from);
        let email = format!("{}@example.com", behind.len());
        let (_, letter) = portal.ask_at("/news", &browser, &email, &return_to).await;
        let answer = browser.post("/news/sign-in/code", &[("code", &letter.code)]).await;
        assert_eq!(answer.location(), behind);
    }
}

#[rstest]
#[tokio::test]
async fn the_addresses_in_mails_are_public_ones(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    let (_, letter) = portal.ask(&portal.browser(), ADA).await;
    assert_eq!(letter.token().len(), 43);
    assert_eq!(path_of(&format!("{PUBLIC_URL}/sign-in/{}", letter.token())), letter.link);
    assert_eq!(base_of(&letter.link, HOST), "/news");
    let mails = portal.installation.mails();
    let [mail] = &mails[..] else { panic!("{} mails", mails.len()) };
    assert!(!mail.text.contains(portal.server.base()) && !mail.text.contains("127.0.0.1"));
    // Mail programs neither list it nor answer it.
    assert!(mail.header("From").contains("news@feedback.example"));
}

#[rstest]
#[tokio::test]
async fn a_form_to_sign_in_of_another_site_sends_no_mail_and_signs_nobody_in(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = portal(store).await;
    // The attacker's own link, by which the victim would write into the attacker's account.
    let browser = portal.browser();
    let (_, letter) = portal.ask(&browser, "eve@example.com").await;
    for headers in super::forms::FOREIGN {
        let victim: Browser = browser.with_headers(headers);
        let code = [("code", &*letter.code)];
        for (path, fields) in [
            ("/news/sign-in", &[("email", ADA)][..]),
            ("/news/sign-in/code", &code[..]),
            (&letter.link, &[][..]),
        ] {
            let page = victim.send(path, fields).await;
            assert_eq!((page.status, page.cookies()), (403, vec![]), "{path} {headers:?}");
        }
    }
    assert_eq!(portal.installation.mails().len(), 1);
    assert_eq!(browser.post(&letter.link, &[]).await.status, 303);
}
