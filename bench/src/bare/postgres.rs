//! PostgreSQL: one prepared statement for each request.

use super::answers::{Array, Category, Cells, Comment, Entry, Moment, PAGE, Post, Status, User};
use super::writes::{self, POST, Toggle, Transaction, Write};
use super::{KeyDigest, Store, fresh, now, voted};
use crate::failure::Failure;
use crate::rows::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use tokio::sync::Semaphore;
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};
use uuid::Uuid;

/// A worker's connections. The worker itself drives them, so that no other thread has to be woken.
pub(super) struct Postgres {
    /// The idle connections.
    idle: RefCell<Vec<Session>>,
    permits: Semaphore,
    /// The connection that all reads share, in the pipelined style. Writes never use it.
    shared: Option<Session>,
}

/// The connections of all workers together: Hearback's default for writes.
const CONNECTIONS: usize = 16;

impl Postgres {
    /// Connections that serve one request at a time.
    pub(super) async fn pooled(url: String) -> Result<Self, Failure> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let mut idle = Vec::new();
        for _ in 0..CONNECTIONS.div_ceil(workers) {
            idle.push(Session::open(&url).await?);
        }
        Ok(Self { permits: Semaphore::new(idle.len()), idle: RefCell::new(idle), shared: None })
    }

    /// One connection that all requests share.
    pub(super) async fn pipelined(url: String) -> Result<Self, Failure> {
        let shared = Session::open(&url).await?;
        Ok(Self { permits: Semaphore::new(0), idle: RefCell::default(), shared: Some(shared) })
    }

    async fn rows(
        &self,
        statement: impl Fn(&Session) -> &Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Failure> {
        let query = async |session: &Session| {
            let rows = session.client.query(statement(session), parameters).await;
            rows.map_err(Failure::postgres("answering a request"))
        };
        match &self.shared {
            Some(session) => query(session).await,
            // This returns at the end of the transaction, and not at the last row.
            None => self.with_session(query).await,
        }
    }

    /// Gives `work` a connection of its own.
    async fn with_session<T>(
        &self,
        work: impl AsyncFnOnce(&Session) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // Neither can be missing: the semaphore is never closed, and each permit has a session.
        let Ok(_permit) = self.permits.acquire().await else {
            return Err(Failure::Helper { command: "serve-bare" });
        };
        let Some(session) = self.idle.borrow_mut().pop() else {
            return Err(Failure::Helper { command: "serve-bare" });
        };
        let done = work(&session).await;
        self.idle.borrow_mut().push(session);
        done
    }

    async fn object(
        &self,
        statement: impl Fn(&Session) -> &Statement,
        parameters: &[&(dyn ToSql + Sync)],
        show: impl Fn(&Row) -> serde_json::Result<Vec<u8>>,
    ) -> Result<Vec<u8>, Failure> {
        let rows = self.rows(statement, parameters).await?;
        let [row] = &rows[..] else { return Err(Failure::NotFound) };
        Ok(show(row)?)
    }
}

/// A connection with all statements prepared.
struct Session {
    client: Client,
    post: Statement,
    posts: Statement,
    posts_by_votes: Statement,
    user: Statement,
    comment: Statement,
    statuses: Statement,
    entries: Statement,
    categories: Statement,
    toggle: Statement,
    /// The statements of the other writes, by their text.
    prepared: RefCell<HashMap<String, Statement>>,
}

/// The organization of the key.
const ORGANIZATION: &str = "(SELECT organization_id FROM api_keys WHERE digest = $1 AND is_active AND scope = 'public_api')";

impl Session {
    async fn open(url: &str) -> Result<Self, Failure> {
        let failed = Failure::postgres("connecting");
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.map_err(&failed)?;
        // The task ends when the client is dropped. The client reports an earlier end.
        actix_web::rt::spawn(connection);
        // The best plans walk an index to the end of a page. The planner does not know the key,
        // takes its organization for a small one, and would sort all rows of the large one. With
        // these settings it overrates the costs, so it must not compile the plans.
        let settings = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET jit = off";
        client.batch_execute(settings).await.map_err(&failed)?;
        let prepare = async |text: String| client.prepare(&text).await.map_err(&failed);
        let post = format!("SELECT {}, {BESIDE_POST}", Post::COLUMNS);
        Ok(Self {
            post: prepare(format!(
                "{post} FROM feedback_posts p {COUNTS} WHERE p.organization_id = {ORGANIZATION} AND p.id = $2 AND p.is_active"
            ))
            .await?,
            posts: prepare(format!(
                "{post} FROM feedback_posts p {COUNTS}
                 WHERE p.organization_id = {ORGANIZATION} AND p.board_id = $2 AND p.is_active
                     AND EXISTS (SELECT FROM feedback_boards WHERE organization_id = {ORGANIZATION} AND id = $2 AND is_active)
                 ORDER BY p.created_at DESC, p.id DESC LIMIT {PAGE} + 1"
            ))
            .await?,
            posts_by_votes: prepare(format!(
                "{post} FROM (
                     SELECT * FROM feedback_post_counts
                     WHERE organization_id = {ORGANIZATION} AND board_id = $2 AND is_active
                         AND EXISTS (SELECT FROM feedback_boards WHERE organization_id = {ORGANIZATION} AND id = $2 AND is_active)
                     ORDER BY vote_count DESC, feedback_post_id DESC LIMIT {PAGE} + 1
                 ) AS c JOIN feedback_posts p ON p.organization_id = c.organization_id AND p.id = c.feedback_post_id
                 ORDER BY c.vote_count DESC, c.feedback_post_id DESC"
            ))
            .await?,
            user: prepare(format!(
                "SELECT {}, u.attributes::text FROM users u WHERE u.organization_id = {ORGANIZATION} AND u.user_id = $2 AND u.is_active",
                User::COLUMNS
            ))
            .await?,
            comment: prepare(format!(
                "SELECT {} FROM comments c WHERE c.organization_id = {ORGANIZATION} AND c.id = $2 AND c.is_active",
                Comment::COLUMNS
            ))
            .await?,
            statuses: prepare(format!(
                "SELECT {} FROM statuses s WHERE s.organization_id = {ORGANIZATION} AND s.is_active ORDER BY {}",
                Status::COLUMNS,
                Status::ORDER
            ))
            .await?,
            entries: prepare(format!(
                "SELECT {}, {BESIDE_ENTRY} FROM changelog_entries e WHERE e.organization_id = {ORGANIZATION} AND e.is_active
                 ORDER BY e.created_at DESC, e.id DESC LIMIT {PAGE} + 1",
                Entry::COLUMNS
            ))
            .await?,
            categories: prepare(format!(
                "SELECT {} FROM help_categories g WHERE g.organization_id = {ORGANIZATION} AND g.is_active
                 ORDER BY g.seq_number, g.name, g.id LIMIT {PAGE} + 1",
                Category::COLUMNS
            ))
            .await?,
            toggle: prepare(format!("WITH {TOGGLE} SELECT EXISTS (SELECT FROM cast_vote), count(*) FROM post")).await?,
            prepared: RefCell::default(),
            client,
        })
    }

    async fn prepared(&self, statement: &str) -> Result<Statement, Failure> {
        let found = self.prepared.borrow().get(statement).cloned();
        if let Some(found) = found {
            return Ok(found);
        }
        let prepared = self.client.prepare(statement).await;
        let prepared = prepared.map_err(Failure::postgres("preparing a statement"))?;
        self.prepared.borrow_mut().insert(statement.to_owned(), prepared.clone());
        Ok(prepared)
    }

    async fn run(&self, statement: &str) -> Result<(), Failure> {
        self.client.batch_execute(statement).await.map_err(Failure::postgres("writing"))
    }
}

impl Transaction for Session {
    const HOLD: &'static str = " FOR SHARE";
    const LOCK: &'static str = " FOR NO KEY UPDATE";

    async fn records(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<(Uuid, String)>, Failure> {
        let rows = self.client.query(&self.prepared(statement).await?, &parameters(values)).await;
        let rows = rows.map_err(Failure::postgres("writing"))?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    async fn change(&self, statement: &str, values: &[Value<'_>]) -> Result<(), Failure> {
        let done = self.client.execute(&self.prepared(statement).await?, &parameters(values)).await;
        done.map(drop).map_err(Failure::postgres("writing"))
    }

    async fn insert_post(&self, values: &[Value<'_>], keys: &[i32]) -> Result<(), Failure> {
        let places: Vec<String> = (1..=values.len() + 1).map(|n| format!("${n}")).collect();
        let insert = format!(
            "INSERT INTO feedback_posts ({POST}, similar_keys) VALUES ({})",
            places.join(", ")
        );
        let mut parameters = parameters(values);
        parameters.push(&keys);
        let done = self.client.execute(&self.prepared(&insert).await?, &parameters).await;
        done.map(drop).map_err(Failure::postgres("writing"))
    }
}

fn parameters<'a>(values: &'a [Value<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

/// The attributes of a post, its counts, its tags and its roadmap posts.
const BESIDE_POST: &str = "\
    p.attributes::text, c.vote_count, c.comment_count, c.monthly_spend, p.tag_ids, \
    ARRAY (SELECT l.roadmap_post_id FROM roadmap_links l \
    WHERE l.organization_id = p.organization_id AND l.feedback_post_id = p.id ORDER BY l.created_at, l.id)";

const COUNTS: &str = "JOIN feedback_post_counts c ON c.organization_id = p.organization_id AND c.feedback_post_id = p.id";

/// The labels of an entry and its posts.
const BESIDE_ENTRY: &str = "\
    ARRAY (SELECT l.label_id FROM changelog_entry_labels l \
    WHERE l.organization_id = e.organization_id AND l.changelog_entry_id = e.id ORDER BY l.place), \
    ARRAY (SELECT l.feedback_post_id FROM entry_links l \
    WHERE l.organization_id = e.organization_id AND l.changelog_entry_id = e.id ORDER BY l.id)";

/// Loads, decides and records in the database: $2 is the voter, $3 the post, $4 the vote that may
/// be cast, $5 the event and $6 the time.
const TOGGLE: &str = r#"
    key AS (SELECT organization_id FROM api_keys WHERE digest = $1 AND is_active AND scope = 'public_api'),
    post AS (
        SELECT p.organization_id, p.id, p.title, p.board_id
        FROM key
        JOIN users u ON u.organization_id = key.organization_id AND u.user_id = $2 AND u.is_active
        JOIN feedback_posts p
            ON p.organization_id = key.organization_id AND p.id = $3 AND p.is_active AND p.merged_into_id IS NULL
        JOIN feedback_boards b ON b.organization_id = p.organization_id AND b.id = p.board_id AND b.is_voting_enabled
        FOR NO KEY UPDATE OF p
    ),
    withdrawn AS (
        DELETE FROM votes USING post
        WHERE votes.organization_id = post.organization_id AND votes.user_id = $2 AND votes.feedback_post_id = post.id
        RETURNING votes.id
    ),
    cast_vote AS (
        INSERT INTO votes (organization_id, id, user_id, feedback_post_id, created_at)
        SELECT organization_id, $4, $2, id, $6 FROM post WHERE NOT EXISTS (SELECT FROM withdrawn)
        RETURNING id
    ),
    changed AS (
        SELECT 'vote.created' AS event_type, id FROM cast_vote UNION ALL SELECT 'vote.deleted', id FROM withdrawn
    ),
    counted AS (
        UPDATE feedback_post_counts c
        SET vote_count = c.vote_count + CASE changed.event_type WHEN 'vote.created' THEN 1 ELSE -1 END
        FROM post, changed
        WHERE c.organization_id = post.organization_id AND c.feedback_post_id = post.id
    ),
    wanting AS (
        SELECT s.organization_id, s.id
        FROM webhook_subscriptions s, changed
        WHERE s.organization_id = (SELECT organization_id FROM key) AND s.is_active AND NOT s.awaits_rotation
            AND (s.event_types = '' OR changed.event_type = ANY (string_to_array(s.event_types, ',')))
        FOR KEY SHARE OF s
    ),
    event AS (
        INSERT INTO events (organization_id, id, event_type, data, recorded_at)
        SELECT post.organization_id, $5, changed.event_type,
            '{"id":"' || changed.id || '","post_id":"' || post.id || '","post_title":' || to_json(post.title)
                || ',"board_id":"' || post.board_id || '"}',
            $6
        FROM post, changed
        WHERE EXISTS (SELECT FROM wanting)
    ),
    delivery AS (
        INSERT INTO deliveries (
            organization_id, event_id, subscription_id, state, attempt_count, next_attempt_at, created_at, attempts_before_replay
        )
        SELECT organization_id, $5, id, 'pending', 0, $6, $6, 0 FROM wanting
    )
"#;

impl Store for Postgres {
    async fn post(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure> {
        let show = |row: &Row| serde_json::to_vec(&Post::new(row));
        self.object(|session| &session.post, &[&&key[..], &id], show).await
    }

    async fn posts(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure> {
        let rows = self.rows(|session| &session.posts, &[&&key[..], &board]).await?;
        let mut page = Array::of_page();
        for row in rows.iter().take(PAGE) {
            page.push(&Post::new(row))?;
        }
        let last = rows.get(PAGE).and(rows.get(PAGE - 1));
        Ok(page.end_of_page(last.map(|row| (row.moment(Post::CREATED_AT), row.id(0)))))
    }

    async fn posts_by_votes(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure> {
        let rows = self.rows(|session| &session.posts_by_votes, &[&&key[..], &board]).await?;
        let mut page = Array::of_page();
        for row in rows.iter().take(PAGE) {
            page.push(&Post::new(row))?;
        }
        let last = rows.get(PAGE).and(rows.get(PAGE - 1));
        Ok(page.end_of_page(last.map(|row| (Moment(row.number(Post::VOTES)), row.id(0)))))
    }

    async fn user(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure> {
        self.object(
            |session| &session.user,
            &[&&key[..], &id],
            |row| serde_json::to_vec(&User::new(row)),
        )
        .await
    }

    async fn comment(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure> {
        self.object(
            |session| &session.comment,
            &[&&key[..], &id],
            |row| serde_json::to_vec(&Comment::new(row)),
        )
        .await
    }

    async fn statuses(&self, key: KeyDigest) -> Result<Vec<u8>, Failure> {
        let mut array = Array::new();
        for row in &self.rows(|session| &session.statuses, &[&&key[..]]).await? {
            array.push(&Status::new(row))?;
        }
        Ok(array.end())
    }

    async fn entries(&self, key: KeyDigest) -> Result<Vec<u8>, Failure> {
        let rows = self.rows(|session| &session.entries, &[&&key[..]]).await?;
        let mut page = Array::of_page();
        for row in rows.iter().take(PAGE) {
            page.push(&Entry::new(row))?;
        }
        let last = rows.get(PAGE).and(rows.get(PAGE - 1));
        Ok(page.end_of_page(last.map(|row| (row.moment(Entry::CREATED_AT), row.id(0)))))
    }

    async fn categories(&self, key: KeyDigest) -> Result<Vec<u8>, Failure> {
        let rows = self.rows(|session| &session.categories, &[&&key[..]]).await?;
        let mut page = Array::of_page();
        for row in rows.iter().take(PAGE) {
            page.push(&Category::new(row))?;
        }
        let last = rows.get(PAGE).and(rows.get(PAGE - 1));
        Ok(page.end_of_page(last.map(|row| (Moment(row.number(Category::POSITION)), row.id(0)))))
    }

    async fn write(&self, key: KeyDigest, write: Write) -> Result<Vec<u8>, Failure> {
        if let Write::Toggle(toggle) = write {
            return self.toggle(key, toggle).await;
        }
        self.with_session(async |session: &Session| {
            session.run("BEGIN").await?;
            let answer = match &write {
                Write::Toggle(_) => Err(Failure::NotFound),
                Write::CreatePost(post) => writes::create_post(session, key, post).await,
                Write::CreateComment(comment) => {
                    writes::create_comment(session, key, comment).await
                }
                Write::SetVote(vote) => writes::set_vote(session, key, vote).await,
                Write::UpsertUser(user) => writes::upsert_user(session, key, user).await,
            };
            session.run(if answer.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
            answer
        })
        .await
    }
}

impl Postgres {
    async fn toggle(
        &self,
        key: KeyDigest,
        Toggle { user_id, post_id }: Toggle,
    ) -> Result<Vec<u8>, Failure> {
        let (vote, event) = (fresh(), fresh());
        let parameters: [&(dyn ToSql + Sync); 6] =
            [&&key[..], &user_id, &post_id, &vote, &event, &now()];
        let rows = self.rows(|session| &session.toggle, &parameters).await?;
        match &rows[..] {
            [row] if row.number(1) == 1 => Ok(voted(row.flag(0))),
            _ => Err(Failure::NotFound),
        }
    }
}

impl Cells for Row {
    fn id(&self, column: usize) -> Uuid {
        self.get(column)
    }

    fn maybe_id(&self, column: usize) -> Option<Uuid> {
        self.get(column)
    }

    fn ids(&self, column: usize) -> Vec<Uuid> {
        self.get(column)
    }

    fn text(&self, column: usize) -> &str {
        self.get(column)
    }

    fn maybe_text(&self, column: usize) -> Option<&str> {
        self.get(column)
    }

    fn flag(&self, column: usize) -> bool {
        self.get(column)
    }

    fn number(&self, column: usize) -> i64 {
        self.get(column)
    }

    fn moment(&self, column: usize) -> Moment {
        self.get(column)
    }

    fn maybe_moment(&self, column: usize) -> Option<Moment> {
        self.get(column)
    }
}

/// PostgreSQL counts microseconds from 2000-01-01.
impl FromSql<'_> for Moment {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        const MILLENNIUM: i64 = 946_684_800_000;
        let micros = i64::from_be_bytes(raw.try_into()?);
        Ok(Self(micros.div_euclid(1_000) + MILLENNIUM))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::TIMESTAMPTZ
    }
}
