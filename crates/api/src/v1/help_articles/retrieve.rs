//! `/help-articles/retrieve`

use super::ArticleView;
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, uuid};
use hearback_app::help_articles;
use hearback_domain::id::HelpArticleId;

/// `/help-articles/retrieve`
pub(crate) async fn retrieve(
    Call { api, organization, input: ByArticleId(id), .. }: Call<ByArticleId>,
) -> Answer {
    let article = help_articles::retrieve(&api.ports, organization, id).await?;
    answer::object(&ArticleView::from(&article))
}

pub(crate) struct ByArticleId(HelpArticleId);

impl Input for ByArticleId {
    const FEATURE: Feature = Feature::HelpCenter;

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        fields.required("article_id", uuid).map(|id| Self(id.into()))
    }
}
