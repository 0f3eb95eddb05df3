//! `/changelog/…`

use crate::once::{Outcome, Repeat, once};
use crate::roadmap_posts::all_known;
use crate::write::{self, Changing, Update, given};
use crate::{Caller, Error, Missing, Precondition};
use hearback_domain::changelog_entry::{
    AlreadyPublished, ChangelogEntry, EntryDetails, EntryFilter, EntryPatch, EntrySort,
    NotPublished, Publish,
};
use hearback_domain::entry_link::EntryLink;
use hearback_domain::id::{ChangelogEntryId, PostId};
use hearback_domain::record::{Kind, Step};
use hearback_ports::mail_queue::Readers;
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::{Ports, WriteResult};

/// `/changelog/retrieve`: an active entry of any status.
pub async fn retrieve(
    ports: &Ports,
    caller: Caller,
    id: ChangelogEntryId,
) -> Result<EntryDetails, Error> {
    let organization = caller.view(Kind::ChangelogEntry)?;
    let entry = ports.changelog_entries.find(organization, id).await?;
    entry.ok_or(Error::NotFound(Missing::Record(Kind::ChangelogEntry)))
}

/// The input of [`list`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntries {
    /// The filter.
    pub filter: EntryFilter,
    /// The order.
    pub sort: EntrySort,
    /// How many of the first entries are left out; 0 if the page begins after a key.
    pub skip: u64,
    /// The page.
    pub page: PageRequest<ByOptionalTime>,
}

/// `/changelog/list`: the active entries of all statuses that the filter admits.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    ListEntries { filter, sort, skip, page }: ListEntries,
) -> Result<Page<EntryDetails, ByOptionalTime>, Error> {
    let organization = caller.view(Kind::ChangelogEntry)?;
    if !filter.label_ids.is_empty()
        && !ports.labels.are_known(organization, filter.label_ids.clone()).await?
    {
        return Err(Error::Refused(Precondition::UnknownOf("label_ids")));
    }
    Ok(ports.changelog_entries.page(organization, filter, sort, skip, page).await?)
}

/// The input of [`update`].
pub type UpdateEntry = Update<ChangelogEntryId, EntryPatch>;

/// `/changelog/update`: changes the given values.
pub async fn update(
    ports: &Ports,
    caller: Caller,
    update: UpdateEntry,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::try_update(ports, caller, update, repeat, |patch: EntryPatch, entry| {
        patch.edit(entry).map_err(|NotPublished| Precondition::NotPublished)
    })
    .await
}

/// `/changelog/publish`: publishes or schedules a draft or a scheduled entry.
pub async fn publish(
    ports: &Ports,
    caller: Caller,
    (entry, input): (ChangelogEntryId, Publish),
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit_at(ports, caller, entry, repeat, |entry, at| {
        let published = input.edit(entry, at);
        published.map_err(|AlreadyPublished| Precondition::AlreadyPublished)
    })
    .await
}

/// The numbers of the people who are mailed if an entry is published now, each up to
/// [`MOST_READERS`].
pub async fn readers(
    ports: &Ports,
    caller: Caller,
    id: ChangelogEntryId,
) -> Result<Readers, Error> {
    let organization = caller.manage(Kind::ChangelogEntry)?;
    let entry: ChangelogEntry = write::find(ports, caller, id).await?;
    match entry.show_on_portal {
        true => Ok(ports.mail_queue.readers(organization, id, MOST_READERS).await?),
        false => Ok(Readers::default()),
    }
}

/// The most readers that are counted.
pub const MOST_READERS: i64 = 10_000;

/// `/changelog/unpublish`: makes a draft of a published or scheduled entry.
pub async fn unpublish(
    ports: &Ports,
    caller: Caller,
    id: ChangelogEntryId,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    write::edit(ports, caller, id, repeat, |entry: ChangelogEntry| Ok(entry.unpublished())).await
}

/// An entry, and feedback posts to link to it or to unlink from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkToEntry {
    /// The entry.
    pub entry: ChangelogEntryId,
    /// The feedback posts.
    pub posts: Vec<PostId>,
    /// Whether they are linked afterwards.
    pub linked: bool,
}

/// `/changelog/link-posts` and `/changelog/unlink-posts`. A post that is linked, or not, already
/// stays so.
pub async fn link(
    ports: &Ports,
    caller: Caller,
    input: LinkToEntry,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::ChangelogEntry)?;
    let (LinkToEntry { entry, posts, linked }, repeat) = (&input, repeat.as_ref());
    once(ports, organization, (Kind::ChangelogEntry, entry.0), repeat, |_| async move {
        write::find::<ChangelogEntry>(ports, caller, *entry).await?;
        all_known(ports, organization, "post_ids", posts).await?;
        let links = ports.changelog_entries.links(organization, *entry).await?;
        let at = ports.clock.now();
        let step = |post: &PostId| {
            let link = links.iter().find(|link| link.feedback_post_id == *post).cloned();
            match (link, linked) {
                (Some(link), false) => Some(Step::remove(link)),
                (None, true) => Some(Step::make(EntryLink {
                    id: ports.ids.fresh().into(),
                    changelog_entry_id: *entry,
                    feedback_post_id: *post,
                    created_at: at,
                })),
                _ => None,
            }
        };
        let steps = posts.iter().filter_map(step).collect();
        Changing::new(ports, caller, repeat, at).record(steps, WriteResult::Success, given).await
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Uuid;
    use hearback_domain::id::OrganizationId;
    use hearback_ports::Limit;
    use hearback_ports::mock::Mocks;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const CALLER: Caller = Caller::background(ORGANIZATION);

    #[tokio::test]
    async fn labels_are_looked_up_only_if_a_list_names_some() {
        let request = |label_ids| ListEntries {
            filter: EntryFilter { label_ids, ..EntryFilter::default() },
            sort: EntrySort::Newest,
            skip: 0,
            page: PageRequest { after: None, limit: Limit::DEFAULT },
        };
        let mut unfiltered = Mocks::default();
        unfiltered
            .changelog_entries
            .expect_page()
            .once()
            .returning(|_, _, _, _, _| Ok(Page { items: vec![], next: None }));
        assert!(list(&unfiltered.ports(), CALLER, request(vec![])).await.is_ok());
        let mut unknown = Mocks::default();
        unknown.labels.expect_are_known().once().returning(|_, _| Ok(false));
        let refused = list(&unknown.ports(), CALLER, request(vec![Uuid::nil().into()])).await;
        assert!(matches!(refused, Err(Error::Refused(Precondition::UnknownOf("label_ids")))));
    }
}
