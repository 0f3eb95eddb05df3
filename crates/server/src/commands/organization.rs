//! `hearback organization …`

use super::Task;
use super::import::style;
use crate::cli::OrganizationCommand;
use crate::error::Error;
use crate::images::files;
use crate::installation::Installation;
use crate::output::{print, print_line};
use hearback_app::Precondition;
use hearback_app::organizations::{self, Beginning};
use hearback_domain::organization::{HelpCenter, Organization, OrganizationPatch};
use indicatif::ProgressBar;

/// Runs one of the commands.
pub(crate) async fn run(task: &Task<'_>, command: OrganizationCommand) -> Result<(), Error> {
    match command {
        OrganizationCommand::Create { slug, name, without_help_center, empty } => {
            let help_center = HelpCenter::from_flag(!without_help_center);
            task.run(async |installation| {
                let beginning = if empty { Beginning::Empty } else { Beginning::Usual };
                let ports = &installation.ports;
                let made = organizations::create(ports, slug, name, help_center, beginning).await?;
                print_line(&made.id.to_string())
            })
            .await
        }
        OrganizationCommand::List => {
            task.run(async |installation| {
                let all = organizations::list(&installation.ports).await?;
                print(&all.iter().map(line).collect::<String>())
            })
            .await
        }
        OrganizationCommand::Set { organization, settings } => {
            let patch = OrganizationPatch::from(*settings);
            if patch == OrganizationPatch::default() {
                return Err(Error::NothingToSet);
            }
            task.within(&organization, async |Installation { ports, .. }, caller| {
                let caller = caller.doing("organization set");
                let set = organizations::set(ports, caller, patch.clone()).await;
                set.map_err(|error| match error {
                    hearback_app::Error::Refused(Precondition::HostTaken) => Error::HostTaken,
                    error => error.into(),
                })
            })
            .await
        }
        OrganizationCommand::Delete { organization, yes: true } => {
            task.run(async |installation| {
                let bar = ProgressBar::no_length().with_style(style(ROWS));
                let removed = |rows| bar.set_position(rows);
                let files = files(task.config)?;
                let ports = &installation.ports;
                let result =
                    organizations::delete(ports, &*files, &organization.slug, removed).await;
                bar.finish_and_clear();
                Ok(result?)
            })
            .await
        }
        // Nothing is opened or made before the confirmation.
        OrganizationCommand::Delete { organization, yes: false } => {
            let slug = organization.slug;
            Err(Error::Unconfirmed(format!(
                "the organization {slug} and all its data would be deleted for good"
            )))
        }
    }
}

/// The progress of a deletion.
pub(super) const ROWS: &str = "{spinner} removed {human_pos} rows, {elapsed}";

fn line(organization: &Organization) -> String {
    let help_center =
        if organization.help_center.is_enabled() { "help center" } else { "no help center" };
    // A name may have any characters, but a line is one organization, a tab ends a column, and a
    // terminal obeys escapes.
    let name = organization.name.replace(char::is_control, " ");
    format!("{}\t{name}\t{}\t{help_center}\n", organization.slug, organization.id)
}
