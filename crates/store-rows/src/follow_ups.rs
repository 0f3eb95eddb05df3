//! Changes of many records that are not finished.

use crate::column::{BadRow, Origin};
use crate::schema::follow_ups;
use crate::values::Id;
use diesel::prelude::*;
use hearback_domain::follow_up::FollowUp;
use hearback_domain::one_person::Traces;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::Kind;

/// A row of `follow_ups`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = follow_ups, treat_none_as_default_value = false)]
pub struct FollowUpRow {
    pub(crate) task: String,
    pub(crate) kind: String,
    pub(crate) target_id: Id,
    replacement_id: Option<Id>,
}

const REPLACE: &str = "replace";
const DELETE_POSTS: &str = "delete_posts";
const REJECT_PENDING: &str = "reject_pending";
const ERASE: &str = "erase";
const ERASE_WITH_TRACES: &str = "erase_with_traces";
const SUM_SPEND: &str = "sum_spend";

impl From<FollowUp> for FollowUpRow {
    fn from(follow_up: FollowUp) -> Self {
        let (task, kind, target, by) = match follow_up {
            FollowUp::Replace { key: (kind, id), by } => (REPLACE, kind, id, by),
            FollowUp::DeletePosts { board } => (DELETE_POSTS, Kind::FeedbackBoard, board.0, None),
            FollowUp::RejectPending { author } => (REJECT_PENDING, Kind::User, author.0, None),
            FollowUp::Erase { user, traces } => {
                let task = match traces {
                    Traces::Anonymize => ERASE,
                    Traces::Delete => ERASE_WITH_TRACES,
                };
                (task, Kind::User, user.0, None)
            }
            FollowUp::SumSpend { of: (kind, id), after } => (SUM_SPEND, kind, id, after),
        };
        Self {
            task: task.to_owned(),
            kind: kind.code().to_owned(),
            target_id: Id(target),
            replacement_id: by.map(Id),
        }
    }
}

impl TryFrom<FollowUpRow> for FollowUp {
    type Error = BadRow;

    fn try_from(row: FollowUpRow) -> Result<Self, BadRow> {
        let origin = Origin::new("follow_ups", row.target_id);
        let kind = Kind::parse(&row.kind).ok_or_else(|| origin.bad("kind"))?;
        match &*row.task {
            REPLACE => {
                let by = row.replacement_id.map(Uuid::from);
                Ok(Self::Replace { key: (kind, row.target_id.0), by })
            }
            DELETE_POSTS => Ok(Self::DeletePosts { board: row.target_id.to() }),
            REJECT_PENDING => Ok(Self::RejectPending { author: row.target_id.to() }),
            ERASE => Ok(Self::Erase { user: row.target_id.to(), traces: Traces::Anonymize }),
            ERASE_WITH_TRACES => {
                Ok(Self::Erase { user: row.target_id.to(), traces: Traces::Delete })
            }
            SUM_SPEND => {
                let after = row.replacement_id.map(Uuid::from);
                Ok(Self::SumSpend { of: (kind, row.target_id.0), after })
            }
            _ => Err(origin.bad("task")),
        }
    }
}
