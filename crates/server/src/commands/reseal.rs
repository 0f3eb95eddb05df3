//! `hearback key reseal`

use super::Task;
use crate::cli::Reseal;
use crate::error::Error;
use crate::installation::{Installation, SetUpError};
use crate::master_key::{MasterKeySource, NextKey, UnlockError};
use crate::output::print_line;
use hearback_app::reseal::{ResealError, reseal};
use hearback_app::vault::{self, FormerLinks};
use std::io::{self, Write};

/// Replaces the master key.
pub(crate) async fn run(task: &Task<'_>, arguments: Reseal) -> Result<(), Error> {
    let links = if arguments.forget_links { FormerLinks::Forget } else { FormerLinks::Keep };
    let given = task.config.new_master_key.as_ref();
    let (secrets, where_it_is) = match MasterKeySource::new(task.config).map_err(SetUpError::MasterKey)? {
        MasterKeySource::Given(present) => {
            let next = given.ok_or(Error::NoNewMasterKey)?;
            let installation = match Installation::open(task.config, task.migration).await {
                Err(error) if is_wrong_key(&error) && opens(task, &MasterKeySource::Given(next)).await => {
                    return Err(ResealError::SameKey.into());
                }
                opened => opened?,
            };
            let resealed = reseal(&*installation.ports.instance, present, next, links).await;
            installation.close().await;
            (resealed?, ": put it into HEARBACK_MASTER_KEY".to_owned())
        }
        MasterKeySource::InDirectory(directory) => {
            // A replacement that was not seen to its end is, by this.
            let installation = Installation::open(task.config, task.migration).await?;
            let next = NextKey::keep(directory, given).map_err(SetUpError::MasterKey)?;
            let resealed = reseal(&*installation.ports.instance, &next.present, &next.next, links).await;
            installation.close().await;
            let secrets = resealed?;
            next.take_over().map_err(SetUpError::MasterKey)?;
            (secrets, format!(", which {} holds now: keep a copy of it", MasterKeySource::file(directory).display()))
        }
    };
    // A closed standard error does not undo what was done.
    let _ = writeln!(io::stderr(), "{}", tell(&where_it_is));
    print_line(&secrets.to_string())
}

fn tell(where_it_is: &str) -> String {
    format!(
        "all secrets are sealed under the new master key{where_it_is}, then restart every server: those that run with the old one send \
         no webhooks until then. Keep the old one as long as there are backups from its time"
    )
}

fn is_wrong_key(error: &SetUpError) -> bool {
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
