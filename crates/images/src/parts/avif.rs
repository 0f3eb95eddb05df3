//! AVIF: a container of boxes, whose items lie at offsets of the file.
//!
//! No decoder is at hand, so that the size is the one that the boxes tell. Nothing moves: the bytes
//! of the items that are no picture, the names and the properties that are not known, and all bytes
//! that belong to no item, become zeros.

use super::{Picture, Rest};
use std::collections::HashSet;
use std::ops::Range;

pub(super) fn picture(file: &[u8]) -> Option<Picture> {
    let mut content = vec![0; file.len()];
    let mut meta = None;
    let mut data = Vec::new();
    let mut rest = Rest(file);
    while !rest.is_empty() {
        let whole = rest.0;
        let (kind, payload) = next(&mut rest)?;
        let inside = place(file, payload);
        let head = place(file, whole).start..inside.start;
        // The head of each box stays, so that the next one is found.
        content[head.clone()].copy_from_slice(&file[head.clone()]);
        match &kind {
            b"ftyp" => content[inside].copy_from_slice(payload),
            b"meta" if meta.is_none() => {
                content[inside].copy_from_slice(payload);
                meta = Some(Meta::read(file, payload)?);
            }
            b"mdat" if data.len() < MOST => data.push(inside),
            b"mdat" => return None,
            // The name of a box that is not known is no part of the picture either.
            _ => content[head.start + 4..head.start + 8].copy_from_slice(b"free"),
        }
    }
    let Meta { pictures, others, size } = meta?;
    for range in pictures {
        // An item lies within one box.
        if !data.iter().any(|data| data.start <= range.start && range.end <= data.end) {
            return None;
        }
        content[range.clone()].copy_from_slice(&file[range]);
    }
    for range in others {
        content.get_mut(range)?.fill(0);
    }
    Some(Picture { content, frames: 1, size: Some(size) })
}

/// The most boxes of a kind, and the most pieces of items. Programs write a few of each.
const MOST: usize = 1024;

/// The place of a part of a file in the file.
fn place(file: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - file.as_ptr().addr();
    start..start + part.len()
}

/// The next box: its kind and its payload.
fn next<'a>(rest: &mut Rest<'a>) -> Option<([u8; 4], &'a [u8])> {
    let short = rest.u32_be()?;
    let kind = rest.array()?;
    let length = match short {
        // The box ends with the file.
        0 => rest.0.len(),
        1 => usize::try_from(rest.number(8)?).ok()?.checked_sub(16)?,
        short => usize::try_from(short).ok()?.checked_sub(8)?,
    };
    Some((kind, rest.take(length)?))
}

/// The box that says where the items are.
struct Meta {
    /// The bytes of the items that make up the picture.
    pictures: Vec<Range<usize>>,
    /// The bytes of the box that are no part of the picture.
    others: Vec<Range<usize>>,
    size: (u32, u32),
}

impl Meta {
    /// Reads the box with a payload.
    fn read(file: &[u8], payload: &[u8]) -> Option<Self> {
        let mut rest = Rest(payload);
        // The version and the flags.
        rest.take(4)?;
        let mut shown = HashSet::new();
        let mut places = Vec::new();
        let mut inline = None;
        let mut size = None;
        let mut others = Vec::new();
        while !rest.is_empty() {
            let (kind, inner) = next(&mut rest)?;
            match &kind {
                b"iinf" => {
                    let (found, names) = pictures(inner)?;
                    shown = found;
                    others.extend(names.into_iter().map(|name| place(file, name)));
                }
                b"iloc" => places = extents(inner, file.len())?,
                b"iprp" => {
                    let (found, unknown) = properties(inner)?;
                    size = Some(found);
                    others.extend(unknown.into_iter().map(|inner| place(file, inner)));
                }
                b"idat" => inline = Some(place(file, inner)),
                b"hdlr" => others.extend(inner.get(HANDLER..).map(|name| place(file, name))),
                b"pitm" | b"iref" | b"dinf" | b"grpl" => {}
                _ => others.push(place(file, inner)),
            }
        }
        let mut pictures = Vec::new();
        for Extent { item, is_inline, range } in places {
            let range = match &inline {
                Some(inline) if is_inline => {
                    let end = inline.start.checked_add(range.end)?;
                    if end > inline.end {
                        return None;
                    }
                    inline.start + range.start..end
                }
                None if is_inline => return None,
                _ => range,
            };
            match (shown.contains(&item), is_inline) {
                (true, false) => pictures.push(range),
                (true, true) | (false, false) => {}
                (false, true) => others.push(range),
            }
        }
        Some(Self { pictures, others, size: size? })
    }
}

/// The bytes of `hdlr` before its name.
const HANDLER: usize = 24;

/// The identifiers of the items that make up the picture, and the names of all items, in `iinf`.
fn pictures(payload: &[u8]) -> Option<(HashSet<u64>, Vec<&[u8]>)> {
    let mut rest = Rest(payload);
    let version = rest.u32_be()? >> 24;
    let count = rest.number(if version == 0 { 2 } else { 4 })?;
    if count > MOST as u64 {
        return None;
    }
    let (mut pictures, mut names) = (HashSet::new(), Vec::new());
    for _ in 0..count {
        let (kind, inner) = next(&mut rest)?;
        let mut inner = Rest(inner);
        let version = inner.u32_be()? >> 24;
        if &kind != b"infe" || !(2..=3).contains(&version) {
            return None;
        }
        let item = inner.number(if version == 2 { 2 } else { 4 })?;
        inner.take(2)?;
        let what: [u8; 4] = inner.array()?;
        if matches!(&what, b"av01" | b"grid" | b"iovl" | b"tmap") {
            pictures.insert(item);
        }
        names.push(inner.0);
    }
    Some((pictures, names))
}

/// A piece of an item.
struct Extent {
    item: u64,
    /// Whether it is in `idat`, and not in the file at large.
    is_inline: bool,
    range: Range<usize>,
}

/// The pieces of all items, in `iloc`. Together they are not longer than the file, since items share
/// no bytes.
fn extents(payload: &[u8], most_bytes: usize) -> Option<Vec<Extent>> {
    let mut rest = Rest(payload);
    let version = rest.u32_be()? >> 24;
    let [sizes, more] = rest.array()?;
    let [offset, length, base, index] =
        [sizes >> 4, sizes & 15, more >> 4, if version == 0 { 0 } else { more & 15 }]
            .map(usize::from);
    if version > 2 || [offset, length, base, index].iter().any(|size| ![0, 4, 8].contains(size)) {
        return None;
    }
    let items = rest.number(if version == 2 { 4 } else { 2 })?;
    let (mut extents, mut bytes) = (Vec::new(), 0_usize);
    for _ in 0..items {
        let item = rest.number(if version == 2 { 4 } else { 2 })?;
        let method = if version == 0 { 0 } else { rest.u16_be()? & 15 };
        // The reference of the data: this file.
        if method > 1 || rest.u16_be()? != 0 {
            return None;
        }
        let base = rest.number(base)?;
        for _ in 0..rest.u16_be()? {
            rest.take(index)?;
            let start = base.checked_add(rest.number(offset)?)?;
            let end = start.checked_add(rest.number(length)?)?;
            let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
            bytes = bytes.checked_add(range.len())?;
            if bytes > most_bytes || extents.len() == MOST {
                return None;
            }
            extents.push(Extent { item, is_inline: method == 1, range });
        }
    }
    Some(extents)
}

/// A size, and the content of properties.
type Properties<'a> = ((u32, u32), Vec<&'a [u8]>);

/// The size of the largest picture as it is shown, and the properties that are no part of the
/// picture, in `iprp`.
fn properties(payload: &[u8]) -> Option<Properties<'_>> {
    let (kind, properties) = next(&mut Rest(payload))?;
    if &kind != b"ipco" {
        return None;
    }
    let mut rest = Rest(properties);
    let (mut largest, mut is_turned) = (None, false);
    let mut unknown = Vec::new();
    while !rest.is_empty() {
        let (kind, whole) = next(&mut rest)?;
        let mut inner = Rest(whole);
        match &kind {
            b"ispe" => {
                inner.take(4)?;
                let size = (inner.u32_be()?, inner.u32_be()?);
                let area = |(width, height): (u32, u32)| u64::from(width) * u64::from(height);
                largest = largest.max(Some((area(size), size)));
            }
            b"irot" => is_turned = inner.byte()? % 2 == 1,
            b"colr" if whole.starts_with(b"nclx") => {}
            b"av1C" | b"pixi" | b"pasp" | b"clap" | b"imir" | b"auxC" | b"a1op" | b"a1lx"
            | b"lsel" | b"clli" | b"mdcv" => {}
            _ => unknown.push(whole),
        }
    }
    let (_, (width, height)) = largest?;
    Some((if is_turned { (height, width) } else { (width, height) }, unknown))
}
