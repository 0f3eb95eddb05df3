//! JPEG: segments, and behind some of them the scans. Of the metadata, the orientation stays.

use super::{Picture, Rest};

pub(super) fn picture(file: &[u8]) -> Option<Picture> {
    let mut rest = Rest(file);
    if rest.array()? != [0xff, SOI] {
        return None;
    }
    let mut body = Vec::with_capacity(file.len());
    let mut orientation = None;
    let mut has_frame = false;
    let mut scans = 0;
    loop {
        let marker = marker(&mut rest)?;
        if marker == EOI {
            break;
        }
        let length = usize::from(rest.u16_be()?).checked_sub(2)?;
        let segment = rest.take(length)?;
        match marker {
            // Baseline, extended and progressive frames of 8 bits. Browsers show no others.
            0xc0..=0xc2 if !has_frame => has_frame = true,
            DQT | DHT | DRI => {}
            SOS if has_frame && scans < MAX_SCANS => scans += 1,
            // The transformation of the colours.
            APP14 if segment.starts_with(b"Adobe") && length == 12 => {}
            APP1 => {
                orientation = orientation.or_else(|| exif_orientation(segment));
                continue;
            }
            0xe0..=0xef | COM => continue,
            _ => return None,
        }
        body.extend_from_slice(&[0xff, marker]);
        body.extend_from_slice(&u16::try_from(length + 2).ok()?.to_be_bytes());
        body.extend_from_slice(segment);
        if marker == SOS {
            body.extend_from_slice(scan(&mut rest)?);
        }
    }
    if scans == 0 {
        return None;
    }
    let mut content = vec![0xff, SOI];
    content.extend_from_slice(JFIF);
    if let Some(orientation) = orientation.filter(|orientation| *orientation != 1) {
        content.extend_from_slice(EXIF);
        content.extend_from_slice(&[0, orientation, 0, 0, 0, 0, 0, 0]);
    }
    content.extend_from_slice(&body);
    content.extend_from_slice(&[0xff, EOI]);
    Some(Picture::still(content))
}

/// The most scans. Each one takes the decoder through the whole picture; programs write up to 20.
const MAX_SCANS: u32 = 32;

const SOI: u8 = 0xd8;
const EOI: u8 = 0xd9;
const SOS: u8 = 0xda;
const DQT: u8 = 0xdb;
const DHT: u8 = 0xc4;
const DRI: u8 = 0xdd;
const APP1: u8 = 0xe1;
const APP14: u8 = 0xee;
const COM: u8 = 0xfe;

/// A segment that says nothing but the format: the pixels are square.
const JFIF: &[u8] = b"\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0";

/// The beginning of a segment that has nothing but the orientation.
const EXIF: &[u8] = b"\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01";

/// The next marker. Any number of `ff` may stand before it.
fn marker(rest: &mut Rest<'_>) -> Option<u8> {
    if rest.byte()? != 0xff {
        return None;
    }
    loop {
        match rest.byte()? {
            0xff => {}
            marker => return Some(marker),
        }
    }
}

/// The coded data of a scan, up to the next marker.
fn scan<'a>(rest: &mut Rest<'a>) -> Option<&'a [u8]> {
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0 | 0xd0..=0xd7);
    let length = rest.0.windows(2).position(is_marker)?;
    rest.take(length)
}

/// The orientation in a segment of EXIF, from 1 to 8.
fn exif_orientation(segment: &[u8]) -> Option<u8> {
    let tiff = segment.strip_prefix(b"Exif\0\0")?;
    let is_little = match tiff.get(..4)? {
        b"II\x2a\0" => true,
        b"MM\0\x2a" => false,
        _ => return None,
    };
    let u16_at = |at: usize| {
        let bytes = tiff.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    let offset: [u8; 4] = tiff.get(4..8)?.try_into().ok()?;
    let offset = if is_little { u32::from_le_bytes(offset) } else { u32::from_be_bytes(offset) };
    let directory = usize::try_from(offset).ok()?;
    let entries = usize::from(u16_at(directory)?);
    let entry = (0..entries)
        .map(|index| directory + 2 + 12 * index)
        // The segment may end before the entries that it announces.
        .take_while(|entry| entry + 12 <= tiff.len())
        .find(|entry| u16_at(*entry) == Some(0x0112))?;
    u8::try_from(u16_at(entry + 8)?).ok().filter(|orientation| (1..=8).contains(orientation))
}
