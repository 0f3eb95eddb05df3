//! Mail addresses in the form of SMTP commands and of headers.

use lettre::Address;
use url::Host;

/// Parses an address and turns its domain into ASCII (IDNA). `None` if the text is not an address.
pub(crate) fn parse(text: &str) -> Option<Address> {
    // Mail servers refuse longer addresses and control characters, and a line end would end the
    // command.
    if text.len() > LONGEST || text.chars().any(char::is_control) {
        return None;
    }
    let (user, domain) = text.rsplit_once('@')?;
    if domain.is_ascii() {
        return Address::new(user, domain).ok();
    }
    // Parsing a host decodes percent signs, which have no meaning in a mail address.
    match Host::parse(domain) {
        Ok(Host::Domain(ascii)) if !domain.contains('%') => Address::new(user, ascii).ok(),
        _ => None,
    }
}

/// The longest address, in bytes (RFC 5321, 4.5.3.1.3, without the angle brackets).
const LONGEST: usize = 254;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_has_a_user_and_a_domain() {
        for (text, address) in [
            ("ann@example.com", "ann@example.com"),
            ("ann+news@example.com", "ann+news@example.com"),
            ("\"ann example\"@example.com", "\"ann example\"@example.com"),
            ("ann@bücher.example", "ann@xn--bcher-kva.example"),
            ("änn@example.com", "änn@example.com"),
            ("ann@[192.0.2.1]", "ann@[192.0.2.1]"),
        ] {
            assert_eq!(parse(text).map(|address| address.to_string()).as_deref(), Some(address));
        }
        for text in [
            "",
            "ann",
            "@example.com",
            "ann@",
            "ann@b@example.com",
            "ann example@example.com",
            "ann@example.com>",
            "<ann@example.com>",
            "ann@example.com, bob@example.com",
            "ann@example.com\r\nRCPT TO:<bob@example.com>",
            "\"ann\r\n\"@example.com",
            "ann@exa\0mple.com",
            "ann@bücher%2eexample",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&format!("ann@{}.example", "a.".repeat(130))), None);
    }

    proptest! {
        #[test]
        fn an_address_ends_no_command(text in "[a-zA-Z\"\\\\<>@. ,;:\\r\\n\\x00\\x7f\\u{85}\\u{2028}ä]{1,40}@[a-z\"<>@. ,\\r\\n\\]\\[ä]{1,20}") {
            if let Some(address) = parse(&text) {
                prop_assert!(!address.to_string().contains(char::is_control));
                prop_assert!(address.domain().is_ascii());
                prop_assert!(!address.domain().contains(['<', '>', ' ', ',', '"', '@']));
                // A quoted user has any visible characters, and an unquoted one is one word.
                let user = address.user();
                let quoted = user.len() > 1 && user.starts_with('"') && user.ends_with('"');
                prop_assert!(quoted || !user.contains(['<', '>', ' ', ',', '"', '@']), "{}", user);
            }
        }
    }
}
