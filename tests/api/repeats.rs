//! `Idempotency-Key`: a write that is sent again is done once.

use crate::support::{
    Draft, ENDPOINTS, Installation, Organization, Site, Store, TestResponse, error, eventually,
};
use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_postgres::NoTls;

const REPLAYED: &str = "idempotent-replayed";

/// The articles of the deleted category. Each one leaves a redirect when it moves.
const MOVED: usize = 2;

/// An organization, and a valid body for each endpoint that writes.
struct World {
    acme: Organization,
    writes: Vec<(&'static str, Value)>,
    ada: String,
    post: String,
}

impl World {
    async fn open(store: Store) -> Self {
        let mut draft = Draft::new();
        let (post, duplicate, ada) =
            (draft.post(json!({})), draft.post(json!({})), draft.user(json!({})));
        let collection = draft.collection(json!({}));
        let category = draft.help_category(json!({"collection_id": collection}));
        let (tag, gone) = (draft.tag(json!({})), draft.tag(json!({"name": "gone"})));
        let (board, author) = (draft.board(json!({})), draft.user(json!({})));
        let edited = draft.post(json!({}));
        let tagged = draft.post(json!({"tag_ids": [tag]}));
        let spare = draft.post(json!({}));
        let merged = draft.post(json!({"merged_into_id": spare}));
        let queued = draft.post(json!({"moderation_status_code": "pending"}));
        let deleted = json!({"is_active": false, "updated_at": "2999-01-01"});
        let deleted = draft.post(deleted);
        let comment = draft.comment(&edited, json!({}));
        let other_comment = draft.comment(&edited, json!({}));
        let (kind, roadmap) = (draft.category(json!({})), draft.roadmap_board(json!({})));
        let (plan, done_plan) = (draft.roadmap_post(json!({})), draft.roadmap_post(json!({})));
        let (old_tag, old_kind) = (draft.tag(json!({"name": "old"})), draft.category(json!({})));
        let (stage, old_stage) = (draft.status(json!({})), draft.status(json!({})));
        let (closed, spare_board) =
            (draft.status(json!({"status_group_code": "closed"})), draft.board(json!({})));
        let other_closed = draft.status(json!({"status_group_code": "closed"}));
        let spare_roadmap = draft.roadmap_board(json!({}));
        draft.company(json!({"external_id": "c-1"}));
        let bea = draft.user(json!({}));
        let (linked, followed) = (draft.post(json!({})), draft.post(json!({})));
        draft.subscription(&ada, &followed);
        draft.link(&done_plan, &linked);
        let (double, leaver) = (draft.user(json!({})), draft.user(json!({})));
        let shelf = draft.collection(json!({}));
        let in_shelf = json!({"collection_id": shelf});
        let [guide, other_guide] = [0, 1].map(|_| draft.help_category(in_shelf.clone()));
        let in_guide = json!({"category_id": guide});
        let [article, other_article] = [0, 1].map(|_| draft.article(in_guide.clone()));
        let public_article = draft
            .article(json!({"collection_id": collection, "status_code": "published",
                "published_at": "2026-01-03"}));
        let redirect = draft.redirect("/guide", "/help");
        let versioned = draft.article(json!({"collection_id": collection, "version": 2}));
        draft.version(&versioned, 1, "2026-01-02");
        let gone_article = draft.article(json!({"collection_id": collection, "is_active": false,
            "updated_at": "2999-01-01"}));
        let [label, old_label] = [0, 1].map(|_| draft.label(json!({})));
        let [draft_entry, new_entry, old_entry, linking, linked_entry] =
            [0; 5].map(|_| draft.entry(json!({})));
        let is_out = json!({"status_code": "published", "published_at": "2026-02-01"});
        let published = draft.entry(is_out);
        draft.entry_link(&linked_entry, &linked);
        draft.receiver();
        let [webhook, old_webhook] = [0, 1].map(|_| draft.webhook(json!({})));
        let writes = vec![
            ("/votes/toggle", json!({"user_id": ada, "post_id": post, "post_type": "feedback"})),
            (
                "/votes/set",
                json!({"voter_id": ada, "post_id": linked, "post_type": "feedback", "voted": true}),
            ),
            (
                "/votes/set-many",
                json!({"post_id": followed, "post_type": "feedback", "voted": true, "voters": [
                    {"voter_id": ada},
                ]}),
            ),
            (
                "/feedback-posts/merge",
                json!({"merge_post_id": duplicate, "into_post_id": post, "merger_id": ada}),
            ),
            ("/feedback-posts/unmerge", json!({"post_id": merged})),
            (
                "/changelog/create",
                json!({"title": "Dark mode", "status_code": "published", "notify": false}),
            ),
            (
                "/help-collections/update",
                json!({"collection_id": collection, "name": "Other guides"}),
            ),
            (
                "/help-categories/create",
                json!({"collection_id": collection, "name": "First steps"}),
            ),
            ("/help-categories/update", json!({"category_id": category, "name": "Other steps"})),
            ("/labels/create", json!({"name": "Night", "color": "#abc"})),
            ("/labels/update", json!({"label_id": label, "name": "Day"})),
            ("/labels/delete", json!({"label_id": old_label})),
            ("/changelog/update", json!({"entry_id": draft_entry, "title": "Light mode"})),
            ("/changelog/publish", json!({"entry_id": new_entry})),
            ("/changelog/unpublish", json!({"entry_id": published})),
            ("/changelog/delete", json!({"entry_id": old_entry})),
            ("/changelog/link-posts", json!({"entry_id": linking, "post_ids": [linked]})),
            ("/changelog/unlink-posts", json!({"entry_id": linked_entry, "post_ids": [linked]})),
            ("/tags/create", json!({"name": "Night"})),
            ("/tags/update", json!({"tag_id": tag, "name": "Day"})),
            ("/tags/delete", json!({"tag_id": gone})),
            ("/help-articles/create", json!({"category_id": category, "title": "Getting started"})),
            (
                "/feedback-posts/create",
                json!({"board_id": board, "title": "Dark mode", "author_id": author}),
            ),
            ("/feedback-posts/update", json!({"post_id": edited, "title": "Light mode"})),
            ("/feedback-posts/add-tag", json!({"post_id": edited, "tag_id": tag})),
            ("/feedback-posts/remove-tag", json!({"post_id": tagged, "tag_id": tag})),
            ("/feedback-posts/delete", json!({"post_id": spare})),
            ("/feedback-posts/restore", json!({"post_id": deleted})),
            (
                "/comments/create",
                json!({"feedback_post_id": edited, "content": "Yes", "author_id": author}),
            ),
            ("/comments/update", json!({"comment_id": comment, "content": "No"})),
            ("/comments/delete", json!({"comment_id": other_comment})),
            ("/feedback-boards/create", json!({"name": "Bugs"})),
            ("/feedback-boards/update", json!({"board_id": board, "name": "Wishes"})),
            ("/categories/create", json!({"name": "Speed"})),
            ("/categories/update", json!({"category_id": kind, "name": "Looks"})),
            ("/feedback-posts/change-status", json!({"post_id": followed, "status_id": closed})),
            ("/feedback-posts/bulk-update", json!({"post_ids": [linked], "owner_id": author})),
            ("/feedback-posts/subscribe", json!({"post_id": linked, "user_id": ada})),
            ("/feedback-posts/unsubscribe", json!({"post_id": followed, "user_id": ada})),
            ("/users/merge", json!({"merge_user_id": double, "into_user_id": ada})),
            ("/users/erase", json!({"user_id": leaver})),
            ("/tags/merge", json!({"tag_id": old_tag, "into_tag_id": tag})),
            ("/categories/delete", json!({"category_id": old_kind})),
            (
                "/moderation/decide",
                json!({"items": [{"kind": "post", "id": queued}],
                    "moderation_status_code": "accepted"}),
            ),
            ("/statuses/create", json!({"name": "Soon", "status_group_code": "open"})),
            ("/statuses/update", json!({"status_id": stage, "name": "Later"})),
            ("/statuses/delete", json!({"status_id": old_stage})),
            (
                "/statuses/reorder",
                json!({"status_group_code": "closed", "ids": [other_closed, closed]}),
            ),
            ("/feedback-boards/delete", json!({"board_id": spare_board})),
            ("/roadmap-boards/delete", json!({"roadmap_board_id": spare_roadmap})),
            (
                "/roadmap-posts/create",
                json!({"roadmap_board_id": roadmap, "title": "Offline", "status_id": stage}),
            ),
            ("/roadmap-posts/update", json!({"post_id": plan, "title": "Online"})),
            ("/roadmap-posts/change-status", json!({"post_id": plan, "status_id": closed})),
            ("/roadmap-posts/link", json!({"post_id": plan, "feedback_post_ids": [linked]})),
            ("/roadmap-posts/unlink", json!({"post_id": done_plan, "feedback_post_ids": [linked]})),
            ("/roadmap-posts/delete", json!({"post_id": done_plan})),
            ("/roadmap-boards/create", json!({"name": "Next year"})),
            ("/roadmap-boards/update", json!({"roadmap_board_id": roadmap, "name": "Later"})),
            ("/users/upsert", json!({"email": "new@example.com"})),
            ("/users/update", json!({"user_id": bea, "name": "Bea"})),
            ("/users/block", json!({"user_id": bea})),
            ("/users/unblock", json!({"user_id": bea})),
            ("/users/delete", json!({"user_id": bea})),
            ("/companies/upsert", json!({"external_id": "c-2"})),
            ("/companies/delete", json!({"external_id": "c-1"})),
            ("/help-collections/reorder", json!({"ids": [shelf, collection]})),
            (
                "/help-categories/reorder",
                json!({"collection_id": shelf, "ids": [other_guide, guide]}),
            ),
            (
                "/help-articles/reorder",
                json!({"category_id": guide, "ids": [other_article, article]}),
            ),
            // The orders above name all collections.
            ("/help-collections/create", json!({"name": "More guides"})),
            ("/help-articles/update", json!({"article_id": article, "title": "Signing out"})),
            ("/help-articles/publish", json!({"article_id": article})),
            ("/help-articles/unpublish", json!({"article_id": public_article})),
            ("/help-articles/delete", json!({"article_id": public_article})),
            ("/help-articles/restore", json!({"article_id": gone_article})),
            ("/help-articles/feedback", json!({"article_id": article, "is_helpful": true})),
            (
                "/help-categories/delete",
                json!({"category_id": guide, "move_to_collection_id": collection}),
            ),
            ("/help-collections/delete", json!({"collection_id": shelf, "delete_articles": true})),
            ("/help-redirects/create", json!({"from_path": "/docs", "to_path": "/help/all"})),
            ("/help-redirects/delete", json!({"redirect_id": redirect})),
            ("/help-articles/restore-version", json!({"article_id": versioned, "version": 1})),
            (
                "/webhooks/create",
                json!({"url": "https://receiver.invalid/", "event_types": ["user.deleted"]}),
            ),
            ("/webhooks/update", json!({"webhook_id": webhook, "description": "For the CRM"})),
            ("/webhooks/rotate-secret", json!({"webhook_id": webhook})),
            ("/webhooks/delete", json!({"webhook_id": old_webhook})),
        ];
        // A new order names all records of a list, and other writes add some. A delivery cannot be
        // imported.
        let others = ["/feedback-boards/reorder", "/roadmap-boards/reorder", "/deliveries/replay"];
        let mut here: Vec<&str> = writes.iter().map(|(path, _)| *path).collect();
        let all = ENDPOINTS
            .iter()
            .filter(|endpoint| endpoint.is_write && !others.contains(&endpoint.path));
        let mut all: Vec<&str> = all.map(|endpoint| endpoint.path).collect();
        all.dedup();
        here.sort_unstable();
        all.sort_unstable();
        assert_eq!(here, all, "each endpoint that writes is listed here");
        Self { acme: draft.open(store).await, writes, ada, post }
    }
}

fn is_replayed(answer: &TestResponse) -> bool {
    match answer.headers.get(REPLAYED) {
        Some(value) => {
            assert_eq!(value, "true");
            true
        }
        None => false,
    }
}

#[rstest]
#[tokio::test]
async fn a_write_whose_answer_was_lost_is_not_done_again_and_its_answer_is_given_again(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { acme, writes, .. } = World::open(store).await;
    // An export leaves secrets out.
    let shown = |(path, _): &(&str, Value)| *path != "/webhooks/rotate-secret";
    let mut before = acme.export().await;
    for (path, body) in writes.into_iter().filter(shown) {
        // The request is sent completely, and its response is never read. The connection is closed
        // once the change is stored.
        let connection = acme.send_only(path, "lost", body.clone()).await;
        let done = eventually("the change", async || {
            Some(acme.export().await).filter(|now| *now != before)
        })
        .await;
        drop(connection);

        let answer = acme.repeat(path, "lost", body).await;
        let told = answer.expect(200);
        assert!(is_replayed(&answer), "{path}");
        if let Some(id) = told.get("id") {
            assert_eq!(done.iter().filter(|record| record["id"] == *id).count(), 1, "{path}");
        }
        let now = acme.export().await;
        match path {
            // The repeat changes the articles and categories that the lost request has not reached.
            "/help-categories/delete" => assert_eq!(now.len(), before.len() + MOVED),
            "/help-collections/delete" => assert_eq!(now.len(), before.len()),
            // A follow-up removes the row of the webhook.
            "/webhooks/delete" => {
                assert!(now.iter().all(|record| done.contains(record)), "{path}");
                assert!(now.len() + 1 >= done.len(), "{path}");
            }
            _ => assert_eq!(now, done, "{path}"),
        }
        before = now;
    }
    // A vote and each change of a post or comment has one event, but for a restoration.
    assert_eq!(acme.events().await.len(), 14);
}

#[rstest]
#[tokio::test]
async fn of_many_writes_at_once_under_one_key_one_is_done_and_the_others_get_its_answer(
    #[values(Store::Sqlite, Store::Postgres, Store::Serializable)] store: Store,
) {
    let World { acme, writes, .. } = World::open(store).await;
    let mut before = acme.export().await.len();
    for (nth, (path, body)) in writes.into_iter().enumerate() {
        // All writes share one way to be done once: a few of them are sent more often.
        let times = if nth % 8 == 0 { 32 } else { 4 };
        let answers = join_all((0..times).map(|_| acme.repeat(path, "many", body.clone()))).await;
        let first = answers[0].expect(200);
        assert!(answers.iter().all(|answer| answer.expect(200) == first), "{path}");
        assert_eq!(answers.iter().filter(|answer| !is_replayed(answer)).count(), 1, "{path}");
        let ends = |verbs: &[&str]| verbs.iter().any(|verb| path.ends_with(verb));
        let adds = [
            "/create",
            "-posts/merge",
            "/toggle",
            "/set",
            "/set-many",
            "/subscribe",
            "/link",
            "/link-posts",
            "/upsert",
        ];
        let removes = ["/unsubscribe", "/unlink", "/unlink-posts", "/webhooks/delete"];
        // A subscription of the author is made with a post.
        let added = match () {
            () if path == "/feedback-posts/create" => 2,
            // Another title makes a version of the former one.
            () if path == "/help-articles/update" || path.ends_with("/restore-version") => 1,
            // The new owner begins to follow the post.
            () if path == "/feedback-posts/bulk-update" => 1,
            () if path == "/help-redirects/delete" => -1,
            () if path == "/help-categories/delete" => MOVED as i64,
            () if ends(&adds) => 1,
            () if ends(&removes) => -1,
            () => 0,
        };
        let now = acme.export().await.len();
        assert_eq!(now as i64 - before as i64, added, "{path}");
        before = now;
    }
    assert_eq!(acme.events().await.len(), 14);
}

#[rstest]
#[tokio::test]
async fn a_key_is_one_of_its_organization_its_path_and_its_body(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let World { acme, writes, ada, post } = World::open(store).await;
    for (path, body) in &writes {
        let answer = acme.repeat(path, "one", body.clone()).await;
        answer.expect(200);
        assert!(!is_replayed(&answer), "{path}");
        assert!(is_replayed(&acme.repeat(path, "one", body.clone()).await), "{path}");
        let mut other = body.clone();
        other["unknown"] = json!(1);
        let message = "Value error, the Idempotency-Key was used for another request";
        let item = json!({"type": "value_error", "loc": ["body"], "msg": message, "input": null});
        assert_eq!(
            acme.repeat(path, "one", other).await.expect(422),
            json!({"detail": [item]}),
            "{path}"
        );
    }
    // With another key, the same body is another write.
    let body = json!({"user_id": ada, "post_id": post, "post_type": "feedback"});
    assert_eq!(
        acme.repeat("/votes/toggle", "two", body.clone()).await.expect(200),
        json!({"voted": false})
    );
    assert_eq!(acme.repeat("/votes/toggle", "one", body).await.expect(200), json!({"voted": true}));
    let other = World::open(store).await;
    let (path, body) = &other.writes[0];
    assert!(!is_replayed(&other.acme.repeat(path, "one", body.clone()).await));
}

#[rstest]
#[tokio::test]
async fn a_repeated_write_is_answered_though_what_it_named_is_gone(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (post, author, tag) = (acme.post(json!({})), acme.user(json!({})), acme.tag(json!({})));
    let acme = acme.open(store).await;
    let writes = [
        ("/feedback-posts/add-tag", json!({"post_id": post, "tag_id": tag})),
        (
            "/comments/create",
            json!({"feedback_post_id": post, "content": "Yes", "author_id": author}),
        ),
    ];
    let mut answers = Vec::new();
    for (path, body) in &writes {
        answers.push(acme.repeat(path, "one", body.clone()).await.expect(200));
    }
    acme.post("/tags/delete", json!({"tag_id": tag})).await.expect(200);
    acme.post("/feedback-posts/delete", json!({"post_id": post})).await.expect(200);
    for ((path, body), answer) in writes.iter().zip(&answers) {
        let again = acme.repeat(path, "one", body.clone()).await;
        assert!(is_replayed(&again), "{path}");
        assert_eq!(again.expect(200), *answer, "{path}");
        acme.repeat(path, "two", body.clone()).await.expect(404);
    }
}

#[rstest]
#[tokio::test]
async fn a_malformed_key_is_400_for_a_write_before_its_fields_and_reads_ignore_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let long = "a".repeat(256);
    let wrong: [&[&[u8]]; 7] = [
        &[b""],
        &[b"a b"],
        &["é".as_bytes()],
        &[b"\xff"],
        &[long.as_bytes()],
        &[b"a", b"a"],
        &[b"a", b"b"],
    ];
    let expected =
        error("Idempotency-Key must be one value of 1 to 255 visible ASCII characters").to_string();
    for endpoint in ENDPOINTS.iter() {
        for keys in wrong {
            let mut request = acme.client().post(acme.url(endpoint.path));
            for key in keys {
                request = request.header("Idempotency-Key", *key);
            }
            let answer = request.json(&json!({"api_key": acme.key()})).send().await;
            let answer = answer.expect("an answer");
            let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
            assert_eq!(status == 400, endpoint.is_write, "{} {keys:?}", endpoint.path);
            if endpoint.is_write {
                assert_eq!(answer.text().await.expect("a body"), expected);
            }
            assert!(!headers.contains_key(REPLAYED), "{}", endpoint.path);
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_refusal_is_not_kept(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let World { acme, writes, .. } = World::open(store).await;
    let is_sought = |(path, _): &&(&str, Value)| *path == "/help-categories/create";
    let (path, body) = writes.iter().find(is_sought).expect("a write").clone();
    let unknown =
        json!({"collection_id": "0199aabb-ccdd-7eee-8fff-001122334455", "name": "First steps"});
    for _ in 0..2 {
        assert_eq!(
            acme.repeat(path, "a", unknown.clone()).await.expect(404),
            error("help collection not found")
        );
    }
    assert_eq!(acme.repeat(path, "a", json!({})).await.status, 422);
    let made = acme.repeat(path, "a", body.clone()).await;
    assert!(!is_replayed(&made));
    assert_eq!(acme.repeat(path, "a", body).await.expect(200), made.expect(200));
}

#[rstest]
#[tokio::test]
async fn a_write_is_done_once_although_the_server_is_killed_again_and_again(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    const ROUNDS: usize = 20;
    let mut draft = Draft::new();
    let post = draft.post(json!({}));
    let voters: Vec<String> = (0..ROUNDS).map(|_| draft.user(json!({}))).collect();
    draft.receiver();
    let installation = Installation::new(store, &[]).await;
    let acme = draft.open_in(&installation).await;
    for (round, voter) in voters.iter().enumerate() {
        let body = json!({"user_id": voter, "post_id": post, "post_type": "feedback"});
        let server = installation.serve();
        let connection = acme.at(&server).send_only("/votes/toggle", voter, body.clone()).await;
        // In every other round, the server is killed after the write is stored and before its
        // response is read. In the others, it is killed after a short pause.
        let is_done = round % 2 == 1;
        if is_done {
            eventually("the vote", async || (acme.events().await.len() > round).then_some(()))
                .await;
        } else {
            tokio::time::sleep(Duration::from_micros(500 * round as u64)).await;
        }
        server.kill();
        drop(connection);

        let server = installation.serve();
        let answer = acme.at(&server).repeat("/votes/toggle", voter, body).await;
        assert_eq!(answer.expect(200), json!({"voted": true}), "round {round}");
        assert!(is_replayed(&answer) || !is_done, "round {round}");
        assert_eq!(acme.events().await.len(), round + 1);
    }
}

/// The first request is still running: its receipt is written, but not committed.
#[tokio::test]
async fn a_repeat_waits_for_the_first_one_and_is_busy_if_that_takes_too_long() {
    let World { acme, writes, .. } = World::open(Store::Postgres).await;
    let (path, body) = writes[2].clone();
    acme.repeat(path, "known", body.clone()).await.expect(200);
    let url = &Site::of(Store::Postgres).await.installation().database_url;
    let (first, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
    tokio::spawn(connection);
    let copy = "BEGIN; INSERT INTO receipts SELECT organization_id, path, 'slow', body_digest, answer, created_at FROM receipts \
                WHERE idempotency_key = 'known' AND organization_id = ";
    let organization = acme.export().await[0]["id"].clone();
    first
        .batch_execute(&format!("{copy} '{}'", organization.as_str().expect("an id")))
        .await
        .expect("the receipt is written");

    let before = acme.export().await;
    let answer = acme.repeat(path, "slow", body.clone()).await;
    assert_eq!(answer.expect(503), error("temporarily unavailable"));
    assert_eq!(answer.headers["retry-after"], "1");
    let waiting = acme.repeat(path, "slow", body.clone());
    let committing = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        first.batch_execute("COMMIT").await.expect("the receipt is committed");
    };
    let (answer, ()) = tokio::join!(waiting, committing);
    answer.expect(200);
    assert!(is_replayed(&answer));
    assert_eq!(acme.export().await, before);
}
