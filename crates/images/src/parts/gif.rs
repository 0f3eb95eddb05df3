//! GIF: a header, extensions and frames.

use super::{Picture, Rest};

pub(super) fn picture(file: &[u8]) -> Option<Picture> {
    let mut rest = Rest(file);
    let mut content = Vec::with_capacity(file.len());
    content.extend_from_slice(rest.take(6)?);
    let screen: [u8; 7] = rest.array()?;
    content.extend_from_slice(&screen);
    content.extend_from_slice(rest.take(colors(screen[4]))?);
    let mut frames = 0;
    loop {
        match rest.byte()? {
            EXTENSION => match rest.byte()? {
                CONTROL => {
                    // The time of the next frame.
                    let control: [u8; 6] = rest.array()?;
                    if control[0] != 4 || control[5] != 0 {
                        return None;
                    }
                    content.extend_from_slice(&[EXTENSION, CONTROL]);
                    content.extend_from_slice(&control);
                }
                APPLICATION => {
                    let blocks = blocks(&mut rest)?;
                    if let Some(turns) = blocks.strip_prefix(b"\x0bNETSCAPE2.0\x03\x01")
                        && turns.len() == 3
                    {
                        content.extend_from_slice(&[EXTENSION, APPLICATION]);
                        content.extend_from_slice(blocks);
                    }
                }
                _ => {
                    blocks(&mut rest)?;
                }
            },
            FRAME => {
                let frame: [u8; 9] = rest.array()?;
                content.push(FRAME);
                content.extend_from_slice(&frame);
                content.extend_from_slice(rest.take(colors(frame[8]))?);
                content.push(rest.byte()?);
                content.extend_from_slice(blocks(&mut rest)?);
                frames += 1;
            }
            END => break,
            _ => return None,
        }
    }
    content.push(END);
    (frames > 0).then_some(Picture { content, frames, size: None })
}

const EXTENSION: u8 = 0x21;
const CONTROL: u8 = 0xf9;
const APPLICATION: u8 = 0xff;
const FRAME: u8 = 0x2c;
const END: u8 = 0x3b;

/// The length of the table of colours that flags announce.
fn colors(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// Blocks up to the empty one, with their lengths.
fn blocks<'a>(rest: &mut Rest<'a>) -> Option<&'a [u8]> {
    let start = rest.0;
    loop {
        let length = usize::from(rest.byte()?);
        if length == 0 {
            return start.get(..start.len() - rest.0.len());
        }
        rest.take(length)?;
    }
}
