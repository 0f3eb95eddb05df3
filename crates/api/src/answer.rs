//! Writes the bodies of `200`: an object, a flat array, a page, or the result of a write.

use crate::fields::{code_schema, string_schema as string};
use crate::page::{List, SortKey};
use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use hearback_app::Outcome;
use hearback_domain::changelog_entry::{EntryStatus, EntryType};
use hearback_domain::comment::Visibility;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::help_article::ArticleStatus;
use hearback_domain::position::Position;
use hearback_domain::status::StatusGroup;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_http::Failure;
use hearback_ports::Page;
use serde::ser::{Serialize, Serializer};
use std::marker::PhantomData;
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

/// `200` with a page of a list, each record shown as `V`.
pub(crate) fn page<'a, V, T, K>(page: &'a Page<T, K>, list: &List) -> Answer
where
    V: From<&'a T> + Serialize,
    K: SortKey,
{
    object(&Envelope {
        items: Views::<V, T>(&page.items, PhantomData),
        has_next_page: page.next.is_some(),
        cursor: page.next.as_ref().map(|position| list.seal(position)),
    })
}

/// `200` with the result of a write.
pub(crate) fn outcome(outcome: Outcome) -> Answer {
    use hearback_ports::WriteResult::{Created, Success, Voted};
    let mut response = object(&match outcome.answer() {
        Voted(voted) => OutcomeView::Voted { voted },
        Success => OutcomeView::Success { success: true },
        Created(id) => OutcomeView::Created { id },
    })?;
    if let Outcome::Replayed(_) = outcome {
        response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
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
pub(crate) type VisibilityCode = Code<Visibility>;

/// Writes identifiers of one kind, for `serialize_with`.
pub(crate) fn as_uuids<T, S>(ids: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<Uuid>,
    S: Serializer,
{
    serializer.collect_seq(ids.iter().map(|id| -> Uuid { (*id).into() }))
}

/// The cursor-paginated envelope of the contract.
#[derive(serde::Serialize)]
struct Envelope<I> {
    items: I,
    has_next_page: bool,
    cursor: Option<String>,
}

/// The bodies of successful writes.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum OutcomeView {
    Voted { voted: bool },
    Success { success: bool },
    Created { id: Uuid },
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
    use actix_web::body::MessageBody;
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
            for came in [Outcome::Fresh(answer), Outcome::Replayed(answer)] {
                let response = outcome(came).unwrap();
                assert_eq!(response.status(), 200);
                assert_eq!(response.headers().get(CONTENT_TYPE).unwrap(), "application/json");
                assert_eq!(response.into_body().try_into_bytes().unwrap(), body);
            }
        }
    }
}
