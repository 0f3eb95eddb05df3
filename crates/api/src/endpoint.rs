//! The declaration of an endpoint: one value that its route, the OpenAPI document, the metrics and
//! the tests read.
//!
//! A resource declares its endpoints in a `TABLE`, beside the functions that read their fields;
//! `v1` lists the tables.

use crate::Shared;
use crate::answer::Answer;
use crate::error::ApiFailure;
use crate::fields::{Fields, Noted};
use crate::shape::Shape;
use futures_util::future::LocalBoxFuture;
use hearback_app::{Caller, Error, Missing, Precondition, Repeat};

/// An endpoint.
pub(crate) struct Endpoint {
    /// Its path, behind [`BASE`].
    pub(crate) path: &'static str,
    /// The sentence of the documentation.
    pub(crate) summary: &'static str,
    /// Whether it changes something.
    pub(crate) effect: Effect,
    /// Why it refuses a request that has the right form.
    pub(crate) refusals: &'static [Refusal],
    /// How it answers.
    pub(crate) handler: Handler,
}

/// Whether an endpoint changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It changes nothing.
    Read,
    /// It changes something, and takes an `Idempotency-Key`.
    Write,
}

/// Why an endpoint refuses a request that has the right form.
pub(crate) enum Refusal {
    /// A record is not there.
    NotFound(Missing),
    /// A rule stands in the way.
    Refused(Precondition),
}

/// The fields, the use case and the answer of an endpoint. [`handler`] makes it.
pub(crate) struct Handler {
    /// The shape of a `200`.
    pub(crate) shape: fn() -> Shape,
    /// Reads the fields for their description alone.
    pub(crate) describe: fn(&mut Fields<'_>),
    /// Reads the fields. Nothing else has happened before the future is polled.
    pub(crate) begin: fn(&mut Fields<'_>, Call) -> Result<LocalBoxFuture<'static, Answer>, Noted>,
}

/// A request that was received, but for its fields.
pub(crate) struct Call {
    /// The services that every request needs.
    pub(crate) api: Shared,
    /// The owner of the key.
    pub(crate) caller: Caller,
    /// The name that the client gave this write, so that it can be sent again.
    pub(crate) repeat: Option<Repeat>,
}

/// An endpoint that changes nothing.
pub(crate) const fn read(path: &'static str, summary: &'static str, handler: Handler) -> Endpoint {
    Endpoint { path, summary, effect: Effect::Read, refusals: &[], handler }
}

/// An endpoint that changes something.
pub(crate) const fn write(path: &'static str, summary: &'static str, handler: Handler) -> Endpoint {
    Endpoint { effect: Effect::Write, ..read(path, summary, handler) }
}

/// The beginning of every path.
const BASE: &str = "/api/external/v1";

impl Endpoint {
    /// The whole path.
    pub(crate) fn route(&self) -> String {
        format!("{BASE}{}", self.path)
    }

    /// The same endpoint with these refusals.
    pub(crate) const fn refusing(self, refusals: &'static [Refusal]) -> Self {
        Self { refusals, ..self }
    }
}

impl Refusal {
    /// The failure that the client is told.
    pub(crate) fn failure(&self) -> ApiFailure {
        ApiFailure::UseCase(match self {
            Self::NotFound(missing) => Error::NotFound(*missing),
            Self::Refused(precondition) => Error::Refused(*precondition),
        })
    }

    /// The name of the case, as the OpenAPI document gives it.
    pub(crate) fn name(&self) -> String {
        let case = match self {
            Self::NotFound(Missing::Record(kind)) => format!("{kind:?}"),
            Self::NotFound(missing) => format!("{missing:?}"),
            Self::Refused(Precondition::UnknownOf(member)) => format!("UnknownOf.{member}"),
            Self::Refused(precondition) => format!("{precondition:?}"),
        };
        // A case may hold an identifier.
        case.split('(').next().unwrap_or_default().to_owned()
    }
}

/// Makes a [`Handler`] of the shape of its answer, the function that reads the fields, and the use
/// case.
///
/// | Shape | The use case takes, behind ports and caller | It gives |
/// |---|---|---|
/// | `array<View>` | nothing | all records |
/// | `object<View>` | what the fields say | a record |
/// | `page<View>` | the filter and the page of what the fields say, a filter and a `Paging` | a page of records |
/// | `created`, `success`, `voted` | what the fields say, and the client's name for the write | an `Outcome` |
macro_rules! handler {
    (array<$view:ident>: $use_case:path) => {
        $crate::endpoint::Handler {
            shape: $crate::shape::array::<$view<'_>>,
            describe: |_| {},
            begin: |_, call| {
                Ok(Box::pin(async move {
                    let records = $use_case(&call.api.ports, call.caller);
                    let records = records.await.map_err($crate::error::ApiFailure::from)?;
                    $crate::answer::array::<$view<'_>, _>(&records)
                }))
            },
        }
    };
    (object<$view:ident>: $fields:path => $use_case:path) => {
        $crate::endpoint::handler!(@ $crate::shape::object::<$view<'_>>, $fields, call, input => {
            let record = $use_case(&call.api.ports, call.caller, input);
            let record = record.await.map_err($crate::error::ApiFailure::from)?;
            $crate::answer::object(&$view::from(&record))
        })
    };
    (page<$view:ident>: $fields:path => $use_case:expr) => {
        $crate::endpoint::handler!(@ $crate::shape::page::<$view<'_>>, $fields, call, input => {
            let (filter, $crate::page::Paging { page, list }) = input;
            let page = ($use_case)(&call.api.ports, call.caller, filter, page);
            let page = page.await.map_err($crate::error::ApiFailure::from)?;
            $crate::answer::page::<$view<'_>, _, _>(&page, &list)
        })
    };
    ($shape:ident: $fields:path => $use_case:path) => {
        $crate::endpoint::handler!(@ $crate::shape::$shape, $fields, call, input => {
            let outcome = $use_case(&call.api.ports, call.caller, input, call.repeat);
            let outcome = outcome.await.map_err($crate::error::ApiFailure::from)?;
            $crate::answer::outcome(outcome)
        })
    };
    (@ $shape:expr, $fields:path, $call:ident, $input:ident => $answer:block) => {
        $crate::endpoint::Handler {
            shape: $shape,
            describe: |fields| {
                let _ = $fields(fields);
            },
            begin: |fields, $call| {
                let $input = $fields(fields)?;
                Ok(Box::pin(async move { $answer }))
            },
        }
    };
}

pub(crate) use handler;
