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
const DELETE_CONTENT: &str = "delete_content";
/// [`DELETE_CONTENT`] of a board, as earlier versions store it.
const DELETE_POSTS: &str = "delete_posts";
const MOVE_ARTICLES: &str = "move_articles";
const REJECT_PENDING: &str = "reject_pending";
const ERASE: &str = "erase";
const ERASE_WITH_TRACES: &str = "erase_with_traces";
const SUM_SPEND: &str = "sum_spend";

impl From<FollowUp> for FollowUpRow {
    fn from(follow_up: FollowUp) -> Self {
        let (task, kind, target, by) = match follow_up {
            FollowUp::Replace { key: (kind, id), by } => (REPLACE, kind, id, by),
            FollowUp::DeleteContent { of: (kind, id) } => (DELETE_CONTENT, kind, id, None),
            FollowUp::MoveArticles { category, to } => {
                (MOVE_ARTICLES, Kind::HelpCategory, category.0, Some(to.0))
            }
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
            DELETE_CONTENT | DELETE_POSTS => {
                Ok(Self::DeleteContent { of: (kind, row.target_id.0) })
            }
            MOVE_ARTICLES => {
                let to = row.replacement_id.ok_or_else(|| origin.bad("replacement_id"))?;
                Ok(Self::MoveArticles { category: row.target_id.to(), to: to.to() })
            }
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
