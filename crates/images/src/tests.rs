//! Uploads as people and attackers send them, read to the end.

use crate::{Files, NoPlace, Place, Reader, parts};
use bytes::Bytes;
use futures_util::TryStreamExt;
use hearback_domain::Uuid;
use hearback_domain::id::OrganizationId;
use hearback_domain::image::{ImageDigest, ImageFormat, MAX_SIDE};
use hearback_ports::images::{ImageFile, PreparedImage, UnfitImage};
use hearback_ports::{ImageFiles, ImageReader};
use image::codecs::gif::{GifEncoder, Repeat};
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, Frame, ImageEncoder, Rgb, RgbImage, RgbaImage};
use std::io::Cursor;
use tokio::runtime::Handle;

const SCRIPT: &[u8] = b"<script>alert(1)</script>";

async fn read(file: &[u8]) -> Result<PreparedImage, UnfitImage> {
    Reader::default().read(Bytes::copy_from_slice(file)).await
}

/// A picture that no codec makes tiny.
fn photo(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let mut noise = (x ^ y << 16).wrapping_mul(2_654_435_761);
        noise = (noise ^ noise >> 15).wrapping_mul(2_246_822_519);
        Rgb([(noise >> 24) as u8, (noise >> 16) as u8, (x / 3) as u8])
    })
}

fn encoded(format: image::ImageFormat, picture: RgbImage) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    DynamicImage::from(picture).write_to(&mut file, format).unwrap();
    file.into_inner()
}

fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(image::ImageFormat::Png, photo(width, height))
}

fn jpeg(width: u32, height: u32) -> Vec<u8> {
    encoded(image::ImageFormat::Jpeg, photo(width, height))
}

fn gif(frames: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = GifEncoder::new(&mut file);
    encoder.set_repeat(Repeat::Infinite).unwrap();
    for _ in 0..frames {
        encoder.encode_frame(Frame::new(RgbaImage::new(4, 3))).unwrap();
    }
    drop(encoder);
    file
}

fn webp(width: u32, height: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let picture = photo(width, height);
    WebPEncoder::new_lossless(&mut file)
        .write_image(&picture, width, height, image::ExtendedColorType::Rgb8)
        .unwrap();
    file
}

/// A chunk of PNG with its check sum.
fn png_chunk(kind: &[u8; 4], payload: &[u8]) -> Vec<u8> {
    let mut crc = !0_u32;
    for byte in kind.iter().chain(payload) {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length, kind.as_slice(), payload, &(!crc).to_be_bytes()].concat()
}

fn riff_chunk(kind: &[u8; 4], payload: &[u8]) -> Vec<u8> {
    [kind, u32::try_from(payload.len()).unwrap().to_le_bytes().as_slice(), payload].concat()
}

fn webp_of(chunks: &[Vec<u8>]) -> Vec<u8> {
    let inner = [b"WEBP".to_vec(), chunks.concat()].concat();
    [b"RIFF".as_slice(), &u32::try_from(inner.len()).unwrap().to_le_bytes(), &inner].concat()
}

/// The exchangeable data of a camera: the place and the orientation.
fn exif(orientation: u8) -> Vec<u8> {
    let tiff = b"Exif\0\0II\x2a\0\x08\0\0\0\x02\0\x25\x88\x04\0\x01\0\0\0\x32\0\0\0\x12\x01\x03\0\x01\0\0\0";
    [tiff.as_slice(), &[orientation, 0, 0, 0, 0, 0, 0, 0], b"GPS 52.5200 13.4050"].concat()
}

fn jpeg_segment(marker: u8, payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker], length.as_slice(), payload].concat()
}

/// The file with something behind its first bytes.
fn with(file: &[u8], at: usize, inserted: &[u8]) -> Vec<u8> {
    [&file[..at], inserted, &file[at..]].concat()
}

fn has(file: &[u8], part: &[u8]) -> bool {
    file.windows(part.len()).any(|window| window == part)
}

fn box_of(kind: &[u8; 4], payload: &[u8]) -> Vec<u8> {
    [&u32::try_from(payload.len() + 8).unwrap().to_be_bytes(), kind.as_slice(), payload].concat()
}

/// An AVIF of 16 bytes of picture and an item with the place where it was taken.
fn avif(width: u32, height: u32) -> Vec<u8> {
    const PICTURE: &[u8] = b"coded picture...";
    const EXIF: &[u8] = b"GPS 52.5200 13.4050";
    let entry = |id: u8, kind: &[u8; 4]| {
        box_of(b"infe", &[&[2, 0, 0, 0, 0, id, 0, 0], kind.as_slice(), SCRIPT, b"\0"].concat())
    };
    let infos = [&[0, 0, 0, 0, 0, 2], &*entry(1, b"av01"), &entry(2, b"Exif")].concat();
    let size = [&[0; 4], width.to_be_bytes().as_slice(), &height.to_be_bytes()].concat();
    let profile = box_of(b"colr", &[b"prof", SCRIPT].concat());
    let properties = box_of(b"ipco", &[box_of(b"ispe", &size), profile].concat());
    let handler = [&[0; 8], b"pict".as_slice(), &[0; 12], SCRIPT].concat();
    let head = box_of(b"ftyp", b"avif\0\0\0\0avifmif1");
    let meta = |data: u32| {
        let place = |id: u8, start: u32, length: usize| {
            let length = u32::try_from(length).unwrap().to_be_bytes();
            [&[0, id, 0, 0, 0, 1], start.to_be_bytes().as_slice(), &length].concat()
        };
        let end = data + 16;
        let places = [place(1, data, PICTURE.len()), place(2, end, EXIF.len())].concat();
        let places = [&[0, 0, 0, 0, 0x44, 0, 0, 2], &*places].concat();
        let boxes = [
            box_of(b"hdlr", &handler),
            box_of(b"iloc", &places),
            box_of(b"iinf", &infos),
            box_of(b"iprp", &properties),
            box_of(b"xml ", SCRIPT),
        ];
        box_of(b"meta", &[vec![0; 4], boxes.concat()].concat())
    };
    let data = u32::try_from(head.len() + meta(0).len() + 8).unwrap();
    [head, meta(data), box_of(b"mdat", &[PICTURE, EXIF, SCRIPT].concat()), box_of(b"uuid", SCRIPT)]
        .concat()
}

#[tokio::test]
async fn an_image_of_each_format_is_taken_with_its_smaller_copies() {
    for (file, format) in [
        (png(400, 300), ImageFormat::Png),
        (jpeg(400, 300), ImageFormat::Jpeg),
        (webp(400, 300), ImageFormat::Webp),
    ] {
        let image = read(&file).await.unwrap();
        assert_eq!((image.format, image.width, image.height), (format, 400, 300));
        let [(width, copy)] = &*image.copies else { panic!("{format:?} has one copy") };
        let copy = image::load_from_memory(copy).unwrap();
        assert_eq!((*width, copy.width(), copy.height()), (320, 320, 240));
        // What was read once is read again as it is.
        assert_eq!(read(&image.content).await.unwrap().content, image.content);
    }
    let animation = read(&gif(3)).await.unwrap();
    assert_eq!(
        (animation.format, animation.width, animation.copies.len()),
        (ImageFormat::Gif, 4, 0)
    );
    assert_eq!(animation.content, gif(3));
    let avif = read(&avif(640, 480)).await.unwrap();
    assert_eq!((avif.format, avif.width, avif.height), (ImageFormat::Avif, 640, 480));
}

#[tokio::test]
async fn an_image_in_half_transparency_keeps_it_in_its_copies() {
    let clear = RgbaImage::from_fn(400, 300, |x, y| {
        let Rgb([r, g, b]) = *photo(1, 1).get_pixel(0, 0);
        image::Rgba([r ^ x as u8, g ^ y as u8, b.wrapping_add((x * y) as u8), 128])
    });
    let mut file = Vec::new();
    PngEncoder::new(&mut file)
        .write_image(&clear, 400, 300, image::ExtendedColorType::Rgba8)
        .unwrap();
    let image = read(&file).await.unwrap();
    for (_, copy) in &image.copies {
        assert_eq!(ImageFormat::sniff(copy), Some(ImageFormat::Webp));
        assert_eq!(image::load_from_memory(copy).unwrap().to_rgba8().get_pixel(0, 0)[3], 128);
    }
    assert_eq!(image.copies.len(), 1);
}

#[tokio::test]
async fn metadata_and_what_stands_behind_the_end_are_left_out() {
    let (jpeg, png, webp, gif) = (jpeg(40, 30), png(40, 30), webp(40, 30), gif(1));
    let place = b"GPS 52.5200 13.4050";
    let vp8x = riff_chunk(b"VP8X", &[0x2c, 0, 0, 0, 39, 0, 0, 29, 0, 0]);
    let comment = [b"\x21\xfe\x19", SCRIPT, b"\0"].concat();
    let application = [b"\x21\xff\x0bXMP DataXMP\x19", SCRIPT, b"\0"].concat();
    for dirty in [
        with(&jpeg, 2, &jpeg_segment(0xe1, &exif(1))),
        with(&jpeg, 2, &jpeg_segment(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", SCRIPT].concat())),
        with(&jpeg, 2, &jpeg_segment(0xfe, SCRIPT)),
        with(&jpeg, 2, &jpeg_segment(0xe2, SCRIPT)),
        with(&png, 33, &png_chunk(b"tEXt", &[b"Comment\0", SCRIPT].concat())),
        with(&png, 33, &png_chunk(b"eXIf", place)),
        with(&png, 33, &png_chunk(b"zTXt", SCRIPT)),
        with(&png, 33, &png_chunk(b"iCCP", SCRIPT)),
        webp_of(&[vp8x, webp[12..].to_vec(), riff_chunk(b"EXIF", &[place, &b" "[..]].concat())]),
        with(&gif, gif.len() - 1, &comment),
        with(&gif, gif.len() - 1, &application),
        // One file in two formats: the second begins behind the end of the first.
        [&*jpeg, SCRIPT].concat(),
        [&*png, SCRIPT].concat(),
        [&*webp, SCRIPT].concat(),
        [&*gif, SCRIPT].concat(),
        avif(40, 30),
    ] {
        assert!(has(&dirty, place) || has(&dirty, SCRIPT));
        let image = read(&dirty).await.unwrap();
        let clean = image.content;
        assert!(!has(&clean, place) && !has(&clean, SCRIPT), "{:?}", image.format);
    }
    assert!(has(&read(&avif(40, 30)).await.unwrap().content, b"coded picture..."));
}

#[tokio::test]
async fn an_image_is_shown_as_the_camera_was_held() {
    let plain = jpeg(400, 200);
    let turned = read(&with(&plain, 2, &jpeg_segment(0xe1, &exif(6)))).await.unwrap();
    assert_eq!((turned.width, turned.height), (200, 400));
    assert!(turned.copies.is_empty());
    let large = read(&with(&jpeg(200, 400), 2, &jpeg_segment(0xe1, &exif(8)))).await.unwrap();
    let [(320, copy)] = &*large.copies else { panic!("one copy") };
    let copy = image::load_from_memory(copy).unwrap();
    assert_eq!((large.width, copy.width(), copy.height()), (400, 320, 160));
    // The copy is not turned once more.
    assert!(!has(&large.copies[0].1, b"Exif"));
}

#[tokio::test]
async fn what_is_no_image_is_refused_whatever_it_calls_itself() {
    for file in [
        b"<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>".as_slice(),
        b"<?xml version=\"1.0\"?><svg><script>alert(1)</script></svg>",
        b"<!doctype html><script>alert(1)</script>",
        b"%PDF-1.7",
        b"BM\x3a\0\0\0",
        b"",
    ] {
        assert_eq!(read(file).await.unwrap_err(), UnfitImage::Format);
    }
    // A picture that is a script as well: the size of the screen begins a comment.
    let script = b"GIF89a/*\0\0\0\0\0*/=1;alert(1)//";
    assert_eq!(read(script).await.unwrap_err(), UnfitImage::Broken);
}

#[tokio::test]
async fn a_bomb_is_refused_before_it_is_decoded() {
    // The size stands in the head. No pixel has to be there.
    let huge = |width: u32, height: u32| {
        let [width, height] = [width, height].map(u32::to_be_bytes);
        let head = png_chunk(b"IHDR", &[width.as_slice(), &height, &[8, 2, 0, 0, 0]].concat());
        let data = png_chunk(b"IDAT", b"\x78\x9c\x03\0\0\0\0\x01");
        [&png(1, 1)[..8], &head, &data, &png_chunk(b"IEND", b"")].concat()
    };
    for file in [
        huge(50_000, 50_000),
        huge(50_000, 1),
        huge(1, 50_000),
        huge(16_000, 16_000),
        huge(u32::MAX >> 1, u32::MAX >> 1),
        avif(50_000, 50_000),
        avif(MAX_SIDE + 1, 1),
    ] {
        assert_eq!(read(&file).await.unwrap_err(), UnfitImage::TooLarge);
    }
    let mut jpeg = jpeg(8, 8);
    let frame = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    assert_eq!(read(&jpeg).await.unwrap_err(), UnfitImage::TooLarge);
    // Few bytes a frame, and many pixels each.
    let mut gif = gif(200);
    gif[6..10].copy_from_slice(&[0xff, 0x0f, 0xff, 0x0f]);
    assert_eq!(read(&gif).await.unwrap_err(), UnfitImage::TooLarge);
    // Each scan would take the decoder through the whole picture.
    let scan = jpeg.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
    let scans = jpeg[scan..jpeg.len() - 2].repeat(40);
    let many = [&jpeg[..scan], &scans, &[0xff, 0xd9]].concat();
    assert_eq!(read(&many).await.unwrap_err(), UnfitImage::Broken);
}

#[test]
fn pieces_without_bytes_and_pieces_that_overlap_are_refused() {
    let file = avif(40, 30);
    let places = file.windows(4).position(|kind| kind == b"iloc").unwrap();
    // An item of 65,535 pieces, each of which takes no byte of the file.
    let mut free = file.clone();
    free[places + 8] = 0;
    free[places + 14..places + 18].copy_from_slice(&[0, 0, 0xff, 0xff]);
    assert_eq!(parts::picture(ImageFormat::Avif, &free), Err(UnfitImage::Broken));
    // Both items are the whole file.
    let mut large = file.clone();
    let length = u32::try_from(file.len()).unwrap().to_be_bytes();
    let whole = [[0; 4], length].concat();
    for item in [12, 26] {
        let piece = places + item + 6;
        large[piece..piece + 8].copy_from_slice(&whole);
    }
    assert_eq!(parts::picture(ImageFormat::Avif, &large), Err(UnfitImage::Broken));
}

#[test]
fn a_file_that_ends_early_or_lies_about_a_length_is_broken_and_harms_nothing() {
    let files = [jpeg(16, 16), png(16, 16), webp(16, 16), gif(2), avif(16, 16)];
    for file in &files {
        // The reader would take a panic for a broken file.
        let read = crate::reader::read;
        assert!(read(file).is_ok());
        for end in 0..file.len() {
            let read = read(&file[..end]);
            let is_avif = ImageFormat::sniff(file) == Some(ImageFormat::Avif);
            // Of an AVIF, the last boxes are no part of the picture.
            assert!(read.is_err() || is_avif, "{end} of {} bytes", file.len());
        }
        // Each byte lies in turn. Whatever the answer, it comes.
        for at in 0..file.len().min(700) {
            for value in [0, 0x7f, 0xff] {
                let mut lying = file.clone();
                lying[at] = value;
                let _ = read(&lying);
            }
        }
    }
}

#[test]
fn a_place_is_a_folder_or_a_bucket() {
    let bucket = |name: &str, prefix: &str| Place::Bucket {
        name: name.to_owned(),
        prefix: prefix.to_owned(),
    };
    for (text, place) in [
        ("s3://acme", Ok(bucket("acme", ""))),
        ("s3://acme/feedback/images/", Ok(bucket("acme", "feedback/images"))),
        ("/srv/images", Ok(Place::Folder("/srv/images".into()))),
        ("", Err(NoPlace)),
        ("s3://", Err(NoPlace)),
        ("s3://key:secret@acme", Err(NoPlace)),
        ("https://acme.example/images", Err(NoPlace)),
    ] {
        assert_eq!(Place::parse(text), place, "{text}");
    }
}

#[tokio::test]
async fn files_are_found_by_their_organization_and_go_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::at(&Place::Folder(folder.path().to_owned()), Handle::current()).unwrap();
    let [acme, globex] = [1, 2].map(|id| OrganizationId(Uuid::from_u128(id)));
    let [one, two] = [1, 2].map(|byte| ImageDigest([byte; 32]));
    let name = |organization, digest, width| ImageFile { organization, digest, width };
    let content = async |file| match files.get(file).await.unwrap() {
        None => None,
        Some(found) => {
            let pieces: Vec<Bytes> = found.pieces.try_collect().await.unwrap();
            assert_eq!(found.length, pieces.concat().len() as u64);
            Some(pieces.concat())
        }
    };
    for file in [name(acme, one, None), name(acme, one, Some(320)), name(acme, two, None)] {
        files.put(file, Bytes::from_static(b"x")).await.unwrap();
        files.put(file, Bytes::from_static(b"content")).await.unwrap();
        assert_eq!(content(file).await.as_deref(), Some(&b"content"[..]));
    }
    assert_eq!(content(name(globex, one, None)).await, None);
    files.remove(globex, one).await.unwrap();
    files.remove(acme, one).await.unwrap();
    assert_eq!(content(name(acme, one, None)).await, None);
    assert_eq!(content(name(acme, one, Some(320))).await, None);
    files.clear(globex).await.unwrap();
    assert!(content(name(acme, two, None)).await.is_some());
    files.clear(acme).await.unwrap();
    assert_eq!(content(name(acme, two, None)).await, None);
}
