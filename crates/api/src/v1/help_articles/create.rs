//! `/help-articles/create`

use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fault::Wrong;
use crate::fields::{
    Feature, Fields, Input, Noted, boolean, bounded, one_of, slug, string, timestamp, uuid,
};
use hearback_app::help_articles;
use hearback_domain::help_article::{ArticleDraft, ArticleParent, ArticleStatus};

/// `/help-articles/create`
pub(crate) async fn create(
    Call { api, organization, input, repeat }: Call<ArticleDraft>,
) -> Answer {
    let outcome = help_articles::create(&api.ports, organization, input, repeat).await?;
    answer::outcome(outcome)
}

impl Input for ArticleDraft {
    const FEATURE: Feature = Feature::HelpCenter;
    const WRITE: Option<&'static str> = Some("/help-articles/create");

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let parent = parent(fields);
        let title = fields.required("title", bounded);
        let content = fields.optional("content", string);
        let slug = fields.optional("slug", slug);
        let excerpt = fields.optional("excerpt", bounded);
        let status = fields.optional("status_code", one_of);
        let show_on_portal = fields.optional("show_on_portal", boolean);
        let published_at = fields.optional("published_at", timestamp);
        let related_article_ids = fields.ids("related_article_ids");
        let is_favourite = fields.optional("is_favourite", boolean);
        Ok(Self {
            parent: parent?,
            title: title?,
            content: content?.unwrap_or_default(),
            slug: slug?,
            excerpt: excerpt?,
            status: status?.unwrap_or(ArticleStatus::Draft),
            show_on_portal: show_on_portal?.unwrap_or(true),
            is_favourite: is_favourite?.unwrap_or(false),
            published_at: published_at?,
            related_article_ids: related_article_ids?,
        })
    }
}

/// "Exactly one of `category_id` and `collection_id`."
fn parent(fields: &mut Fields<'_>) -> Result<ArticleParent, Noted> {
    fields.exactly_one_of(&["category_id", "collection_id"]);
    let category_id = fields.optional("category_id", uuid);
    let collection_id = fields.optional("collection_id", |value| match uuid(value)? {
        _ if !matches!(category_id, Ok(None)) => {
            Err(Wrong::Rule("category_id and collection_id exclude each other"))
        }
        id => Ok(id),
    });
    ArticleParent::new(collection_id?.map(Into::into), category_id?.map(Into::into))
        .ok_or_else(|| fields.fault("category_id", Wrong::Missing))
}
