//! The images of a text.

use super::{escaped, unescaped};
use hearback_domain::image::{COPY_WIDTHS, ImagePath};
use std::fmt::Write;

/// The HTML of the sanitizer, in which each image has an `alt`, and those of the portal have their
/// address, their size and their smaller copies.
pub(super) fn placed(html: &str, home: &str) -> String {
    let mut placed = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once("<img") {
        placed.push_str(before);
        rest = tag;
        match attributes(tag) {
            Some((attributes, after)) => {
                write_image(&mut placed, attributes, home);
                rest = after;
            }
            None => placed.push_str("<img"),
        }
    }
    placed.push_str(rest);
    placed
}

/// The names and values of attributes, and what follows the tag. The sanitizer writes each as
/// ` name="value"`.
fn attributes(tag: &str) -> Option<(Vec<(&str, &str)>, &str)> {
    let mut attributes = Vec::new();
    let mut rest = tag;
    while let Some(next) = rest.strip_prefix(' ') {
        let (name, value) = next.split_once("=\"")?;
        let (value, after) = value.split_once('"')?;
        attributes.push((name, value));
        rest = after;
    }
    Some((attributes, rest.strip_prefix('>')?))
}

fn write_image(html: &mut String, attributes: Vec<(&str, &str)>, home: &str) {
    let of = |name: &str| attributes.iter().find(|(it, _)| *it == name).map(|(_, value)| *value);
    let own = of("src").and_then(|src| ImagePath::parse(&unescaped(src)));
    html.push_str("<img");
    if let Some(ImagePath { digest, size }) = own {
        let address = format!("{}/images/{digest}", escaped(home));
        put(html, "src", &address);
        if let Some((width, height)) = size {
            let copies = COPY_WIDTHS.iter().filter(|copy| **copy < width);
            let mut set: String =
                copies.map(|copy| format!("{address}?w={copy} {copy}w, ")).collect();
            if !set.is_empty() {
                let _ = write!(set, "{address} {width}w");
                put(html, "srcset", &set);
                put(html, "sizes", SIZES);
            }
            if of("width").is_none() && of("height").is_none() {
                put(html, "width", &width.to_string());
                put(html, "height", &height.to_string());
            }
        }
    }
    // A screen reader reads the address of an image that has no `alt`.
    if of("alt").is_none() {
        put(html, "alt", "");
    }
    for (name, value) in attributes.iter().filter(|(name, _)| own.is_none() || *name != "src") {
        put(html, name, value);
    }
    html.push('>');
}

/// The width of an image in a text.
const SIZES: &str = "(max-width: 45rem) 100vw, 45rem";

fn put(html: &mut String, name: &str, value: &str) {
    let _ = write!(html, " {name}=\"{value}\"");
}

#[cfg(test)]
mod tests {
    use super::super::{Breaks, shown};

    fn html(text: &str) -> String {
        shown(text, Breaks::Soft, "/o/acme").html
    }

    #[test]
    fn an_image_of_the_portal_has_its_size_and_its_copies() {
        let digits = "a7".repeat(32);
        let at = format!("/o/acme/images/{digits}");
        assert_eq!(
            html(&format!("![A *plan*](/images/{digits}?s=800x600)")),
            format!(
                "<p><img src=\"{at}\" srcset=\"{at}?w=320 320w, {at} 800w\" \
                 sizes=\"(max-width: 45rem) 100vw, 45rem\" width=\"800\" height=\"600\" \
                 alt=\"A plan\" loading=\"lazy\"></p>\n"
            )
        );
        let small = html(&format!("<img src=\"/images/{digits}?s=300x200\" width=\"30\">"));
        assert!(small.contains("width=\"30\"") && !small.contains("height"), "{small}");
        assert!(!small.contains("srcset"), "{small}");
    }

    #[test]
    fn each_image_has_an_alt_and_stays_as_it_is_otherwise() {
        let other = html("<img src=\"https://a.example/x.png?a=1&amp;b=2\">");
        assert!(other.contains("src=\"https://a.example/x.png?a=1&amp;b=2\""), "{other}");
        assert!(other.contains("alt=\"\""), "{other}");
        let named = html("<img alt=\"a &quot;b&quot; > c\" src=\"x\">");
        assert!(named.contains("alt=\"a &quot;b&quot; "), "{named}");
        assert_eq!(named.matches("alt=").count(), 1);
        for (text, harm) in [
            ("<img srcset=\"https://evil.example/x 1x\" src=x>", "evil"),
            ("![\" onerror=\"alert(1)](x)", "\" onerror"),
            ("![x](</images/\" onerror=\"alert(1)>)", "\" onerror"),
            ("<img alt='\" onerror=alert(1) x=\"' src=x>", "\" onerror"),
        ] {
            assert!(!html(text).contains(harm), "{text} → {}", html(text));
        }
    }
}
