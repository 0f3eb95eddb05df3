//! Black-box tests: the real binary, over HTTP, on both stores, with the contract's bodies.
//!
//! A file tests one URL (`votes/toggle.rs` tests `/votes/toggle`). Behaviour that all endpoints
//! share has files of its own.

#![expect(clippy::expect_used, clippy::panic, reason = "a failure in a helper must fail the test")]

mod support;

mod authentication;
mod bodies;
mod categories;
mod changelog;
mod comments;
mod companies;
mod deliveries;
mod erasure;
mod examples;
mod feedback_boards;
mod feedback_posts;
mod fields;
mod health;
mod help_articles;
mod help_categories;
mod help_center;
mod help_collections;
mod help_deletions;
mod help_redirects;
mod histories;
mod isolation;
mod labels;
mod mail;
mod mcp;
mod moderation;
mod one_person;
mod outage;
mod pagination;
mod ping;
mod portal;
mod publishing;
mod races;
mod rate_limits;
mod repeats;
mod roadmap_boards;
mod roadmap_posts;
mod rotation;
mod slugs;
mod sso;
mod statuses;
mod tags;
mod unsubscribe;
mod updates;
mod users;
mod votes;
mod webhooks;
