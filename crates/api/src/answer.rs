//! Writes the bodies of `200`: an object, a flat array, a page, or the result of a write.

use crate::fields::{HasSchema, SPEND_PATTERN, code_schema, string_schema as string};
use crate::page::{List, SortKey};
use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::web::Bytes;
use hearback_app::Outcome;
use hearback_app::audit::ActivityType;
use hearback_app::effects::{Effects, Tried};
use hearback_domain::access::{Access, Guests, Moderating};
use hearback_domain::attributes::Attributes;
use hearback_domain::audit::Door;
use hearback_domain::changelog_entry::{EntryStatus, EntryType};
use hearback_domain::comment::Visibility;
use hearback_domain::delivery::DeliveryState;
use hearback_domain::event::{EventType, Moderated};
use hearback_domain::feedback_post::Moderation;
use hearback_domain::help_article::ArticleStatus;
use hearback_domain::position::Position;
use hearback_domain::spend::Spend;
use hearback_domain::status::StatusGroup;
use hearback_domain::subscription::Level;
use hearback_domain::vote::PostType;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_http::{Failure, Memory, PIECE, json_of};
use hearback_ports::Page;
use hearback_ports::attributes::Shown;
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::error::Error;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use std::vec;
use utoipa::openapi::{KnownFormat, RefOr, Schema, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

pub(crate) use hearback_http::object;

/// The result of a handler.
pub(crate) type Answer = Result<HttpResponse, Failure>;

/// `200` with a flat array, each record shown as `V`.
pub(crate) fn array<'a, V, T>(records: &'a [T]) -> Answer
where
    V: From<&'a T> + Serialize,
{
    object(&Views::<V, T>(records, PhantomData))
}

/// `200` with a page of a list, the cursor-paginated envelope of the contract. `show` writes a
/// record.
///
/// The records of a long page become JSON as the client takes them.
pub(crate) fn page<T: Unpin + 'static, K: SortKey>(
    page: Page<T, K>,
    list: &List,
    show: fn(&T, &mut Vec<u8>) -> serde_json::Result<()>,
) -> Answer {
    let mut end = format!(r#"],"has_next_page":{},"cursor":"#, page.next.is_some()).into_bytes();
    serde_json::to_writer(&mut end, &page.next.as_ref().map(|position| list.seal(position)))?;
    end.push(b'}');
    let mut items = Items { rest: page.items.into_iter(), show, end: Some(end) };
    let mut text = br#"{"items":["#.to_vec();
    items.write(&mut text, LONG)?;
    if items.end.is_none() {
        return hearback_http::text(text);
    }
    let memory = Memory::reserve(text.len() + items.length()?)?;
    let until = Instant::now() + LONGEST;
    let body = LongPage { written: text.into(), items, until, _memory: memory };
    Ok(json_of(BoxBody::new(body)))
}

/// The most bytes of a page that are written before the client takes any.
const LONG: usize = 1 << 20;
/// The most time that a client may take for a long page.
const LONGEST: Duration = Duration::from_secs(120);

/// The records of a page that are not written yet.
struct Items<T> {
    rest: vec::IntoIter<T>,
    show: fn(&T, &mut Vec<u8>) -> serde_json::Result<()>,
    /// The text behind the last record. `None` once it is written.
    end: Option<Vec<u8>>,
}

impl<T> Items<T> {
    /// Appends records until `text` has at least this length or there is no record left.
    fn write(&mut self, text: &mut Vec<u8>, length: usize) -> serde_json::Result<()> {
        while text.len() < length {
            let Some(item) = self.rest.next() else {
                text.extend(self.end.take().unwrap_or_default());
                return Ok(());
            };
            let before = text.len();
            (self.show)(&item, text)?;
            // The other records are about as long. Otherwise the text would move as it grows.
            text.reserve(((text.len() - before) * self.rest.len()).min(length));
            if self.rest.len() > 0 {
                text.push(b',');
            }
        }
        Ok(())
    }

    /// The length of the rest as JSON, without its commas.
    fn length(&self) -> serde_json::Result<usize> {
        let mut text = Vec::new();
        self.rest.as_slice().iter().try_fold(0, |length, item| {
            text.clear();
            (self.show)(item, &mut text)?;
            Ok(length + text.len())
        })
    }
}

/// The body of a long page.
struct LongPage<T> {
    /// The text that was not handed over yet.
    written: Bytes,
    items: Items<T>,
    /// The end of [`LONGEST`].
    until: Instant,
    _memory: Memory,
}

impl<T: Unpin> MessageBody for LongPage<T> {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let this = self.get_mut();
        if Instant::now() > this.until {
            return Poll::Ready(Some(Err("the client takes the page too slowly".into())));
        }
        if this.written.is_empty() {
            let mut text = Vec::new();
            if let Err(error) = this.items.write(&mut text, PIECE) {
                return Poll::Ready(Some(Err(error.into())));
            }
            this.written = text.into();
        }
        let piece = this.written.split_to(this.written.len().min(PIECE));
        Poll::Ready((!piece.is_empty()).then_some(Ok(piece)))
    }
}

/// `200` with the result of a write.
pub(crate) fn outcome(outcome: Outcome) -> Answer {
    use hearback_ports::WriteResult::{
        Created, Decided, Replayed, Secret, Set, SetMany, Success, Updated, Upserted, Voted,
    };
    let is_replay = matches!(outcome, Outcome::Replayed(_));
    let response = object(&match outcome.answer() {
        Voted(voted) => OutcomeView::Voted { voted },
        Success => OutcomeView::Success { success: true },
        // The secret is for a use case that opens it.
        Created(id) | Secret { id, .. } => OutcomeView::Created { id },
        Replayed(replayed) => OutcomeView::Replayed { replayed },
        Updated(updated) => OutcomeView::Updated { success: true, updated },
        Decided(changed) => OutcomeView::Decided { success: true, changed },
        Set { voted, changed } => OutcomeView::Set { voted, changed },
        SetMany { changed, unchanged } => OutcomeView::SetMany { changed, unchanged },
        Upserted { id, user_id, created } => OutcomeView::Upserted { id, user_id, created },
    })?;
    Ok(marked(response, is_replay))
}

/// The response, with a mark if an earlier request with the same idempotency key made the write.
pub(crate) fn marked(mut response: HttpResponse, is_replay: bool) -> HttpResponse {
    if is_replay {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    response
}

/// `200` with the result of a write, or with the effects that it would have.
pub(crate) fn tried(tried: Tried) -> Answer {
    match tried {
        Tried::Did(done) => outcome(done),
        Tried::Would(Effects(effects)) => {
            object(&TriedView { dry_run: true, effects: effects.into_iter().collect() })
        }
    }
}

#[derive(serde::Serialize)]
struct TriedView {
    dry_run: bool,
    effects: BTreeMap<&'static str, i64>,
}

/// Marks the response to a write that an earlier request with the same idempotency key made.
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A time in the format of most resources: `2026-03-01T09:30:00.000Z`.
pub(crate) struct Timestamp(Time);

impl From<Time> for Timestamp {
    fn from(time: Time) -> Self {
        Self(time)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        string().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))).build().into()
    }
}

impl ToSchema for Timestamp {}

/// A time in the format of help collections and help categories, in UTC, without offset and without
/// fraction: `2026-03-01T09:30:00`.
pub(crate) struct PlainTimestamp(Time);

impl From<Time> for PlainTimestamp {
    fn from(time: Time) -> Self {
        Self(time)
    }
}

impl Serialize for PlainTimestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let t = self.0.to_offset();
        serializer.collect_str(&format_args!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            t.year(),
            u8::from(t.month()),
            t.day(),
            t.hour(),
            t.minute(),
            t.second()
        ))
    }
}

impl PartialSchema for PlainTimestamp {
    fn schema() -> RefOr<Schema> {
        string().pattern(Some(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$")).build().into()
    }
}

impl ToSchema for PlainTimestamp {}

/// A curated position: a string with four decimals.
pub(crate) struct SeqNumber(Position);

impl From<Position> for SeqNumber {
    fn from(position: Position) -> Self {
        Self(position)
    }
}

impl Serialize for SeqNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl PartialSchema for SeqNumber {
    fn schema() -> RefOr<Schema> {
        string().pattern(Some(r"^-?\d+\.\d{4}$")).build().into()
    }
}

impl ToSchema for SeqNumber {}

/// An amount of money: a string with two decimals.
pub(crate) struct SpendView(Spend);

impl From<Spend> for SpendView {
    fn from(spend: Spend) -> Self {
        Self(spend)
    }
}

impl Serialize for SpendView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl PartialSchema for SpendView {
    fn schema() -> RefOr<Schema> {
        string().pattern(Some(SPEND_PATTERN)).build().into()
    }
}

impl ToSchema for SpendView {}

/// The attributes of a record.
pub(crate) struct AttributesView<'a>(pub(crate) &'a Attributes);

impl Serialize for AttributesView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Shown(self.0).serialize(serializer)
    }
}

impl PartialSchema for AttributesView<'_> {
    fn schema() -> RefOr<Schema> {
        <Attributes as HasSchema>::schema().into()
    }
}

impl ToSchema for AttributesView<'_> {}

/// A deleted record of a list.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Deleted {
    id: Uuid,
    is_active: bool,
    updated_at: Timestamp,
}

impl Deleted {
    /// A record that was deleted at a time.
    pub(crate) fn new(id: impl Into<Uuid>, at: Time) -> Self {
        Self { id: id.into(), is_active: false, updated_at: at.into() }
    }
}

/// A value of a closed set.
pub(crate) struct Code<T>(T);

impl<T> From<T> for Code<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: ClosedSet> Serialize for Code<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.code())
    }
}

impl<T: ClosedSet> PartialSchema for Code<T> {
    fn schema() -> RefOr<Schema> {
        code_schema::<T>().into()
    }
}

impl<T: ClosedSet> ToSchema for Code<T> {}

// The schema derive splits a generic type into its parameters. An alias keeps the type whole.
pub(crate) type ArticleStatusCode = Code<ArticleStatus>;
pub(crate) type EntryStatusCode = Code<EntryStatus>;
pub(crate) type EntryTypeCode = Code<EntryType>;
pub(crate) type ModerationCode = Code<Moderation>;
pub(crate) type StatusGroupCode = Code<StatusGroup>;
pub(crate) type AccessCode = Code<Access>;
pub(crate) type ModeratingCode = Code<Moderating>;
pub(crate) type GuestCode = Code<Guests>;
pub(crate) type LevelCode = Code<Level>;
pub(crate) type PostTypeCode = Code<PostType>;
pub(crate) type DeliveryStateCode = Code<DeliveryState>;
pub(crate) type EventTypeCode = Code<EventType>;
pub(crate) type DoorCode = Code<Door>;
pub(crate) type ModeratedCode = Code<Moderated>;
pub(crate) type ActivityCode = Code<ActivityType>;
pub(crate) type VisibilityCode = Code<Visibility>;

/// Writes identifiers of one kind, for `serialize_with`.
pub(crate) fn as_uuids<T, S>(ids: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<Uuid>,
    S: Serializer,
{
    serializer.collect_seq(ids.iter().map(|id| -> Uuid { (*id).into() }))
}

/// The bodies of successful writes.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum OutcomeView {
    Voted {
        voted: bool,
    },
    Updated {
        success: bool,
        updated: u64,
    },
    Upserted {
        id: Uuid,
        #[serde(skip_serializing_if = "Option::is_none")]
        user_id: Option<Uuid>,
        created: bool,
    },
    Decided {
        success: bool,
        changed: u64,
    },
    Set {
        voted: bool,
        changed: bool,
    },
    SetMany {
        changed: u64,
        unchanged: u64,
    },
    Success {
        success: bool,
    },
    Created {
        id: Uuid,
    },
    Replayed {
        replayed: u64,
    },
}

/// Records that become views one by one while they are serialized.
struct Views<'a, V, T>(&'a [T], PhantomData<V>);

impl<'a, V, T> Serialize for Views<'a, V, T>
where
    V: From<&'a T> + Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(V::from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::CONTENT_TYPE;

    #[test]
    fn times_are_shown_in_two_forms() {
        let shown = |text: &str| {
            let time = Time::parse(text).unwrap();
            serde_json::to_string(&(Timestamp::from(time), PlainTimestamp::from(time))).unwrap()
        };
        assert_eq!(
            shown("2026-03-01T09:30:00.129Z"),
            r#"["2026-03-01T09:30:00.129Z","2026-03-01T09:30:00"]"#
        );
        assert_eq!(
            shown("0001-01-01T00:00:59.999Z"),
            r#"["0001-01-01T00:00:59.999Z","0001-01-01T00:00:59"]"#
        );
    }

    #[test]
    fn a_position_is_a_string_with_four_decimals() {
        let shown = |text: &str| {
            serde_json::to_string(&SeqNumber::from(Position::parse(text).unwrap())).unwrap()
        };
        for text in ["1.0000", "0.0001", "-2.5000", "12345678901234.5678"] {
            assert_eq!(shown(text), format!("\"{text}\""));
        }
    }

    #[test]
    fn a_write_answers_its_result() {
        use hearback_ports::WriteResult::{Created, Success, Voted};
        let expected = [
            (Voted(true), r#"{"voted":true}"#),
            (Voted(false), r#"{"voted":false}"#),
            (Success, r#"{"success":true}"#),
            (Created(Uuid::from_u128(7)), r#"{"id":"00000000-0000-0000-0000-000000000007"}"#),
        ];
        for (answer, body) in expected {
            for came in [Outcome::Fresh(answer.clone()), Outcome::Replayed(answer)] {
                let response = outcome(came).unwrap();
                assert_eq!(response.status(), 200);
                assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "application/json");
                assert_eq!(response.into_body().try_into_bytes().unwrap(), body);
            }
        }
    }
}
