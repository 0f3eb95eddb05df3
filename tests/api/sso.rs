//! `/sso` and `/sso/callback`: single sign-on, with the software of the organization in the test.
//!
//! The public address is `https://feedback.example/news`. The proxy in front of the server takes
//! `/news` away.

use crate::support::site::builder;
use crate::support::{
    Draft, Installation, Organization, PUBLIC_URL, Server, Store, eventually, id, now,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::header::HeaderMap;
use reqwest::{Client, Url, redirect};
use ring::hmac;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// The address of the organization's own sign-in.
const LOGIN: &str = "https://acme.example/login?via=feedback";

/// A server on a store of its own, with an organization that has a secret.
struct Portal {
    installation: Installation,
    server: Server,
    acme: Organization,
    id: String,
    slug: String,
    secret: String,
}

impl Portal {
    async fn new(store: Store) -> Self {
        Self::with(Installation::new(store, &[]).await, json!({}), |_| {}).await
    }

    /// A portal with these settings, and these records.
    async fn with(installation: Installation, portal: Value, fill: fn(&mut Draft)) -> Self {
        let (id, mut portal) = (id(), portal);
        portal["sso_url"] = LOGIN.into();
        let mut draft = Draft::with(json!({"id": id, "portal": portal}));
        fill(&mut draft);
        let slug = draft.slug().to_owned();
        let acme = draft.open_in(&installation).await;
        let secret = generate(&installation, &slug).await;
        let server = installation.serve();
        Self { acme: acme.at(&server), installation, server, id, slug, secret }
    }

    fn browser(&self) -> Browser {
        Browser {
            client: builder().redirect(redirect::Policy::none()).build().expect("a client"),
            base: self.server.base().to_owned(),
            cookies: Mutex::default(),
        }
    }

    /// A token of Ada, with these other claims.
    fn token(&self, claims: Value) -> String {
        signed(&self.secret, &json!({"alg": "HS256", "typ": "JWT"}), &of_ada(claims))
    }

    async fn user(&self, email: &str) -> (u16, Value) {
        let answer = self.acme.post("/users/retrieve", json!({"email": email})).await;
        (answer.status, serde_json::from_slice(&answer.bytes).expect("JSON"))
    }
}

async fn generate(installation: &Installation, slug: &str) -> String {
    let secret = installation.command(&["sso", "generate", "--organization", slug]).await;
    secret.trim().to_owned()
}

fn in_seconds(seconds: i64) -> i64 {
    now().unix_millis() / 1_000 + seconds
}

/// The claims of Ada in a token of its own, and these. `null` leaves a claim out.
pub(crate) fn of_ada(others: Value) -> Value {
    let mut claims =
        json!({"email": "ada@example.com", "sub": "u-1", "exp": in_seconds(300), "jti": id()});
    for (name, value) in others.as_object().expect("an object") {
        claims[name] = value.clone();
    }
    claims
}

/// A token with a header and claims.
pub(crate) fn signed(secret: &str, header: &Value, claims: &Value) -> String {
    let text = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes())))
}

/// A browser that follows no redirects, and keeps its cookies.
struct Browser {
    client: Client,
    base: String,
    cookies: Mutex<BTreeMap<String, String>>,
}

impl Browser {
    async fn get(&self, path: &str) -> Page {
        let url = format!("{}{path}", self.base);
        let request = self.client.get(url).header("Host", "feedback.example");
        let pairs: Vec<String> =
            self.kept().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = request.header("Cookie", pairs.join("; ")).header("Accept", "text/html");
        let answer = request.send().await.expect("an answer");
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let page = Page { status, headers, text: answer.text().await.expect("a text") };
        for cookie in page.cookies() {
            let (name, rest) = cookie.split_once('=').expect("a name");
            let value = rest.split(';').next().unwrap_or_default();
            let mut cookies = self.cookies.lock().expect("not poisoned");
            match value.is_empty() {
                true => cookies.remove(name),
                false => cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        page
    }

    fn kept(&self) -> BTreeMap<String, String> {
        self.cookies.lock().expect("not poisoned").clone()
    }

    /// Goes to the organization's own sign-in. Returns the state.
    async fn depart(&self, return_to: &str) -> String {
        let path = path("/sso", &[("return_to", return_to)]);
        self.get(&path).await.parameters()["state"].clone()
    }

    async fn back(&self, token: &str, state: &str) -> Page {
        self.get(&path("/sso/callback", &[("token", token), ("state", state)])).await
    }

    /// Goes to the organization's own sign-in, and comes back with a token.
    async fn sign_in(&self, token: &str) -> Page {
        let state = self.depart("/news/account").await;
        self.back(token, &state).await
    }

    /// [`Browser::sign_in`], which is refused for a reason.
    async fn fails(&self, token: &str, reason: &str) {
        let page = self.sign_in(token).await;
        assert_eq!(page.status, 403, "{reason}: {}", page.text);
        assert!(page.text.contains(reason), "{reason}: {}", page.text);
        assert!(token.is_empty() || !page.text.contains(token));
        assert_eq!(page.header("referrer-policy"), "no-referrer");
        assert_eq!(page.header("cache-control"), "no-store");
        assert!(!self.is_signed_in().await, "{reason}");
    }

    async fn is_signed_in(&self) -> bool {
        self.get("/account").await.status == 200
    }
}

fn path(path: &str, parameters: &[(&str, &str)]) -> String {
    let url = Url::parse_with_params("https://x.example/", parameters).expect("a URL");
    format!("{path}?{}", url.query().unwrap_or_default())
}

struct Page {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Page {
    fn header(&self, name: &str) -> String {
        let value = self.headers.get(name);
        value.map_or_else(String::new, |value| value.to_str().expect("ASCII").to_owned())
    }

    /// Where the browser is sent.
    #[track_caller]
    fn location(&self) -> String {
        assert_eq!(self.status, 303, "{}", self.text);
        self.header("location")
    }

    /// The parameters of the organization's own sign-in.
    #[track_caller]
    fn parameters(&self) -> BTreeMap<String, String> {
        let to = self.location();
        assert!(to.starts_with(&format!("{LOGIN}&")), "{to}");
        Url::parse(&to).expect("a URL").query_pairs().into_owned().collect()
    }

    fn cookies(&self) -> Vec<String> {
        let values = self.headers.get_all("set-cookie").iter();
        values.map(|value| value.to_str().expect("ASCII").to_owned()).collect()
    }
}

#[rstest]
#[tokio::test]
async fn a_person_signs_in_with_the_organizations_own_software(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store).await;
    let browser = portal.browser();
    let there = browser.get("/sso?return_to=/news/account").await;
    let parameters = there.parameters();
    let state = &parameters["state"];
    assert_eq!(parameters["redirect"], format!("{PUBLIC_URL}/sso/callback"));
    assert_eq!(parameters["organization_id"], portal.id);
    assert_eq!(parameters["return_to"], "/news/account");
    assert_eq!(state.len(), 43);
    let [cookie] = &there.cookies()[..] else { panic!("{:?}", there.cookies()) };
    assert!(cookie.starts_with("__Host-hearback-sso-") && !cookie.contains(&**state), "{cookie}");
    for part in ["; HttpOnly", "; Secure", "; SameSite=Lax", "; Path=/", "; Max-Age=600"] {
        assert!(cookie.contains(part), "{cookie}");
    }

    let token = portal.token(json!({
        "name": "Ada Lovelace", "avatar_url": "https://acme.example/ada.png", "locale": "de",
        "attributes": {"plan": "pro"}, "aud": PUBLIC_URL, "iat": in_seconds(0),
        "companies": [{"id": "c-9", "name": "Engines", "monthlySpend": 49.5}],
    }));
    let back = browser.back(&token, state).await;
    assert_eq!(back.location(), "/news/account?done=signed-in");
    assert_eq!(back.header("referrer-policy"), "no-referrer");
    assert_eq!(back.header("cache-control"), "no-store");
    // The state is over, and the session is there.
    assert_eq!(browser.kept().len(), 1);
    let account = browser.get("/account").await;
    assert!(account.status == 200 && account.text.contains("Ada Lovelace"), "{}", account.text);
    let (_, ada) = portal.user("ada@example.com").await;
    assert_eq!(
        (&ada["external_id"], &ada["name"], &ada["locale"], &ada["company_name"]),
        (&json!("u-1"), &json!("Ada Lovelace"), &json!("de"), &json!("Engines"))
    );
    assert_eq!(ada["avatar_url"], "https://acme.example/ada.png");
    assert_eq!(ada["attributes"], json!({"plan": "pro"}));

    // The next token changes the user, also the address.
    let token = portal.token(json!({"name": "Countess", "email": "Countess@example.com"}));
    assert_eq!(browser.sign_in(&token).await.status, 303);
    assert_eq!(portal.user("ada@example.com").await.0, 404);
    let (_, countess) = portal.user("countess@example.com").await;
    assert_eq!((&countess["id"], &countess["name"]), (&ada["id"], &json!("Countess")));
    assert_eq!(countess["company_name"], "Engines");
}

#[rstest]
#[tokio::test]
async fn a_user_who_signed_in_by_mail_is_found_by_the_address(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[]).await;
    let fill = |draft: &mut Draft| drop(draft.user(json!({"email": "ada@example.com"})));
    let portal = Portal::with(installation, json!({}), fill).await;
    let (_, before) = portal.user("ada@example.com").await;
    let token = portal.token(json!({"email": "ADA@example.com"}));
    assert_eq!(portal.browser().sign_in(&token).await.status, 303);
    let (_, after) = portal.user("ada@example.com").await;
    assert_eq!((&after["id"], &after["external_id"]), (&before["id"], &json!("u-1")));
}

#[rstest]
#[tokio::test]
async fn a_wrong_token_signs_nobody_in_and_the_page_says_why(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store).await;
    let secret = &portal.secret;
    let browser = portal.browser();
    let ada = of_ada(json!({}));
    let header = |alg: &str| json!({"alg": alg, "typ": "JWT"});
    let good = portal.token(json!({}));
    let unsigned = signed(secret, &header("none"), &ada);
    let (unsigned, _) = unsigned.rsplit_once('.').expect("a signature");
    let mut exported =
        portal.installation.command(&["export", "--organization", &portal.slug]).await;
    exported.push_str(
        &portal
            .installation
            .command(&["export", "--organization", &portal.slug, "--with-secrets"])
            .await,
    );
    assert!(!exported.contains(&**secret));
    for (token, reason) in [
        (format!("{unsigned}."), "the token has no signature"),
        (signed(secret, &header("none"), &ada), "is not HS256"),
        (signed(secret, &header("RS256"), &ada), "is not HS256"),
        (signed(secret, &header("HS512"), &ada), "is not HS256"),
        (portal.token(json!({"aud": "https://other.example"})), "another audience"),
        (portal.token(json!({"exp": in_seconds(-61)})), "the token has expired"),
        (portal.token(json!({"exp": in_seconds(25 * 3_600)})), "more than 24 hours ahead"),
        (portal.token(json!({"exp": null})), "has no `exp`"),
        (portal.token(json!({"email": null})), "has no `email`"),
        (portal.token(json!({"sub": null})), "no identifier"),
        (signed("another", &header("HS256"), &ada), "the signature fits no secret"),
        (format!("{good}A"), "the signature fits no secret"),
        (String::new(), "three parts"),
    ] {
        browser.fails(&token, reason).await;
    }
    for audience in [&*portal.id, &portal.slug, PUBLIC_URL, "https://feedback.example"] {
        let token = portal.token(json!({"aud": ["https://other.example", audience]}));
        assert_eq!(portal.browser().sign_in(&token).await.status, 303, "{audience}");
    }
}

#[rstest]
#[tokio::test]
async fn a_token_is_good_once(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let portal = Portal::new(store).await;
    let token = portal.token(json!({}));
    assert_eq!(portal.browser().sign_in(&token).await.status, 303);
    portal.browser().fails(&token, "used already").await;
    // Of many at once, one is signed in.
    let token = portal.token(json!({}));
    let sign_in = async || portal.browser().sign_in(&token).await.status;
    let answers = tokio::join!(sign_in(), sign_in(), sign_in(), sign_in());
    let answers = [answers.0, answers.1, answers.2, answers.3];
    assert_eq!(answers.iter().filter(|status| **status == 303).count(), 1, "{answers:?}");
}

#[rstest]
#[tokio::test]
async fn a_token_works_in_the_browser_alone_that_went_to_get_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store).await;
    let (victim, attacker) = (portal.browser(), portal.browser());
    let foreign = attacker.depart("/news/").await;
    let token = portal.token(json!({}));
    let refuses = async |state: &str| {
        let page = victim.back(&token, state).await;
        assert_eq!(page.status, 403, "{state}");
        assert!(page.text.contains("began in another browser"), "{}", page.text);
        assert!(!page.text.contains(&token), "{}", page.text);
        assert_eq!(page.cookies(), [""; 0]);
        assert!(!victim.is_signed_in().await);
    };
    // Without a cookie, and with one.
    refuses(&foreign).await;
    refuses("").await;
    let own = victim.depart("/news/").await;
    for state in ["", "x", &foreign, &own[1..], &format!("{own}A"), &own.to_lowercase()] {
        refuses(state).await;
    }
    let page = victim.get(&path("/sso/callback", &[("token", &token)])).await;
    assert_eq!(page.status, 403);
    // A token without a departure only leads to the sign-in.
    let page = victim.get(&path("/sso", &[("token", &token)])).await;
    let own = page.parameters()["state"].clone();
    assert!(!victim.is_signed_in().await);
    // The token is still good.
    assert_eq!(victim.back(&token, &own).await.status, 303);
    // The state is not.
    let again = victim.back(&portal.token(json!({})), &own).await;
    assert_eq!(again.status, 403);
}

#[rstest]
#[tokio::test]
async fn a_token_and_a_state_are_of_one_organization(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store).await;
    let globex = Draft::with(json!({"portal": {"sso_url": LOGIN}}));
    let slug = globex.slug().to_owned();
    let _ = globex.open_in(&portal.installation).await;
    let secret = generate(&portal.installation, &slug).await;
    let header = json!({"alg": "HS256"});
    let of_globex = signed(&secret, &header, &of_ada(json!({})));
    let browser = portal.browser();
    browser.fails(&of_globex, "the signature fits no secret").await;
    let of_acme = browser.depart("/news/").await;
    let callback = format!("/o/{slug}/sso/callback");
    let page = browser.get(&path(&callback, &[("token", &of_globex), ("state", &of_acme)])).await;
    assert_eq!(page.status, 403);

    let there = browser.get(&format!("/o/{slug}/sso?return_to=/news/account")).await;
    let parameters = there.parameters();
    assert_eq!(parameters["redirect"], format!("{PUBLIC_URL}/o/{slug}/sso/callback"));
    let state = &parameters["state"];
    let page = browser.get(&path(&callback, &[("token", &of_globex), ("state", state)])).await;
    // The place is one of another portal.
    assert_eq!(page.location(), format!("/news/o/{slug}/?done=signed-in"));
    assert_eq!(browser.get(&format!("/o/{slug}/account")).await.status, 200);
    assert!(!browser.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn a_member_of_the_team_is_signed_in_by_no_token(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[]).await;
    let portal = Portal::with(installation, json!({}), |draft| {
        let roles = ["owner", "admin", "member", "viewer"];
        for role in roles {
            let email = format!("{role}@example.com");
            draft.user(json!({"email": email, "external_id": role, "portal_role": role}));
        }
    })
    .await;
    let browser = portal.browser();
    for role in ["owner", "admin", "member", "viewer"] {
        let email = format!("{role}@example.com");
        for claims in [
            json!({"email": email}),
            json!({"email": email.to_uppercase().replace("EXAMPLE.COM", "example.com")}),
            json!({"sub": role}),
            json!({"sub": role, "email": email}),
        ] {
            browser.fails(&portal.token(claims), "a member of the team").await;
        }
        let (_, user) = portal.user(&email).await;
        assert_eq!((&user["name"], &user["external_id"]), (&json!("Ada"), &json!(role)));
    }
    // A member who left is none of those who sign in this way.
    let (_, viewer) = portal.user("viewer@example.com").await;
    let left = json!({"user_id": viewer["user_id"]});
    assert_eq!(portal.acme.post("/users/delete", left).await.status, 200);
    browser.fails(&portal.token(json!({"sub": "viewer"})), "a member of the team").await;
}

#[rstest]
#[tokio::test]
async fn a_person_who_joins_the_team_keeps_no_session_of_a_token(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store).await;
    let browser = portal.browser();
    assert_eq!(browser.sign_in(&portal.token(json!({}))).await.status, 303);
    let invite = ["member", "invite", "--organization", &portal.slug];
    let invite = [&invite[..], &["--email", "ada@example.com", "--role", "admin"]].concat();
    let link = portal.installation.command(&invite).await;
    let link = link.trim().strip_prefix(PUBLIC_URL).expect("a link of the portal");
    let request = browser.client.post(format!("{}{link}", browser.base));
    let request = request.header("Host", "feedback.example");
    let request = request.header("Sec-Fetch-Site", "same-origin").body("");
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    assert_eq!(request.send().await.expect("an answer").status(), 303);
    assert!(!browser.is_signed_in().await);
}

#[rstest]
#[tokio::test]
async fn during_a_rotation_both_secrets_are_good_and_then_the_new_one_alone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store).await;
    let new = generate(&portal.installation, &portal.slug).await;
    assert!(new.starts_with("hbsso_") && new != portal.secret, "{new}");
    let header = json!({"alg": "HS256"});
    let token = |secret: &str| signed(secret, &header, &of_ada(json!({})));
    for secret in [&new, &portal.secret] {
        assert_eq!(portal.browser().sign_in(&token(secret)).await.status, 303);
    }
    let checked = token(&portal.secret);
    let check = ["sso", "check", "--organization", &portal.slug, &checked];
    let (_, ada) = portal.user("ada@example.com").await;
    let user = ada["user_id"].as_str().expect("an id");
    let expected = format!("{user}\tu-1\tada@example.com\n");
    assert_eq!(portal.installation.command(&check).await, expected);

    portal.installation.command(&["sso", "retire", "--organization", &portal.slug]).await;
    portal.browser().fails(&checked, "the signature fits no secret").await;
    assert_eq!(portal.browser().sign_in(&token(&new)).await.status, 303);
}

#[rstest]
#[tokio::test]
async fn the_visitor_returns_to_the_portal_and_nowhere_else(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store).await;
    for (return_to, place) in [
        ("/news/roadmap?x=1#y", "/news/roadmap?x=1&done=signed-in#y"),
        ("", "/news/?done=signed-in"),
        ("//evil.example", "/news/?done=signed-in"),
        ("https://evil.example/", "/news/?done=signed-in"),
        ("/elsewhere", "/news/?done=signed-in"),
    ] {
        let browser = portal.browser();
        let state = browser.depart(return_to).await;
        let page = browser.back(&portal.token(json!({})), &state).await;
        assert_eq!(page.location(), place);
    }
    // The names that other tools have for the token.
    for name in ["ssoToken", "jwt"] {
        let browser = portal.browser();
        let state = browser.depart("").await;
        let token = portal.token(json!({}));
        let page = browser.get(&path("/sso/callback", &[(name, &token), ("state", &state)])).await;
        assert_eq!(page.status, 303, "{name}");
    }
}

#[rstest]
#[tokio::test]
async fn a_private_portal_without_sign_in_by_mail_is_entered_by_single_sign_on_alone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[]).await;
    let settings = json!({"is_private": true, "signs_in_by_mail": false});
    let portal = Portal::with(installation, settings, |_| {}).await;
    let browser = portal.browser();
    assert!(browser.get("/").await.location().starts_with("/news/sign-in?"));
    let page = browser.get("/sign-in?return_to=/news/roadmap").await.text;
    assert!(page.contains("Sign in with \u{2068}Acme\u{2069}"), "{page}");
    assert!(page.contains("href=\"/news/sso?return_to=%2Fnews%2Froadmap\""), "{page}");
    assert!(!page.contains("name=\"email\""), "{page}");
    assert_eq!(browser.sign_in(&portal.token(json!({}))).await.status, 303);
    assert_eq!(browser.get("/").await.status, 200);

    // Without an address, there is no single sign-on, also for those who are on their way.
    let state = browser.depart("").await;
    let set = ["organization", "set", "--organization", &portal.slug, "--sso-url", ""];
    portal.installation.command(&set).await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    assert_eq!(browser.back(&portal.token(json!({})), &state).await.status, 404);
    assert_eq!(browser.get("/sso").await.status, 404);
}

#[rstest]
#[tokio::test]
async fn neither_token_nor_state_nor_secret_is_ever_logged(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    // The most verbose log level.
    let installation = Installation::new(store, &[("HEARBACK_LOG", "trace")]).await;
    let portal = Portal::with(installation, json!({}), |_| {}).await;
    let browser = portal.browser();
    let token = portal.token(json!({}));
    let state = browser.depart("").await;
    let cookie = browser.kept().into_values().next().expect("a cookie");
    let parameters = [("token", &*token), ("state", &*state)];
    let mut asked = 0;
    for start in ["/sso/callback", "/sso/%63allback", &format!("/o/{}/sso/callback", portal.slug)] {
        let page = browser.get(&path(start, &parameters)).await;
        assert!([303, 403].contains(&page.status), "{}", page.text);
        asked += 1;
    }
    let again = browser.sign_in(&token).await;
    assert!(again.text.contains("used already"), "{}", again.text);
    let url = format!("{}{}", browser.base, path("/sso/callback", &parameters));
    for method in ["POST", "PUT", "HEAD", "OPTIONS"] {
        let method = method.parse().expect("a method");
        let request = browser.client.request(method, &url).header("Host", "feedback.example");
        request.header("Referer", &url).send().await.expect("an answer");
        asked += 1;
    }
    let log = eventually("each request is logged", async || {
        let log = portal.server.log();
        (log.matches("/sso/callback").count() >= asked).then_some(log)
    })
    .await;
    assert!(log.contains("single sign-on was refused"), "{log}");
    let session = browser.kept().into_values().next().expect("a session");
    let (_, signature) = token.rsplit_once('.').expect("a signature");
    for secret in [&token, signature, &token[..40], &state, &cookie, &session, &portal.secret] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    assert!(!log.contains("ada@example.com"), "the address is in the log");
}
