//! The sender of mails.

use crate::{address, words};
use lettre::Address;
use std::fmt;

/// The sender of mails: `HEARBACK_MAIL_FROM`, an address, or a name and an address in angle
/// brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    name: String,
    address: Address,
}

/// The text is not a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSender {
    /// The text has no address, or more text after it.
    #[error(
        "expected an address such as news@example.com, or a name and an address such as Example <news@example.com>"
    )]
    Address,
    /// The part before the `@` is not ASCII, which few mail servers take for a sender.
    #[error("expected ASCII before the @")]
    NotAscii,
    /// The name is longer than 100 characters or has a control character.
    #[error("expected a name of one line and at most {LONGEST_NAME} characters")]
    Name,
}

impl Sender {
    /// Parses `HEARBACK_MAIL_FROM`. The name may be in quotes.
    pub fn parse(text: &str) -> Result<Self, BadSender> {
        let text = text.trim();
        let (name, address) = match text.strip_suffix('>') {
            Some(text) => text.rsplit_once('<').ok_or(BadSender::Address)?,
            None => ("", text),
        };
        let name = unquoted(name.trim());
        if words::one_line(&name, LONGEST_NAME) != name {
            return Err(BadSender::Name);
        }
        let address = address::parse(address.trim()).ok_or(BadSender::Address)?;
        if !address.user().is_ascii() {
            return Err(BadSender::NotAscii);
        }
        Ok(Self { name, address })
    }

    /// The name: one line, which may be empty.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The address, in ASCII.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }
}

/// The sender of mails in files. No mail server would take the address.
impl Default for Sender {
    fn default() -> Self {
        Self {
            name: "Hearback".to_owned(),
            address: Address::new_dangerous("hearback", "localhost"),
        }
    }
}

/// The form of `HEARBACK_MAIL_FROM`.
impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => self.address.fmt(f),
            name => write!(f, "{name} <{}>", self.address),
        }
    }
}

/// In characters.
const LONGEST_NAME: usize = 100;

/// A name without its quotes.
fn unquoted(name: &str) -> String {
    let Some(quoted) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bare = String::new();
    let mut characters = quoted.chars();
    while let Some(c) = characters.next() {
        // A backslash escapes the next character.
        bare.extend(if c == '\\' { characters.next() } else { Some(c) });
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        for (text, name, address) in [
            ("news@example.com", "", "news@example.com"),
            (" <news@example.com> ", "", "news@example.com"),
            ("Example News <news@example.com>", "Example News", "news@example.com"),
            (
                "\"Example, \\\"News\\\"\" <news@example.com>",
                "Example, \"News\"",
                "news@example.com",
            ),
            ("Bücher <news@bücher.example>", "Bücher", "news@xn--bcher-kva.example"),
        ] {
            let sender = Sender::parse(text).unwrap();
            assert_eq!((sender.name(), sender.address().as_ref()), (name, address), "{text}");
            assert_eq!(Sender::parse(&sender.to_string()), Ok(sender), "{text}");
        }
    }

    #[test]
    fn the_default_sender_cannot_be_reached_by_mail() {
        assert_eq!(Sender::parse("Hearback <hearback@localhost>"), Ok(Sender::default()));
    }

    #[test]
    fn an_invalid_sender_has_its_reason() {
        for (text, error) in [
            ("", BadSender::Address),
            ("Example", BadSender::Address),
            ("news@example.com>", BadSender::Address),
            ("news@example.com, more@example.com", BadSender::Address),
            ("Example <news@example.com> (news)", BadSender::Address),
            ("nëws@example.com", BadSender::NotAscii),
            ("Example\r\nBcc: all@example.com <news@example.com>", BadSender::Name),
            ("a\u{202e}b <news@example.com>", BadSender::Name),
        ] {
            assert_eq!(Sender::parse(text), Err(error), "{text}");
        }
        assert_eq!(
            Sender::parse(&format!("{} <news@example.com>", "a".repeat(101))),
            Err(BadSender::Name)
        );
    }
}
