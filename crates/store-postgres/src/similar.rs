//! The posts whose titles may be similar to a title.

use crate::PgStore;
use crate::readers::Reach;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::Text;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::id::{BoardId, OrganizationId, PostId};
use hearback_domain::similar::{COMMON, ENOUGH, NEWEST, keys, tiers};
use hearback_ports::StoreError;
use hearback_store_rows::schema::feedback_posts;
use hearback_store_rows::statement::{OPEN, Statement, newest_open, on_board};
use hearback_store_rows::{Id, Keys, SqlId, SqlKeys};

impl PgStore {
    /// The posts that share rare keys with a title, and the newest posts if these are few.
    pub(crate) async fn similar(
        &self,
        organization: OrganizationId,
        title: &str,
        board: Option<BoardId>,
    ) -> Result<Vec<(PostId, String)>, StoreError> {
        let doing = "looking for similar posts";
        let mut found: Vec<(Id, String)> = Vec::new();
        for keys in tiers(organization, title) {
            if found.len() < ENOUGH && !keys.is_empty() {
                let query = || sharing(organization, &keys, board);
                found.extend(self.list_rows(Reach::Long, doing, query).await?);
            }
        }
        if found.len() < NEWEST {
            let query = || newest_open::<()>(organization, board, NEWEST as i64);
            found.extend(self.list_rows(Reach::Short, doing, query).await?);
        }
        Ok(found.into_iter().map(|(id, title)| (id.to(), title)).collect())
    }

    /// Gives keys to some of the posts that have none. Returns their number.
    pub(crate) async fn index_some_posts(&self) -> Result<usize, StoreError> {
        let doing = "indexing titles";
        let some = self.writer.read(doing, |connection| Box::pin(without_keys(connection)));
        let some = some.await?;
        if some.is_empty() {
            return Ok(0);
        }
        let count = some.len();
        let work = self.writer.write(doing, move |connection| {
            Box::pin(async move { set_keys(connection, some).await })
        });
        work.await?.map(|()| count).ok_or(StoreError::Busy)
    }
}

/// The posts that share a rare one of some keys. No statistics tell in advance how many posts have a
/// key, so the innermost statement ends early for a common one, which is then left out.
fn sharing(
    organization: OrganizationId,
    keys: &[i32],
    board: Option<BoardId>,
) -> Statement<(SqlId, Text), Wanted> {
    let sharing = Statement::new("SELECT DISTINCT id, title FROM unnest(");
    let sharing = sharing.array(Wanted(Keys(keys.to_vec()))).sql(
        ") AS wanted (key) CROSS JOIN LATERAL (SELECT *, count(*) OVER () AS sharing FROM \
         (SELECT id, title, board_id, is_active, merged_into_id, moderation_status_code \
         FROM feedback_posts WHERE organization_id = ",
    );
    let sharing = sharing.id(organization).sql(" AND similar_keys @> ARRAY[wanted.key] LIMIT ");
    let sharing = sharing.number(COMMON as i64 + 1).sql(") AS few) AS post WHERE sharing <= ");
    on_board(sharing.number(COMMON as i64).sql(" AND ").sql(OPEN), board)
}

/// The keys of a title, in a statement whose text is composed when it runs.
#[derive(Clone)]
struct Wanted(Keys);

impl QueryFragment<Pg> for Wanted {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_bind_param::<SqlKeys, _>(&self.0)
    }
}

/// A post that has no keys, and its title.
type Keyless = (Id, Id, String);

/// Some of the posts that have no keys. A server of an earlier release stored them.
async fn without_keys(connection: &mut AsyncPgConnection) -> QueryResult<Vec<Keyless>> {
    feedback_posts::table
        .filter(feedback_posts::similar_keys.is_null())
        .order((feedback_posts::organization_id, feedback_posts::id))
        .limit(SOME)
        .select((feedback_posts::organization_id, feedback_posts::id, feedback_posts::title))
        .load(connection)
        .await
}

/// The most posts that get keys in one transaction.
const SOME: i64 = 100;

async fn set_keys(connection: &mut AsyncPgConnection, posts: Vec<Keyless>) -> QueryResult<()> {
    for (organization, id, title) in posts {
        let keys = Keys(keys(organization.to(), &title));
        // A title that has changed meanwhile has keys.
        diesel::update(feedback_posts::table.find((organization, id)))
            .filter(feedback_posts::similar_keys.is_null())
            .set(feedback_posts::similar_keys.eq(keys))
            .execute(connection)
            .await?;
    }
    Ok(())
}
