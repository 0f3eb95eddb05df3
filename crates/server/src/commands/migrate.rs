//! `hearback migrate`

use super::Task;
use crate::error::Error;
use crate::installation::SetUpError;

pub(super) async fn run(task: &Task<'_>, distribute: bool) -> Result<(), Error> {
    // The installation is opened with its schema up to date.
    task.run(async |installation| {
        if distribute && !installation.store.distribute().await.map_err(SetUpError::Schema)? {
            return Err(Error::NoCitus { store: task.config.store.clone() });
        }
        Ok(())
    })
    .await
}
