//! An organization with due deliveries: the same on every run.

use crate::draw::{DAY, Era, FOUNDED_AT, SLUG, WORDS, identifier};
use crate::failure::Failure;
use crate::portable::{self, Portable};
use crate::rows::{Table, Value, table};
use fastrand::Rng;
use std::path::Path;
use uuid::Uuid;

/// The organization, its subscriptions, and events that each subscription gets.
pub(crate) struct Outbox {
    organization: Uuid,
    subscriptions: Vec<Uuid>,
    events: Vec<Event>,
}

/// The event of a vote.
struct Event {
    id: Uuid,
    data: String,
    /// In milliseconds since the Unix epoch.
    at: i64,
}

impl Outbox {
    pub(crate) fn generate(subscriptions: usize, events: usize) -> Self {
        let mut rng = Rng::with_seed(3);
        let mut id = |at| identifier(&mut rng, at);
        let organization = id(FOUNDED_AT);
        let subscriptions = (0..subscriptions).map(|_| id(FOUNDED_AT)).collect();
        let day = Era { begin: FOUNDED_AT + DAY, length: DAY };
        let events = day.moments(events).map(|(_, at)| Event::draw(&mut rng, at)).collect();
        Self { organization, subscriptions, events }
    }

    /// The number of due deliveries.
    pub(crate) fn deliveries(&self) -> usize {
        self.subscriptions.len() * self.events.len()
    }

    /// Writes the organization and its subscriptions, with the address of their receiver, to a file
    /// of the portable format.
    pub(crate) fn write(&self, file: &Path, receiver: &str) -> Result<(), Failure> {
        let write = || {
            let mut file = Portable::create(file)?;
            file.line(&portable::organization(self.organization, SLUG))?;
            for &id in &self.subscriptions {
                file.line(&portable::subscription(id, &format!("{receiver}/{id}")))?;
            }
            file.finish()
        };
        write().map_err(Failure::machine("writing subscriptions to a file"))
    }

    /// The rows of the events and of their deliveries.
    pub(crate) fn tables(&self) -> Vec<Table<'_>> {
        vec![self.events(), self.pending()]
    }

    fn events(&self) -> Table<'_> {
        let rows = self.events.iter().map(|event| {
            vec![
                Value::Id(self.organization),
                Value::Id(event.id),
                Value::Text("vote.created"),
                Value::Text(&event.data),
                Value::Moment(event.at),
            ]
        });
        table(
            "events",
            "organization_id, id, event_type, data, recorded_at",
            self.events.len(),
            rows,
        )
    }

    fn pending(&self) -> Table<'_> {
        let columns = "organization_id, event_id, subscription_id, state, attempt_count, attempts_before_replay, \
                       next_attempt_at, created_at";
        let fan_out = self.events.iter().flat_map(|event| {
            self.subscriptions.iter().map(move |subscription| (event, subscription))
        });
        let rows = fan_out.map(|(event, subscription)| {
            vec![
                Value::Id(self.organization),
                Value::Id(event.id),
                Value::Id(*subscription),
                Value::Text("pending"),
                Value::Number(0),
                Value::Number(0),
                Value::Moment(event.at),
                Value::Moment(event.at),
            ]
        });
        table("deliveries", columns, self.deliveries(), rows)
    }
}

impl Event {
    fn draw(rng: &mut Rng, at: i64) -> Self {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let title: Vec<&str> = (0..6).filter_map(|_| rng.choice(&words).copied()).collect();
        let [id, vote, post, board] = std::array::from_fn(|_| identifier(rng, at));
        let title = title.join(" ");
        let data = format!(
            r#"{{"id":"{vote}","post_id":"{post}","post_title":"{title}","board_id":"{board}"}}"#
        );
        Self { id, data, at }
    }
}
