//! `/help-collections/retrieve`

use super::CollectionView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, uuid};
use hearback_app::help_collections;
use hearback_domain::id::HelpCollectionId;

/// `/help-collections/retrieve`
pub(crate) async fn retrieve(
    Call { api, organization, input: ByCollection(id), .. }: Call<ByCollection>,
) -> Answer {
    let collection = help_collections::retrieve(&api.ports, organization, id).await?;
    answer::object(&CollectionView::from(&collection))
}

pub(crate) struct ByCollection(HelpCollectionId);

impl Input for ByCollection {
    const FEATURE: Feature = Feature::HelpCenter;

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        fields.required("collection_id", uuid).map(|id| Self(id.into()))
    }
}
