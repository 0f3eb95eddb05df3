//! Files of the portable format.

use crate::draw::{Entry, FOUNDED_AT, Named, Post, STATUSES, User, Vote};
use hearback_domain::Time;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use uuid::Uuid;

/// A file under construction.
pub(crate) struct Portable {
    out: BufWriter<File>,
}

impl Portable {
    /// Begins it.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { out: BufWriter::new(File::create(path)?) })
    }

    /// Adds a record.
    pub(crate) fn line(&mut self, record: &Value) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, record)?;
        self.out.write_all(b"\n")
    }

    /// Adds records.
    pub(crate) fn lines(&mut self, records: impl IntoIterator<Item = Value>) -> io::Result<()> {
        records.into_iter().try_for_each(|record| self.line(&record))
    }

    /// Ends it.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// An organization with its slug as its name. The records after it belong to it.
pub(crate) fn organization(id: Uuid, slug: &str) -> Value {
    json!({ "kind": "organization", "id": id, "name": slug, "slug": slug, "created_at": time(FOUNDED_AT) })
}

/// A user.
pub(crate) fn user(user: &User) -> Value {
    json!({
        "kind": "user",
        "id": user.id,
        "user_id": user.user_id,
        "email": user.email,
        "name": user.name,
        "avatar_url": user.avatar_url,
        "company_name": user.company_name,
        "customer_status": "active",
        "is_subscribed": user.is_subscribed,
        "created_at": time(user.created_at),
    })
}

/// A feedback board.
pub(crate) fn board(board: &Named) -> Value {
    let Named { id, name, code, created_at } = board;
    json!({ "kind": "feedback_board", "id": id, "name": name, "slug": code, "created_at": time(*created_at) })
}

/// A status, which is one of [`STATUSES`].
pub(crate) fn status(status: &Named) -> Value {
    let group = STATUSES.iter().find(|(name, _)| *name == status.name).map(|(_, group)| group);
    json!({
        "kind": "status",
        "id": status.id,
        "name": status.name,
        "code": status.code,
        "color": "#64748b",
        "status_group_code": group,
        "is_default_status": status.name == STATUSES[0].0,
        "created_at": time(status.created_at),
    })
}

/// A tag.
pub(crate) fn tag(tag: &Named) -> Value {
    coloured("tag", tag)
}

/// A label of changelog entries.
pub(crate) fn label(label: &Named) -> Value {
    coloured("label", label)
}

fn coloured(kind: &str, named: &Named) -> Value {
    let Named { id, name, code, created_at } = named;
    json!({ "kind": kind, "id": id, "name": name, "code": code, "color": "#22c55e", "created_at": time(*created_at) })
}

/// A feedback post.
pub(crate) fn post(post: &Post) -> Value {
    json!({
        "kind": "feedback_post",
        "id": post.id,
        "title": post.title,
        "description": post.description,
        "slug": post.slug,
        "board_id": post.board_id,
        "author_id": post.author_id,
        "owner_id": post.owner_id,
        "status_id": post.status_id,
        "tag_ids": post.tag_ids,
        "is_active": post.is_active,
        "created_at": time(post.created_at),
    })
}

/// A vote on a feedback post.
pub(crate) fn vote(vote: &Vote) -> Value {
    json!({
        "kind": "vote",
        "id": vote.id,
        "user_id": vote.user_id,
        "post_id": vote.post_id,
        "post_type": "feedback",
        "created_at": time(vote.created_at),
    })
}

/// A comment that is no reply.
pub(crate) fn comment(id: Uuid, content: &str, author: Uuid, post: Uuid, at: i64) -> Value {
    json!({
        "kind": "comment",
        "id": id,
        "content": content,
        "author_id": author,
        "feedback_post_id": post,
        "created_at": time(at),
    })
}

/// An entry of the changelog.
pub(crate) fn entry(entry: &Entry) -> Value {
    let created_at = time(entry.created_at);
    json!({
        "kind": "changelog_entry",
        "id": entry.id,
        "title": entry.title,
        "content": entry.content,
        "slug": entry.slug,
        "status_code": if entry.is_published { "published" } else { "draft" },
        "author_id": entry.author_id,
        "published_at": entry.is_published.then_some(&created_at),
        "type": entry.entry_type,
        "label_ids": entry.label_ids,
        "created_at": created_at,
    })
}

/// A subscription to all events.
pub(crate) fn subscription(id: Uuid, url: &str) -> Value {
    json!({
        "kind": "webhook_subscription",
        "id": id,
        "url": url,
        "signing_secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "created_at": time(FOUNDED_AT),
    })
}

/// A time in milliseconds since the Unix epoch, in the form of the format.
pub(crate) fn time(millis: i64) -> String {
    Time::from_unix_millis(millis).unwrap_or(Time::MIN).to_string()
}
