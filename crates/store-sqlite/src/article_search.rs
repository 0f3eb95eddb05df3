//! Pages of articles, and the full-text index that finds them.

use crate::readers::gives_way;
use crate::sql::instr;
use diesel::dsl::max;
use diesel::expression::ValidGrouping;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text};
use diesel::sqlite::Sqlite;
use hearback_domain::help_article::{ArticleFilter, ArticleSort, HelpArticle};
use hearback_domain::id::{HelpArticleId, OrganizationId};
use hearback_ports::page::{ByArticle, PageRequest};
use hearback_store_rows::help_articles::{ArticleKey, HelpArticleRow};
use hearback_store_rows::schema::{help_article_search_keys, help_articles, help_articles_search};
use hearback_store_rows::sqlite::lists::{
    Articles, articles, articles_in_order, articles_matching, articles_sorted, articles_until,
};
use hearback_store_rows::{Id, SqlId, of_article_key};
use std::collections::BTreeSet;

/// The articles of a page and the first article behind it. Runs in a transaction.
pub(crate) fn rows(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    filter: &ArticleFilter,
    sort: ArticleSort,
    page: &PageRequest<ByArticle>,
) -> QueryResult<Vec<HelpArticleRow<'static>>> {
    let limit = page.limit.and_one();
    let after = match &page.after {
        None => None,
        Some(after) => match ArticleKey::new(sort, after) {
            Some(key) => Some(key),
            // A place in another order is not a place in this one, so no article is behind it.
            None => return Ok(Vec::new()),
        },
    };
    let walk = || articles_in_order(articles(organization), sort, after.as_ref());
    let Some(search) = &filter.search else {
        let filtered = matching(walk(), organization, filter);
        let listed =
            if filter.is_sorted(sort) { articles_sorted(filtered, sort) } else { filtered };
        return load(connection, listed, limit);
    };
    if let Some(end) = nth(connection, walk(), sort, WINDOW)? {
        // A walk soon finds a text that many articles contain. The window counts all articles, not
        // only those that pass the filter.
        let found = load(
            connection,
            articles_until(matching(walk(), organization, filter), Some(&end)),
            limit,
        )?;
        if found.len() > page.limit.get() {
            return Ok(found);
        }
        if let Some(candidates) = candidates(connection, organization, search.as_str())? {
            let looked_up = articles_in_order(among(candidates), sort, after.as_ref());
            return load(connection, matching(looked_up, organization, filter), limit);
        }
        if let Some(end) = nth(connection, walk(), sort, FAR_WINDOW)? {
            let found = load(
                connection,
                articles_until(matching(walk(), organization, filter), Some(&end)),
                limit,
            )?;
            if found.len() > page.limit.get() {
                return Ok(found);
            }
            // A query that has to read all articles is fastest in the order in which they are
            // stored, which is not the order of the list.
            return load(
                connection,
                articles_sorted(matching(walk(), organization, filter), sort),
                limit,
            );
        }
    }
    load(connection, matching(walk(), organization, filter), limit)
}

/// The number of articles that a search walks before it uses the full-text index. The walk takes
/// about a millisecond, and fills a page of 25 if one article in twenty contains the text.
const WINDOW: i64 = 500;

/// The number of articles that a search walks, if the full-text index does not help, before it
/// reads all articles. The walk fills a page of 25 if one article in two hundred contains the text.
const FAR_WINDOW: i64 = 5_000;

fn among(candidates: Candidates) -> Articles {
    help_articles::table.filter(candidates).filter(help_articles::is_active).into_boxed()
}

fn load(
    connection: &mut SqliteConnection,
    query: Articles,
    limit: i64,
) -> QueryResult<Vec<HelpArticleRow<'static>>> {
    query.limit(limit).select(HelpArticleRow::as_select()).load(connection)
}

/// Limits a list to the articles that pass the filter.
fn matching(query: Articles, organization: OrganizationId, filter: &ArticleFilter) -> Articles {
    let query = match &filter.search {
        None => query,
        Some(search) => query
            .filter(gives_way())
            .filter(instr(help_articles::search_text, search.as_str().to_owned()).gt(0)),
    };
    articles_matching(query, organization, filter)
}

/// The key of the `n`th article, from 1. `None` if there are fewer articles.
fn nth(
    connection: &mut SqliteConnection,
    query: Articles,
    sort: ArticleSort,
    n: i64,
) -> QueryResult<Option<ArticleKey>> {
    let query = query.offset(n - 1);
    of_article_key!(sort, |column, Key| {
        let key = query.select((column, help_articles::id)).first(connection).optional()?;
        Ok(key.map(|(value, id)| Key(value, id)))
    })
}

/// A condition on articles: the full-text index finds them, because they contain all of `trigrams`.
///
/// The articles are looked up one by one and sorted. The plus sign and the pair before IN keep the
/// planner from walking the articles in the order of the list instead. The planner cannot know that
/// a walk does not find so few articles soon.
#[derive(Clone, Debug, QueryId, ValidGrouping)]
struct Candidates {
    organization_id: Id,
    trigrams: String,
    low: i64,
    high: i64,
}

impl Expression for Candidates {
    type SqlType = Bool;
}

impl AppearsOnTable<help_articles::table> for Candidates {}

impl QueryFragment<Sqlite> for Candidates {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("+help_articles.organization_id = ");
        out.push_bind_param::<SqlId, _>(&self.organization_id)?;
        out.push_sql(
            " AND (help_articles.organization_id, help_articles.id) IN (SELECT organization_id, help_article_id \
             FROM help_article_search_keys WHERE search_id IN (SELECT rowid \
             FROM help_articles_search WHERE help_articles_search MATCH ",
        );
        out.push_bind_param::<Text, _>(&self.trigrams)?;
        out.push_sql(" AND rowid BETWEEN ");
        out.push_bind_param::<BigInt, _>(&self.low)?;
        out.push_sql(" AND ");
        out.push_bind_param::<BigInt, _>(&self.high)?;
        out.push_sql("))");
        Ok(())
    }
}

/// The articles that may contain a text. `None` if the full-text index cannot find them, or finds
/// so many that a walk is faster.
fn candidates(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    search: &str,
) -> QueryResult<Option<Candidates>> {
    let Some(trigrams) = trigrams(search) else { return Ok(None) };
    let Some(low) = lowest(connection, organization)? else { return Ok(None) };
    let Some(high) = last(connection, organization, low)? else { return Ok(None) };
    // A look-up of an article costs two to three times as much as an article on a walk.
    let most = (high - low) / 4;
    let one_more = help_articles_search::table
        .filter(Matches::new(help_articles_search::matched, trigrams.as_str().into_sql::<Text>()))
        .filter(help_articles_search::rowid.between(low, high))
        .select(help_articles_search::rowid)
        .offset(most)
        .first::<i64>(connection)
        .optional()?;
    Ok(one_more.is_none().then(|| Candidates {
        organization_id: Id::of(organization),
        trigrams,
        low,
        high,
    }))
}

diesel::infix_operator!(Matches, " MATCH ", backend: Sqlite);

/// Trigrams of a text, as a full-text expression. Every text that contains `text` has all of them.
/// `None` if `text` has no trigram.
pub(crate) fn trigrams(text: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    let all = characters.windows(3);
    let step = all.len().div_ceil(MAX_TRIGRAMS).max(1);
    // A U+0000 would end the expression.
    let some: BTreeSet<String> = all
        .step_by(step)
        .filter(|trigram| !trigram.contains(&'\0'))
        .map(String::from_iter)
        .collect();
    let quoted: Vec<String> =
        some.iter().map(|trigram| format!("\"{}\"", trigram.replace('"', "\"\""))).collect();
    (!quoted.is_empty()).then(|| quoted.join(" AND "))
}

/// The most trigrams of a text in an expression. For a long text, this many trigrams, evenly
/// spread, leave few candidates. Each trigram costs time.
const MAX_TRIGRAMS: usize = 32;

/// Adds an article to the full-text index, in the transaction that adds the article.
pub(crate) fn index(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    article: &HelpArticle,
) -> QueryResult<()> {
    // The transaction holds the write lock until the commit.
    let low = match lowest(connection, organization)? {
        Some(low) => low,
        None => unused(connection)?,
    };
    let search_id = last(connection, organization, low)?.unwrap_or(low) + 1;
    // This row is inserted first, since its key is unique. The full-text index would accept the
    // same number twice.
    diesel::insert_into(help_article_search_keys::table)
        .values((
            help_article_search_keys::organization_id.eq(Id::of(organization)),
            help_article_search_keys::help_article_id.eq(Id::of(article.id)),
            help_article_search_keys::search_id.eq(search_id),
        ))
        .execute(connection)?;
    diesel::insert_into(help_articles_search::table)
        .values((
            help_articles_search::rowid.eq(search_id),
            help_articles_search::search_text.eq(article.search_text()),
        ))
        .execute(connection)?;
    Ok(())
}

/// Replaces the text of an article in the full-text index, under the same number.
pub(crate) fn reindex(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    article: HelpArticleId,
    search_text: &str,
) -> QueryResult<()> {
    let search_id: i64 = help_article_search_keys::table
        .filter(help_article_search_keys::organization_id.eq(Id::of(organization)))
        .filter(help_article_search_keys::help_article_id.eq(Id::of(article)))
        .select(help_article_search_keys::search_id)
        .first(connection)?;
    diesel::delete(help_articles_search::table)
        .filter(help_articles_search::rowid.eq(search_id))
        .execute(connection)?;
    diesel::insert_into(help_articles_search::table)
        .values((
            help_articles_search::rowid.eq(search_id),
            help_articles_search::search_text.eq(search_text),
        ))
        .execute(connection)?;
    Ok(())
}

/// Removes an article of an organization from the full-text index. Returns `false` if the index has
/// none of its articles.
pub(crate) fn forget_one(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
) -> QueryResult<bool> {
    let any = help_article_search_keys::table
        .filter(help_article_search_keys::organization_id.eq(Id::of(organization)))
        .select(help_article_search_keys::search_id)
        .first::<i64>(connection)
        .optional()?;
    let Some(number) = any else { return Ok(false) };
    diesel::delete(help_articles_search::table.find(number)).execute(connection)?;
    diesel::delete(help_article_search_keys::table.find(number)).execute(connection)?;
    Ok(true)
}

/// The number below those of an organization's articles. `None` if the index has none of its
/// articles.
fn lowest(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
) -> QueryResult<Option<i64>> {
    let any = help_article_search_keys::table
        .filter(help_article_search_keys::organization_id.eq(Id::of(organization)))
        .select(help_article_search_keys::search_id)
        .first::<i64>(connection)
        .optional()?;
    Ok(any.map(|search_id| search_id & !NUMBERS))
}

/// The number below a range that no organization uses. The range of a deleted organization may be
/// used again, since the index has none of its articles left.
fn unused(connection: &mut SqliteConnection) -> QueryResult<i64> {
    let last: Option<i64> = help_article_search_keys::table
        .select(max(help_article_search_keys::search_id))
        .first(connection)?;
    Ok((last.unwrap_or(0) | NUMBERS) + 1)
}

/// The highest number of an organization's articles. `low` is the number below them.
fn last(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    low: i64,
) -> QueryResult<Option<i64>> {
    help_article_search_keys::table
        .filter(help_article_search_keys::organization_id.eq(Id::of(organization)))
        .filter(help_article_search_keys::search_id.between(low, low | NUMBERS))
        .order(help_article_search_keys::search_id.desc())
        .select(help_article_search_keys::search_id)
        .first(connection)
        .optional()
}

/// The lower 32 bits of a number. They distinguish the articles of an organization, about four
/// thousand million. The upper 31 bits distinguish the organizations.
const NUMBERS: i64 = 0xffff_ffff;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Role;
    use crate::stored::Stored;
    use crate::{MIGRATIONS, SqliteStore};
    use diesel_migrations::MigrationHarness;
    use hearback_domain::help_article::{ArticleParent, ArticleStatus, HelpArticle};
    use hearback_domain::help_collection::HelpCollection;
    use hearback_domain::organization::{HelpCenter, Organization};
    use hearback_domain::portal::PortalSettings;
    use hearback_domain::position::Position;
    use hearback_domain::slug::Slug;
    use hearback_domain::{Time, Uuid};
    use hearback_ports::{OrganizationRepository, Recorded, Schema};

    fn slug(id: u128) -> Slug {
        Slug::parse(&id.to_string()).unwrap()
    }

    /// Adds an organization with 12 articles. The articles with the identifiers in `needles`
    /// contain `needle`.
    fn add(
        connection: &mut SqliteConnection,
        organization: u128,
        needles: [u128; 2],
    ) -> QueryResult<()> {
        let (id, collection_id) =
            (OrganizationId(Uuid::from_u128(organization)), Uuid::from_u128(1).into());
        let (name, slug_of_it, at) = (String::new(), slug(organization), Time::MIN);
        let help_center = HelpCenter::from_flag(true);
        let organization = Organization {
            id,
            name,
            slug: slug_of_it,
            help_center,
            events_ledger: false,
            portal: PortalSettings::default(),
            created_at: at,
        };
        Organization::insert(connection, id, &organization)?;
        let collection = HelpCollection {
            id: collection_id,
            name: String::new(),
            slug: slug(1),
            description: String::new(),
            icon: String::new(),
            color: String::new(),
            seq_number: Position::START,
            external_id: None,
            is_active: true,
            created_at: at,
            updated_at: at,
        };
        HelpCollection::insert(connection, id, &collection)?;
        (1..=12).try_for_each(|article| {
            let article = HelpArticle {
                id: Uuid::from_u128(article).into(),
                title: "Hay".to_owned(),
                content: if needles.contains(&article) { "a NEEDLE in it" } else { "nothing else" }
                    .to_owned(),
                slug: slug(article),
                excerpt: None,
                status: ArticleStatus::Draft,
                show_on_portal: false,
                is_favourite: false,
                parent: ArticleParent::Collection(collection_id),
                seq_number: Position::START,
                author_id: None,
                published_at: None,
                related_article_ids: vec![],
                view_count: 0,
                helpful_count: 0,
                not_helpful_count: 0,
                version: 1,
                versioned_at: Time::MIN,
                external_id: None,
                is_active: true,
                created_at: at,
                updated_at: at,
            };
            HelpArticle::insert(connection, id, &article)
        })
    }

    /// The articles that the full-text index finds for `needle`.
    fn found(store: &SqliteStore, organization: u128) -> Vec<u128> {
        let organization = OrganizationId(Uuid::from_u128(organization));
        let query = |connection: &mut SqliteConnection| {
            let candidates =
                candidates(connection, organization, "needle")?.expect("few candidates");
            among(candidates)
                .order(help_articles::id)
                .select(help_articles::id)
                .load::<Id>(connection)
        };
        store
            .readers
            .read("searching", query)
            .unwrap()
            .into_iter()
            .map(|id| id.0.as_u128())
            .collect()
    }

    /// The version of the migration that creates the full-text index.
    const ARTICLE_SEARCH: &str = "20261121060000";

    #[tokio::test]
    async fn the_index_finds_articles_of_each_organization_older_and_newer_than_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("test.db")).unwrap();
        store.migrate().await.unwrap();
        let mut connection = store.database.connect(Role::Bulk).unwrap();
        add(&mut connection, 1, [3, 4]).unwrap();
        add(&mut connection, 2, [5, 6]).unwrap();
        while connection.revert_last_migration(MIGRATIONS).unwrap().to_string() != ARTICLE_SEARCH {}
        store.migrate().await.unwrap();
        add(&mut connection, 3, [7, 8]).unwrap();
        assert_eq!(
            [1, 2, 3].map(|organization| found(&store, organization)),
            [[3, 4], [5, 6], [7, 8]]
        );

        let second = OrganizationId(Uuid::from_u128(2));
        assert_eq!(store.delete(second).await.unwrap(), Recorded::Done);
        while store.remove(second).await.unwrap() > 0 {}
        assert_eq!([1, 3].map(|organization| found(&store, organization)), [[3, 4], [7, 8]]);
        let count = |connection: &mut SqliteConnection| {
            help_articles_search::table.count().get_result::<i64>(connection)
        };
        assert_eq!(count(&mut connection).unwrap(), 24);
        add(&mut connection, 4, [9, 10]).unwrap();
        assert_eq!(
            [1, 3, 4].map(|organization| found(&store, organization)),
            [[3, 4], [7, 8], [9, 10]]
        );
    }

    #[test]
    fn a_text_of_three_characters_has_a_trigram_and_a_shorter_one_has_none() {
        assert_eq!(trigrams("größe").as_deref(), Some("\"grö\" AND \"röß\" AND \"öße\""));
        assert_eq!(trigrams("a-\"").as_deref(), Some("\"a-\"\"\""));
        assert_eq!(trigrams("aaaaaa").as_deref(), Some("\"aaa\""));
        for text in ["", "ab", "öш", "a\0b"] {
            assert_eq!(trigrams(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_long_text_is_searched_by_32_of_its_trigrams() {
        let text: String = (0..512).map(|n| char::from_u32(0x4e00 + n).unwrap()).collect();
        let trigrams = trigrams(&text).unwrap();
        assert_eq!(trigrams.split(" AND ").count(), 32);
        assert!(trigrams.contains(&String::from_iter(text.chars().take(3))));
    }
}
