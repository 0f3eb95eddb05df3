//! The fields of deletions of records with a content.

use crate::fault::Wrong;
use crate::fields::{Fields, Noted, any_of, boolean, is_one_of};
use hearback_app::content::{Content, DeleteWithContent};
use hearback_domain::Uuid;
use serde_json::Value;

/// The fields of a deletion behind `id` and `to`, the record to which the content moves: `delete`,
/// whether the content is deleted, and `dry_run`. `exclusive` says that both exclude each other.
pub(crate) fn deletion<I: From<Uuid>, To: From<Uuid>>(
    fields: &mut Fields<'_>,
    id: Result<Uuid, Noted>,
    (to_member, to): (&'static str, Result<Option<Uuid>, Noted>),
    (delete, exclusive): (&'static str, &'static str),
) -> Result<DeleteWithContent<I, To>, Noted> {
    let is_moved = !matches!(to, Ok(None));
    let is_deleted = fields.optional(delete, |value| match boolean(value)? {
        true if is_moved => Err(Wrong::Rule(exclusive)),
        is_deleted => Ok(is_deleted),
    });
    fields.rule(|| {
        let (null, no) = (Value::Null, Value::Bool(false));
        any_of([
            is_one_of(to_member, [null.clone()]).build(),
            is_one_of(delete, [null, no]).build(),
        ])
    });
    let dry_run = fields.dry_run();
    let content = match (to?, is_deleted?) {
        (Some(to), _) => Content::Move(to.into()),
        (None, Some(true)) => Content::Delete,
        (None, _) => Content::Refuse,
    };
    Ok(DeleteWithContent { id: id?.into(), content, dry_run: dry_run? })
}
