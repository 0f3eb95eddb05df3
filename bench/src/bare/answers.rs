//! The answers of the bare server, in the words of the contract, from rows whose columns have the
//! same order in both stores.

use hearback_domain::Time;
use hearback_domain::position::Position;
use hearback_domain::spend::Spend;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use uuid::Uuid;

/// A row of either store, by the numbers of its columns.
pub(super) trait Cells {
    fn id(&self, column: usize) -> Uuid;
    fn maybe_id(&self, column: usize) -> Option<Uuid>;
    fn ids(&self, column: usize) -> Vec<Uuid>;
    fn text(&self, column: usize) -> &str;
    fn maybe_text(&self, column: usize) -> Option<&str>;
    fn flag(&self, column: usize) -> bool;
    fn number(&self, column: usize) -> i64;
    fn moment(&self, column: usize) -> Moment;
    fn maybe_moment(&self, column: usize) -> Option<Moment>;
}

/// Milliseconds since the Unix epoch, shown as `2026-03-01T09:30:00.000Z`.
#[derive(Clone, Copy)]
pub(super) struct Moment(pub(super) i64);

impl Moment {
    fn time(self) -> Time {
        Time::from_unix_millis(self.0).unwrap_or(Time::MIN)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.time())
    }
}

/// The attributes of a record, as stored.
fn attributes(stored: &str) -> &RawValue {
    serde_json::from_str(stored).unwrap_or(RawValue::NULL)
}

/// The same time without its last five characters.
struct PlainMoment(Moment);

impl Serialize for PlainMoment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = self.0.time().to_string();
        serializer.serialize_str(shown.get(..19).unwrap_or_default())
    }
}

/// An array of objects.
pub(super) struct Array(Vec<u8>);

impl Array {
    pub(super) fn new() -> Self {
        Self(b"[".to_vec())
    }

    /// The beginning of a page.
    pub(super) fn of_page() -> Self {
        Self(br#"{"items":["#.to_vec())
    }

    pub(super) fn push(&mut self, object: &impl Serialize) -> serde_json::Result<()> {
        if self.0.last() != Some(&b'[') {
            self.0.push(b',');
        }
        serde_json::to_writer(&mut self.0, object)
    }

    pub(super) fn end(mut self) -> Vec<u8> {
        self.0.push(b']');
        self.0
    }

    /// The end of a page, with the cursor of the next one if there is one. The cursor is not
    /// sealed, as Hearback's is.
    pub(super) fn end_of_page(mut self, behind: Option<(Moment, Uuid)>) -> Vec<u8> {
        let end = match behind {
            Some((Moment(at), id)) => format!(r#"],"has_next_page":true,"cursor":"{at}.{id}"}}"#),
            None => r#"],"has_next_page":false,"cursor":null}"#.to_owned(),
        };
        self.0.extend_from_slice(end.as_bytes());
        self.0
    }
}

/// The number of records on a page.
pub(super) const PAGE: usize = 25;

#[derive(Serialize)]
pub(super) struct Post<'a> {
    id: Uuid,
    title: &'a str,
    description: &'a str,
    slug: &'a str,
    board_id: Uuid,
    author_id: Uuid,
    owner_id: Option<Uuid>,
    status_id: Uuid,
    category_id: Option<Uuid>,
    eta: Option<Moment>,
    moderation_status_code: &'a str,
    created_at: Moment,
    updated_at: Moment,
    tag_ids: Vec<Uuid>,
    vote_count: i64,
    comment_count: i64,
    monthly_spend: String,
    merged_into_id: Option<Uuid>,
    external_id: Option<&'a str>,
    eta_is_public: bool,
    is_pinned: bool,
    created_by_id: Option<Uuid>,
    status_changed_at: Moment,
    attributes: &'a RawValue,
    roadmap_post_ids: Vec<Uuid>,
}

impl<'a> Post<'a> {
    /// The columns of the post. The three counts and the lists of tags and of roadmap posts follow.
    pub(super) const COLUMNS: &'static str = "\
        p.id, p.title, p.description, p.slug, p.board_id, p.author_id, p.owner_id, p.status_id, p.category_id, p.eta, \
        p.moderation_status_code, p.created_at, p.updated_at, p.merged_into_id, p.external_id, p.eta_is_public, p.is_pinned, \
        p.created_by_id, p.status_changed_at";
    pub(super) const CREATED_AT: usize = 11;
    pub(super) const VOTES: usize = 20;

    pub(super) fn new(row: &'a impl Cells) -> Self {
        Self {
            id: row.id(0),
            title: row.text(1),
            description: row.text(2),
            slug: row.text(3),
            board_id: row.id(4),
            author_id: row.id(5),
            owner_id: row.maybe_id(6),
            status_id: row.id(7),
            category_id: row.maybe_id(8),
            eta: row.maybe_moment(9),
            moderation_status_code: row.text(10),
            created_at: row.moment(11),
            updated_at: row.moment(12),
            tag_ids: row.ids(23),
            vote_count: row.number(20),
            comment_count: row.number(21),
            monthly_spend: Spend::from_hundredths(row.number(22)).unwrap_or_default().to_string(),
            merged_into_id: row.maybe_id(13),
            external_id: row.maybe_text(14),
            eta_is_public: row.flag(15),
            is_pinned: row.flag(16),
            created_by_id: row.maybe_id(17),
            status_changed_at: row.moment(18),
            attributes: attributes(row.text(19)),
            roadmap_post_ids: row.ids(24),
        }
    }
}

#[derive(Serialize)]
pub(super) struct User<'a> {
    id: Uuid,
    user_id: Uuid,
    email: &'a str,
    name: &'a str,
    avatar_url: &'a str,
    portal_role: &'a str,
    company_name: &'a str,
    customer_status: &'a str,
    created_at: Moment,
    is_subscribed: bool,
    external_id: Option<&'a str>,
    company_id: Option<Uuid>,
    locale: &'a str,
    attributes: &'a RawValue,
    is_blocked: bool,
    is_trusted: bool,
    updated_at: Moment,
}

impl<'a> User<'a> {
    /// The columns of the user. The attributes follow.
    pub(super) const COLUMNS: &'static str = "\
        u.id, u.user_id, u.email, u.name, u.avatar_url, u.portal_role, u.company_name, u.customer_status, u.created_at, \
        u.is_subscribed, u.external_id, u.company_id, u.locale, u.is_blocked, u.is_trusted, u.updated_at";

    pub(super) fn new(row: &'a impl Cells) -> Self {
        Self {
            id: row.id(0),
            user_id: row.id(1),
            email: row.maybe_text(2).unwrap_or_default(),
            name: row.text(3),
            avatar_url: row.text(4),
            portal_role: row.text(5),
            company_name: row.text(6),
            customer_status: row.text(7),
            created_at: row.moment(8),
            is_subscribed: row.flag(9),
            external_id: row.maybe_text(10),
            company_id: row.maybe_id(11),
            locale: row.text(12),
            attributes: attributes(row.text(16)),
            is_blocked: row.flag(13),
            is_trusted: row.flag(14),
            updated_at: row.moment(15),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Comment<'a> {
    id: Uuid,
    content: &'a str,
    author_id: Uuid,
    parent_comment_id: Option<Uuid>,
    feedback_post_id: Uuid,
    visibility_code: &'a str,
    moderation_status_code: &'a str,
    created_at: Moment,
    updated_at: Moment,
    external_id: Option<&'a str>,
    is_pinned: bool,
}

impl<'a> Comment<'a> {
    pub(super) const COLUMNS: &'static str = "\
        c.id, c.content, c.author_id, c.parent_comment_id, c.feedback_post_id, c.visibility_code, c.moderation_status_code, \
        c.created_at, c.updated_at, c.external_id, c.is_pinned";

    pub(super) fn new(row: &'a impl Cells) -> Self {
        Self {
            id: row.id(0),
            content: row.text(1),
            author_id: row.id(2),
            parent_comment_id: row.maybe_id(3),
            feedback_post_id: row.id(4),
            visibility_code: row.text(5),
            moderation_status_code: row.text(6),
            created_at: row.moment(7),
            updated_at: row.moment(8),
            external_id: row.maybe_text(9),
            is_pinned: row.flag(10),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Status<'a> {
    id: Uuid,
    name: &'a str,
    code: &'a str,
    color: &'a str,
    status_group_code: &'a str,
    is_default_status: bool,
    show_on_feedback: bool,
    show_on_roadmap: bool,
    created_at: Moment,
    external_id: Option<&'a str>,
}

impl<'a> Status<'a> {
    pub(super) const COLUMNS: &'static str = "\
        s.id, s.name, s.code, s.color, s.status_group_code, s.is_default_status, s.show_on_feedback, s.show_on_roadmap, \
        s.created_at, s.external_id";
    /// The position in the workflow.
    pub(super) const ORDER: &'static str = "\
        CASE s.status_group_code WHEN 'open' THEN 1 WHEN 'in-progress' THEN 2 WHEN 'completed' THEN 3 ELSE 4 END, \
        s.seq_number, s.id";

    pub(super) fn new(row: &'a impl Cells) -> Self {
        Self {
            id: row.id(0),
            name: row.text(1),
            code: row.text(2),
            color: row.text(3),
            status_group_code: row.text(4),
            is_default_status: row.flag(5),
            show_on_feedback: row.flag(6),
            show_on_roadmap: row.flag(7),
            created_at: row.moment(8),
            external_id: row.maybe_text(9),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Entry<'a> {
    id: Uuid,
    title: &'a str,
    content: &'a str,
    slug: &'a str,
    status_code: &'a str,
    show_on_portal: bool,
    featured_image_url: Option<&'a str>,
    author_id: Option<Uuid>,
    scheduled_at: Option<Moment>,
    published_at: Option<Moment>,
    created_at: Moment,
    updated_at: Moment,
    #[serde(rename = "type")]
    entry_type: Option<&'a str>,
    label_ids: Vec<Uuid>,
    post_ids: Vec<Uuid>,
    notify: bool,
    notify_voters: bool,
    external_id: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// The columns of the entry. The lists of labels and of posts follow.
    pub(super) const COLUMNS: &'static str = "\
        e.id, e.title, e.content, e.slug, e.status_code, e.show_on_portal, e.featured_image_url, e.author_id, e.scheduled_at, \
        e.published_at, e.created_at, e.updated_at, e.entry_type, e.notify, e.notify_voters, e.external_id";
    pub(super) const CREATED_AT: usize = 10;

    pub(super) fn new(row: &'a impl Cells) -> Self {
        Self {
            id: row.id(0),
            title: row.text(1),
            content: row.text(2),
            slug: row.text(3),
            status_code: row.text(4),
            show_on_portal: row.flag(5),
            featured_image_url: row.maybe_text(6),
            author_id: row.maybe_id(7),
            scheduled_at: row.maybe_moment(8),
            published_at: row.maybe_moment(9),
            created_at: row.moment(10),
            updated_at: row.moment(11),
            entry_type: row.maybe_text(12),
            label_ids: row.ids(16),
            post_ids: row.ids(17),
            notify: row.flag(13),
            notify_voters: row.flag(14),
            external_id: row.maybe_text(15),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Category<'a> {
    id: Uuid,
    collection_id: Uuid,
    name: &'a str,
    slug: &'a str,
    description: Option<&'a str>,
    icon: Option<&'a str>,
    color: Option<&'a str>,
    seq_number: String,
    article_count: i64,
    created_at: PlainMoment,
    updated_at: PlainMoment,
    external_id: Option<&'a str>,
}

impl<'a> Category<'a> {
    pub(super) const COLUMNS: &'static str = "\
        g.id, g.collection_id, g.name, g.slug, g.description, g.icon, g.color, g.seq_number, g.created_at, g.updated_at, \
        coalesce((SELECT number FROM record_counts r WHERE r.organization_id = g.organization_id \
         AND r.counted = 'articles' AND r.parent_id = g.id), 0), g.external_id";
    pub(super) const POSITION: usize = 7;

    pub(super) fn new(row: &'a impl Cells) -> Self {
        Self {
            id: row.id(0),
            collection_id: row.id(1),
            name: row.text(2),
            slug: row.text(3),
            description: row.maybe_text(4),
            icon: row.maybe_text(5),
            color: row.maybe_text(6),
            seq_number: Position::from_ten_thousandths(row.number(7)).to_string(),
            article_count: row.number(10),
            created_at: PlainMoment(row.moment(8)),
            updated_at: PlainMoment(row.moment(9)),
            external_id: row.maybe_text(11),
        }
    }
}
