//! `/changelog/…`

use crate::once::{Outcome, Repeat, once};
use crate::{Error, Precondition, slugs};
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryCase, EntryDraft, EntryFilter, EntrySort,
};
use hearback_domain::id::OrganizationId;
use hearback_ports::page::{ByOptionalTime, Page, PageRequest};
use hearback_ports::slugs::Slugged;
use hearback_ports::{Answer, Ports};

/// Which entries are listed, and in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEntries {
    /// Which entries.
    pub filter: EntryFilter,
    /// The order.
    pub sort: EntrySort,
    /// How many of the first ones are left out; 0 with a page that begins behind a key.
    pub skip: u64,
    /// Which page.
    pub page: PageRequest<ByOptionalTime>,
}

/// `/changelog/list`: the active ones in all states.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
    ListEntries { filter, sort, skip, page }: ListEntries,
) -> Result<Page<ChangelogEntry, ByOptionalTime>, Error> {
    if !filter.label_ids.is_empty()
        && !ports.labels.are_known(organization, filter.label_ids.clone()).await?
    {
        return Err(Error::Refused(Precondition::UnknownLabel));
    }
    Ok(ports.changelog_entries.page(organization, filter, sort, skip, page).await?)
}

/// `/changelog/create`: makes an entry; a published one that is to be told of has its mailing queued with it.
pub async fn create(
    ports: &Ports,
    organization: OrganizationId,
    draft: EntryDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let (draft, base, repeat) = (&draft, &draft.slug(), repeat.as_ref());
    once(ports, organization, (Slugged::ChangelogEntry, base.key()), repeat, |attempt| async move {
        let case = case(ports, organization, draft).await?;
        let slug =
            slugs::candidate(ports, organization, Slugged::ChangelogEntry, base, attempt).await?;
        let at = ports.clock.now();
        let entry = case.create(draft.clone(), ports.ids.fresh().into(), slug, at)?;
        let answer = Answer::Created(entry.id.0);
        let receipt = repeat.map(|repeat| repeat.receipt(answer, at));
        Ok((ports.changelog_entries.insert(organization, entry, receipt).await?, answer))
    })
    .await
}

/// What the making of an entry rests on; nothing is looked up for one that names nothing.
async fn case(
    ports: &Ports,
    organization: OrganizationId,
    draft: &EntryDraft,
) -> Result<EntryCase, Error> {
    if draft.author_id.is_none() && draft.label_ids.is_empty() {
        return Ok(EntryCase { author_linked: true, labels_known: true });
    }
    Ok(ports
        .changelog_entries
        .entry_case(organization, draft.author_id, draft.label_ids.clone())
        .await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Missing;
    use hearback_domain::changelog_entry::Launch;
    use hearback_domain::text::Title;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{IdempotencyKey, Limit, Recorded, Unique};
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn draft() -> EntryDraft {
        EntryDraft {
            title: Title::parse("Dark mode").unwrap(),
            content: "Finally".to_owned(),
            entry_type: None,
            label_ids: vec![],
            launch: Launch::Draft,
            notify: true,
            author_id: None,
            featured_image_url: None,
            show_on_portal: true,
        }
    }

    fn labelled() -> EntryDraft {
        EntryDraft { label_ids: vec![Uuid::from_u128(5).into()], ..draft() }
    }

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.clock.expect_sleep().returning(|_| ());
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
        mocks
    }

    #[tokio::test]
    async fn an_entry_that_names_nothing_is_made_without_looking_anything_up() {
        let mut mocks = mocks();
        mocks
            .changelog_entries
            .expect_insert()
            .once()
            .withf(|of, entry, receipt| {
                (*of, entry.slug.as_str(), receipt) == (ORGANIZATION, "dark-mode", &None)
                    && entry.id.0 == Uuid::from_u128(9)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        let outcome = create(&mocks.ports(), ORGANIZATION, draft(), None).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(Answer::Created(Uuid::from_u128(9))));
    }

    #[tokio::test]
    async fn a_taken_slug_gets_a_number_and_the_receipt_is_recorded() {
        let mut mocks = mocks();
        mocks.receipts.expect_find().returning(|_, _, _, _| Ok(None));
        mocks.slugs.expect_taken().returning(|_, _, candidates| {
            Ok(candidates
                .into_iter()
                .filter(|slug| ["dark-mode", "dark-mode-2"].contains(&slug.as_str()))
                .collect())
        });
        mocks
            .changelog_entries
            .expect_insert()
            .times(2)
            .withf(|_, _, receipt| receipt.is_some())
            .returning(|_, entry, _| {
                Ok(if entry.slug.as_str() == "dark-mode-3" {
                    Recorded::Done
                } else {
                    Recorded::Taken(Unique::Slug)
                })
            });
        let repeat = Repeat {
            path: "/changelog/create",
            key: IdempotencyKey::parse("a").unwrap(),
            body: [7; 32],
        };
        assert!(create(&mocks.ports(), ORGANIZATION, draft(), Some(repeat)).await.is_ok());
    }

    #[tokio::test]
    async fn an_unknown_author_or_label_is_refused_and_nothing_is_recorded() {
        let refused = async |case| {
            let mut mocks = mocks();
            mocks.changelog_entries.expect_entry_case().once().return_once(move |_, _, _| Ok(case));
            create(&mocks.ports(), ORGANIZATION, labelled(), None).await
        };
        let author = refused(EntryCase { author_linked: false, labels_known: true }).await;
        assert!(matches!(author, Err(Error::NotFound(Missing::User))));
        let label = refused(EntryCase { author_linked: true, labels_known: false }).await;
        assert!(matches!(label, Err(Error::Refused(Precondition::UnknownLabel))));
    }

    #[tokio::test]
    async fn labels_are_looked_up_only_where_a_list_names_some() {
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
        assert!(list(&unfiltered.ports(), ORGANIZATION, request(vec![])).await.is_ok());
        let mut unknown = Mocks::default();
        unknown.labels.expect_are_known().once().returning(|_, _| Ok(false));
        let refused = list(&unknown.ports(), ORGANIZATION, request(vec![Uuid::nil().into()])).await;
        assert!(matches!(refused, Err(Error::Refused(Precondition::UnknownLabel))));
    }
}
