//! The arguments of `hearback webhook`.

use super::Selected;
use super::values::{id, one_of, time};
use clap::{ArgGroup, Args, Subcommand};
use hearback_domain::Time;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, SubscriptionId};

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
        // The parser takes any text, since its errors quote the value: a password may be in it.
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
        /// Event type to send an example of [default: webhook.test].
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
    // The conflict is declared, too: a conflict hides that a required argument is missing.
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
pub(crate) struct SelectedSubscription {
    #[command(flatten)]
    pub(crate) organization: Selected,
    /// Subscription, by its identifier.
    #[arg(long, value_name = "SUBSCRIPTION", value_parser = id::<SubscriptionId>)]
    pub(crate) id: SubscriptionId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Command, CommandLine};
    use clap::Parser;

    const ID: &str = "0199aabb-ccdd-7eee-8fff-001122334455";

    /// Reads the arguments of `hearback webhook --organization acme`.
    fn webhook(arguments: &[&str]) -> Result<WebhookCommand, String> {
        let line = ["hearback", "webhook", arguments[0], "--organization", "acme"];
        let line = CommandLine::try_parse_from([&line[..], &arguments[1..]].concat());
        match line.map_err(|error| error.to_string())?.command {
            Command::Webhook(command) => Ok(command),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_hundred_deliveries_are_listed_by_default() {
        let Ok(WebhookCommand::Deliveries(all)) = webhook(&["deliveries"]) else { panic!() };
        assert_eq!((all.limit, all.attempts), (100, false));
    }

    #[test]
    fn wrong_arguments_are_refused_with_the_right_ones() {
        let url = ["add", "--url", "https://acme.example/"];
        for wrong in ["vote.changed", "Vote.created", "", "vote.created,post.edited"] {
            let error = webhook(&[&url[..], &["--event", wrong]].concat()).unwrap_err();
            assert!(error.contains("possible values: post.created, post.edited, "), "{error}");
        }
        for command in ["test", "rotate-secret", "activate", "deactivate", "remove"] {
            assert!(webhook(&[command, "--id", "0199AABBCCDD7EEE8FFF001122334455"]).is_ok());
            let error = webhook(&[command, "--id", "acme"]).unwrap_err();
            assert!(error.contains("expected an identifier such as "), "{error}");
            assert!(webhook(&[command]).is_err(), "{command}");
        }
        for (name, value, told) in [
            ("--state", "lost", "possible values: pending, delivered, failed"),
            ("--since", "yesterday", "expected a time such as 2026-03-01 or 2026-03-01T09:30:00Z"),
            ("--until", "1767225600", "expected a time such as"),
            ("--limit", "0", "0 is not in 1.."),
            ("--limit", "many", "invalid digit"),
        ] {
            let error = webhook(&["deliveries", name, value]).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn a_replay_names_deliveries_or_takes_all_that_failed() {
        let all = ["replay", "--all-failed", "--id", ID, "--event", "vote.created"];
        let times = ["--since", "2026-03-01", "--until", "2026-04-01"];
        for right in [&["replay", ID, ID][..], &[&all[..], &times].concat()] {
            assert!(webhook(right).is_ok(), "{right:?}");
        }
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
