//! The command line.

use crate::installation::Migration;
use clap::{Args, Parser, Subcommand};
use hearback_domain::slug::{MAX_SLUG, NoSlug, Slug};
use hearback_domain::text::{Name, WrongLength};
use std::path::PathBuf;

/// Hearback collects feedback, votes, a roadmap, a changelog and help articles, and serves them by an HTTP API.
///
/// Settings are variables of the environment: DATABASE_URL, HEARBACK_DATA_DIR, HEARBACK_LISTEN, HEARBACK_MASTER_KEY,
/// HEARBACK_LOG, HEARBACK_MAX_BODY_BYTES, HEARBACK_SMTP_URL, HEARBACK_MAIL_FROM, HEARBACK_PUBLIC_URL; or, each of them, NAME_FILE
/// with the path of a file that has the value. Without any, everything is kept in ./data.
#[derive(Debug, Parser)]
#[command(name = "hearback", version, verbatim_doc_comment)]
pub(crate) struct CommandLine {
    /// Leave the schema of the store as it is, and fail if it is old.
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
    /// Serve the API until SIGTERM or Ctrl-C.
    Serve,
    /// Bring the schema of the store up to date, as every other command does first.
    Migrate,
    /// Load an example organization, unless it is there, and print its key and three requests to try.
    Demo,
    /// Import organizations from a file of the portable format, all or nothing.
    Import(Import),
    /// Export an organization in the portable format.
    Export(Export),
    /// Make, list and delete organizations.
    #[command(subcommand)]
    Organization(Organization),
    /// Manage the API key of an organization.
    #[command(subcommand)]
    Key(Key),
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The file, or - for standard input.
    pub(crate) file: PathBuf,
    /// Check everything and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// Write API keys and signing secrets too, in the clear.
    #[arg(long)]
    pub(crate) with_secrets: bool,
    /// The file, replaced if it is there; without it, standard output.
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Organization {
    /// Make an organization and print its identifier.
    Create {
        /// Its name in addresses and on this command line.
        #[arg(long, value_parser = slug)]
        slug: Slug,
        /// Its name for people.
        #[arg(long, value_parser = name)]
        name: Name,
        /// Make it on a plan that has no help center.
        #[arg(long)]
        without_help_center: bool,
    },
    /// Print all organizations, one a line: slug, name, identifier, help center, separated by tabs.
    List,
    /// Delete an organization with everything that is its.
    Delete {
        #[command(flatten)]
        organization: Selected,
        /// Confirm.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Make the organization's key and print it.
    Generate(Selected),
    /// Replace the key and print the new one. The old one is refused everywhere when this ends.
    Rotate(Selected),
    /// Print the key again.
    Reveal(Selected),
    /// Revoke the key. It is refused everywhere when this ends.
    Revoke(Selected),
}

#[derive(Debug, Args)]
pub(crate) struct Selected {
    /// The slug of the organization.
    #[arg(long = "organization", value_name = "SLUG")]
    pub(crate) slug: String,
}

fn slug(text: &str) -> Result<Slug, String> {
    Slug::parse(text).map_err(|reason| match reason {
        NoSlug::Empty => "it is empty".to_owned(),
        NoSlug::TooLong => format!("it is longer than {MAX_SLUG} characters"),
        NoSlug::Characters => "it may have letters, digits and - _ . ~ of ASCII, and is not . or ..".to_owned(),
    })
}

fn name(text: &str) -> Result<Name, String> {
    Name::parse(text).map_err(|reason| match reason {
        WrongLength::Below(least) => format!("it is shorter than {least} character"),
        WrongLength::Above(most) => format!("it is longer than {most} characters"),
    })
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
