//! Distinguishes ordinary HTML from HTML that is made to overload its parser.
//!
//! A parser opens formatting elements that were left open again in each block that follows: a
//! thousand of them before a thousand paragraphs make a million elements. And each level of nesting
//! costs more than the one above. Both show in the tags alone. The tokenizer of the parser itself
//! reads them, so that the two never disagree on what a tag is.

use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The HTML with the tags of scripts, styles and similar elements as text: their content is not
/// HTML.
pub(super) fn opaque_as_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    for (index, piece) in html.split('<').enumerate() {
        if index > 0 {
            let name = piece.strip_prefix('/').unwrap_or(piece).as_bytes();
            let is_opaque = |tag: &str| {
                name.get(..tag.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
            };
            text.push_str(if OPAQUE.iter().any(|tag| is_opaque(tag)) { "&lt;" } else { "<" });
        }
        text.push_str(piece);
    }
    text
}

/// Whether HTML is harmless to parse: few elements are open at once, and the content of each is
/// HTML.
pub(super) fn is_plain(html: &str) -> bool {
    let tokenizer = Tokenizer::new(Nesting::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(html.into());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.is_plain.get()
}

/// The most formatting elements that may be open at once.
const MAX_FORMATTING: usize = 5;

/// The most other elements that may be open at once.
const MAX_OTHERS: usize = 64;

/// The elements that a parser opens again.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// The elements without content and those whose end tag is often left out. None of them is nested
/// in itself directly.
const UNCOUNTED: [&str; 30] = [
    "area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li",
    "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td",
    "tfoot", "th", "thead", "tr", "track", "wbr", "caption",
];

/// The elements whose content is not HTML. The parser would have to switch the tokenizer's state
/// for them.
const OPAQUE: [&str; 12] = [
    "iframe",
    "math",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "svg",
    "textarea",
    "title",
    "xmp",
];

struct Nesting {
    open: RefCell<HashMap<String, usize>>,
    is_plain: Cell<bool>,
}

impl Default for Nesting {
    fn default() -> Self {
        Self { open: RefCell::default(), is_plain: Cell::new(true) }
    }
}

impl TokenSink for Nesting {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(Tag { kind, name, .. }) = token {
            self.tag(kind, &name);
        }
        TokenSinkResult::Continue
    }
}

impl Nesting {
    fn tag(&self, kind: TagKind, name: &str) {
        if OPAQUE.contains(&name) {
            self.is_plain.set(false);
        }
        if UNCOUNTED.contains(&name) {
            return;
        }
        let mut open = self.open.borrow_mut();
        match kind {
            TagKind::StartTag => *open.entry(name.to_owned()).or_default() += 1,
            // An end tag without a start tag does not count.
            TagKind::EndTag => {
                if let Some(count) = open.get_mut(name) {
                    *count = count.saturating_sub(1);
                }
            }
        }
        let formatting: usize = FORMATTING.iter().filter_map(|name| open.get(*name)).sum();
        if formatting > MAX_FORMATTING || open.values().sum::<usize>() - formatting > MAX_OTHERS {
            self.is_plain.set(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_without_html_inside_become_text() {
        let html = "<p>x</p><SCRIPT>a<b</sCript ><Style\n>p{}</style><i>y</i> <svg/onload=x>";
        let text = "<p>x</p>&lt;SCRIPT>a<b&lt;/sCript >&lt;Style\n>p{}&lt;/style><i>y</i> &lt;svg/onload=x>";
        assert_eq!(opaque_as_text(html), text);
        assert_eq!(opaque_as_text("ä<ö"), "ä<ö");
    }

    #[test]
    fn usual_content_is_plain() {
        for html in [
            "",
            "a < b",
            "<p>one<p>two<ul><li>a<li>b</ul>",
            "<p><a href=\"x\"><b><i><code>x</code></i></b></a></p>",
            &"<p><b>x</b> <i>y</i><br><img src=x></p>".repeat(1_000),
            &"<table><tr><td>x<td>y</table>".repeat(1_000),
            &"<dl><dt>a<dd>b</dl>".repeat(1_000),
            &"<div>".repeat(64),
            &"<b>".repeat(5),
        ] {
            assert!(is_plain(html), "{html}");
        }
    }

    #[test]
    fn content_that_overloads_a_parser_is_not_plain() {
        for html in [
            "<b></x>".repeat(6),
            "<b title=\"</b>\">".repeat(6),
            "<b><!-- </b> -->".repeat(6),
            "<i \"><b>\">".repeat(3),
            "<div>".repeat(65),
            "<blockquote></p>".repeat(65),
            "<table><tr><td>".repeat(65),
            "<style></b></style>".to_owned(),
            "<svg><col></svg>".to_owned(),
        ] {
            assert!(!is_plain(&html), "{html}");
        }
    }
}
