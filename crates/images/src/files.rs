//! The files of images, in a folder or in S3.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use hearback_domain::id::OrganizationId;
use hearback_domain::image::{COPY_WIDTHS, ImageDigest};
use hearback_ports::images::{FileContent, ImageFile};
use hearback_ports::{ImageFiles, StoreError};
use object_store::aws::AmazonS3Builder;
use object_store::client::SpawnedReqwestConnector;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{Error, ObjectStore, ObjectStoreExt, RetryConfig};
use std::fmt;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use url::Url;

/// Where the files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a folder.
    Folder(PathBuf),
    /// In a bucket of S3, or of a service like it.
    Bucket {
        /// The name of the bucket.
        name: String,
        /// The beginning of the names of all files, or empty.
        prefix: String,
    },
}

/// The text is no [`Place`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected s3://BUCKET, s3://BUCKET/PREFIX, or the path of a folder")]
pub struct NoPlace;

impl Place {
    /// Reads `s3://BUCKET/PREFIX`, or the path of a folder.
    pub fn parse(text: &str) -> Result<Self, NoPlace> {
        if !text.contains("://") {
            return if text.is_empty() { Err(NoPlace) } else { Ok(Self::Folder(text.into())) };
        }
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "s3").ok_or(NoPlace)?;
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.port().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        let prefix = url.path().trim_matches('/');
        match url.host_str() {
            Some(name) if is_plain && Path::parse(prefix).is_ok() => {
                Ok(Self::Bucket { name: name.to_owned(), prefix: prefix.to_owned() })
            }
            _ => Err(NoPlace),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::Bucket { name, prefix } if prefix.is_empty() => write!(f, "s3://{name}"),
            Self::Bucket { name, prefix } => write!(f, "s3://{name}/{prefix}"),
        }
    }
}

/// The place of the files is not fit for use.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep images in {place} (HEARBACK_IMAGES_URL)")]
pub struct FilesError {
    place: Place,
    source: Error,
}

/// The files of images.
pub struct Files {
    store: Arc<dyn ObjectStore>,
}

/// How long a request to S3 is tried again.
const RETRIES: RetryConfig = RetryConfig {
    max_retries: 3,
    retry_timeout: Duration::from_secs(15),
    backoff: object_store::BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(2),
        base: 2.,
    },
};

impl Files {
    /// The files at a place. A folder that is not there is made. The credentials for S3, its region and its address
    /// are variables such as `AWS_ACCESS_KEY_ID`, `AWS_REGION` and `AWS_ENDPOINT`. The runtime drives
    /// the connections.
    pub fn at(place: &Place, runtime: Handle) -> Result<Self, FilesError> {
        let failed = |source| FilesError { place: place.clone(), source };
        let store: Arc<dyn ObjectStore> = match place {
            Place::Folder(folder) => {
                let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
                made.map_err(|error| {
                    failed(Error::Generic { store: "folder", source: Box::new(error) })
                })?;
                let folder = LocalFileSystem::new_with_prefix(folder).map_err(failed)?;
                // A row of the store says that the file is there: it must survive what the row does.
                Arc::new(folder.with_fsync(true).with_automatic_cleanup(true))
            }
            Place::Bucket { name, prefix } => {
                // Another part of the process may have chosen the same.
                let _ = rustls::crypto::ring::default_provider().install_default();
                let bucket = AmazonS3Builder::from_env()
                    .with_bucket_name(name)
                    .with_retry(RETRIES)
                    .with_http_connector(SpawnedReqwestConnector::new(runtime))
                    .build()
                    .map_err(failed)?;
                Arc::new(PrefixStore::new(bucket, prefix.as_str()))
            }
        };
        Ok(Self { store })
    }
}

#[async_trait]
impl ImageFiles for Files {
    async fn put(&self, file: ImageFile, content: Bytes) -> Result<(), StoreError> {
        let put = self.store.put(&path(file), content.into()).await;
        put.map(drop).map_err(|error| failed("writing an image", error))
    }

    async fn get(&self, file: ImageFile) -> Result<Option<FileContent>, StoreError> {
        const DOING: &str = "reading an image";
        match self.store.get(&path(file)).await {
            Ok(found) => Ok(Some(FileContent {
                length: found.meta.size,
                pieces: found.into_stream().map_err(|error| failed(DOING, error)).boxed(),
            })),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(DOING, error)),
        }
    }

    async fn remove(
        &self,
        organization: OrganizationId,
        digest: ImageDigest,
    ) -> Result<(), StoreError> {
        let widths = COPY_WIDTHS.map(Some).into_iter().chain([None]);
        for width in widths {
            match self.store.delete(&path(ImageFile { organization, digest, width })).await {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(failed("removing an image", error)),
            }
        }
        Ok(())
    }

    async fn clear(&self, organization: OrganizationId) -> Result<(), StoreError> {
        let all = self.store.list(Some(&folder(organization)));
        let all = all.map_ok(|file| file.location).boxed();
        let mut removed = self.store.delete_stream(all);
        while let Some(removed) = removed.next().await {
            match removed {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(failed("removing images", error)),
            }
        }
        Ok(())
    }
}

/// The files of an organization are in a folder of their own: no request for one finds those of
/// another.
fn folder(organization: OrganizationId) -> Path {
    Path::from(organization.to_string())
}

fn path(ImageFile { organization, digest, width }: ImageFile) -> Path {
    let name = match width {
        None => digest.to_string(),
        Some(width) => format!("{digest}-{width}"),
    };
    folder(organization).join(name)
}

fn failed(doing: &'static str, error: Error) -> StoreError {
    StoreError::Backend { doing, source: Box::new(error) }
}
