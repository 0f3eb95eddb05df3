//! SQLite: each worker reads, and one thread writes.

use super::answers::{Array, Category, Cells, Comment, Entry, Moment, PAGE, Post, Status, User};
use super::{KeyDigest, Store, Toggle, fresh, now};
use crate::failure::Failure;
use rusqlite::{Connection, OptionalExtension, Params, Row, params_from_iter};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime};
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

    /// The identifiers that a statement finds for a record, whose row has the organization in its
    /// last column. The statement runs while that row is read, so it sees the same moment and takes
    /// no lock of its own.
    fn ids(
        &self,
        statement: &str,
        row: &Row<'_>,
        organization: usize,
    ) -> Result<Vec<Uuid>, Failure> {
        let failed = Failure::sqlite("answering a request");
        let mut statement = self.reader.prepare_cached(statement).map_err(&failed)?;
        let parameters = (row.id(organization).into_bytes(), row.id(0).into_bytes());
        let ids = statement.query_map(parameters, |row| Ok(row.id(0))).map_err(&failed)?;
        ids.collect::<Result<_, _>>().map_err(&failed)
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
                "SELECT {post}, p.organization_id FROM feedback_posts p
                 WHERE p.organization_id = {ORGANIZATION} AND p.id = ?2 AND p.is_active"
            ),
            posts: format!(
                "SELECT {post}, p.organization_id FROM feedback_posts p
                 WHERE p.organization_id = {ORGANIZATION} AND p.board_id = ?2 AND p.is_active
                     AND EXISTS (SELECT 1 FROM feedback_boards WHERE organization_id = {ORGANIZATION} AND id = ?2 AND is_active)
                 ORDER BY p.created_at DESC, p.id DESC LIMIT {PAGE} + 1"
            ),
            posts_by_votes: format!(
                "SELECT {post}, p.organization_id FROM feedback_post_counts c CROSS JOIN feedback_posts p
                 ON p.organization_id = c.organization_id AND p.id = c.feedback_post_id
                 WHERE c.organization_id = {ORGANIZATION} AND c.board_id = ?2 AND c.is_active
                     AND EXISTS (SELECT 1 FROM feedback_boards WHERE organization_id = {ORGANIZATION} AND id = ?2 AND is_active)
                 ORDER BY c.vote_count DESC, c.feedback_post_id DESC LIMIT {PAGE} + 1"
            ),
            user: format!(
                "SELECT {} FROM users u WHERE u.organization_id = {ORGANIZATION} AND u.user_id = ?2 AND u.is_active",
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
                "SELECT {entry}, e.organization_id FROM changelog_entries e
                 WHERE e.organization_id = {ORGANIZATION} AND e.is_active
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

const TAGS: &str = "SELECT tag_id FROM feedback_post_tags WHERE organization_id = ? AND feedback_post_id = ? ORDER BY place";
const LABELS: &str = "SELECT label_id FROM changelog_entry_labels WHERE organization_id = ? AND changelog_entry_id = ? ORDER BY place";

impl Store for Sqlite {
    async fn post(&self, key: KeyDigest, id: Uuid) -> Result<Vec<u8>, Failure> {
        self.object(&self.statements.post, (key, id.as_bytes()), |row| {
            Ok(serde_json::to_vec(&Post::new(row, self.ids(TAGS, row, Post::NEXT)?))?)
        })
    }

    async fn posts(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure> {
        let place = |row: &Row<'_>| (row.moment(Post::CREATED_AT), row.id(0));
        self.page(&self.statements.posts, (key, board.as_bytes()), place, |page, row| {
            Ok(page.push(&Post::new(row, self.ids(TAGS, row, Post::NEXT)?))?)
        })
    }

    async fn posts_by_votes(&self, key: KeyDigest, board: Uuid) -> Result<Vec<u8>, Failure> {
        let place = |row: &Row<'_>| (Moment(row.number(Post::VOTES)), row.id(0));
        self.page(&self.statements.posts_by_votes, (key, board.as_bytes()), place, |page, row| {
            Ok(page.push(&Post::new(row, self.ids(TAGS, row, Post::NEXT)?))?)
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
            Ok(page.push(&Entry::new(row, self.ids(LABELS, row, Entry::NEXT)?))?)
        })
    }

    async fn categories(&self, key: KeyDigest) -> Result<Vec<u8>, Failure> {
        let place = |row: &Row<'_>| (Moment(row.number(Category::POSITION)), row.id(0));
        self.page(&self.statements.categories, (key,), place, |page, row| {
            Ok(page.push(&Category::new(row))?)
        })
    }

    async fn toggle(&self, key: KeyDigest, toggle: Toggle) -> Result<bool, Failure> {
        self.writer.toggle(key, toggle).await
    }
}

impl Cells for Row<'_> {
    fn id(&self, column: usize) -> Uuid {
        self.maybe_id(column).unwrap_or_default()
    }

    fn maybe_id(&self, column: usize) -> Option<Uuid> {
        Uuid::from_slice(self.get_ref(column).ok()?.as_blob().ok()?).ok()
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
    toggle: Toggle,
    voted: oneshot::Sender<bool>,
}

/// The most toggles that wait, and that are committed at once: as in Hearback.
const QUEUE: usize = 1_024;
const BATCH: usize = 256;

impl Writer {
    /// Starts the thread, which ends with the process.
    pub(super) fn start(path: &str) -> Result<Self, Failure> {
        let connection =
            connect(path, "PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864")?;
        let (sender, jobs) = sync_channel(QUEUE);
        std::thread::spawn(move || {
            if let Err(error) = write(&connection, &jobs) {
                eprintln!("writing: {error}");
            }
        });
        Ok(Self(sender))
    }

    async fn toggle(&self, key: KeyDigest, toggle: Toggle) -> Result<bool, Failure> {
        let (voted, answer) = oneshot::channel();
        // The queue has a place for each request in flight.
        self.0.try_send(Job { key, toggle, voted }).map_err(|_| Failure::NotFound)?;
        // A dropped sender means that the post or the user does not exist.
        answer.await.map_err(|_| Failure::NotFound)
    }
}

fn write(connection: &Connection, jobs: &Receiver<Job>) -> rusqlite::Result<()> {
    let mut done = Vec::with_capacity(BATCH);
    while let Ok(first) = jobs.recv() {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut next = Some(first);
        while let Some(Job { key, toggle, voted }) = next {
            if let Some(answer) = change(connection, key, &toggle)? {
                done.push((voted, answer));
            }
            next = if done.len() < BATCH { jobs.try_recv().ok() } else { None };
        }
        connection.prepare_cached("COMMIT")?.execute([])?;
        for (voted, answer) in done.drain(..) {
            // A client may have gone.
            let _ = voted.send(answer);
        }
    }
    Ok(())
}

/// Whether there is a vote now. `None` if the post or the user does not exist.
fn change(
    connection: &Connection,
    key: KeyDigest,
    toggle: &Toggle,
) -> rusqlite::Result<Option<bool>> {
    let (user, post) = (toggle.user_id.into_bytes(), toggle.post_id.into_bytes());
    // A statement for each table: SQLite might scan a table for a join.
    let first = |statement: &str,
                 parameters: &[[u8; 16]]|
     -> rusqlite::Result<Option<(Uuid, String)>> {
        let mut statement = connection.prepare_cached(statement)?;
        statement
            .query_row(params_from_iter(parameters), |row| Ok((row.id(0), row.text(1).to_owned())))
            .optional()
    };
    let organization = connection
        .prepare_cached("SELECT organization_id FROM api_keys WHERE digest = ? AND is_active AND scope = 'public_api'")?
        .query_row((key,), |row| Ok(row.id(0).into_bytes()))
        .optional()?;
    let Some(organization) = organization else { return Ok(None) };
    let voter = first(
        "SELECT id FROM users WHERE organization_id = ? AND user_id = ? AND is_active",
        &[organization, user],
    )?;
    let voted_on = first(
        "SELECT board_id, title FROM feedback_posts
         WHERE organization_id = ? AND id = ? AND is_active AND merged_into_id IS NULL",
        &[organization, post],
    )?;
    let (Some(_), Some((board, title))) = (voter, voted_on) else { return Ok(None) };
    let open =
        "SELECT id FROM feedback_boards WHERE organization_id = ? AND id = ? AND is_voting_enabled";
    if first(open, &[organization, board.into_bytes()])?.is_none() {
        return Ok(None);
    }
    let cast =
        "SELECT id FROM votes WHERE organization_id = ? AND user_id = ? AND feedback_post_id = ?";
    let present = first(cast, &[organization, user, post])?.map(|(vote, _)| vote);
    let now = now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
    let vote = present.unwrap_or_else(fresh);
    let event_type = match present {
        Some(vote) => {
            connection
                .prepare_cached("DELETE FROM votes WHERE organization_id = ? AND id = ?")?
                .execute((organization, vote.into_bytes()))?;
            "vote.deleted"
        }
        None => {
            connection
                .prepare_cached(
                    "INSERT INTO votes (organization_id, id, user_id, feedback_post_id, created_at) VALUES (?, ?, ?, ?, ?)",
                )?
                .execute((organization, vote.into_bytes(), user, post, now))?;
            "vote.created"
        }
    };
    connection
        .prepare_cached(
            "UPDATE feedback_post_counts SET vote_count = vote_count + ? WHERE organization_id = ? AND feedback_post_id = ?",
        )?
        .execute((if present.is_some() { -1 } else { 1 }, organization, post))?;
    record(connection, organization, (event_type, data(vote, toggle, &title, board), now))?;
    Ok(Some(present.is_none()))
}

/// Stores an event, and a delivery for each subscription that receives it.
fn record(
    connection: &Connection,
    organization: [u8; 16],
    (event_type, data, now): (&str, String, i64),
) -> rusqlite::Result<()> {
    let mut wanting = connection.prepare_cached(
        "SELECT id, event_types FROM webhook_subscriptions WHERE organization_id = ? AND is_active AND NOT awaits_rotation",
    )?;
    let mut wanting = wanting.query((organization,))?;
    let event = fresh().into_bytes();
    let mut is_recorded = false;
    while let Some(subscription) = wanting.next()? {
        let types = subscription.text(1);
        if !types.is_empty() && !types.split(',').any(|wanted| wanted == event_type) {
            continue;
        }
        if !is_recorded {
            connection
                .prepare_cached("INSERT INTO events (organization_id, id, event_type, data, recorded_at) VALUES (?, ?, ?, ?, ?)")?
                .execute((organization, event, event_type, &data, now))?;
            is_recorded = true;
        }
        connection
            .prepare_cached(
                "INSERT INTO deliveries (
                     organization_id, event_id, subscription_id, state, attempt_count, next_attempt_at, created_at,
                     attempts_before_replay
                 ) VALUES (?1, ?2, ?3, 'pending', 0, ?4, ?4, 0)",
            )?
            .execute((organization, event, subscription.id(0).into_bytes(), now))?;
    }
    Ok(())
}

/// The data of an event, in the order of the contract.
fn data(vote: Uuid, toggle: &Toggle, title: &str, board: Uuid) -> String {
    let title = serde_json::Value::from(title);
    let post = toggle.post_id;
    format!(r#"{{"id":"{vote}","post_id":"{post}","post_title":{title},"board_id":"{board}"}}"#)
}
