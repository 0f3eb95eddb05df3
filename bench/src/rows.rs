//! The rows of an organization in the database, the same in both stores.

use crate::draw::{FOUNDED_AT, SLUG, STATUSES};
use crate::organization::Organization;
use std::time::SystemTime;
use uuid::Uuid;

/// A table and its rows.
pub(crate) struct Table<'a> {
    pub(crate) name: &'static str,
    /// Separated by commas.
    pub(crate) columns: &'static str,
    pub(crate) count: usize,
    pub(crate) rows: Box<dyn Iterator<Item = Vec<Value<'a>>> + 'a>,
}

/// A value in a column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Id(Uuid),
    Text(&'a str),
    Flag(bool),
    Number(i64),
    /// In milliseconds since the Unix epoch.
    Moment(i64),
    Bytes(&'a [u8]),
    Nothing,
}

use Value::{Flag, Id, Moment, Nothing, Number, Text};

impl Organization {
    /// All tables with rows. A table comes after the tables that it refers to.
    pub(crate) fn tables(&self) -> [Table<'_>; 8] {
        [
            self.itself(),
            self.users(),
            self.boards(),
            self.statuses(),
            self.tags(),
            self.posts(),
            self.post_tags(),
            self.votes(),
        ]
    }

    fn itself(&self) -> Table<'_> {
        let row = vec![
            Id(self.id),
            Text("Bench"),
            Text(SLUG),
            Flag(true),
            Moment(FOUNDED_AT),
            Text(SLUG),
        ];
        table(
            "organizations",
            "id, name, slug, help_center_enabled, created_at, slug_key",
            1,
            [row].into_iter(),
        )
    }

    fn users(&self) -> Table<'_> {
        let columns = "organization_id, id, user_id, email, name, avatar_url, portal_role, company_name, customer_status, \
                       is_subscribed, is_active, created_at";
        let rows = self.users.iter().map(|user| {
            vec![
                Id(self.id),
                Id(user.id),
                Id(user.user_id),
                Text(&user.email),
                Text(&user.name),
                Text(&user.avatar_url),
                Text("end_user"),
                Text(user.company_name),
                Text("active"),
                Flag(user.is_subscribed),
                Flag(true),
                Moment(user.created_at),
            ]
        });
        table("users", columns, self.users.len(), rows)
    }

    fn boards(&self) -> Table<'_> {
        let columns = "organization_id, id, name, slug, slug_key, description, icon_url, is_voting_enabled, \
                       is_commenting_enabled, show_post_dates, is_active, seq_number, created_at";
        let rows = places().zip(&self.boards).map(|(place, board)| {
            vec![
                Id(self.id),
                Id(board.id),
                Text(board.name),
                Text(&board.code),
                Text(&board.code),
                Nothing,
                Nothing,
                Flag(true),
                Flag(true),
                Flag(true),
                Flag(true),
                place,
                Moment(board.created_at),
            ]
        });
        table("feedback_boards", columns, self.boards.len(), rows)
    }

    fn statuses(&self) -> Table<'_> {
        let columns = "organization_id, id, name, code, color, status_group_code, is_default_status, show_on_feedback, \
                       show_on_roadmap, is_active, seq_number, created_at";
        let rows =
            places().zip(&self.statuses).zip(STATUSES).map(|((place, status), (_, group))| {
                vec![
                    Id(self.id),
                    Id(status.id),
                    Text(status.name),
                    Text(&status.code),
                    Text("#64748b"),
                    Text(group),
                    Flag(status.name == STATUSES[0].0),
                    Flag(true),
                    Flag(true),
                    Flag(true),
                    place,
                    Moment(status.created_at),
                ]
            });
        table("statuses", columns, self.statuses.len(), rows)
    }

    fn tags(&self) -> Table<'_> {
        let columns = "organization_id, id, name, code, color, show_on_feedback, show_on_roadmap, is_active, created_at";
        let rows = self.tags.iter().map(|tag| {
            vec![
                Id(self.id),
                Id(tag.id),
                Text(tag.name),
                Text(&tag.code),
                Text("#22c55e"),
                Flag(true),
                Flag(true),
                Flag(true),
                Moment(tag.created_at),
            ]
        });
        table("tags", columns, self.tags.len(), rows)
    }

    fn posts(&self) -> Table<'_> {
        let columns = "organization_id, id, title, description, slug, slug_key, board_id, author_id, owner_id, status_id, \
                       category_id, eta, moderation_status_code, merged_into_id, canonical_id, is_active, search_text, \
                       created_at, updated_at";
        let rows = self.posts.iter().map(|post| {
            vec![
                Id(self.id),
                Id(post.id),
                Text(&post.title),
                Text(&post.description),
                Text(&post.slug),
                Text(&post.slug),
                Id(post.board_id),
                Id(post.author_id),
                post.owner_id.map_or(Nothing, Id),
                Id(post.status_id),
                Nothing,
                Nothing,
                Text("accepted"),
                Nothing,
                Nothing,
                Flag(post.is_active),
                Text(&post.search_text),
                Moment(post.created_at),
                Moment(post.created_at),
            ]
        });
        table("feedback_posts", columns, self.posts.len(), rows)
    }

    fn post_tags(&self) -> Table<'_> {
        let count = self.posts.iter().map(|post| post.tag_ids.len()).sum();
        let rows = self.posts.iter().flat_map(|post| {
            let tags = (0..).zip(&post.tag_ids);
            tags.map(|(place, &tag)| vec![Id(self.id), Id(post.id), Id(tag), Number(place)])
        });
        table("feedback_post_tags", "organization_id, feedback_post_id, tag_id, place", count, rows)
    }

    fn votes(&self) -> Table<'_> {
        let rows = self.votes.iter().map(|vote| {
            vec![
                Id(self.id),
                Id(vote.id),
                Id(vote.user_id),
                Id(vote.post_id),
                Nothing,
                Moment(vote.created_at),
            ]
        });
        let columns = "organization_id, id, user_id, feedback_post_id, roadmap_post_id, created_at";
        table("votes", columns, self.votes.len(), rows)
    }
}

/// Milliseconds since the Unix epoch. No time here is earlier.
pub(crate) fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// 1.0000, 2.0000 and so on.
fn places<'a>() -> impl Iterator<Item = Value<'a>> {
    (1..).map(|place| Number(place * 10_000))
}

pub(crate) fn table<'a>(
    name: &'static str,
    columns: &'static str,
    count: usize,
    rows: impl Iterator<Item = Vec<Value<'a>>> + 'a,
) -> Table<'a> {
    Table { name, columns, count, rows: Box::new(rows) }
}
