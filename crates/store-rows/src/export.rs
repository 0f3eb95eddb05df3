//! Pages of an export.

use crate::column::{BadRow, all};
use crate::rows::CommentRow;
use hearback_domain::comment::Comment;
use hearback_domain::record::OfKind;
use hearback_ports::export::{ExportKey, ExportPage};

/// A page of the fetched rows: at most `limit`, without the further row that was fetched to learn
/// whether another page follows.
pub fn cut<T, R>(fetched: Vec<R>, limit: i64) -> Result<ExportPage, BadRow>
where
    T: OfKind + TryFrom<R, Error = BadRow>,
{
    let mut records: Vec<T> = all(fetched)?;
    let limit = usize::try_from(limit).unwrap_or(0);
    let has_more = records.len() > limit;
    records.truncate(limit);
    let last = records.last().filter(|_| has_more).map(|last| last.clone().into_record().id());
    let next = last.map(|id| ExportKey { depth: 0, id });
    Ok(ExportPage { batch: T::into_batch(records), next })
}

/// [`cut`] for comments, each with its depth.
pub fn cut_comments(
    fetched: Vec<(CommentRow<'static>, i32)>,
    limit: i64,
) -> Result<ExportPage, BadRow> {
    let (rows, depths): (Vec<_>, Vec<_>) = fetched.into_iter().unzip();
    let last = usize::try_from(limit).ok().and_then(|limit| depths.get(limit.checked_sub(1)?));
    let depth = last.copied().unwrap_or_default();
    let page = cut::<Comment, _>(rows, limit)?;
    Ok(ExportPage { next: page.next.map(|key| ExportKey { depth, ..key }), ..page })
}
