//! `/help-articles/list`

use super::{ListedView, narrowed};
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, boolean, one_of, query, uuid};
use crate::page::Walk;
use hearback_app::help_articles;
use hearback_domain::ClosedSet;
use hearback_domain::help_article::{ArticleFilter, ArticleSort};
use hearback_ports::page::ByArticle;

/// `/help-articles/list`
pub(crate) async fn list(Call { api, organization, input, .. }: Call<ListArticles>) -> Answer {
    let ListArticles { filter, sort, walk } = input;
    let page = help_articles::list(&api.ports, organization, filter, sort, walk.page).await?;
    answer::page::<ListedView<'_>, _, _>(&page, &walk.list)
}

pub(crate) struct ListArticles {
    filter: ArticleFilter,
    sort: ArticleSort,
    walk: Walk<ByArticle>,
}

impl Input for ListArticles {
    const FEATURE: Feature = Feature::HelpCenter;

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let filter = filter(fields);
        let sort = fields.optional("sort", one_of).map(|sort| sort.unwrap_or(ArticleSort::Updated));
        let list = sort.and_then(|sort| {
            let filter = filter.as_ref().map_err(|noted| *noted)?;
            Ok(narrowed(fields.list("/help-articles/list", sort.code()), filter))
        });
        let walk = fields.walk(list);
        Ok(Self { filter: filter?, sort: sort?, walk: walk? })
    }
}

fn filter(fields: &mut Fields<'_>) -> Result<ArticleFilter, Noted> {
    let search = fields.optional("search", query);
    let collection_id = fields.optional("collection_id", uuid);
    let category_id = fields.optional("category_id", uuid);
    let status = fields.optional("status_code", one_of);
    let is_favourite = fields.optional("is_favourite", boolean);
    Ok(ArticleFilter {
        search: search?,
        collection_id: collection_id?.map(Into::into),
        category_id: category_id?.map(Into::into),
        status: status?,
        show_on_portal: None,
        is_favourite: is_favourite?,
    })
}
