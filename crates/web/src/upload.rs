//! Forms whose last field is a file that is too long for memory.

use crate::fault::Fault;
use crate::form::Fields;
use crate::parts::{boundary, find, parts};
use crate::visit::Request;
use actix_web::web::{Bytes, BytesMut};
use hearback_http::Failure;

/// A form that is read up to its file, and whose file is read piece by piece.
pub struct Upload<'a> {
    /// The fields before the file.
    pub fields: Fields,
    request: &'a Request,
    content: Content,
    /// The beginning of the file, which came with the fields.
    first: Bytes,
    /// The bytes that may still come.
    left: usize,
}

impl Request {
    /// Reads a form up to its file. Body and file may have up to `limit` bytes. The form must come
    /// from a page of this portal, and have the token of the session before its file.
    pub async fn upload(&self, limit: usize) -> Result<Upload<'_>, Fault> {
        let headers = self.http.headers();
        let boundary = boundary(headers).ok_or(Fault::Form)?;
        self.context.begin_body(limit, headers)?;
        let mut body = BytesMut::new();
        let (fields, first) = loop {
            let came = Bytes::copy_from_slice(&body);
            if let Some(file) = parts(&came, &boundary).find(|part| part.file.is_some()) {
                // Nothing behind a whole file matters.
                let first = match file.is_whole {
                    true => [&file.content[..], &line(&boundary)].concat().into(),
                    false => came.slice(came.len() - file.content.len()..),
                };
                break (Fields::of_parts(&came, &boundary), first);
            }
            if body.len() > MAX_HEAD {
                return Err(Failure::TooLarge.into());
            }
            match self.context.next_piece().await? {
                Some(piece) => body.extend_from_slice(&piece),
                None => break (Fields::of_parts(&came, &boundary), Bytes::new()),
            }
        };
        self.check_form(&fields)?;
        let left = limit.saturating_sub(body.len());
        Ok(Upload { fields, request: self, content: Content::new(&boundary), first, left })
    }
}

impl Upload<'_> {
    /// The next piece of the file. `None` behind the last one. Fails if the form breaks off.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        loop {
            if self.content.is_over {
                // A browser reads the answer once all of its form is taken.
                while self.piece().await?.is_some() {}
                return Ok(None);
            }
            let piece = match std::mem::take(&mut self.first) {
                first if first.is_empty() => self.piece().await?.ok_or(Fault::Form)?,
                first => first,
            };
            let piece = self.content.take(&piece);
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, Fault> {
        let piece = self.request.context.next_piece().await?;
        let length = piece.as_ref().map_or(0, Bytes::len);
        self.left = self.left.checked_sub(length).ok_or(Failure::TooLarge)?;
        Ok(piece)
    }
}

/// The most bytes of the fields before the file.
const MAX_HEAD: usize = 64 * 1024;

/// The content of a part, found piece by piece.
struct Content {
    /// The line behind the content.
    line: Vec<u8>,
    /// The bytes that may be the beginning of that line.
    held: BytesMut,
    /// Whether the boundary line behind the content was read.
    is_over: bool,
}

impl Content {
    fn new(boundary: &str) -> Self {
        Self { line: line(boundary), held: BytesMut::new(), is_over: false }
    }

    /// The content that is known with another piece of the body.
    fn take(&mut self, piece: &[u8]) -> Bytes {
        self.held.extend_from_slice(piece);
        let end = find(&self.held, &self.line);
        self.is_over = end.is_some();
        let known = end.unwrap_or((self.held.len() + 1).saturating_sub(self.line.len()));
        self.held.split_to(known).freeze()
    }
}

/// The line behind a part.
fn line(boundary: &str) -> Vec<u8> {
    format!("\r\n--{boundary}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_ends_before_the_line_however_the_body_is_cut() {
        let body = b"one\r\n-\r\n--two\r\n--x--\r\n";
        for first in 0..body.len() {
            for second in first..body.len() {
                let mut content = Content::new("x");
                let pieces = [&body[..first], &body[first..second], &body[second..]];
                let mut taken = Vec::new();
                for piece in pieces {
                    if !content.is_over {
                        taken.extend_from_slice(&content.take(piece));
                    }
                }
                assert!(content.is_over, "{first} {second}");
                assert_eq!(taken, b"one\r\n-\r\n--two", "{first} {second}");
            }
        }
        let mut content = Content::new("x");
        assert!(content.take(b"\r\n--").is_empty() && !content.is_over);
    }
}
