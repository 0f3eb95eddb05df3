//! Images: their rows in the store, their files, and the reader of uploads.

use crate::StoreError;
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_domain::image::{Image, ImageDigest, ImageFormat};
use std::fmt;

/// The result of [`ImageRepository::add`].
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The image has a row now.
    Added,
    /// It had one already, which is reviewed no earlier than the new one would be.
    Known,
    /// The images of the organization would take more than the quota. Nothing was done.
    Full,
    /// The organization is gone. Nothing was done.
    Gone,
}

/// Stores which images an organization has. They are no records: no export has them. The removal of
/// an organization takes the rows along. A call that has to be made again returns
/// [`StoreError::Busy`].
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImageRepository: Send + Sync {
    /// Adds an image, if the organization has it already or its images take no more than `quota`
    /// bytes afterwards. The calls for an organization take turns.
    async fn add(
        &self,
        organization: OrganizationId,
        image: Image,
        quota: u64,
    ) -> Result<Admission, StoreError>;

    /// An image. The primary answers this, never a replica, which may lag.
    async fn find(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
    ) -> Result<Option<Image>, StoreError>;

    /// Up to `limit` images whose `review_at` is before `now`, by `review_at`, then digest.
    async fn due(
        &self,
        organization: OrganizationId,
        now: Time,
        limit: i64,
    ) -> Result<Vec<ImageDigest>, StoreError>;

    /// Sets `review_at` of an image to `until`, if it is before `now`.
    async fn postpone(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
        until: Time,
    ) -> Result<(), StoreError>;

    /// Removes an image, if its `review_at` is before `now`. Returns whether it did.
    async fn remove(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
        now: Time,
    ) -> Result<bool, StoreError>;
}

/// The name of a file: an image, or a smaller copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImageFile {
    /// The organization.
    pub organization: OrganizationId,
    /// The digest of the image.
    pub digest: ImageDigest,
    /// The width of the copy. `None` for the image itself.
    pub width: Option<u32>,
}

/// The content of a file.
pub struct FileContent {
    /// The length, in bytes.
    pub length: u64,
    /// The content, in pieces.
    pub pieces: BoxStream<'static, Result<Bytes, StoreError>>,
}

impl fmt::Debug for FileContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileContent").field("length", &self.length).finish_non_exhaustive()
    }
}

/// Keeps the files of images.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImageFiles: Send + Sync {
    /// Writes a file, whole or not at all. It replaces the present one.
    async fn put(&self, file: ImageFile, content: Bytes) -> Result<(), StoreError>;

    /// The content of a file. `None` if there is none.
    async fn get(&self, file: ImageFile) -> Result<Option<FileContent>, StoreError>;

    /// Removes an image with its copies, as far as they are there.
    async fn remove(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
    ) -> Result<(), StoreError>;

    /// Removes all files of an organization.
    async fn clear(&self, organization: OrganizationId) -> Result<(), StoreError>;
}

/// An image as it is to be stored.
#[derive(Clone, PartialEq, Eq)]
pub struct PreparedImage {
    /// The format.
    pub format: ImageFormat,
    /// The width as it is shown, in pixels.
    pub width: u32,
    /// The height as it is shown, in pixels.
    pub height: u32,
    /// The image, without anything that is not a part of the picture.
    pub content: Bytes,
    /// The smaller copies, with the width of each.
    pub copies: Vec<(u32, Bytes)>,
}

impl fmt::Debug for PreparedImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, width, height, .. } = self;
        write!(f, "PreparedImage({} {width}x{height})", format_args!("{format:?}"))
    }
}

/// The reasons why a file is not taken as an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitImage {
    /// It is in no [`ImageFormat`].
    #[error("the file is in no format of images")]
    Format,
    /// It has more pixels than [`MAX_PIXELS`](hearback_domain::image::MAX_PIXELS) or
    /// [`MAX_SIDE`](hearback_domain::image::MAX_SIDE), in one frame or in all together.
    #[error("the image has too many pixels")]
    TooLarge,
    /// It ends early or breaks the rules of its format.
    #[error("the image is broken")]
    Broken,
    /// Other images are being read. A later try may succeed.
    #[error("too many images are being read")]
    Busy,
}

/// Reads uploads. Whatever they are, it takes bounded memory.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ImageReader: Send + Sync {
    /// Checks a file to its end, removes what is not a part of the picture, and makes the smaller
    /// copies.
    async fn read(&self, file: Bytes) -> Result<PreparedImage, UnfitImage>;
}
