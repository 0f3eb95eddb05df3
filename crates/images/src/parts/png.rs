//! PNG: a signature and chunks. An animation becomes its still picture.

use super::{Picture, Rest};

pub(super) fn picture(file: &[u8]) -> Option<Picture> {
    let mut rest = Rest(file);
    let mut content = rest.take(8)?.to_vec();
    let mut is_first = true;
    loop {
        let start = rest.0;
        let length = usize::try_from(rest.u32_be()?).ok()?;
        let kind: [u8; 4] = rest.array()?;
        rest.take(length)?;
        // The check sum, which the decoder verifies.
        rest.take(4)?;
        if is_first != (&kind == b"IHDR") {
            return None;
        }
        is_first = false;
        if KEPT.contains(&&kind) {
            content.extend_from_slice(&start[..length + 12]);
        } else if kind[0].is_ascii_uppercase() {
            // A decoder that does not know a critical chunk cannot show the picture.
            return None;
        }
        if &kind == b"IEND" {
            return (length == 0).then(|| Picture::still(content));
        }
    }
}

/// The chunks of the picture, and those of its colours that are not compressed.
const KEPT: [&[u8; 4]; 9] =
    [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"gAMA", b"cHRM", b"sRGB", b"sBIT"];
