//! `hearback sso …`

use super::Task;
use super::member::home;
use crate::cli::{Selected, SsoCommand};
use crate::error::Error;
use crate::installation::Installation;
use crate::output::print_line;
use hearback_app::sso_sign_in::{self, Checked};
use hearback_app::{organizations, sso_secrets};
use url::Url;

/// Runs one of the commands. A secret stands alone on standard output.
pub(crate) async fn run(task: &Task<'_>, command: SsoCommand) -> Result<(), Error> {
    match command {
        SsoCommand::Generate(selected) => {
            task.within(&selected, async |Installation { ports, vault, .. }, caller| {
                let caller = caller.doing("sso generate");
                print_line(sso_secrets::generate(ports, vault, caller).await?.reveal())
            })
            .await
        }
        SsoCommand::Retire(selected) => {
            task.within(&selected, async |Installation { ports, .. }, caller| {
                Ok(sso_secrets::retire(ports, caller.doing("sso retire")).await?)
            })
            .await
        }
        SsoCommand::Check { organization, token } => check(task, &organization, &token).await,
    }
}

async fn check(task: &Task<'_>, selected: &Selected, token: &str) -> Result<(), Error> {
    task.run(async |installation| {
        let Installation { ports, vault, .. } = installation;
        let organization = organizations::find(ports, &selected.slug).await?;
        let home = home(task, installation, &organization).await?;
        let origin = Url::parse(&home).map(|url| url.origin().ascii_serialization());
        let origin = origin.unwrap_or_default();
        let audiences = sso_sign_in::audiences(&organization, &origin, &home);
        let checked = sso_sign_in::check(ports, vault, organization.id, token, &audiences).await?;
        let Checked { person, user } = checked?;
        let user = user.map_or_else(|| "new".to_owned(), |user| user.user_id.to_string());
        print_line(&format!("{user}\t{}\t{}", person.external_id.as_str(), person.email.as_str()))
    })
    .await
}
