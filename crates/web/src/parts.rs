//! The parts of a form that has a file.

use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use actix_web::web::Bytes;

/// A part of a form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The name of the field.
    pub(crate) name: String,
    /// The name of the file. `None` for a text.
    pub(crate) file: Option<String>,
    /// The content, or its beginning.
    pub(crate) content: Bytes,
    /// Whether the content has come to its end.
    pub(crate) is_whole: bool,
}

/// The line between the parts of a body, if it is a form with files.
pub(crate) fn boundary(headers: &HeaderMap) -> Option<String> {
    let form = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let (kind, parameters) = form.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let boundary = parameters.split(';').find_map(|it| it.trim().strip_prefix("boundary="))?;
    let boundary = boundary.trim_matches('"');
    (1..=70).contains(&boundary.len()).then(|| boundary.to_owned())
}

/// The parts of a body, as far as they have come.
pub(crate) fn parts<'a>(body: &'a Bytes, boundary: &str) -> impl Iterator<Item = Part> + 'a {
    let line = format!("\r\n--{boundary}").into_bytes();
    // The first line has none before it.
    let mut start = body.starts_with(&line[2..]).then_some(line.len() - 2);
    std::iter::from_fn(move || {
        let rest = body.get(start?..)?;
        // Two hyphens stand behind the last line.
        let head_start = rest.strip_prefix(b"\r\n")?;
        let head_length = find(head_start, b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&head_start[..head_length]).into_owned();
        let content_start = start? + 2 + head_length + 4;
        let length = find(&body[content_start..], &line);
        let content_end = length.map_or(body.len(), |length| content_start + length);
        start = length.map(|_| content_end + line.len());
        let disposition = head.split("\r\n").find(|line| {
            line.get(..20).is_some_and(|name| name.eq_ignore_ascii_case("content-disposition:"))
        });
        let disposition = disposition.unwrap_or_default();
        Some(Part {
            name: parameter(disposition, "; name=\"").unwrap_or_default(),
            file: parameter(disposition, "; filename=\""),
            content: body.slice(content_start..content_end),
            is_whole: length.is_some(),
        })
    })
}

/// A parameter of a header. Browsers write `%22` for a quotation mark.
fn parameter(header: &str, start: &str) -> Option<String> {
    let (_, value) = header.split_once(start)?;
    let (value, _) = value.split_once('"')?;
    Some(value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
}

/// The place of the first occurrence of some bytes, found by the rare byte that they begin with.
pub(crate) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + bytes[from..].iter().position(|byte| *byte == wanted[0])?;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    const BODY: &[u8] =
        b"--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nDark\r\nmode\
        \r\n--x\r\ncontent-disposition: form-data; name=\"image\"; filename=\"a %22b%22.png\"\r\n\
        Content-Type: image/png\r\n\r\n\x89PNG\r\n--y\r\n\r\n--x--\r\n";

    fn read(body: &'static [u8]) -> Vec<Part> {
        parts(&Bytes::from_static(body), "x").collect()
    }

    #[test]
    fn the_parts_are_those_between_the_lines() {
        let part = |name: &str, file: Option<&str>, content: &'static [u8]| Part {
            name: name.to_owned(),
            file: file.map(str::to_owned),
            content: Bytes::from_static(content),
            is_whole: true,
        };
        let file = part("image", Some("a \"b\".png"), b"\x89PNG\r\n--y\r\n");
        assert_eq!(read(BODY), [part("title", None, b"Dark\r\nmode"), file]);
    }

    #[test]
    fn a_body_that_was_cut_has_the_parts_that_came() {
        for end in 0..BODY.len() {
            let parts = read(&BODY[..end]);
            assert!(parts.len() <= 2, "{end}");
            if end > 150 {
                assert_eq!((&*parts[0].name, &*parts[0].content), ("title", &b"Dark\r\nmode"[..]));
            }
        }
        let cut = read(&BODY[..BODY.len() - 8]);
        assert!(cut[0].is_whole && !cut[1].is_whole);
        for odd in
            [&b""[..], b"--x", b"--x--", b"--x\r\n", b"--x\r\n\r\n", b"no parts", b"\r\n--x\r\n"]
        {
            assert!(read(odd).iter().all(|part| !part.is_whole), "{odd:?}");
        }
    }

    #[test]
    fn a_boundary_is_that_of_a_form_with_files() {
        let of = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
            boundary(&headers)
        };
        for value in ["multipart/form-data; boundary=x", "Multipart/Form-Data;boundary=\"x\""] {
            assert_eq!(of(value).as_deref(), Some("x"));
        }
        for value in [
            "application/x-www-form-urlencoded",
            "multipart/form-data",
            "multipart/form-data; boundary=",
            "multipart/mixed; boundary=x",
        ] {
            assert_eq!(of(value), None);
        }
    }
}
