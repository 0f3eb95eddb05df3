//! `hearback key …`

use super::Task;
use crate::cli::Key;
use crate::error::Error;
use crate::output::print_line;
use hearback_app::{keys, organizations};

/// Runs one of the commands. A key stands alone on standard output.
pub(crate) async fn run(task: &Task<'_>, command: Key) -> Result<(), Error> {
    let (Key::Generate(selected) | Key::Rotate(selected) | Key::Reveal(selected) | Key::Revoke(selected)) = &command;
    task.run(async |installation| {
        let (ports, vault) = (&installation.ports, &installation.vault);
        let organization = organizations::find(ports, &selected.slug).await?.id;
        let key = match command {
            Key::Generate(_) => keys::generate(ports, vault, organization).await?,
            Key::Rotate(_) => keys::rotate(ports, vault, organization).await?,
            Key::Reveal(_) => keys::reveal(ports, vault, organization).await?,
            Key::Revoke(_) => return Ok(keys::revoke(ports, organization).await?),
        };
        print_line(key.reveal())
    })
    .await
}
