//! `/feedback-posts/list`

use crate::support::{Draft, Organization, Store, id};
use rstest::rstest;
use serde_json::{Value, json};

async fn ids(acme: &Organization, body: Value) -> Vec<Value> {
    let page = acme.post("/feedback-posts/list", body).await.expect(200);
    page["items"].as_array().expect("items").iter().map(|post| post["id"].clone()).collect()
}

#[rstest]
#[tokio::test]
async fn filters_narrow_the_list_and_unknown_ones_match_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (board, status) = (acme.board(json!({})), acme.status(json!({})));
    let both = acme.post(json!({"board_id": board, "status_id": status}));
    let on_board = acme.post(json!({"board_id": board}));
    let in_status = acme.post(json!({"status_id": status}));
    let (gone_board, gone_status) =
        (acme.board(json!({"is_active": false})), acme.status(json!({"is_active": false})));
    acme.post(json!({"board_id": gone_board, "status_id": gone_status}));
    let acme = acme.open(store).await;
    assert_eq!(ids(&acme, json!({"board_id": board})).await, [on_board, both.clone()]);
    assert_eq!(ids(&acme, json!({"status_id": status})).await, [in_status, both.clone()]);
    assert_eq!(
        ids(&acme, json!({"board_id": board, "status_id": status, "search": null})).await,
        [both]
    );
    for nothing in [
        json!({"board_id": id()}),
        json!({"status_id": id()}),
        json!({"board_id": gone_board}),
        json!({"status_id": gone_status}),
    ] {
        assert_eq!(ids(&acme, nothing.clone()).await, Vec::<Value>::new(), "{nothing}");
    }
}

#[rstest]
#[tokio::test]
async fn a_search_is_a_literal_substring_without_regard_to_case(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let gruesse = acme.post(json!({"title": "Viele Grüße", "description": "aus der Straße"}));
    let percent = acme.post(json!({"title": "100% of_it", "description": "C:\\temp"}));
    let aales = acme.post(json!({"title": "x", "description": "Åles"}));
    let acme = acme.open(store).await;
    let cases = [
        ("STRAẞE", vec![&gruesse]),
        ("0% O", vec![&percent]),
        ("\\TEMP", vec![&percent]),
        ("e", vec![&aales, &percent, &gruesse]),
        ("ss", vec![]),
    ];
    for (search, expected) in cases {
        let found = ids(&acme, json!({"search": search})).await;
        assert_eq!(found, expected.into_iter().map(|id| json!(id)).collect::<Vec<_>>(), "{search}");
    }
}

#[rstest]
#[tokio::test]
async fn each_further_filter_narrows_the_list(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (category, tag, other_tag) =
        (acme.category(json!({})), acme.tag(json!({})), acme.tag(json!({"name": "other"})));
    let (author, owner) = (acme.user(json!({})), acme.user(json!({})));
    let closed = acme.status(json!({"status_group_code": "closed"}));
    let target = acme.post(json!({}));
    let sought = acme.post(json!({
        "category_id": category, "tag_ids": [tag], "author_id": author, "owner_id": owner,
        "status_id": closed, "moderation_status_code": "spam", "external_id": "p-1",
        "merged_into_id": target, "created_at": "2026-02-03T00:00:00Z",
    }));
    let acme = acme.open(store).await;
    for filter in [
        json!({"category_id": category}),
        json!({"tag_ids": [other_tag, tag]}),
        json!({"author_id": author}),
        json!({"owner_id": owner}),
        json!({"status_group_code": "closed"}),
        json!({"moderation_status_code": "spam"}),
        json!({"external_id": "p-1"}),
        json!({"is_merged": true}),
        json!({"created_after": "2026-02-02", "created_before": "2026-02-04"}),
        json!({"author_id": author, "tag_ids": [], "is_merged": true}),
    ] {
        assert_eq!(ids(&acme, filter.clone()).await, [json!(sought)], "{filter}");
    }
    for filter in [
        json!({"tag_ids": [other_tag]}),
        json!({"created_after": "2026-02-03T00:00:00Z"}),
        json!({"author_id": author, "is_merged": false}),
        json!({"author_id": id()}),
    ] {
        assert_eq!(ids(&acme, filter.clone()).await, Vec::<Value>::new(), "{filter}");
    }
}

#[rstest]
#[tokio::test]
async fn a_list_has_the_order_that_is_asked_for_and_goes_on_in_it(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    const PATH: &str = "/feedback-posts/list";
    let mut acme = Draft::new();
    let made = |day, updated| json!({"created_at": day, "updated_at": updated});
    let old = acme.post(made("2026-01-01", "2026-03-01"));
    let middle = acme.post(made("2026-01-02", "2026-01-02"));
    let new = acme.post(made("2026-01-03", "2026-02-01"));
    let [ada, bob] = [acme.user(json!({})), acme.user(json!({}))];
    acme.vote(&ada, &middle, json!({}));
    acme.vote(&bob, &middle, json!({}));
    acme.vote(&ada, &old, json!({}));
    let acme = acme.open(store).await;
    for (sort, expected) in [
        (json!(null), [&new, &middle, &old]),
        (json!("newest"), [&new, &middle, &old]),
        (json!("oldest"), [&old, &middle, &new]),
        (json!("votes"), [&middle, &old, &new]),
        (json!("trending"), [&middle, &old, &new]),
        (json!("updated"), [&old, &new, &middle]),
    ] {
        assert_eq!(acme.ids(PATH, json!({"sort": sort})).await, json!(expected), "{sort}");
        let first = acme.post(PATH, json!({"sort": sort, "limit": 1})).await.expect(200);
        let rest = json!({"sort": sort, "cursor": first["cursor"]});
        assert_eq!(acme.ids(PATH, rest).await, json!(expected[1..]), "{sort}");
        if sort != "votes" {
            let other = json!({"sort": "votes", "cursor": first["cursor"]});
            acme.faults(PATH, other).await;
        }
    }
    // A vote moves a post at once.
    for (user, post) in [(&ada, &new), (&bob, &new), (&bob, &middle), (&ada, &middle)] {
        let vote = json!({"user_id": user, "post_id": post, "post_type": "feedback"});
        acme.post("/votes/toggle", vote).await.expect(200);
    }
    assert_eq!(acme.ids(PATH, json!({"sort": "votes"})).await, json!([new, old, middle]));
    for sort in [json!("most"), json!("Votes"), json!(""), json!(1)] {
        let faults = acme.faults(PATH, json!({"sort": sort})).await;
        assert_eq!((faults.len(), &json!(faults)[0][1]), (1, &json!("sort")), "{sort}");
    }
}

#[rstest]
#[tokio::test]
async fn a_list_of_a_company_has_the_posts_with_a_vote_of_its_users(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let (company, other) = (acme.company(json!({})), acme.company(json!({})));
    let gone = acme.company(json!({"is_active": false}));
    let of = |company: &str| json!({"company_id": company});
    let (kim, ash) = (acme.user(of(&company)), acme.user(of(&company)));
    let left = acme.user(json!({"company_id": company, "is_active": false}));
    let (stranger, lost) = (acme.user(of(&other)), acme.user(of(&gone)));
    let [old, new, others] = ["2026-01-04", "2026-01-05", "2026-01-06"]
        .map(|time| acme.post(json!({"created_at": time, "updated_at": time})));
    for (user, post) in [
        (&kim, &old),
        (&ash, &old),
        (&kim, &new),
        (&stranger, &others),
        (&left, &others),
        (&lost, &others),
    ] {
        acme.vote(user, post, json!({}));
    }
    let acme = acme.open(store).await;
    for (body, expected) in [
        (of(&company), vec![&new, &old]),
        (of(&other), vec![&others]),
        (of(&gone), vec![]),
        (of(&id()), vec![]),
        (json!({"company_id": company, "sort": "votes"}), vec![&old, &new]),
        (json!({"company_id": company, "updated_after": "2026-01-05"}), vec![&new]),
    ] {
        assert_eq!(json!(ids(&acme, body.clone()).await), json!(expected), "{body}");
    }
    let first = json!({"company_id": company, "limit": 1});
    let page = acme.post("/feedback-posts/list", first.clone()).await.expect(200);
    let mut next = first;
    next["cursor"] = page["cursor"].clone();
    assert_eq!(ids(&acme, next.clone()).await, [json!(old)]);
    next["company_id"] = json!(other);
    acme.post("/feedback-posts/list", next).await.expect(422);
}

#[rstest]
#[tokio::test]
async fn changes_of_posts_are_walked_oldest_first_and_a_deleted_one_shows_no_content(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let mut acme = Draft::new();
    let board = acme.board(json!({}));
    let [late, early, before] = ["2026-03-02", "2026-02-01", "2026-01-31"]
        .map(|time| acme.post(json!({"board_id": board, "updated_at": time})));
    let gone = json!({"board_id": board, "updated_at": "2026-03-01T00:00:00Z", "is_active": false});
    let gone = acme.post(gone);
    let acme = acme.open(store).await;
    let since = |time: &str| json!({"updated_after": time});
    let mut all = json!({"updated_after": "2026-02-01", "include_deleted": true});
    for (body, expected) in [
        (since("2026-01-01"), vec![&before, &early, &late]),
        (since("2026-02-01"), vec![&early, &late]),
        (since("2026-03-03"), vec![]),
        (all.clone(), vec![&early, &gone, &late]),
        (
            json!({"updated_after": "2026-03-01", "include_deleted": true, "board_id": board}),
            vec![&gone, &late],
        ),
        (json!({"updated_after": "2026-02-01", "include_deleted": false}), vec![&early, &late]),
    ] {
        assert_eq!(json!(ids(&acme, body.clone()).await), json!(expected), "{body}");
    }
    all["limit"] = 2.into();
    let page = acme.post("/feedback-posts/list", all.clone()).await.expect(200);
    let deleted = json!({"id": gone, "is_active": false, "updated_at": "2026-03-01T00:00:00.000Z"});
    assert_eq!(page["items"][1], deleted);
    all["cursor"] = page["cursor"].clone();
    assert_eq!(ids(&acme, all.clone()).await, [json!(late)]);
    all["updated_after"] = json!("2026-01-31");
    acme.post("/feedback-posts/list", all).await.expect(422);
    for (wrong, field) in [
        (json!({"include_deleted": true}), "include_deleted"),
        (json!({"updated_after": "2026-02-01", "sort": "newest"}), "sort"),
    ] {
        let answer = acme.post("/feedback-posts/list", wrong).await.expect(422);
        assert_eq!(answer["detail"][0]["loc"], json!(["body", field]), "{answer}");
        assert_eq!(answer["detail"][0]["type"], "value_error");
    }
}
