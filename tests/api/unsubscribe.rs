//! `/unsubscribe/{token}`: the target of the links in mails.

use crate::support::{Draft, Installation, Organization, PUBLIC_URL, Server, Store, eventually};
use reqwest::{Client, Method, Response};
use rstest::rstest;
use serde_json::{Value, json};

/// A server on a store of its own, and the link in a subscriber's mail.
struct Mailed {
    installation: Installation,
    server: Server,
    acme: Organization,
    user: String,
    /// The email address of another subscriber.
    witness: String,
    /// The link of the headers, which ends the mails about the changelog, with this server's address
    /// instead of the public one.
    link: String,
    /// The link of the text that ends all mails.
    all: String,
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
        let [link, all] = links_of(&installation, &server, &acme, &user).await;
        Self { installation, server, acme, user, witness, link, all }
    }

    /// Whether the user gets mails, and mails about the changelog.
    async fn mails(&self) -> [bool; 2] {
        let records = self.acme.export().await;
        let is_user = |it: &&Value| it["kind"] == "user" && it["user_id"] == *self.user;
        let user = records.iter().find(is_user).expect("the user");
        // A record has no value that is the default.
        ["is_subscribed", "changelog_mail"].map(|name| user[name].as_bool().unwrap_or(true))
    }

    async fn is_subscribed(&self) -> bool {
        self.mails().await == [true, true]
    }

    /// The request of a browser at the public address.
    async fn call(&self, method: Method, link: &str) -> Response {
        let request = self.client().request(method, link).header("Host", "feedback.example");
        request.header("Accept", "text/html").send().await.expect("an answer")
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

/// Publishes an entry and returns the links in the user's mail: that of the headers, and the one that
/// ends all mails.
async fn links_of(
    installation: &Installation,
    server: &Server,
    acme: &Organization,
    user: &str,
) -> [String; 2] {
    acme.post("/changelog/create", json!({"title": "Dark mode", "published": true}))
        .await
        .expect(200);
    let mail = eventually("the mail is written", async || {
        installation.mails().into_iter().find(|mail| mail.header("To").contains(user))
    })
    .await;
    let header = mail.header("List-Unsubscribe");
    let link = header.strip_prefix('<').and_then(|link| link.strip_suffix('>'));
    let text = mail.text.replace("=\r\n", "").replace("=3D", "=");
    let (_, all) = text.split_once("Unsubscribe from all mails: ").expect("a link");
    let all = all.split_whitespace().next().expect("an end");
    let link = link.expect("an address in angle brackets");
    [link, all].map(|link| link.replace(PUBLIC_URL, server.base()))
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
            assert!(page.contains("<html lang=\"en\""), "{page}");
            // The form alone has the token.
            let (_, token) = mailed.link.rsplit_once('/').expect("a token");
            assert_eq!(page.matches(token).count(), 1, "{page}");
            assert!(page.contains(&format!("{token}\"><p")), "{page}");
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
    assert!(page.contains("<h1>Done</h1>"), "{page}");
    assert_eq!(mailed.mails().await, [true, false]);
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
async fn a_page_says_what_its_link_ends_in_the_language_of_the_reader(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let installation = Installation::new(store, &[]).await;
    // The portal is private, and another organization was made before.
    Draft::new().open_in(&installation).await;
    let portal = json!({"is_private": true});
    let mut acme = Draft::with(json!({"name": "Acme & Sons", "portal": portal}));
    let user = acme.user(json!({"is_subscribed": true, "locale": "de"}));
    let reader = acme.user(json!({"is_subscribed": true}));
    let post = acme.post(json!({"title": "Dark mode"}));
    let acme = acme.open_in(&installation).await;
    let server = installation.serve();
    let acme = acme.at(&server);
    let subscribe = json!({"post_id": post, "user_id": user, "level": "all"});
    acme.post("/feedback-posts/subscribe", subscribe).await.expect(200);
    let comment = json!({"feedback_post_id": post, "author_id": reader, "content": "Yes"});
    acme.post("/comments/create", comment).await.expect(200);
    acme.post("/changelog/create", json!({"title": "New", "published": true})).await.expect(200);
    let links = eventually("two mails are written", async || {
        let mails = installation.mails().into_iter();
        let own: Vec<_> = mails.filter(|mail| mail.header("To").contains(&*user)).collect();
        let [first, second] = &own[..] else { return None };
        let text = first.text.replace("=\r\n", "").replace("=3D", "=");
        let (_, all) = text.split_once("Alle E-Mails abbestellen: ")?;
        let all = all.split_whitespace().next()?.to_owned();
        let alone = [first, second].map(|mail| mail.header("List-Unsubscribe"));
        Some(Vec::from_iter(alone.into_iter().chain([all])))
    })
    .await;
    let mut titles = vec![];
    for link in &links {
        let link = link.trim_matches(['<', '>']);
        assert!(link.starts_with(&format!("{PUBLIC_URL}/o/{}/", acme.slug())), "{link}");
        let link = link.replace(PUBLIC_URL, server.base());
        let send = async |method| {
            let request = acme.client().request(method, &link).header("Host", "feedback.example");
            request.send().await.expect("an answer").text().await.expect("a page")
        };
        let page = send(Method::GET).await;
        assert!(page.contains("<html lang=\"de\"") && page.contains("/colors/"), "{page}");
        let (_, title) = page.split_once("<h1>").expect("a heading");
        titles.push(title.split('<').next().unwrap_or_default().to_owned());
        let page = send(Method::POST).await;
        assert!(page.contains("<h1>Erledigt</h1>") && page.contains("Acme &#38; Sons"), "{page}");
    }
    titles.sort();
    let expected =
        ["Alle E-Mails abbestellen", "Dieser Idee nicht mehr folgen", "Neuigkeiten abbestellen"];
    assert_eq!(titles, expected);
    let records = acme.export().await;
    let found = records.iter().find(|it| it["kind"] == "user" && it["user_id"] == *user);
    let found = found.expect("the user");
    assert_eq!((&found["is_subscribed"], &found["changelog_mail"]), (&json!(false), &json!(false)));
    let followed = |it: &&Value| it["kind"] == "subscription" && it["user_id"] == *user;
    assert_eq!(records.iter().filter(followed).count(), 0);
}

#[rstest]
#[tokio::test]
async fn the_link_of_the_text_ends_all_mails(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mailed = Mailed::new(store).await;
    let page = mailed.call(Method::GET, &mailed.all).await.text().await.expect("a page");
    assert!(page.contains("<h1>Unsubscribe from all mails</h1>"), "{page}");
    assert_eq!(mailed.call(Method::POST, &mailed.all).await.status(), 200);
    assert_eq!(mailed.mails().await, [false, true]);
}

#[tokio::test]
async fn the_link_of_a_long_mailing_is_good_at_former_addresses() {
    let mailed = Mailed::new(Store::Sqlite).await;
    let (_, token) = mailed.link.rsplit_once('/').expect("a token");
    let old = |path: &str| format!("{}{path}/unsubscribe/{token}", mailed.server.base());
    // Links of former versions have no slug. An organization may change its own.
    for link in [old(""), old("/o/former")] {
        let page = mailed.call(Method::GET, &link).await;
        assert_eq!(page.status(), 200, "{link}");
        let page = page.text().await.expect("a page");
        assert!(page.contains(&format!("/unsubscribe/{token}")), "{page}");
        let own = format!("/o/{}/unsubscribe/", mailed.acme.slug());
        assert_eq!(page.contains(&own), link.contains("former"), "{page}");
    }
    // A mail program may come by an address that nobody has.
    assert_eq!(mailed.one_click(&old("")).await.status(), 200);
    assert_eq!(mailed.mails().await, [true, false]);
}

#[tokio::test]
async fn a_long_body_unsubscribes_nobody() {
    let mailed = Mailed::new(Store::Sqlite).await;
    let request = mailed.client().post(&mailed.link).header("Host", "feedback.example");
    let answer = request.body("x".repeat(4_097)).send().await.expect("an answer");
    assert_eq!(answer.status(), 413);
    assert!(mailed.is_subscribed().await);
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
            mailed.link.replace("/unsubscribe/", "/%75nsubscribe/"),
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
