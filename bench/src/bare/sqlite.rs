//! SQLite: each worker reads, and one thread writes.

use super::answers::{Array, Category, Cells, Comment, Entry, Moment, PAGE, Post, Status, User};
use super::writes::{self, POST, Toggle, Transaction, Write};
use super::{KeyDigest, Store, fresh, now, voted};
use crate::failure::Failure;
use crate::rows::{Value, millis};
use futures_util::FutureExt;
use rusqlite::{Connection, Params, Row, ToSql, params_from_iter};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use tokio::sync::oneshot;
use uuid::Uuid;

/// A worker's access to a database: a connection for reads, and the queue of the thread that
/// writes.
pub(super) struct Sqlite {
    reader: Connection,
    writer: Writer,
    statements: Statements,
}

impl Sqlite {
    pub(super) fn open(path: &str, writer: Writer) -> Result<Self, Failure> {
        let reader = connect(
            path,
            "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY; PRAGMA query_only = ON",
        )?;
        Ok(Self { reader, writer, statements: Statements::new() })
    }

    fn object<P: Params>(
        &self,
        statement: &str,
        parameters: P,
        show: impl Fn(&Row<'_>) -> Result<Vec<u8>, Failure>,
    ) -> Result<Vec<u8>, Failure> {
        let failed = Failure::sqlite("answering a request");
        let mut statement = self.reader.prepare_cached(statement).map_err(&failed)?;
        let mut rows = statement.query(parameters).map_err(&failed)?;
        let Some(row) = rows.next().map_err(&failed)? else { return Err(Failure::NotFound) };
        show(row)
    }

    /// All rows. `show` gets the number of each.
    fn rows<P: Params>(
        &self,
        statement: &str,
        parameters: P,
        mut show: impl FnMut(usize, &Row<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let failed = Failure::sqlite("answering a request");
        let mut statement = self.reader.prepare_cached(statement).map_err(&failed)?;
        let mut rows = statement.query(parameters).map_err(&failed)?;
        let mut number = 0;
        while let Some(row) = rows.next().map_err(&failed)? {
            show(number, row)?;
            number += 1;
        }
        Ok(())
    }

    /// A page. `show` writes each item, and `place` returns its position.
    fn page<P: Params>(
        &self,
        statement: &str,
        parameters: P,
        place: impl Fn(&Row<'_>) -> (Moment, Uuid),
        show: impl Fn(&mut Array, &Row<'_>) -> Result<(), Failure>,
    ) -> Result<Vec<u8>, Failure> {
        let (mut page, mut last, mut behind) = (Array::of_page(), None, None);
        self.rows(statement, parameters, |number, row| {
            if number == PAGE {
                behind = last;
                return Ok(());
            }
            last = Some(place(row));
            show(&mut page, row)
        })?;
        Ok(page.end_of_page(behind))
    }
}

/// The statements of a connection, prepared at their first use.
struct Statements {
    post: String,
    posts: String,
    posts_by_votes: String,
    user: String,
    comment: String,
    statuses: String,
    entries: String,
    categories: String,
}

impl Statements {
    fn new() -> Self {
        let (post, entry, category, statuses) =
            (Post::COLUMNS, Entry::COLUMNS, Category::COLUMNS, Status::COLUMNS);
        Self {
            post: format!(
                "SELECT {post}, p.attributes, p.vote_count, p.comment_count, p.monthly_spend, p.tag_ids, p.roadmap_post_ids
                 FROM bare_posts p WHERE p.organization_id = {ORGANIZATION} AND p.id = ?2"
            ),
            posts: format!(
                "SELECT {post}, {BESIDE_POST} FROM feedback_posts p JOIN feedback_post_counts c
                     ON c.organization_id = p.organization_id AND c.feedback_post_id = p.id
                 WHERE p.organization_id = {ORGANIZATION} AND p.board_id = ?2 AND p.is_active
                     AND EXISTS (SELECT 1 FROM feedback_boards WHERE organization_id = {ORGANIZATION} AND id = ?2 AND is_active)
                 ORDER BY p.created_at DESC, p.id DESC LIMIT {PAGE} + 1"
            ),
            posts_by_votes: format!(
                "SELECT {post}, {BESIDE_POST} FROM feedback_post_counts c CROSS JOIN feedback_posts p
                     ON p.organization_id = c.organization_id AND p.id = c.feedback_post_id
                 WHERE c.organization_id = {ORGANIZATION} AND c.board_id = ?2 AND c.is_active
                     AND EXISTS (SELECT 1 FROM feedback_boards WHERE organization_id = {ORGANIZATION} AND id = ?2 AND is_active)
                 ORDER BY c.vote_count DESC, c.feedback_post_id DESC LIMIT {PAGE} + 1"
            ),
            user: format!(
                "SELECT {}, u.attributes FROM users u
                 WHERE u.organization_id = {ORGANIZATION} AND u.user_id = ?2 AND u.is_active",
                User::COLUMNS
            ),
            comment: format!(
                "SELECT {} FROM comments c WHERE c.organization_id = {ORGANIZATION} AND c.id = ?2 AND c.is_active",
                Comment::COLUMNS
            ),
            statuses: format!(
                "SELECT {statuses} FROM statuses s WHERE s.organization_id = {ORGANIZATION} AND s.is_active ORDER BY {}",
                Status::ORDER
            ),
            entries: format!(
                "SELECT {entry},
                     (SELECT unhex(coalesce(group_concat(hex(label_id), '' ORDER BY place), ''))
                      FROM changelog_entry_labels l
                      WHERE l.organization_id = e.organization_id AND l.changelog_entry_id = e.id),
                     (SELECT unhex(coalesce(group_concat(hex(feedback_post_id), '' ORDER BY id), ''))
                      FROM entry_links l
                      WHERE l.organization_id = e.organization_id AND l.changelog_entry_id = e.id)
                 FROM changelog_entries e WHERE e.organization_id = {ORGANIZATION} AND e.is_active
                 ORDER BY e.created_at DESC, e.id DESC LIMIT {PAGE} + 1"
            ),
            categories: format!(
                "SELECT {category} FROM help_categories g WHERE g.organization_id = {ORGANIZATION} AND g.is_active
                 ORDER BY g.seq_number, g.name, g.id LIMIT {PAGE} + 1"
            ),
        }
    }
}

/// The durability and the checks of Hearback's connections.
fn connect(path: &str, settings: &str) -> Result<Connection, Failure> {
    let failed = Failure::sqlite("connecting");
    let connection = Connection::open(path).map_err(&failed)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(&failed)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        .map_err(&failed)?;
    connection.execute_batch(settings).map_err(&failed)?;
    Ok(connection)
}

/// The organization of the key.
const ORGANIZATION: &str = "(SELECT organization_id FROM api_keys WHERE digest = ?1 AND is_active AND scope = 'public_api')";

/// The attributes of a post, its counts, its tags and its roadmap posts.
const BESIDE_POST: &str = "\
    p.attributes, c.vote_count, c.comment_count, c.monthly_spend, p.tag_ids, \
    CASE WHEN EXISTS (SELECT 1 FROM roadmap_links l \
    WHERE l.organization_id = p.organization_id AND l.feedback_post_id = p.id) THEN \
    (SELECT unhex(group_concat(hex(roadmap_post_id), '' ORDER BY created_at, id)) FROM roadmap_links l \
    WHERE l.organization_id = p.organization_id AND l.feedback_post_id = p.id) ELSE x'' END";

/// The posts and the votes as the leanest server would have them for retrievals and toggles: the
/// counts, the tags and the roadmap posts are in the row of a post, and each list has one index.
fn tables() -> String {
    format!(
        "DROP TABLE IF EXISTS bare_posts;
         DROP TABLE IF EXISTS bare_votes;
         CREATE TABLE bare_posts AS
         SELECT {}, {BESIDE_POST} AS roadmap_post_ids, p.organization_id
         FROM feedback_posts p
         JOIN feedback_post_counts c ON c.organization_id = p.organization_id AND c.feedback_post_id = p.id
         WHERE p.is_active;
         CREATE UNIQUE INDEX bare_posts_by_id ON bare_posts (organization_id, id);
         CREATE INDEX bare_posts_by_board ON bare_posts (organization_id, board_id, created_at, id);
         CREATE INDEX bare_posts_by_votes ON bare_posts (organization_id, vote_count, id);
         CREATE INDEX bare_posts_by_board_and_votes ON bare_posts (organization_id, board_id, vote_count, id);
         CREATE TABLE bare_votes (
             organization_id blob, post_id blob, user_id blob, id blob, created_at integer,
             PRIMARY KEY (organization_id, post_id, user_id)
         ) WITHOUT ROWID;
         INSERT INTO bare_votes
         SELECT organization_id, feedback_post_id, user_id, id, created_at FROM votes
         WHERE feedback_post_id IS NOT NULL;
         CREATE INDEX bare_votes_by_post ON bare_votes (organization_id, post_id, created_at, id);
         CREATE INDEX bare_votes_by_time ON bare_votes (organization_id, created_at, id)",
        Post::COLUMNS
    )
}

impl Store for Sqlite {
    async fn post(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure> {
        self.object(&self.statements.post, (key, id.as_bytes()), |row| {
            Ok(serde_json::to_vec(&Post::new(row))?)
        })
    }

    async fn posts(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure> {
        let place = |row: &Row<'_>| (row.moment(Post::CREATED_AT), row.id(0));
        self.page(&self.statements.posts, (key, board.as_bytes()), place, |page, row| {
            Ok(page.push(&Post::new(row))?)
        })
    }

    async fn posts_by_votes(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure> {
        let place = |row: &Row<'_>| (Moment(row.number(Post::VOTES)), row.id(0));
        self.page(&self.statements.posts_by_votes, (key, board.as_bytes()), place, |page, row| {
            Ok(page.push(&Post::new(row))?)
        })
    }

    async fn user(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure> {
        self.object(&self.statements.user, (key, id.as_bytes()), |row| {
            Ok(serde_json::to_vec(&User::new(row))?)
        })
    }

    async fn comment(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure> {
        self.object(&self.statements.comment, (key, id.as_bytes()), |row| {
            Ok(serde_json::to_vec(&Comment::new(row))?)
        })
    }

    async fn statuses(&self, key: KeyDigest) -> Result<Vec<u8>, Failure> {
        let mut array = Array::new();
        self.rows(&self.statements.statuses, (key,), |_, row| Ok(array.push(&Status::new(row))?))?;
        Ok(array.end())
    }

    async fn entries(&self, key: KeyDigest) -> Result<Vec<u8>, Failure> {
        let place = |row: &Row<'_>| (row.moment(Entry::CREATED_AT), row.id(0));
        self.page(&self.statements.entries, (key,), place, |page, row| {
            Ok(page.push(&Entry::new(row))?)
        })
    }

    async fn categories(&self, key: KeyDigest) -> Result<Vec<u8>, Failure> {
        let place = |row: &Row<'_>| (Moment(row.number(Category::POSITION)), row.id(0));
        self.page(&self.statements.categories, (key,), place, |page, row| {
            Ok(page.push(&Category::new(row))?)
        })
    }

    async fn write(&self, key: KeyDigest, write: Write) -> Result<Vec<u8>, Failure> {
        self.writer.write(key, write).await
    }
}

impl Cells for Row<'_> {
    fn id(&self, column: usize) -> Uuid {
        self.maybe_id(column).unwrap_or_default()
    }

    fn maybe_id(&self, column: usize) -> Option<Uuid> {
        Uuid::from_slice(self.get_ref(column).ok()?.as_blob().ok()?).ok()
    }

    fn ids(&self, column: usize) -> Vec<Uuid> {
        let ids = self.get_ref(column).ok().and_then(|value| value.as_blob().ok());
        let (ids, _) = ids.unwrap_or_default().as_chunks::<16>();
        ids.iter().map(|id| Uuid::from_bytes(*id)).collect()
    }

    fn text(&self, column: usize) -> &str {
        self.maybe_text(column).unwrap_or_default()
    }

    fn maybe_text(&self, column: usize) -> Option<&str> {
        self.get_ref(column).ok()?.as_str().ok()
    }

    fn flag(&self, column: usize) -> bool {
        self.number(column) != 0
    }

    fn number(&self, column: usize) -> i64 {
        self.maybe_moment(column).map_or(0, |Moment(number)| number)
    }

    fn moment(&self, column: usize) -> Moment {
        Moment(self.number(column))
    }

    fn maybe_moment(&self, column: usize) -> Option<Moment> {
        self.get_ref(column).ok()?.as_i64().ok().map(Moment)
    }
}

/// The queue of the one thread that writes. The thread commits all waiting jobs in one transaction,
/// and then answers.
#[derive(Clone)]
pub(super) struct Writer(SyncSender<Job>);

struct Job {
    key: KeyDigest,
    write: Write,
    answer: oneshot::Sender<Vec<u8>>,
}

/// The most writes that wait, and that are committed at once: as in Hearback.
const QUEUE: usize = 1_024;
const BATCH: usize = 256;

impl Writer {
    /// Starts the thread, which ends with the process.
    pub(super) fn start(path: &str) -> Result<Self, Failure> {
        let connection =
            connect(path, "PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864")?;
        // SQLite's own wait grows to 100 ms, and would miss the moments between two transactions of
        // Hearback's background work.
        let wait = |_| {
            std::thread::sleep(Duration::from_millis(2));
            true
        };
        connection.busy_handler(Some(wait)).map_err(Failure::sqlite("connecting"))?;
        connection.execute_batch(&tables()).map_err(Failure::sqlite("making tables"))?;
        let (sender, jobs) = sync_channel(QUEUE);
        std::thread::spawn(move || {
            if let Err(error) = write(&connection, &jobs) {
                eprintln!("writing: {error}");
            }
        });
        Ok(Self(sender))
    }

    async fn write(&self, key: KeyDigest, write: Write) -> Result<Vec<u8>, Failure> {
        let (answer, answered) = oneshot::channel();
        // The queue has a place for each request in flight.
        self.0.try_send(Job { key, write, answer }).map_err(|_| Failure::NotFound)?;
        // The sender is dropped if the write failed.
        answered.await.map_err(|_| Failure::NotFound)
    }
}

fn write(connection: &Connection, jobs: &Receiver<Job>) -> Result<(), Failure> {
    let failed = Failure::sqlite("writing");
    let execute = |statement| connection.prepare_cached(statement)?.execute([]);
    let mut done = Vec::with_capacity(BATCH);
    while let Ok(first) = jobs.recv() {
        execute("BEGIN IMMEDIATE").map_err(&failed)?;
        let mut next = Some(first);
        while let Some(Job { key, write, answer }) = next {
            // No statement waits, so the future ends at once.
            if let Some(made) = run(connection, key, &write).now_or_never() {
                done.push((answer, made?));
            }
            next = if done.len() < BATCH { jobs.try_recv().ok() } else { None };
        }
        execute("COMMIT").map_err(&failed)?;
        for (answer, made) in done.drain(..) {
            // A client may have gone.
            let _ = answer.send(made);
        }
    }
    Ok(())
}

async fn run(connection: &Connection, key: KeyDigest, write: &Write) -> Result<Vec<u8>, Failure> {
    match write {
        Write::Toggle(vote) => toggle(connection, key, vote).await,
        Write::CreatePost(post) => writes::create_post(connection, key, post).await,
        Write::CreateComment(comment) => writes::create_comment(connection, key, comment).await,
        Write::SetVote(vote) => writes::set_vote(connection, key, vote).await,
        Write::UpsertUser(user) => writes::upsert_user(connection, key, user).await,
    }
}

impl Transaction for Connection {
    const HOLD: &'static str = "";
    const LOCK: &'static str = "";

    async fn records(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<(Uuid, String)>, Failure> {
        let failed = Failure::sqlite("writing");
        let mut statement = self.prepare_cached(statement).map_err(&failed)?;
        let record = |row: &Row<'_>| Ok((row.id(0), row.text(1).to_owned()));
        let records = statement.query_map(params_from_iter(values), record).map_err(&failed)?;
        records.collect::<Result<_, _>>().map_err(&failed)
    }

    async fn change(&self, statement: &str, values: &[Value<'_>]) -> Result<(), Failure> {
        let failed = Failure::sqlite("writing");
        let mut statement = self.prepare_cached(statement).map_err(&failed)?;
        statement.execute(params_from_iter(values)).map(drop).map_err(&failed)
    }

    async fn insert_post(&self, values: &[Value<'_>], keys: &[i32]) -> Result<(), Failure> {
        let failed = Failure::sqlite("inserting a post");
        let last = "SELECT coalesce(max(id), 0) FROM feedback_posts_similar_docsize";
        let last: i64 = self
            .prepare_cached(last)
            .and_then(|mut last| last.query_row((), |row| row.get(0)))
            .map_err(&failed)?;
        let number = Value::Number(last + 1);
        let places: Vec<String> = (1..=values.len() + 1).map(|n| format!("${n}")).collect();
        let insert = format!(
            "INSERT INTO feedback_posts ({POST}, similar_id) VALUES ({})",
            places.join(", ")
        );
        self.change(&insert, &[values, &[number]].concat()).await?;
        let words: Vec<String> = keys.iter().map(|key| format!("k{key:x}")).collect();
        let index = "INSERT INTO feedback_posts_similar (rowid, keys) VALUES ($1, $2)";
        self.change(index, &[number, Value::Text(&words.join(" "))]).await
    }
}

async fn toggle(
    connection: &Connection,
    key: KeyDigest,
    toggle: &Toggle,
) -> Result<Vec<u8>, Failure> {
    let failed = Failure::sqlite("toggling a vote");
    let (user, post) = (toggle.user_id.into_bytes(), toggle.post_id.into_bytes());
    let mut ballot = connection.prepare_cached(BALLOT).map_err(&failed)?;
    let mut ballot = ballot.query((key, post, user)).map_err(&failed)?;
    let Some(row) = ballot.next().map_err(&failed)? else { return Err(Failure::NotFound) };
    let (organization, board, present) = (row.id(0), row.id(1), row.maybe_id(3));
    let (tenant, now) = (organization.into_bytes(), millis(now()));
    let vote = present.unwrap_or_else(fresh);
    let change = |statement, parameters: &[&dyn ToSql]| {
        let mut statement = connection.prepare_cached(statement)?;
        statement.execute(parameters)
    };
    let (event_type, by) = match present {
        Some(_) => {
            let delete =
                "DELETE FROM bare_votes WHERE organization_id = ? AND post_id = ? AND user_id = ?";
            change(delete, &[&tenant, &post, &user]).map_err(&failed)?;
            ("vote.deleted", -1)
        }
        None => {
            let insert = "INSERT INTO bare_votes VALUES (?, ?, ?, ?, ?)";
            change(insert, &[&tenant, &post, &user, &vote.into_bytes(), &now]).map_err(&failed)?;
            ("vote.created", 1)
        }
    };
    let count =
        "UPDATE bare_posts SET vote_count = vote_count + ? WHERE organization_id = ? AND id = ?";
    change(count, &[&by, &tenant, &post]).map_err(&failed)?;
    let data = writes::vote_data(vote, toggle.post_id, row.text(2), board);
    writes::record(connection, organization, event_type, &data, now).await?;
    Ok(voted(present.is_none()))
}

/// The organization, the board, the title and the present vote, if the user may vote for the post.
const BALLOT: &str = "
    SELECT k.organization_id, p.board_id, p.title, v.id
    FROM api_keys k
    CROSS JOIN bare_posts p ON p.organization_id = k.organization_id AND p.id = ?2 AND p.merged_into_id IS NULL
    CROSS JOIN users u
        ON u.organization_id = k.organization_id AND u.user_id = ?3 AND u.is_active AND NOT u.is_blocked
    CROSS JOIN feedback_boards b
        ON b.organization_id = k.organization_id AND b.id = p.board_id AND b.is_voting_enabled
    LEFT JOIN bare_votes v ON v.organization_id = k.organization_id AND v.post_id = ?2 AND v.user_id = ?3
    WHERE k.digest = ?1 AND k.is_active AND k.scope = 'public_api'";
