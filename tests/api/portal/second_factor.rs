//! The second factor of members of the team.

use super::{Browser, Draft, Page, Portal};
use crate::support::Store;
use hearback_domain::second_factor::{bare_code, digits};
use ring::hmac;
use rstest::rstest;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

const OWN: &str = "/news/account/second-factor";

/// A member's authenticator app.
struct App {
    key: Vec<u8>,
    /// The step of the set-up.
    step: u64,
    codes: Vec<String>,
}

impl App {
    /// Takes the key of the page.
    fn read(page: &Page) -> Self {
        let (_, rest) = page.text.split_once("id=\"key\" value=\"").expect("a key");
        let text = bare_code(rest.split('"').next().expect("its end"));
        let five = |it: u8| if it.is_ascii_uppercase() { it - b'A' } else { it - b'2' + 26 };
        let bits: Vec<u8> = text
            .bytes()
            .flat_map(|it| (0..5).rev().map(move |place| five(it) >> place & 1))
            .collect();
        let byte = |bits: &[u8]| bits.iter().fold(0, |number, bit| number << 1 | bit);
        #[expect(
            clippy::disallowed_methods,
            reason = "an authenticator app has a clock of its own"
        )]
        let now = SystemTime::now();
        let now = now.duration_since(UNIX_EPOCH).expect("a time");
        let key = bits.chunks_exact(8).map(byte).collect();
        Self { key, step: now.as_secs() / 30, codes: vec![] }
    }

    /// The code of a step after the set-up.
    fn code(&self, later: u64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.key);
        let mac = hmac::sign(&key, &(self.step + later).to_be_bytes());
        digits(mac.as_ref().try_into().expect("20 bytes"))
    }

    /// Another code than those that are good.
    fn wrong(&self) -> &'static str {
        let good: Vec<String> = (0..5).map(|later| self.code(later)).collect();
        ["000000", "111111", "222222", "333333", "444444", "555555"]
            .into_iter()
            .find(|it| !good.iter().any(|good| good == it))
            .expect("a wrong code")
    }
}

/// Sets the second factor of a member up who has just signed in.
async fn set_up(browser: &Browser, return_to: &str) -> App {
    let page = browser.get(OWN).await;
    assert_eq!((page.status, &*page.header("Cache-Control")), (200, "no-store"));
    assert!(page.text.contains("otpauth://totp/") && page.text.contains("<svg"), "{}", page.text);
    let (mut app, sealed) = (App::read(&page), page.field("sealed").expect("a secret"));
    let fields =
        |code| [("sealed", sealed.clone()), ("code", code), ("return_to", return_to.into())];
    let wrong = send(browser, OWN, &fields(app.wrong().to_owned())).await;
    assert!(wrong.text.contains("code-fault"), "{}", wrong.text);
    assert_eq!(App::read(&wrong).key, app.key);
    let done = send(browser, OWN, &fields(app.code(0))).await;
    assert_eq!((done.status, &*done.header("Cache-Control")), (200, "no-store"), "{}", done.text);
    assert!(done.header("ETag").is_empty());
    app.codes = codes(&done);
    app
}

/// The recovery codes of a page.
fn codes(page: &Page) -> Vec<String> {
    let (_, rest) = page.text.split_once("<textarea").expect("codes");
    let (_, rest) = rest.split_once('>').expect("codes");
    let codes: Vec<_> =
        rest.split('<').next().expect("codes").split_whitespace().map(str::to_owned).collect();
    assert_eq!(codes.len(), 10, "{}", page.text);
    codes
}

async fn send(browser: &Browser, path: &str, fields: &[(&str, String)]) -> Page {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, &**value)).collect();
    browser.post(path, &fields).await
}

/// A browser in which a person has signed in by mail, and the page to which that led.
async fn enter(portal: &Portal, email: &str) -> (Browser, String) {
    let browser = portal.browser();
    let (_, letter) = portal.ask_at("/news", &browser, email, "/news/dashboard").await;
    let fields = [("code", &*letter.code), ("return_to", "/news/dashboard")];
    let to = browser.post("/news/sign-in/code", &fields).await.location();
    (browser, to)
}

async fn show(browser: &Browser, code: &str) -> Page {
    let fields = [("code", code), ("return_to", "/news/dashboard")];
    browser.post("/news/second-step", &fields).await
}

const TO_STEP: &str = "/news/second-step?return_to=%2Fnews%2Fdashboard";

#[rstest]
#[tokio::test]
async fn the_dashboard_opens_when_the_second_factor_is_shown(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, Draft::new()).await;
    let email = "olga@example.com";
    let first = portal.member(email, "owner").await;
    let second = portal.signed_in(email).await;
    let app = set_up(&first, "").await;
    // The other sessions have ended, and this one goes on.
    assert!(!second.is_signed_in().await);
    assert_eq!(first.get("/news/dashboard").await.status, 200);
    assert!(first.get("/news/account").await.text.contains(OWN));

    let (browser, to) = enter(&portal, email).await;
    assert_eq!(to, format!("{TO_STEP}%3Fdone%3Dsigned-in"));
    // Until then the member is a person without a role, who acts nowhere.
    assert_eq!(browser.get("/news/dashboard").await.location(), TO_STEP);
    for path in ["/news/account", "/news/account/password", OWN, "/news/account/delete"] {
        let there = browser.get(path).await.location();
        assert!(there.starts_with("/news/second-step?"), "{path}: {there}");
    }
    for path in ["/news/account", "/news/account/delete", "/news/account/sessions"] {
        let there = browser.post(path, &[("name", "Eve")]).await.location();
        assert!(there.starts_with("/news/second-step?"), "{path}: {there}");
    }
    let home = browser.get("/news/").await;
    assert!(home.status == 200 && home.text.contains("/news/second-step?"), "{}", home.text);

    let replayed = show(&browser, &app.code(0)).await;
    assert!(replayed.status == 200 && replayed.text.contains("code-fault"), "{}", replayed.text);
    assert_eq!(browser.get("/news/dashboard").await.location(), TO_STEP);
    assert_eq!(show(&browser, &app.code(1)).await.location(), "/news/dashboard");
    assert_eq!(browser.get("/news/dashboard").await.status, 200);
    // A session that has shown the factor is not asked again.
    assert_eq!(browser.get(TO_STEP).await.location(), "/news/dashboard");

    let (other, _) = enter(&portal, email).await;
    assert!(show(&other, &app.code(1)).await.text.contains("code-fault"));
    let typed = app.codes[0].to_lowercase().replace('-', " ");
    assert_eq!(show(&other, &typed).await.location(), "/news/dashboard");
    let (third, _) = enter(&portal, email).await;
    assert!(show(&third, &app.codes[0]).await.text.contains("code-fault"));
    assert_eq!(show(&third, &app.codes[1]).await.location(), "/news/dashboard");

    // No page of a browser without a session, and no page of an end user.
    let nobody = portal.browser();
    assert!(nobody.get(TO_STEP).await.location().starts_with("/news/sign-in?"));
    assert!(nobody.get(OWN).await.location().starts_with("/news/sign-in?"));
    let eve = portal.signed_in("eve@example.com").await;
    assert_eq!(eve.get(OWN).await.status, 404);
    assert!(!eve.get("/news/account").await.text.contains(OWN));
}

#[rstest]
#[tokio::test]
async fn codes_are_tried_five_times(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let portal = Portal::new(store, Draft::new()).await;
    let email = "olga@example.com";
    let app = set_up(&portal.member(email, "admin").await, "").await;
    let browsers = [enter(&portal, email).await.0, enter(&portal, email).await.0];
    for browser in [0, 1, 0, 1, 0].map(|place: usize| &browsers[place]) {
        let wrong = show(browser, app.wrong()).await;
        assert!(wrong.text.contains("code-fault") && !wrong.text.contains("ten minutes"));
    }
    for code in [app.code(1), app.codes[0].clone()] {
        let refused = show(&browsers[1], &code).await;
        assert!(refused.text.contains("ten minutes"), "{}", refused.text);
        assert_eq!(browsers[1].get("/news/dashboard").await.location(), TO_STEP);
    }
}

#[rstest]
#[tokio::test]
async fn a_required_factor_is_set_up_before_anything_of_the_team_is_shown(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, Draft::new()).await;
    let (viewer, olga) = ("vera@example.com", "olga@example.com");
    let [vera, before] =
        [portal.member(viewer, "viewer").await, portal.member(olga, "owner").await];
    portal.set(portal.acme.slug(), &["--second-factor", "admin"]).await;
    assert_eq!(vera.get("/news/dashboard").await.status, 200);
    // An open session counts no longer.
    assert_eq!(before.get("/news/dashboard").await.location(), TO_STEP);
    let (browser, to) = enter(&portal, olga).await;
    let set_up_page = browser.get(&to).await.location();
    assert_eq!(set_up_page, format!("{OWN}?return_to=%2Fnews%2Fdashboard%3Fdone%3Dsigned-in"));
    assert_eq!(browser.get("/news/dashboard").await.location(), TO_STEP);
    let page = browser.get(&set_up_page).await;
    assert_eq!(page.field("return_to").as_deref(), Some("/news/dashboard?done=signed-in"));
    let app = set_up(&browser, "/news/dashboard").await;
    assert_eq!(browser.get("/news/dashboard").await.status, 200);
    assert!(!before.is_signed_in().await);

    // A member who turns a required factor off is asked for a new one at once.
    let off = format!("{OWN}/off");
    let wrong = browser.post(&off, &[("code", app.wrong())]).await;
    assert!(wrong.text.contains("code-fault"), "{}", wrong.text);
    assert_eq!(browser.post(&off, &[("code", &app.codes[0])]).await.status, 303);
    assert_eq!(browser.get("/news/dashboard").await.location(), TO_STEP);
    portal.set(portal.acme.slug(), &["--second-factor", "none"]).await;
    assert_eq!(browser.get("/news/dashboard").await.status, 200);
}

#[rstest]
#[tokio::test]
async fn codes_are_replaced_and_the_operator_resets_a_factor(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, Draft::new()).await;
    let email = "olga@example.com";
    let browser = portal.member(email, "owner").await;
    let app = set_up(&browser, "").await;
    let form = format!("{OWN}/codes");
    let page = browser.post(&form, &[("code", &app.codes[0])]).await;
    let new = codes(&page);
    assert!(new.iter().all(|code| !app.codes.contains(code)));
    let (other, _) = enter(&portal, email).await;
    assert!(show(&other, &app.codes[1]).await.text.contains("code-fault"));
    assert_eq!(show(&other, &new[0]).await.location(), "/news/dashboard");

    // The organization's page of settings has the role.
    let settings = browser.get("/news/dashboard/organization").await;
    assert!(settings.text.contains("name=\"second_factor\""), "{}", settings.text);

    let reset = ["member", "reset-second-factor", "--organization", portal.acme.slug()];
    portal.installation.command(&[&reset[..], &["--email", email]].concat()).await;
    assert!(!browser.is_signed_in().await && !other.is_signed_in().await);
    let (again, to) = enter(&portal, email).await;
    assert_eq!(to, "/news/dashboard?done=signed-in");
    assert_eq!(again.get("/news/dashboard").await.status, 200);

    // The audit log tells what was done, and no secret.
    let entries = portal.acme.post("/audit/list", json!({})).await.expect(200);
    let entries = entries["items"].as_array().expect("entries").clone();
    let data = |it: &serde_json::Value| it["data"]["second_factor"].as_str().map(str::to_owned);
    let told: Vec<_> = entries.iter().filter_map(data).collect();
    let used = "recovery_code_used";
    assert_eq!(told, ["reset", used, "codes_replaced", used, "set_up"], "{entries:?}");
}
