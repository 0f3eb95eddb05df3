//! The reader of uploads.

use crate::parts::{self, Picture};
use async_trait::async_trait;
use bytes::Bytes;
use hearback_domain::ClosedSet;
use hearback_domain::image::{COPY_WIDTHS, ImageFormat, MAX_PIXELS, MAX_SIDE};
use hearback_ports::ImageReader;
use hearback_ports::images::{PreparedImage, UnfitImage};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::error::ImageError;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageReader as Decoder, Limits};
use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Reads one upload at a time, on a thread that may block.
pub struct Reader {
    turn: Arc<Semaphore>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { turn: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// The number of images that are decoded at once. Each may take [`MAX_MEMORY`], and some more for
/// its copies.
const AT_ONCE: usize = 1;
/// The most memory of a decoder, in bytes.
const MAX_MEMORY: u64 = 256 * 1024 * 1024;
/// The most pixels of all frames of an animation together. A browser decodes them again and again.
const MAX_FRAME_PIXELS: u64 = 20 * MAX_PIXELS;
/// The most time that an upload waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

#[async_trait]
impl ImageReader for Reader {
    async fn read(&self, file: Bytes) -> Result<PreparedImage, UnfitImage> {
        let turn = timeout(PATIENCE, Arc::clone(&self.turn).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else { return Err(UnfitImage::Busy) };
        let work = move || {
            // The turn ends with the work, even if nobody waits for it any more.
            let _turn = turn;
            read(&file)
        };
        // A decoder that panics has met a broken file.
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(UnfitImage::Broken))
    }
}

pub(crate) fn read(file: &[u8]) -> Result<PreparedImage, UnfitImage> {
    let format = ImageFormat::sniff(file).ok_or(UnfitImage::Format)?;
    let Picture { content, frames, size } = parts::picture(format, file)?;
    let (size, copies) = match size {
        Some(size) => (check(size, frames).map(|()| size)?, vec![]),
        None => decode(format, &content, frames)?,
    };
    let (width, height) = size;
    Ok(PreparedImage { format, width, height, content: content.into(), copies })
}

/// Refuses an image that would take much memory or time to show.
fn check((width, height): (u32, u32), frames: u64) -> Result<(), UnfitImage> {
    let pixels = u64::from(width) * u64::from(height);
    let is_small = width <= MAX_SIDE
        && height <= MAX_SIDE
        && pixels <= MAX_PIXELS
        && pixels.saturating_mul(frames) <= MAX_FRAME_PIXELS;
    match (pixels, is_small) {
        (0, _) => Err(UnfitImage::Broken),
        (_, false) => Err(UnfitImage::TooLarge),
        (_, true) => Ok(()),
    }
}

/// A size, and the smaller copies with their widths.
type Decoded = ((u32, u32), Vec<(u32, Bytes)>);

/// Decodes an image, of an animation the first frame.
fn decode(format: ImageFormat, content: &[u8], frames: u64) -> Result<Decoded, UnfitImage> {
    let broken = |error: ImageError| match error {
        ImageError::Limits(_) => UnfitImage::TooLarge,
        _ => UnfitImage::Broken,
    };
    let known = image::ImageFormat::from_mime_type(format.code()).ok_or(UnfitImage::Format)?;
    let mut decoder = Decoder::with_format(Cursor::new(content), known);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_MEMORY);
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    decoder.limits(limits);
    let mut decoder = decoder.into_decoder().map_err(broken)?;
    // Nothing of the picture is decoded before its size is known to be fit.
    check(decoder.dimensions(), frames)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let (width, height) = decoder.dimensions();
    let is_turned = matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    let size = if is_turned { (height, width) } else { (width, height) };
    let mut picture = DynamicImage::from_decoder(decoder).map_err(broken)?;
    if frames > 1 {
        // A copy would stand still.
        return Ok((size, vec![]));
    }
    let mut copies = Vec::new();
    // The smaller copy is made of the larger one.
    for width in COPY_WIDTHS.into_iter().rev().filter(|width| *width < size.0) {
        let (across, high) = (u64::from(width), u64::from(size.1));
        let height = u32::try_from(across * high / u64::from(size.0)).unwrap_or(1).max(1);
        picture = match is_turned && copies.is_empty() {
            true => picture.thumbnail_exact(height, width),
            false => picture.thumbnail_exact(width, height),
        };
        if copies.is_empty() {
            picture.apply_orientation(orientation);
        }
        let copy = encode(&picture).map_err(broken)?;
        // A drawing may be smaller as it is, and sharper.
        copies.push((width, copy));
    }
    copies.retain(|(_, copy)| copy.len() < content.len());
    Ok((size, copies))
}

/// The quality of copies, of 100.
const QUALITY: u8 = 82;

fn encode(picture: &DynamicImage) -> Result<Bytes, ImageError> {
    let mut file = Vec::new();
    if picture.color().has_alpha() {
        picture.to_rgba8().write_with_encoder(WebPEncoder::new_lossless(&mut file))?;
    } else {
        let opaque = picture.to_rgb8();
        opaque.write_with_encoder(JpegEncoder::new_with_quality(&mut file, QUALITY))?;
    }
    Ok(file.into())
}
