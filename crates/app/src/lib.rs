#![doc = include_str!("../README.md")]

pub mod backlog;
pub mod categories;
pub mod changelog;
pub mod comments;
pub mod deliver;
mod derived;
pub mod error;
pub mod examination;
pub mod feedback_boards;
pub mod feedback_posts;
pub mod help_articles;
pub mod help_categories;
pub mod help_collections;
pub mod key_ring;
pub mod keys;
pub mod labels;
pub mod mail;
pub mod once;
pub mod organizations;
pub mod portable;
pub mod prune;
pub mod publish;
pub mod reseal;
pub mod roadmap_boards;
pub mod statuses;
pub mod tags;
pub mod unsubscribe;
pub mod users;
pub mod vault;
pub mod votes;
pub mod webhooks;
pub mod write;

pub use error::{Error, Missing, Precondition};
pub use key_ring::KeyRing;
pub use once::{Outcome, Repeat};
pub use vault::{MasterKey, Vault};
