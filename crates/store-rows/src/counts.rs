//! The statements of the stored counts.

use crate::statement::{OPEN, Statement};
use crate::values::{Id, SqlId};
use diesel::sql_types::{BigInt, Text};
use hearback_domain::counted::Count;
use hearback_domain::daily_count::{Daily, DailyCounts, Day};
use hearback_domain::help_article::ArticleAnswers;
use hearback_domain::id::{OrganizationId, PostId};
use hearback_domain::record::{Key, Kind};
use hearback_domain::{ClosedSet, Time, Uuid};

/// `record_counts.counted` of the active articles of a category.
pub const ARTICLES: &str = "articles";
/// `record_counts.counted` of the active categories of a collection.
pub const CATEGORIES: &str = "categories";
/// `record_counts.counted` of the votes of a roadmap post.
pub const ROADMAP_VOTES: &str = "roadmap_votes";

/// Adds a number to a count.
pub fn add<A>(
    organization: OrganizationId,
    (id, count): (Uuid, Count),
    by: i64,
) -> Statement<(), A> {
    let counted = match count {
        Count::Votes => {
            let add = add_to("vote_count", by).sql(", spend_due = spend_due OR ");
            return of_post(add.sql(HAS_COMPANIES).id(organization).sql(")"), organization, id);
        }
        Count::Comments => return of_post(add_to("comment_count", by), organization, id),
        Count::Views => return of_article("view_count", organization, id, by),
        Count::Helpful => return of_article("helpful_count", organization, id, by),
        Count::NotHelpful => return of_article("not_helpful_count", organization, id, by),
        Count::RoadmapVotes => ROADMAP_VOTES,
        Count::Categories => CATEGORIES,
        Count::Articles => ARTICLES,
    };
    let add = Statement::new("INSERT INTO record_counts VALUES (").id(organization);
    let add = add.sql(", ").text(counted).sql(", ").id(id).sql(", ").number(by);
    add.sql(") ").sql(ADD)
}

/// The end of a statement that inserts numbers into `record_counts`: they are added to the present
/// ones.
const ADD: &str = "ON CONFLICT (organization_id, counted, parent_id) \
                   DO UPDATE SET number = record_counts.number + excluded.number";

/// Adds a number to a column of the counts of posts.
fn add_to<A>(column: &'static str, by: i64) -> Statement<(), A> {
    let add = Statement::new("UPDATE feedback_post_counts SET ").sql(column).sql(" = ");
    add.sql(column).sql(" + ").number(by)
}

/// Limits a statement to the counts of a post.
fn of_post<A>(
    statement: Statement<(), A>,
    organization: OrganizationId,
    post: Uuid,
) -> Statement<(), A> {
    let of_post = statement.sql(" WHERE organization_id = ").id(organization);
    of_post.sql(" AND feedback_post_id = ").id(post)
}

/// Adds a number to a column of an article.
fn of_article<A>(
    column: &'static str,
    organization: OrganizationId,
    article: Uuid,
    by: i64,
) -> Statement<(), A> {
    let add = Statement::new("UPDATE help_articles SET ").sql(column).sql(" = ").sql(column);
    let of_it = add.sql(" + ").number(by).sql(" WHERE organization_id = ").id(organization);
    of_it.sql(" AND id = ").id(article)
}

/// Whether an organization has companies, up to its identifier. Without any, no vote changes the
/// spend on a post.
const HAS_COMPANIES: &str = "EXISTS (SELECT 1 FROM companies WHERE companies.organization_id = ";

/// Gives a new post its counts.
pub fn begin<A>(organization: OrganizationId, post: PostId) -> Statement<(), A> {
    let begin = Statement::new(
        "INSERT INTO feedback_post_counts SELECT organization_id, id, board_id, is_active, 0, 0, 0, \
         0, false, 0 FROM feedback_posts WHERE organization_id = ",
    );
    begin.id(organization).sql(" AND id = ").id(post)
}

/// Repeats the values of a post that stand beside its counts.
pub fn follow<A>(organization: OrganizationId, post: PostId) -> Statement<(), A> {
    let follow = Statement::new(
        "UPDATE feedback_post_counts SET board_id = post.board_id, is_active = post.is_active \
         FROM feedback_posts AS post WHERE feedback_post_counts.organization_id = ",
    );
    let follow = follow.id(organization).sql(" AND feedback_post_id = ").id(post);
    follow.sql(" AND post.organization_id = ").id(organization).sql(" AND post.id = ").id(post)
}

/// The most posts that are counted in one transaction.
pub const PART: i64 = 500;

/// The posts behind the first one, up to the second one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range {
    /// The post before the first one.
    pub after: Option<Uuid>,
    /// The last post.
    pub until: Option<Uuid>,
}

impl Range {
    /// One post.
    pub fn only(post: Uuid) -> Self {
        let before = post.as_u128().checked_sub(1).map(Uuid::from_u128);
        Self { after: before, until: Some(post) }
    }

    fn of<ST, A>(self, statement: Statement<ST, A>, id: &'static str) -> Statement<ST, A> {
        let statement = match self.after {
            None => statement,
            Some(after) => statement.sql(" AND ").sql(id).sql(" > ").id(after),
        };
        match self.until {
            None => statement,
            Some(until) => statement.sql(" AND ").sql(id).sql(" <= ").id(until),
        }
    }
}

/// The last post of a part behind `after`. No row if the last part follows.
pub fn part_end<A>(organization: OrganizationId, after: Option<Uuid>) -> Statement<SqlId, A> {
    let end = Statement::new("SELECT id FROM feedback_posts WHERE organization_id = ");
    let end = Range { after, until: None }.of(end.id(organization), "id");
    end.sql(" ORDER BY id LIMIT 1 OFFSET ").number(PART - 1)
}

/// Appends the query of the true counts of posts, with the columns of `feedback_post_counts`.
fn true_posts<ST, A>(
    statement: Statement<ST, A>,
    organization: OrganizationId,
    range: Range,
) -> Statement<ST, A> {
    let parts = [
        "SELECT organization_id, id AS feedback_post_id, board_id, is_active, \
         (SELECT count(*) FROM votes \
         WHERE votes.feedback_post_id = feedback_posts.id AND votes.organization_id = ",
        ") AS vote_count, \
         (SELECT count(*) FROM comments WHERE comments.is_active \
         AND comments.feedback_post_id = feedback_posts.id AND comments.organization_id = ",
        ") AS comment_count, 0 AS recent_vote_count, 0 AS monthly_spend, \
         EXISTS (SELECT 1 FROM companies WHERE companies.organization_id = ",
        ") AS spend_due FROM feedback_posts WHERE organization_id = ",
    ];
    let with = |statement: Statement<ST, A>, part| statement.sql(part).id(organization);
    let statement = parts.into_iter().fold(statement, with);
    range.of(statement, "id")
}

/// Locks the counts of posts, so that no change moves them while they are counted.
pub fn hold_posts<A>(organization: OrganizationId, range: Range) -> Statement<(), A> {
    let hold = Statement::new("SELECT 1 FROM feedback_post_counts WHERE organization_id = ");
    let hold = range.of(hold.id(organization), "feedback_post_id");
    hold.sql(" ORDER BY feedback_post_id FOR NO KEY UPDATE")
}

/// Mends the counts of posts. Reaches the rows that were wrong or missing.
pub fn mend_posts<A>(organization: OrganizationId, range: Range) -> Statement<(), A> {
    let mend = "INSERT INTO feedback_post_counts SELECT counted.*, vote_count FROM (";
    let mend = true_posts(Statement::new(mend), organization, range);
    mend.sql(
        ") AS counted WHERE true ON CONFLICT (organization_id, feedback_post_id) DO UPDATE SET board_id = excluded.board_id, \
         is_active = excluded.is_active, vote_count = excluded.vote_count, \
         comment_count = excluded.comment_count, spend_due = excluded.spend_due \
         WHERE feedback_post_counts.board_id <> excluded.board_id \
         OR feedback_post_counts.is_active <> excluded.is_active \
         OR feedback_post_counts.vote_count <> excluded.vote_count \
         OR feedback_post_counts.comment_count <> excluded.comment_count",
    )
}

/// The number of posts whose counts are wrong or missing.
pub fn wrong_posts<A>(organization: OrganizationId, range: Range) -> Statement<BigInt, A> {
    let wrong = true_posts(Statement::new("SELECT count(*) FROM ("), organization, range);
    let wrong = wrong.sql(
        ") AS counted LEFT JOIN feedback_post_counts AS stored \
         ON stored.feedback_post_id = counted.feedback_post_id AND stored.organization_id = ",
    );
    wrong.id(organization).sql(
        " WHERE stored.feedback_post_id IS NULL OR stored.board_id <> counted.board_id \
         OR stored.is_active <> counted.is_active OR stored.vote_count <> counted.vote_count \
         OR stored.comment_count <> counted.comment_count",
    )
}

/// Appends the query of the differences between the true numbers of `record_counts` and the stored
/// ones.
fn apart<ST, A>(statement: Statement<ST, A>, organization: OrganizationId) -> Statement<ST, A> {
    let parts = [
        "SELECT counted, parent_id, sum(number) AS number FROM ( \
         SELECT 'articles' AS counted, category_id AS parent_id, count(*) AS number FROM help_articles \
         WHERE is_active AND category_id IS NOT NULL AND organization_id = ",
        " GROUP BY category_id UNION ALL \
         SELECT 'categories', collection_id, count(*) FROM help_categories \
         WHERE is_active AND organization_id = ",
        " GROUP BY collection_id UNION ALL \
         SELECT 'roadmap_votes', roadmap_post_id, count(*) FROM votes \
         WHERE roadmap_post_id IS NOT NULL AND organization_id = ",
        " GROUP BY roadmap_post_id UNION ALL \
         SELECT counted, parent_id, -number FROM record_counts WHERE organization_id = ",
    ];
    let with = |statement: Statement<ST, A>, part| statement.sql(part).id(organization);
    let statement = parts.into_iter().fold(statement, with);
    statement.sql(") AS numbers GROUP BY counted, parent_id HAVING sum(number) <> 0")
}

/// Locks the counts of all other records.
pub fn hold_others<A>(organization: OrganizationId) -> Statement<(), A> {
    let hold = Statement::new("SELECT 1 FROM record_counts WHERE organization_id = ");
    hold.id(organization).sql(" ORDER BY parent_id, counted FOR NO KEY UPDATE")
}

/// Mends the counts of all other records. Reaches the rows that were wrong or missing.
pub fn mend_others<A>(organization: OrganizationId) -> Statement<(), A> {
    let mend = Statement::new("INSERT INTO record_counts SELECT ").id(organization);
    let mend = apart(mend.sql(", counted, parent_id, number FROM ("), organization);
    mend.sql(") AS apart WHERE true ").sql(ADD)
}

/// The number of counts of all other records that are wrong or missing.
pub fn wrong_others<A>(organization: OrganizationId) -> Statement<BigInt, A> {
    apart(Statement::new("SELECT count(*) FROM ("), organization).sql(") AS apart")
}

/// The posts whose place by trend has changed, with their number of recent votes. Votes are recent
/// since a time. The stored number of recent votes of an inactive post is not looked at.
pub fn trends<A>(organization: OrganizationId, since: Time) -> Statement<(SqlId, BigInt), A> {
    let trends = Statement::new(
        "SELECT feedback_post_id, sum(recent) FROM ( \
         SELECT feedback_post_id, 1 AS recent, 0 AS stored, 0 AS moved FROM votes \
         WHERE feedback_post_id IS NOT NULL AND organization_id = ",
    );
    let trends = trends.id(organization).sql(" AND created_at >= ").stamp(since).sql(
        " UNION ALL SELECT feedback_post_id, 0, recent_vote_count, 0 FROM feedback_post_counts \
         WHERE is_active AND recent_vote_count > 0 AND organization_id = ",
    );
    let trends = trends.id(organization).sql(
        " UNION ALL SELECT feedback_post_id, 0, 0, 1 FROM feedback_post_counts \
         WHERE trend_vote_count <> vote_count AND organization_id = ",
    );
    let trends = trends.id(organization).sql(") AS numbers GROUP BY feedback_post_id");
    trends.sql(" HAVING sum(recent) <> sum(stored) OR sum(moved) > 0")
}

/// Stores the place of a post by trend: the number of its recent votes, and that of all its votes.
pub fn set_trend<A>(organization: OrganizationId, post: Uuid, recent: i64) -> Statement<(), A> {
    let set = Statement::new("UPDATE feedback_post_counts SET trend_vote_count = vote_count, ");
    let set = of_post(set.sql("recent_vote_count = ").number(recent), organization, post);
    let set = set.sql(" AND (trend_vote_count <> vote_count OR recent_vote_count <> ");
    set.number(recent).sql(")")
}

/// Up to `limit` of the posts behind `after` that a user, or the users of a company, have voted for.
pub fn supported<A>(
    organization: OrganizationId,
    (kind, id): Key,
    after: Option<Uuid>,
    limit: i64,
) -> Statement<SqlId, A> {
    let posts = Statement::new(
        "SELECT DISTINCT votes.feedback_post_id FROM users JOIN votes \
         ON votes.user_id = users.user_id AND votes.organization_id = ",
    );
    let posts = posts.id(organization).sql(" WHERE users.organization_id = ").id(organization);
    let posts = match kind {
        Kind::Company => posts.sql(" AND users.company_id = "),
        _ => posts.sql(" AND users.user_id = "),
    };
    let posts = match after {
        None => posts.id(id).sql(" AND votes.feedback_post_id IS NOT NULL"),
        Some(after) => posts.id(id).sql(" AND votes.feedback_post_id > ").id(after),
    };
    posts.sql(" ORDER BY votes.feedback_post_id LIMIT ").number(limit)
}

/// Marks the spend on a post as due. The statement writes a marked post too, so that it waits for a
/// transaction that sums the spend.
pub fn mark_spend<A>(organization: OrganizationId, post: Uuid) -> Statement<(), A> {
    let mark = Statement::new("UPDATE feedback_post_counts SET spend_due = true");
    of_post(mark, organization, post)
}

/// Up to `limit` of the posts on which the spend is due, by identifier. `lock` ends the statement.
pub fn due_spends<A>(
    organization: OrganizationId,
    limit: i64,
    lock: &'static str,
) -> Statement<SqlId, A> {
    let due = Statement::new("SELECT feedback_post_id FROM feedback_post_counts WHERE spend_due");
    let due = due.sql(" AND organization_id = ").id(organization);
    due.sql(" ORDER BY feedback_post_id LIMIT ").number(limit).sql(lock)
}

/// Sums the spend on a post, and stores it.
pub fn sum_spend<A>(organization: OrganizationId, post: Uuid) -> Statement<(), A> {
    let sum = Statement::new("UPDATE feedback_post_counts SET spend_due = false, monthly_spend = ");
    let with = |sum: Statement<_, A>, part| sum.sql(part).id(organization);
    let sum = SPEND.into_iter().fold(sum, with).sql(OF_POST).id(post);
    of_post(sum.sql(END_OF_SPEND), organization, post)
}

/// The spend on a post. The identifier of the organization follows each part, and then [`OF_POST`],
/// the identifier of the post, and [`END_OF_SPEND`]. The queries of single values make any plan look
/// up the voters of the post, and no others.
pub(crate) const SPEND: [&str; 3] = [
    "(SELECT CAST(coalesce(sum((SELECT companies.monthly_spend FROM companies \
     WHERE companies.is_active AND companies.id = voters.company_id \
     AND companies.organization_id = ",
    ")), 0) AS bigint) FROM (SELECT DISTINCT (SELECT users.company_id FROM users \
     WHERE users.user_id = votes.user_id AND users.organization_id = ",
    ") AS company_id FROM votes WHERE votes.organization_id = ",
];

/// See [`SPEND`].
pub(crate) const END_OF_SPEND: &str = ") AS voters)";

/// See [`SPEND`].
pub(crate) const OF_POST: &str = " AND votes.feedback_post_id = ";

/// The day of `created_at` as an expression of PostgreSQL.
pub const DAY_OF_POSTGRES: &str = "CAST(floor(extract(epoch FROM created_at) / 86400) AS bigint)";
/// The day of `created_at` as an expression of SQLite. Its division rounds towards zero, so that it
/// begins at the first time of all.
pub const DAY_OF_SQLITE: &str = "(created_at + 62135596800000) / 86400000 - 719162";

/// A count of a day as a row: [`Daily`], the board or the status, the day, and the number.
pub type DayRow = (Text, SqlId, BigInt, BigInt);

/// The counts of days that have changed, with their true numbers. `day` is the expression of the
/// engine.
pub fn changed_days<A>(organization: OrganizationId, day: &'static str) -> Statement<DayRow, A> {
    let posts = Statement::new(
        "WITH counted_posts AS (SELECT id, board_id, status_id, created_at FROM feedback_posts WHERE ",
    );
    let posts = posts.sql(OPEN).sql(" AND organization_id = ").id(organization);
    let changed = posts.sql(
        ") SELECT counted, parent_id, day, CAST(sum(number) AS bigint) FROM ( \
         SELECT counted, parent_id, day, count(*) AS number, 0 AS stored FROM ( \
         SELECT counted, parent_id, ",
    );
    let parts = [
        " AS day FROM ( \
         SELECT 'posts' AS counted, board_id AS parent_id, created_at FROM counted_posts \
         UNION ALL SELECT 'statuses', status_id, created_at FROM counted_posts \
         UNION ALL SELECT 'votes', board_id, votes.created_at FROM counted_posts JOIN votes \
         ON votes.feedback_post_id = counted_posts.id WHERE votes.organization_id = ",
        " UNION ALL SELECT 'comments', board_id, comments.created_at FROM counted_posts JOIN comments \
         ON comments.feedback_post_id = counted_posts.id WHERE comments.is_active \
         AND comments.moderation_status_code = 'accepted' AND comments.organization_id = ",
        ") AS made) AS dated GROUP BY counted, parent_id, day UNION ALL \
         SELECT counted, parent_id, day, 0, number FROM daily_counts WHERE organization_id = ",
    ];
    let with = |statement: Statement<DayRow, A>, part| statement.sql(part).id(organization);
    let changed = parts.into_iter().fold(changed.sql(day), with);
    changed.sql(
        ") AS numbers GROUP BY counted, parent_id, day HAVING sum(number) <> sum(stored) \
         ORDER BY counted, parent_id, day",
    )
}

/// Stores the number of a day.
pub fn set_day<A>(
    organization: OrganizationId,
    (counted, parent, day, number): &(String, Id, i64, i64),
) -> Statement<(), A> {
    if *number == 0 {
        let remove = Statement::new("DELETE FROM daily_counts WHERE organization_id = ");
        let remove = remove.id(organization).sql(" AND counted = ").text(counted);
        return remove.sql(" AND parent_id = ").id(*parent).sql(" AND day = ").number(*day);
    }
    let set = Statement::new("INSERT INTO daily_counts VALUES (").id(organization);
    let set = set.sql(", ").text(counted).sql(", ").id(*parent).sql(", ").number(*day);
    set.sql(", ").number(*number).sql(
        ") ON CONFLICT (organization_id, counted, parent_id, day) \
         DO UPDATE SET number = excluded.number",
    )
}

/// The numbers of some days, of all boards together.
pub fn by_day<A>(
    organization: OrganizationId,
    from: Day,
    until: Day,
) -> Statement<(Text, BigInt, BigInt), A> {
    let days = Statement::new(
        "SELECT counted, day, CAST(sum(number) AS bigint) FROM daily_counts WHERE organization_id = ",
    );
    within(days, organization, from, until).sql(" GROUP BY counted, day")
}

/// The numbers of each board and of each status, of some days together.
pub fn by_parent<A>(
    organization: OrganizationId,
    from: Day,
    until: Day,
) -> Statement<(Text, SqlId, BigInt), A> {
    let parents = Statement::new(
        "SELECT counted, parent_id, CAST(sum(number) AS bigint) FROM daily_counts \
         WHERE organization_id = ",
    );
    within(parents, organization, from, until).sql(" GROUP BY counted, parent_id")
}

fn within<ST, A>(
    statement: Statement<ST, A>,
    organization: OrganizationId,
    from: Day,
    until: Day,
) -> Statement<ST, A> {
    let statement = statement.id(organization).sql(" AND day BETWEEN ").number(from.0);
    statement.sql(" AND ").number(until.0)
}

/// The numbers of some days from the rows of [`by_day`] and [`by_parent`].
pub fn daily(by_day: Vec<(String, i64, i64)>, by_parent: Vec<(String, Id, i64)>) -> DailyCounts {
    let by_day = by_day.into_iter();
    let by_day = by_day.filter_map(|(code, day, number)| Some((kind(&code)?, Day(day), number)));
    let by_parent = by_parent.into_iter();
    let by_parent = by_parent.filter_map(|(code, id, number)| Some((kind(&code)?, id.0, number)));
    let mut counts = DailyCounts { by_day: by_day.collect(), by_parent: by_parent.collect() };
    counts.by_day.sort_unstable();
    counts.by_parent.sort_unstable();
    counts
}

fn kind(code: &str) -> Option<Daily> {
    Daily::ALL.iter().copied().find(|kind| kind.code() == code)
}

/// The searches that a day has.
pub fn missed<A>(organization: OrganizationId, day: Day) -> Statement<Text, A> {
    let missed = Statement::new("SELECT words FROM missed_searches WHERE organization_id = ");
    missed.id(organization).sql(" AND day = ").stamp(day.start())
}

/// Adds to the number of a search on a day.
pub fn add_miss<A>(
    organization: OrganizationId,
    day: Day,
    words: &str,
    number: i64,
) -> Statement<(), A> {
    let add = Statement::new("INSERT INTO missed_searches VALUES (").id(organization);
    let add = add.sql(", ").text(words).sql(", ").stamp(day.start()).sql(", ").number(number);
    add.sql(
        ") ON CONFLICT (organization_id, words, day) \
         DO UPDATE SET number = missed_searches.number + excluded.number",
    )
}

/// The searches of some days, with the numbers of these days together.
pub fn misses<A>(
    organization: OrganizationId,
    from: Day,
    until: Day,
    limit: i64,
) -> Statement<(Text, BigInt), A> {
    let misses = Statement::new(
        "SELECT words, CAST(sum(number) AS bigint) FROM missed_searches WHERE organization_id = ",
    );
    let misses = misses.id(organization).sql(" AND day BETWEEN ").stamp(from.start());
    let misses = misses.sql(" AND ").stamp(until.start());
    misses.sql(" GROUP BY words ORDER BY sum(number) DESC, words LIMIT ").number(limit)
}

/// Removes up to `limit` numbers of searches on days that began before `before`, the oldest first.
pub fn prune_misses<A>(organization: OrganizationId, before: Time, limit: i64) -> Statement<(), A> {
    let prune = Statement::new("DELETE FROM missed_searches WHERE organization_id = ");
    let prune = prune.id(organization).sql(
        " AND (words, day) IN (SELECT words, day FROM missed_searches WHERE organization_id = ",
    );
    let prune = prune.id(organization).sql(" AND day < ").stamp(before);
    prune.sql(" ORDER BY day, words LIMIT ").number(limit).sql(")")
}

/// A row of [`answers`]: the article, its title, and the numbers of both answers.
pub type AnswersRow = (SqlId, Text, BigInt, BigInt);

/// The active articles that have answers. The query reads all articles: with an index on the
/// answers, each of these would write all indexes of its article.
pub fn answers<A>(organization: OrganizationId, limit: i64) -> Statement<AnswersRow, A> {
    let answers = Statement::new(
        "SELECT id, title, helpful_count, not_helpful_count FROM help_articles WHERE is_active \
         AND (helpful_count > 0 OR not_helpful_count > 0) AND organization_id = ",
    );
    let answers = answers.id(organization);
    answers.sql(" ORDER BY not_helpful_count DESC, helpful_count, id LIMIT ").number(limit)
}

/// The answers of a row of [`answers`].
pub fn answered((id, title, helpful, not_helpful): (Id, String, i64, i64)) -> ArticleAnswers {
    ArticleAnswers { id: id.to(), title, helpful, not_helpful }
}
