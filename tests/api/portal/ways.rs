//! The page of the dashboard about the ways to sign in that have secrets.

use super::{Browser, Draft, Page, Portal, plain};
use crate::sso::{of_ada, signed};
use crate::support::Store;
use rstest::rstest;
use serde_json::{Value, json};

const WAYS: &str = "/news/dashboard/sign-in";

/// A provider as a member types it.
const PROVIDER: [(&str, &str); 9] = [
    ("act", "add"),
    ("name", "Example"),
    ("issuer", "https://accounts.example.com"),
    ("client_id", "portal-1"),
    ("client_secret", "a-client-secret"),
    ("email_claim", "email"),
    ("email_verified_claim", "email_verified"),
    ("name_claim", "name"),
    ("picture_claim", "picture"),
];

/// The entries of the audit log that an action has made, the newest first.
async fn logged(portal: &Portal, action: &str) -> Vec<Value> {
    let log = portal.acme.post("/audit/list", json!({"action": action})).await.expect(200);
    log["items"].as_array().expect("entries").clone()
}

/// The page, which may have a secret, and is kept nowhere.
async fn ways(browser: &Browser, fields: &[(&str, &str)]) -> Page {
    let page = browser.post(WAYS, fields).await;
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("etag"), "");
    page
}

/// The text of a page, without the marks around the arguments of its messages.
fn said(page: &Page) -> String {
    plain(&page.text).replace(['\u{2068}', '\u{2069}'], "")
}

#[rstest]
#[tokio::test]
async fn a_provider_is_added_with_its_redirect_address_and_removed_when_asked(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, Draft::new()).await;
    let owner = portal.member("owner@example.com", "owner").await;
    assert!(owner.get("/news/dashboard").await.text.contains(&format!("href=\"{WAYS}\"")));

    // A wrong field is told beside it, and nothing is added.
    for (field, wrong) in [
        ("name", " "),
        ("name", &*"x".repeat(256)),
        ("issuer", "accounts.example.com"),
        ("issuer", "http://accounts.example.com"),
        ("issuer", "https://10.0.0.1"),
        ("client_id", ""),
        ("client_secret", " "),
        ("email_claim", ""),
    ] {
        let fields = [&PROVIDER[..], &[(field, wrong)]].concat();
        let page = ways(&owner, &fields).await;
        assert_eq!(page.status, 422, "{field}: {}", page.text);
        assert!(page.text.contains(&format!("id=\"{field}-fault\"")), "{field}: {}", page.text);
        assert!(page.text.contains("portal-1") || field == "client_id");
        assert!(!page.text.contains("a-client-secret"), "{field}");
    }
    assert!(!portal.browser().get("/news/sign-in").await.text.contains("/sign-in/oidc/"));

    assert_eq!(ways(&owner, &PROVIDER).await.status, 303);
    let page = owner.get(WAYS).await;
    assert!(!page.text.contains("a-client-secret"));
    let address = "https://feedback.example/news/sign-in/oidc/";
    let (_, rest) = page.text.split_once(address).expect("a redirect address");
    let (id, rest) = rest.split_once('/').expect("an identifier");
    assert!(rest.starts_with("callback<") || rest.starts_with("callback\""), "{rest}");
    let button = format!("/news/sign-in/oidc/{id}");
    assert!(portal.browser().get("/news/sign-in").await.text.contains(&button));

    let ask = owner.get(&format!("{WAYS}?ask=remove&id={id}")).await;
    assert!(said(&ask).contains("Nobody signs in at Example"), "{}", ask.text);
    assert!(portal.browser().get("/news/sign-in").await.text.contains(&button));
    let remove = [("act", "remove"), ("id", id)];
    for _ in 0..2 {
        assert_eq!(ways(&owner, &remove).await.status, 303);
    }
    assert!(!portal.browser().get("/news/sign-in").await.text.contains(&button));

    let user = portal.members("owner@example.com").await.expect(200);
    for (action, done) in [("oidc/add", "added"), ("oidc/remove", "removed")] {
        let [entry] = &logged(&portal, action).await[..] else { panic!("{action}") };
        assert_eq!((&entry["door"], &entry["actor_id"]), (&json!("dashboard"), &user["user_id"]));
        let data = &entry["data"];
        let told = (&data["oidc_provider"], &data["id"], &data["issuer"]);
        assert_eq!(told, (&json!(done), &json!(id), &json!("https://accounts.example.com")));
        assert!(!entry.to_string().contains("a-client-secret"));
    }
    assert!(!portal.server.log().contains("a-client-secret"));
}

#[rstest]
#[tokio::test]
async fn the_page_is_there_for_owners_and_admins_and_a_provider_for_the_team_for_owners(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let portal = Portal::new(store, Draft::new()).await;
    let acts: [&[(&str, &str)]; 4] = [
        &PROVIDER,
        &[("act", "generate")],
        &[("act", "retire")],
        &[("act", "check"), ("token", "x")],
    ];
    for role in ["member", "viewer"] {
        let browser = portal.member(&format!("{role}@example.com"), role).await;
        assert_eq!(browser.get(WAYS).await.status, 404, "{role}");
        assert!(!browser.get("/news/dashboard").await.text.contains(WAYS), "{role}");
        for fields in acts {
            assert_eq!(browser.post(WAYS, fields).await.status, 404, "{role} {fields:?}");
        }
    }
    let nobody = portal.browser();
    assert!(nobody.get(WAYS).await.location().starts_with("/news/sign-in"));
    // Whoever runs a provider for members can sign in as an owner.
    let for_members = [&PROVIDER[..], &[("for_members", "yes")]].concat();
    let admin = portal.member("admin@example.com", "admin").await;
    assert!(!admin.get(WAYS).await.text.contains("for_members"));
    let refused = ways(&admin, &for_members).await;
    assert!(refused.status == 422 && refused.text.contains("Only owners"), "{}", refused.text);
    assert!(logged(&portal, "oidc/add").await.is_empty());
    assert_eq!(ways(&admin, &PROVIDER).await.status, 303);
    let owner = portal.member("owner@example.com", "owner").await;
    assert_eq!(ways(&owner, &for_members).await.status, 303);
    assert!(owner.get(WAYS).await.text.contains("Signs in visitors and members of the team"));
    // A form without the token of the session does nothing.
    assert_eq!(owner.send(WAYS, &[("act", "generate")]).await.status, 403);
    assert!(logged(&portal, "sso/generate").await.is_empty());
}

#[rstest]
#[tokio::test]
async fn a_secret_is_shown_once_and_tokens_are_checked_with_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    draft.user(json!({"email": "known@example.com"}));
    let portal = Portal::new(store, draft).await;
    let admin = portal.member("admin@example.com", "admin").await;
    let made = async || {
        let page = ways(&admin, &[("act", "generate")]).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let (_, rest) = page.text.split_once(">hbsso_").expect("a secret");
        format!("hbsso_{}", rest.split('<').next().expect("a secret"))
    };
    let check = async |token: &str| {
        let page = ways(&admin, &[("act", "check"), ("token", token)]).await;
        assert!(token.is_empty() || !page.text.contains(token));
        said(&page)
    };
    assert!(check("x.y.z").await.contains("the organization has no secret"));
    let first = made().await;
    assert!(!admin.get(WAYS).await.text.contains("hbsso_"));
    let header = json!({"alg": "HS256"});
    let token = |secret: &str, claims| signed(secret, &header, &of_ada(claims));
    let good = token(&first, json!({"aud": "https://feedback.example/news"}));
    for _ in 0..2 {
        let said = check(&good).await;
        assert!(said.contains("signs in ada@example.com. The person is new"), "{said}");
        assert!(said.contains("u-1"), "{said}");
    }
    assert_eq!(portal.members("ada@example.com").await.status, 404, "a check makes nobody");
    let known = check(&token(&first, json!({"email": "known@example.com"}))).await;
    assert!(known.contains("known@example.com. The person is here already"), "{known}");
    for (bad, why) in [
        (token("another", json!({})), "the signature fits no secret"),
        (token(&first, json!({"exp": 1})), "the token has expired"),
        (token(&first, json!({"aud": "https://other.example"})), "for another audience"),
        (token(&first, json!({"email": "admin@example.com"})), "belongs to a member of the team"),
        ("no token".to_owned(), "has not three parts"),
    ] {
        let said = check(&bad).await;
        assert!(said.contains(why), "{why}: {said}");
    }
    let empty = ways(&admin, &[("act", "check"), ("token", " ")]).await;
    assert!(empty.status == 422 && empty.text.contains("id=\"token-fault\""));

    // Both secrets are good until the former one is removed. There is no third one.
    let second = made().await;
    let third = ways(&admin, &[("act", "generate")]).await;
    assert!(third.status == 422 && !third.text.contains("hbsso_"), "{}", third.text);
    for secret in [&first, &second] {
        assert!(check(&token(secret, json!({}))).await.contains("The person is new"));
    }
    let ask = admin.get(&format!("{WAYS}?ask=retire")).await;
    assert!(ask.text.contains("are refused from then on"), "{}", ask.text);
    assert_eq!(ways(&admin, &[("act", "retire")]).await.status, 303);
    assert_eq!(ways(&admin, &[("act", "retire")]).await.status, 422);
    assert!(check(&token(&first, json!({}))).await.contains("the signature fits no secret"));
    assert!(check(&token(&second, json!({}))).await.contains("The person is new"));

    assert_eq!(logged(&portal, "sso/generate").await.len(), 2);
    let [entry] = &logged(&portal, "sso/retire").await[..] else { panic!("no entry") };
    assert_eq!(
        (&entry["door"], &entry["data"]["sso_secret"]),
        (&json!("dashboard"), &json!("retired"))
    );
    for secret in [&first, &second, &good] {
        assert!(!portal.server.log().contains(&**secret));
    }
}
