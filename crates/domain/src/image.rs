//! Images in texts, and pictures of people.

use crate::millis::{DAY, days};
use crate::{ClosedSet, Time};
use std::fmt;

/// The SHA-256 of an image as it is stored, which names it. It is written as 64 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageDigest(pub [u8; 32]);

impl ImageDigest {
    /// Reads 64 hex digits in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: &[u8; 64] = text.as_bytes().try_into().ok()?;
        let mut digest = [0; 32];
        for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(Self(digest))
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for ImageDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The formats of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// `image/png`
    Png,
    /// `image/jpeg`
    Jpeg,
    /// `image/gif`
    Gif,
    /// `image/webp`
    Webp,
    /// `image/avif`
    Avif,
}

impl ClosedSet for ImageFormat {
    const ALL: &'static [Self] = &[Self::Png, Self::Jpeg, Self::Gif, Self::Webp, Self::Avif];

    fn code(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Avif => "image/avif",
        }
    }
}

impl ImageFormat {
    /// The format of a file, by its first bytes. Names and headers say what their senders wish.
    pub fn sniff(file: &[u8]) -> Option<Self> {
        match file {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f', ..] => Some(Self::Avif),
            _ => None,
        }
    }
}

/// The largest file that is taken, in bytes: 10 MiB.
pub const MAX_IMAGE: usize = 10 * 1024 * 1024;

/// The most pixels of an image, which bounds the memory that it takes to decode it. Phones make
/// pictures of 12 to 24 million, unless they are told to make larger ones.
pub const MAX_PIXELS: u64 = 30_000_000;

/// The most pixels of an image in one direction.
pub const MAX_SIDE: u32 = 16_384;

/// The widths of smaller copies, in pixels: for lists and faces, and for texts.
pub const COPY_WIDTHS: [u32; 2] = [320, 1_280];

/// How long an image that no text names is kept, in milliseconds: a day.
pub const UNUSED_KEPT: i64 = DAY;

/// The time after which the texts are searched again for an image that one of them names, in
/// milliseconds: a week.
pub const USED_KEPT: i64 = days(7);

/// The time of the review that is due at `at`: the next beginning of a day in UTC. Reviews fall
/// together, since each one reads all texts of the organization.
pub fn review_time(at: Time) -> Time {
    at.plus_millis(-at.unix_millis().rem_euclid(DAY) + DAY)
}

/// An image as a store knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// The digest.
    pub digest: ImageDigest,
    /// The format.
    pub format: ImageFormat,
    /// The width, in pixels.
    pub width: u32,
    /// The height, in pixels.
    pub height: u32,
    /// The bytes of the image with its smaller copies. They count against the quota of the
    /// organization.
    pub bytes: u64,
    /// When it was first stored.
    pub created_at: Time,
    /// From when on the texts are searched for the image. It is removed if none of them names it.
    pub review_at: Time,
}

impl Image {
    /// The address of the image below that of the portal, as texts have it.
    pub fn path(&self) -> String {
        format!("{PATH}{}?s={}x{}", self.digest, self.width, self.height)
    }
}

/// An image that a text names by [`Image::path`], or by an address with such an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImagePath {
    /// The digest.
    pub digest: ImageDigest,
    /// The width and the height that the address tells.
    pub size: Option<(u32, u32)>,
}

const PATH: &str = "/images/";
const DIGITS: usize = 64;

impl ImagePath {
    /// Reads the address of an image of this portal.
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, query) = text.strip_prefix(PATH)?.split_at_checked(DIGITS)?;
        let digest = ImageDigest::parse(digits)?;
        if query.is_empty() {
            return Some(Self { digest, size: None });
        }
        let (width, height) = query.strip_prefix("?s=")?.split_once('x')?;
        let side = |text: &str| text.parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
        Some(Self { digest, size: side(width).zip(side(height)) })
    }
}

/// The images that a text names, in any address.
pub fn named(text: &str) -> impl Iterator<Item = ImageDigest> {
    let behind = text.match_indices(PATH).map(|(at, _)| &text[at + PATH.len()..]);
    behind.filter_map(|rest| ImageDigest::parse(rest.get(..DIGITS)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: ImageDigest = ImageDigest([0xa7; 32]);

    #[test]
    fn the_format_is_that_of_the_bytes() {
        for (file, format) in [
            (&b"\x89PNG\r\n\x1a\n"[..], Some(ImageFormat::Png)),
            (b"\xff\xd8\xff\xe0", Some(ImageFormat::Jpeg)),
            (b"GIF89a", Some(ImageFormat::Gif)),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some(ImageFormat::Webp)),
            (b"\0\0\0\x20ftypavif", Some(ImageFormat::Avif)),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
            (b"<html>GIF89a", None),
            (b"GIF", None),
            (b"BM\0\0", None),
            (b"", None),
        ] {
            assert_eq!(ImageFormat::sniff(file), format, "{file:?}");
        }
    }

    #[test]
    fn reviews_of_a_day_fall_together() {
        let at = |text: &str| Time::parse(text).unwrap();
        let next = at("2026-03-02T00:00:00Z");
        for time in ["2026-03-01T00:00:00Z", "2026-03-01T09:30:00Z", "2026-03-01T23:59:59.999Z"] {
            assert_eq!(review_time(at(time)), next);
        }
    }

    #[test]
    fn the_path_of_an_image_is_read_as_it_was_written() {
        let image = Image {
            digest: DIGEST,
            format: ImageFormat::Png,
            width: 800,
            height: 600,
            bytes: 1,
            created_at: Time::MIN,
            review_at: Time::MIN,
        };
        let read = ImagePath { digest: DIGEST, size: Some((800, 600)) };
        assert_eq!(ImagePath::parse(&image.path()), Some(read));
        let digits = "a7".repeat(32);
        let sizeless = Some(ImagePath { digest: DIGEST, size: None });
        assert_eq!(ImagePath::parse(&format!("/images/{digits}")), sizeless);
        assert_eq!(ImagePath::parse(&format!("/images/{digits}?s=0x99999999")), sizeless);
        for other in [
            format!("https://evil.example/images/{digits}"),
            format!("/images/{digits}/../../x"),
            format!("/images/{}", digits.to_uppercase()),
            "/images/".to_owned(),
            format!("/images/{}ä", &digits[..63]),
        ] {
            assert_eq!(ImagePath::parse(&other), None, "{other}");
        }
    }

    #[test]
    fn a_text_names_images_by_any_address() {
        let (one, two) = ("a7".repeat(32), "0b".repeat(32));
        let text = format!(
            "![x](/images/{one}?s=1x1) <img src=\"https://a.example/o/b/images/{two}\"> /images/ \
             /images/{}",
            &one[..63]
        );
        assert_eq!(named(&text).collect::<Vec<_>>(), [DIGEST, ImageDigest([0x0b; 32])]);
    }
}
