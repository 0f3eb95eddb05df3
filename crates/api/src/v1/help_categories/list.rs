//! `/help-categories/list`

use super::CategoryView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, uuid};
use crate::page::Walk;
use hearback_app::help_categories;
use hearback_domain::id::HelpCollectionId;
use hearback_ports::page::ByPosition;

/// `/help-categories/list`
pub(crate) async fn list(Call { api, organization, input, .. }: Call<ListCategories>) -> Answer {
    let page =
        help_categories::list(&api.ports, organization, input.collection, input.walk.page).await?;
    answer::page::<CategoryView<'_>, _, _>(&page, &input.walk.list)
}

pub(crate) struct ListCategories {
    collection: Option<HelpCollectionId>,
    walk: Walk<ByPosition>,
}

impl Input for ListCategories {
    const FEATURE: Feature = Feature::HelpCenter;

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let collection = fields.optional("collection_id", uuid);
        let list = fields.list("/help-categories/list", "position");
        let walk = fields.walk(collection.map(|collection| list.filter(collection)));
        Ok(Self { collection: collection?.map(Into::into), walk: walk? })
    }
}
