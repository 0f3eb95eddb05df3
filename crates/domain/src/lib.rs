//! Entities, values and state rules of Hearback.
//!
//! Everything here is a plain value or a pure function: no IO, no async, no wire format, no clock. A rule that can be said
//! without a database is said here, and unit-tested here without a mock.
//!
//! **Architecture invariant:** this crate depends on no other crate of the workspace.

pub mod api_key;
pub mod category;
pub mod changelog_entry;
pub mod closed_set;
pub mod color;
pub mod comment;
pub mod delivery;
pub mod edit;
pub mod event;
pub mod feedback_board;
pub mod feedback_post;
pub mod fold;
pub mod help_article;
pub mod help_category;
pub mod help_collection;
pub mod id;
pub mod label;
pub mod mail;
pub mod merge;
pub mod organization;
pub mod position;
pub mod record;
pub mod roadmap_board;
pub mod roadmap_post;
pub mod slug;
pub mod status;
pub mod tag;
pub mod text;
pub mod time;
pub mod told;
pub mod user;
pub mod vote;
pub mod web_url;
pub mod webhook_subscription;

pub use crate::closed_set::ClosedSet;
pub use crate::time::Time;
pub use uuid::Uuid;
