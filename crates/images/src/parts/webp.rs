//! WebP: a container of chunks.

use super::{Picture, Rest};

pub(super) fn picture(file: &[u8]) -> Option<Picture> {
    let mut rest = Rest(file);
    rest.take(4)?;
    let length = usize::try_from(u32::from_le_bytes(rest.array()?)).ok()?;
    let mut inner = Rest(rest.take(length)?);
    inner.take(4)?;
    let mut chunks = Vec::with_capacity(length);
    let mut frames = 0;
    while !inner.is_empty() {
        let (kind, payload) = chunk(&mut inner)?;
        match &kind {
            b"VP8X" => {
                let (flags, size) = payload.split_first()?;
                // The copy has an animation and transparency, and neither a profile nor metadata.
                let payload: Vec<u8> = [flags & 0x12].iter().chain(size).copied().collect();
                put(&mut chunks, kind, &payload)?;
            }
            b"ANMF" => {
                frames += 1;
                let mut frame = Rest(payload);
                let mut payload = frame.take(16)?.to_vec();
                while !frame.is_empty() {
                    let (kind, picture) = chunk(&mut frame)?;
                    if matches!(&kind, b"ALPH" | b"VP8 " | b"VP8L") {
                        put(&mut payload, kind, picture)?;
                    }
                }
                put(&mut chunks, kind, &payload)?;
            }
            b"ALPH" | b"ANIM" | b"VP8 " | b"VP8L" => put(&mut chunks, kind, payload)?,
            _ => {}
        }
    }
    let mut content = b"RIFF".to_vec();
    content.extend_from_slice(&u32::try_from(chunks.len() + 4).ok()?.to_le_bytes());
    content.extend_from_slice(b"WEBP");
    content.extend_from_slice(&chunks);
    Some(Picture { content, frames: frames.max(1), size: None })
}

/// The next chunk. A byte fills an odd length up.
fn chunk<'a>(rest: &mut Rest<'a>) -> Option<([u8; 4], &'a [u8])> {
    let kind = rest.array()?;
    let length = usize::try_from(u32::from_le_bytes(rest.array()?)).ok()?;
    let payload = rest.take(length)?;
    if length % 2 == 1 {
        // The last one of some files lacks it.
        rest.byte();
    }
    Some((kind, payload))
}

fn put(chunks: &mut Vec<u8>, kind: [u8; 4], payload: &[u8]) -> Option<()> {
    chunks.extend_from_slice(&kind);
    chunks.extend_from_slice(&u32::try_from(payload.len()).ok()?.to_le_bytes());
    chunks.extend_from_slice(payload);
    if payload.len() % 2 == 1 {
        chunks.push(0);
    }
    Some(())
}
