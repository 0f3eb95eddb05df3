//! Deletions of records that contain others: feedback boards, help collections and help categories.

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
    /// The treatment of the records in it.
    pub content: Content<To>,
    /// Whether the deletion is only tried.
    pub dry_run: bool,
}

/// The treatment of the records in a deleted record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<To> {
    /// The deletion is refused if there are any.
    Refuse,
    /// They move to the end of another record.
    Move(To),
    /// They are deleted.
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

    /// Splits the number of records in the deleted one into those that move and those that are
    /// deleted.
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
