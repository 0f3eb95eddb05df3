//! The command line.

use crate::installation::Migration;
use crate::settings;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand};
use clap_complete::Shell;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, SubscriptionId, parse_uuid};
use hearback_domain::slug::{MAX_SLUG, NoSlug, Slug};
use hearback_domain::text::{Name, WrongLength};
use hearback_domain::{ClosedSet, Time, Uuid};
use std::path::PathBuf;

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
    Migrate,
    /// Load an example organization, and print its API key and three requests to try.
    ///
    /// An organization that is loaded already is left as it is.
    Demo,
    /// Create, list and delete organizations.
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Manage API keys and the master key.
    #[command(subcommand)]
    Key(KeyCommand),
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
    /// Check settings, store, keys, mail, webhooks and port.
    ///
    /// Each line begins with `ok`, `warning`, `problem` or `skipped`; the line below a warning or a
    /// problem says how to mend it. Nothing is changed or sent. The exit status is 1 if there is a
    /// problem.
    Doctor,
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
    },
    /// List organizations.
    ///
    /// The columns are separated by tabs: slug, name, identifier, help center.
    List,
    /// Delete an organization with all its data.
    Delete {
        #[command(flatten)]
        organization: Selected,
        /// Confirm.
        #[arg(long)]
        yes: bool,
    },
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

#[derive(Debug, Args)]
pub(crate) struct Reseal {
    /// Refuse unsubscribe links that were made with earlier master keys.
    ///
    /// Needed if an earlier key leaked. Mails that were sent have such links.
    #[arg(long)]
    pub(crate) forget_links: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    /// List subscriptions.
    ///
    /// The columns are separated by tabs: identifier, state, event types, URL, time of creation.
    List(Selected),
    /// Add a subscription, and print its identifier and its signing secret, separated by a tab.
    ///
    /// The secret is not shown again.
    #[command(after_help = "\
Example:
  hearback webhook add --organization acme --url https://acme.example/hook --event vote.created")]
    Add {
        #[command(flatten)]
        organization: Selected,
        /// URL that receives the events; http:// needs HEARBACK_WEBHOOK_ALLOW_PRIVATE_NETWORKS.
        // Any text as far as the parser goes: what it refuses it quotes, and a password may be in
        // it.
        #[arg(long)]
        url: String,
        /// Event type to send; may be repeated [default: all].
        #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
        event_types: Vec<EventType>,
    },
    /// Remove a subscription with its deliveries.
    Remove {
        #[command(flatten)]
        subscription: SelectedSubscription,
        /// Confirm.
        #[arg(long)]
        yes: bool,
    },
    /// Send a test to a subscription, and print the answer.
    ///
    /// The columns are separated by tabs: identifier of the delivery, status of the answer or the
    /// failure, duration, first KiB of the answer. The delivery is not kept. The exit status is 1
    /// unless the answer is a 2xx.
    Test {
        #[command(flatten)]
        subscription: SelectedSubscription,
        /// Event type to send an example of [default: a ping].
        #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
        event_type: Option<EventType>,
    },
    /// Replace the signing secret of a subscription and print the new one.
    ///
    /// For a day, webhook-signature has a signature of the old secret, too.
    RotateSecret(SelectedSubscription),
    /// Activate a subscription: send new and waiting events to it.
    Activate(SelectedSubscription),
    /// Deactivate a subscription: send nothing to it.
    ///
    /// Events that wait for it are kept for 30 days.
    Deactivate(SelectedSubscription),
    /// List deliveries, newest first.
    ///
    /// The columns are separated by tabs: identifier, subscription, event type, state, number of
    /// attempts, outcome of the last one, time of creation, time of the next attempt or of the end.
    #[command(after_help = "\
Example:
  hearback webhook deliveries --organization acme --state failed --attempts")]
    Deliveries(Deliveries),
    /// Send failed deliveries again, and print how many.
    ///
    /// Identifiers and bodies stay as they were.
    #[command(after_help = "\
Examples:
  hearback webhook replay --organization acme 0199aabb-ccdd-7eee-8fff-001122334455
  hearback webhook replay --organization acme --all-failed --since 2026-03-01")]
    Replay(Replay),
}

#[derive(Debug, Args)]
pub(crate) struct Deliveries {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// List deliveries to this subscription only.
    #[arg(long = "id", value_name = "SUBSCRIPTION", value_parser = id::<SubscriptionId>)]
    pub(crate) subscription: Option<SubscriptionId>,
    /// List deliveries in this state only.
    #[arg(long, value_parser = one_of::<DeliveryState>())]
    pub(crate) state: Option<DeliveryState>,
    /// List deliveries of this event type only.
    #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
    pub(crate) event_type: Option<EventType>,
    /// List deliveries from this time on, such as 2026-03-01 or 2026-03-01T09:30:00Z.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<Time>,
    /// List deliveries from before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) until: Option<Time>,
    /// List at most this many deliveries.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// List the attempts of each delivery below it.
    ///
    /// The columns follow a tab and are separated by tabs: number, beginning, status of the answer
    /// or the failure, duration, first KiB of the answer.
    #[arg(long)]
    pub(crate) attempts: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["deliveries", "all_failed"]))]
pub(crate) struct Replay {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// Send deliveries to this subscription only.
    #[arg(long = "id", value_name = "SUBSCRIPTION", value_parser = id::<SubscriptionId>)]
    pub(crate) subscription: Option<SubscriptionId>,
    /// Deliveries to send again.
    #[arg(value_name = "DELIVERY", value_parser = id::<DeliveryId>)]
    pub(crate) deliveries: Vec<DeliveryId>,
    /// Send all failed deliveries to active subscriptions.
    #[arg(long)]
    pub(crate) all_failed: bool,
    /// Send deliveries of this event type only.
    // Both is said: what is required is not missed where something is in conflict with it.
    #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
    #[arg(requires = "all_failed", conflicts_with = "deliveries")]
    pub(crate) event_type: Option<EventType>,
    /// Send deliveries from this time on, such as 2026-03-01 or 2026-03-01T09:30:00Z.
    #[arg(long, value_name = "TIME", value_parser = time)]
    #[arg(requires = "all_failed", conflicts_with = "deliveries")]
    pub(crate) since: Option<Time>,
    /// Send deliveries from before this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    #[arg(requires = "all_failed", conflicts_with = "deliveries")]
    pub(crate) until: Option<Time>,
}

#[derive(Debug, Args)]
pub(crate) struct Selected {
    /// Organization, by its slug.
    #[arg(long = "organization", value_name = "SLUG")]
    pub(crate) slug: String,
}

#[derive(Debug, Args)]
pub(crate) struct SelectedSubscription {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// Subscription, by its identifier.
    #[arg(long, value_name = "SUBSCRIPTION", value_parser = id::<SubscriptionId>)]
    pub(crate) id: SubscriptionId,
}

fn slug(text: &str) -> Result<Slug, String> {
    Slug::parse(text).map_err(|reason| match reason {
        NoSlug::Empty => "the slug is empty".to_owned(),
        NoSlug::TooLong => format!("the slug is longer than {MAX_SLUG} characters"),
        NoSlug::Characters => {
            "expected ASCII letters, digits and - _ . ~, and not . or ..".to_owned()
        }
    })
}

fn name(text: &str) -> Result<Name, String> {
    Name::parse(text).map_err(|reason| match reason {
        WrongLength::Below(least) => format!("expected at least {least} character"),
        WrongLength::Above(most) => format!("expected at most {most} characters"),
    })
}

fn id<T: From<Uuid>>(text: &str) -> Result<T, &'static str> {
    parse_uuid(text)
        .map(T::from)
        .ok_or("expected an identifier such as 0199aabb-ccdd-7eee-8fff-001122334455")
}

fn time(text: &str) -> Result<Time, &'static str> {
    Time::parse(text).map_err(|_| "expected a time such as 2026-03-01 or 2026-03-01T09:30:00Z")
}

/// Reads a code of a closed set, all of which are listed by the help and where another one is
/// given.
fn one_of<T: ClosedSet + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let codes = T::ALL.iter().map(|value| value.code());
    PossibleValuesParser::new(codes).try_map(|code| T::parse(&code).ok_or("unknown value"))
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

    const ID: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

    /// What stands behind `hearback webhook`, with an organization, as it is understood.
    fn webhook(arguments: &[&str]) -> Result<WebhookCommand, String> {
        let line =
            [&["hearback", "webhook", arguments[0], "--organization", "acme"], &arguments[1..]]
                .concat();
        match CommandLine::try_parse_from(line).map(|line| line.command) {
            Ok(Command::Webhook(command)) => Ok(command),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn event_types_may_be_repeated_and_are_those_of_the_catalogue() {
        let add = |arguments: &[&str]| {
            webhook(&[&["add", "--url", "https://acme.example/"], arguments].concat())
        };
        let Ok(WebhookCommand::Add { event_types, .. }) =
            add(&["--event", "vote.created", "--event", "post.edited"])
        else {
            panic!()
        };
        assert_eq!(event_types, [EventType::VoteCreated, EventType::PostEdited]);
        let Ok(WebhookCommand::Add { event_types, .. }) = add(&[]) else { panic!() };
        assert_eq!(event_types, []);
        for wrong in ["vote.changed", "Vote.created", "", "vote.created,post.edited"] {
            let error = add(&["--event", wrong]).unwrap_err();
            assert!(error.contains("possible values: post.created, post.edited, "), "{error}");
        }
    }

    #[test]
    fn a_subscription_is_named_by_its_identifier() {
        for command in ["test", "rotate-secret", "activate", "deactivate", "remove"] {
            for id in [ID, "0199AABBCCDD7EEE8FFF001122334455"] {
                assert!(webhook(&[command, "--id", id]).is_ok(), "{command} {id}");
            }
            for wrong in ["", "acme", "0199aabb"] {
                let error = webhook(&[command, "--id", wrong]).unwrap_err();
                assert!(error.contains("expected an identifier such as "), "{error}");
            }
            assert!(webhook(&[command]).is_err(), "{command}");
        }
    }

    #[test]
    fn deliveries_are_chosen_by_subscription_state_event_and_time() {
        let Ok(WebhookCommand::Deliveries(all)) = webhook(&["deliveries"]) else { panic!() };
        assert_eq!(
            (all.subscription, all.state, all.event_type, all.since, all.until),
            (None, None, None, None, None)
        );
        assert_eq!((all.limit, all.attempts), (100, false));

        let id = ["deliveries", "--id", ID, "--state", "failed", "--event", "vote.deleted"];
        let times = [
            "--since",
            "2026-03-01",
            "--until",
            "2026-03-01T09:30:00+02:00",
            "--limit",
            "7",
            "--attempts",
        ];
        let Ok(WebhookCommand::Deliveries(some)) = webhook(&[&id[..], &times].concat()) else {
            panic!()
        };
        assert_eq!(some.subscription.map(|id| id.to_string()).as_deref(), Some(ID));
        assert_eq!(
            (some.state, some.event_type),
            (Some(DeliveryState::Failed), Some(EventType::VoteDeleted))
        );
        assert_eq!(
            some.since.map(|time| time.to_string()).as_deref(),
            Some("2026-03-01T00:00:00.000Z")
        );
        assert_eq!(
            some.until.map(|time| time.to_string()).as_deref(),
            Some("2026-03-01T07:30:00.000Z")
        );
        assert_eq!((some.limit, some.attempts), (7, true));

        for (wrong, told) in [
            (["--state", "lost"], "possible values: pending, delivered, failed"),
            (
                ["--since", "yesterday"],
                "expected a time such as 2026-03-01 or 2026-03-01T09:30:00Z",
            ),
            (["--until", "1767225600"], "expected a time such as"),
            (["--limit", "0"], "0 is not in 1.."),
            (["--limit", "-1"], "unexpected argument"),
            (["--limit", "many"], "invalid digit"),
        ] {
            let error = webhook(&[&["deliveries"][..], &wrong].concat()).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn what_is_replayed_is_named_or_all_that_has_failed() {
        let Ok(WebhookCommand::Replay(named)) =
            webhook(&["replay", ID, "00000000-0000-0000-0000-000000000002"])
        else {
            panic!()
        };
        assert_eq!((named.deliveries.len(), named.all_failed), (2, false));
        let all = [
            "replay",
            "--all-failed",
            "--id",
            ID,
            "--event",
            "vote.created",
            "--since",
            "2026-03-01",
            "--until",
            "2026-04-01",
        ];
        let Ok(WebhookCommand::Replay(all)) = webhook(&all) else { panic!() };
        assert!(all.deliveries.is_empty() && all.all_failed);
        assert_eq!(all.event_type, Some(EventType::VoteCreated));

        for wrong in [
            &["replay"][..],
            &["replay", "--id", ID],
            &["replay", ID, "--all-failed"],
            &["replay", ID, "--event", "vote.created"],
            &["replay", ID, "--since", "2026-03-01"],
            &["replay", ID, "--until", "2026-03-01"],
            &["replay", "acme"],
        ] {
            assert!(webhook(wrong).is_err(), "{wrong:?}");
        }
    }
}
