//! `hearback sso …`

use super::support::{Home, ORGANIZATION};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use diesel::connection::SimpleConnection;
use ring::hmac;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// A token with these claims, which ends in five minutes.
fn token(secret: &str, mut claims: Value) -> String {
    #[expect(clippy::disallowed_methods, reason = "tokens end by the clock of the machine")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    claims["exp"] = (now + 300).into();
    let text = [json!({"alg": "HS256"}), claims].map(|it| URL_SAFE_NO_PAD.encode(it.to_string()));
    let text = text.join(".");
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes())))
}

#[test]
fn a_secret_is_generated_beside_the_former_one_until_that_is_retired() {
    let home = Home::with_acme();
    let generate = "sso generate --organization acme";
    let retire = "sso retire --organization acme";
    let none = "the organization has no former secret: generate a new one first";
    home.run(retire).fails(none);
    let first = home.run(generate).expect_line();
    assert!(first.starts_with("hbsso_") && first.len() == 49, "{first}");
    home.run(retire).fails(none);
    let second = home.run(generate).expect_line();
    assert_ne!(second, first);
    home.run(generate).fails("the organization has a former secret still: retire it first");
    let ada = |secret: &str| token(secret, json!({"email": "ada@example.com", "sub": "u-1"}));
    let check = |secret: &str| home.run(&format!("sso check --organization acme {}", ada(secret)));
    for secret in [&first, &second] {
        assert_eq!(check(secret).expect_line(), "new\tu-1\tada@example.com");
    }
    assert_eq!(home.run(retire).expect_success(), "");
    check(&first).fails("the signature fits no secret of the organization: …");
    assert_eq!(check(&second).expect_line(), "new\tu-1\tada@example.com");
    for command in ["sso generate", "sso retire", "sso check"] {
        let token = if command == "sso check" { " x.y.z" } else { "" };
        home.run(&format!("{command} --organization nobody{token}"))
            .fails("no organization has the slug nobody");
    }
}

#[test]
fn a_check_says_what_is_wrong_with_a_token() {
    let home = Home::new().set("HEARBACK_PUBLIC_URL", "https://feedback.example/news");
    home.import_acme();
    let check = |token: &str| home.run(&format!("sso check --organization acme {token}"));
    check("x.y.z").fails("the organization has no secret for single sign-on: …");
    let secret = home.run("sso generate --organization acme").expect_line();
    check("x.y").fails("the token has not three parts with a dot between them: …");
    let token = |others: Value| {
        let mut claims = json!({"email": "eve@example.com", "sub": "u-1"});
        claims.as_object_mut().unwrap().extend(others.as_object().unwrap().clone());
        token(&secret, claims)
    };
    check(&token(json!({"aud": "https://other.example"})))
        .fails("the token is for another audience: …");
    let audiences =
        [ORGANIZATION, "acme", "https://feedback.example/news", "https://feedback.example"];
    for audience in audiences {
        check(&token(json!({"aud": audience}))).expect_line();
    }
    home.store().batch_execute("UPDATE users SET portal_role = 'viewer'").unwrap();
    check(&token(json!({"email": "ann@acme.example"}))).fails(
        "the address or the identifier belongs to a member of the team, and single sign-on signs \
         in nobody of the team",
    );
}

#[test]
fn a_secret_survives_the_replacement_of_the_master_key_and_is_in_no_export() {
    let home = Home::with_acme();
    let secret = home.run("sso generate --organization acme").expect_line();
    assert!(!home.export().contains(&secret));
    assert_eq!(home.run("key reseal").expect_success(), "1\n");
    let ada = token(&secret, json!({"email": "ada@example.com", "sub": "u-1"}));
    home.run(&format!("sso check --organization acme {ada}")).expect_line();

    home.store().batch_execute("UPDATE sso_secrets SET sealed = zeroblob(40)").unwrap();
    home.run("key reseal").fails("the secret of single sign-on …");
    home.run("sso generate --organization acme").expect_line();
    home.run("sso retire --organization acme").expect_success();
    assert_eq!(home.run("key reseal").expect_success(), "1\n");
}
