//! `/changelog/list`

use crate::support::{Draft, Store};
use rstest::rstest;
use serde_json::json;

const PATH: &str = "/changelog/list";

#[rstest]
#[tokio::test]
async fn an_entry_has_the_contracts_fields_and_its_type_and_labels(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let author = acme.user(json!({}));
    let (apps, gone) = (acme.label(json!({})), acme.label(json!({"is_active": false})));
    let plain = acme.entry(
        json!({"title": "Über", "slug": "plain", "created_at": "2026-01-04T00:00:00.123456Z"}),
    );
    let full = acme.entry(json!({"title": "Dark mode", "content": "# Finally\n", "slug": "Dark.Mode",
        "status_code": "published", "show_on_portal": false, "featured_image_url": "https://example.com/dark.png",
        "author_id": author, "scheduled_at": "2026-02-01T08:00:00Z", "published_at": "2026-02-01T08:00:01.5Z",
        "type": "improvement", "label_ids": [gone, apps], "notify": true, "notify_voters": true, "external_id": "e-1", "created_at": "2026-01-03",
        "updated_at": "2026-02-01T08:00:01.5Z"}));
    let [first, second] = [acme.post(json!({})), acme.post(json!({}))];
    for post in [&second, &first] {
        acme.entry_link(&full, post);
    }
    acme.entry(json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post(PATH, json!({})).await.expect(200),
        json!({
            "items": [
                {"id": plain, "title": "Über", "content": "", "slug": "plain", "status_code": "draft", "show_on_portal": true,
                    "featured_image_url": null, "author_id": null, "scheduled_at": null, "published_at": null,
                    "created_at": "2026-01-04T00:00:00.123Z", "updated_at": "2026-01-04T00:00:00.123Z",
                    "type": null, "label_ids": [], "post_ids": [], "notify": false, "notify_voters": false,
                    "external_id": null},
                {"id": full, "title": "Dark mode", "content": "# Finally\n", "slug": "Dark.Mode", "status_code": "published",
                    "show_on_portal": false, "featured_image_url": "https://example.com/dark.png", "author_id": author,
                    "scheduled_at": "2026-02-01T08:00:00.000Z", "published_at": "2026-02-01T08:00:01.500Z",
                    "created_at": "2026-01-03T00:00:00.000Z", "updated_at": "2026-02-01T08:00:01.500Z",
                    "type": "improvement", "label_ids": [gone, apps], "post_ids": [second, first], "notify": true,
                    "notify_voters": true, "external_id": "e-1"},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
}

#[rstest]
#[tokio::test]
async fn entries_in_all_states_are_sorted_by_creation_or_publication(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let draft = acme.entry(json!({"created_at": "2026-01-04"}));
    let scheduled = acme.entry(json!({"created_at": "2026-01-03", "status_code": "scheduled", "scheduled_at": "2999-01-01"}));
    let mut published = |created_at: &str, published_at: &str| {
        acme.entry(json!({"created_at": created_at, "status_code": "published", "published_at": published_at}))
    };
    let early = published("2026-01-06", "2026-02-01");
    let late = published("2026-01-03", "2026-02-03");
    let tied = published("2026-01-05", "2026-02-01");
    let never = acme.entry(json!({"created_at": "2026-01-09"}));
    let acme = acme.open(store).await;
    let newest = json!([never, early, tied, draft, late, scheduled]);
    for body in [
        json!({}),
        json!({"sort": "newest"}),
        json!({"sort": null, "type": null, "label_ids": null}),
    ] {
        assert_eq!(acme.ids(PATH, body).await, newest);
    }
    let oldest = json!([scheduled, late, draft, tied, early, never]);
    assert_eq!(acme.ids(PATH, json!({"sort": "oldest"})).await, oldest);
    let by_publication = json!([late, tied, early, never, scheduled, draft]);
    assert_eq!(acme.ids(PATH, json!({"sort": "published"})).await, by_publication);
}

#[rstest]
#[tokio::test]
async fn a_type_and_any_of_some_labels_narrow_the_list(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (apps, web, unused) = (acme.label(json!({})), acme.label(json!({})), acme.label(json!({})));
    let neither = acme.entry(json!({"created_at": "2026-01-01"}));
    let fixed =
        acme.entry(json!({"created_at": "2026-01-02", "type": "fixed", "label_ids": [apps]}));
    let both =
        acme.entry(json!({"created_at": "2026-01-03", "type": "new", "label_ids": [web, apps]}));
    let web_only =
        acme.entry(json!({"created_at": "2026-01-04", "type": "improvement", "label_ids": [web]}));
    let acme = acme.open(store).await;
    let cases = [
        (json!({"type": "fixed"}), vec![&fixed]),
        (json!({"type": "new"}), vec![&both]),
        (json!({"type": "improvement"}), vec![&web_only]),
        (json!({"label_ids": [apps]}), vec![&both, &fixed]),
        (json!({"label_ids": [web, apps]}), vec![&web_only, &both, &fixed]),
        (
            json!({"label_ids": [web, web.to_uppercase(), web.replace('-', "")]}),
            vec![&web_only, &both],
        ),
        (json!({"label_ids": [unused]}), vec![]),
        (json!({"label_ids": [unused, apps], "type": "new"}), vec![&both]),
        (json!({"label_ids": [web], "sort": "oldest"}), vec![&both, &web_only]),
        (json!({"label_ids": []}), vec![&web_only, &both, &fixed, &neither]),
        (json!({"label_ids": null, "type": null}), vec![&web_only, &both, &fixed, &neither]),
    ];
    for (body, expected) in cases {
        assert_eq!(acme.ids(PATH, body.clone()).await, json!(expected), "{body}");
    }
}

#[rstest]
#[tokio::test]
async fn skip_leaves_out_the_first_entries_and_a_cursor_goes_on_from_there(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let mut all: Vec<String> =
        (1..=9).map(|n| acme.entry(json!({"created_at": format!("2026-01-{n:02}")}))).collect();
    all.reverse();
    let acme = acme.open(store).await;
    assert_eq!(acme.ids(PATH, json!({"skip": 4})).await, json!(all[4..]));
    let page = acme.post(PATH, json!({"skip": 4, "limit": 2})).await.expect(200);
    assert_eq!(page["items"][1]["id"], all[5]);
    let rest = json!({"skip": 0, "cursor": page["cursor"]});
    assert_eq!(acme.ids(PATH, rest).await, json!(all[6..]));
    for skip in [json!(9), json!(1e3), json!(i64::MAX), json!(u64::MAX), json!(1e300)] {
        let page = acme.post(PATH, json!({"skip": skip})).await.expect(200);
        assert_eq!(page, json!({"items": [], "has_next_page": false, "cursor": null}), "{skip}");
    }
}

#[rstest]
#[tokio::test]
async fn skip_and_cursor_exclude_each_other(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let [_, second, first] =
        [1, 2, 3].map(|n| acme.entry(json!({"created_at": format!("2026-01-0{n}")})));
    let acme = acme.open(store).await;
    let page = acme.post(PATH, json!({"limit": 1})).await.expect(200);
    assert_eq!(page["items"][0]["id"], first);
    let cursor = &page["cursor"];
    let faults = acme.faults(PATH, json!({"cursor": cursor, "skip": 1})).await;
    assert_eq!(json!(faults), json!([["value_error", "skip", 1]]));
    for body in [json!({"cursor": cursor, "skip": 0}), json!({"cursor": cursor})] {
        assert_eq!(acme.post(PATH, body).await.expect(200)["items"][0]["id"], second);
    }
    assert_eq!(
        acme.post(PATH, json!({"cursor": null, "skip": 1})).await.expect(200)["items"][0]["id"],
        second
    );
}
