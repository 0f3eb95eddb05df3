//! The images of the settings.

use crate::config::Config;
use crate::error::Error;
use hearback_app::images::Images;
use hearback_images::{Files, Reader};
use std::sync::Arc;
use tokio::runtime::Handle;

/// The files of images. Call it on the runtime that drives their connections.
pub(crate) fn files(config: &Config) -> Result<Arc<Files>, Error> {
    Ok(Arc::new(Files::at(&config.images, Handle::current())?))
}

/// The images, as the portal takes and shows them.
pub(crate) fn images(config: &Config) -> Result<Images, Error> {
    let reader = Arc::new(Reader::default());
    Ok(Images { files: files(config)?, reader, quota: config.images_quota })
}
