//! `/help-categories/retrieve`

use super::CategoryView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, uuid};
use hearback_app::help_categories;
use hearback_domain::id::HelpCategoryId;

/// `/help-categories/retrieve`
pub(crate) async fn retrieve(
    Call { api, organization, input: ByCategory(id), .. }: Call<ByCategory>,
) -> Answer {
    let category = help_categories::retrieve(&api.ports, organization, id).await?;
    answer::object(&CategoryView::from(&category))
}

pub(crate) struct ByCategory(HelpCategoryId);

impl Input for ByCategory {
    const FEATURE: Feature = Feature::HelpCenter;

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        fields.required("category_id", uuid).map(|id| Self(id.into()))
    }
}
