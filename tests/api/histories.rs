//! Any sequence of writes has the same responses and leads to the same records on both stores.

use crate::support::{Draft, Organization, Site, Store};
use hearback_tests::property::for_all;
use hearback_tests::system;
use proptest::collection::vec;
use proptest::prelude::any;
use serde_json::{Value, json};

/// The stores whose behaviour is compared.
const STORES: [Store; 2] = [Store::Sqlite, Store::Postgres];

/// The ids of a record in each of the stores.
type Ids = [String; STORES.len()];

/// The records that a write can name, by their kind, in the order in which they were made.
struct Known(Vec<(&'static str, Ids)>);

impl Known {
    /// The reference `kind/n` to a record, or, for 255, to a record that does not exist.
    fn reference(&self, kind: &str, n: usize) -> Value {
        let all = self.0.iter().filter(|(of, _)| *of == kind).count();
        json!(format!("{kind}/{}", if n == 255 || all == 0 { all } else { n % all }))
    }

    /// Replaces each reference by the id of a store.
    fn resolve(&self, value: &Value, store: usize) -> Value {
        match value {
            Value::String(text) => match text.split_once('/') {
                Some((kind, n)) => {
                    let n: usize = n.parse().expect("a number");
                    let ids = self.0.iter().filter(|(of, _)| *of == kind).nth(n);
                    let unknown = "01890000-0000-7000-8000-000000000000";
                    json!(ids.map_or(unknown, |(_, ids)| ids[store].as_str()))
                }
                None => value.clone(),
            },
            Value::Array(items) => items.iter().map(|it| self.resolve(it, store)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                members.map(|(name, it)| (name.clone(), self.resolve(it, store))).collect()
            }
            _ => value.clone(),
        }
    }

    /// Replaces ids by their positions, and times, so that values of both stores can be compared.
    fn compared(&self, value: &Value, store: usize) -> Value {
        match value {
            Value::String(text) if is_id(text) => {
                let position = self.0.iter().position(|(_, ids)| ids[store] == *text);
                json!(position.map_or("an id".to_owned(), |n| format!("{} {n}", self.0[n].0)))
            }
            // The times of the draft are the same in both stores.
            Value::String(text) if text.len() == 24 && text.ends_with('Z') => {
                json!(if text.as_str() < "2026-02" { text } else { "now" })
            }
            Value::Array(items) => items.iter().map(|it| self.compared(it, store)).collect(),
            Value::Object(members) => {
                let members = members.iter();
                members.map(|(name, it)| (name.clone(), self.compared(it, store))).collect()
            }
            _ => value.clone(),
        }
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// A write that is drawn as numbers.
type Drawn = (u8, [u8; 4]);

/// The path and the body of a write. The body names records as `kind/n`.
fn write((which, [a, b, c, d]): Drawn, known: &Known) -> (&'static str, Value) {
    let of = |kind: &str, n: u8| known.reference(kind, n.into());
    let (post, user) = (of("post", a), of("user", b));
    let address = format!("user{}@example.com", c % 4);
    let is_odd = d % 2 == 1;
    let moderation = ["pending", "accepted", "rejected", "spam"][usize::from(c % 4)];
    let vote = json!({"user_id": user, "post_id": post, "post_type": "feedback"});
    let plan = of("plan", a);
    // Most writes add something, so that there is something to change.
    let adding = [0, 0, 10, 12, 17, 21, 22, 26];
    let which = which % 64;
    match if which < 45 { which } else { adding[usize::from(which) % adding.len()] } {
        0..=2 => (
            "/feedback-posts/create",
            json!({"board_id": of("board", a), "title": format!("Wish {}", d % 5),
                "author_email": address, "tag_ids": [of("tag", b)],
                "external_id": is_odd.then(|| format!("t-{}", d % 7)),
                "moderation_status_code": moderation}),
        ),
        3 => (
            "/feedback-posts/update",
            json!({"post_id": post, "title": format!("Wish {}", d % 5), "owner_id": user,
                "category_id": of("category", c), "board_id": is_odd.then(|| of("board", d))}),
        ),
        4 => ("/feedback-posts/update", json!({"post_id": post, "clear": ["owner_id"]})),
        5 => (
            "/feedback-posts/change-status",
            json!({"post_id": post, "status_id": of("status", b), "changed_by_id": of("user", c),
                "note": is_odd.then_some("Soon.")}),
        ),
        6 => ("/feedback-posts/add-tag", json!({"post_id": post, "tag_id": of("tag", b)})),
        7 => ("/feedback-posts/remove-tag", json!({"post_id": post, "tag_id": of("tag", b)})),
        8 => ("/feedback-posts/delete", json!({"post_id": post})),
        9 => ("/feedback-posts/restore", json!({"post_id": post})),
        10 | 11 => (
            "/feedback-posts/merge",
            json!({"merge_post_id": post, "into_post_id": of("post", d), "merger_id": user}),
        ),
        12 | 13 => ("/feedback-posts/unmerge", json!({"post_id": post})),
        14 => ("/feedback-posts/subscribe", json!({"post_id": post, "user_id": user})),
        15 => ("/feedback-posts/unsubscribe", json!({"post_id": post, "user_id": user})),
        16 => (
            "/feedback-posts/bulk-update",
            json!({"post_ids": [post, of("post", b)], "status_id": of("status", c),
                "add_tag_ids": [of("tag", d)]}),
        ),
        17 | 18 => (
            "/comments/create",
            json!({"feedback_post_id": post, "content": "Yes", "author_email": address,
                "parent_comment_id": is_odd.then(|| of("comment", d)),
                "moderation_status_code": moderation}),
        ),
        19 => (
            "/comments/update",
            json!({"comment_id": of("comment", a), "content": format!("No {b}"),
                "is_pinned": is_odd}),
        ),
        20 => ("/comments/delete", json!({"comment_id": of("comment", a)})),
        21..=24 => ("/votes/toggle", vote),
        25 => (
            "/votes/set",
            json!({"post_id": plan, "post_type": "roadmap", "voter_email": address,
                "voted": is_odd}),
        ),
        26 => (
            "/votes/set-many",
            json!({"post_id": post, "post_type": "feedback", "voted": is_odd,
                "voters": [{"voter_id": user}, {"voter_email": address}]}),
        ),
        27 => ("/tags/delete", json!({"tag_id": of("tag", a)})),
        28 => ("/tags/merge", json!({"tag_id": of("tag", a), "into_tag_id": of("tag", b)})),
        29 => (
            "/statuses/delete",
            json!({"status_id": of("status", a), "replacement_status_id": of("status", b)}),
        ),
        30 => (
            "/categories/delete",
            json!({"category_id": of("category", a),
                "replacement_category_id": is_odd.then(|| of("category", b))}),
        ),
        31 => (
            "/feedback-boards/delete",
            json!({"board_id": of("board", a),
                "move_posts_to_board_id": is_odd.then(|| of("board", b)),
                "delete_posts": !is_odd}),
        ),
        32 => (
            "/roadmap-posts/create",
            json!({"roadmap_board_id": of("roadmap board", a), "title": format!("Plan {}", d % 3),
                "feedback_post_ids": [of("post", b)], "position": 1 + d % 3}),
        ),
        33 => (
            "/roadmap-posts/link",
            json!({"post_id": plan, "feedback_post_ids": [of("post", b)], "sync_status": is_odd}),
        ),
        34 => {
            ("/roadmap-posts/change-status", json!({"post_id": plan, "status_id": of("status", b)}))
        }
        35 => ("/roadmap-posts/delete", json!({"post_id": plan})),
        36 => (
            "/users/upsert",
            json!({"email": address, "name": format!("User {d}"),
                "company": {"external_id": format!("c-{}", b % 2), "name": format!("Co {a}")},
                "attributes": {"plan": d % 3}}),
        ),
        37 => {
            let verb = ["/users/delete", "/users/block", "/users/unblock"][usize::from(d % 3)];
            (verb, json!({"user_id": user}))
        }
        38 => ("/users/merge", json!({"merge_user_id": user, "into_user_id": of("user", d)})),
        39 => (
            "/users/erase",
            json!({"user_id": user, "content_code": if is_odd { "delete" } else { "anonymize" }}),
        ),
        41 => (
            "/changelog/create",
            json!({"title": format!("News {}", d % 3), "published": is_odd, "notify": is_odd}),
        ),
        42 => {
            let verb = ["/changelog/publish", "/changelog/unpublish", "/changelog/delete"]
                [usize::from(d % 3)];
            (verb, json!({"entry_id": of("entry", a)}))
        }
        43 => {
            let verb = ["/changelog/link-posts", "/changelog/unlink-posts"][usize::from(d % 2)];
            (verb, json!({"entry_id": of("entry", a), "post_ids": [post, of("post", b)]}))
        }
        40 => ("/companies/delete", json!({"external_id": format!("c-{}", b % 2)})),
        _ => (
            "/moderation/decide",
            json!({"items": [{"kind": "post", "id": post}], "moderation_status_code": moderation,
                "trust_author": is_odd}),
        ),
    }
}

/// The kind of the record that an endpoint makes, and the member of the response with its id.
fn made(path: &str) -> Option<(&'static str, &'static str)> {
    match path {
        "/feedback-posts/create" => Some(("post", "id")),
        "/comments/create" => Some(("comment", "id")),
        "/changelog/create" => Some(("entry", "id")),
        "/roadmap-posts/create" => Some(("plan", "id")),
        "/users/upsert" => Some(("user", "user_id")),
        _ => None,
    }
}

/// The lines of an export, compared with those of the other store.
async fn records(acme: &Organization, known: &Known, store: usize) -> Vec<String> {
    let lines = acme.export().await;
    let mut lines: Vec<String> =
        lines.iter().map(|line| known.compared(line, store).to_string()).collect();
    lines.sort_unstable();
    lines
}

/// Does the writes on both stores. Compares each response, and all records at the end.
async fn compare(history: Vec<Drawn>) {
    let mut draft = Draft::new();
    let mut known = Vec::new();
    let mut name = |kind, id: String| known.push((kind, [id.clone(), id]));
    for n in 0..2 {
        name("board", draft.board(json!({})));
        name("status", draft.status(json!({"is_default_status": n == 0})));
        name("category", draft.category(json!({})));
        name("tag", draft.tag(json!({})));
        name("roadmap board", draft.roadmap_board(json!({})));
        name("plan", draft.roadmap_post(json!({})));
        name("user", draft.user(json!({"email": format!("user{n}@example.com")})));
        name("post", draft.post(json!({})));
    }
    draft.receiver();
    let mut known = Known(known);
    let (slug, lines) = (draft.slug().to_owned(), draft.lines());
    let mut organizations = Vec::new();
    for store in STORES {
        organizations.push(Site::of(store).await.open(&slug, &lines).await);
    }
    for drawn in history {
        let (path, body) = write(drawn, &known);
        let mut responses = Vec::new();
        for (n, acme) in organizations.iter().enumerate() {
            let response = acme.post(path, known.resolve(&body, n)).await;
            assert!(response.status < 500, "{path} {body}: {}", response.text());
            let text = serde_json::from_str(&response.text()).expect("JSON");
            responses.push((response.status, text));
        }
        let id = |(_, text): &(u16, Value), member: &str| text[member].as_str().map(str::to_owned);
        if let Some((kind, member)) = made(path) {
            let [Some(one), Some(two)] = [0, 1].map(|n| id(&responses[n], member)) else {
                assert_eq!(responses[0].0, responses[1].0, "{path} {body}");
                continue;
            };
            // An upsert or a repeated create names a record that is known.
            if !known.0.iter().any(|(_, ids)| ids[0] == one) {
                known.0.push((kind, [one, two]));
            }
        }
        let compared = |n: usize| (responses[n].0, known.compared(&responses[n].1, n));
        assert_eq!(compared(0), compared(1), "{path} {body}");
    }
    let mut all = Vec::new();
    for (n, acme) in organizations.iter().enumerate() {
        let by_votes = json!({"sort": "votes", "limit": 100});
        let list = acme.post("/feedback-posts/list", by_votes).await.expect(200);
        let counts = list["items"].as_array().expect("posts").iter().map(|post| {
            let counts = [&post["id"], &post["vote_count"], &post["comment_count"]];
            known.compared(&json!(counts), n).to_string()
        });
        let mut counts: Vec<String> = counts.collect();
        counts.sort_unstable();
        let events = acme.events().await.len();
        all.push((records(acme, &known, n).await, counts, events));
    }
    let (two, one) = (all.pop(), all.pop());
    assert_eq!(one, two);
}

#[test]
fn any_sequence_of_writes_has_the_same_effects_on_both_stores() {
    system::block_on(async {
        for_all(10, vec(any::<Drawn>(), 1..120), compare);
    });
}
