//! The tables and rows that both stores have in common.
//!
//! Both stores hold the same records. The [tables](schema), the [`rows`] and the [`queries`] that
//! are the same are defined here once. Each store has its own connections, transactions, locks and
//! searches.
//!
//! **Architecture invariant:** depends on `ports` and `domain` alone, and runs no statement. The
//! features `postgres` and `sqlite` add the conversions to the types of that engine, and the lists
//! with optional filters.

pub mod access;
pub mod audit;
pub mod backlog;
pub mod ballots;
pub mod changelog_entries;
mod column;
pub mod counts;
pub mod deliveries;
mod edited;
pub mod erasure;
pub mod events;
pub mod export;
pub mod feedback_posts;
pub mod follow_ups;
pub mod help_articles;
pub mod help_center;
#[expect(missing_docs, reason = "the type of a statement has its name")]
pub mod images;
mod kept;
pub mod keys;
pub mod mails;
pub mod merges;
pub mod moderation;
#[expect(missing_docs, reason = "the type of a statement has its name")]
pub mod notices;
pub mod oidc;
pub mod passwords;
pub mod positions;
#[cfg(feature = "postgres")]
pub mod postgres;
#[expect(missing_docs, reason = "the type of a statement has its name")]
pub mod queries;
pub mod receipts;
pub mod roadmap_posts;
pub mod rows;
pub mod saved_views;
#[expect(missing_docs, reason = "a column has the name of the value that it holds")]
pub mod schema;
pub mod second_factors;
pub mod sessions;
#[expect(missing_docs, reason = "the type of a statement has its name")]
pub mod shown;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod sso_secrets;
pub mod statement;
pub mod subscriptions;
mod values;
pub mod votes;
pub mod webhook_subscriptions;

pub use crate::column::{BadRow, Column, Origin, all};
pub use crate::edited::Edited;
pub use crate::kept::{kept, kept_if_one};
pub use crate::values::{Id, Ids, Json, Keys, SqlId, SqlIds, SqlJson, SqlKeys, SqlStamp, Stamp};
