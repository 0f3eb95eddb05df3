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

/// Hearback collects feedback, votes, a roadmap, a changelog and help articles, and serves them by an HTTP API.
///
/// Without any setting, everything is kept in ./data.
#[derive(Debug, Parser)]
#[command(name = "hearback", version, after_long_help = settings::help())]
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
    /// Bring the schema of the store up to date, as every other command that works on it does first.
    Migrate,
    /// Load an example organization, unless it is there, and print its key and three requests to try.
    Demo,
    /// Import organizations from a file of the portable format, all or nothing.
    Import(Import),
    /// Export an organization in the portable format.
    Export(Export),
    /// Print all settings, one a line: name, value in effect, where it comes from, separated by tabs.
    ///
    /// A value comes from default, environment or file PATH. A secret is ***, an address has no password. Fails where one is
    /// wrong.
    Config,
    /// Look at settings, data directory, store, master key, mail, webhooks and port, and say what is wrong and how to mend it.
    ///
    /// Nothing is changed or sent. A line for each thing that was looked at begins with ok, warning, problem or skipped; how to
    /// mend it is on the next line, indented. Fails where there is a problem.
    Doctor,
    /// Copy the embedded store to a file, while servers run. The master key is not in it. The schema stays what it is.
    Backup(Backup),
    /// Put a backup in the place of the embedded store, which nobody may be using and which is kept beside it, and print what it
    /// is called from then on.
    Restore(Restore),
    /// Print the description of the API, as OpenAPI 3.1: what /openapi.json serves.
    Openapi,
    /// Print what completes command lines, for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page.
    Man {
        /// Write that page and one for each command to this directory instead.
        #[arg(long, value_name = "DIR")]
        directory: Option<PathBuf>,
    },
    /// Make, list and delete organizations.
    #[command(subcommand)]
    Organization(Organization),
    /// Manage the API key of an organization, and the master key.
    #[command(subcommand)]
    Key(Key),
    /// Manage where an organization's events are sent, and see what became of them.
    #[command(subcommand)]
    Webhook(Webhook),
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

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The file, replaced if it is an older backup.
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The backup. It stays as it is.
    pub(crate) file: PathBuf,
    /// Confirm, where there is a store that has organizations.
    #[arg(long)]
    pub(crate) yes: bool,
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
    /// Replace the master key: seal all secrets of all organizations anew under the next one, and print how many there are.
    ///
    /// The next one is HEARBACK_NEW_MASTER_KEY, 64 hex digits. Where the present one is in the data directory, the next one takes
    /// its place there, and is made where none is given.
    Reseal(Reseal),
}

#[derive(Debug, Args)]
pub(crate) struct Reseal {
    /// Take no unsubscribe link any more that was made with an earlier master key, since it leaked. Mails that were sent have
    /// such links.
    #[arg(long)]
    pub(crate) forget_links: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Webhook {
    /// Print all subscriptions, one a line: identifier, state, event types, URL, when it was made, separated by tabs.
    List(Selected),
    /// Add a subscription, and print its identifier and its signing secret, separated by a tab. The secret is not shown again.
    Add {
        #[command(flatten)]
        organization: Selected,
        /// Where events are sent. http:// only where private networks are allowed.
        // Any text as far as the parser goes: what it refuses it quotes, and a password may be in it.
        #[arg(long)]
        url: String,
        /// An event type that is sent, such as vote.created; may be repeated. Without it, all are.
        #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
        event_types: Vec<EventType>,
    },
    /// Remove a subscription with all its deliveries.
    Remove {
        #[command(flatten)]
        subscription: SelectedSubscription,
        /// Confirm.
        #[arg(long)]
        yes: bool,
    },
    /// Send a delivery that is kept nowhere, and print, separated by tabs: its identifier, the status of the answer or why there
    /// is none, how long it took, the first KiB of the answer. Fails unless the status is a 2xx.
    Test {
        #[command(flatten)]
        subscription: SelectedSubscription,
        /// Send an example of this event type instead of a ping.
        #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
        event_type: Option<EventType>,
    },
    /// Replace the signing secret and print the new one. For a day, deliveries are signed with the old one too, in
    /// webhook-signature.
    RotateSecret(SelectedSubscription),
    /// Send events to a subscription again, and what waits for it.
    Activate(SelectedSubscription),
    /// Send nothing to a subscription. What waits for it is kept for 30 days.
    Deactivate(SelectedSubscription),
    /// Print deliveries, newest first, one a line, separated by tabs: identifier, subscription, event type, state, number of
    /// attempts, what came of the last one, when it was made, when it is attempted next or has ended.
    Deliveries(Deliveries),
    /// Send failed deliveries again, with the same identifier and body, and print how many.
    Replay(Replay),
}

#[derive(Debug, Args)]
pub(crate) struct Deliveries {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// Only those to this subscription.
    #[arg(long = "id", value_name = "SUBSCRIPTION", value_parser = id::<SubscriptionId>)]
    pub(crate) subscription: Option<SubscriptionId>,
    /// Only those in this state.
    #[arg(long, value_parser = one_of::<DeliveryState>())]
    pub(crate) state: Option<DeliveryState>,
    /// Only those of this event type.
    #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
    pub(crate) event_type: Option<EventType>,
    /// Only those that were made then or later, such as 2026-03-01 or 2026-03-01T09:30:00Z.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<Time>,
    /// Only those that were made before then.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) until: Option<Time>,
    /// The most to print.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    /// Print the attempts of each below it, one a line, behind a tab: number, when it began, the status of the answer or why
    /// there is none, how long it took, the first KiB of the answer.
    #[arg(long)]
    pub(crate) attempts: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["deliveries", "all_failed"]))]
pub(crate) struct Replay {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// Only those to this subscription.
    #[arg(long = "id", value_name = "SUBSCRIPTION", value_parser = id::<SubscriptionId>)]
    pub(crate) subscription: Option<SubscriptionId>,
    /// The deliveries.
    #[arg(value_name = "DELIVERY", value_parser = id::<DeliveryId>)]
    pub(crate) deliveries: Vec<DeliveryId>,
    /// All that have failed, but for those to subscriptions that are not active.
    #[arg(long)]
    pub(crate) all_failed: bool,
    /// Only those of this event type.
    // Both is said: what is required is not missed where something is in conflict with it.
    #[arg(long = "event", value_name = "TYPE", value_parser = one_of::<EventType>())]
    #[arg(requires = "all_failed", conflicts_with = "deliveries")]
    pub(crate) event_type: Option<EventType>,
    /// Only those that were made then or later, such as 2026-03-01 or 2026-03-01T09:30:00Z.
    #[arg(long, value_name = "TIME", value_parser = time)]
    #[arg(requires = "all_failed", conflicts_with = "deliveries")]
    pub(crate) since: Option<Time>,
    /// Only those that were made before then.
    #[arg(long, value_name = "TIME", value_parser = time)]
    #[arg(requires = "all_failed", conflicts_with = "deliveries")]
    pub(crate) until: Option<Time>,
}

#[derive(Debug, Args)]
pub(crate) struct Selected {
    /// The slug of the organization.
    #[arg(long = "organization", value_name = "SLUG")]
    pub(crate) slug: String,
}

#[derive(Debug, Args)]
pub(crate) struct SelectedSubscription {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// The identifier of the subscription.
    #[arg(long, value_parser = id::<SubscriptionId>)]
    pub(crate) id: SubscriptionId,
}

fn slug(text: &str) -> Result<Slug, String> {
    Slug::parse(text).map_err(|reason| match reason {
        NoSlug::Empty => "it is empty".to_owned(),
        NoSlug::TooLong => format!("it is longer than {MAX_SLUG} characters"),
        NoSlug::Characters => {
            "it may have letters, digits and - _ . ~ of ASCII, and is not . or ..".to_owned()
        }
    })
}

fn name(text: &str) -> Result<Name, String> {
    Name::parse(text).map_err(|reason| match reason {
        WrongLength::Below(least) => format!("it is shorter than {least} character"),
        WrongLength::Above(most) => format!("it is longer than {most} characters"),
    })
}

fn id<T: From<Uuid>>(text: &str) -> Result<T, &'static str> {
    parse_uuid(text)
        .map(T::from)
        .ok_or("it is an identifier such as 0199aabb-ccdd-7eee-8fff-001122334455")
}

fn time(text: &str) -> Result<Time, &'static str> {
    Time::parse(text).map_err(|_| "it is a time such as 2026-03-01 or 2026-03-01T09:30:00Z")
}

/// Reads a code of a closed set, all of which are listed by the help and where another one is given.
fn one_of<T: ClosedSet + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let codes = T::ALL.iter().map(|value| value.code());
    PossibleValuesParser::new(codes).try_map(|code| T::parse(&code).ok_or("it is none of them"))
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
    fn webhook(arguments: &[&str]) -> Result<Webhook, String> {
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
        let Ok(Webhook::Add { event_types, .. }) =
            add(&["--event", "vote.created", "--event", "post.edited"])
        else {
            panic!()
        };
        assert_eq!(event_types, [EventType::VoteCreated, EventType::PostEdited]);
        let Ok(Webhook::Add { event_types, .. }) = add(&[]) else { panic!() };
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
                assert!(error.contains("it is an identifier such as "), "{error}");
            }
            assert!(webhook(&[command]).is_err(), "{command}");
        }
    }

    #[test]
    fn deliveries_are_chosen_by_subscription_state_event_and_time() {
        let Ok(Webhook::Deliveries(all)) = webhook(&["deliveries"]) else { panic!() };
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
        let Ok(Webhook::Deliveries(some)) = webhook(&[&id[..], &times].concat()) else { panic!() };
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
            (["--since", "yesterday"], "it is a time such as 2026-03-01 or 2026-03-01T09:30:00Z"),
            (["--until", "1767225600"], "it is a time such as"),
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
        let Ok(Webhook::Replay(named)) =
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
        let Ok(Webhook::Replay(all)) = webhook(&all) else { panic!() };
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
