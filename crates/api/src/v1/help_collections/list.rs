//! `/help-collections/list`

use super::CollectionView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted};
use crate::page::Walk;
use hearback_app::help_collections;
use hearback_ports::page::ByPosition;

/// `/help-collections/list`
pub(crate) async fn list(Call { api, organization, input, .. }: Call<ListCollections>) -> Answer {
    let page = help_collections::list(&api.ports, organization, input.walk.page).await?;
    answer::page::<CollectionView<'_>, _, _>(&page, &input.walk.list)
}

pub(crate) struct ListCollections {
    walk: Walk<ByPosition>,
}

impl Input for ListCollections {
    const FEATURE: Feature = Feature::HelpCenter;

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let list = fields.list("/help-collections/list", "position");
        Ok(Self { walk: fields.walk(Ok(list))? })
    }
}
