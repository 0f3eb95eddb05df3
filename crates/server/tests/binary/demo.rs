//! `hearback demo`

use super::support::{Home, Server};
use serde_json::Value;
use std::process::Stdio;

#[test]
fn the_demo_prints_its_key_and_three_requests_that_work() {
    let home = Home::new();
    let server = home.serve();
    let port = server.address.port();
    let home = home.set("HEARBACK_LISTEN", &format!("0.0.0.0:{port}"));
    let printed = home.run("demo").expect_success();
    let key = printed.lines().find(|line| line.starts_with("hbk_")).unwrap();
    assert!(server.accepts(key));

    let requests: Vec<&str> = printed.lines().filter(|line| line.starts_with("curl ")).collect();
    let [boards, posts, vote] = requests[..] else { panic!("{printed}") };
    for request in [boards, posts, vote] {
        assert!(request.contains(key), "{request}");
    }
    assert!(!answer(&server, boards).as_array().unwrap().is_empty());
    assert!(!answer(&server, posts)["items"].as_array().unwrap().is_empty());
    assert_eq!(answer(&server, vote).to_string(), r#"{"voted":true}"#);

    let page = format!("Every endpoint can be tried in a browser: http://{}/docs", server.address);
    assert_eq!(printed.lines().last(), Some(&*page));
    assert!(server.get("/docs/").starts_with("HTTP/1.1 200 OK\r\n"));

    // A second run prints the same but for the link, also after the requests.
    let again = home.run("demo").expect_success();
    assert_eq!(without_link(&again), without_link(&printed));
    assert_ne!(again, printed);
    assert_eq!(answer(&server, vote).to_string(), r#"{"voted":false}"#);
}

/// The output without the line of the link by which the owner signs in.
fn without_link(printed: &str) -> Vec<&str> {
    let is_link = |line: &&str| line.starts_with("http://") && line.contains("/sign-in/");
    let (links, others): (Vec<&str>, Vec<&str>) = printed.lines().partition(is_link);
    assert_eq!(links.len(), 1, "{printed}");
    others
}

/// The answer to a printed request.
fn answer(server: &Server, request: &str) -> Value {
    // curl -s URL -H 'Content-Type: application/json' -d 'BODY'
    let parts: Vec<&str> = request.split('\'').collect();
    let [head, "Content-Type: application/json", " -d ", body, ""] = parts[..] else {
        panic!("{request}")
    };
    let url = head.strip_prefix("curl -s ").unwrap().strip_suffix(" -H ").unwrap();
    let path = url.strip_prefix(&format!("http://{}/api/external/v1", server.address)).unwrap();
    let (status, answer) = server.post(path, &serde_json::from_str(body).unwrap());
    assert_eq!(status, 200, "{request}");
    answer
}

#[test]
fn two_demos_at_once_load_it_once() {
    let home = Home::new();
    let [one, other] = [(), ()].map(|()| home.start("demo", Stdio::null()));
    let printed = [one, other].map(|child| {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    });
    assert_eq!(without_link(&printed[0]), without_link(&printed[1]));
    assert_eq!(home.organizations().len(), 1);
}

/// The slug of the only organization.
fn slug(home: &Home) -> String {
    home.organizations()[0].split('\t').next().unwrap().to_owned()
}

#[test]
fn a_key_that_was_revoked_is_followed_by_another() {
    let home = Home::new();
    let first = home.run("demo").expect_success();
    let slug = slug(&home);
    home.run(&format!("key revoke --organization {slug}")).expect_success();
    let second = home.run("demo").expect_success();
    let key = home.run(&format!("key reveal --organization {slug}")).expect_line();
    assert!(second.contains(&key) && !first.contains(&key));
}

#[test]
fn another_organization_with_the_slug_is_left_unchanged() {
    let home = Home::new();
    home.run("demo").expect_success();
    let slug = slug(&home);

    let home = Home::new();
    home.run(&format!("organization create --slug {slug} --name Other")).expect_success();
    home.run("demo")
        .fails(&format!("another organization has the slug {slug}, which the demo needs"));
}
