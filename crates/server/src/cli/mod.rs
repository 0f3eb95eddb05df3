//! The command line.

mod organization;
mod values;
mod webhook;

pub(crate) use organization::OrganizationSettings;
pub(crate) use webhook::{Deliveries, Replay, SelectedSubscription, WebhookCommand};

use crate::installation::Migration;
use crate::settings;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use hearback_domain::id::OidcProviderId;
use hearback_domain::oidc::{Issuer, ProviderText};
use hearback_domain::permission::Role;
use hearback_domain::person::Email;
use hearback_domain::slug::Slug;
use hearback_domain::text::Name;
use std::path::PathBuf;
use values::{email, id, issuer, name, one_of, provider_text, slug};

/// Feedback boards, roadmap, changelog and help center behind one HTTP API.
///
/// Without settings, hearback keeps its database, its master key and its mails in ./data, and
/// listens on 127.0.0.1:8080.
#[derive(Debug, Parser)]
#[command(name = "hearback", version, after_long_help = settings::help())]
pub(crate) struct CommandLine {
    /// Fail on a schema that is not up to date instead of migrating it.
    #[arg(long, global = true)]
    no_migrate: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl CommandLine {
    pub(crate) fn migration(&self) -> Migration {
        if self.no_migrate { Migration::Forbidden } else { Migration::Allowed }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the API.
    ///
    /// The server also publishes scheduled entries, sends mails and delivers webhooks. SIGTERM or
    /// Ctrl-C stops it, as soon as the requests in flight are answered; a second signal, at once.
    #[command(after_help = "\
Examples:
  hearback serve
  HEARBACK_LISTEN=0.0.0.0:80 DATABASE_URL=postgres://me@db/hearback hearback serve")]
    Serve,
    /// Migrate the schema of the store.
    ///
    /// Every other command that opens the store migrates it first, unless --no-migrate is given.
    Migrate {
        /// Spread the tables over the nodes of a Citus cluster, with all rows in them.
        ///
        /// No server may use the store meanwhile. Tables that are spread already stay as they are.
        #[arg(long)]
        distribute: bool,
    },
    /// Load an example organization, and print its API key and three requests to try.
    ///
    /// An organization that is loaded already is left as it is.
    Demo,
    /// Create, list and delete organizations.
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Invite people to the team of an organization, and set or reset how they sign in.
    #[command(subcommand)]
    Member(MemberCommand),
    /// Manage API keys and the master key.
    #[command(subcommand)]
    Key(KeyCommand),
    /// Manage the secrets of single sign-on, and check tokens.
    #[command(subcommand)]
    Sso(SsoCommand),
    /// Manage the providers of OpenID Connect at which people sign in.
    #[command(subcommand)]
    Oidc(OidcCommand),
    /// Manage webhook subscriptions and their deliveries.
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// Import organizations from a file.
    ///
    /// The file is in the portable format, one JSON record a line. A fault in a line leaves nothing
    /// imported.
    #[command(after_help = "\
Examples:
  hearback import --dry-run acme.jsonl
  zcat acme.jsonl.gz | hearback import -")]
    Import(Import),
    /// Export an organization.
    ///
    /// The file is in the portable format, one JSON record a line, as `hearback import` reads it.
    #[command(after_help = "\
Examples:
  hearback export --organization acme acme.jsonl
  hearback export --organization acme --with-secrets | gzip >acme.jsonl.gz")]
    Export(Export),
    /// Print all settings.
    ///
    /// The columns are separated by tabs: name, value and origin, which is `default`, `environment`
    /// or `file PATH`. Secrets are shown as ***, and addresses without passwords. The exit status
    /// is 1 if a setting is wrong.
    Config,
    /// Check settings, store, keys, counts, mail, webhooks and port.
    ///
    /// Each line begins with `ok`, `warning`, `problem` or `skipped`; the line below a warning or a
    /// problem says how to mend it. Nothing is changed or sent. The exit status is 1 if there is a
    /// problem.
    Doctor,
    /// Count votes, comments, categories and articles anew.
    ///
    /// Prints the number of records whose counts were wrong, and are right now. Servers may run
    /// meanwhile. `hearback doctor` tells whether this is needed.
    Recount {
        /// Organization, by its slug [default: all].
        #[arg(long, value_name = "SLUG")]
        organization: Option<String>,
    },
    /// Copy the embedded store to a file, while servers run.
    ///
    /// The master key is not in the copy: keep a copy of it elsewhere.
    #[command(after_help = "\
Example:
  hearback backup /backups/hearback-$(date +%F).db")]
    Backup(Backup),
    /// Replace the embedded store by a backup.
    ///
    /// The present store is kept beside the new one, and its new name is printed. No server may
    /// use the store meanwhile.
    #[command(after_help = "\
Example:
  hearback restore /backups/hearback-2026-03-01.db --yes")]
    Restore(Restore),
    /// Give an agent the tools of an organization, over standard input and output.
    ///
    /// An agent starts this as an MCP server, and closes its input to end it. It works on the store
    /// itself, with the rights of the API key. A server takes agents at /mcp (docs/mcp.md).
    #[command(after_help = "\
Example:
  claude mcp add hearback -- hearback mcp --organization acme")]
    Mcp(Selected),
    /// Print the OpenAPI 3.1 description of the API.
    ///
    /// A server serves the same at /openapi.json.
    Openapi,
    /// Print a completion script for a shell.
    #[command(after_help = "\
Example:
  hearback completions bash >/etc/bash_completion.d/hearback")]
    Completions {
        /// Shell to complete command lines of.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page.
    #[command(after_help = "\
Examples:
  hearback man | man -l -
  hearback man --directory /usr/local/share/man/man1")]
    Man {
        /// Write this page and one for each command to a directory.
        #[arg(long, value_name = "DIR")]
        directory: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// File to read; - is standard input.
    pub(crate) file: PathBuf,
    /// Check the file and import nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// Include API keys and signing secrets, in the clear.
    #[arg(long)]
    pub(crate) with_secrets: bool,
    /// File to write or replace [default: standard output].
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// File to write; only an earlier backup is replaced.
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// Backup to read.
    pub(crate) file: PathBuf,
    /// Confirm, if the present store has organizations.
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OrganizationCommand {
    /// Create an organization and print its identifier.
    ///
    /// It begins with a board for feedback and five statuses, so that posts can be made.
    #[command(after_help = "\
Example:
  hearback organization create --slug acme --name 'Acme Inc.'")]
    Create {
        /// Name in URLs and on the command line.
        #[arg(long, value_parser = slug)]
        slug: Slug,
        /// Name for people.
        #[arg(long, value_parser = name)]
        name: Name,
        /// Create it without a help center.
        #[arg(long)]
        without_help_center: bool,
        /// Create it without a board and statuses.
        #[arg(long)]
        empty: bool,
    },
    /// List organizations.
    ///
    /// The columns are separated by tabs: slug, name, identifier, help center.
    List,
    /// Change the settings of an organization.
    ///
    /// At least one is given; the others stay. An empty text removes a value.
    #[command(after_help = "\
Examples:
  hearback organization set --organization acme --events-ledger on
  hearback organization set --organization acme --accent '#0f766e' --host feedback.acme.example
  hearback organization set --organization acme --welcome-text '' --private on")]
    Set {
        #[command(flatten)]
        organization: Selected,
        #[command(flatten)]
        settings: Box<OrganizationSettings>,
    },
    /// Delete an organization with all its data.
    ///
    /// Every server refuses the key of the organization after a second. Then the data is removed in
    /// small parts. If this command is interrupted, the servers remove the rest, or the same command
    /// does.
    Delete {
        #[command(flatten)]
        organization: Selected,
        /// Confirm.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemberCommand {
    /// Print a link by which a person signs in, and gets a role on the team.
    ///
    /// The link is good once, for seven days, in any browser. It ends earlier links for the same
    /// address.
    #[command(after_help = "\
Example:
  hearback member invite --organization acme --email ada@acme.example --role owner")]
    Invite {
        #[command(flatten)]
        organization: Selected,
        /// Address of the person.
        #[arg(long, value_name = "ADDRESS", value_parser = email)]
        email: Email,
        /// Role: owner, admin, member or viewer.
        #[arg(long, value_parser = one_of::<Role>())]
        role: Role,
    },
    /// Set the password of a user, and end the user's sessions.
    ///
    /// The password is the first line of standard input. It is for those who can sign in by nothing
    /// else.
    #[command(after_help = "\
Example:
  hearback member password --organization acme --email ada@acme.example < password.txt")]
    Password {
        #[command(flatten)]
        organization: Selected,
        /// Address of the user.
        #[arg(long, value_name = "ADDRESS", value_parser = email)]
        email: Email,
    },
    /// Remove the second factor of a user, and end the user's sessions.
    ///
    /// It is for those who have lost their authenticator app and their recovery codes. Make sure
    /// that it is really they who ask.
    #[command(after_help = "\
Example:
  hearback member reset-second-factor --organization acme --email ada@acme.example")]
    ResetSecondFactor {
        #[command(flatten)]
        organization: Selected,
        /// Address of the user.
        #[arg(long, value_name = "ADDRESS", value_parser = email)]
        email: Email,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OidcCommand {
    /// Add a provider, and print it as `list` does.
    ///
    /// The client secret is the first line of standard input. Give the callback address, the last
    /// column, to the provider.
    #[command(after_help = "\
Example:
  hearback oidc add --organization acme --name Google --issuer https://accounts.google.com \\
    --client-id 1234.apps.googleusercontent.com < secret.txt")]
    Add {
        #[command(flatten)]
        organization: Selected,
        #[command(flatten)]
        provider: Box<NewProvider>,
    },
    /// List the providers.
    ///
    /// The columns are separated by tabs: the identifier, the name, the issuer, the client, whom it
    /// signs in (`visitors`, or `everybody` with members of the team), and the callback address.
    List(Selected),
    /// Remove a provider.
    ///
    /// Nobody signs in by it once this command has ended. Sessions stay.
    Remove {
        #[command(flatten)]
        organization: Selected,
        /// Identifier of the provider.
        #[arg(long, value_parser = id::<OidcProviderId>)]
        id: OidcProviderId,
    },
}

#[derive(Debug, Args)]
pub(crate) struct NewProvider {
    /// Name on the button.
    #[arg(long, value_name = "TEXT", value_parser = provider_text)]
    pub(crate) name: ProviderText,
    /// Issuer: the URL below which .well-known/openid-configuration is.
    #[arg(long, value_name = "URL", value_parser = issuer)]
    pub(crate) issuer: Issuer,
    /// Identifier that the provider has given the portal.
    #[arg(long, value_name = "ID", value_parser = provider_text)]
    pub(crate) client_id: ProviderText,
    /// Let members of the team sign in by it, too. Who runs the provider can sign in as any of them.
    #[arg(long)]
    pub(crate) for_members: bool,
    /// Claim with the address [email].
    #[arg(long, value_name = "CLAIM", value_parser = provider_text)]
    pub(crate) email_claim: Option<ProviderText>,
    /// Claim that says whether the provider has confirmed the address [email_verified].
    #[arg(long, value_name = "CLAIM", value_parser = provider_text)]
    pub(crate) email_verified_claim: Option<ProviderText>,
    /// Claim with the name [name].
    #[arg(long, value_name = "CLAIM", value_parser = provider_text)]
    pub(crate) name_claim: Option<ProviderText>,
    /// Claim with the URL of a picture [picture].
    #[arg(long, value_name = "CLAIM", value_parser = provider_text)]
    pub(crate) picture_claim: Option<ProviderText>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Generate the API key of an organization and print it.
    Generate(Selected),
    /// Replace the API key of an organization and print the new one.
    ///
    /// Every server refuses the old key once this command has ended.
    Rotate(Selected),
    /// Print the API key of an organization.
    Reveal(Selected),
    /// Revoke the API key of an organization.
    ///
    /// Every server refuses the key once this command has ended.
    Revoke(Selected),
    /// Replace the master key, and print the number of secrets sealed anew.
    ///
    /// The new key is HEARBACK_NEW_MASTER_KEY, 64 hex digits. A key in the data directory is
    /// replaced there, by a generated one if none is given.
    #[command(after_help = "\
Example:
  HEARBACK_NEW_MASTER_KEY=$(openssl rand -hex 32) hearback key reseal")]
    Reseal(Reseal),
}

#[derive(Debug, Subcommand)]
pub(crate) enum SsoCommand {
    /// Generate a secret with which your software signs tokens, and print it.
    ///
    /// It is printed this once. The secret before it, the former one, stays valid until it is
    /// retired.
    Generate(Selected),
    /// Remove the former secret.
    ///
    /// Tokens that are signed with it are refused once this command has ended.
    Retire(Selected),
    /// Say what is wrong with a token, or whom it signs in.
    ///
    /// The columns are separated by tabs: the user_id, or `new` if the token makes a user, the
    /// identifier in your software, and the address. Nothing is changed, and the token stays good.
    /// The exit status is 1 if the token signs nobody in.
    #[command(after_help = "\
Example:
  hearback sso check --organization acme \"$TOKEN\"")]
    Check {
        #[command(flatten)]
        organization: Selected,
        /// Token: a JWT.
        #[arg(value_name = "TOKEN")]
        token: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Reseal {
    /// Refuse unsubscribe links that were made with earlier master keys.
    ///
    /// Needed if an earlier key leaked. Mails that were sent have such links.
    #[arg(long)]
    pub(crate) forget_links: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Selected {
    /// Organization, by its slug.
    #[arg(long = "organization", value_name = "SLUG")]
    pub(crate) slug: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn no_migrate_may_stand_anywhere() {
        for line in [["hearback", "--no-migrate", "serve"], ["hearback", "serve", "--no-migrate"]] {
            assert_eq!(CommandLine::parse_from(line).migration(), Migration::Forbidden);
        }
        assert_eq!(CommandLine::parse_from(["hearback", "serve"]).migration(), Migration::Allowed);
    }
}
