//! `/help-categories/create`

use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, bounded, color, slug, uuid};
use hearback_app::help_categories;
use hearback_domain::help_category::CategoryDraft;

/// `/help-categories/create`
pub(crate) async fn create(
    Call { api, organization, input, repeat }: Call<CategoryDraft>,
) -> Answer {
    let outcome = help_categories::create(&api.ports, organization, input, repeat).await?;
    answer::outcome(outcome)
}

impl Input for CategoryDraft {
    const FEATURE: Feature = Feature::HelpCenter;
    const WRITE: Option<&'static str> = Some("/help-categories/create");

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let collection_id = fields.required("collection_id", uuid);
        let name = fields.required("name", bounded);
        let slug = fields.optional("slug", slug);
        let description = fields.optional("description", bounded);
        let icon = fields.optional("icon", bounded);
        let color = fields.optional("color", color);
        Ok(Self {
            collection_id: collection_id?.into(),
            name: name?,
            slug: slug?,
            description: description?,
            icon: icon?,
            color: color?,
        })
    }
}
