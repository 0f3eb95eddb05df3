//! The lengths of a body's chunks, as a client declares them. actix waits for the content of a
//! chunk, however long it is to be.

/// The bytes of a connection that come before the next answer.
#[derive(Default)]
pub(crate) struct Wire {
    /// The first bytes, up to [`FIRST`].
    first: Vec<u8>,
    /// Whether there were more bytes than `first` holds.
    is_cut: bool,
    /// The chunks of the request, once it is known to have any.
    chunks: Option<Chunks>,
}

/// The most bytes that a connection keeps. Chunks behind a longer head are not looked at.
const FIRST: usize = 4096;

impl Wire {
    /// Takes the next bytes of the client.
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        if let Some(chunks) = &mut self.chunks {
            return chunks.read(bytes);
        }
        let kept = bytes.len().min(FIRST - self.first.len());
        self.first.extend_from_slice(&bytes[..kept]);
        self.is_cut |= kept < bytes.len();
    }

    /// Takes the bytes of an answer.
    pub(crate) fn wrote(&mut self, bytes: &[u8]) {
        if bytes != b"HTTP/1.1 100 Continue\r\n\r\n" {
            self.first.clear();
            self.is_cut = false;
            self.chunks = None;
        }
    }

    /// Begins to read chunks, whose contents may have `limit` bytes in all.
    pub(crate) fn begin(&mut self, limit: usize) {
        const END: &[u8] = b"\r\n\r\n";
        let head = self.first.windows(END.len()).position(|bytes| bytes == END);
        let Some(head) = head.filter(|_| !self.is_cut) else { return };
        let mut chunks = Chunks { limit: limit as u64, before: 0, place: Place::Length(0) };
        chunks.read(&self.first[head + END.len()..]);
        self.chunks = Some(chunks);
    }

    /// Returns whether the chunks so far are to be longer than their limit.
    pub(crate) fn is_too_long(&self) -> bool {
        self.chunks.as_ref().is_some_and(Chunks::is_too_long)
    }
}

struct Chunks {
    limit: u64,
    /// The lengths of the chunks before this place.
    before: u64,
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    /// In the length of a chunk, with the value of its digits so far.
    Length(u64),
    /// Between the length of a chunk and the end of its line.
    Extension(u64),
    /// In the content of a chunk, with the number of bytes up to the next length.
    Content(u64),
    /// Behind the last chunk.
    End,
}

impl Chunks {
    fn read(&mut self, mut bytes: &[u8]) {
        while let [byte, rest @ ..] = bytes {
            bytes = rest;
            self.place = match self.place {
                Place::Length(length) => match char::from(*byte).to_digit(16) {
                    Some(digit) => {
                        Place::Length(length.saturating_mul(16).saturating_add(digit.into()))
                    }
                    None => Place::Extension(length),
                },
                Place::Extension(0) if *byte == b'\n' => Place::End,
                Place::Extension(length) if *byte == b'\n' => {
                    self.before = self.before.saturating_add(length);
                    // A line end follows the content.
                    Place::Content(length.saturating_add(2))
                }
                Place::Content(left) => {
                    let skipped = (left - 1).min(rest.len() as u64);
                    bytes = &rest[usize::try_from(skipped).unwrap_or(rest.len())..];
                    match left - 1 - skipped {
                        0 => Place::Length(0),
                        left => Place::Content(left),
                    }
                }
                place @ (Place::Extension(_) | Place::End) => place,
            };
        }
    }

    fn is_too_long(&self) -> bool {
        let length = match self.place {
            Place::Length(length) | Place::Extension(length) => length,
            Place::Content(_) | Place::End => 0,
        };
        self.before.saturating_add(length) > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

    #[test]
    fn chunks_are_too_long_as_soon_as_their_lengths_are() {
        for (body, expected) in [
            ("64\r\n", false),
            ("65", true),
            ("65;a=b\r\nx", true),
            ("ffffffffffffffffffff", true),
            ("60;a=65\r\n", false),
            ("3\r\nfff\r\n61\r\n", false),
            ("3\r\nfff\r\n62\r\n", true),
            ("1\r\nf\r\n0\r\nx: fff\r\n\r\n", false),
        ] {
            let request = format!("{HEAD}{body}");
            for cut in 0..request.len() {
                let (first, rest) = request.as_bytes().split_at(cut);
                let mut wire = Wire::default();
                wire.read(first);
                if cut >= HEAD.len() {
                    wire.begin(100);
                    wire.read(rest);
                } else {
                    wire.read(rest);
                    wire.begin(100);
                }
                assert_eq!(wire.is_too_long(), expected, "{body} {cut}");
                wire.wrote(b"HTTP/1.1 100 Continue\r\n\r\n");
                assert_eq!(wire.is_too_long(), expected, "{body} {cut}");
                wire.wrote(b"HTTP/1.1 200 OK\r\n");
                assert!(!wire.is_too_long());
            }
        }
    }

    #[test]
    fn a_connection_keeps_few_bytes() {
        let mut wire = Wire::default();
        wire.read(format!("{HEAD}65\r\n{}", "x".repeat(3 * FIRST)).as_bytes());
        wire.begin(100);
        assert_eq!((wire.first.len(), wire.is_too_long()), (FIRST, false));
    }
}
