//! The parts of files that make up the picture.
//!
//! Each function copies the parts that it knows, in their order, and nothing else. So the copy has no
//! metadata, no comments, and nothing behind the end. A file that breaks the rules of its format is
//! refused, and no length in it is trusted.

mod avif;
mod gif;
mod jpeg;
mod png;
mod webp;

use hearback_domain::image::ImageFormat;
use hearback_ports::images::UnfitImage;

/// The picture of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    /// The file, without what is not a part of the picture.
    pub(crate) content: Vec<u8>,
    /// The number of frames.
    pub(crate) frames: u64,
    /// The size as it is shown, where no decoder tells it.
    pub(crate) size: Option<(u32, u32)>,
}

impl Picture {
    fn still(content: Vec<u8>) -> Self {
        Self { content, frames: 1, size: None }
    }
}

/// The picture of a file in a format.
pub(crate) fn picture(format: ImageFormat, file: &[u8]) -> Result<Picture, UnfitImage> {
    let picture = match format {
        ImageFormat::Png => png::picture(file),
        ImageFormat::Jpeg => jpeg::picture(file),
        ImageFormat::Gif => gif::picture(file),
        ImageFormat::Webp => webp::picture(file),
        ImageFormat::Avif => avif::picture(file),
    };
    picture.ok_or(UnfitImage::Broken)
}

/// The bytes of a file that have not been read.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn u16_be(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    fn u32_be(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// An unsigned number of this many bytes, the most significant first.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        let digits = self.take(bytes)?;
        Some(digits.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
