//! What is told, to whom, how, and what becomes of it.

use super::support::{
    Acme, Attempt, Caller, Database, Delivery, Event, Installation, Receiver, Request, Site, Step,
    Store, Subscription, Vote, answer, eventually, example_of_event, id, now, service_signature,
    standard_signature, stop, subscribe, uuid, webhook,
};
use futures_util::future::join_all;
use hearback_domain::event::EventType;
use hearback_domain::id::{DeliveryId, EventId, SubscriptionId};
use hearback_domain::{ClosedSet, Time};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

#[rstest]
#[tokio::test]
async fn a_delivery_is_what_the_contract_says(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
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
        // The members, their order, and nothing between them.
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

/// Those that nothing causes yet are described by what is sent all the same, in the same way.
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

#[rstest]
#[tokio::test]
async fn a_vote_on_a_roadmap_post_is_told_to_nobody(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.subscribed(&receiver.url());
    let planned = acme.draft.roadmap_post(json!({}));
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);

    for voted in [true, false] {
        let answer = caller.try_toggle(&acme, &acme.voters[0], &planned, "roadmap").await;
        assert_eq!(answer, Some((200, json!({"voted": voted}))));
    }

    told_of_the_next_vote_alone(site, &acme, &receiver, &caller).await;
}

#[rstest]
#[tokio::test]
async fn a_toggle_that_is_refused_is_told_to_nobody(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.subscribed(&receiver.url());
    let closed = acme.draft.board(json!({"is_voting_enabled": false}));
    let closed = acme.draft.post(json!({"board_id": closed}));
    let deleted = acme.draft.post(json!({"is_active": false}));
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);

    let (voter, post) = (&acme.voters[0], &acme.posts[0]);
    for (voter, post, status) in
        [(voter, &closed, 403), (voter, &deleted, 404), (&id(), post, 404), (voter, &id(), 404)]
    {
        let answer = caller.try_toggle(&acme, voter, post, "feedback").await;
        assert_eq!(answer.map(|(status, _)| status), Some(status));
    }

    told_of_the_next_vote_alone(site, &acme, &receiver, &caller).await;
}

/// The fan-out is the last that a toggle does, and here it is what fails: on PostgreSQL not before the commit.
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

#[rstest]
#[tokio::test]
async fn of_toggles_of_one_vote_at_once_each_is_told_once(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.subscribed(&receiver.url());
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);

    let answers = join_all((0..20).map(|_| caller.toggle(&acme))).await;
    assert_eq!(answers.iter().filter(|voted| **voted).count(), 10);

    let told = receiver.received(20).await;
    let votes = |name: &str| -> BTreeSet<String> {
        let bodies = told.iter().map(Request::json).filter(|body| body["event"] == name);
        bodies.map(|body| body["data"]["id"].to_string()).collect()
    };
    assert_eq!((told.len(), votes("vote.created").len()), (20, 10));
    assert_eq!(votes("vote.created"), votes("vote.deleted"));
}

#[rstest]
#[tokio::test]
async fn a_subscription_gets_the_events_that_it_names_and_others_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, acme, globex) = (Site::of(store).await, Acme::new(), Acme::new());
    acme.import(&site.installation).await;
    globex.import(&site.installation).await;
    let caller = Caller::of(&site.server);
    let receivers = [
        Receiver::start().await,
        Receiver::start().await,
        Receiver::start().await,
        Receiver::start().await,
    ];
    let [all, created, deleted, others] = &receivers;
    for (of, receiver, event_types) in [
        (&acme, all, &[][..]),
        (&acme, created, &["vote.created"]),
        (&acme, deleted, &["post.created", "vote.deleted"]),
        (&globex, others, &[]),
    ] {
        subscribe(&site.installation, of, &receiver.url(), event_types).await;
    }

    for _ in 0..3 {
        caller.toggle(&acme).await;
    }
    // Also the last that is sent: what others were to get was to be sent before.
    assert!(caller.toggle(&globex).await);

    let names = async |receiver: &Receiver, count: usize| {
        let requests = receiver.received(count).await;
        let mut names: Vec<String> =
            requests.iter().map(|request| request.header("x-service-event").to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(all, 3).await, ["vote.created", "vote.created", "vote.deleted"]);
    assert_eq!(names(created, 2).await, ["vote.created", "vote.created"]);
    assert_eq!(names(deleted, 1).await, ["vote.deleted"]);
    assert_eq!(names(others, 1).await, ["vote.created"]);
    let deliveries: Vec<Delivery> = Database::of(&site.installation).await.rows(&acme.id).await;
    assert_eq!(deliveries.len(), 6);
}

#[rstest]
#[tokio::test]
async fn what_nobody_wants_is_not_recorded(#[values(Store::Sqlite, Store::Postgres)] store: Store) {
    let (site, acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    subscribe(&site.installation, &acme, &receiver.url(), &["post.created"]).await;
    assert!(Caller::of(&site.server).toggle(&acme).await);
    assert_eq!(Database::of(&site.installation).await.rows::<Event>(&acme.id).await.len(), 0);
}

#[rstest]
#[tokio::test]
async fn an_inactive_subscription_gets_nothing(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme) = (Site::of(store).await, Acme::new());
    let receivers = [Receiver::start().await, Receiver::start().await, Receiver::start().await];
    let [active, inactive, unsigned] = &receivers;
    acme.subscribed(&active.url());
    acme.subscribed_with(
        json!({"url": inactive.url(), "signing_secret": "some words", "is_active": false}),
    );
    let without_secret = acme.subscribed_with(json!({"url": unsigned.url()}));
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);

    assert!(caller.toggle(&acme).await);
    active.received(1).await;
    let secret =
        webhook(&site.installation, &acme, &["rotate-secret", "--id", &without_secret]).await;
    assert!(!caller.toggle(&acme).await);

    let requests = unsigned.received(1).await;
    assert_eq!(requests[0].header("x-service-event"), "vote.deleted");
    assert_eq!(
        requests[0].header("x-service-signature"),
        service_signature(secret.trim_end(), &requests[0])
    );
    assert_eq!(active.received(2).await.len(), 2);
    let deliveries: Vec<Delivery> = Database::of(&site.installation).await.rows(&acme.id).await;
    assert_eq!(deliveries.len(), 3);
    assert_eq!((unsigned.count(), inactive.count()), (1, 0));
}

#[rstest]
#[tokio::test]
async fn what_waits_for_a_deactivated_subscription_is_sent_when_it_is_activated(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    let subscription = acme.subscribed(&receiver.url());
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);

    receiver.holds();
    assert!(caller.toggle(&acme).await);
    receiver.received(1).await;
    webhook(&site.installation, &acme, &["deactivate", "--id", &subscription]).await;
    receiver.answers("500 No");
    let mut database = Database::of(&site.installation).await;
    eventually("the end of the attempt", async || {
        let attempts = database.rows::<Attempt>(&acme.id).await;
        (attempts.len() == 1).then_some(())
    })
    .await;
    // No event of the time in which it is not active is sent to it, then or later.
    assert!(!caller.toggle(&acme).await);
    receiver.answers("200 OK");
    webhook(&site.installation, &acme, &["activate", "--id", &subscription]).await;

    let requests = receiver.received(2).await;
    assert_repeats(&requests);
    assert_eq!(attempts(&requests), [1, 2]);
    assert!(caller.toggle(&acme).await);
    assert_eq!(receiver.received(3).await.len(), 3);
    assert_eq!(database.rows::<Event>(&acme.id).await.len(), 2);
}

#[rstest]
#[tokio::test]
async fn a_failed_delivery_is_tried_again_given_up_and_replayed(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    let Subscription { id: subscription, secret } =
        subscribe(&site.installation, &acme, &receiver.url(), &[]).await;
    receiver.does(vec![answer("503 Busy", b"later")]);

    assert!(Caller::of(&site.server).toggle(&acme).await);
    let requests = receiver.received(3).await;
    assert_repeats(&requests);
    assert_eq!(attempts(&requests), [1, 2, 3]);
    assert!(pauses(&requests).iter().all(|pause| *pause >= 1000), "{:?}", pauses(&requests));
    assert!(requests.iter().all(
        |request| request.header("x-service-signature") == service_signature(&secret, request)
    ));
    assert!(
        requests
            .iter()
            .all(|request| request.header("webhook-signature")
                == standard_signature(&secret, request))
    );

    let delivery = requests[0].delivery().to_string();
    let ledger = eventually("giving up", async || {
        let ledger = webhook(&site.installation, &acme, &["deliveries", "--attempts"]).await;
        ledger.contains("\tfailed\t").then_some(ledger)
    })
    .await;
    let lines: Vec<Vec<&str>> = ledger.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines[0][..6], [&*delivery, &*subscription, "vote.created", "failed", "3", "503"]);
    for (line, number) in lines[1..].iter().zip(["1", "2", "3"]) {
        assert_eq!((line[1], line[3], line[5]), (number, "503", "later"));
    }
    assert_eq!(lines.len(), 4);

    receiver.answers("200 OK");
    assert_eq!(webhook(&site.installation, &acme, &["replay", &delivery]).await, "1\n");
    let requests = receiver.received(4).await;
    assert_repeats(&requests);
    assert_eq!(attempts(&requests), [1, 2, 3, 4]);
    eventually("success", async || {
        let ledger = webhook(&site.installation, &acme, &["deliveries"]).await;
        ledger.contains("\tdelivered\t4\t200\t").then_some(())
    })
    .await;
}

/// A replayed delivery has its retries before it again.
#[rstest]
#[tokio::test]
async fn all_that_was_given_up_is_replayed_with_a_schedule_that_begins_anew(
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

#[rstest]
#[tokio::test]
async fn a_receiver_that_is_gone_gets_nothing_until_it_is_activated(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    let subscription = acme.subscribed(&format!("{}?token=s3cr3t", receiver.url()));
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);
    let list = async || webhook(&site.installation, &acme, &["list"]).await;
    receiver.answers("410 Gone");

    assert!(caller.toggle(&acme).await);
    eventually("the deactivation", async || {
        list().await.contains("\tinactive since ").then_some(())
    })
    .await;
    let said = eventually("a line of the log", async || {
        let log = site.server.log();
        log.lines().find(|line| line.contains(&subscription)).map(str::to_owned)
    })
    .await;
    assert!(said.contains(r#""level":"ERROR""#), "{said}");
    assert!(!site.server.log().contains("s3cr3t"));
    assert!(!caller.toggle(&acme).await);
    assert_eq!(Database::of(&site.installation).await.rows::<Event>(&acme.id).await.len(), 1);

    receiver.answers("200 OK");
    webhook(&site.installation, &acme, &["activate", "--id", &subscription]).await;
    let requests = receiver.received(2).await;
    assert_repeats(&requests);
    assert_eq!(attempts(&requests), [1, 2]);
    assert!(list().await.contains("\tactive\t"));
}

#[rstest]
#[tokio::test]
async fn a_receiver_may_put_the_next_attempt_off(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut seconds, mut date) = (Site::of(store).await, Acme::new(), Acme::new());
    let receivers = [Receiver::start().await, Receiver::start().await];
    seconds.subscribed(&receivers[0].url());
    date.subscribed(&receivers[1].url());
    seconds.import(&site.installation).await;
    date.import(&site.installation).await;
    let caller = Caller::of(&site.server);
    receivers[0].answers("429 Slowly\r\nRetry-After: 3");
    // In the form of HTTP a time has whole seconds.
    let at = Time::from_unix_millis((now().unix_millis() / 1000 + 5) * 1000).expect("a time");
    receivers[1].answers(&format!("503 Busy\r\nRetry-After: {}", http_date(at)));

    assert!(caller.toggle(&seconds).await);
    assert!(caller.toggle(&date).await);
    for receiver in &receivers {
        receiver.received(1).await;
    }
    let requests = receivers[0].received(2).await;
    assert!(pauses(&requests)[0] >= 3000, "{:?}", pauses(&requests));
    let requests = receivers[1].received(2).await;
    assert!(requests[1].at >= at.unix_millis(), "{} {at}", requests[1].at);
}

#[rstest]
#[tokio::test]
async fn after_a_rotation_both_secrets_sign_for_a_while(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.import(&site.installation).await;
    let Subscription { id, secret: old } =
        subscribe(&site.installation, &acme, &receiver.url(), &[]).await;
    let caller = Caller::of(&site.server);
    receiver.answers("500 No");

    assert!(caller.toggle(&acme).await);
    receiver.received(1).await;
    // From here on attempts are signed anew, be they the first or not.
    let new = webhook(&site.installation, &acme, &["rotate-secret", "--id", &id]).await;
    let new = new.trim_end();
    let rotated_at = receiver.count();
    receiver.answers("200 OK");
    let requests = receiver.received(rotated_at + 1).await;

    let [before, .., after] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(before.header("x-service-signature"), service_signature(&old, before));
    assert_eq!(before.header("webhook-signature"), standard_signature(&old, before));
    assert_eq!(after.header("x-service-signature"), service_signature(new, after));
    let both = format!("{} {}", standard_signature(new, after), standard_signature(&old, after));
    assert_eq!(after.header("webhook-signature"), both);
    assert_ne!(old, new);
    assert_repeats(&requests);
}

#[rstest]
#[tokio::test]
async fn a_secret_of_another_form_signs_as_the_contract_says_and_no_more(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme, receiver) = (Site::of(store).await, Acme::new(), Receiver::start().await);
    acme.subscribed_with(
        json!({"url": receiver.url(), "signing_secret": "ein Geheimnis für alle"}),
    );
    acme.import(&site.installation).await;
    assert!(Caller::of(&site.server).toggle(&acme).await);
    let request = receiver.received(1).await.remove(0);
    assert_eq!(
        request.header("x-service-signature"),
        service_signature("ein Geheimnis für alle", &request)
    );
    assert_eq!(request.headers.iter().find(|(name, _)| name.starts_with("webhook-")), None);
}

#[rstest]
#[tokio::test]
async fn a_subscription_may_be_removed_while_deliveries_are_on_their_way(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (site, mut acme) = (Site::of(store).await, Acme::of(1, 20));
    let (removed, kept) = (Receiver::start().await, Receiver::start().await);
    let id = acme.subscribed(&removed.url());
    let other = acme.subscribed(&kept.url());
    acme.import(&site.installation).await;
    let caller = Caller::of(&site.server);

    removed.holds();
    for voter in 0..20 {
        assert!(caller.toggle_of(&acme, voter, 0).await);
    }
    let on_their_way = removed.received(1).await.len();
    assert!(on_their_way < 20, "something is to wait: {on_their_way}");
    webhook(&site.installation, &acme, &["remove", "--id", &id, "--yes"]).await;
    removed.answers("500 No");

    // The other one misses nothing, then or later.
    assert_eq!(kept.received(20).await.len(), 20);
    assert!(!caller.toggle(&acme).await);
    assert_eq!(kept.received(21).await.len(), 21);
    let mut database = Database::of(&site.installation).await;
    let (events, deliveries) =
        (database.rows::<Event>(&acme.id).await, database.rows::<Delivery>(&acme.id).await);
    assert_eq!((events.len(), deliveries.len()), (21, 21));
    assert!(deliveries.iter().all(|delivery| delivery.subscription_id == uuid(&other)));
    // Nothing is tried again, and what no server had claimed is not sent. What one had claimed may go out for up to half a minute
    // more: that is eight at most, as long as a receiver has not answered.
    assert!(removed.count() <= 8, "{}", removed.count());
    assert_eq!(webhook(&site.installation, &acme, &["list"]).await.lines().count(), 1);
}

/// With deliveries on their way, others that it has taken up behind them, and others that it has not.
#[rstest]
#[tokio::test]
async fn a_server_that_stops_sees_through_what_is_on_its_way_and_leaves_the_rest_to_the_next(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    const EVENTS: usize = 100;
    let (Site { installation, server }, mut acme) =
        (Site::new(store, "1h").await, Acme::of(1, EVENTS));
    let receiver = Receiver::start().await;
    acme.subscribed(&receiver.url());
    acme.import(&installation).await;
    let caller = Caller::of(&server);

    // Quick enough to have more taken up than are sent at once.
    receiver.does(vec![Step::Pause(Duration::from_millis(50)), answer("200 OK", b"")]);
    join_all((0..EVENTS).map(|voter| caller.toggle_of(&acme, voter, 0))).await;
    receiver.received(24).await;
    receiver.holds();
    let mut database = Database::of(&installation).await;
    eventually("deliveries that wait", async || {
        let deliveries: Vec<Delivery> = database.rows(&acme.id).await;
        let taken_up = deliveries.iter().filter(|delivery| delivery.leased_until.is_some()).count();
        (receiver.held() == 8 && taken_up > 8).then_some(())
    })
    .await;
    let sent = receiver.count();
    let stopping = tokio::spawn(stop(server));
    // It has heard the signal when it takes no connection any more.
    eventually("the stop", async || {
        caller.try_toggle(&acme, &acme.voters[0], &id(), "feedback").await.is_none().then_some(())
    })
    .await;
    assert!(!stopping.is_finished(), "it is to wait for what is on its way");
    receiver.answers("200 OK");
    let status = stopping.await.expect("it ends");
    assert_eq!(status.code(), Some(0));

    assert_eq!(receiver.count(), sent, "nothing is begun by a server that stops");
    let deliveries: Vec<Delivery> = database.rows(&acme.id).await;
    let of_state =
        |state: &str| deliveries.iter().filter(|delivery| delivery.state == state).count();
    assert_eq!((of_state("delivered"), of_state("pending")), (sent, EVENTS - sent));
    assert!(deliveries.iter().all(|delivery| delivery.leased_until.is_none()), "{deliveries:?}");

    let server = installation.serve();
    let requests = receiver.received(EVENTS).await;
    let delivered: BTreeSet<_> = requests.iter().map(Request::delivery).collect();
    assert_eq!((delivered.len(), attempts(&requests)), (EVENTS, vec![1; EVENTS]));
    drop(server);
    assert_eq!(receiver.count(), EVENTS);
}

#[rstest]
#[tokio::test]
async fn what_waits_while_no_server_runs_is_sent_by_the_next(
    #[values(Store::Sqlite, Store::Postgres)] store: Store,
) {
    let (Site { installation, server }, mut acme) = (Site::new(store, "1s").await, Acme::new());
    let receiver = Receiver::start().await;
    acme.subscribed(&receiver.url());
    acme.import(&installation).await;
    receiver.answers("500 No");
    assert!(Caller::of(&server).toggle(&acme).await);
    receiver.received(1).await;
    let status = stop(server).await;
    assert_eq!(status.code(), Some(0));
    receiver.answers("200 OK");
    let server = installation.serve();
    let requests = receiver.received(2).await;
    assert_repeats(&requests);
    assert_eq!(attempts(&requests), [1, 2]);
    drop(server);
}

/// As servers are unless they are told otherwise.
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

/// Whether the next toggle is the first that anybody hears of.
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

/// They are one delivery, byte by byte.
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

/// Between requests, in milliseconds.
fn pauses(requests: &[Request]) -> Vec<i64> {
    requests.windows(2).map(|two| two[1].at - two[0].at).collect()
}

/// A time as HTTP writes it.
fn http_date(time: Time) -> String {
    let since_1970 =
        Duration::from_millis(time.unix_millis().try_into().expect("a time after 1970"));
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since_1970)
}
