//! The statements that find deleted records which are not erased yet.

use crate::statement::Statement;
use crate::values::SqlId;
use hearback_domain::id::OrganizationId;
use hearback_domain::record::Key;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Kind;

/// The condition of a deleted post or roadmap post that is not erased.
pub const POST: &str = "NOT is_active AND (title <> '' OR description <> '')";
/// The condition of a deleted comment that is not erased.
pub const COMMENT: &str = "NOT is_active AND content <> ''";
/// The condition of a deleted company that is not erased.
pub const COMPANY: &str = "NOT is_active AND name <> ''";
/// The condition of a user who is no longer linked and not erased.
pub const USER: &str = "NOT is_active AND (name <> 'Deleted user' OR email IS NOT NULL \
                        OR external_id IS NOT NULL OR avatar_url <> '' OR company_name <> '' \
                        OR company_id IS NOT NULL OR customer_status <> '' OR locale <> '' \
                        OR attributes <> '{}')";

/// The condition of a deleted changelog entry that is not erased.
pub const ENTRY: &str = "NOT is_active AND (title <> 'Deleted entry' OR content <> '' \
                         OR external_id IS NOT NULL OR featured_image_url IS NOT NULL)";
/// The condition of a deleted help article that is not erased.
pub const ARTICLE: &str = "NOT is_active AND (title <> 'Deleted article' OR content <> '' \
                           OR external_id IS NOT NULL OR excerpt IS NOT NULL)";

/// A statement of records of a kind.
pub type Found<A> = (Kind, Statement<SqlId, A>);

/// The statements that find records to erase, of which up to `limit` are those of the first one that
/// finds any. `moved` is the engine's condition that the voter of a vote is in `merges.moved_user_ids`.
pub fn erasable<A: Clone>(
    organization: OrganizationId,
    before: Time,
    limit: i64,
    moved: &'static str,
) -> Vec<Found<A>> {
    let first = Deleted { organization, before, limit };
    let all = |columns, table| {
        let all = Statement::new("SELECT ").sql(columns).sql(" FROM ").sql(table);
        all.sql(" WHERE organization_id = ").id(organization)
    };
    let of = |statement: Statement<SqlId, A>, member, table| {
        let of = statement.sql(" AND ").sql(member).sql(" IN (");
        first.append(of, "id", table, POST).sql(")")
    };
    let end = |statement: Statement<SqlId, A>| statement.sql(" ORDER BY id LIMIT ").number(limit);
    let (posts, roadmap_posts) = ("feedback_posts", "roadmap_posts");
    let votes = first.holders(all("id", "votes").sql(" AND feedback_post_id IN ("));
    // A vote that was cast on a merged post goes back if the merge ends.
    let votes = votes.sql(
        ") AND NOT EXISTS (SELECT 1 FROM feedback_posts AS cast_on WHERE cast_on.is_active \
         AND cast_on.id = votes.cast_on_id AND cast_on.organization_id = ",
    );
    // So does one that a merge by an earlier release moved, which does not know where it was cast.
    let votes = votes.id(organization).sql(
        ") AND NOT EXISTS (SELECT 1 FROM feedback_posts AS source \
         CROSS JOIN merges WHERE source.canonical_id = votes.feedback_post_id \
         AND source.is_active AND merges.merge_post_id = source.id AND NOT merges.votes_kept AND ",
    );
    let votes = votes.sql(moved).sql(" AND source.organization_id = ").id(organization);
    let votes = votes.sql(" AND merges.organization_id = ").id(organization).sql(")");
    let dropped = all("id", "dropped_votes").sql(" AND feedback_post_id IN (SELECT id FROM ");
    let dropped = dropped.sql("feedback_posts WHERE organization_id = ").id(organization);
    let dropped = first.holders(dropped.sql(" AND NOT is_active AND (id IN ("));
    let dropped = first.holders(dropped.sql(") OR canonical_id IN (")).sql(")))");
    let comments = all("id", "comments").sql(" AND (is_active OR content <> '')");
    let versions = all("id", "help_article_versions").sql(" AND help_article_id IN (");
    let versions = first.append(versions, "id", "help_articles", ARTICLE).sql(")");
    let deleted = |column, table, waits| first.append(Statement::new(""), column, table, waits);
    vec![
        (Kind::Vote, end(votes)),
        (Kind::Vote, end(of(all("id", "votes"), "roadmap_post_id", roadmap_posts))),
        (Kind::DroppedVote, end(dropped)),
        (Kind::Subscription, end(of(all("id", "post_subscriptions"), "feedback_post_id", posts))),
        (Kind::RoadmapLink, end(of(all("id", "roadmap_links"), "feedback_post_id", posts))),
        (Kind::RoadmapLink, end(of(all("id", "roadmap_links"), "roadmap_post_id", roadmap_posts))),
        (Kind::EntryLink, end(of(all("id", "entry_links"), "feedback_post_id", posts))),
        (Kind::Comment, end(of(comments, "feedback_post_id", posts))),
        (Kind::Comment, deleted("id", "comments", COMMENT)),
        (Kind::FeedbackPost, deleted("id", posts, POST)),
        (Kind::RoadmapPost, deleted("id", roadmap_posts, POST)),
        (Kind::ChangelogEntry, deleted("id", "changelog_entries", ENTRY)),
        (Kind::HelpArticleVersion, end(versions)),
        (Kind::HelpArticle, deleted("id", "help_articles", ARTICLE)),
        (Kind::Company, deleted("id", "companies", COMPANY)),
        (Kind::User, deleted("user_id", "users", USER)),
    ]
}

/// The first records that were deleted before a time.
#[derive(Clone, Copy)]
struct Deleted {
    organization: OrganizationId,
    before: Time,
    limit: i64,
}

impl Deleted {
    /// Appends the query of those of a table that wait for their erasure.
    fn append<A>(
        self,
        statement: Statement<SqlId, A>,
        columns: &'static str,
        table: &'static str,
        waits: &'static str,
    ) -> Statement<SqlId, A> {
        let key = if table == "users" { "user_id" } else { "id" };
        let first = statement.sql("SELECT ").sql(columns).sql(" FROM ").sql(table);
        let first = first.sql(" WHERE organization_id = ").id(self.organization);
        let first = first.sql(" AND ").sql(waits).sql(" AND updated_at < ").stamp(self.before);
        first.sql(" ORDER BY updated_at, ").sql(key).sql(" LIMIT ").number(self.limit)
    }

    /// Appends the query of the posts that have the votes of these posts, and were deleted before
    /// the time as well.
    fn holders<A>(self, statement: Statement<SqlId, A>) -> Statement<SqlId, A> {
        let holders = statement.sql("SELECT holder.id FROM (");
        let gone = "coalesce(canonical_id, id) AS holder_id";
        let holders = self.append(holders, gone, "feedback_posts", POST);
        let holders = holders.sql(
            ") AS gone JOIN feedback_posts AS holder ON holder.id = gone.holder_id \
             WHERE NOT holder.is_active AND holder.updated_at < ",
        );
        holders.stamp(self.before).sql(" AND holder.organization_id = ").id(self.organization)
    }
}

/// Removes the values of a record from the audit log.
pub fn forget_values<A>(organization: OrganizationId, (kind, id): Key) -> Statement<(), A> {
    let forget = Statement::new("UPDATE audit_entries SET data = '{}' WHERE organization_id = ");
    let forget = forget.id(organization).sql(" AND target_id = ").id(id);
    forget.sql(" AND target_kind = ").text(kind.code())
}
