//! Tokens that only the server, or the software of a customer, can make.

use crate::{NOW, ORGANIZATION, now, vault};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_app::Vault;
use hearback_app::forms::read_stamp;
use hearback_app::sso::{MAX_LIFE, MAX_TOKEN, SKEW, SsoFault, SsoSecret, verify};
use hearback_app::unsubscribe::UnsubscribeTokens;
use ring::hmac;
use serde_json::{Map, Value};
use std::slice::from_ref;
use std::sync::LazyLock;

/// Reads a text as a token of each kind, and as the header and the claims of a token that is signed
/// rightly. The header is the first line.
///
/// - A text that nobody signed is no token.
/// - A token is accepted by its secret alone, and not with another signature.
/// - An accepted token is signed by HS256, and ends at its time.
pub fn tokens(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let Keys { vault, unsubscribing, secret, other } = &*KEYS;
    let verified = |token: &str, secrets: &[SsoSecret]| verify(token, secrets, &[AUDIENCE], now());
    assert!(verified(text, from_ref(secret)).is_err());
    assert!(unsubscribing.open(text).is_none());
    assert!(read_stamp(vault, ORGANIZATION, text).is_none());

    let (header, claims) = text.split_once('\n').unwrap_or((HEADER, text));
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
    let tag = hmac::sign(&key, signed.as_bytes());
    let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag));
    if token.len() > MAX_TOKEN {
        assert_eq!(verified(&token, from_ref(secret)), Err(SsoFault::TooLong));
        return;
    }
    assert_eq!(verified(&token, from_ref(other)), Err(SsoFault::Signature));
    let changed = URL_SAFE_NO_PAD.encode(hmac::sign(&key, token.as_bytes()));
    let changed = format!("{signed}.{changed}");
    assert_eq!(verified(&changed, from_ref(secret)), Err(SsoFault::Signature));
    match verified(&token, &[other.clone(), secret.clone()]) {
        Ok(user) => {
            // serde_json refuses numbers and depths that nobody reads here.
            if let Ok(header) = serde_json::from_str::<Map<String, Value>>(header) {
                assert_eq!(header["alg"], "HS256");
            }
            let left = user.expires_at.unix_millis() - NOW * 1_000;
            assert!(0 < left && left <= MAX_LIFE + 2 * SKEW, "{left}");
        }
        Err(fault) => {
            use SsoFault::{Base64, NoSecret, Parts, Signature, TooLong, Unsigned};
            assert!(![Base64, NoSecret, Parts, Signature, TooLong, Unsigned].contains(&fault));
        }
    }
}

const AUDIENCE: &str = "https://acme.example";
const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

struct Keys {
    vault: Vault,
    unsubscribing: UnsubscribeTokens,
    secret: SsoSecret,
    other: SsoSecret,
}

/// Made once, since the keys are derived.
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let vault = vault();
    let secret = |text| SsoSecret::parse(text).expect("a secret");
    Keys {
        unsubscribing: UnsubscribeTokens::new(&vault),
        vault,
        secret: secret("the-secret-of-acme"),
        other: secret("the-secret-of-others"),
    }
});
