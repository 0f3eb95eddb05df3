//! `/help-collections/…`

use crate::once::{Outcome, Repeat, once};
use crate::{Error, Missing};
use hearback_domain::help_collection::{CollectionDetails, CollectionPatch};
use hearback_domain::id::{HelpCollectionId, OrganizationId};
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::{Answer, Ports, Recorded};

/// `/help-collections/list`: the active ones, by position, then name.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
    page: PageRequest<ByPosition>,
) -> Result<Page<CollectionDetails, ByPosition>, Error> {
    Ok(ports.help_collections.page(organization, page).await?)
}

/// `/help-collections/retrieve`: an active one.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: HelpCollectionId,
) -> Result<CollectionDetails, Error> {
    ports
        .help_collections
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::HelpCollection))
}

/// Which collection gets which values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateCollection {
    /// The collection.
    pub id: HelpCollectionId,
    /// Its new values.
    pub patch: CollectionPatch,
}

/// `/help-collections/update`: changes what is given. Where nothing changes, nothing is written.
pub async fn update(
    ports: &Ports,
    organization: OrganizationId,
    UpdateCollection { id, patch }: UpdateCollection,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let (patch, repeat) = (&patch, repeat.as_ref());
    once(ports, organization, id, repeat, |_| async move {
        let case = ports.help_collections.edit_case(organization, id, patch.slug.clone()).await?;
        let at = ports.clock.now();
        let edit = case.edit(patch.clone(), at)?;
        let receipt = repeat.map(|repeat| repeat.receipt(Answer::Success, at));
        if edit.is_empty() && receipt.is_none() {
            return Ok((Recorded::Done, Answer::Success));
        }
        Ok((ports.help_collections.update(organization, edit, receipt).await?, Answer::Success))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precondition;
    use hearback_domain::help_collection::{CollectionCase, HelpCollection};
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use hearback_domain::text::Name;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn guides() -> HelpCollection {
        HelpCollection {
            id: Uuid::from_u128(2).into(),
            name: "Guides".to_owned(),
            slug: Slug::parse("guides").unwrap(),
            description: String::new(),
            icon: "book".to_owned(),
            color: "#64748b".to_owned(),
            seq_number: Position::START,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        }
    }

    fn mocks(case: CollectionCase) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MAX);
        mocks.clock.expect_sleep().returning(|_| ());
        mocks.help_collections.expect_edit_case().returning(move |_, _, _| Ok(case.clone()));
        mocks
    }

    fn case() -> CollectionCase {
        CollectionCase { collection: Some(guides()), slug_taken: false }
    }

    fn named(name: &str) -> UpdateCollection {
        let patch = CollectionPatch {
            name: Some(Name::parse(name).unwrap()),
            ..CollectionPatch::default()
        };
        UpdateCollection { id: guides().id, patch }
    }

    #[tokio::test]
    async fn a_change_is_recorded_and_decided_again_when_somebody_was_faster() {
        let mut mocks = mocks(case());
        let mut answers = vec![Recorded::Done, Recorded::Stale];
        mocks
            .help_collections
            .expect_update()
            .times(2)
            .withf(|_, edit, _| {
                edit.before == guides()
                    && (edit.after.name.as_str(), edit.after.updated_at) == ("Help", Time::MAX)
            })
            .returning(move |_, _, _| Ok(answers.pop().unwrap_or(Recorded::Stale)));
        let outcome = update(&mocks.ports(), ORGANIZATION, named("Help"), None).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(Answer::Success));
    }

    #[tokio::test]
    async fn where_nothing_changes_nothing_is_written() {
        assert!(update(&mocks(case()).ports(), ORGANIZATION, named("Guides"), None).await.is_ok());
    }

    #[tokio::test]
    async fn a_refused_update_records_nothing() {
        let missing = mocks(CollectionCase { collection: None, slug_taken: false });
        let refused = update(&missing.ports(), ORGANIZATION, named("Help"), None).await;
        assert!(matches!(refused, Err(Error::NotFound(Missing::HelpCollection))));
        let taken = mocks(CollectionCase { slug_taken: true, ..case() });
        let refused = update(&taken.ports(), ORGANIZATION, named("Help"), None).await;
        assert!(matches!(refused, Err(Error::Refused(Precondition::SlugTaken))));
    }
}
