//! Texts in headers. Strangers write the texts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The text as one line of at most `most` characters, for a header.
///
/// Control characters and line ends become spaces. Characters that only change the direction of
/// writing are left out, since they would reverse the text after them.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let spaced =
        text.chars().filter(|c| !turns_direction(*c)).map(|c| if breaks_line(c) { ' ' } else { c });
    let spaced: String = spaced.collect();
    let mut line = String::new();
    for word in spaced.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(most) {
        None => line,
        Some(_) => line.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// The folded value of a free-text header (RFC 5322, 2.2.1), such as `Subject`. `line` is a line of
/// [`one_line`], and `before` the length of the header's name on the first line.
pub(crate) fn unstructured(line: &str, before: usize) -> String {
    if needs_encoding(line) {
        return encoded_words(line);
    }
    let mut folded = String::new();
    let mut column = before;
    for word in line.split(' ') {
        if folded.is_empty() {
            column += word.len();
        } else if column + 1 + word.len() > LINE {
            folded.push_str("\r\n ");
            column = 1 + word.len();
        } else {
            folded.push(' ');
            column += 1 + word.len();
        }
        folded.push_str(word);
    }
    folded
}

/// The folded form of a name and an address (RFC 5322, 3.4). `name` is a line of [`one_line`].
pub(crate) fn mailbox(name: &str, address: &str) -> String {
    if name.is_empty() {
        address.to_owned()
    } else if needs_encoding(name) {
        format!("{}\r\n <{address}>", encoded_words(name))
    } else {
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"\r\n <{address}>")
    }
}

/// The recommended length of a header's line.
const LINE: usize = 76;

fn breaks_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text has to be encoded. A text that looks like an encoded word would be decoded.
fn needs_encoding(line: &str) -> bool {
    !line.is_ascii() || line.contains("=?") || line.split(' ').any(|word| word.len() > LONGEST_WORD)
}

/// A longer word cannot be folded.
const LONGEST_WORD: usize = 60;

/// Encoded words (RFC 2047), one a line.
fn encoded_words(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (word, behind) = rest.split_at(rest.floor_char_boundary(ENCODED));
        words.push(format!("=?utf-8?B?{}?=", STANDARD.encode(word)));
        rest = behind;
    }
    words.join("\r\n ")
}

/// The bytes of a word that fits on the first line after the name of any header here.
const ENCODED: usize = 39;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_one_line() {
        assert_eq!(
            one_line("  New\r\nBcc: all@example.com\t\0here\u{2028}now ", 100),
            "New Bcc: all@example.com here now"
        );
        assert_eq!(one_line("a\u{202e}txt.exe\u{202c}\u{2066}b", 100), "atxt.exeb");
        assert_eq!(one_line("שלום 👩‍👩‍👧", 100), "שלום 👩‍👩‍👧");
        assert_eq!(one_line("ääääää", 6), "ääääää");
        assert_eq!(one_line("äääääää", 6), "äääää…");
        assert_eq!(one_line("", 6), "");
    }

    #[test]
    fn plain_text_stays_as_it_is() {
        assert_eq!(unstructured("Dark mode is here", 9), "Dark mode is here");
        let folded = unstructured("word ".repeat(30).trim_end(), 9);
        assert_eq!(folded.replace("\r\n ", " "), "word ".repeat(30).trim_end());
        assert!(folded.lines().all(|line| line.len() <= LINE));
        assert_eq!(unstructured("", 9), "");
    }

    #[test]
    fn other_text_is_encoded() {
        assert_eq!(unstructured("Für alle", 9), "=?utf-8?B?RsO8ciBhbGxl?=");
        assert_eq!(unstructured("=?utf-8?q?x?=", 9), "=?utf-8?B?PT91dGYtOD9xP3g/PQ==?=");
        let long = unstructured(&"ä".repeat(500), 9);
        assert!(long.lines().all(|line| line.len() + 9 <= LINE));
        assert_eq!(long.lines().count(), 1_000_usize.div_ceil(ENCODED - 1));
    }

    #[test]
    fn a_name_stands_in_quotes() {
        assert_eq!(mailbox("", "ann@example.com"), "ann@example.com");
        assert_eq!(mailbox("Ann", "ann@example.com"), "\"Ann\"\r\n <ann@example.com>");
        assert_eq!(
            mailbox("Ann \"x\\\" <bob@example.com>,", "a@b"),
            "\"Ann \\\"x\\\\\\\" <bob@example.com>,\"\r\n <a@b>"
        );
        assert_eq!(mailbox("Zoë", "zoe@example.com"), "=?utf-8?B?Wm/Dqw==?=\r\n <zoe@example.com>");
    }
}
