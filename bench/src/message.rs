//! Requests and answers in the form of the wire.

/// A whole request, or a whole answer.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    /// The first line and the headers, with the line breaks between them.
    head: &'a [u8],
    pub(crate) body: &'a [u8],
}

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

impl<'a> Message<'a> {
    /// The message at the beginning of the bytes, and the bytes after it. `None` if it is not
    /// complete.
    ///
    /// `Content-Length` gives the length of a body: all measured programs send it.
    pub(crate) fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let end = bytes.windows(END_OF_HEAD.len()).position(|window| window == END_OF_HEAD)?;
        let (head, behind) = (bytes.get(..end)?, bytes.get(end + END_OF_HEAD.len()..)?);
        let message = Self { head, body: &[] };
        let length =
            message.headers().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        let (body, rest) = behind.split_at_checked(length)?;
        Some((Self { head, body }, rest))
    }

    /// The path of a request.
    pub(crate) fn path(&self) -> &'a str {
        self.second_word()
    }

    /// The status of an answer. 0 if it has none.
    pub(crate) fn status(&self) -> u16 {
        self.second_word().parse().unwrap_or_default()
    }

    /// The headers, in their order.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.lines().skip(1).filter_map(|line| line.split_once(": "))
    }

    fn second_word(&self) -> &'a str {
        self.lines().next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default()
    }

    fn lines(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        str::from_utf8(self.head).unwrap_or_default().split("\r\n")
    }
}
