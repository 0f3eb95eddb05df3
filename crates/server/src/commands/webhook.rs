//! `hearback webhook …`

use super::Task;
use crate::cli::{Deliveries, Replay, Selected, SelectedSubscription, WebhookCommand};
use crate::error::Error;
use crate::installation::Installation;
use crate::output::{print, print_line};
use hearback_app::write::Update;
use hearback_app::{Error as UseCaseError, Missing, Precondition, webhooks};
use hearback_domain::delivery::Response;
use hearback_domain::event::EventType;
use hearback_domain::id::SubscriptionId;
use hearback_domain::web_url::{NoWebUrl, WebUrl};
use hearback_domain::webhook_subscription::{Health, SubscriptionDraft, SubscriptionPatch};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::WriteResult;
use hearback_ports::deliveries::{Delivery, DeliveryFilter};
use hearback_ports::delivery_queue::Attempt;
use hearback_ports::webhook_subscriptions::SubscriptionDetails;
use hearback_webhook::{BadAddress, HttpSender};
use std::time::Duration;

/// Runs one of the commands. A secret is printed only by the command that makes it.
pub(crate) async fn run(task: &Task<'_>, command: WebhookCommand) -> Result<(), Error> {
    match command {
        WebhookCommand::List(organization) => {
            task.within(&organization, async |Installation { ports, .. }, caller| {
                let all = webhooks::list(ports, caller).await?;
                print(&all.iter().map(subscription_line).collect::<String>())
            })
            .await
        }
        WebhookCommand::Add { organization, url, event_types } => {
            add(task, &organization, &url, &event_types).await
        }
        WebhookCommand::Remove {
            subscription: SelectedSubscription { organization, id },
            yes: true,
        } => {
            task.within(&organization, async |Installation { ports, .. }, caller| {
                webhooks::remove(ports, caller.doing("webhook remove"), id, None)
                    .await
                    .map_err(of(id))?;
                Ok(())
            })
            .await
        }
        // Nothing is opened or made before the confirmation.
        WebhookCommand::Remove { subscription, yes: false } => {
            let id = subscription.id;
            Err(Error::Unconfirmed(format!(
                "the webhook subscription {id} and its deliveries would be removed for good"
            )))
        }
        WebhookCommand::Test { subscription, event_type } => {
            test(task, &subscription, event_type).await
        }
        WebhookCommand::RotateSecret(SelectedSubscription { organization, id }) => {
            task.within(&organization, async |Installation { ports, vault, .. }, caller| {
                let rotation = (id, webhooks::OVERLAP);
                let caller = caller.doing("webhook rotate-secret");
                let rotated = webhooks::rotate_secret(ports, vault, caller, rotation, None).await;
                print_line(rotated.map_err(of(id))?.secret.reveal())
            })
            .await
        }
        WebhookCommand::Activate(subscription) => switch(task, &subscription, true).await,
        WebhookCommand::Deactivate(subscription) => switch(task, &subscription, false).await,
        WebhookCommand::Deliveries(arguments) => deliveries(task, &arguments).await,
        WebhookCommand::Replay(arguments) => replay(task, arguments).await,
    }
}

async fn add(
    task: &Task<'_>,
    organization: &Selected,
    url: &str,
    event_types: &[EventType],
) -> Result<(), Error> {
    // Nothing is opened or made for a wrong URL.
    task.config.webhook_policy.check(url).map_err(Error::Receiver)?;
    let url = WebUrl::parse(url).map_err(|NoWebUrl| Error::Receiver(BadAddress::NoUrl))?;
    let draft = SubscriptionDraft::to(url, EventType::each_once(event_types));
    task.within(organization, async |Installation { ports, vault, .. }, caller| {
        let caller = caller.doing("webhook add");
        let added = webhooks::add(ports, vault, &sink(task)?, caller, draft, None).await?;
        print_line(&format!("{}\t{}", added.id, added.secret.reveal()))
    })
    .await
}

/// Activates or deactivates a subscription.
async fn switch(
    task: &Task<'_>,
    SelectedSubscription { organization, id }: &SelectedSubscription,
    is_active: bool,
) -> Result<(), Error> {
    task.within(organization, async |Installation { ports, .. }, caller| {
        let patch = SubscriptionPatch { is_active: Some(is_active), ..Default::default() };
        let update = Update::new(*id, patch);
        let caller =
            caller.doing(if is_active { "webhook activate" } else { "webhook deactivate" });
        let updated = webhooks::update(ports, &sink(task)?, caller, update, None).await;
        updated.map_err(of(*id))?;
        Ok(())
    })
    .await
}

pub(super) fn sink(task: &Task<'_>) -> Result<HttpSender, Error> {
    let (policy, servers) = (&task.config.webhook_policy, &task.config.webhook_name_servers);
    Ok(HttpSender::new(policy.clone(), servers.clone())?)
}

/// The error of a command for a subscription, if it names one.
fn of(id: impl Into<Option<SubscriptionId>>) -> impl FnOnce(UseCaseError) -> Error {
    let id = id.into();
    move |error| match (error, id) {
        (UseCaseError::NotFound(Missing::Record(_)), Some(id)) => Error::NoWebhook(id),
        (UseCaseError::NotFound(Missing::Delivery(id)), _) => Error::NotFailed(id),
        (UseCaseError::Refused(Precondition::AwaitsRotation), Some(id)) => {
            Error::AwaitsRotation(id)
        }
        (error, _) => error.into(),
    }
}

async fn test(
    task: &Task<'_>,
    SelectedSubscription { organization, id }: &SelectedSubscription,
    event_type: Option<EventType>,
) -> Result<(), Error> {
    task.within(organization, async |Installation { ports, vault, .. }, caller| {
        let tested = webhooks::test(ports, vault, &sink(task)?, caller, *id, event_type).await;
        let tested = tested.map_err(of(*id))?;
        let response = tested.reply.response;
        let outcome = outcome(response, tested.took, &tested.reply.answer);
        print_line(&format!("{}\t{outcome}", tested.delivery))?;
        if response.is_success() { Ok(()) } else { Err(Error::TestFailed) }
    })
    .await
}

async fn deliveries(task: &Task<'_>, arguments: &Deliveries) -> Result<(), Error> {
    let &Deliveries { subscription, state, event_type, since, until, limit, .. } = arguments;
    let filter = DeliveryFilter { state, event_type, since, until };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    task.within(&arguments.organization, async |Installation { ports, .. }, caller| {
        let listed = webhooks::deliveries(ports, caller, subscription, filter, limit).await;
        for delivery in listed.map_err(of(subscription))? {
            print(&delivery_line(&delivery))?;
            if arguments.attempts {
                let attempts = webhooks::attempts(ports, caller, &delivery).await?;
                print(&attempts.iter().map(attempt_line).collect::<String>())?;
            }
        }
        Ok(())
    })
    .await
}

async fn replay(task: &Task<'_>, arguments: Replay) -> Result<(), Error> {
    let Replay { organization, subscription, deliveries, all_failed, event_type, since, until } =
        arguments;
    let replay = if all_failed {
        webhooks::Replay::Matching(DeliveryFilter { state: None, event_type, since, until })
    } else {
        webhooks::Replay::Failed(deliveries)
    };
    task.within(&organization, async |Installation { ports, .. }, caller| {
        let replayed = webhooks::replay(ports, caller, (subscription, replay), None).await;
        match replayed.map_err(of(subscription))?.answer() {
            WriteResult::Replayed(count) => print_line(&count.to_string()),
            _ => Ok(()),
        }
    })
    .await
}

fn subscription_line(details: &SubscriptionDetails) -> String {
    let subscription = &details.subscription;
    let codes: Vec<&str> =
        subscription.event_types.iter().map(|event_type| event_type.code()).collect();
    let event_types = if codes.is_empty() { "all".to_owned() } else { codes.join(",") };
    let (state, url) = (state(details), escaped(subscription.url.as_bytes()));
    format!("{}\t{state}\t{event_types}\t{url}\t{}\n", subscription.id, subscription.created_at)
}

/// The gravest obstacle to its deliveries.
fn state(details: &SubscriptionDetails) -> String {
    match (details.subscription.awaits_rotation, details.inactive_since, details.health) {
        (true, ..) => "awaits rotation".to_owned(),
        (false, Some(since), _) => format!("inactive since {since}"),
        (false, None, Health::Failing { since, failures, .. }) => {
            let plural = if failures == 1 { "" } else { "s" };
            format!("failing since {since} ({failures} failure{plural})")
        }
        (false, None, Health::Well) => "active".to_owned(),
    }
}

fn delivery_line(delivery: &Delivery) -> String {
    let last = delivery.last_response.map_or_else(|| NONE.to_owned(), response);
    let then = delivery
        .ended_at
        .or(delivery.next_attempt_at)
        .map_or_else(|| NONE.to_owned(), |time: Time| time.to_string());
    let Delivery { subscription, attempts, created_at, .. } = delivery;
    let (event_type, state) = (delivery.event_type.code(), delivery.state.code());
    format!(
        "{}\t{subscription}\t{event_type}\t{state}\t{attempts}\t{last}\t{created_at}\t{then}\n",
        delivery.id()
    )
}

fn attempt_line(attempt: &Attempt) -> String {
    let took = Duration::from_millis(attempt.duration_ms.into());
    format!(
        "\t{}\t{}\t{}\n",
        attempt.number,
        attempt.started_at,
        outcome(attempt.response, took, &attempt.answer)
    )
}

/// The outcome of an attempt, in three columns.
fn outcome(what: Response, took: Duration, answer: &[u8]) -> String {
    format!("{}\t{} ms\t{}", response(what), took.as_millis(), escaped(answer))
}

/// An empty column.
const NONE: &str = "-";

fn response(response: Response) -> String {
    match response {
        Response::Status { code, cut: None } => code.to_string(),
        Response::Status { code, cut: Some(failure) } => format!("{code} ({})", failure.code()),
        Response::Nothing(failure) => failure.code().to_owned(),
    }
}

/// Shows a text of another party on one line, with control characters escaped. A receiver chooses
/// its answer, and a terminal obeys control characters.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                // Harmless, and in every JSON.
                '"' | '\'' => text.push(c),
                c => text.extend(c.escape_debug()),
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Uuid;
    use hearback_domain::api_key::Sealed;
    use hearback_domain::delivery::DeliveryFailure;
    use hearback_domain::webhook_subscription::{FailedEvents, WebhookSubscription};

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    fn failing(failures: u32) -> Health {
        let (since, first_event) = (at("2026-03-02"), Uuid::nil().into());
        Health::Failing { since, first_event, failures, events: FailedEvents::One }
    }

    #[test]
    fn the_state_of_a_subscription_is_its_gravest_obstacle() {
        let mut details = SubscriptionDetails {
            subscription: WebhookSubscription {
                id: Uuid::from_u128(1).into(),
                url: "https://acme.example/\u{202e}\n".to_owned(),
                event_types: vec![],
                board_ids: vec![],
                description: None,
                is_active: true,
                awaits_rotation: false,
                secret: Sealed(Vec::new()),
                previous_secret: None,
                previous_until: None,
                created_at: at("2026-03-01"),
            },
            inactive_since: None,
            health: Health::Well,
            last_success_at: None,
        };
        assert_eq!(state(&details), "active");
        let line = subscription_line(&details);
        assert!(line.contains("\thttps://acme.example/\\u{202e}\\n\t"), "{line}");
        details.health = failing(1);
        assert_eq!(state(&details), "failing since 2026-03-02T00:00:00.000Z (1 failure)");
        details.health = failing(12);
        assert_eq!(state(&details), "failing since 2026-03-02T00:00:00.000Z (12 failures)");
        details.inactive_since = Some(at("2026-03-07"));
        assert_eq!(state(&details), "inactive since 2026-03-07T00:00:00.000Z");
        details.subscription.awaits_rotation = true;
        assert_eq!(state(&details), "awaits rotation");
    }

    #[test]
    fn a_failure_stands_in_the_place_of_a_status_or_behind_it() {
        for (what, shown) in [
            (Response::Status { code: 503, cut: None }, "503"),
            (Response::Status { code: 503, cut: Some(DeliveryFailure::Broken) }, "503 (broken)"),
            (Response::Nothing(DeliveryFailure::Timeout), "timeout"),
        ] {
            assert_eq!(response(what), shown);
        }
    }

    #[test]
    fn control_characters_of_an_answer_are_escaped_without_ambiguity() {
        for (answer, shown) in [
            (&b"{\"ok\": true, 'it''s': 1}"[..], "{\"ok\": true, 'it''s': 1}"),
            ("schön, 日本語".as_bytes(), "schön, 日本語"),
            (b"\x1b[2J\x1b]0;title\x07", "\\u{1b}[2J\\u{1b}]0;title\\u{7}"),
            (b"a\r\nb\tc\0\x7f", "a\\r\\nb\\tc\\0\\u{7f}"),
            // A control sequence in one character, a line separator, and a change of direction.
            ("\u{9b}31m\u{2028}\u{202e}".as_bytes(), "\\u{9b}31m\\u{2028}\\u{202e}"),
            (b"\\n", "\\\\n"),
            // No UTF-8, and a character that was cut off.
            (b"\xff\xfe|\xe6\x97", "\\xff\\xfe|\\xe6\\x97"),
        ] {
            assert_eq!(escaped(answer), shown);
        }
    }
}
