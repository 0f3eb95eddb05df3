//! `hearback member`

use super::{Task, secret_from_input};
use crate::cli::MemberCommand;
use crate::error::Error;
use crate::installation::Installation;
use crate::output::print;
use crate::public_url::PublicUrl;
use crate::serve::reachable;
use hearback_app::{Caller, members, organizations, password, portal, second_factor};
use hearback_domain::organization::Organization;
use hearback_domain::permission::Role;
use hearback_domain::person::Email;

/// Runs one of the commands.
pub(crate) async fn run(task: &Task<'_>, command: MemberCommand) -> Result<(), Error> {
    match command {
        MemberCommand::Invite { organization, email, role } => {
            task.run(async |installation| {
                let ports = &installation.ports;
                let organization = organizations::find(ports, &organization.slug).await?;
                let link = invitation(task, installation, &organization, &email, role).await?;
                print(&format!("{link}\n"))
            })
            .await
        }
        MemberCommand::Password { organization, email } => {
            let password = secret_from_input()?;
            task.run(async |Installation { ports, vault, .. }| {
                let organization = organizations::find(ports, &organization.slug).await?;
                Ok(password::set_for(ports, vault, &organization, &email, &password).await?)
            })
            .await
        }
        MemberCommand::ResetSecondFactor { organization, email } => {
            task.run(async |Installation { ports, vault, .. }| {
                let organization = organizations::find(ports, &organization.slug).await?;
                Ok(second_factor::reset(ports, vault, &organization, &email).await?)
            })
            .await
        }
    }
}

/// The link by which a person signs in, once, and gets a role on the team.
pub(super) async fn invitation(
    task: &Task<'_>,
    installation: &Installation,
    organization: &Organization,
    email: &Email,
    role: Role,
) -> Result<String, Error> {
    let Installation { ports, vault, .. } = installation;
    let home = home(task, installation, organization).await?;
    let caller = Caller::command_line(organization.id).doing("member invite");
    let token = members::invite_by_operator(ports, vault, caller, email, role).await?;
    Ok(format!("{home}/sign-in/{}", token.reveal()))
}

/// The address of an organization's portal, without a slash at its end.
pub(super) async fn home(
    task: &Task<'_>,
    Installation { ports, .. }: &Installation,
    organization: &Organization,
) -> Result<String, Error> {
    let config = task.config;
    let public = config.public_url.clone();
    let public = public.unwrap_or_else(|| PublicUrl::of(reachable(config.listen))).to_string();
    let home = portal::home(ports, organization, &public).await;
    Ok(home.map_err(hearback_app::Error::from)?)
}
