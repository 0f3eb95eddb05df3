//! `/unsubscribe/{token}`: the target of the links in mails.

use crate::support::{Draft, Installation, Organization, PUBLIC_URL, Server, Store, eventually};
use reqwest::{Client, Method, Response};
use rstest::rstest;
use serde_json::json;

/// A server on a store of its own, and the link in a subscriber's mail.
struct Mailed {
    installation: Installation,
    server: Server,
    acme: Organization,
    user: String,
    /// The email address of another subscriber.
    witness: String,
    /// The link, with this server's address instead of the public one.
    link: String,
}

impl Mailed {
    async fn new(store: Store) -> Self {
        // The most verbose log level.
        let installation = Installation::new(store, &[("HEARBACK_LOG", "trace")]).await;
        let mut acme = Draft::new();
        let user = acme.user(json!({"is_subscribed": true}));
        let witness = acme.user(json!({"is_subscribed": true}));
        let acme = acme.open_in(&installation).await;
        let server = installation.serve();
        let acme = acme.at(&server);
        let link = link_of(&installation, &server, &acme, &user).await;
        Self { installation, server, acme, user, witness, link }
    }

    async fn is_subscribed(&self) -> bool {
        let user =
            self.acme.post("/users/retrieve", json!({"user_id": self.user})).await.expect(200);
        user["is_subscribed"].as_bool().expect("a boolean")
    }

    async fn call(&self, method: Method, link: &str) -> Response {
        self.client().request(method, link).send().await.expect("an answer")
    }

    /// The request of a mail program (RFC 8058).
    async fn one_click(&self, link: &str) -> Response {
        let request =
            self.client().post(link).header("Content-Type", "application/x-www-form-urlencoded");
        request.body("List-Unsubscribe=One-Click").send().await.expect("an answer")
    }

    fn client(&self) -> Client {
        self.acme.client()
    }
}

/// Publishes an entry and returns the link in the user's mail.
async fn link_of(
    installation: &Installation,
    server: &Server,
    acme: &Organization,
    user: &str,
) -> String {
    acme.post("/changelog/create", json!({"title": "Dark mode", "published": true}))
        .await
        .expect(200);
    let header = eventually("the mail is written", async || {
        let mail =
            installation.mails().into_iter().find(|mail| mail.header("To").contains(user))?;
        Some(mail.header("List-Unsubscribe"))
    })
    .await;
    let public = header
        .strip_prefix('<')
        .and_then(|link| link.strip_suffix('>'))
        .expect("an address in angle brackets");
    public.replace(PUBLIC_URL, server.base())
}

#[rstest]
#[tokio::test]
async fn a_look_at_the_page_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mailed = Mailed::new(store).await;
    for method in [Method::GET, Method::HEAD, Method::GET] {
        let answer = mailed.call(method.clone(), &mailed.link).await;
        assert_eq!(answer.status(), 200, "{method}");
        let headers = answer.headers().clone();
        assert!(headers["content-type"].to_str().is_ok_and(|kind| kind.starts_with("text/html")));
        assert_eq!(headers["cache-control"], "no-store");
        assert_eq!(headers["referrer-policy"], "no-referrer");
        assert_eq!(headers["x-robots-tag"], "noindex");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        let policy = headers["content-security-policy"].to_str().expect("text");
        assert!(policy.contains("default-src 'none'"), "{policy}");
        let page = answer.text().await.expect("a page");
        assert_eq!(page.is_empty(), method == Method::HEAD);
        if method == Method::GET {
            assert!(
                page.contains("<form method=\"post\"") && page.contains("<html lang=\"en\">"),
                "{page}"
            );
            assert!(
                !page.contains("<script")
                    && !page.contains("http://")
                    && !page.contains("https://"),
                "{page}"
            );
        }
        assert!(mailed.is_subscribed().await);
    }
}

#[rstest]
#[tokio::test]
async fn the_link_of_a_mail_unsubscribes_with_one_click(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mailed = Mailed::new(store).await;
    assert!(mailed.is_subscribed().await);
    let answer = mailed.one_click(&mailed.link).await;
    assert_eq!(answer.status(), 200);
    let page = answer.text().await.expect("a page");
    assert!(page.to_lowercase().contains("unsubscribed"), "{page}");
    assert!(!mailed.is_subscribed().await);
    // A second request succeeds too, and `GET` still asks.
    assert_eq!(mailed.one_click(&mailed.link).await.status(), 200);
    assert_eq!(mailed.call(Method::GET, &mailed.link).await.status(), 200);
    assert!(!mailed.is_subscribed().await);
    // The mail of the next entry goes to the remaining subscriber alone.
    let entry = json!({"title": "Another", "published": true});
    mailed.acme.post("/changelog/create", entry).await.expect(200);
    let of_another = || {
        mailed
            .installation
            .mails()
            .into_iter()
            .filter(|mail| mail.header("Subject").contains("Another"))
    };
    let to = eventually("the witness is mailed", async || {
        of_another().map(|mail| mail.header("To")).next()
    })
    .await;
    assert!(to.contains(&mailed.witness), "{to}");
    assert_eq!(of_another().count(), 1);
}

#[rstest]
#[tokio::test]
async fn the_form_of_the_page_unsubscribes_with_any_body(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    for (kind, body) in [
        (Some("application/x-www-form-urlencoded"), ""),
        (Some("multipart/form-data; boundary=x"), "--x\r\n\r\n--x--\r\n"),
        (Some("application/json"), "{}"),
        (None, ""),
    ] {
        let mailed = Mailed::new(store).await;
        let request = mailed.client().post(&mailed.link).body(body);
        let request =
            if let Some(kind) = kind { request.header("Content-Type", kind) } else { request };
        assert_eq!(request.send().await.expect("an answer").status(), 200, "{kind:?}");
        assert!(!mailed.is_subscribed().await, "{kind:?}");
    }
}

#[rstest]
#[tokio::test]
async fn a_forged_link_is_not_found_and_changes_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mailed = Mailed::new(store).await;
    let (start, token) = mailed.link.rsplit_once('/').expect("a token");
    // Some bits of the last character are no part of the token.
    let flip = |at: usize| {
        let other = if &token[at..=at] == "A" { "B" } else { "A" };
        format!("{start}/{}{other}{}", &token[..at], &token[at + 1..])
    };
    let mut wrong: Vec<String> = (0..token.len() - 1).map(flip).collect();
    wrong.extend([
        format!("{start}/{}", &token[1..]),
        format!("{start}/{token}A"),
        format!("{start}/{token}="),
        format!("{start}/{token}%00"),
        format!("{start}/x"),
        format!("{start}/%C3%A9"),
        format!("{start}/{}", "A".repeat(4_000)),
    ]);
    for link in wrong {
        for method in [Method::GET, Method::POST] {
            let answer = mailed.call(method, &link).await;
            assert_eq!(answer.status(), 404, "{link}");
            assert!(
                answer.headers()["content-type"]
                    .to_str()
                    .is_ok_and(|kind| kind.starts_with("text/html")),
                "{link}"
            );
        }
    }
    for other in [format!("{start}/"), start.to_owned(), format!("{}/x", mailed.link)] {
        assert_eq!(mailed.call(Method::POST, &other).await.status(), 404, "{other}");
    }
    assert!(mailed.is_subscribed().await);
}

#[rstest]
#[tokio::test]
async fn other_methods_are_refused(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let mailed = Mailed::new(store).await;
    for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        let answer = mailed.call(method.clone(), &mailed.link).await;
        assert_eq!(answer.status(), 405, "{method}");
        assert_eq!(answer.headers()["allow"], "GET, HEAD, POST");
    }
    assert!(mailed.is_subscribed().await);
}

#[rstest]
#[tokio::test]
async fn a_link_is_of_one_user_in_one_organization(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mailed = Mailed::new(store).await;
    let mut globex = Draft::new();
    globex.user(json!({"user_id": mailed.user, "is_subscribed": true}));
    let other = globex.user(json!({"is_subscribed": true}));
    let globex = globex.open_in(&mailed.installation).await.at(&mailed.server);
    assert_eq!(mailed.one_click(&mailed.link).await.status(), 200);
    assert!(!mailed.is_subscribed().await);
    for user in [&mailed.user, &other] {
        let user = globex.post("/users/retrieve", json!({"user_id": user})).await.expect(200);
        assert_eq!(user["is_subscribed"], true);
    }
}

#[rstest]
#[tokio::test]
async fn a_link_works_on_every_server_and_after_a_restart(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mailed = Mailed::new(store).await;
    let another = mailed.installation.serve();
    let link = mailed.link.replace(mailed.server.base(), another.base());
    assert_eq!(mailed.one_click(&link).await.status(), 200);
    assert!(!mailed.is_subscribed().await);
}

#[rstest]
#[tokio::test]
async fn neither_token_nor_key_nor_address_is_ever_logged(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mailed = Mailed::new(store).await;
    let (start, token) = mailed.link.rsplit_once('/').expect("a token");
    let mut asked = 0;
    for method in [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::OPTIONS] {
        for link in [
            mailed.link.clone(),
            format!("{}?x={token}", mailed.link),
            format!("{start}/{token}A"),
            format!("{start}/%41{}", &token[1..]),
        ] {
            mailed
                .client()
                .request(method.clone(), &link)
                .header("Referer", &link)
                .send()
                .await
                .expect("an answer");
            asked += 1;
        }
        for link in
            [format!("{}/", mailed.link), format!("{start}/x/{token}"), format!("{start}//{token}")]
        {
            mailed.client().request(method.clone(), &link).send().await.expect("an answer");
        }
    }
    let log = eventually("each request is logged", async || {
        let log = mailed.server.log();
        (log.matches("/unsubscribe/…").count() >= asked).then_some(log)
    })
    .await;
    assert!(!log.contains(&token[1..]), "the token is in the log");
    assert!(
        !log.contains(&token[..40]) && !log.contains(&token[40..]),
        "a part of the token is in the log"
    );
    let address = format!("{}@example.com", mailed.user);
    assert!(
        !log.contains(mailed.acme.key()) && !log.contains(&address),
        "the key or the address is in the log"
    );
}
