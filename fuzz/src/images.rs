//! Uploaded images.

use crate::block_on;
use bytes::Bytes;
use hearback_domain::image::{ImageFormat, MAX_PIXELS, MAX_SIDE};
use hearback_images::Reader;
use hearback_ports::ImageReader;
use hearback_ports::images::{PreparedImage, UnfitImage};
use std::sync::LazyLock;

/// Reads a file as an image.
///
/// - An image that is taken is within the limits, and is of the format that it begins with.
/// - The stored file is read as the same image, from which nothing more is taken out.
/// - Each smaller copy is an image of its width.
pub fn images(data: &[u8]) {
    let Ok(image) = read(Bytes::copy_from_slice(data)) else { return };
    let PreparedImage { format, width, height, content, copies } = &image;
    assert!((1..=MAX_SIDE).contains(width) && (1..=MAX_SIDE).contains(height), "{image:?}");
    assert!(u64::from(*width) * u64::from(*height) <= MAX_PIXELS, "{image:?}");
    assert_eq!(ImageFormat::sniff(content), Some(*format));
    assert_eq!(read(content.clone()), Ok(image.clone()));
    for (width, copy) in copies {
        assert_eq!(read(copy.clone()).map(|copy| copy.width), Ok(*width));
    }
}

fn read(file: Bytes) -> Result<PreparedImage, UnfitImage> {
    static READER: LazyLock<Reader> = LazyLock::new(Reader::default);
    block_on(READER.read(file))
}
