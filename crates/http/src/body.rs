//! Reads bodies, within limits of size and time.

use crate::failure::Failure;
use crate::request_context::RequestContext;
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use std::time::Duration;
use tokio::time::timeout;

/// The most time that a body may take. actix limits the time of the headers alone.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most time that a body with a file may take.
const FILE_PATIENCE: Duration = Duration::from_secs(60);

/// The most bytes of a body that are read only to keep its connection.
const SHORT_BODY: usize = 64 * 1024;
/// The most time that reading them may take.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// The bytes reserved before a body comes. Most bodies are shorter, and a client can claim any
/// length.
const USUAL_BODY: usize = 4096;

impl RequestContext {
    /// Reads the body to its end, if it is not longer than the host's limit.
    pub async fn body(&self, headers: &HeaderMap) -> Result<BytesMut, Failure> {
        self.body_up_to(self.host.max_body_bytes, headers).await
    }

    /// Reads a body of up to `limit` bytes to its end.
    pub async fn body_up_to(&self, limit: usize, headers: &HeaderMap) -> Result<BytesMut, Failure> {
        self.read_body(limit, limit, PATIENCE, headers).await
    }

    async fn read_body(
        &self,
        kept: usize,
        limit: usize,
        patience: Duration,
        headers: &HeaderMap,
    ) -> Result<BytesMut, Failure> {
        let length = self.begin_body(limit, headers)?;
        let collected = self.collect(length, kept, limit);
        timeout(patience, collected).await.map_err(|_| Failure::Slow)?
    }

    /// Limits the body that is read next. Returns the length that it is announced to have, or 0.
    pub fn begin_body(&self, limit: usize, headers: &HeaderMap) -> Result<usize, Failure> {
        let length = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        // A length beyond `usize` is above every limit.
        let length = length.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if length.is_some_and(|length| length > limit) {
            return Err(Failure::TooLarge);
        }
        if let Some(line) = &self.chunked {
            line.begin_chunks(limit);
        }
        Ok(length.unwrap_or_default())
    }

    /// The next piece of a body that has [begun](Self::begin_body), and that is too long for memory.
    /// `None` behind the last one. Each piece may take as long as a short body.
    pub async fn next_piece(&self) -> Result<Option<Bytes>, Failure> {
        let piece = timeout(PATIENCE, self.next_chunk()).await.map_err(|_| Failure::Slow)?;
        piece.transpose().map_err(broken)
    }

    /// Reads a body of up to `limit` bytes to its end, and keeps its first `kept` bytes. It may take
    /// a minute: files are long.
    pub async fn body_beginning(
        &self,
        kept: usize,
        limit: usize,
        headers: &HeaderMap,
    ) -> Result<BytesMut, Failure> {
        self.read_body(kept, limit, FILE_PATIENCE, headers).await
    }

    /// Reads and drops the rest of the body if it is short, so that the connection can be kept.
    pub(crate) async fn skip_body(&self) {
        let skipping = async {
            let mut skipped = 0;
            while skipped < SHORT_BODY
                && let Some(Ok(chunk)) = self.next_chunk().await
            {
                skipped += chunk.len();
            }
        };
        // A body that does not come costs its connection.
        let _ = timeout(SHORT_PATIENCE, skipping).await;
    }

    async fn collect(&self, length: usize, kept: usize, limit: usize) -> Result<BytesMut, Failure> {
        let mut dropped = 0;
        let mut body = BytesMut::with_capacity(length.min(USUAL_BODY));
        while let Some(chunk) = self.next_chunk().await {
            let chunk = chunk.map_err(broken)?;
            if chunk.len() > limit - dropped - body.len() {
                return Err(Failure::TooLarge);
            }
            let (beginning, rest) = chunk.split_at(chunk.len().min(kept - body.len()));
            body.extend_from_slice(beginning);
            dropped += rest.len();
        }
        Ok(body)
    }
}

fn broken(error: PayloadError) -> Failure {
    match error {
        PayloadError::Overflow => Failure::TooLarge,
        error => Failure::Broken(error),
    }
}
