//! The reasons why a page is not shown.

use actix_web::http::StatusCode;
use hearback_app::{Denied, Error};
use hearback_http::Failure;
use hearback_ports::StoreError;
use serde_json::json;

/// The reason why a page is not shown.
#[derive(Debug)]
pub enum Fault {
    /// There is no such page, or the visitor does not see it.
    Gone,
    /// The server has no organization yet.
    NoOrganization,
    /// The visitor has to sign in first.
    SignIn,
    /// The visitor, a member of the team, has to show the second factor first, or to set one up.
    SecondStep,
    /// The form has expired, or another site has sent it.
    Form,
    /// The visitor may not do this.
    Refused(&'static str),
    /// A failure that any request may have, or a fault of ours.
    Failure(Failure),
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        use crate::chrome::key;
        use hearback_app::Precondition::{
            CommentingDisabled, PostMerged, UserBlocked, VotingDisabled,
        };
        match error {
            Error::NotFound(_) | Error::Denied(Denied::Feature(_) | Denied::Permission(_)) => {
                Self::Gone
            }
            Error::Denied(Denied::NotSignedIn) => Self::SignIn,
            Error::Denied(Denied::SecondFactor) => Self::SecondStep,
            Error::Refused(UserBlocked) => Self::Refused(key("refused-blocked")),
            Error::Refused(VotingDisabled) => Self::Refused(key("refused-voting")),
            Error::Refused(CommentingDisabled) => Self::Refused(key("refused-commenting")),
            Error::Refused(PostMerged) => Self::Refused(key("refused-merged")),
            Error::Refused(_) => Self::Refused(key("refused")),
            error @ (Error::Store(_) | Error::Secret(_) | Error::KeyReused) => {
                Self::Failure(Failure::Door(Box::new(Ours(error))))
            }
        }
    }
}

/// A fault of ours, as the log has it.
#[derive(Debug, thiserror::Error)]
#[error("a page failed")]
struct Ours(#[source] Error);

impl hearback_http::DoorError for Ours {
    fn status(&self) -> StatusCode {
        match self.0 {
            Error::Store(
                StoreError::Busy | StoreError::Unreachable { .. } | StoreError::Full { .. },
            ) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn body(&self) -> Vec<u8> {
        let words = match self.status() {
            StatusCode::SERVICE_UNAVAILABLE => "temporarily unavailable",
            _ => "internal error",
        };
        json!({"detail": {"error": words}}).to_string().into_bytes()
    }
}
