//! The signatures of a delivery: that of the contract, and that of the Standard Webhooks
//! specification, for which many receivers have a library.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hearback_ports::event_sink::{SigningSecret, SigningSecrets};
use ring::hmac;
use zeroize::Zeroizing;

/// The `X-Service-Signature` of the contract. Its key is the secret as it is printed.
pub(crate) fn service(secret: &SigningSecret, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
    format!("sha256={}", hex::encode(hmac::sign(&key, body)))
}

/// The `webhook-signature` of the Standard Webhooks specification: a signature by each secret in
/// the specification's form, that of the valid secret first. `None` if the valid secret has another
/// form. `timestamp` is in seconds.
pub(crate) fn standard(
    secrets: &SigningSecrets,
    id: &str,
    timestamp: i64,
    body: &[u8],
) -> Option<String> {
    let start = format!("{id}.{timestamp}.");
    let sign = |key: hmac::Key| {
        let mut context = hmac::Context::with_key(&key);
        context.update(start.as_bytes());
        context.update(body);
        format!("v1,{}", STANDARD.encode(context.sign()))
    };
    let current = sign(standard_key(&secrets.current)?);
    Some(match secrets.previous.as_ref().and_then(standard_key) {
        Some(previous) => format!("{current} {}", sign(previous)),
        None => current,
    })
}

/// The key in a secret of the specification's form. Base64 that libraries read differently is
/// refused.
fn standard_key(secret: &SigningSecret) -> Option<hmac::Key> {
    let encoded = secret.reveal().strip_prefix("whsec_")?;
    let key = Zeroizing::new(STANDARD.decode(encoded).ok()?);
    (SHORTEST_KEY..=LONGEST_KEY)
        .contains(&key.len())
        .then(|| hmac::Key::new(hmac::HMAC_SHA256, &key))
}

/// The shortest key of the specification, in bytes.
const SHORTEST_KEY: usize = 24;
/// The longest key of the specification, in bytes.
const LONGEST_KEY: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const NEW: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    fn secret(secret: &str) -> SigningSecret {
        SigningSecret::new(Zeroizing::new(secret.to_owned()))
    }

    fn secrets(current: &str, previous: Option<&str>) -> SigningSecrets {
        SigningSecrets { current: secret(current), previous: previous.map(secret) }
    }

    fn signed(current: &str, previous: Option<&str>) -> Option<String> {
        let secrets = secrets(current, previous);
        standard(
            &secrets,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        )
    }

    #[test]
    fn the_contracts_signature_is_keyed_with_the_whole_printed_secret() {
        let body = r#"{"event":"vote.created","data":{"post_title":"Größe"}}"#.as_bytes();
        for (key, signature) in [
            (NEW, "sha256=d610464d6710ece65168a150eeaad31381e327dec00b69d22fd1df8a49b4b684"),
            (
                "imported sécret",
                "sha256=d8507dc3dafe97785d4ae0d67badacf521bdceda0747f139a80122803c3ac21f",
            ),
            (
                &"k".repeat(256),
                "sha256=ec3f0235843eb0dcc860900e99beacaa45b2e577d38f3c3496f45b85e6be3209",
            ),
        ] {
            assert_eq!(service(&secret(key), body), signature, "{key}");
        }
    }

    #[test]
    fn the_specifications_signature_is_that_of_its_libraries() {
        // The test vector of the specification's libraries.
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signed(OLD, None).as_deref(), Some(signature));
    }

    #[test]
    fn while_a_secret_is_replaced_both_sign_the_new_one_first() {
        let both = "v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signed(NEW, Some(OLD)).as_deref(), Some(both));
        assert_eq!(
            signed(NEW, Some("imported")).as_deref(),
            Some("v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI=")
        );
    }

    #[test]
    fn a_secret_of_another_form_makes_no_signature_of_the_specification() {
        let of_length = |length: usize| format!("whsec_{}", STANDARD.encode(vec![7; length]));
        for length in [24, 25, 26, 63, 64] {
            assert!(signed(&of_length(length), None).is_some(), "{length}");
        }
        for length in [0, 23, 65] {
            assert_eq!(signed(&of_length(length), None), None, "{length}");
        }
        for other in [
            "",
            "imported",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
            "whsec_ MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            // The URL-safe alphabet, missing padding, and bits behind the end.
            "whsec_-_KQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
        ] {
            assert_eq!(signed(other, Some(OLD)), None, "{other:?}");
        }
    }
}
