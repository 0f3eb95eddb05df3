//! The erasure of what was deleted long ago.

use crate::support::{Draft, Installation, Store, error, eventually, id, now};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn what_was_deleted_long_ago_is_erased_and_mirrors_still_see_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let mark = format!("zz{}", id().replace('-', ""));
    let old = |members: Value| {
        let mut deleted = members;
        deleted["is_active"] = false.into();
        deleted["updated_at"] = "2026-02-03T04:05:06.789Z".into();
        deleted
    };
    let fan = draft.user(json!({}));
    let ghost = draft.user(old(json!({"name": mark, "email": format!("{mark}@example.com")})));
    let post = json!({"title": mark, "description": mark, "author_id": ghost, "external_id": mark});
    let post = draft.post(old(post));
    let open = draft.post(json!({"title": "Dark mode"}));
    draft.vote(&fan, &post, json!({"source_url": format!("https://example.com/{mark}")}));
    draft.subscription(&fan, &post);
    draft.comment(&post, json!({"content": mark}));
    let comment = draft.comment(&open, old(json!({"content": mark})));
    draft.company(old(json!({"name": mark})));
    draft.roadmap_post(old(json!({"title": mark})));
    let recent = json!({"title": "Recent", "is_active": false, "updated_at": now().to_string()});
    let recent = draft.post(recent);
    let installation = Installation::new(store, &[("HEARBACK_ERASE_AFTER", "2d")]).await;
    let acme = draft.open_in(&installation).await;
    let server = installation.serve();
    let acme = acme.at(&server);
    let records = eventually("the records are erased", async || {
        let records = acme.export().await;
        (!json!(records).to_string().contains(&mark)).then_some(records)
    })
    .await;
    let by_id = |id: &str| records.iter().find(|it| it["id"] == id).cloned().expect("a record");
    let tombstone = by_id(&post);
    let shown = ["title", "description", "slug", "author_id", "is_active", "updated_at"];
    let shown = shown.map(|member| tombstone[member].clone());
    assert_eq!(json!(shown), json!(["", "", post, ghost, false, "2026-02-03T04:05:06.789Z"]));
    for kind in ["vote", "post_subscription", "subscription"] {
        assert_eq!(records.iter().filter(|it| it["kind"] == kind).count(), 0, "{kind}");
    }

    let walk = json!({"updated_after": "2026-01-01", "include_deleted": true});
    let comments = acme.walk("/comments/list", walk, 100).await;
    let deleted =
        json!({"id": comment, "is_active": false, "updated_at": "2026-02-03T04:05:06.789Z"});
    assert!(comments.contains(&deleted), "{comments:?}");
    assert_eq!(comments.len(), 2, "the comment of the erased post is deleted: {comments:?}");

    let restore =
        async |post: &str| acme.post("/feedback-posts/restore", json!({"post_id": post})).await;
    assert_eq!(restore(&post).await.expect(400), error("the post cannot be restored"));
    assert_eq!(restore(&recent).await.expect(200), json!({"success": true}));

    let audit = json!({"action": "erase-deleted", "target_id": post});
    let audit = acme.walk("/audit/list", audit, 100).await;
    assert_eq!(
        (audit.len(), &audit[0]["data"], &audit[0]["door"]),
        (1, &json!({}), &json!("background"))
    );
}

#[rstest]
#[tokio::test]
async fn tombstones_are_exported_imported_and_exported_as_equal_bytes(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut draft = Draft::new();
    let slug = draft.slug().to_owned();
    let old = json!({"is_active": false, "updated_at": "2026-02-03T04:05:06.789Z"});
    let (post, open) = (draft.post(old.clone()), draft.post(json!({})));
    draft.comment(&post, json!({}));
    draft.comment(&open, old.clone());
    draft.user(old.clone());
    draft.company(old.clone());
    draft.roadmap_post(old);
    let installation = Installation::new(store, &[]).await;
    let acme = draft.open_in(&installation).await;
    let _server = installation.serve();
    let exported = eventually("the records are erased", async || {
        let records = acme.export().await;
        let of = |kind: &str, member: &str| {
            records.iter().filter(|it| it["kind"] == kind && it[member] == "").count()
        };
        let erased = (of("comment", "content"), of("feedback_post", "title"));
        let others = (of("company", "name"), of("roadmap_post", "title"), of("user", "email"));
        (erased == (2, 1) && others == (1, 1, 1)).then_some(records)
    })
    .await;
    let lines = |records: &[Value]| -> String {
        let records = records.iter().filter(|it| it["kind"] != "api_key");
        records.map(|it| format!("{it}\n")).collect()
    };
    for other in [Store::Sqlite, Store::Postgres] {
        let copy = Installation::new(other, &[]).await.open(&slug, &lines(&exported)).await;
        assert_eq!(lines(&copy.export().await), lines(&exported));
    }
}
