//! Forms: multipart bodies with a file, and urlencoded ones.

use bytes::Bytes;
use hearback_web::form::{Fields, query};

/// Reads bytes as a form of each kind, and as what somebody typed or chose in one.
///
/// - A file comes back as it was sent, and a text without U+0000.
pub fn forms(data: &[u8]) {
    let _ = Fields::parse(data);
    let _ = Fields::of_parts(&Bytes::copy_from_slice(data), BOUNDARY);

    let typed = String::from_utf8_lossy(data);
    let kept = typed.replace('\0', "");
    let sent = query(&[("text", &typed)]);
    let fields = Fields::parse(sent.strip_prefix('?').unwrap_or_default().as_bytes());
    assert_eq!(fields.get("text"), kept);

    let line = format!("\r\n--{BOUNDARY}");
    // A browser chooses a line that the content does not have.
    if data.windows(line.len()).any(|part| part == line.as_bytes()) {
        return;
    }
    let text = "Content-Disposition: form-data; name=\"text\"";
    let file = "Content-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\
                Content-Type: image/png";
    let mut body = format!("{}\r\n{text}\r\n\r\n", &line[2..]).into_bytes();
    body.extend_from_slice(data);
    body.extend_from_slice(format!("{line}\r\n{file}\r\n\r\n").as_bytes());
    body.extend_from_slice(data);
    body.extend_from_slice(format!("{line}--\r\n").as_bytes());
    let fields = Fields::of_parts(&body.into(), BOUNDARY);
    assert_eq!(fields.get("text"), kept);
    let content = fields.file.and_then(|file| file.content);
    // A field in which nothing was chosen is an empty file.
    assert_eq!(content.as_deref(), Some(data).filter(|data| !data.is_empty()));
}

const BOUNDARY: &str = "x";
