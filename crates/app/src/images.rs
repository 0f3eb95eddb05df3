//! Images: what people upload, and what becomes of it.
//!
//! A row of the store says that an organization has an image, and counts it against the quota. It
//! comes before the files, so that a file without a row is one that is being written. A row that no
//! text of the organization names is removed a day after the upload, with its files.

use crate::backlog::{Progress, Round, StepError};
use crate::portable::{ExportError, each_line};
use crate::portal::Visit;
use crate::{Error, Missing};
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use hearback_domain::id::OrganizationId;
use hearback_domain::image::{
    Image, ImageDigest, ImageFormat, UNUSED_KEPT, USED_KEPT, named, review_time,
};
use hearback_domain::record::Kind;
use hearback_ports::backlog::Task;
use hearback_ports::images::{Admission, FileContent, ImageFile, PreparedImage, UnfitImage};
use hearback_ports::{ImageFiles, ImageReader, Ports, StoreError, deadline};
use ring::digest::{SHA256, digest};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// The adapters and the limit of images.
#[derive(Clone)]
pub struct Images {
    /// The files.
    pub files: Arc<dyn ImageFiles>,
    /// The reader of uploads.
    pub reader: Arc<dyn ImageReader>,
    /// The most bytes that the images of an organization take together.
    pub quota: u64,
}

/// An upload was not taken.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The file is not fit.
    #[error(transparent)]
    Unfit(#[from] UnfitImage),
    /// The organization has no room for it.
    #[error("the images of the organization take all of their quota")]
    Full,
    /// The visitor may not upload, or the store failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<StoreError> for UploadError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// An image that is shown.
pub struct Opened {
    /// The format.
    pub format: ImageFormat,
    /// The length, in bytes.
    pub length: u64,
    /// The content, in pieces.
    pub pieces: BoxStream<'static, Result<Bytes, StoreError>>,
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("length", &self.length).finish_non_exhaustive()
    }
}

/// Fails unless the visitor may upload images: those who have signed in may.
pub fn may_upload(visit: &Visit) -> Result<(), Error> {
    visit.oneself().map(drop)
}

impl Images {
    /// Takes an upload of a visitor. The same picture is stored once.
    pub async fn upload(
        &self,
        ports: &Ports,
        visit: &Visit,
        file: Bytes,
    ) -> Result<Image, UploadError> {
        may_upload(visit)?;
        let organization = visit.organization();
        let PreparedImage { format, width, height, content, copies } =
            self.reader.read(file).await?;
        deadline::renew();
        let bytes: usize = copies.iter().map(|(_, copy)| copy.len()).sum();
        let now = ports.clock.now();
        let image = Image {
            digest: digest_of(&content),
            format,
            width,
            height,
            bytes: (content.len() + bytes) as u64,
            created_at: now,
            review_at: review_time(now.plus_millis(UNUSED_KEPT)),
        };
        match ports.images.add(organization, image, self.quota).await? {
            Admission::Full => return Err(UploadError::Full),
            Admission::Gone => {
                return Err(Error::NotFound(Missing::Record(Kind::Organization)).into());
            }
            // The files of a known image may be missing: their first upload may have failed.
            Admission::Added | Admission::Known => {}
        }
        let copies = copies.into_iter().map(|(width, copy)| (Some(width), copy));
        for (width, content) in copies.chain([(None, content)]) {
            let file = ImageFile { organization, digest: image.digest, width };
            self.files.put(file, content).await?;
        }
        deadline::renew();
        Ok(image)
    }

    /// Opens an image, or its copy of a width if there is one. `None` if the organization has no
    /// such image.
    pub async fn open(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        width: Option<u32>,
    ) -> Result<Option<Opened>, StoreError> {
        let file = ImageFile { organization, digest, width };
        let mut found = self.files.get(file).await?;
        if found.is_none() && width.is_some() {
            // A small image has no copies.
            found = self.files.get(ImageFile { width: None, ..file }).await?;
        }
        let Some(FileContent { length, mut pieces }) = found else { return Ok(None) };
        let first = pieces.next().await.transpose()?.unwrap_or_default();
        // The files are our own. What is none of the formats is not shown all the same.
        let format = ImageFormat::sniff(&first);
        let pieces = stream::iter([Ok(first)]).chain(pieces).boxed();
        Ok(format.map(|format| Opened { format, length, pieces }))
    }
}

fn digest_of(content: &[u8]) -> ImageDigest {
    let mut sum = [0; 32];
    sum.copy_from_slice(digest(&SHA256, content).as_ref());
    ImageDigest(sum)
}

/// Removes a batch of the images of each organization that none of its texts names. More may be
/// unused if it did anything.
pub async fn review_images(ports: &Ports, images: &Images) -> Progress {
    let mut round = Round::new(ports, Task::ReviewImages);
    while let Some(organization) = round.next().await {
        let result = review_of(ports, images, organization, &mut round.progress).await;
        round.keep(result);
    }
    round.progress
}

async fn review_of(
    ports: &Ports,
    images: &Images,
    organization: OrganizationId,
    progress: &mut Progress,
) -> Result<(), StepError> {
    let now = ports.clock.now();
    let due = ports.images.due(organization, now, BATCH).await?;
    let mut unused: HashSet<ImageDigest> = due.iter().copied().collect();
    let look = |line: &str| {
        for digest in named(line) {
            unused.remove(&digest);
        }
    };
    each_line(ports, organization, look).await.map_err(unreadable)?;
    for digest in due {
        if !unused.contains(&digest) {
            let until = review_time(now.plus_millis(USED_KEPT));
            ports.images.postpone(organization, digest, now, until).await?;
        } else if ports.images.remove(organization, digest, now).await? {
            // An upload of the same picture has moved the review, and keeps the files.
            images.files.remove(organization, digest).await?;
            progress.done += 1;
        }
    }
    Ok(())
}

/// The most images of an organization that are reviewed at once. Each review reads all texts.
const BATCH: i64 = 1_000;

fn unreadable(error: ExportError) -> StepError {
    match error {
        ExportError::Store(error) => error.into(),
        error => {
            let doing = "searching the texts for images";
            StoreError::Backend { doing, source: Box::new(error) }.into()
        }
    }
}

#[cfg(test)]
mod tests;
