//! Texts that people wrote, as HTML of a page and of a mail.

use ammonia::{Builder, UrlRelative};
use hearback_app::mail;
use hearback_app::rich_text::{Breaks, Piece, beginning, passage, pieces, shown};
use hearback_domain::fold::Folded;
use html5ever::tendril::stream::TendrilSink;
use html5ever::{ParseOpts, QualName, local_name, ns, parse_fragment, serialize};
use markup5ever_rcdom::{Handle, NodeData, RcDom, SerializableHandle};
use std::sync::LazyLock;

/// Shows a text on a page.
///
/// - Its HTML is harmless, and the sanitizer finds nothing more to take out.
/// - Each heading that is listed has its place in the HTML.
/// - A beginning and a passage are one line of the length that was asked for.
/// - The pieces around what was searched are the text.
pub fn rich_text(data: &[u8]) {
    static AGAIN: LazyLock<Builder<'static>> =
        LazyLock::new(|| again("nofollow ugc noopener noreferrer"));
    let Ok(text) = str::from_utf8(data) else { return };
    for breaks in [Breaks::Soft, Breaks::Hard] {
        let shown = shown(text, breaks, "/o/acme");
        check(&shown.html, &AGAIN);
        for heading in &shown.headings {
            let tag = format!("<h{} id=\"{}\"", heading.level, heading.id);
            assert!(shown.html.contains(&tag), "{tag} in {}", shown.html);
        }
    }
    let is_line = |line: &str, most: usize| !line.contains('\n') && line.chars().count() <= most;
    assert!(is_line(&beginning(text, 100), 100));
    let search = Folded::new("dark mode");
    let joined =
        |pieces: Vec<Piece>| pieces.into_iter().map(|piece| piece.text).collect::<String>();
    // An ellipsis and a space may stand before a passage.
    assert!(is_line(&joined(passage(text, &search, 60)), 62));
    assert_eq!(joined(pieces(text, &search)), text);
}

/// Writes a text in a mail, as HTML and as plain text. The HTML is as harmless as that of a page.
pub fn mails(data: &[u8]) {
    static AGAIN: LazyLock<Builder<'static>> = LazyLock::new(|| again("noopener noreferrer"));
    let Ok(text) = str::from_utf8(data) else { return };
    let (html, _) = mail::content(text, "https://acme.example");
    check(&html, &AGAIN);
}

/// A sanitizer that keeps what Hearback adds to sanitized HTML.
fn again(link_rel: &'static str) -> Builder<'static> {
    let mut builder = Builder::default();
    builder
        .url_relative(UrlRelative::PassThrough)
        .link_rel(Some(link_rel))
        .add_generic_attributes(["dir"])
        .add_tag_attributes("img", ["loading", "sizes", "srcset"])
        .add_tag_attributes("h2", ["id"])
        .add_tag_attributes("h3", ["id"]);
    builder
}

fn check(html: &str, again: &Builder<'_>) {
    check_tags(html);
    // Browsers mend HTML when they read it: the sanitizer changes no more than that.
    assert_eq!(mended(&again.clean(html).to_string()), mended(html), "of {html}");
}

/// HTML as it is written after a browser has read it, in one form of several equal ones.
fn mended(html: &str) -> String {
    let place = QualName::new(None, ns!(html), local_name!("div"));
    let parser = parse_fragment(RcDom::default(), ParseOpts::default(), place, vec![], false);
    let dom = parser.one(html);
    let root = dom.document.children.borrow()[0].clone();
    settle(&root);
    let mut mended = Vec::new();
    serialize(&mut mended, &SerializableHandle::from(root), Default::default()).expect("memory");
    String::from_utf8(mended).expect("HTML is a text")
}

/// Sorts the attributes by their names. Removes the line breaks at the beginning of `pre`: a parser
/// drops the first one at each reading.
fn settle(node: &Handle) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        attrs.borrow_mut().sort_by(|one, two| one.name.cmp(&two.name));
        if name.local == local_name!("pre")
            && let Some(child) = node.children.borrow().first()
            && let NodeData::Text { contents } = &child.data
        {
            let text = contents.borrow().trim_start_matches('\n').into();
            *contents.borrow_mut() = text;
        }
    }
    for child in node.children.borrow().iter() {
        settle(child);
    }
}

/// Checks each tag, without a parser of HTML. The sanitizer writes no `<` and no `>` but those of
/// tags, and each attribute as ` name="value"`. So all browsers see the same tags.
fn check_tags(html: &str) {
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("no end: {html}"));
        assert!(!text.contains('>'), "{html}");
        if let Some(name) = tag.strip_prefix('/') {
            assert!(is_harmless(name), "{html}");
            continue;
        }
        let (name, mut rest) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
        assert!(is_harmless(name), "{html}");
        while let Some((name, after)) = rest.strip_prefix(' ').and_then(|it| it.split_once("=\"")) {
            let (value, after) = after.split_once('"').unwrap_or_else(|| panic!("no end: {html}"));
            check_attribute(name, value);
            rest = after;
        }
        assert_eq!(rest, "", "{html}");
    }
}

fn is_harmless(name: &str) -> bool {
    const HARMFUL: [&str; 29] = [
        "animate", "applet", "audio", "base", "body", "button", "embed", "form", "frame",
        "frameset", "head", "html", "iframe", "input", "link", "math", "meta", "noscript",
        "object", "option", "script", "select", "set", "style", "svg", "template", "textarea",
        "title", "video",
    ];
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !name.is_empty() && name.bytes().all(is_name) && !HARMFUL.contains(&name)
}

fn check_attribute(name: &str, value: &str) {
    const HARMFUL: [&str; 9] = [
        "action",
        "background",
        "class",
        "data",
        "formaction",
        "ping",
        "poster",
        "srcdoc",
        "style",
    ];
    assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
    assert!(!name.starts_with("on") && !HARMFUL.contains(&name), "{name}=\"{value}\"");
    if ["href", "src", "srcset"].contains(&name) {
        // Browsers leave out what stands before an address, and the ends of lines within it.
        let url = value.trim_start_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "");
        let url = url.to_ascii_lowercase();
        for scheme in ["blob:", "data:", "file:", "javascript:", "vbscript:"] {
            assert!(!url.starts_with(scheme), "{name}=\"{value}\"");
        }
    }
}
