//! The style sheet of an organization: its accent, the colours of its statuses and labels, and its
//! own rules. The policy of pages forbids colours in the HTML.

use crate::assets::short_digest;
use hearback_app::portal::Frame;
use hearback_domain::portal::{Theme, on_accent, readable};
use std::fmt::Write;

/// The style sheet.
pub fn css(frame: &Frame) -> String {
    let settings = &frame.organization.portal;
    let mut css = String::new();
    let accent = settings.accent.as_deref().unwrap_or(DEFAULT_ACCENT);
    let light = readable(accent, Theme::Light);
    let dark = readable(accent, Theme::Dark);
    // A string takes all that is written.
    let _ = write!(
        css,
        ":root{{--accent:{light};--on-accent:{}}}\n\
         @media(prefers-color-scheme:dark){{:root:not([data-theme=light])\
         {{--accent:{dark};--on-accent:{}}}}}\n\
         :root[data-theme=dark]{{--accent:{dark};--on-accent:{}}}\n",
        on_accent(&light),
        on_accent(&dark),
        on_accent(&dark),
    );
    for status in &frame.statuses {
        let _ = writeln!(css, ".s-{}{{--c:{}}}", status.id, hex(&status.color));
    }
    for label in &frame.labels {
        let _ = writeln!(css, ".l-{}{{--c:{}}}", label.id, hex(&label.color));
    }
    css.push_str(settings.custom_css.as_deref().unwrap_or_default());
    css
}

/// The digest of the style sheet.
pub fn digest(frame: &Frame) -> String {
    short_digest(css(frame).as_bytes())
}

/// A colour that is one: an imported record may have any text.
fn hex(color: &str) -> &str {
    let digits = color.strip_prefix('#').unwrap_or_default();
    let is_hex = matches!(digits.len(), 3 | 4 | 6 | 8)
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { color } else { "#64748b" }
}

/// The accent of an organization that has chosen none.
const DEFAULT_ACCENT: &str = "#4f46e5";
