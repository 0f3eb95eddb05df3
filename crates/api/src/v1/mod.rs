//! The endpoints of version 1.

mod audit;
mod categories;
mod changelog;
mod changes;
mod comments;
mod companies;
mod content;
mod deliveries;
mod events;
mod feedback_boards;
mod feedback_posts;
mod help_articles;
mod help_categories;
mod help_collections;
mod help_redirects;
mod labels;
mod moderation;
mod people;
mod ping;
mod roadmap_boards;
mod roadmap_posts;
mod statuses;
mod tags;
pub(crate) mod users;
mod votes;
mod webhooks;

use crate::endpoint::Endpoint;
use hearback_domain::record::Kind;

/// The endpoints of each kind of records, in the order of the contract.
pub(crate) const TABLES: &[(Kind, &[Endpoint])] = &[
    (Kind::User, users::TABLE),
    (Kind::Company, companies::TABLE),
    (Kind::FeedbackBoard, feedback_boards::TABLE),
    (Kind::FeedbackPost, feedback_posts::TABLE),
    (Kind::Comment, comments::TABLE),
    (Kind::Vote, votes::TABLE),
    (Kind::Category, categories::TABLE),
    (Kind::Tag, tags::TABLE),
    (Kind::Status, statuses::TABLE),
    (Kind::RoadmapBoard, roadmap_boards::TABLE),
    (Kind::RoadmapPost, roadmap_posts::TABLE),
    (Kind::FeedbackPost, moderation::TABLE),
    (Kind::Organization, audit::TABLE),
    (Kind::Organization, ping::TABLE),
    (Kind::WebhookSubscription, webhooks::TABLE),
    (Kind::WebhookSubscription, deliveries::TABLE),
    (Kind::WebhookSubscription, events::TABLE),
    (Kind::Label, labels::TABLE),
    (Kind::ChangelogEntry, changelog::TABLE),
    (Kind::HelpCollection, help_collections::TABLE),
    (Kind::HelpCategory, help_categories::TABLE),
    (Kind::HelpArticle, help_articles::TABLE),
    (Kind::HelpRedirect, help_redirects::TABLE),
];

/// All endpoints, in the order of the contract.
pub(crate) fn endpoints() -> impl Iterator<Item = &'static Endpoint> {
    TABLES.iter().flat_map(|(_, table)| table.iter())
}
