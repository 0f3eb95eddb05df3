//! `/audit/list` and `/feedback-posts/activity`

use crate::answer::{ActivityCode, DoorCode, Timestamp};
use crate::endpoint::Refusal::NotFound;
use crate::endpoint::{Endpoint, handler, read};
use crate::fields::{Fields, Noted, string, timestamp, uuid};
use crate::page::Paging;
use hearback_app::Missing;
use hearback_app::audit::{self, Activity};
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::id::PostId;
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByTime;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[read(
    "/audit/list",
    "List the changes of records, newest first",
    handler!(page<EntryView>: filtered => audit::list),
)];

/// An endpoint of the feedback posts.
pub(crate) const ACTIVITY: Endpoint = read(
    "/feedback-posts/activity",
    "List what happened to a feedback post, newest first",
    handler!(page<ActivityView>: of_post => audit::activity),
)
.refusing(&[NotFound(Missing::Record(Kind::FeedbackPost))]);

fn filtered(fields: &mut Fields<'_>) -> Result<(AuditFilter, Paging<ByTime>), Noted> {
    let actor_id = fields.optional("actor_id", uuid);
    let action = fields.optional("action", string);
    let target_id = fields.optional("target_id", uuid);
    let created_after = fields.optional("created_after", timestamp);
    let filter = actor_id.and_then(|actor_id| {
        Ok(AuditFilter {
            actor_id: actor_id.map(Into::into),
            action: action?,
            target_id: target_id?,
            created_after: created_after?,
        })
    });
    let list = fields.list("newest");
    let paging = fields.paging(filter.as_ref().map_err(|noted| *noted).map(|filter| {
        list.filter(filter.actor_id.map(Uuid::from))
            .filter(filter.action.as_deref())
            .filter(filter.target_id)
            .filter(filter.created_after.map(|time| time.to_string()))
    }));
    Ok((filter?, paging?))
}

fn of_post(fields: &mut Fields<'_>) -> Result<(PostId, Paging<ByTime>), Noted> {
    let post = fields.required("post_id", uuid);
    let list = fields.list("newest");
    let paging = fields.paging(post.map(|post| list.filter(Some(post))));
    Ok((post?.into(), paging?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct EntryView<'a> {
    id: Uuid,
    at: Timestamp,
    #[schema(inline)]
    door: DoorCode,
    actor_id: Option<Uuid>,
    action: &'a str,
    target_kind: &'static str,
    target_id: Uuid,
    #[schema(value_type = Object)]
    data: &'a RawValue,
}

impl<'a> From<&'a AuditEntry> for EntryView<'a> {
    fn from(entry: &'a AuditEntry) -> Self {
        let (kind, id) = entry.target;
        Self {
            id: entry.id.0,
            at: entry.at.into(),
            door: entry.door.into(),
            actor_id: entry.actor_id.map(Uuid::from),
            action: &entry.action,
            target_kind: kind.code(),
            target_id: id,
            data: shown(&entry.data),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = Activity)]
pub(crate) struct ActivityView<'a> {
    id: Uuid,
    #[serde(rename = "type")]
    #[schema(inline)]
    activity_type: ActivityCode,
    actor_id: Option<Uuid>,
    #[schema(value_type = Object)]
    data: &'a RawValue,
    created_at: Timestamp,
}

impl<'a> From<&'a Activity> for ActivityView<'a> {
    fn from(Activity { activity_type, entry }: &'a Activity) -> Self {
        Self {
            id: entry.id.0,
            activity_type: (*activity_type).into(),
            actor_id: entry.actor_id.map(Uuid::from),
            data: shown(&entry.data),
            created_at: entry.at.into(),
        }
    }
}

fn shown(data: &str) -> &RawValue {
    serde_json::from_str(data).unwrap_or(RawValue::NULL)
}
