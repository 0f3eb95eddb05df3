//! `/changelog/create`

use crate::support::{Draft, Organization, Store, error, id, invalid, now, time};
use rstest::rstest;
use serde_json::{Value, json};

const PATH: &str = "/changelog/create";

async fn create(acme: &Organization, body: Value) -> String {
    let answer = acme.post(PATH, body).await.expect(200);
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(1), "{answer}");
    answer["id"].as_str().expect("an id").to_owned()
}

async fn entry(acme: &Organization, id: &str) -> Value {
    let page = acme.post("/changelog/list", json!({"limit": 100})).await.expect(200);
    page["items"]
        .as_array()
        .expect("items")
        .iter()
        .find(|entry| entry["id"] == id)
        .cloned()
        .expect("the entry")
}

/// Status, scheduled time and published time of an entry.
async fn launch(acme: &Organization, body: Value) -> (Value, Value, Value) {
    let mut body = body;
    body["title"] = "Dark mode".into();
    let entry = entry(acme, &create(acme, body).await).await;
    (entry["status_code"].clone(), entry["scheduled_at"].clone(), entry["published_at"].clone())
}

/// The only entry, in the portable format.
async fn exported(acme: &Organization) -> Value {
    let mut records = acme.export().await.into_iter();
    records.find(|record| record["kind"] == "changelog_entry").expect("the entry")
}

#[rstest]
#[tokio::test]
async fn a_title_is_enough(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    let before = now();
    let id = create(&acme, json!({"title": "Dark mode"})).await;
    let entry = entry(&acme, &id).await;
    let created = time(&entry["created_at"]);
    assert!((before..=now()).contains(&created));
    assert_eq!(
        entry,
        json!({"id": id, "title": "Dark mode", "content": "", "slug": "dark-mode", "status_code": "draft",
            "show_on_portal": true, "featured_image_url": null, "author_id": null, "scheduled_at": null, "published_at": null,
            "created_at": created.to_string(), "updated_at": created.to_string(), "type": null, "label_ids": [],
            "post_ids": [], "notify": true, "notify_voters": false, "external_id": null})
    );
    assert_eq!(&id[14..15], "7", "a UUID of version 7");
    assert_eq!(exported(&acme).await["notify"], true);
}

#[rstest]
#[tokio::test]
async fn every_field_is_kept_as_it_was_sent(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (author, apps, web) = (acme.user(json!({})), acme.label(json!({})), acme.label(json!({})));
    let acme = acme.open(store).await;
    let details = "# Finally\r\n\n<b>Ünï🙂</b>\t<script>alert(1)</script> \u{1}\u{7f}\u{feff}";
    let id = create(
        &acme,
        json!({"title": " Dark\nmode ", "details": details, "type": "new", "label_ids": [web, apps, web.to_uppercase()],
            "status_code": "draft", "published": false, "scheduled_for": null, "notify": false, "author_id": author,
            "featured_image_url": "HTTPS://example.com/Ä.png?x=1#y", "show_on_portal": false, "external_id": "e-1", "unknown": 5}),
    )
    .await;
    let entry = entry(&acme, &id).await;
    assert_eq!(
        entry,
        json!({"id": id, "title": " Dark\nmode ", "content": details, "slug": "dark-mode", "status_code": "draft",
            "show_on_portal": false, "featured_image_url": "HTTPS://example.com/Ä.png?x=1#y", "author_id": author,
            "scheduled_at": null, "published_at": null, "created_at": entry["created_at"], "updated_at": entry["created_at"],
            "type": "new", "label_ids": [web, apps], "post_ids": [], "notify": false, "notify_voters": false,
            "external_id": "e-1"})
    );
    assert_eq!(exported(&acme).await["notify"], false);
}

#[rstest]
#[tokio::test]
async fn null_leaves_a_field_out(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    let nulls = json!({"title": "x", "details": null, "type": null, "label_ids": null, "status_code": null, "published": null,
        "scheduled_for": null, "notify": null, "author_id": null, "featured_image_url": null, "show_on_portal": null});
    let id = create(&acme, nulls).await;
    let entry = entry(&acme, &id).await;
    assert_eq!(
        json!([
            entry["content"],
            entry["status_code"],
            entry["show_on_portal"],
            entry["label_ids"]
        ]),
        json!(["", "draft", true, []])
    );
    assert_eq!(exported(&acme).await["notify"], true);
}

#[rstest]
#[tokio::test]
async fn published_wins_over_the_status_and_a_time_counts_for_scheduled_alone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let (later, earlier) = ("2999-01-01T00:00:00.123456+01:00", "2020-01-01");
    let null = Value::Null;
    for draft in [
        json!({}),
        json!({"status_code": "draft"}),
        json!({"published": false}),
        json!({"status_code": "draft", "scheduled_for": later}),
        json!({"scheduled_for": earlier}),
        json!({"published": false, "scheduled_for": later}),
    ] {
        assert_eq!(
            launch(&acme, draft.clone()).await,
            (json!("draft"), null.clone(), null.clone()),
            "{draft}"
        );
    }
    for scheduled in [
        json!({"status_code": "scheduled", "scheduled_for": later}),
        json!({"status_code": "scheduled", "scheduled_for": later, "published": false}),
        json!({"status_code": "scheduled", "scheduled_for": later, "published": null}),
    ] {
        let expected = (json!("scheduled"), json!("2998-12-31T23:00:00.123Z"), null.clone());
        assert_eq!(launch(&acme, scheduled.clone()).await, expected, "{scheduled}");
    }
    for published in [
        json!({"published": true}),
        json!({"status_code": "published"}),
        json!({"status_code": "published", "published": false}),
        json!({"status_code": "draft", "published": true}),
        json!({"status_code": "scheduled", "published": true}),
        json!({"status_code": "scheduled", "scheduled_for": later, "published": true}),
        json!({"status_code": "published", "scheduled_for": later}),
        json!({"scheduled_for": earlier, "published": true}),
    ] {
        let before = now();
        let (status, scheduled_at, published_at) = launch(&acme, published.clone()).await;
        assert_eq!((status, scheduled_at), (json!("published"), null.clone()), "{published}");
        assert!((before..=now()).contains(&time(&published_at)), "{published}");
    }
}

#[rstest]
#[tokio::test]
async fn scheduled_needs_a_time(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    for body in [
        json!({"title": "x", "status_code": "scheduled"}),
        json!({"title": "x", "status_code": "scheduled", "scheduled_for": null}),
        json!({"title": "x", "status_code": "scheduled", "published": false}),
    ] {
        let answer = acme.post(PATH, body).await.expect(422);
        assert_eq!(answer, invalid(&[("missing", "scheduled_for", "Field required", Value::Null)]));
    }
    assert_eq!(acme.ids("/changelog/list", json!({})).await, json!([]));
}

#[rstest]
#[tokio::test]
async fn times_are_rfc_3339_and_in_utc_without_an_offset(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let times = [
        ("2999-03-01T09:30:00Z", "2999-03-01T09:30:00.000Z"),
        ("2999-03-01T09:30:00", "2999-03-01T09:30:00.000Z"),
        ("2999-03-01T09:30:00.5", "2999-03-01T09:30:00.500Z"),
        ("2999-03-01t09:30:00.1239z", "2999-03-01T09:30:00.123Z"),
        ("2999-03-01T09:30:00-05:30", "2999-03-01T15:00:00.000Z"),
        ("2999-03-01", "2999-03-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ];
    for (given, kept) in times {
        let (status, scheduled_at, _) =
            launch(&acme, json!({"status_code": "scheduled", "scheduled_for": given})).await;
        assert_eq!((status, scheduled_at), (json!("scheduled"), json!(kept)), "{given}");
    }
}

#[rstest]
#[tokio::test]
async fn a_missing_time_takes_its_place_and_a_wrong_one_is_named_even_if_it_does_not_count(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let wrong = json!({"title": "", "status_code": "scheduled", "notify": 5});
    assert_eq!(
        json!(acme.faults(PATH, wrong).await),
        json!([
            ["string_too_short", "title", ""],
            ["missing", "scheduled_for", null],
            ["bool_type", "notify", 5]
        ])
    );
    for good in
        [json!({"title": "x", "published": true}), json!({"title": "x", "status_code": "draft"})]
    {
        let cases = [("scheduled_for", json!("tomorrow"), "datetime_parsing")];
        acme.refuses(PATH, &good, &cases).await;
    }
}

#[rstest]
#[tokio::test]
async fn labels_and_author_must_be_the_organizations_own_and_active(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let (own, gone, foreign) =
        (acme.label(json!({})), acme.label(json!({"is_active": false})), globex.label(json!({})));
    let link = id();
    let (author, left) = (acme.user(json!({"id": link})), acme.user(json!({"is_active": false})));
    let stranger = globex.user(json!({}));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    let unknown_label = error("one or more label_ids do not belong to this organization");
    for label in [&gone, &foreign, &id()] {
        let answer = acme
            .post(PATH, json!({"title": "x", "label_ids": [own, label], "author_id": author}))
            .await;
        assert_eq!(answer.expect(400), unknown_label);
    }
    // The author is named by `user_id`, never by the id of the user's link.
    for author in [&left, &stranger, &link, &id()] {
        for label in [&own, &foreign] {
            let answer = acme
                .post(PATH, json!({"title": "x", "label_ids": [label], "author_id": author}))
                .await;
            assert_eq!(answer.expect(404), error("user not found"), "a 404 comes before a 400");
        }
    }
    let faults =
        acme.faults(PATH, json!({"title": "", "label_ids": [foreign], "author_id": left})).await;
    assert_eq!(json!(faults), json!([["string_too_short", "title", ""]]));
    assert_eq!(acme.ids("/changelog/list", json!({})).await, json!([]), "no record was made");
    create(
        &acme,
        json!({"title": "x", "label_ids": [own, own], "author_id": author.to_uppercase()}),
    )
    .await;
}

#[rstest]
#[tokio::test]
async fn a_body_of_many_thousand_labels_is_answered(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let unknown: Vec<String> = (0..24_000).map(|_| id()).collect();
    for path in [PATH, "/changelog/list"] {
        let answer = acme.post(path, json!({"title": "x", "label_ids": unknown})).await;
        assert_eq!(
            answer.expect(400),
            error("one or more label_ids do not belong to this organization")
        );
    }
}
