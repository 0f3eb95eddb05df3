//! `/tags/…`

use crate::crud::edit_and_follow;
use crate::once::{Outcome, Repeat};
use crate::write::{self, Decided};
use crate::{Caller, Error};
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::TagId;
use hearback_domain::record::{Kind, OfKind};
use hearback_domain::tag::Tag;
use hearback_ports::Ports;

/// `/tags/list`: the active ones, by name.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<Tag>, Error> {
    let organization = caller.view(Kind::Tag)?;
    Ok(ports.whole_lists.tags(organization).await?)
}

/// `/tags/delete`: posts no longer show the tag. It is removed from them in the background.
pub async fn delete(
    ports: &Ports,
    caller: Caller,
    id: TagId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_and_follow(ports, caller, id, repeat, async |tag| Ok(replaced(tag, None))).await
}

/// A tag and the one that takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeTags {
    /// The tag that is deleted.
    pub tag: TagId,
    /// The tag that its posts get.
    pub into: TagId,
}

/// `/tags/merge`: deletes a tag, and gives its posts another one.
pub async fn merge(
    ports: &Ports,
    caller: Caller,
    MergeTags { tag, into }: MergeTags,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit_and_follow(ports, caller, tag, repeat, move |tag| async move {
        write::find::<Tag>(ports, caller, into).await?;
        Ok(replaced(tag, Some(into)))
    })
    .await
}

fn replaced(tag: Tag, by: Option<TagId>) -> Decided<Tag> {
    let key = (Kind::Tag, tag.id.0);
    let follow_up = FollowUp::Replace { key, by: by.map(Into::into) };
    let needs = by.map(|by| write::need("into_tag_id", Kind::Tag, by));
    Decided {
        follow_ups: vec![follow_up],
        needs: needs.into_iter().collect(),
        ..tag.deleted().into()
    }
}
