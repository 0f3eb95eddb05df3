//! The declaration of an endpoint: one value that its route, the OpenAPI document, the metrics and
//! the tests read.
//!
//! A resource declares its endpoints in a `TABLE`, beside the functions that read their fields;
//! `v1` lists the tables.

use crate::Shared;
use crate::answer::Answer;
use crate::error::ApiFailure;
use crate::fields::{Fields, Noted, describe};
use crate::shape::Shape;
use crate::v1;
use futures_util::future::BoxFuture;
use hearback_app::{Caller, Error, Missing, Precondition, Repeat};
use std::collections::HashMap;
use std::sync::LazyLock;

/// An endpoint.
pub(crate) struct Endpoint {
    /// The path, relative to [`BASE`].
    pub(crate) path: &'static str,
    /// The summary in the OpenAPI document.
    pub(crate) summary: &'static str,
    /// Whether the endpoint changes something.
    pub(crate) effect: Effect,
    /// The reasons to refuse a request whose body is valid.
    pub(crate) refusals: &'static [Refusal],
    /// The fields, the use case and the response.
    pub(crate) handler: Handler,
}

/// Whether an endpoint changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The endpoint changes nothing.
    Read,
    /// The endpoint changes something. It takes an `Idempotency-Key`.
    Write,
}

/// Why an endpoint refuses a request whose body is valid.
pub(crate) enum Refusal {
    /// A record is missing.
    NotFound(Missing),
    /// A precondition does not hold.
    Refused(Precondition),
}

/// The fields, the use case and the response of an endpoint. [`handler`] makes one.
pub(crate) struct Handler {
    /// The shape of a `200`.
    pub(crate) shape: fn() -> Shape,
    /// Reads the fields to describe them.
    pub(crate) describe: fn(&mut Fields<'_>),
    /// Reads the fields. Nothing else happens before the future is polled.
    pub(crate) begin: fn(&mut Fields<'_>, Call) -> Result<BoxFuture<'static, Answer>, Noted>,
}

/// A request, without its fields.
pub(crate) struct Call {
    /// The services that every request needs.
    pub(crate) api: Shared,
    /// The owner of the key.
    pub(crate) caller: Caller,
    /// The idempotency key of the request, with its path and its body.
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

/// The prefix of every path.
const BASE: &str = "/api/external/v1";

impl Endpoint {
    /// The path with its prefix.
    pub(crate) fn route(&self) -> String {
        format!("{BASE}{}", self.path)
    }

    /// The names of the fields. They come with the schemas of the fields, which take far more memory:
    /// all names are collected once.
    pub(crate) fn names(&self) -> &'static [&'static str] {
        static NAMES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
            let names = |endpoint: &'static Endpoint| {
                let described = describe(endpoint.handler.describe);
                (endpoint.path, described.fields.iter().map(|field| field.name).collect())
            };
            v1::endpoints().map(names).collect()
        });
        NAMES.get(self.path).map(Vec::as_slice).unwrap_or_default()
    }

    /// The endpoint with these refusals.
    pub(crate) const fn refusing(self, refusals: &'static [Refusal]) -> Self {
        Self { refusals, ..self }
    }
}

impl Refusal {
    /// The failure that the client receives.
    pub(crate) fn failure(&self) -> ApiFailure {
        ApiFailure::UseCase(match self {
            Self::NotFound(missing) => Error::NotFound(*missing),
            Self::Refused(precondition) => Error::Refused(*precondition),
        })
    }

    /// The name of the case in the OpenAPI document.
    pub(crate) fn name(&self) -> String {
        let case = match self {
            Self::NotFound(Missing::Record(kind)) => format!("{kind:?}"),
            Self::NotFound(missing) => format!("{missing:?}"),
            Self::Refused(Precondition::UnknownOf(member)) => format!("UnknownOf.{member}"),
            Self::Refused(precondition) => format!("{precondition:?}"),
        };
        // The `Debug` form of a case may have an identifier in parentheses.
        case.split('(').next().unwrap_or_default().to_owned()
    }
}

/// Makes a [`Handler`] from the shape of its response, the function that reads the fields, and the
/// use case.
///
/// | Shape | Input of the use case, after ports and caller | Its output |
/// |---|---|---|
/// | `array<View>` | nothing | all records |
/// | `object<View>` | the fields | a record |
/// | `page<View>` | the filter and the page, of a filter and a `Paging` | a page of records |
/// | `created`, `success`, `updated`, `replayed`, `voted`, `set`, `set_many`, `decided` | the fields, and the request's `Repeat` | an `Outcome` |
/// | `tried` | the same | a `Tried` |
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
    (array<$view:ident>: $fields:path => $use_case:path) => {
        $crate::endpoint::handler!(@ $crate::shape::array::<$view<'_>>, $fields, call, input => {
            let records = $use_case(&call.api.ports, call.caller, input);
            let records = records.await.map_err($crate::error::ApiFailure::from)?;
            $crate::answer::array::<$view<'_>, _>(&records)
        })
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
            $crate::answer::page(page, &list, |record, text| {
                serde_json::to_writer(text, &$view::from(record))
            })
        })
    };
    (tried: $fields:path => $use_case:path) => {
        $crate::endpoint::handler!(@ $crate::shape::tried, $fields, call, input => {
            let tried = $use_case(&call.api.ports, call.caller, input, call.repeat);
            $crate::answer::tried(tried.await.map_err($crate::error::ApiFailure::from)?)
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
