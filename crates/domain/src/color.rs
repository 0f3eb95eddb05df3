//! Colours as the contract takes them.

/// Whether a text is a hex colour: `#` and 3, 4, 6 or 8 hex digits.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_color_is_a_hash_and_three_four_six_or_eight_hex_digits() {
        for color in ["#fff", "#FFFA", "#64748b", "#64748bFF"] {
            assert!(is_color(color), "{color}");
        }
        for text in ["", "#", "fff", "#ff", "#fffff", "#64748b0", "#64748bFF0", "#ggg", "#ééé", "red", "##ff"] {
            assert!(!is_color(text), "{text}");
        }
    }
}
