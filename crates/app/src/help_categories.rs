//! `/help-categories/…`

use crate::once::{Outcome, Repeat, once};
use crate::{Error, Missing, slugs};
use hearback_domain::help_category::{CategoryDetails, CategoryDraft, CategoryPatch};
use hearback_domain::id::{HelpCategoryId, HelpCollectionId, OrganizationId};
use hearback_ports::page::{ByPosition, Page, PageRequest};
use hearback_ports::slugs::Slugged;
use hearback_ports::{Answer, Ports, Recorded};

/// `/help-categories/list`: the active ones, of one collection or of all, by position, then name.
pub async fn list(
    ports: &Ports,
    organization: OrganizationId,
    collection: Option<HelpCollectionId>,
    page: PageRequest<ByPosition>,
) -> Result<Page<CategoryDetails, ByPosition>, Error> {
    Ok(ports.help_categories.page(organization, collection, page).await?)
}

/// `/help-categories/retrieve`: an active one.
pub async fn retrieve(
    ports: &Ports,
    organization: OrganizationId,
    id: HelpCategoryId,
) -> Result<CategoryDetails, Error> {
    ports
        .help_categories
        .find(organization, id)
        .await?
        .ok_or(Error::NotFound(Missing::HelpCategory))
}

/// `/help-categories/create`: makes a category at the end of its collection.
pub async fn create(
    ports: &Ports,
    organization: OrganizationId,
    draft: CategoryDraft,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let (draft, base, repeat) = (&draft, &draft.slug(), repeat.as_ref());
    once(ports, organization, (Slugged::HelpCategory, base.key()), repeat, |attempt| async move {
        if ports.help_collections.find(organization, draft.collection_id).await?.is_none() {
            return Err(Error::NotFound(Missing::HelpCollection));
        }
        let slug =
            slugs::candidate(ports, organization, Slugged::HelpCategory, base, attempt).await?;
        let (id, at) = (ports.ids.fresh(), ports.clock.now());
        let category = draft.clone().create(id.into(), slug, at);
        let answer = Answer::Created(id);
        let receipt = repeat.map(|repeat| repeat.receipt(answer, at));
        Ok((ports.help_categories.insert(organization, category, receipt).await?, answer))
    })
    .await
}

/// Which category gets which values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateCategory {
    /// The category.
    pub id: HelpCategoryId,
    /// Its new values.
    pub patch: CategoryPatch,
}

/// `/help-categories/update`: changes what is given; another collection takes the category to its end, articles and all. Where
/// nothing changes, nothing is written.
pub async fn update(
    ports: &Ports,
    organization: OrganizationId,
    UpdateCategory { id, patch }: UpdateCategory,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let (patch, repeat) = (&patch, repeat.as_ref());
    once(ports, organization, id, repeat, |_| async move {
        let case = ports
            .help_categories
            .edit_case(organization, id, patch.collection_id, patch.slug.clone())
            .await?;
        let at = ports.clock.now();
        let edit = case.edit(patch.clone(), at)?;
        let receipt = repeat.map(|repeat| repeat.receipt(Answer::Success, at));
        if edit.is_empty() && receipt.is_none() {
            return Ok((Recorded::Done, Answer::Success));
        }
        Ok((ports.help_categories.update(organization, edit, receipt).await?, Answer::Success))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::help_category::{CategoryCase, HelpCategory};
    use hearback_domain::help_collection::{CollectionDetails, HelpCollection};
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use hearback_domain::text::Name;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::Unique;
    use hearback_ports::mock::Mocks;
    use std::time::Duration;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const COLLECTION: HelpCollectionId = HelpCollectionId(Uuid::from_u128(2));

    fn draft() -> CategoryDraft {
        CategoryDraft {
            collection_id: COLLECTION,
            name: Name::parse("First steps").unwrap(),
            slug: None,
            description: None,
            icon: None,
            color: None,
        }
    }

    fn first_steps() -> HelpCategory {
        draft().create(Uuid::from_u128(3).into(), draft().slug(), Time::MIN).at(Position::START)
    }

    fn collection() -> CollectionDetails {
        let collection = HelpCollection {
            id: COLLECTION,
            name: "Guides".to_owned(),
            slug: Slug::parse("guides").unwrap(),
            description: String::new(),
            icon: "book".to_owned(),
            color: "#64748b".to_owned(),
            seq_number: Position::START,
            is_active: true,
            created_at: Time::MIN,
            updated_at: Time::MIN,
        };
        CollectionDetails { collection, category_count: 0 }
    }

    fn mocks() -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_now().return_const(Time::MAX);
        mocks.clock.expect_sleep().returning(|_| ());
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(9));
        mocks
    }

    #[tokio::test]
    async fn a_category_is_made_with_a_number_behind_a_taken_slug() {
        let mut mocks = mocks();
        mocks.help_collections.expect_find().returning(|_, _| Ok(Some(collection())));
        mocks.slugs.expect_taken().returning(|_, _, candidates| {
            Ok(candidates.into_iter().filter(|slug| slug.as_str() == "first-steps").collect())
        });
        mocks.help_categories.expect_insert().times(2).returning(|_, category, _| {
            let category = category.at(Position::START);
            Ok(if category.slug.as_str() == "first-steps-2" {
                Recorded::Done
            } else {
                Recorded::Taken(Unique::Slug)
            })
        });
        let outcome = create(&mocks.ports(), ORGANIZATION, draft(), None).await.unwrap();
        assert_eq!(outcome, Outcome::Fresh(Answer::Created(Uuid::from_u128(9))));
    }

    #[tokio::test]
    async fn nothing_is_made_in_a_collection_that_is_not_there() {
        let mut mocks = mocks();
        mocks.help_collections.expect_find().once().returning(|_, _| Ok(None));
        let refused = create(&mocks.ports(), ORGANIZATION, draft(), None).await;
        assert!(matches!(refused, Err(Error::NotFound(Missing::HelpCollection))));
    }

    fn moving(case: CategoryCase) -> (Mocks, UpdateCategory) {
        let mut mocks = mocks();
        mocks
            .help_categories
            .expect_edit_case()
            .withf(|_, id, target, slug| {
                (*id, target.map(|id| id.0), slug) == (first_steps().id, Some(Uuid::nil()), &None)
            })
            .returning(move |_, _, _, _| Ok(case.clone()));
        let patch =
            CategoryPatch { collection_id: Some(Uuid::nil().into()), ..CategoryPatch::default() };
        (mocks, UpdateCategory { id: first_steps().id, patch })
    }

    #[tokio::test]
    async fn a_move_is_recorded() {
        let case =
            CategoryCase { category: Some(first_steps()), target_found: true, slug_taken: false };
        let (mut mocks, input) = moving(case);
        mocks
            .help_categories
            .expect_update()
            .once()
            .withf(|_, edit, _| {
                edit.after.collection_id.0 == Uuid::nil() && edit.before == first_steps()
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        assert!(update(&mocks.ports(), ORGANIZATION, input, None).await.is_ok());
    }

    #[tokio::test]
    async fn a_refused_move_records_nothing() {
        let (mocks, input) = moving(CategoryCase {
            category: Some(first_steps()),
            target_found: false,
            slug_taken: false,
        });
        let refused = update(&mocks.ports(), ORGANIZATION, input, None).await;
        assert!(matches!(refused, Err(Error::NotFound(Missing::HelpCollection))));
    }
}
