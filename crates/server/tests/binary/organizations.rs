//! `hearback organization …`

use super::support::Home;
use serde_json::{Value, json};

#[test]
fn an_organization_is_listed_from_its_creation_to_its_deletion() {
    let home = Home::new();
    // A name is one column, and no escape for a terminal.
    let id = home.run("organization create --slug Acme --name A\tB\nC\u{1b}[31m").expect_line();
    let plain = home
        .run("organization create --slug plain --name Plain --without-help-center")
        .expect_line();
    let lines = [
        format!("Acme\tA B C [31m\t{id}\thelp center"),
        format!("plain\tPlain\t{plain}\tno help center"),
    ];
    assert_eq!(home.organizations(), lines);
    home.run("organization create --slug ACME --name Other")
        .fails("an organization with the slug ACME exists");

    let key = home.generate_key();
    let server = home.serve();
    assert!(server.accepts(&key));
    home.run("organization delete --organization acme").refuses(
        "the organization acme and all its data would be deleted for good: pass --yes to confirm",
    );
    assert_eq!(home.organizations(), lines);
    assert_eq!(home.run("organization delete --organization acme --yes").expect_success(), "");
    assert!(!server.accepts(&key), "the key of a deleted organization");
    assert_eq!(home.organizations(), lines[1..]);
    home.run("organization delete --organization acme --yes")
        .fails("no organization has the slug acme");
}

#[test]
fn a_wrong_slug_or_name_is_a_usage_error() {
    let home = Home::new();
    let long = "x".repeat(513);
    for (slug, name) in
        [("a/b", "Acme"), ("", "Acme"), (".", "Acme"), ("acme", ""), ("acme", &long)]
    {
        let done = home.run(&format!("organization create --slug={slug} --name={name}"));
        assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{done:?}");
    }
    assert!(!home.path("data").exists(), "nothing is made for a command line that is wrong");
}

#[test]
fn a_new_organization_goes_from_the_first_post_to_a_merge_and_a_status_by_requests_alone() {
    let home = Home::new();
    home.run("organization create --slug acme --name Acme").expect_line();
    let key = home.generate_key();
    let server = home.serve();
    let post = |path: &str, mut body: Value| {
        body["api_key"] = json!(key);
        let (status, answer) = server.post(path, &body);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    };
    let boards = post("/feedback-boards/list", json!({}));
    assert_eq!((boards[0]["name"].as_str(), boards[1].is_null()), (Some("Feedback"), true));
    let statuses = post("/statuses/list", json!({}));
    let mut statuses = statuses.as_array().unwrap().iter();
    let closed = statuses.find(|status| status["status_group_code"] == "closed").unwrap();
    let make = |title: &str, email: &str| {
        let body = json!({"board_id": boards[0]["id"], "title": title, "author_email": email});
        post("/feedback-posts/create", body)["id"].clone()
    };
    let (first, second) =
        (make("Dark mode", "ada@example.com"), make("Night mode", "kim@example.com"));
    for (id, voters) in [(&first, ["ada", "bob"]), (&second, ["bob", "kim"])] {
        let voters = voters.map(|name| json!({"voter_email": format!("{name}@example.com")}));
        let body = json!({"post_id": id, "post_type": "feedback", "voted": true, "voters": voters});
        assert_eq!(post("/votes/set-many", body), json!({"changed": 2, "unchanged": 0}));
    }
    let ada = post("/users/retrieve", json!({"email": "ada@example.com"}))["user_id"].clone();
    let merge = json!({"merge_post_id": second, "into_post_id": first, "merger_id": ada});
    assert_eq!(post("/feedback-posts/merge", merge), json!({"success": true}));
    let change = json!({"post_id": first, "status_id": closed["id"], "changed_by_id": ada,
        "note": "It is there."});
    assert_eq!(post("/feedback-posts/change-status", change), json!({"success": true}));
    let shown = post("/feedback-posts/retrieve", json!({"id": first}));
    let expected = json!([3, 1, closed["id"]]);
    assert_eq!(json!([shown["vote_count"], shown["comment_count"], shown["status_id"]]), expected);
}
