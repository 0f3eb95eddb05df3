//! Deletions of records with a content: the posts of a board, or the articles of a help collection
//! or category.

use crate::write::{self, Decided};
use crate::{Caller, Error};
use hearback_domain::Uuid;
use hearback_domain::follow_up::{Affected, FollowUp, Only};
use hearback_domain::record::{Kind, OfKind};
use hearback_ports::Ports;

/// The input of a deletion of a record whose content may move to another record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeleteWithContent<I, To = I> {
    /// The record.
    pub id: I,
    /// What becomes of its content.
    pub content: Content<To>,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// What becomes of the content of a deleted record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<To> {
    /// The record must have none.
    Refuse,
    /// It moves to the end of another record.
    Move(To),
    /// It is deleted.
    Delete,
}

impl<To: Copy + Into<Uuid>> Content<To> {
    /// Deletes a record. The content moves to a record of the kind `T`, which `member` of the
    /// request names, by the follow-up `moved`.
    pub(crate) async fn delete<R: OfKind, T: OfKind>(
        self,
        ports: &Ports,
        caller: Caller,
        record: R,
        member: &'static str,
        moved: impl FnOnce(To) -> FollowUp,
    ) -> Result<Decided<R>, Error> {
        let key = record.clone().into_record().key();
        let deleted = record.deleted().into();
        Ok(match self {
            Self::Refuse => Decided { unused: vec![key], ..deleted },
            Self::Move(to) => {
                write::find::<T>(ports, caller, to).await?;
                Decided {
                    follow_ups: vec![moved(to)],
                    needs: vec![write::need(member, T::KIND, to)],
                    ..deleted
                }
            }
            Self::Delete => {
                Decided { follow_ups: vec![FollowUp::DeleteContent { of: key }], ..deleted }
            }
        })
    }

    /// The numbers of records that move and that are deleted, of a content of `count` records.
    pub(crate) fn split(self, count: i64) -> (i64, i64) {
        match self {
            Self::Refuse => (0, 0),
            Self::Move(_) => (count, 0),
            Self::Delete => (0, count),
        }
    }
}

/// The number of active records of a kind whose `member` is a record.
pub(crate) async fn count(
    ports: &Ports,
    caller: Caller,
    (kind, member): (Kind, &'static str),
    id: Uuid,
) -> Result<i64, Error> {
    let affected = Affected { kind, member, only: Only::Active };
    Ok(ports.records.count(caller.organization(), affected, id).await?)
}
