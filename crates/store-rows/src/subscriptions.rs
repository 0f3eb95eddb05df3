//! Subscribers of posts.

use crate::column::{BadRow, Origin};
use crate::values::{Id, Stamp};
use diesel::prelude::*;
use hearback_domain::Time;
use hearback_domain::subscription::{Level, Subscriber};
use std::borrow::Cow;

/// A subscription with its user.
#[derive(Queryable)]
pub struct SubscriberRow {
    id: Id,
    user_id: Id,
    name: String,
    email: Option<String>,
    level: String,
    created_at: Stamp,
}

impl TryFrom<SubscriberRow> for Subscriber {
    type Error = BadRow;

    fn try_from(row: SubscriberRow) -> Result<Self, BadRow> {
        let origin = Origin::new("post_subscriptions", row.id);
        Ok(Self {
            id: row.id.to(),
            user_id: row.user_id.to(),
            name: row.name,
            email: row.email.unwrap_or_default(),
            level: origin.read::<Level>("level", Cow::from(row.level))?,
            subscribed_at: origin.read::<Time>("created_at", row.created_at)?,
        })
    }
}
