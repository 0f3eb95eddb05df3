//! The events, recipients, form and outcomes of deliveries.

use super::support::{
    Acme, Attempt, Caller, Database, Delivery, Event, Installation, Receiver, Request, Site, Store,
    Subscription, Vote, eventually, example_of_event, service_signature, standard_signature,
    subscribe, uuid, webhook,
};
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, EventId, SubscriptionId};
use hearback_domain::{ClosedSet, Time};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[rstest]
#[tokio::test]
async fn a_delivery_follows_the_contract(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let (site, acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    let Subscription { id: subscription, secret } =
        subscribe(&site.installation, &acme, &receiver.url(), &[]).await;
    let caller = Caller::of(&site.server);

    assert!(caller.toggle(&acme).await);
    receiver.received(1).await;
    assert!(!caller.toggle(&acme).await);
    let requests = receiver.received(2).await;

    let events: Vec<Event> = Database::of(&site.installation).await.rows(&acme.id).await;
    assert_eq!(events.len(), 2);
    for ((request, event), name) in
        requests.iter().zip(&events).zip(["vote.created", "vote.deleted"])
    {
        let vote = &event.data()["id"];
        let Acme { id: organization, board, posts, .. } = &acme;
        let occurred_at = request.json()["occurred_at"].clone();
        // The members are in their order, without spaces between them.
        assert_eq!(
            request.text(),
            format!(
                r#"{{"event":"{name}","organization_id":"{organization}","occurred_at":{occurred_at},"data":{{"id":{vote},"post_id":"{}","post_title":"Dark mode","board_id":"{board}"}}}}"#,
                posts[0]
            )
        );
        assert_eq!(vote, &events[0].data()["id"]);
        let occurred_at = occurred_at.as_str().expect("a time");
        assert_eq!(
            (occurred_at.len(), occurred_at.ends_with('Z')),
            ("2026-03-01T09:30:00.000Z".len(), true),
            "{occurred_at}"
        );
        let occurred_at = Time::parse(occurred_at).expect("a time").unix_millis();
        assert!((event.recorded_at..=request.at).contains(&occurred_at), "{occurred_at} {event:?}");

        let delivery =
            DeliveryId::of(EventId(event.id), SubscriptionId(uuid(&subscription))).to_string();
        let expected = [
            ("content-type", "application/json"),
            ("x-service-event", name),
            ("x-service-signature", &service_signature(&secret, request)),
            ("x-service-webhook-id", &subscription),
            ("x-service-delivery-id", &delivery),
            ("x-service-attempt", "1"),
            ("webhook-id", &delivery),
            ("webhook-signature", &standard_signature(&secret, request)),
        ];
        for (header, value) in expected {
            assert_eq!(request.header(header), value, "{header}");
        }
        let sent_at = request.header("webhook-timestamp").parse::<i64>().expect("seconds") * 1000;
        assert!((event.recorded_at - 1000..=request.at).contains(&sent_at), "{sent_at} {event:?}");
        assert_eq!(request.line, "POST /hook HTTP/1.1");
    }
}

/// Some event types have no cause yet. Their examples are sent in the same way.
#[tokio::test]
async fn a_test_delivery_of_each_event_type_is_the_example_of_its_description() {
    let (site, mut acme, receiver) =
        (Site::of(Store::Sqlite).await, Acme::new(), Receiver::start().await);
    let subscription = acme.subscribed(&receiver.url());
    acme.import(&site.installation).await;
    for event_type in EventType::ALL {
        webhook(
            &site.installation,
            &acme,
            &["test", "--id", &subscription, "--event", event_type.code()],
        )
        .await;
    }
    for (request, event_type) in
        receiver.received(EventType::ALL.len()).await.iter().zip(EventType::ALL)
    {
        let (sent, described) = (request.json(), example_of_event(event_type.code()));
        assert_eq!((&sent["event"], &sent["data"]), (&described["event"], &described["data"]));
    }
}

/// The fan-out is the last step of a toggle. Here it fails, on PostgreSQL only at the commit.
#[rstest]
#[tokio::test]
async fn a_toggle_that_rolls_back_leaves_no_event(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.subscribed(&receiver.url());
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);
    let mut database = Database::of(&site.installation).await;
    let (refuse, allow) = match database {
        Database::Sqlite(_) => {
            let organization = acme.id.replace('-', "");
            (
                format!(
                    "CREATE TRIGGER refuse_{organization} AFTER INSERT ON deliveries WHEN NEW.organization_id = x'{organization}' \
                     BEGIN SELECT raise(ABORT, 'refused'); END"
                ),
                format!("DROP TRIGGER refuse_{organization}"),
            )
        }
        Database::Postgres(_) => (
            format!(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$; \
                 CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON deliveries DEFERRABLE INITIALLY DEFERRED \
                 FOR EACH ROW WHEN (NEW.organization_id = '{}') EXECUTE FUNCTION refuse()",
                acme.id
            ),
            "DROP FUNCTION refuse CASCADE".to_owned(),
        ),
    };

    database.execute(&refuse).await;
    for _ in 0..3 {
        let answer = caller.try_toggle(&acme, &acme.voters[0], &acme.posts[0], "feedback").await;
        assert_eq!(answer, Some((500, json!({"detail": {"error": "internal error"}}))));
    }
    assert_eq!(database.rows::<Vote>(&acme.id).await.len(), 0);
    assert_eq!(database.rows::<Event>(&acme.id).await.len(), 0);
    assert_eq!(database.rows::<Delivery>(&acme.id).await.len(), 0);
    database.execute(&allow).await;

    told_of_the_next_vote_alone(site, &acme, &receiver, &caller).await;
}

/// A replayed delivery has all of its retries again.
#[rstest]
#[tokio::test]
async fn all_failed_deliveries_are_replayed_with_a_new_schedule(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.subscribed(&receiver.url());
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);
    receiver.answers("404 Not Found");

    assert!(caller.toggle(&acme).await);
    assert!(!caller.toggle(&acme).await);
    let given_up = async |attempts: usize| {
        receiver.received(2 * attempts).await;
        eventually("giving up", async || {
            let failed =
                webhook(&site.installation, &acme, &["deliveries", "--state", "failed"]).await;
            (failed
                .lines()
                .filter(|line| line.contains(&format!("\tfailed\t{attempts}\t404\t")))
                .count()
                == 2)
                .then_some(())
        })
        .await;
    };
    given_up(3).await;
    assert_eq!(webhook(&site.installation, &acme, &["replay", "--all-failed"]).await, "2\n");
    given_up(6).await;

    let requests = receiver.requests();
    assert_eq!(requests.len(), 12);
    let deliveries: BTreeSet<_> = requests.iter().map(Request::delivery).collect();
    assert_eq!(deliveries.len(), 2);
    for delivery in deliveries {
        let of_one: Vec<Request> =
            requests.iter().filter(|request| request.delivery() == delivery).cloned().collect();
        assert_repeats(&of_one);
        assert_eq!(attempts(&of_one), [1, 2, 3, 4, 5, 6]);
    }
}

/// The servers have the default settings.
#[rstest]
#[tokio::test]
async fn nothing_is_sent_to_this_machine_unless_that_is_allowed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (installation, mut acme, receiver) =
        (Installation::new(store, &[]).await, Acme::new(), Receiver::start().await);
    acme.subscribed(&receiver.url().replace("http://", "https://"));
    acme.import(&installation).await;
    let server = installation.serve();
    assert!(Caller::of(&server).toggle(&acme).await);
    let mut database = Database::of(&installation).await;
    let attempt =
        eventually("an attempt", async || database.rows::<Attempt>(&acme.id).await.pop()).await;
    assert_eq!((attempt.status, attempt.error_class.as_deref()), (None, Some("address")));
    assert_eq!(receiver.connections(), 0);
}

/// Asserts that the event of the next toggle is the first one that the receiver gets.
async fn told_of_the_next_vote_alone(
    site: &Site,
    acme: &Acme,
    receiver: &Receiver,
    caller: &Caller,
) {
    assert!(caller.toggle(acme).await);
    let requests = receiver.received(1).await;
    let events: Vec<Event> = Database::of(&site.installation).await.rows(&acme.id).await;
    let [event] = &events[..] else { panic!("{events:?}") };
    assert_eq!(event.event_type, "vote.created");
    let told: Vec<Value> = requests.iter().map(|request| request.json()["data"].clone()).collect();
    assert_eq!(told, [event.data()]);
}

/// Asserts that all requests belong to one delivery and are equal byte by byte.
#[track_caller]
fn assert_repeats(requests: &[Request]) {
    for request in requests {
        assert_eq!(request.delivery(), requests[0].delivery());
        assert_eq!(request.text(), requests[0].text());
    }
}

fn attempts(requests: &[Request]) -> Vec<u32> {
    requests.iter().map(Request::attempt).collect()
}
