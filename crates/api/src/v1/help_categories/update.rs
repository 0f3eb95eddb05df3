//! `/help-categories/update`

use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, bounded, color, slug, uuid};
use hearback_app::help_categories::{self, UpdateCategory};
use hearback_domain::help_category::CategoryPatch;

/// `/help-categories/update`
pub(crate) async fn update(
    Call { api, organization, input, repeat }: Call<UpdateCategory>,
) -> Answer {
    let outcome = help_categories::update(&api.ports, organization, input, repeat).await?;
    answer::outcome(outcome)
}

impl Input for UpdateCategory {
    const FEATURE: Feature = Feature::HelpCenter;
    const WRITE: Option<&'static str> = Some("/help-categories/update");

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let id = fields.required("category_id", uuid);
        let collection_id = fields.optional("collection_id", uuid);
        let name = fields.optional("name", bounded);
        let slug = fields.optional("slug", slug);
        let description = fields.optional("description", bounded);
        let icon = fields.optional("icon", bounded);
        let color = fields.optional("color", color);
        let patch = CategoryPatch {
            collection_id: collection_id?.map(Into::into),
            name: name?,
            slug: slug?,
            description: description?,
            icon: icon?,
            color: color?,
        };
        Ok(Self { id: id?.into(), patch })
    }
}
