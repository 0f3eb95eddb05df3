//! Mails as messages of RFC 5322.

use crate::sender::Sender;
use crate::{address, words};
use hearback_domain::Time;
use hearback_ports::mailer::Mail;
use lettre::Address;
use lettre::message::header::{Date, HeaderName, HeaderValue, Headers, MIME_VERSION_1_0};
use lettre::message::{MultiPart, SinglePart};
use std::time::{Duration, SystemTime};

/// A mail, ready to be sent.
pub(crate) struct Message {
    /// The address of the recipient.
    pub(crate) recipient: Address,
    /// Headers and content, with lines of at most 998 characters that end in CR LF. ASCII, except
    /// for a recipient's address with other characters.
    pub(crate) bytes: Vec<u8>,
}

/// The recipient has no valid address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the recipient's address is invalid")]
pub(crate) struct BadAddress;

/// Writes the message.
pub(crate) fn compose(mail: &Mail, sender: &Sender) -> Result<Message, BadAddress> {
    let recipient = address::parse(&mail.to.address).ok_or(BadAddress)?;
    let subject = words::one_line(&mail.subject, LONGEST_SUBJECT);
    let name = words::one_line(&mail.to.name, LONGEST_NAME);

    let mut headers = Headers::new();
    headers.set(Date::new(system_time(mail.at)));
    for (header, value) in [
        (FROM, words::mailbox(sender.name(), sender.address().as_ref())),
        (TO, words::mailbox(&name, recipient.as_ref())),
        (SUBJECT, words::unstructured(&subject, SUBJECT.len() + ": ".len())),
        (MESSAGE_ID, format!("<{}@{}>", local_id(&mail.id), sender.address().domain())),
    ] {
        headers.insert_raw(encoded(header, value));
    }
    // A POST to that address unsubscribes without further questions (RFC 8058).
    let unsubscribe = mail.unsubscribe_url.as_deref().map(|url| {
        let one_click = "List-Unsubscribe=One-Click".to_owned();
        [(LIST_UNSUBSCRIBE, format!("<{}>", bare_url(url))), (LIST_UNSUBSCRIBE_POST, one_click)]
    });
    let is_bulk = unsubscribe.is_some();
    // Automatic responders must not answer (RFC 3834). Some know only the second header, which
    // would delay a mail that somebody waits for.
    let automatic = (AUTO_SUBMITTED, "auto-generated".to_owned());
    let bulk = is_bulk.then(|| (PRECEDENCE, "bulk".to_owned()));
    for (header, value) in unsubscribe.into_iter().flatten().chain([automatic]).chain(bulk) {
        headers.insert_raw(encoded(header, value));
    }
    headers.set(MIME_VERSION_1_0);

    let mut bytes = headers.to_string().into_bytes();
    let content = MultiPart::alternative()
        .singlepart(SinglePart::plain(with_line_ends(&mail.text)))
        .singlepart(SinglePart::html(with_line_ends(&mail.html)));
    bytes.extend(content.formatted());
    Ok(Message { recipient, bytes })
}

const FROM: &str = "From";
const TO: &str = "To";
const SUBJECT: &str = "Subject";
const MESSAGE_ID: &str = "Message-ID";
const LIST_UNSUBSCRIBE: &str = "List-Unsubscribe";
const LIST_UNSUBSCRIBE_POST: &str = "List-Unsubscribe-Post";
const AUTO_SUBMITTED: &str = "Auto-Submitted";
const PRECEDENCE: &str = "Precedence";

/// In characters. Mail programs show less of a subject.
const LONGEST_SUBJECT: usize = 250;
/// In characters.
const LONGEST_NAME: usize = 100;
/// In characters. Longer ones would not fit on a line.
const LONGEST_ID: usize = 200;

/// A header with an encoded and folded value.
fn encoded(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        String::new(),
        value,
    )
}

/// The time in whole seconds, and the epoch for any earlier time, which no header can have.
fn system_time(time: Time) -> SystemTime {
    let millis = u64::try_from(time.unix_millis()).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
}

/// The identifier as the left half of a `Message-ID`.
fn local_id(id: &str) -> String {
    let fitting = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '-' });
    fitting.take(LONGEST_ID).collect()
}

/// The URL in the form of angle brackets, with forbidden characters percent-encoded.
fn bare_url(url: &str) -> String {
    let mut bare = String::new();
    for byte in url.bytes() {
        if byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>') {
            bare.push(char::from(byte));
        } else {
            bare += &format!("%{byte:02X}");
        }
    }
    bare
}

/// The text with lines that end in CR LF, and without characters that a mail's text must not have.
fn with_line_ends(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text: String =
        text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    text.replace('\n', "\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_ports::mailer::Recipient;
    use mail_parser::{HeaderValue as Parsed, MessageParser};
    use proptest::prelude::*;

    const URL: &str = "https://feedback.example/unsubscribe/AAECAwQF";

    fn mail() -> Mail {
        Mail {
            id: "0191a0b2-mail".into(),
            to: Recipient { name: "Ann Example".into(), address: "ann@example.com".into() },
            subject: "Dark mode is here".into(),
            text: "Dark mode\n\nis here.\n".into(),
            html: "<p>Dark mode</p>\n<p>is here.</p>\n".into(),
            unsubscribe_url: Some(URL.into()),
            at: Time::parse("2026-03-01T09:30:00.750Z").unwrap(),
        }
    }

    fn sender() -> Sender {
        Sender::parse("Weekwright <news@weekwright.example>").unwrap()
    }

    fn written(mail: &Mail) -> String {
        String::from_utf8(compose(mail, &sender()).unwrap().bytes).unwrap()
    }

    #[test]
    fn a_message_has_these_headers_and_two_parts() {
        let written = written(&mail());
        let headers = "Date: Sun, 01 Mar 2026 09:30:00 +0000\r\n\
            From: \"Weekwright\"\r\n <news@weekwright.example>\r\n\
            To: \"Ann Example\"\r\n <ann@example.com>\r\n\
            Subject: Dark mode is here\r\n\
            Message-ID: <0191a0b2-mail@weekwright.example>\r\n\
            List-Unsubscribe: <https://feedback.example/unsubscribe/AAECAwQF>\r\n\
            List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n\
            Auto-Submitted: auto-generated\r\n\
            Precedence: bulk\r\n\
            MIME-Version: 1.0\r\n\
            Content-Type: multipart/alternative;\r\n boundary=\"";
        assert!(written.starts_with(headers), "{written}");

        let message = MessageParser::default().parse(written.as_bytes()).unwrap();
        assert_eq!(message.body_text(0).unwrap(), "Dark mode\r\n\r\nis here.\r\n");
        assert_eq!(message.body_html(0).unwrap(), "<p>Dark mode</p>\r\n<p>is here.</p>\r\n");
    }

    #[test]
    fn a_mail_that_somebody_waits_for_is_not_sent_in_bulk() {
        let written = written(&Mail { unsubscribe_url: None, ..mail() });
        let headers = "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
        assert!(written.contains(headers), "{written}");
        assert!(!written.contains("List-Unsubscribe") && !written.contains("Precedence"));
    }

    #[test]
    fn an_invalid_address_is_refused() {
        for address in [
            "",
            "ann",
            "ann@example.com\r\nBcc: bob@example.com",
            "ann@example.com, bob@example.com",
        ] {
            let mut mail = mail();
            mail.to.address = address.into();
            assert!(compose(&mail, &sender()).is_err(), "{address}");
        }
    }

    #[test]
    fn an_invalid_identifier_or_link_breaks_no_header() {
        let mut mail = mail();
        mail.id = "a>\r\nBcc: b@c".into();
        mail.unsubscribe_url = Some("https://x/>,\r\n <mailto:y@z>ä".into());
        mail.at = Time::MIN;
        let written = written(&mail);
        assert!(written.contains("Message-ID: <a---Bcc--b-c@weekwright.example>\r\n"), "{written}");
        assert!(
            written
                .contains("List-Unsubscribe: <https://x/%3E,%0D%0A%20%3Cmailto:y@z%3E%C3%A4>\r\n"),
            "{written}"
        );
        assert!(written.starts_with("Date: Thu, 01 Jan 1970 00:00:00 +0000\r\n"), "{written}");
        mail.at = Time::MAX;
        assert!(compose(&mail, &sender()).is_ok());
    }

    /// Texts by an attacker who wants to break a header or a message.
    fn hostile() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "\r\n",
            "\n",
            "\r",
            "\0",
            "\r\n\r\n",
            "\r\n.\r\n",
            "\n.\n",
            ".",
            "Bcc: eve@example.com",
            "\r\nBcc: eve@example.com",
            "\u{85}",
            "\u{2028}",
            "\u{b}",
            "\u{7f}",
            "\"",
            "\\",
            "<eve@example.com>",
            ",",
            ";",
            ":",
            "(",
            ")",
            "@",
            "=",
            "--",
            "=?utf-8?q?=0D=0ABcc:_eve@example.com?=",
            "=?utf-8?B?",
            "?=",
            " ",
            "\t",
            "\u{202e}",
            "\u{2066}",
            "שלום",
            "👩‍👩‍👧",
            "ä",
            "\u{1f600}",
            "word",
            "Content-Type: text/html",
        ]);
        let long = (1_usize..3_000).prop_map(|length| "x".repeat(length));
        let piece =
            prop_oneof![20 => pieces.prop_map(str::to_owned), 5 => any::<String>(), 1 => long];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_in_a_text_breaks_the_message(
            id in hostile(), name in hostile(), subject in hostile(), text in hostile(), html in hostile(), sender in hostile(),
        ) {
            let mut mail = mail();
            (mail.id, mail.subject, mail.text, mail.html) = (id, subject, text, html);
            mail.to.name = name;
            let from = Sender::parse(&format!("{sender} <news@weekwright.example>")).unwrap_or_else(|_| self::sender());
            let bytes = compose(&mail, &from).unwrap().bytes;

            prop_assert!(bytes.is_ascii());
            for line in String::from_utf8(bytes.clone()).unwrap().split("\r\n") {
                prop_assert!(!line.contains(['\r', '\n', '\0']), "{:?}", line);
                prop_assert!(line.len() <= 998, "{}", line.len());
            }

            let message = MessageParser::default().parse(&bytes).unwrap();
            let names: Vec<&str> = message.headers().iter().map(|header| header.name()).collect();
            prop_assert_eq!(names, [
                "Date", "From", "To", "Subject", "Message-ID", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted",
                "Precedence", "MIME-Version", "Content-Type",
            ]);
            let line = |text: &str, most| Some(words::one_line(text, most)).filter(|line| !line.is_empty());
            prop_assert_eq!(message.subject().map(str::to_owned), line(&mail.subject, LONGEST_SUBJECT));
            let to: Vec<_> = message.to().unwrap().iter().collect();
            prop_assert_eq!(to.len(), 1);
            prop_assert_eq!(to[0].address(), Some("ann@example.com"));
            prop_assert_eq!(to[0].name().map(str::to_owned), line(&mail.to.name, LONGEST_NAME));
            let from: Vec<_> = message.from().unwrap().iter().collect();
            prop_assert_eq!(from.len(), 1);
            prop_assert_eq!(from[0].address(), Some("news@weekwright.example"));
            prop_assert!(matches!(message.header("Content-Type"), Some(Parsed::ContentType(_))));
            prop_assert_eq!(message.parts.len(), 3);
            let contents = [message.text_bodies().next().unwrap(), message.html_bodies().next().unwrap()];
            for (content, written) in contents.into_iter().zip([&mail.text, &mail.html]) {
                prop_assert_eq!(content.text_contents().unwrap(), with_line_ends(written));
            }
        }
    }
}
