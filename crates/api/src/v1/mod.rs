//! The endpoints of version 1. The file of `/votes/toggle` is `votes.rs`.

mod categories;
mod changelog;
mod comments;
mod feedback_boards;
mod feedback_posts;
mod help_articles;
mod help_categories;
mod help_collections;
mod labels;
mod roadmap_boards;
mod statuses;
mod tags;
mod users;
mod votes;

use crate::endpoint::Endpoint;

const TABLES: &[&[Endpoint]] = &[
    users::TABLE,
    feedback_boards::TABLE,
    feedback_posts::TABLE,
    comments::TABLE,
    votes::TABLE,
    categories::TABLE,
    tags::TABLE,
    statuses::TABLE,
    roadmap_boards::TABLE,
    labels::TABLE,
    changelog::TABLE,
    help_collections::TABLE,
    help_categories::TABLE,
    help_articles::TABLE,
];

/// Every endpoint, in the order of the contract.
pub(crate) fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    TABLES.iter().copied().flatten()
}
