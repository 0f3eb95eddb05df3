//! `hearback key reseal`

use super::Task;
use super::backup::require;
use crate::cli::Reseal;
use crate::error::Error;
use crate::installation::{Installation, SetUpError};
use crate::master_key::{MasterKeySource, NextKey, UnlockError};
use crate::output::print_line;
use hearback_app::MasterKey;
use hearback_app::reseal::{ResealError, reseal};
use hearback_app::vault::{self, FormerLinks};
use std::io::{self, Write};
use std::path::Path;

/// Replaces the master key.
pub(crate) async fn run(task: &Task<'_>, arguments: Reseal) -> Result<(), Error> {
    let links = if arguments.forget_links { FormerLinks::Forget } else { FormerLinks::Keep };
    let given = task.config.new_master_key.as_ref();
    require(&task.config.store)?;
    let (secrets, where_it_is) = match MasterKeySource::new(task.config)
        .map_err(SetUpError::MasterKey)?
    {
        MasterKeySource::Given(present) => {
            let next = given.ok_or(Error::NoNewMasterKey)?;
            let installation = match Installation::open(task.config, task.migration).await {
                Err(error)
                    if is_wrong_key(&error) && opens(task, &MasterKeySource::Given(next)).await =>
                {
                    return Err(ResealError::SameKey.into());
                }
                opened => opened?,
            };
            let resealed = reseal(&*installation.ports.instance, present, next, links).await;
            installation.close().await;
            (resealed?, ": put it into HEARBACK_MASTER_KEY".to_owned())
        }
        MasterKeySource::InDirectory(directory) => {
            // This finishes an interrupted replacement.
            let installation = Installation::open(task.config, task.migration).await?;
            let resealed = in_directory(&installation, directory, given, links).await;
            installation.close().await;
            (
                resealed?,
                format!(
                    ", which {} holds now: keep a copy of it",
                    MasterKeySource::file(directory).display()
                ),
            )
        }
    };
    // The replacement is done, even if standard error is closed.
    let _ = writeln!(io::stderr(), "{}", tell(&where_it_is));
    print_line(&secrets.to_string())
}

/// Replaces the key in the data directory. After an interrupted replacement it replaces twice: see
/// [`NextKey`].
async fn in_directory(
    installation: &Installation,
    directory: &Path,
    given: Option<&MasterKey>,
    links: FormerLinks,
) -> Result<u64, Error> {
    loop {
        let next = NextKey::keep(directory, given).map_err(SetUpError::MasterKey)?;
        let secrets =
            reseal(&*installation.ports.instance, &next.present, &next.next, links).await?;
        let is_wanted = next.is_wanted;
        next.take_over().map_err(SetUpError::MasterKey)?;
        if is_wanted {
            return Ok(secrets);
        }
    }
}

fn tell(where_it_is: &str) -> String {
    format!(
        "all secrets are sealed under the new master key{where_it_is}, then restart every server: \
         those that run with the old one send no webhooks until then. Keep the old one as long as \
         there are backups from its time"
    )
}

pub(super) fn is_wrong_key(error: &SetUpError) -> bool {
    matches!(error, SetUpError::Unlock(UnlockError::Vault(vault::UnlockError::WrongKey)))
}

/// Whether the store has this master key already.
async fn opens(task: &Task<'_>, master_key: &MasterKeySource<'_>) -> bool {
    match Installation::open_with(task.config, task.migration, master_key).await {
        Ok(installation) => {
            installation.close().await;
            true
        }
        Err(_) => false,
    }
}
