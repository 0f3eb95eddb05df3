//! `/help-articles/search`

use super::{HitView, narrowed};
use crate::answer::{self, Answer};
use crate::call::Call;
use crate::fields::{Feature, Fields, Input, Noted, boolean, query};
use crate::page::Walk;
use hearback_app::help_articles;
use hearback_domain::ClosedSet;
use hearback_domain::help_article::{ArticleFilter, ArticleSort};
use hearback_ports::page::ByArticle;

/// `/help-articles/search`
pub(crate) async fn search(Call { api, organization, input, .. }: Call<SearchArticles>) -> Answer {
    let SearchArticles { filter, walk } = input;
    let page = help_articles::list(&api.ports, organization, filter, SORT, walk.page).await?;
    answer::page::<HitView<'_>, _, _>(&page, &walk.list)
}

/// "Ordered by most recently updated."
const SORT: ArticleSort = ArticleSort::Updated;

pub(crate) struct SearchArticles {
    filter: ArticleFilter,
    walk: Walk<ByArticle>,
}

impl Input for SearchArticles {
    const FEATURE: Feature = Feature::HelpCenter;

    fn parse(fields: &mut Fields<'_>) -> Result<Self, Noted> {
        let query = fields.required("query", query);
        let published_only = fields.optional("published_only", boolean);
        let filter = query.and_then(|query| {
            let filter = ArticleFilter { search: Some(query), ..ArticleFilter::default() };
            Ok(if published_only?.unwrap_or(false) { filter.public() } else { filter })
        });
        let list = fields.list("/help-articles/search", SORT.code());
        let walk = fields
            .walk(filter.as_ref().map_err(|noted| *noted).map(|filter| narrowed(list, filter)));
        Ok(Self { filter: filter?, walk: walk? })
    }
}
