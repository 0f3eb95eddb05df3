//! The checks before any look-up: path, method, size, content type, form; and the texts that a body
//! may hold.

use crate::support::{Draft, ENDPOINTS, Site, Store, error, id};
use rstest::rstest;
use serde_json::{Value, json};

#[rstest]
#[tokio::test]
async fn an_unknown_path_is_not_found_with_any_method(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let site = Site::of(store).await;
    let paths = [
        "",
        "/",
        "/users",
        "/users/",
        "/users/retrieve/",
        "/users/retrieve/x",
        "/USERS/retrieve",
        "/users%2Fretrieve",
        "/nothing",
    ];
    for path in paths {
        for method in [reqwest::Method::POST, reqwest::Method::GET, reqwest::Method::DELETE] {
            let answer = site
                .client()
                .request(method.clone(), site.url(path))
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.status(), 404, "{method} {path}");
            assert_eq!(
                answer.json::<Value>().await.expect("JSON"),
                error("not found"),
                "{method} {path}"
            );
        }
    }
}

#[rstest]
#[tokio::test]
async fn every_endpoint_takes_post_only(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let site = Site::of(store).await;
    for endpoint in ENDPOINTS.iter() {
        for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "FOO"] {
            let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a method");
            let answer = site
                .client()
                .request(method.clone(), site.url(endpoint.path))
                .send()
                .await
                .expect("an answer");
            assert_eq!(answer.status(), 405, "{method} {}", endpoint.path);
            assert_eq!(answer.headers()["allow"], "POST", "{method} {}", endpoint.path);
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_body_is_json_by_its_type_or_has_none(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let site = Site::of(store).await;
    let body = json!({"api_key": acme.key()}).to_string();
    let send = async |kind: Option<&str>| {
        let request = site.client().post(site.url("/tags/list")).body(body.clone());
        let request =
            if let Some(kind) = kind { request.header("Content-Type", kind) } else { request };
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(send(None).await, 200);
    for json in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON;x=y",
        "application/problem+json",
        "application/vnd.acme.v1+json",
    ] {
        assert_eq!(send(Some(json)).await, 200, "{json}");
    }
    let others = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "text/json",
        "x",
    ];
    for endpoint in ENDPOINTS.iter() {
        for other in others {
            let request = site.client().post(site.url(endpoint.path)).body(body.clone());
            let answer = request.header("Content-Type", other).send().await.expect("an answer");
            assert_eq!(answer.status(), 415, "{} {other}", endpoint.path);
            let told = error("content type must be application/json").to_string();
            assert_eq!(answer.text().await.expect("a body"), told);
        }
    }
}

#[rstest]
#[tokio::test]
async fn a_body_that_is_no_json_object_is_one_fault_of_the_body(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let site = Site::of(store).await;
    let nested = "[".repeat(100_000);
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    let invalid: [&[u8]; 10] = [
        b"{",
        b"nothing",
        b"{\"api_key\": \"\\ud800\"}",
        b"{\"api_key\": \"\xff\"}",
        b"{\"a\": 1,}",
        b"{} {}",
        b"{'a': 1}",
        b"{\"a\": NaN}",
        nested.as_bytes(),
        deep.as_bytes(),
    ];
    for body in invalid {
        let answer = site.bytes("/tags/list", body.to_vec()).await;
        let detail = answer.expect(422)["detail"].clone();
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
        assert_eq!(detail.as_array().map(Vec::len), Some(1), "{shown}");
        assert_eq!(
            json!([detail[0]["type"], detail[0]["loc"], detail[0]["input"]]),
            json!(["json_invalid", ["body"], null]),
            "{shown}"
        );
    }
    for body in ["[]", "null", "5", "\"x\"", "true"] {
        let detail = site.raw("/tags/list", body).await.expect(422)["detail"].clone();
        assert_eq!(
            json!([detail[0]["type"], detail[0]["loc"], detail[0]["input"]]),
            json!(["model_attributes_type", ["body"], null])
        );
    }
}

#[rstest]
#[tokio::test]
async fn an_empty_body_is_an_empty_object(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let site = Site::of(store).await;
    assert_eq!(site.raw("/tags/list", "").await.expect(401), error("invalid api_key"));
}

#[rstest]
#[tokio::test]
async fn a_body_over_one_mebibyte_is_too_large(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let site = Site::of(store).await;
    let padded = |size: usize| {
        let body = json!({"api_key": acme.key(), "x": ""}).to_string();
        body.replace("\"x\":\"\"", &format!("\"x\":\"{}\"", "x".repeat(size - body.len())))
    };
    assert_eq!(padded(1 << 20).len(), 1 << 20);
    assert_eq!(site.raw("/tags/list", &padded(1 << 20)).await.expect(200), json!([]));
    for endpoint in ENDPOINTS.iter() {
        let answer = site.raw(endpoint.path, &padded((1 << 20) + 1)).await;
        assert_eq!(answer.expect(413), error("request body too large"), "{}", endpoint.path);
    }
}

#[rstest]
#[tokio::test]
async fn a_body_of_40_mb_is_refused_before_it_is_read_and_costs_no_memory(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let site = Site::of(store).await;
    let before = site.resident_kib();
    for _ in 0..5 {
        // The server responds while the client still sends. The client sees the response or a
        // closed connection.
        let sent =
            site.client().post(site.url("/tags/list")).body(vec![b' '; 40_000_000]).send().await;
        if let Ok(answer) = sent {
            assert_eq!(answer.status(), 413);
        }
    }
    let grown = site.resident_kib().saturating_sub(before);
    assert!(grown < 20_000, "grew by {grown} KiB");
    site.raw("/tags/list", "").await.expect(401);
}

#[rstest]
#[tokio::test]
async fn u_0000_is_refused_in_every_string(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let acme = Draft::new().open(store).await;
    for (path, field) in [("/users/retrieve", "email"), ("/feedback-posts/list", "search")] {
        let answer = acme.post(path, json!({field: "a\u{0}b"})).await.expect(422);
        assert_eq!(
            json!([answer["detail"][0]["type"], answer["detail"][0]["loc"]]),
            json!(["value_error", ["body", field]])
        );
        assert_eq!(answer["detail"][0]["input"], "a\u{0}b");
    }
}

#[rstest]
#[tokio::test]
async fn numbers_of_integral_value_are_integers(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    let site = Site::of(store).await;
    let send = async |limit: &str| {
        site.raw(
            "/feedback-posts/list",
            &format!(r#"{{"api_key":"{}","limit":{limit}}}"#, acme.key()),
        )
        .await
    };
    for integer in ["25", "25.0", "2.5e1", "1", "100", "100.000"] {
        send(integer).await.expect(200);
    }
    let refused = [
        ("0", "greater_than_equal"),
        ("-1", "greater_than_equal"),
        ("-0.0", "greater_than_equal"),
        ("101", "less_than_equal"),
        ("1e30", "less_than_equal"),
        ("99999999999999999999999", "less_than_equal"),
        ("-99999999999999999999999", "greater_than_equal"),
        ("2.5", "int_type"),
        ("\"25\"", "int_type"),
        ("true", "int_type"),
        ("null", "int_type"),
        ("[]", "int_type"),
    ];
    for (limit, kind) in refused {
        let answer = send(limit).await.expect(422);
        assert_eq!(answer["detail"][0]["type"], kind, "{limit}: {answer}");
        assert_eq!(answer["detail"][0]["loc"], json!(["body", "limit"]));
    }
}

#[rstest]
#[tokio::test]
async fn answers_are_json_and_name_their_request(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let acme = Draft::new().open(store).await;
    for (path, body) in [
        ("/tags/list", json!({})),
        ("/feedback-posts/retrieve", json!({"id": id()})),
        ("/nothing", json!({})),
    ] {
        let answer = acme.post(path, body).await;
        assert_eq!(answer.headers["content-type"], "application/json");
        let name = answer.headers["x-request-id"].to_str().expect("text").to_owned();
        assert_eq!(name.len(), 36, "{name}");
    }
}
