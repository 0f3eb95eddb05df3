//! `hearback key …`

use super::{Task, reseal};
use crate::cli::{KeyCommand, Selected};
use crate::error::Error;
use crate::installation::Installation;
use crate::output::print_line;
use hearback_app::keys::{self, PlainKey};
use hearback_app::organizations;
use hearback_domain::id::OrganizationId;

/// Runs one of the commands. A key stands alone on standard output.
pub(crate) async fn run(task: &Task<'_>, command: KeyCommand) -> Result<(), Error> {
    match command {
        KeyCommand::Generate(selected) => {
            of_organization(
                task,
                selected,
                async |Installation { ports, vault, .. }, organization| {
                    print_key(&keys::generate(ports, vault, organization).await?)
                },
            )
            .await
        }
        KeyCommand::Rotate(selected) => {
            of_organization(
                task,
                selected,
                async |Installation { ports, vault, .. }, organization| {
                    print_key(&keys::rotate(ports, vault, organization).await?)
                },
            )
            .await
        }
        KeyCommand::Reveal(selected) => {
            of_organization(
                task,
                selected,
                async |Installation { ports, vault, .. }, organization| {
                    print_key(&keys::reveal(ports, vault, organization).await?)
                },
            )
            .await
        }
        KeyCommand::Revoke(selected) => {
            of_organization(task, selected, async |Installation { ports, .. }, organization| {
                Ok(keys::revoke(ports, organization).await?)
            })
            .await
        }
        KeyCommand::Reseal(arguments) => reseal::run(task, arguments).await,
    }
}

async fn of_organization(
    task: &Task<'_>,
    selected: Selected,
    work: impl AsyncFnOnce(&Installation, OrganizationId) -> Result<(), Error>,
) -> Result<(), Error> {
    task.run(async |installation| {
        let organization = organizations::find(&installation.ports, &selected.slug).await?.id;
        work(installation, organization).await
    })
    .await
}

fn print_key(key: &PlainKey) -> Result<(), Error> {
    print_line(key.reveal())
}
