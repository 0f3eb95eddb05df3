//! `/moderation/…`

use crate::answer::{ModeratedCode, ModerationCode, Timestamp};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, any_of, boolean, is_one_of, one_of, uuid};
use crate::page::Paging;
use hearback_app::moderation::{self, Authors, Decide};
use hearback_app::{Missing, Precondition};
use hearback_domain::event::Moderated;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::moderation::{QueueFilter, QueuedItem};
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByTime;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/moderation/list",
        "List the posts or comments in a state of moderation, oldest first",
        handler!(page<QueuedView>: filtered => moderation::list),
    ),
    write(
        "/moderation/decide",
        "Accept or reject posts and comments",
        handler!(decided: decision => moderation::decide),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::FeedbackPost)),
        NotFound(Missing::Record(Kind::Comment)),
        Refused(Precondition::OwnerKept),
    ]),
];

fn filtered(fields: &mut Fields<'_>) -> Result<(QueueFilter, Paging<ByTime>), Noted> {
    let kind = fields.required("kind", one_of::<Moderated>);
    let moderation = fields.optional("moderation_status_code", one_of::<Moderation>);
    let list = fields.list("oldest");
    let filter = kind.and_then(|kind| {
        Ok(QueueFilter { kind, moderation: moderation?.unwrap_or(Moderation::Pending) })
    });
    let paging = fields.paging(filter.map(|filter| {
        list.filter(Some(filter.kind.code())).filter(Some(filter.moderation.code()))
    }));
    Ok((filter?, paging?))
}

fn decision(fields: &mut Fields<'_>) -> Result<Decide, Noted> {
    let items = fields.objects("items", MOST_ITEMS, item);
    let moderation = fields.required("moderation_status_code", one_of);
    let trusts = fields.optional("trust_author", boolean);
    let blocks = fields.optional("block_author", |value| match boolean(value)? {
        true if matches!(trusts, Ok(Some(true))) => {
            Err(Wrong::Rule("an author is either trusted or blocked"))
        }
        flag => Ok(flag),
    });
    fields.rule(|| {
        let no = || [Value::Null, Value::Bool(false)];
        any_of([is_one_of("trust_author", no()).build(), is_one_of("block_author", no()).build()])
    });
    let authors = match (trusts?, blocks?) {
        (Some(true), _) => Authors::AreTrusted,
        (_, Some(true)) => Authors::AreBlocked,
        _ => Authors::Stay,
    };
    Ok(Decide { items: items?, moderation: moderation?, authors })
}

/// The most items of one request.
const MOST_ITEMS: usize = 100;

fn item(fields: &mut Fields<'_>) -> Result<(Moderated, Uuid), Noted> {
    let kind = fields.required("kind", one_of);
    let id = fields.required("id", uuid);
    Ok((kind?, id?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = QueuedItem)]
pub(crate) struct QueuedView<'a> {
    #[schema(inline)]
    kind: ModeratedCode,
    id: Uuid,
    post_id: Uuid,
    board_id: Uuid,
    author_id: Uuid,
    title: &'a str,
    content: &'a str,
    #[schema(inline)]
    moderation_status_code: ModerationCode,
    created_at: Timestamp,
}

impl<'a> From<&'a QueuedItem> for QueuedView<'a> {
    fn from(item: &'a QueuedItem) -> Self {
        Self {
            kind: item.kind.into(),
            id: item.id,
            post_id: item.post_id.0,
            board_id: item.board_id.0,
            author_id: item.author_id.0,
            title: &item.title,
            content: &item.content,
            moderation_status_code: item.moderation.into(),
            created_at: item.created_at.into(),
        }
    }
}
