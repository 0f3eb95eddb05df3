//! `/help-collections/update`

use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, bounded, color, slug, uuid};
use hearback_app::help_collections::{self, UpdateCollection};
use hearback_domain::help_collection::CollectionPatch;

/// `/help-collections/update`
pub(crate) async fn update(
    Call { api, organization, input, repeat }: Call<UpdateCollection>,
) -> Answer {
    let outcome = help_collections::update(&api.ports, organization, input, repeat).await?;
    answer::outcome(outcome)
}

impl Input for UpdateCollection {
    const FEATURE: Feature = Feature::HelpCenter;
    const WRITE: Option<&'static str> = Some("/help-collections/update");

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let id = fields.required("collection_id", uuid);
        let name = fields.optional("name", bounded);
        let slug = fields.optional("slug", slug);
        let description = fields.optional("description", bounded);
        let icon = fields.optional("icon", bounded);
        let color = fields.optional("color", color);
        let patch = CollectionPatch {
            name: name?,
            slug: slug?,
            description: description?,
            icon: icon?,
            color: color?,
        };
        Ok(Self { id: id?.into(), patch })
    }
}
