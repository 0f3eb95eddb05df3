//! Values that the program gives to browsers, and knows again.

use crate::Vault;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;

/// Writes a value as a text that only the program can write. It is of no use for another purpose,
/// or in another context.
pub(crate) fn write(vault: &Vault, purpose: &str, context: &[u8], value: &[u8]) -> String {
    let tag = hmac::sign(&key(vault), &signed(purpose, context, value));
    URL_SAFE_NO_PAD.encode([value, tag.as_ref()].concat())
}

/// Reads the value of a text that [`write`] has written for the purpose and the context. The
/// comparison takes the same time for any text.
pub(crate) fn read<const N: usize>(
    vault: &Vault,
    purpose: &str,
    context: &[u8],
    text: &str,
) -> Option<[u8; N]> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (value, tag) = bytes.split_first_chunk::<N>()?;
    hmac::verify(&key(vault), &signed(purpose, context, value), tag).ok()?;
    Some(*value)
}

fn key(vault: &Vault) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, vault.portal_key())
}

/// A context has the same length for all values of a purpose, so that no two values are signed by
/// the same bytes.
fn signed(purpose: &str, context: &[u8], value: &[u8]) -> Vec<u8> {
    [purpose.as_bytes(), b"\0", context, value].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;

    #[test]
    fn a_value_is_read_as_it_was_written_and_for_nothing_else() {
        let vault = |byte: &str| Vault::new(&MasterKey::parse(&byte.repeat(32)).unwrap());
        let this = vault("5a");
        let text = write(&this, "form", b"acme", &[1, 2, 3]);
        assert_eq!(read(&this, "form", b"acme", &text), Some([1, 2, 3]));
        assert_eq!(read::<3>(&this, "guest", b"acme", &text), None);
        assert_eq!(read::<3>(&this, "form", b"evil", &text), None);
        assert_eq!(read::<3>(&vault("5b"), "form", b"acme", &text), None);
        assert_eq!(read::<2>(&this, "form", b"acme", &text), None);
        for wrong in ["", "é", "AQID", &text[1..], &text[..text.len() - 1], &format!("{text}A")] {
            assert_eq!(read::<3>(&this, "form", b"acme", wrong), None, "{wrong}");
        }
    }
}
