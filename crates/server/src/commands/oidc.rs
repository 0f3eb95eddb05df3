//! `hearback oidc …`

use super::member::home;
use super::{Task, secret_from_input};
use crate::cli::OidcCommand;
use crate::error::Error;
use crate::installation::Installation;
use crate::output::{print, print_line};
use hearback_app::oidc::callback_path;
use hearback_app::oidc_providers::{self, NewProvider};
use hearback_app::organizations;
use hearback_domain::oidc::{ClaimNames, OidcProvider};

/// Runs one of the commands.
pub(crate) async fn run(task: &Task<'_>, command: OidcCommand) -> Result<(), Error> {
    match command {
        OidcCommand::Add { organization, provider } => {
            // The server would send nothing to another one.
            task.config.webhook_policy.check(provider.issuer.as_str()).map_err(Error::Issuer)?;
            let secret = secret_from_input()?;
            let usual = ClaimNames::default();
            let named = |given: Option<_>, usual| given.map_or(usual, String::from);
            let new = NewProvider {
                name: provider.name,
                issuer: provider.issuer,
                client_id: provider.client_id,
                claims: ClaimNames {
                    email: named(provider.email_claim, usual.email),
                    email_verified: named(provider.email_verified_claim, usual.email_verified),
                    name: named(provider.name_claim, usual.name),
                    picture: named(provider.picture_claim, usual.picture),
                },
                for_members: provider.for_members,
            };
            let slug = organization.slug.clone();
            task.within(&organization, async |installation, caller| {
                let Installation { ports, vault, .. } = installation;
                let caller = caller.doing("oidc add");
                let added = oidc_providers::add(ports, vault, caller, new.clone(), &secret).await?;
                let organization = organizations::find(ports, &slug).await?;
                let home = home(task, installation, &organization).await?;
                print_line(&line(&added, &home))
            })
            .await
        }
        OidcCommand::List(selected) => {
            let slug = selected.slug.clone();
            task.within(&selected, async |installation, caller| {
                let Installation { ports, .. } = installation;
                let providers = oidc_providers::list(ports, caller.doing("oidc list")).await?;
                let organization = organizations::find(ports, &slug).await?;
                let home = home(task, installation, &organization).await?;
                let lines = providers.iter().map(|provider| line(provider, &home) + "\n");
                print(&lines.collect::<String>())
            })
            .await
        }
        OidcCommand::Remove { organization, id } => {
            task.within(&organization, async |Installation { ports, .. }, caller| {
                Ok(oidc_providers::remove(ports, caller.doing("oidc remove"), id).await?)
            })
            .await
        }
    }
}

fn line(provider: &OidcProvider, home: &str) -> String {
    let OidcProvider { id, name, issuer, client_id, for_members, .. } = provider;
    let who = if *for_members { "everybody" } else { "visitors" };
    // A line is one provider, a tab ends a column, and a terminal obeys escapes.
    let [name, client_id] = [name, client_id].map(|text| text.replace(char::is_control, " "));
    format!("{id}\t{name}\t{issuer}\t{client_id}\t{who}\t{home}{}", callback_path(*id))
}
