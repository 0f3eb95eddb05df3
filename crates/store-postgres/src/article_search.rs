//! Pages of articles, and the search for articles that contain a text.

use crate::PgStore;
use crate::filed_articles::{
    OVER_CATEGORY, collection_over_category, its_category, its_collection, over_category,
    related_article_ids,
};
use crate::readers::Reach;
use crate::sql::{containing, strpos};
use diesel::dsl::array;
use diesel::prelude::*;
use diesel::sql_types::Text;
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{ArticleFilter, ArticleSort};
use hearback_domain::id::OrganizationId;
use hearback_ports::StoreError;
use hearback_ports::page::{ByArticle, Limit, PageRequest};
use hearback_store_rows::Id;
use hearback_store_rows::help_articles::{
    ArticleKey, CategoryRow, CollectionRow, FiledArticle, HelpArticleRow,
};
use hearback_store_rows::of_article_key;
use hearback_store_rows::postgres::lists::{
    Articles, articles, articles_in_order, articles_matching, articles_sorted, articles_until,
};
use hearback_store_rows::schema::{help_articles, help_categories, help_collections};
use std::collections::HashSet;

impl PgStore {
    /// The articles of a page and the first article behind it.
    pub(crate) async fn article_rows(
        &self,
        organization: OrganizationId,
        filter: &ArticleFilter,
        sort: ArticleSort,
        page: &PageRequest<ByArticle>,
    ) -> Result<Vec<FiledArticle>, StoreError> {
        let after = match &page.after {
            None => None,
            Some(after) => match ArticleKey::new(sort, after) {
                Some(key) => Some(key),
                // A place in another order is not a place in this one, so no article is behind it.
                None => return Ok(Vec::new()),
            },
        };
        let all_behind = || articles_in_order(articles(organization), sort, after.as_ref());
        let filtered =
            || articles_matching(all_behind(), organization, filter).limit(page.limit.and_one());
        let Some(text) = &filter.search else {
            let listed = || {
                if filter.is_sorted(sort) { articles_sorted(filtered(), sort) } else { filtered() }
            };
            let reach = if filter.is_walk(sort) { Reach::Long } else { Reach::Short };
            return self.filed(organization, sort, reach, listed).await;
        };
        // The planner knows too little about texts to choose between a walk in the list's order and
        // a look-up in the index. So each statement leaves it no choice: no index serves the
        // function of the walk, and none has the order of the look-up, which is an expression.
        let search = Search { organization, filter, text, sort, limit: page.limit };
        let looked_up = || {
            articles_sorted(filtered(), sort)
                .filter(help_articles::search_text.like(containing(text.as_str())))
        };
        // A walk soon finds a page of articles with a common text. The window counts all articles,
        // not only those that pass the filter.
        let end = self.nth(all_behind, sort, WINDOW).await?;
        let window = || articles_until(search.matching(all_behind()), end.as_ref());
        let found = self.filed(organization, sort, Reach::Long, window).await?;
        let Some(end) = end.filter(|_| found.len() <= page.limit.get()) else { return Ok(found) };
        if self.has_trigrams(text.as_str()).await? {
            return self.filed(organization, sort, Reach::Long, looked_up).await;
        }
        self.in_strides(&search, found, end).await
    }

    /// Continues a search behind the place `after`, until there is more than a page of articles.
    /// The result begins with `found`. The walk lets point reads pass between two strides.
    ///
    /// Each stride reads another snapshot. An article whose place changes meanwhile is found once
    /// or not at all.
    async fn in_strides(
        &self,
        search: &Search<'_>,
        mut found: Vec<FiledArticle>,
        mut after: ArticleKey,
    ) -> Result<Vec<FiledArticle>, StoreError> {
        let &Search { organization, sort, limit, .. } = search;
        let mut pace = self.readers.pace();
        loop {
            let ahead =
                || articles_in_order(articles(organization), sort, Some(&after)).limit(AHEAD);
            let mut keys = self.keys(ahead, sort, Reach::Long).await?.into_iter();
            if keys.len() == 0 {
                return Ok(found);
            }
            while let Some(end) = keys.by_ref().take(STRIDE).last() {
                let behind = || articles_in_order(articles(organization), sort, Some(&after));
                let stride = || articles_until(search.matching(behind()), Some(&end));
                // Most strides of a long walk have no match, and planning the joins of a list takes
                // as long as walking a hundred articles. So the joins are only run if there is a
                // match.
                let first = || stride().limit(1).select(help_articles::id);
                let first: Vec<Id> =
                    self.list_rows(Reach::Long, "searching help articles", first).await?;
                if !first.is_empty() {
                    let stride = self.filed(organization, sort, Reach::Long, stride).await?;
                    // An update may move a found article to a place ahead of the walk.
                    let known: HashSet<Id> = found.iter().map(|article| article.row.id).collect();
                    found.extend(
                        stride.into_iter().filter(|article| !known.contains(&article.row.id)),
                    );
                }
                if found.len() > limit.get() {
                    return Ok(found);
                }
                after = end;
                pace.pause().await;
            }
        }
    }

    /// The articles of a query, in an order, with the columns of other tables that lists show.
    async fn filed(
        &self,
        organization: OrganizationId,
        sort: ArticleSort,
        reach: Reach,
        query: impl Fn() -> Articles + Send + Sync,
    ) -> Result<Vec<FiledArticle>, StoreError> {
        // The articles are found in a query of their own: the other tables are read for the
        // articles of the page alone, and have no effect on the plan that finds these.
        let query = || {
            let found = articles(organization)
                .filter(help_articles::id.eq_any(array(query().select(help_articles::id))));
            articles_in_order(found, sort, None)
                .left_join(help_collections::table.on(its_collection()))
                .left_join(help_categories::table.on(its_category()))
                .left_join(OVER_CATEGORY.on(collection_over_category()))
                .select((
                    HelpArticleRow::as_select(),
                    Option::<CollectionRow>::as_select(),
                    Option::<CategoryRow>::as_select(),
                    over_category(),
                    array(related_article_ids(Id::of(organization))),
                ))
        };
        self.list_rows(reach, "listing help articles", query).await
    }

    /// The keys of the articles of a query, in its order.
    async fn keys(
        &self,
        query: impl Fn() -> Articles + Send + Sync,
        sort: ArticleSort,
        reach: Reach,
    ) -> Result<Vec<ArticleKey>, StoreError> {
        let doing = "looking how far to walk";
        of_article_key!(sort, |column, Key| {
            let query = || query().select((column, help_articles::id));
            let keys: Vec<(_, Id)> = self.list_rows(reach, doing, query).await?;
            Ok(keys.into_iter().map(|(value, id)| Key(value, id)).collect())
        })
    }

    /// The key of the `n`th article, from 1. `None` if there are fewer articles.
    async fn nth(
        &self,
        query: impl Fn() -> Articles + Send + Sync,
        sort: ArticleSort,
        n: i64,
    ) -> Result<Option<ArticleKey>, StoreError> {
        Ok(self.keys(|| query().offset(n - 1).limit(1), sort, Reach::Short).await?.pop())
    }

    /// Returns whether an index distinguishes the articles, or posts, that may contain a text. The
    /// index stores runs of three letters or digits.
    pub(crate) async fn has_trigrams(&self, text: &str) -> Result<bool, StoreError> {
        if has_run(text, |c| c.is_ascii_alphanumeric()) {
            return Ok(true);
        }
        if !has_run(text, char::is_alphanumeric) {
            return Ok(false);
        }
        // If the ctype of the database is C, only ASCII letters count as letters.
        let others: String =
            text.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric()).collect();
        let question = || diesel::select(show_trgm(others.clone()).ne(Vec::<String>::new()));
        let are_letters: Option<bool> = self.list_row("asking for the ctype", question).await?;
        Ok(are_letters.unwrap_or(false))
    }
}

/// The text of a search, and the list in which it searches.
struct Search<'a> {
    organization: OrganizationId,
    filter: &'a ArticleFilter,
    text: &'a Folded,
    sort: ArticleSort,
    limit: Limit,
}

impl Search<'_> {
    /// Limits a list to the articles that a walk finds: a page and one more.
    fn matching(&self, list: Articles) -> Articles {
        let contains = strpos(help_articles::search_text, self.text.as_str().to_owned()).gt(0);
        articles_matching(list, self.organization, self.filter)
            .filter(contains)
            .limit(self.limit.and_one())
    }
}

/// The number of articles that a search walks before it uses the trigram index. The walk takes
/// about 2 ms, and fills a page of 25 if one article in twenty contains the text.
const WINDOW: i64 = 500;

/// The number of articles that one statement of a long walk reads. With 2 KB each, they take 0.5 to
/// 1 ms: the kernel seldom interrupts a process sooner.
const STRIDE: usize = 64;

/// The number of keys that one statement lists, so that the walk can read their articles in
/// strides. The index contains the whole key, so this takes 1 ms.
const AHEAD: i64 = 2_048;

/// Returns whether a text has three characters of a kind in a row.
fn has_run(text: &str, is_of_kind: impl Fn(char) -> bool) -> bool {
    text.split(|c| !is_of_kind(c)).any(|run| run.chars().nth(2).is_some())
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// The trigrams of a text.
    fn show_trgm(text: Text) -> Array<Text>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_letters_or_digits_in_a_row_are_a_run() {
        let has_run = |text| has_run(text, char::is_alphanumeric);
        for text in ["abc", "a-b-c12", "größ", "öшя", "日本語"] {
            assert!(has_run(text), "{text:?}");
        }
        for text in ["", "ab", "a-b", "öш", "日本", "ab cd-ef", "%%%"] {
            assert!(!has_run(text), "{text:?}");
        }
    }
}
