//! The place to which a visitor returns after signing in.

use std::fmt::Write;

/// A path of the own origin, with a query and a fragment if it has any: the value of `return_to`.
///
/// A page sends it back as the value of `Location`. It is ASCII without white space and control
/// characters, and no browser leaves the origin for it: it begins with one `/`, has no `\`, which
/// browsers read as `/`, and no `//`, `.` or `..` in the path, which could become the `//` before a
/// host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnTo(String);

/// The most characters of a [`ReturnTo`].
pub const MAX_RETURN_TO: usize = 2_048;

impl ReturnTo {
    /// Reads the value of `return_to`. It is `/` unless the text is a path of the own origin.
    /// Spaces, and characters outside of ASCII, are percent-encoded.
    pub fn parse(text: &str) -> Self {
        local(text).map(Self).unwrap_or_default()
    }

    /// The path, the query and the fragment.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The first page: `/`.
impl Default for ReturnTo {
    fn default() -> Self {
        Self("/".to_owned())
    }
}

impl From<ReturnTo> for String {
    fn from(place: ReturnTo) -> Self {
        place.0
    }
}

/// The text as browsers send it. `None` unless it stays on the origin.
fn local(text: &str) -> Option<String> {
    // The encoded text is at least as long. A long text is not worth its reading.
    if text.len() > MAX_RETURN_TO || text.contains(|c: char| c == '\\' || c.is_control()) {
        return None;
    }
    let mut segments = text.split(['?', '#']).next()?.split('/');
    if segments.next() != Some("") {
        return None;
    }
    let mut segments = segments.peekable();
    // Without a first segment there is no `/`.
    segments.peek()?;
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        if is_dots(segment) || (segment.is_empty() && !is_last) {
            return None;
        }
    }
    let mut place = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_graphic() {
            true => place.push(char::from(byte)),
            // A string takes all that is written.
            false => drop(write!(place, "%{byte:02X}")),
        }
    }
    (place.len() <= MAX_RETURN_TO).then_some(place)
}

/// Whether browsers read a segment as `.` or `..`. They decode its dots.
fn is_dots(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_returns_to_a_path_of_the_own_origin() {
        for (text, place) in [
            ("/", "/"),
            ("/p/dark-mode", "/p/dark-mode"),
            ("/help/start/", "/help/start/"),
            ("/b/ideas?sort=newest&status=open#posts", "/b/ideas?sort=newest&status=open#posts"),
            ("/?q=https://other.example//x", "/?q=https://other.example//x"),
            ("/#//other.example", "/#//other.example"),
            ("/search?q=a b", "/search?q=a%20b"),
            ("/help/bücher", "/help/b%C3%BCcher"),
            ("/p/a..b", "/p/a..b"),
            ("/p/...", "/p/..."),
            // Odd, but paths of the own origin in every browser.
            ("/@evil.example", "/@evil.example"),
            ("/:80@evil.example", "/:80@evil.example"),
            ("/https:evil.example", "/https:evil.example"),
            ("/%2f/evil.example", "/%2f/evil.example"),
            ("/%2f%2fevil.example", "/%2f%2fevil.example"),
            ("/%5cevil.example", "/%5cevil.example"),
            ("/%09/evil.example", "/%09/evil.example"),
            ("/%0d%0aSet-Cookie:x=y", "/%0d%0aSet-Cookie:x=y"),
            ("/\u{ff0f}evil.example", "/%EF%BC%8Fevil.example"),
            ("/\u{2028}evil.example", "/%E2%80%A8evil.example"),
        ] {
            assert_eq!(ReturnTo::parse(text).as_str(), place, "{text:?}");
            assert_eq!(ReturnTo::parse(place).as_str(), place, "{text:?}");
        }
    }

    #[test]
    fn all_that_could_leave_the_origin_is_the_first_page() {
        for text in [
            "",
            "evil.example",
            "evil.example/",
            ".evil.example",
            "@evil.example",
            ":80@evil.example",
            "?x",
            "#x",
            "//evil.example",
            "///evil.example",
            "////evil.example",
            "//evil.example/%2f..",
            "//evil.example@own.example/",
            "/\\evil.example",
            "\\/evil.example",
            "\\\\evil.example",
            "\\evil.example",
            "/p\\..\\..\\/evil.example",
            "/?x=\\",
            "https://evil.example",
            "HTTPS://evil.example",
            "https:evil.example",
            "https:/evil.example",
            "https:\\\\evil.example",
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)//",
            "java\tscript:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "vbscript:x",
            " //evil.example",
            " /p",
            "\u{a0}//evil.example",
            "\u{feff}/p",
            "\t//evil.example",
            "\n/p",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\n/evil.example",
            "/p\r\nLocation: https://evil.example",
            "/p\r\n\r\n<script>",
            "/p\u{85}x",
            "/\0/evil.example",
            "\0/evil.example",
            "/\u{7f}/evil.example",
            "%2f%2fevil.example",
            "%2fevil.example",
            "%5c%5cevil.example",
            "/.//evil.example",
            "/..//evil.example",
            "/p/..//evil.example",
            "/p/../",
            "/./p",
            "/p/.",
            "/p/..",
            "/%2e//evil.example",
            "/%2E%2e//evil.example",
            "/.%2e/p",
            "/p//evil.example",
            "/;//evil.example",
            "/p//",
            "\u{ff0f}\u{ff0f}evil.example",
            "\u{2215}\u{2215}evil.example",
            "\u{2044}evil.example",
            "\u{ff3c}evil.example",
            "\u{3002}evil.example",
        ] {
            assert_eq!(ReturnTo::parse(text), ReturnTo::default(), "{text:?}");
        }
        assert_eq!(String::from(ReturnTo::default()), "/");
    }

    #[test]
    fn a_place_has_its_length_after_the_encoding() {
        let long = |letter: &str, count| format!("/{}", letter.repeat(count));
        assert_eq!(ReturnTo::parse(&long("a", 2_047)).as_str().len(), MAX_RETURN_TO);
        assert_eq!(ReturnTo::parse(&long("a", 2_048)), ReturnTo::default());
        // Six characters each.
        assert_eq!(ReturnTo::parse(&long("ä", 341)).as_str().len(), 2_047);
        assert_eq!(ReturnTo::parse(&long("ä", 342)), ReturnTo::default());
    }
}
