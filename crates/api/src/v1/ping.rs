//! `/ping`

use crate::answer::Timestamp;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::{Fields, Noted};
use hearback_app::organizations::{self, Pong};
use hearback_domain::Uuid;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/ping",
    "Name the organization of the key",
    handler!(object<PingView>: nothing => organizations::ping),
)];

fn nothing(_: &mut Fields<'_>) -> Result<(), Noted> {
    Ok(())
}

#[derive(Serialize, ToSchema)]
#[schema(as = Ping)]
pub(crate) struct PingView<'a> {
    organization_id: Uuid,
    organization_slug: &'a str,
    timestamp: Timestamp,
}

impl<'a> From<&'a Pong> for PingView<'a> {
    fn from(Pong { organization, at }: &'a Pong) -> Self {
        Self {
            organization_id: organization.id.0,
            organization_slug: organization.slug.as_str(),
            timestamp: (*at).into(),
        }
    }
}
