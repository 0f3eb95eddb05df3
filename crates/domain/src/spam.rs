//! The signs of spam in what visitors send.

use crate::Time;
use crate::millis::{DAY, minutes};

/// How long a form may be filled in, in milliseconds: 24 hours.
pub const FORM_MILLIS: i64 = DAY;

/// The least time in which a person fills in a form, in milliseconds: 3 seconds.
pub const HASTE_MILLIS: i64 = 3_000;

/// How long the same text counts as sent already, in milliseconds: 10 minutes.
pub const SAME_TEXT_MILLIS: i64 = minutes(10);

/// The most links of a text that does not wait for moderation.
pub const MOST_LINKS: usize = 3;

/// A form as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentForm {
    /// When the form was shown. `None`: the form does not prove it.
    pub shown_at: Option<Time>,
    /// When the form was sent.
    pub sent_at: Time,
    /// Whether the field is filled in that people do not see.
    pub fills_trap: bool,
    /// Whether the sender is a member of the team.
    pub is_on_team: bool,
}

/// A reason to ask for the form once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The field is filled in that people do not see.
    Trap,
    /// Nobody types that fast.
    TooFast,
    /// The form is older than [`FORM_MILLIS`], or does not prove its age.
    TooOld,
}

impl SentForm {
    /// The reason not to take the form. `least` is the least time in which people fill it in, in
    /// milliseconds. A member of the team takes any time.
    pub fn doubt(self, least: i64) -> Option<Doubt> {
        let Self { shown_at, sent_at, fills_trap, is_on_team } = self;
        if fills_trap {
            return Some(Doubt::Trap);
        }
        if is_on_team {
            return None;
        }
        match shown_at {
            None => Some(Doubt::TooOld),
            Some(at) if sent_at >= at.plus_millis(FORM_MILLIS) => Some(Doubt::TooOld),
            Some(at) if sent_at < at.plus_millis(least) => Some(Doubt::TooFast),
            Some(_) => None,
        }
    }
}

/// Whether a text has more links than a text of a visitor that does not wait for moderation.
pub fn has_many_links(text: &str) -> bool {
    // `//` stands in each address but those that begin with `www.`. A path or a comment in a program
    // may have it, too, but not behind these characters.
    let opens = |before: char| matches!(before, ':' | '(' | '"' | '\'' | '=' | '<');
    let whole = text.match_indices("//").filter(|(at, _)| text[..*at].ends_with(opens)).count();
    let short = text
        .as_bytes()
        .windows(4)
        .enumerate()
        .filter(|(at, four)| {
            four.eq_ignore_ascii_case(b"www.") && !text.as_bytes()[..*at].ends_with(b"/")
        })
        .count();
    whole + short > MOST_LINKS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Time {
        Time::from_unix_millis(millis).unwrap()
    }

    #[test]
    fn a_form_is_taken_between_a_few_seconds_and_a_day() {
        let sent = |millis| SentForm {
            shown_at: Some(at(0)),
            sent_at: at(millis),
            fills_trap: false,
            is_on_team: false,
        };
        for (millis, doubt) in [
            (-1, Some(Doubt::TooFast)),
            (0, Some(Doubt::TooFast)),
            (2_999, Some(Doubt::TooFast)),
            (3_000, None),
            (FORM_MILLIS - 1, None),
            (FORM_MILLIS, Some(Doubt::TooOld)),
        ] {
            assert_eq!(sent(millis).doubt(HASTE_MILLIS), doubt, "{millis}");
            let of_team = SentForm { is_on_team: true, ..sent(millis) };
            assert_eq!(of_team.doubt(HASTE_MILLIS), None, "{millis}");
        }
        let unproved = SentForm { shown_at: None, ..sent(5_000) };
        assert_eq!(unproved.doubt(HASTE_MILLIS), Some(Doubt::TooOld));
        assert_eq!(unproved.doubt(0), Some(Doubt::TooOld));
        assert_eq!(sent(0).doubt(0), None);
    }

    #[test]
    fn the_trap_catches_everybody() {
        for is_on_team in [false, true] {
            let sent = SentForm {
                shown_at: Some(at(0)),
                sent_at: at(9_000),
                fills_trap: true,
                is_on_team,
            };
            assert_eq!(sent.doubt(HASTE_MILLIS), Some(Doubt::Trap));
        }
    }

    #[test]
    fn links_are_counted_in_each_way_of_writing_them() {
        for link in [
            "https://a.example/x",
            "HTTP://a.example",
            "www.a.example",
            "https://www.a.example",
            "[x](//a.example)",
            "<a href=\"//a.example\">x</a>",
            "<a href=//a.example>x</a>",
            "<https://a.example>",
            "größer https://a.example",
        ] {
            assert!(!has_many_links(&format!("{link} ").repeat(MOST_LINKS)), "{link}");
            assert!(has_many_links(&format!("{link} ").repeat(MOST_LINKS + 1)), "{link}");
        }
        for text in ["a//b ", "// a comment\n", "/usr//bin ", "é// ", "and/or ", "awww "] {
            assert!(!has_many_links(&text.repeat(9)), "{text}");
        }
    }
}
