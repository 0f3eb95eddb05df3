//! `/changelog/list`

use crate::support::{Draft, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

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
        "type": "improvement", "label_ids": [gone, apps], "notify": true, "created_at": "2026-01-03",
        "updated_at": "2026-02-01T08:00:01.5Z"}));
    acme.entry(json!({"is_active": false}));
    let acme = acme.open(store).await;
    assert_eq!(
        acme.post(PATH, json!({})).await.expect(200),
        json!({
            "items": [
                {"id": plain, "title": "Über", "content": "", "slug": "plain", "status_code": "draft", "show_on_portal": true,
                    "featured_image_url": null, "author_id": null, "scheduled_at": null, "published_at": null,
                    "created_at": "2026-01-04T00:00:00.123Z", "updated_at": "2026-01-04T00:00:00.123Z",
                    "type": null, "label_ids": []},
                {"id": full, "title": "Dark mode", "content": "# Finally\n", "slug": "Dark.Mode", "status_code": "published",
                    "show_on_portal": false, "featured_image_url": "https://example.com/dark.png", "author_id": author,
                    "scheduled_at": "2026-02-01T08:00:00.000Z", "published_at": "2026-02-01T08:00:01.500Z",
                    "created_at": "2026-01-03T00:00:00.000Z", "updated_at": "2026-02-01T08:00:01.500Z",
                    "type": "improvement", "label_ids": [gone, apps]},
            ],
            "has_next_page": false,
            "cursor": null,
        })
    );
}

#[rstest]
#[tokio::test]
async fn an_empty_changelog_is_an_empty_page(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let empty = json!({"items": [], "has_next_page": false, "cursor": null});
    assert_eq!(acme.post(PATH, json!({})).await.expect(200), empty);
    assert_eq!(
        acme.post(PATH, json!({"sort": "published", "type": "fixed", "skip": 5})).await.expect(200),
        empty
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
async fn a_label_that_the_organization_does_not_have_is_refused(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (mut acme, mut globex) = (Draft::new(), Draft::new());
    let (own, inactive, foreign) =
        (acme.label(json!({})), acme.label(json!({"is_active": false})), globex.label(json!({})));
    acme.entry(json!({"label_ids": [own, inactive]}));
    let (acme, _globex) = (acme.open(store).await, globex.open(store).await);
    for unknown in [foreign, inactive, id()] {
        for label_ids in [json!([unknown]), json!([own, unknown]), json!([unknown, own])] {
            let answer = acme.post(PATH, json!({"label_ids": label_ids})).await;
            assert_eq!(
                answer.expect(400),
                error("one or more label_ids do not belong to this organization")
            );
            // Fields come first.
            let faults = acme.faults(PATH, json!({"label_ids": label_ids, "limit": 0})).await;
            assert_eq!(json!(faults), json!([["greater_than_equal", "limit", 0]]));
        }
    }
}

#[rstest]
#[tokio::test]
async fn skip_leaves_out_the_first_entries_and_a_cursor_goes_on_from_there(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let label = acme.label(json!({}));
    let entry = |acme: &mut Draft, n: usize| {
        let published_at = (n >= 4).then(|| format!("2026-02-{n:02}"));
        let status_code = if n >= 4 { "published" } else { "draft" };
        acme.entry(json!({"created_at": format!("2026-01-{n:02}"), "status_code": status_code, "published_at": published_at,
            "label_ids": [label]}))
    };
    let mut all: Vec<String> = (1..=9).map(|n| entry(&mut acme, n)).collect();
    all.reverse();
    let acme = acme.open(store).await;
    // In each of these orders it is the same six that are published and the same three that are not.
    for sort in ["newest", "published"] {
        for body in [json!({"sort": sort}), json!({"sort": sort, "label_ids": [label]})] {
            for skip in [0, 1, 4, 5, 6, 7, 8] {
                let mut body = body.clone();
                body["skip"] = skip.into();
                assert_eq!(acme.ids(PATH, body.clone()).await, json!(all[skip..]), "{body}");
                body["limit"] = 2.into();
                let page = acme.post(PATH, body.clone()).await.expect(200);
                let shown: Vec<&Value> = page["items"]
                    .as_array()
                    .expect("items")
                    .iter()
                    .map(|entry| &entry["id"])
                    .collect();
                assert_eq!(json!(shown), json!(all[skip..(skip + 2).min(9)]));
                assert_eq!(page["has_next_page"], skip + 2 < 9, "{body}");
                assert_eq!(page["cursor"].is_string(), skip + 2 < 9);
                if skip + 2 < 9 {
                    body["cursor"] = page["cursor"].clone();
                    body["skip"] = 0.into();
                    body["limit"] = 100.into();
                    assert_eq!(acme.ids(PATH, body).await, json!(all[skip + 2..]));
                }
            }
        }
    }
    for skip in [json!(9), json!(10), json!(1e3), json!(i64::MAX), json!(u64::MAX), json!(1e300)] {
        for sort in ["newest", "published"] {
            let page = acme.post(PATH, json!({"skip": skip, "sort": sort})).await.expect(200);
            assert_eq!(
                page,
                json!({"items": [], "has_next_page": false, "cursor": null}),
                "{skip}"
            );
        }
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

#[rstest]
#[tokio::test]
async fn a_cursor_is_of_one_sort_type_and_set_of_labels(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (apps, web) = (acme.label(json!({})), acme.label(json!({})));
    for n in 1..=3 {
        acme.entry(
            json!({"type": "new", "label_ids": [apps, web], "created_at": format!("2026-01-0{n}")}),
        );
    }
    let acme = acme.open(store).await;
    let cursor =
        acme.post(PATH, json!({"limit": 1, "type": "new", "label_ids": [apps]})).await.expect(200)
            ["cursor"]
            .clone();
    acme.post(
        PATH,
        json!({"limit": 2, "type": "new", "label_ids": [apps], "sort": "newest", "cursor": cursor}),
    )
    .await
    .expect(200);
    acme.post(PATH, json!({"type": "new", "label_ids": [apps, apps], "cursor": cursor}))
        .await
        .expect(200);
    for other in [
        json!({}),
        json!({"type": "new"}),
        json!({"label_ids": [apps]}),
        json!({"type": "fixed", "label_ids": [apps]}),
        json!({"type": "new", "label_ids": [web]}),
        json!({"type": "new", "label_ids": [apps, web]}),
        json!({"type": "new", "label_ids": [apps], "sort": "oldest"}),
        json!({"type": "new", "label_ids": [apps], "sort": "published"}),
    ] {
        let mut other = other;
        other["cursor"] = cursor.clone();
        assert_eq!(
            json!(acme.faults(PATH, other).await),
            json!([["value_error", "cursor", cursor]])
        );
    }
}
