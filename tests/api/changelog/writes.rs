//! `/changelog/…`: the writes beside `create`.

use crate::support::{Draft, Installation, Organization, Store, error, eventually, id};
use hearback_tests::smtp::SmtpServer;
use rstest::rstest;
use serde_json::{Value, json};

const EVENTS: [&str; 2] = ["changelog.published", "changelog.unpublished"];

async fn retrieve(acme: &Organization, id: &str) -> Value {
    acme.post("/changelog/retrieve", json!({"id": id})).await.expect(200)
}

async fn does(acme: &Organization, verb: &str, body: Value) {
    let answer = acme.post(&format!("/changelog/{verb}"), body).await;
    assert_eq!(answer.expect(200), json!({"success": true}), "{verb}");
}

/// The events of an organization: the type, `id` and `published_at` of each.
async fn told(acme: &Organization) -> Vec<Value> {
    let events = acme.events().await.into_iter();
    let told = events.map(|it| json!([it["event"], it["data"]["id"], it["data"]["published_at"]]));
    told.collect()
}

#[rstest]
#[tokio::test]
async fn a_draft_is_published_and_becomes_a_draft_again(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let entry = acme.entry(json!({"title": "Dark mode", "slug": "dark-mode", "type": "new"}));
    acme.receiver_of(json!(EVENTS));
    let acme = acme.open(store).await;
    let state = async || {
        let shown = retrieve(&acme, &entry).await;
        let [status, scheduled, published] =
            ["status_code", "scheduled_at", "published_at"].map(|member| shown[member].clone());
        (status, scheduled, published)
    };
    let named = || json!({"entry_id": entry});
    does(&acme, "unpublish", named()).await;
    assert_eq!(state().await, (json!("draft"), Value::Null, Value::Null));
    let later = "2999-01-01T00:00:00.000Z";
    does(&acme, "publish", json!({"entry_id": entry, "scheduled_for": later})).await;
    assert_eq!(state().await, (json!("scheduled"), json!(later), Value::Null));
    does(&acme, "unpublish", named()).await;
    assert_eq!(state().await, (json!("draft"), Value::Null, Value::Null));
    assert_eq!(told(&acme).await, [] as [Value; 0], "nothing was published");
    does(&acme, "publish", json!({"entry_id": entry, "scheduled_for": "2020-01-01"})).await;
    let (status, scheduled, published) = state().await;
    assert_eq!((status, scheduled), (json!("published"), Value::Null));
    let again = acme.post("/changelog/publish", named()).await.expect(400);
    assert_eq!(again, error("the entry is already published"));
    let events = acme.events().await;
    assert_eq!(
        events[0]["data"],
        json!({"id": entry, "title": "Dark mode", "slug": "dark-mode", "type": "new",
            "published_at": published})
    );
    does(&acme, "unpublish", named()).await;
    assert_eq!(state().await, (json!("draft"), Value::Null, Value::Null));
    does(&acme, "publish", named()).await;
    let (_, _, later) = state().await;
    does(&acme, "delete", named()).await;
    assert_eq!(
        told(&acme).await,
        [
            json!(["changelog.published", entry, published]),
            json!(["changelog.unpublished", entry, null]),
            json!(["changelog.published", entry, later]),
            json!(["changelog.unpublished", entry, later]),
        ]
    );
    for verb in ["update", "publish", "unpublish", "delete"] {
        let answer = acme.post(&format!("/changelog/{verb}"), named()).await;
        assert_eq!(answer.expect(404), error("changelog entry not found"), "{verb}");
    }
}

#[rstest]
#[tokio::test]
async fn an_entry_is_changed_field_by_field(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (author, label) = (acme.user(json!({})), acme.label(json!({})));
    let entry = acme.entry(json!({"title": "Dark mode", "content": "At last", "type": "new"}));
    acme.entry(json!({"slug": "taken"}));
    acme.receiver_of(json!(EVENTS));
    let acme = acme.open(store).await;
    let mut expected = retrieve(&acme, &entry).await;
    let image = "https://example.com/a.png";
    let patch = json!({"entry_id": entry, "title": "Night mode", "details": "", "slug": "night",
        "label_ids": [label, label], "featured_image_url": image, "show_on_portal": false,
        "author_id": author, "notify": true, "external_id": "e-1", "clear": ["type"]});
    does(&acme, "update", patch).await;
    for (member, value) in [
        ("title", json!("Night mode")),
        ("content", json!("")),
        ("slug", json!("night")),
        ("label_ids", json!([label])),
        ("featured_image_url", json!(image)),
        ("show_on_portal", json!(false)),
        ("author_id", json!(author)),
        ("notify", json!(true)),
        ("external_id", json!("e-1")),
        ("type", json!(null)),
    ] {
        expected[member] = value;
    }
    let shown = retrieve(&acme, &entry).await;
    expected["updated_at"] = shown["updated_at"].clone();
    assert_eq!(shown, expected);
    let clear = json!({"entry_id": entry,
        "clear": ["author_id", "featured_image_url", "external_id"]});
    does(&acme, "update", clear).await;
    for member in ["author_id", "featured_image_url", "external_id"] {
        expected[member] = Value::Null;
    }
    let shown = retrieve(&acme, &entry).await;
    expected["updated_at"] = shown["updated_at"].clone();
    assert_eq!(shown, expected);
    for (patch, status, detail) in [
        (json!({"slug": "taken"}), 400, json!("Slug already exists")),
        (
            json!({"published_at": "2026-01-01"}),
            400,
            json!({"error": "the entry is not published"}),
        ),
        (
            json!({"label_ids": [id()]}),
            400,
            json!({"error": "one or more label_ids do not belong to this organization"}),
        ),
        (json!({"author_id": id()}), 404, json!({"error": "user not found"})),
        (
            json!({"title": "x", "expected_updated_at": "2020-01-01"}),
            400,
            json!({"error": "the record was changed meanwhile"}),
        ),
    ] {
        let mut body = patch.clone();
        body["entry_id"] = json!(entry);
        let answer = acme.post("/changelog/update", body).await;
        assert_eq!(answer.expect(status), json!({"detail": detail}), "{patch}");
    }
    let named = json!({"entry_id": entry});
    let future = json!("2999-01-01");
    acme.refuses("/changelog/update", &named, &[("published_at", future, "value_error")]).await;
    assert_eq!(retrieve(&acme, &entry).await, shown);
    assert_eq!(told(&acme).await, [] as [Value; 0]);
}

#[rstest]
#[tokio::test]
async fn posts_are_linked_to_an_entry_and_unlinked(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let entry = acme.entry(json!({}));
    let posts = [0, 1, 2].map(|_| acme.post(json!({})));
    let gone = acme.post(json!({"is_active": false}));
    let acme = acme.open(store).await;
    let links = async || retrieve(&acme, &entry).await["post_ids"].clone();
    let [a, b, c] = &posts;
    does(&acme, "link-posts", json!({"entry_id": entry, "post_ids": [b, a]})).await;
    does(&acme, "link-posts", json!({"entry_id": entry, "post_ids": [c, b, c]})).await;
    let mut all = vec![json!(a), json!(b), json!(c)];
    let mut linked = links().await.as_array().unwrap().clone();
    linked.sort_by_key(Value::to_string);
    all.sort_by_key(Value::to_string);
    assert_eq!(linked, all);
    does(&acme, "unlink-posts", json!({"entry_id": entry, "post_ids": [a, c]})).await;
    does(&acme, "unlink-posts", json!({"entry_id": entry, "post_ids": [a]})).await;
    assert_eq!(links().await, json!([b]));
    acme.post("/feedback-posts/delete", json!({"post_id": b})).await.expect(200);
    assert_eq!(links().await, json!([b]), "a reference keeps showing the id");
    let unknown = error("one or more post_ids do not belong to this organization");
    for verb in ["link-posts", "unlink-posts"] {
        for post in [&gone, &id()] {
            let body = json!({"entry_id": entry, "post_ids": [a, post]});
            let answer = acme.post(&format!("/changelog/{verb}"), body).await;
            assert_eq!(answer.expect(400), unknown);
        }
    }
    assert_eq!(links().await, json!([b]));
}

#[rstest]
#[tokio::test]
async fn an_entry_is_mailed_once_in_its_life_and_on_demand_to_the_voters_of_its_posts(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let smtp = SmtpServer::start();
    let installation = Installation::new(store, &[("HEARBACK_SMTP_URL", &smtp.url())]).await;
    let mut acme = Draft::new();
    let ada = acme.user(json!({"is_subscribed": true, "email": "ada@example.com"}));
    acme.user(json!({"is_subscribed": true, "email": "bob@example.com"}));
    let post = acme.post(json!({}));
    acme.subscription(&ada, &post);
    let [all, voters, quiet] = ["All", "Voters", "Quiet"]
        .map(|title| acme.entry(json!({"title": title, "notify": false})));
    acme.entry_link(&voters, &post);
    let acme = acme.open_in(&installation).await;
    let server = installation.serve();
    let acme = acme.at(&server);
    does(&acme, "publish", json!({"entry_id": quiet, "notify": false})).await;
    let of_voters = json!({"entry_id": voters, "notify": false, "notify_voters": true});
    does(&acme, "publish", of_voters).await;
    does(&acme, "publish", json!({"entry_id": all})).await;
    let sent = async |count: usize| {
        eventually("the mails are sent", async || {
            let mails = smtp.received();
            (mails.len() >= count).then_some(mails)
        })
        .await
    };
    let mut mails: Vec<String> = sent(3)
        .await
        .iter()
        .map(|it| format!("{} {}", it.header("Subject"), it.recipients[0].1))
        .collect();
    mails.sort_unstable();
    assert_eq!(
        mails,
        ["Acme: All ada@example.com", "Acme: All bob@example.com", "Acme: Voters ada@example.com"]
    );
    for entry in [&all, &voters] {
        does(&acme, "unpublish", json!({"entry_id": entry})).await;
        does(&acme, "publish", json!({"entry_id": entry})).await;
    }
    let last = json!({"title": "Last", "published": true});
    acme.post("/changelog/create", last).await.expect(200);
    let mails = sent(5).await;
    assert_eq!(mails.len(), 5, "no entry is mailed twice");
    assert!(mails[3..].iter().all(|mail| mail.header("Subject") == "Acme: Last"));
}
