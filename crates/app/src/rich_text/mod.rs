//! The HTML of texts that people wrote: Markdown, HTML, or a mixture of both.

mod images;
mod nesting;

use ammonia::{Builder, UrlRelative};
use comrak::{Options, markdown_to_html};
use hearback_domain::fold::Folded;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The meaning of a line end within a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breaks {
    /// A space, as in Markdown.
    Soft,
    /// A line end: people who write in a form expect what they see there.
    Hard,
}

/// A text as the portal shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RichText {
    /// Sanitized HTML.
    pub html: String,
    /// The headings, in their order.
    pub headings: Vec<Heading>,
}

/// A heading of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The level: 2 or 3.
    pub level: u8,
    /// The `id` of the element.
    pub id: String,
    /// The text.
    pub text: String,
}

/// The text as a page of the portal shows it. `home` is the address of the portal, without a slash at
/// its end, at which its images are found. A text that would take too long to sanitize is shown as
/// plain text.
pub fn shown(text: &str, breaks: Breaks, home: &str) -> RichText {
    match html(text, MAX_SHOWN, breaks, &SHOWN) {
        Some(html) => with_headings(&images::placed(&html, home)),
        None => RichText { html: format!("<pre>{}</pre>\n", escaped(text)), headings: Vec::new() },
    }
}

/// The beginning of a text, without markup, on one line of at most `most` characters.
pub fn beginning(text: &str, most: usize) -> String {
    cut(&plain(&text[..text.floor_char_boundary(16 * most)]), most)
}

/// A part of a text, which a search has found or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The part.
    pub text: String,
    /// Whether it is what was searched.
    pub is_hit: bool,
}

/// The parts of a text around what was searched.
pub fn pieces(text: &str, search: &Folded) -> Vec<Piece> {
    let (mut pieces, mut at) = (vec![], 0);
    let mut push = |part: &str, is_hit| {
        if !part.is_empty() {
            pieces.push(Piece { text: part.to_owned(), is_hit });
        }
    };
    for place in search.places(text) {
        push(&text[at..place.start], false);
        at = place.end;
        push(&text[place], true);
    }
    push(&text[at..], false);
    pieces
}

/// The place of a text that a search has found, without markup, on one line of at most `most`
/// characters. It is the beginning if the search has found nothing in it.
pub fn passage(text: &str, search: &Folded, most: usize) -> Vec<Piece> {
    let line = plain(text);
    let hit = search.places(&line).first().map_or(0, |place| place.start);
    // It begins with a word.
    let least = line.floor_char_boundary(hit.saturating_sub(most / 3));
    let start = match line[least..hit].find(' ') {
        Some(gap) if least > 0 => least + gap + 1,
        _ => least,
    };
    let part = cut(&line[start..], most);
    pieces(&if start == 0 { part } else { format!("… {part}") }, search)
}

/// A text without markup, on one line.
fn plain(text: &str) -> String {
    let is_markup = text.contains(['<', '*', '#', '[', '`', '_']);
    let plain = match is_markup.then(|| html(text, MAX_SHOWN, Breaks::Soft, &BARE)) {
        Some(Some(plain)) => unescaped(&plain),
        Some(None) | None => text.to_owned(),
    };
    let mut line = String::new();
    for word in plain.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

fn cut(line: &str, most: usize) -> String {
    match line.char_indices().nth(most) {
        None => line.to_owned(),
        Some(_) => line.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// Keeps the elements that a page shows. A builder has dozens of sets: it is made once.
static SHOWN: LazyLock<Builder<'_>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some("nofollow ugc noopener noreferrer"))
        .add_generic_attributes(["dir"])
        .add_tag_attributes("img", ["loading"])
        .set_tag_attribute_value("img", "loading", "lazy");
    builder
});

/// Keeps no element.
static BARE: LazyLock<Builder<'_>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder.tags(HashSet::new()).generic_attributes(HashSet::new()).link_rel(None);
    builder.tag_attributes(Default::default()).allowed_classes(Default::default());
    builder
});

/// The HTML of a text, sanitized by a builder. `None` if the HTML is longer than `most` bytes, or if
/// it is made to overload a parser.
pub(crate) fn html(
    text: &str,
    most: usize,
    breaks: Breaks,
    builder: &Builder<'_>,
) -> Option<String> {
    if text.len() > most {
        return None;
    }
    let html = nesting::opaque_as_text(&markdown_to_html(text, &options(breaks)));
    // This is checked before parsing: hostile HTML takes minutes and gigabytes to sanitize.
    if html.len() > most || !nesting::is_plain(&html) {
        return None;
    }
    let html = builder.clean(&html).to_string();
    (html.len() <= most).then_some(html)
}

fn options(breaks: Breaks) -> Options<'static> {
    let mut options = Options::default();
    options.extension.strikethrough = true;
    options.extension.table = true;
    options.extension.autolink = true;
    options.render.hardbreaks = breaks == Breaks::Hard;
    // HTML passes here. The sanitizer removes what is harmful.
    options.render.r#unsafe = true;
    options
}

/// The longest HTML that a page shows, in bytes.
const MAX_SHOWN: usize = 512 * 1024;

/// Gives each heading of the second and third level an `id`. The HTML is that of the sanitizer,
/// which writes no attribute of a heading but `dir`, `lang` and `title`.
fn with_headings(html: &str) -> RichText {
    let mut shown = RichText { html: String::with_capacity(html.len() + 256), headings: vec![] };
    let mut rest = html;
    while let Some(start) = rest.find("<h") {
        let level = match rest.as_bytes().get(start + 2) {
            Some(b'2') => 2,
            Some(b'3') => 3,
            _ => {
                let (before, after) = rest.split_at(start + 2);
                shown.html.push_str(before);
                rest = after;
                continue;
            }
        };
        let (before, after) = rest.split_at(start + 3);
        let end = if level == 2 { "</h2>" } else { "</h3>" };
        let inner = after.find('>').zip(after.find(end)).filter(|(open, close)| open < close);
        shown.html.push_str(before);
        rest = after;
        let Some((open, close)) = inner else { continue };
        let text = unescaped(&without_tags(&after[open + 1..close]));
        let id = format!("s{}", shown.headings.len() + 1);
        shown.html.push_str(&format!(" id=\"{id}\""));
        shown.headings.push(Heading { level, id, text: text.trim().to_owned() });
    }
    shown.html.push_str(rest);
    shown
}

fn without_tags(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut is_inside = false;
    for c in html.chars() {
        match c {
            '<' => is_inside = true,
            '>' => is_inside = false,
            c if !is_inside => text.push(c),
            _ => {}
        }
    }
    text
}

/// The text with the five entities that the sanitizer writes.
fn unescaped(html: &str) -> String {
    let text = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&nbsp;", "\u{a0}").replace("&amp;", "&")
}

/// The text as a part of HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_begins_before_what_was_searched() {
        let search = Folded::new("DARK mode");
        let shown = |text: &str| -> Vec<String> {
            let mark = |it: Piece| if it.is_hit { format!("[{}]", it.text) } else { it.text };
            passage(text, &search, 60).into_iter().map(mark).collect()
        };
        assert_eq!(shown("Use **dark** mode."), ["Use ", "[dark mode]", "."]);
        assert_eq!(shown("Nothing <b>here</b>"), ["Nothing here"]);
        assert_eq!(shown(""), [""; 0]);
        let long = format!("{}and then dark mode is {}", "größer ".repeat(40), "there ".repeat(40));
        let parts = shown(&long);
        assert!(parts[0].starts_with("… größer ") && parts[0].ends_with("and then "), "{parts:?}");
        assert_eq!((&*parts[1], parts.len()), ("[dark mode]", 3));
        let words: String = parts.concat();
        assert!(words.ends_with('…') && words.chars().count() <= 64, "{words}");
    }

    #[test]
    fn what_people_wrote_is_shown_without_what_could_harm() {
        let shown = |text: &str| shown(text, Breaks::Hard, "").html;
        assert_eq!(shown("One\ntwo **three**"), "<p>One<br>\ntwo <strong>three</strong></p>\n");
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[x](javascript:alert(1))",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<svg onload=alert(1)>",
            "<style>*{display:none}</style>",
            "<form action=//evil.example><button>x</button></form>",
        ] {
            let html = shown(text).to_lowercase();
            for harm in ["<script", "onerror", "javascript:", "<svg", "<style", "<form"] {
                assert!(!html.contains(harm), "{text} → {html}");
            }
        }
        assert!(shown("[x](https://example.com)").contains("nofollow ugc"));
    }

    #[test]
    fn headings_have_ids_and_are_listed() {
        let RichText { html, headings } = shown(
            "<h2>First &amp; <em>best</em></h2><p>x</p><h3>Second</h3><h1>No</h1>",
            Breaks::Soft,
            "",
        );
        assert!(html.contains("<h2 id=\"s1\">First &amp; <em>best</em></h2>"), "{html}");
        assert!(html.contains("<h3 id=\"s2\">Second</h3>"), "{html}");
        assert!(html.contains("<h1>No</h1>"), "{html}");
        let listed: Vec<_> = headings.iter().map(|it| (it.level, &*it.text)).collect();
        assert_eq!(listed, [(2, "First & best"), (3, "Second")]);
    }

    #[test]
    fn a_beginning_is_one_line_without_markup() {
        assert_eq!(
            beginning("# Title\n\nSome *text* & <b>more</b>", 100),
            "Title Some text & more"
        );
        assert_eq!(beginning("plain text", 100), "plain text");
        assert_eq!(beginning("word ".repeat(100).trim(), 12), "word word w…");
        assert_eq!(beginning("", 10), "");
    }

    #[test]
    fn a_text_that_would_overload_the_parser_is_plain() {
        let hostile = "<b>".repeat(5000);
        assert!(shown(&hostile, Breaks::Soft, "").html.starts_with("<pre>&lt;b&gt;"));
    }
}
