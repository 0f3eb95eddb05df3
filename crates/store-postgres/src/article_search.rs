//! Pages of articles, and the search for articles that contain a text.

use crate::PgStore;
use crate::filed_articles::{
    OVER_CATEGORY, collection_over_category, its_category, its_collection, over_category,
    related_article_ids,
};
use crate::readers::Reach;
use crate::sql::{containing, strpos};
use diesel::dsl::{array, exists};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Text;
use hearback_domain::ClosedSet;
use hearback_domain::fold::Folded;
use hearback_domain::help_article::{ArticleFilter, ArticleSort};
use hearback_domain::id::OrganizationId;
use hearback_ports::StoreError;
use hearback_ports::page::{ByArticle, Limit, PageRequest};
use hearback_store_rows::help_articles::{
    ArticleKey, CategoryRow, CollectionRow, FiledArticle, HelpArticleRow,
};
use hearback_store_rows::schema::{help_articles, help_categories, help_collections};
use hearback_store_rows::{Id, SqlStamp, Stamp};
use std::collections::HashSet;

impl PgStore {
    /// The articles of a page and the one behind it.
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
                // A place in another order is none in this one, so nothing is behind it.
                None => return Ok(Vec::new()),
            },
        };
        let all_behind = || in_order(all(organization), sort, after.as_ref());
        let filtered = || matching(all_behind(), organization, filter).limit(page.limit.and_one());
        let Some(text) = &filter.search else {
            let listed =
                || if is_sorted(filter, sort) { sorted(filtered(), sort) } else { filtered() };
            return self.filed(organization, sort, reach(filter, sort), listed).await;
        };
        // The planner knows too little of texts to tell a walk in the list's order from a look-up
        // in the index. So each is said in a way that leaves it no choice: no index finds anything
        // by this function, and none has the order of an expression.
        let search = Search { organization, filter, text, sort, limit: page.limit };
        let looked_up = || {
            sorted(filtered(), sort)
                .filter(help_articles::search_text.like(containing(text.as_str())))
        };
        // Many articles contain a common text: a page of them is soon found on a walk. The window
        // is one of all articles, whatever the filter lets through.
        let end = self.nth(all_behind, sort, WINDOW).await?;
        let window = || until(search.matching(all_behind()), end.as_ref());
        let found = self.filed(organization, sort, Reach::Long, window).await?;
        let Some(end) = end.filter(|_| found.len() <= page.limit.get()) else { return Ok(found) };
        if self.has_trigrams(text.as_str()).await? {
            return self.filed(organization, sort, Reach::Long, looked_up).await;
        }
        self.in_strides(&search, found, end).await
    }

    /// The articles of a search: those found before a place, and then those behind it, until there
    /// are more than a page of them. Point reads come first between two strides.
    ///
    /// Each stride sees another moment. An article whose place changes meanwhile is found once, or
    /// not at all.
    async fn in_strides(
        &self,
        search: &Search<'_>,
        mut found: Vec<FiledArticle>,
        mut after: ArticleKey,
    ) -> Result<Vec<FiledArticle>, StoreError> {
        let &Search { organization, sort, limit, .. } = search;
        let mut pace = self.readers.pace();
        loop {
            let ahead = || in_order(all(organization), sort, Some(&after)).limit(AHEAD);
            let mut keys = self.keys(ahead, sort, Reach::Long).await?.into_iter();
            if keys.len() == 0 {
                return Ok(found);
            }
            while let Some(end) = keys.by_ref().take(STRIDE).last() {
                let behind = || in_order(all(organization), sort, Some(&after));
                let stride = || until(search.matching(behind()), Some(&end));
                // Most strides of a long walk have no match. To plan the joins of a list takes as
                // long as to walk a hundred articles.
                let first = || stride().limit(1).select(help_articles::id);
                let first: Vec<Id> =
                    self.list_rows(Reach::Long, "searching help articles", first).await?;
                if !first.is_empty() {
                    let stride = self.filed(organization, sort, Reach::Long, stride).await?;
                    // An update may move an article that was found to a place ahead of the walk.
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

    /// The articles of a query, in an order, with what lists show of other tables.
    async fn filed(
        &self,
        organization: OrganizationId,
        sort: ArticleSort,
        reach: Reach,
        query: impl Fn() -> Articles + Send + Sync,
    ) -> Result<Vec<FiledArticle>, StoreError> {
        // The articles come first and by themselves: the other tables are looked into for those of
        // the page alone, and what is there has no part in how they are found.
        let query = || {
            let found = all(organization)
                .filter(help_articles::id.eq_any(array(query().select(help_articles::id))));
            in_order(found, sort, None)
                .left_join(help_collections::table.on(its_collection()))
                .left_join(help_categories::table.on(its_category()))
                .left_join(OVER_CATEGORY.on(collection_over_category()))
                .select((
                    HelpArticleRow::as_select(),
                    Option::<CollectionRow>::as_select(),
                    Option::<CategoryRow>::as_select(),
                    over_category(),
                    array(related_article_ids()),
                ))
        };
        self.list_rows(reach, "listing help articles", query).await
    }

    /// The keys of articles, in their order.
    async fn keys(
        &self,
        query: impl Fn() -> Articles + Send + Sync,
        sort: ArticleSort,
        reach: Reach,
    ) -> Result<Vec<ArticleKey>, StoreError> {
        let doing = "looking how far to walk";
        match sort {
            ArticleSort::Updated => {
                let query = || query().select((help_articles::updated_at, help_articles::id));
                let keys: Vec<(Stamp, Id)> = self.list_rows(reach, doing, query).await?;
                Ok(keys.into_iter().map(|(at, id)| ArticleKey::Updated(at, id)).collect())
            }
            ArticleSort::Newest => {
                let query = || query().select((help_articles::created_at, help_articles::id));
                let keys: Vec<(Stamp, Id)> = self.list_rows(reach, doing, query).await?;
                Ok(keys.into_iter().map(|(at, id)| ArticleKey::Newest(at, id)).collect())
            }
            ArticleSort::Oldest => {
                let query = || query().select((help_articles::created_at, help_articles::id));
                let keys: Vec<(Stamp, Id)> = self.list_rows(reach, doing, query).await?;
                Ok(keys.into_iter().map(|(at, id)| ArticleKey::Oldest(at, id)).collect())
            }
            ArticleSort::Title => {
                let query = || query().select((help_articles::title, help_articles::id));
                let keys: Vec<(String, Id)> = self.list_rows(reach, doing, query).await?;
                Ok(keys.into_iter().map(|(title, id)| ArticleKey::Title(title, id)).collect())
            }
            ArticleSort::Position => {
                let query = || query().select((help_articles::seq_number, help_articles::id));
                let keys: Vec<(i64, Id)> = self.list_rows(reach, doing, query).await?;
                Ok(keys.into_iter().map(|(place, id)| ArticleKey::Position(place, id)).collect())
            }
        }
    }

    /// The key of the `n`th article.
    async fn nth(
        &self,
        query: impl Fn() -> Articles + Send + Sync,
        sort: ArticleSort,
        n: i64,
    ) -> Result<Option<ArticleKey>, StoreError> {
        Ok(self.keys(|| query().offset(n - 1).limit(1), sort, Reach::Short).await?.pop())
    }

    /// Whether an index tells articles, or posts, that may contain a text from others: it keeps
    /// three letters or digits in a row.
    pub(crate) async fn has_trigrams(&self, text: &str) -> Result<bool, StoreError> {
        if has_run(text, |c| c.is_ascii_alphanumeric()) {
            return Ok(true);
        }
        if !has_run(text, char::is_alphanumeric) {
            return Ok(false);
        }
        // A database whose ctype is C takes no others for letters.
        let others: String =
            text.chars().filter(|c| !c.is_ascii() && c.is_alphanumeric()).collect();
        let question = || diesel::select(show_trgm(others.clone()).ne(Vec::<String>::new()));
        let are_letters: Option<bool> = self.list_row("asking what a letter is", question).await?;
        Ok(are_letters.unwrap_or(false))
    }
}

/// What is searched for, and how it is listed.
struct Search<'a> {
    organization: OrganizationId,
    filter: &'a ArticleFilter,
    text: &'a Folded,
    sort: ArticleSort,
    limit: Limit,
}

impl Search<'_> {
    /// Those of a list that are found when it is walked.
    fn matching(&self, list: Articles) -> Articles {
        let contains = strpos(help_articles::search_text, self.text.as_str().to_owned()).gt(0);
        matching(list, self.organization, self.filter).filter(contains).limit(self.limit.and_one())
    }
}

/// How far a list without a search has to go.
fn reach(filter: &ArticleFilter, sort: ArticleSort) -> Reach {
    // Any other filter than a category holds back perhaps all there is.
    let others = ArticleFilter { category_id: None, ..filter.clone() };
    if others == ArticleFilter::default() && !is_sorted(filter, sort) {
        Reach::Short
    } else {
        Reach::Long
    }
}

/// Whether a list without a search is all of a category, sorted: that has an index of its own,
/// which has one order only. The index of another order would be walked through the articles of all
/// other categories.
fn is_sorted(filter: &ArticleFilter, sort: ArticleSort) -> bool {
    filter.category_id.is_some() && sort != ArticleSort::Updated
}

/// How many articles a search walks before it asks the trigram index. That takes about two
/// milliseconds, and fills a page of 25 with a text that one article in twenty contains.
const WINDOW: i64 = 500;

/// How many articles are read in one statement of a long walk. Of two kilobytes each they take half
/// a millisecond to one: a process that has a processor is seldom made to leave it sooner.
const STRIDE: usize = 64;

/// How many keys are listed at a time, for the walk to read their articles in strides. The index
/// has all of a key, so this takes a millisecond.
const AHEAD: i64 = 2_048;

/// Whether a text has three characters of a kind in a row.
fn has_run(text: &str, is_of_kind: impl Fn(char) -> bool) -> bool {
    text.split(|c| !is_of_kind(c)).any(|run| run.chars().nth(2).is_some())
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// The trigrams of a text.
    fn show_trgm(text: Text) -> Array<Text>;
}

type Articles = help_articles::BoxedQuery<'static, Pg>;

fn all(organization: OrganizationId) -> Articles {
    help_articles::table
        .filter(help_articles::organization_id.eq(Id::of(organization)))
        .filter(help_articles::is_active)
        .into_boxed()
}

/// Those that the filter lets through, but for the text that they are to contain.
fn matching(query: Articles, organization: OrganizationId, filter: &ArticleFilter) -> Articles {
    let mut query = query;
    if let Some(collection) = filter.collection_id {
        let its_categories = help_categories::table
            .filter(help_categories::organization_id.eq(Id::of(organization)))
            .filter(help_categories::collection_id.eq(Id::of(collection)))
            .select(help_categories::id.nullable());
        query = query
            .filter(
                help_articles::collection_id
                    .eq(Id::of(collection))
                    .or(help_articles::category_id.eq_any(its_categories)),
            )
            .filter(exists(
                help_collections::table
                    .filter(help_collections::organization_id.eq(Id::of(organization)))
                    .filter(help_collections::id.eq(Id::of(collection)))
                    .filter(help_collections::is_active),
            ));
    }
    if let Some(category) = filter.category_id {
        query = query.filter(help_articles::category_id.eq(Id::of(category))).filter(exists(
            help_categories::table
                .filter(help_categories::organization_id.eq(Id::of(organization)))
                .filter(help_categories::id.eq(Id::of(category)))
                .filter(help_categories::is_active),
        ));
    }
    if let Some(status) = filter.status {
        query = query.filter(help_articles::status_code.eq(status.code()));
    }
    if let Some(show_on_portal) = filter.show_on_portal {
        query = query.filter(help_articles::show_on_portal.eq(show_on_portal));
    }
    if let Some(is_favourite) = filter.is_favourite {
        query = query.filter(help_articles::is_favourite.eq(is_favourite));
    }
    query
}

fn in_order(query: Articles, sort: ArticleSort, after: Option<&ArticleKey>) -> Articles {
    let ordered = match sort {
        ArticleSort::Updated => {
            query.order((help_articles::updated_at.desc(), help_articles::id.desc()))
        }
        ArticleSort::Newest => {
            query.order((help_articles::created_at.desc(), help_articles::id.desc()))
        }
        ArticleSort::Oldest => query.order((help_articles::created_at, help_articles::id)),
        ArticleSort::Title => query.order((help_articles::title, help_articles::id)),
        ArticleSort::Position => query.order((help_articles::seq_number, help_articles::id)),
    };
    // These forms, so that the index is entered at the key: all before it would be walked for an OR
    // alone.
    match after {
        None => ordered,
        Some(&ArticleKey::Updated(at, id)) => ordered
            .filter(help_articles::updated_at.le(at))
            .filter(help_articles::updated_at.lt(at).or(help_articles::id.lt(id))),
        Some(&ArticleKey::Newest(at, id)) => ordered
            .filter(help_articles::created_at.le(at))
            .filter(help_articles::created_at.lt(at).or(help_articles::id.lt(id))),
        Some(&ArticleKey::Oldest(at, id)) => ordered
            .filter(help_articles::created_at.ge(at))
            .filter(help_articles::created_at.gt(at).or(help_articles::id.gt(id))),
        Some(ArticleKey::Title(title, id)) => ordered
            .filter(help_articles::title.ge(title.clone()))
            .filter(help_articles::title.gt(title.clone()).or(help_articles::id.gt(*id))),
        Some(&ArticleKey::Position(place, id)) => ordered
            .filter(help_articles::seq_number.ge(place))
            .filter(help_articles::seq_number.gt(place).or(help_articles::id.gt(id))),
    }
}

// A time as an expression, which no index has.
diesel::postfix_operator!(Unindexed, " + interval '0'", SqlStamp);

/// The same order by expressions, which no index has.
fn sorted(query: Articles, sort: ArticleSort) -> Articles {
    match sort {
        ArticleSort::Updated => query
            .order((Unindexed::new(help_articles::updated_at).desc(), help_articles::id.desc())),
        ArticleSort::Newest => query
            .order((Unindexed::new(help_articles::created_at).desc(), help_articles::id.desc())),
        ArticleSort::Oldest => {
            query.order((Unindexed::new(help_articles::created_at), help_articles::id))
        }
        ArticleSort::Title => query.order((help_articles::title.concat(""), help_articles::id)),
        ArticleSort::Position => query.order((help_articles::seq_number + 0, help_articles::id)),
    }
}

/// Up to a key, with the article that it is of, or all.
fn until(query: Articles, end: Option<&ArticleKey>) -> Articles {
    match end {
        None => query,
        Some(&ArticleKey::Updated(at, id)) => query
            .filter(help_articles::updated_at.ge(at))
            .filter(help_articles::updated_at.gt(at).or(help_articles::id.ge(id))),
        Some(&ArticleKey::Newest(at, id)) => query
            .filter(help_articles::created_at.ge(at))
            .filter(help_articles::created_at.gt(at).or(help_articles::id.ge(id))),
        Some(&ArticleKey::Oldest(at, id)) => query
            .filter(help_articles::created_at.le(at))
            .filter(help_articles::created_at.lt(at).or(help_articles::id.le(id))),
        Some(ArticleKey::Title(title, id)) => query
            .filter(help_articles::title.le(title.clone()))
            .filter(help_articles::title.lt(title.clone()).or(help_articles::id.le(*id))),
        Some(&ArticleKey::Position(place, id)) => query
            .filter(help_articles::seq_number.le(place))
            .filter(help_articles::seq_number.lt(place).or(help_articles::id.le(id))),
    }
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
