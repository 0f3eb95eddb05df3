//! The writes, with the statements that Hearback sends for them, in both stores.

use super::{KeyDigest, fresh, now};
use crate::failure::Failure;
use crate::rows::Value::{Bytes, Flag, Id, Moment, Nothing, Number, Text};
use crate::rows::{Value, millis};
use hearback_domain::Time;
use hearback_domain::fold::search_text;
use hearback_domain::similar::keys;
use hearback_domain::slug::Slug;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use uuid::Uuid;

/// A connection within a transaction.
pub(super) trait Transaction {
    /// The end of a look-up of a record that the write needs.
    const HOLD: &'static str;
    /// The end of a look-up of a record that the write changes.
    const LOCK: &'static str;

    /// The first two columns of the rows that a statement finds.
    async fn records(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<(Uuid, String)>, Failure>;

    /// Runs a statement.
    async fn change(&self, statement: &str, values: &[Value<'_>]) -> Result<(), Failure>;

    /// Inserts a post with the keys of its title.
    async fn insert_post(&self, values: &[Value<'_>], keys: &[i32]) -> Result<(), Failure>;
}

/// A write, with its input.
pub(super) enum Write {
    Toggle(Toggle),
    CreatePost(CreatePost),
    CreateComment(CreateComment),
    SetVote(SetVote),
    UpsertUser(UpsertUser),
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct Toggle {
    pub(super) user_id: Uuid,
    pub(super) post_id: Uuid,
}

#[derive(Deserialize)]
pub(super) struct CreatePost {
    board_id: Uuid,
    author_id: Uuid,
    title: String,
    description: String,
}

#[derive(Deserialize)]
pub(super) struct CreateComment {
    feedback_post_id: Uuid,
    author_id: Uuid,
    content: String,
}

#[derive(Deserialize)]
pub(super) struct SetVote {
    post_id: Uuid,
    voter_id: Uuid,
    voted: bool,
}

#[derive(Deserialize)]
pub(super) struct UpsertUser {
    email: String,
    name: String,
}

/// The columns of a new post. The keys of the title follow.
pub(super) const POST: &str = "\
    organization_id, id, title, description, slug, slug_key, search_text, board_id, author_id, status_id, \
    moderation_status_code, is_active, created_at, updated_at, status_changed_at";

/// `/feedback-posts/create`
pub(super) async fn create_post<S: Transaction>(
    session: &S,
    key: KeyDigest,
    post: &CreatePost,
) -> Result<Vec<u8>, Failure> {
    let (now, id, subscription) = (millis(now()), fresh(), fresh());
    let organization = organization(session, key).await?;
    let hold = S::HOLD;
    let found = |table, rest| {
        format!(
            "SELECT id, name FROM {table} WHERE organization_id = $1 AND is_active AND {rest}{hold}"
        )
    };
    let of = |id| [Id(organization), Id(id)];
    let author = found("users", "user_id = $2");
    one(session.records(&author, &of(post.author_id)).await?)?;
    let (_, board) =
        one(session.records(&found("feedback_boards", "id = $2"), &of(post.board_id)).await?)?;
    let status = found("statuses", "is_default_status");
    let (status, _) = one(session.records(&status, &[Id(organization)]).await?)?;
    let slug = Slug::derive(&post.title, "post");
    let (slug_key, text) =
        (slug.key(), search_text([post.title.as_str(), post.description.as_str()]));
    let values = [
        Id(organization),
        Id(id),
        Text(&post.title),
        Text(&post.description),
        Text(slug.as_str()),
        Text(&slug_key),
        Text(&text),
        Id(post.board_id),
        Id(post.author_id),
        Id(status),
        Text("accepted"),
        Flag(true),
        Moment(now),
        Moment(now),
        Moment(now),
    ];
    session.insert_post(&values, &keys(organization.into(), &post.title)).await?;
    session.change(
            "INSERT INTO feedback_post_counts (
                 organization_id, feedback_post_id, board_id, is_active, vote_count, comment_count, recent_vote_count
             ) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            &[Id(organization), Id(id), Id(post.board_id), Flag(true), Number(0), Number(0), Number(0)],
        )
        .await?;
    session.change(
            "INSERT INTO post_subscriptions (organization_id, id, feedback_post_id, user_id, level, created_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            &[Id(organization), Id(subscription), Id(id), Id(post.author_id), Text("all"), Moment(now)],
        )
        .await?;
    let data = json!({
        "id": id, "title": post.title, "details": post.description, "board_id": post.board_id, "board_name": board,
    });
    record(session, organization, "feedback_post.created", &data.to_string(), now).await?;
    let at = Time::from_unix_millis(now).unwrap_or(Time::MIN).to_string();
    let after = json!({
        "status_changed_at": at, "id": id, "title": post.title, "description": post.description, "slug": slug.as_str(),
        "board_id": post.board_id, "author_id": post.author_id, "owner_id": null, "status_id": status,
        "category_id": null, "eta": null, "moderation_status_code": "accepted", "tag_ids": [],
        "merged_into_id": null, "is_active": true, "created_at": at, "updated_at": at,
    });
    audit(session, organization, "feedback-posts/create", ("feedback_post", id), after, now)
        .await?;
    let after = json!({
        "created_at": at, "id": subscription, "feedback_post_id": id, "user_id": post.author_id, "level": "all",
    });
    let target = ("subscription", subscription);
    audit(session, organization, "feedback-posts/create", target, after, now).await?;
    Ok(made(id))
}

/// `/comments/create`
pub(super) async fn create_comment<S: Transaction>(
    session: &S,
    key: KeyDigest,
    comment: &CreateComment,
) -> Result<Vec<u8>, Failure> {
    let (now, id) = (millis(now()), fresh());
    let organization = organization(session, key).await?;
    let of = |id| [Id(organization), Id(id)];
    let hold = S::HOLD;
    let post = format!(
        "SELECT board_id, title FROM feedback_posts
         WHERE organization_id = $1 AND id = $2 AND is_active{hold}"
    );
    let (board, title) = one(session.records(&post, &of(comment.feedback_post_id)).await?)?;
    let author = format!(
        "SELECT id, name FROM users WHERE organization_id = $1 AND user_id = $2 AND is_active{hold}"
    );
    one(session.records(&author, &of(comment.author_id)).await?)?;
    let open = "SELECT id, name FROM feedback_boards
                WHERE organization_id = $1 AND id = $2 AND is_commenting_enabled";
    one(session.records(open, &of(board)).await?)?;
    session.change(
            "INSERT INTO comments (
                 organization_id, depth, id, content, author_id, feedback_post_id, is_active, visibility_code,
                 moderation_status_code, created_at, updated_at
             ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            &[
                Id(organization),
                Number(0),
                Id(id),
                Text(&comment.content),
                Id(comment.author_id),
                Id(comment.feedback_post_id),
                Flag(true),
                Text("public"),
                Text("accepted"),
                Moment(now),
                Moment(now),
            ],
        )
        .await?;
    let data = json!({
        "id": id, "content": comment.content, "post_id": comment.feedback_post_id, "post_title": title,
        "board_id": board, "author_id": comment.author_id, "parent_comment_id": null,
    });
    record(session, organization, "comment.created", &data.to_string(), now).await?;
    let at = Time::from_unix_millis(now).unwrap_or(Time::MIN).to_string();
    let after = json!({
        "updated_at": at, "id": id, "content": comment.content, "author_id": comment.author_id,
        "parent_comment_id": null, "feedback_post_id": comment.feedback_post_id, "visibility_code": "public",
        "moderation_status_code": "accepted", "is_active": true, "created_at": at,
    });
    audit(session, organization, "comments/create", ("comment", id), after, now).await?;
    count(session, organization, "comment_count", 1, comment.feedback_post_id).await?;
    Ok(made(id))
}

/// `/votes/set`
pub(super) async fn set_vote<S: Transaction>(
    session: &S,
    key: KeyDigest,
    SetVote { post_id, voter_id, voted }: &SetVote,
) -> Result<Vec<u8>, Failure> {
    let now = millis(now());
    let organization = organization(session, key).await?;
    let lock = S::LOCK;
    let post = format!(
        "SELECT board_id, title FROM feedback_posts
         WHERE organization_id = $1 AND id = $2 AND is_active AND merged_into_id IS NULL{lock}"
    );
    let (board, title) = one(session.records(&post, &[Id(organization), Id(*post_id)]).await?)?;
    let ballot = "SELECT b.id, b.name FROM feedback_boards b JOIN users u ON u.organization_id = b.organization_id
                  WHERE b.organization_id = $1 AND b.id = $2 AND b.is_voting_enabled
                      AND u.user_id = $3 AND u.is_active AND NOT u.is_blocked";
    one(session.records(ballot, &[Id(organization), Id(board), Id(*voter_id)]).await?)?;
    let cast = "SELECT id, '' FROM votes WHERE organization_id = $1 AND user_id = $2 AND feedback_post_id = $3";
    let cast = session.records(cast, &[Id(organization), Id(*voter_id), Id(*post_id)]).await?.pop();
    let changed = cast.is_some() != *voted;
    if changed {
        let vote = cast.as_ref().map_or_else(fresh, |(vote, _)| *vote);
        let event_type = if *voted {
            session
                .change(
                    "INSERT INTO votes (organization_id, id, user_id, feedback_post_id, created_at)
                     VALUES ($1, $2, $3, $4, $5)",
                    &[Id(organization), Id(vote), Id(*voter_id), Id(*post_id), Moment(now)],
                )
                .await?;
            "vote.created"
        } else {
            session
                .change(
                    "DELETE FROM votes WHERE organization_id = $1 AND id = $2",
                    &[Id(organization), Id(vote)],
                )
                .await?;
            "vote.deleted"
        };
        let data = vote_data(vote, *post_id, &title, board);
        record(session, organization, event_type, &data, now).await?;
        count(session, organization, "vote_count", if *voted { 1 } else { -1 }, *post_id).await?;
    }
    Ok(format!(r#"{{"voted":{voted},"changed":{changed}}}"#).into_bytes())
}

/// `/users/upsert` of a user whom the store has.
pub(super) async fn upsert_user<S: Transaction>(
    session: &S,
    key: KeyDigest,
    UpsertUser { email, name }: &UpsertUser,
) -> Result<Vec<u8>, Failure> {
    let now = millis(now());
    let organization = organization(session, key).await?;
    let lock = S::LOCK;
    let user =
        format!("SELECT user_id, name FROM users WHERE organization_id = $1 AND email = $2{lock}");
    let (user, before) = one(session.records(&user, &[Id(organization), Text(email)]).await?)?;
    let text = search_text([name.as_str(), email.as_str()]);
    session
        .change(
            "UPDATE users SET name = $1, search_text = $2, updated_at = $3
             WHERE organization_id = $4 AND user_id = $5",
            &[Text(name), Text(&text), Moment(now), Id(organization), Id(user)],
        )
        .await?;
    let data = json!({ "user_id": user, "email": email, "name": name });
    record(session, organization, "user.updated", &data.to_string(), now).await?;
    let at = Time::from_unix_millis(now).unwrap_or(Time::MIN).to_string();
    let changed = json!({ "updated_at": at, "before": before, "name": name });
    audit(session, organization, "users/upsert", ("user", user), changed, now).await?;
    Ok(json!({ "id": user, "user_id": user, "created": false }).to_string().into_bytes())
}

fn made(id: Uuid) -> Vec<u8> {
    format!(r#"{{"id":"{id}"}}"#).into_bytes()
}

fn one<T>(mut found: Vec<T>) -> Result<T, Failure> {
    found.pop().ok_or(Failure::NotFound)
}

/// The organization of a key.
async fn organization(session: &impl Transaction, key: KeyDigest) -> Result<Uuid, Failure> {
    let found = "SELECT organization_id, '' FROM api_keys WHERE digest = $1 AND is_active AND scope = 'public_api'";
    Ok(one(session.records(found, &[Bytes(&key)]).await?)?.0)
}

/// Moves a count of a post.
async fn count(
    session: &impl Transaction,
    organization: Uuid,
    column: &str,
    by: i64,
    post: Uuid,
) -> Result<(), Failure> {
    let count = format!(
        "UPDATE feedback_post_counts SET {column} = {column} + $1
         WHERE organization_id = $2 AND feedback_post_id = $3"
    );
    session.change(&count, &[Number(by), Id(organization), Id(post)]).await
}

/// Stores an event, and a delivery for each subscription that receives it.
pub(super) async fn record(
    session: &impl Transaction,
    organization: Uuid,
    event_type: &str,
    data: &str,
    now: i64,
) -> Result<(), Failure> {
    let wanting = "SELECT id, event_types FROM webhook_subscriptions
                   WHERE organization_id = $1 AND is_active AND NOT awaits_rotation";
    let mut wanting = session.records(wanting, &[Id(organization)]).await?;
    // No subscription to all events receives those of people.
    let is_of_people = event_type.starts_with("user.");
    wanting.retain(|(_, types)| {
        types.split(',').any(|wanted| wanted == event_type) || types.is_empty() && !is_of_people
    });
    if wanting.is_empty() {
        return Ok(());
    }
    let event = fresh();
    session.change(
            "INSERT INTO events (organization_id, id, event_type, data, recorded_at) VALUES ($1, $2, $3, $4, $5)",
            &[Id(organization), Id(event), Text(event_type), Text(data), Moment(now)],
        )
        .await?;
    for (subscription, _) in wanting {
        session.change(
                "INSERT INTO deliveries (
                     organization_id, event_id, subscription_id, state, attempt_count, next_attempt_at, created_at,
                     attempts_before_replay
                 ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                &[
                    Id(organization),
                    Id(event),
                    Id(subscription),
                    Text("pending"),
                    Number(0),
                    Moment(now),
                    Moment(now),
                    Number(0),
                ],
            )
            .await?;
    }
    Ok(())
}

/// The data of an event about a vote, in the order of the contract.
pub(super) fn vote_data(vote: Uuid, post: Uuid, title: &str, board: Uuid) -> String {
    let title = Json::from(title);
    format!(r#"{{"id":"{vote}","post_id":"{post}","post_title":{title},"board_id":"{board}"}}"#)
}

async fn audit(
    session: &impl Transaction,
    organization: Uuid,
    action: &str,
    (kind, target): (&str, Uuid),
    after: Json,
    now: i64,
) -> Result<(), Failure> {
    let data = json!({ "before": null, "after": after }).to_string();
    session
        .change(
            "INSERT INTO audit_entries (
                 organization_id, id, at, door, actor_id, action, target_kind, target_id, data
             ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[
                Id(organization),
                Id(fresh()),
                Moment(now),
                Text("api"),
                Nothing,
                Text(action),
                Text(kind),
                Id(target),
                Text(&data),
            ],
        )
        .await
}
