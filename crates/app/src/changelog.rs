//! `/changelog/…`

use crate::{Caller, Error, Precondition};
use hearback_domain::changelog_entry::{ChangelogEntry, EntryFilter, EntrySort};
use hearback_domain::record::Kind;
use hearback_ports::Ports;
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};

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
) -> Result<Page<ChangelogEntry, ByOptionalTime>, Error> {
    let organization = caller.view(Kind::ChangelogEntry)?;
    if !filter.label_ids.is_empty()
        && !ports.labels.are_known(organization, filter.label_ids.clone()).await?
    {
        return Err(Error::Refused(Precondition::UnknownOf("label_ids")));
    }
    Ok(ports.changelog_entries.page(organization, filter, sort, skip, page).await?)
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
            filter: EntryFilter { entry_type: None, label_ids },
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
