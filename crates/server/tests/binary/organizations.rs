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

/// The settings of the portal of `acme`, as an export has them.
fn portal(home: &Home) -> Value {
    let export = home.export();
    let organization: Value = serde_json::from_str(export.lines().next().unwrap()).unwrap();
    organization["portal"].clone()
}

const SET: &str = "organization set --organization acme";

#[test]
fn an_organization_gets_another_name_and_never_none() {
    let home = Home::with_acme();
    home.run(&format!("{SET} --name Roadrunner")).expect_success();
    assert!(home.organizations()[0].starts_with("acme\tRoadrunner\t"));
    assert_eq!(home.run(&format!("{SET} --name=")).status, Some(2));
    assert!(home.organizations()[0].starts_with("acme\tRoadrunner\t"));
}

#[test]
fn settings_of_an_organization_are_changed_and_removed() {
    let home = Home::with_acme();
    assert_eq!(portal(&home), Value::Null);
    let css = home.file("portal.css", "a { color: red }\n");
    let texts = "--logo-url https://acme.example/logo.svg --favicon-url http://acme.example/i.png \
                 --accent #0F766E --theme dark --welcome-title Hello --welcome-text Größe \
                 --locale pt-BR --host Feedback.acme.example --sso-url https://acme.example/sso \
                 --second-factor member";
    let switches = "--feedback off --roadmap off --changelog off --help-pages off \
                    --vote-counts off --indexed off --private on --sign-in-by-mail off \
                    --password-sign-in on";
    let line = format!("{SET} --events-ledger on {texts} {switches} --custom-css {css}");
    assert_eq!(home.run(&line).expect_success(), "");
    let all = json!({
        "logo_url": "https://acme.example/logo.svg",
        "favicon_url": "http://acme.example/i.png",
        "accent": "#0F766E",
        "theme": "dark",
        "welcome_title": "Hello",
        "welcome_text": "Größe",
        "locale": "pt-BR",
        "shows_feedback": false,
        "shows_roadmap": false,
        "shows_changelog": false,
        "shows_help": false,
        "shows_vote_counts": false,
        "is_indexed": false,
        "is_private": true,
        "custom_css": "a { color: red }\n",
        "signs_in_by_mail": false,
        "signs_in_by_password": true,
        "second_factor": "member",
        "host": "feedback.acme.example",
        "sso_url": "https://acme.example/sso"
    });
    assert_eq!(portal(&home), all);

    let texts = "--logo-url= --favicon-url= --accent= --theme auto --welcome-title= \
                 --welcome-text= --locale= --sso-url= --custom-css= --second-factor none";
    let switches = switches.replace("off", "on").replace("--private on", "--private off");
    let switches = switches.replace("--password-sign-in on", "--password-sign-in off");
    home.run(&format!("{SET} {texts} {switches}")).expect_success();
    assert_eq!(portal(&home), json!({"host": "feedback.acme.example"}));
    home.run(&format!("{SET} --host=")).expect_success();
    assert_eq!(portal(&home), Value::Null);
}

#[test]
fn a_wrong_setting_is_an_error_that_names_the_option_and_changes_nothing() {
    let home = Home::with_acme();
    home.run(&format!("{SET} --host acme.example")).expect_success();
    let long = "x".repeat(201);
    let css = home.file("long.css", &"x".repeat(65_537));
    for (option, value) in [
        ("--logo-url", "logo.svg"),
        ("--favicon-url", "ftp://acme.example"),
        ("--accent", "red"),
        ("--theme", "blue"),
        ("--welcome-title", &*long),
        ("--welcome-text", &long.repeat(10)),
        ("--locale", "en_US"),
        ("--private", "yes"),
        ("--custom-css", &*css),
        ("--custom-css", "missing.css"),
        ("--host", "acme.example:80"),
        ("--sso-url", "acme.example"),
        ("--second-factor", "end_user"),
    ] {
        let done = home.run(&format!("{SET} --events-ledger on --indexed off {option} {value}"));
        assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{done:?}");
        assert!(done.stderr.contains(option), "{done:?}");
    }
    home.run(SET).refuses("no setting is given: `hearback organization set --help` lists them");
    assert_eq!(portal(&home), json!({"host": "acme.example"}));

    home.run("organization create --slug globex --name Globex").expect_success();
    let globex = "organization set --organization globex --indexed off --host ACME.example";
    home.run(globex).fails("--host names the host of another organization");
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
