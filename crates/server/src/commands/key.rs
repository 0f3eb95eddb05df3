//! `hearback key …`

use super::{Task, reseal};
use crate::cli::KeyCommand;
use crate::error::Error;
use crate::installation::Installation;
use crate::output::print_line;
use hearback_app::keys::{self, PlainKey};

/// Runs one of the commands. A key stands alone on standard output.
pub(crate) async fn run(task: &Task<'_>, command: KeyCommand) -> Result<(), Error> {
    match command {
        KeyCommand::Generate(selected) => {
            task.within(&selected, async |Installation { ports, vault, .. }, caller| {
                print_key(&keys::generate(ports, vault, caller.doing("key generate")).await?)
            })
            .await
        }
        KeyCommand::Rotate(selected) => {
            task.within(&selected, async |Installation { ports, vault, .. }, caller| {
                print_key(&keys::rotate(ports, vault, caller.doing("key rotate")).await?)
            })
            .await
        }
        KeyCommand::Reveal(selected) => {
            task.within(&selected, async |Installation { ports, vault, .. }, caller| {
                print_key(&keys::reveal(ports, vault, caller).await?)
            })
            .await
        }
        KeyCommand::Revoke(selected) => {
            task.within(&selected, async |Installation { ports, .. }, caller| {
                Ok(keys::revoke(ports, caller.doing("key revoke")).await?)
            })
            .await
        }
        KeyCommand::Reseal(arguments) => reseal::run(task, arguments).await,
    }
}

fn print_key(key: &PlainKey) -> Result<(), Error> {
    print_line(key.reveal())
}
