//! `/changelog/…`

use crate::answer::{EntryStatusCode, EntryTypeCode, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, any_of, boolean, bounded, given, is_one_of, one_of, string, timestamp, uuid,
    web_url,
};
use crate::page::Paging;
use hearback_app::changelog::{self, ListEntries};
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryDraft, EntryFilter, EntrySort, EntryStatus, EntryType, Launch,
    NoScheduledTime,
};
use hearback_domain::id::LabelId;
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByOptionalTime;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/changelog/list",
        "List the entries of the changelog",
        handler!(page<EntryView>: filtered => |ports, caller, (filter, sort, skip), page| {
            changelog::list(ports, caller, ListEntries { filter, sort, skip, page })
        }),
    )
    .refusing(&[Refused(Precondition::UnknownOf("label_ids"))]),
    write(
        "/changelog/create",
        "Create an entry of the changelog: a draft, scheduled, or published",
        handler!(created: draft => crud::create),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::UnknownOf("label_ids")),
    ]),
];

/// The filter of a list, its order, and the number of first records to leave out.
type Listed = (EntryFilter, EntrySort, u64);

fn filtered(fields: &mut Fields<'_>) -> Result<(Listed, Paging<ByOptionalTime>), Noted> {
    let entry_type = fields.optional("type", one_of);
    let label_ids = fields.ids("label_ids");
    let sort = fields.optional("sort", one_of).map(|sort| sort.unwrap_or(EntrySort::Newest));
    let limit = fields.limit();
    let skip = fields.skip();
    let filter =
        entry_type.and_then(|entry_type| Ok(EntryFilter { entry_type, label_ids: label_ids? }));
    let list = sort.and_then(|sort| {
        let filter = filter.as_ref().map_err(|noted| *noted)?;
        let list = fields.list(sort.code());
        Ok(list.filter(filter.entry_type.map(EntryType::code)).filter_by_any(&filter.label_ids))
    });
    let paging = fields.paging_by(limit, list)?;
    Ok(((filter?, sort?, skip?), paging))
}

fn draft(fields: &mut Fields<'_>) -> Result<EntryDraft, Noted> {
    let title = fields.required("title", bounded);
    let content = fields.optional("details", string);
    let entry_type = fields.optional("type", one_of);
    let label_ids = fields.ids("label_ids");
    let launch = launch(fields);
    let notify = fields.optional("notify", boolean);
    let author_id = fields.optional("author_id", uuid);
    let featured_image_url = fields.optional("featured_image_url", web_url);
    let show_on_portal = fields.optional("show_on_portal", boolean);
    Ok(EntryDraft {
        title: title?,
        content: content?.unwrap_or_default(),
        entry_type: entry_type?,
        label_ids: label_ids?,
        launch: launch?,
        notify: notify?.unwrap_or(true),
        author_id: author_id?.map(Into::into),
        featured_image_url: featured_image_url?,
        show_on_portal: show_on_portal?.unwrap_or(true),
    })
}

/// `status_code`, `published` and `scheduled_for`, which together decide the launch of the entry.
fn launch(fields: &mut Fields<'_>) -> Result<Launch, Noted> {
    fields.rule(|| {
        let others = EntryStatus::ALL.iter().filter(|status| **status != EntryStatus::Scheduled);
        let others = others.map(|status| status.code().into()).chain([Value::Null]);
        let is_published = is_one_of("published", [true.into()]).required("published").build();
        any_of([is_one_of("status_code", others).build(), is_published, given("scheduled_for")])
    });
    let status = fields.optional("status_code", one_of);
    let published = fields.optional("published", boolean);
    let scheduled_for = fields.optional("scheduled_for", timestamp);
    Launch::new(published?.unwrap_or(false), status?, scheduled_for?)
        .map_err(|NoScheduledTime| fields.fault("scheduled_for", Wrong::Missing))
}

#[derive(Serialize, ToSchema)]
#[schema(as = ChangelogEntry)]
pub(crate) struct EntryView<'a> {
    id: Uuid,
    title: &'a str,
    content: &'a str,
    slug: &'a str,
    #[schema(inline)]
    status_code: EntryStatusCode,
    show_on_portal: bool,
    featured_image_url: Option<&'a str>,
    author_id: Option<Uuid>,
    scheduled_at: Option<Timestamp>,
    published_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
    #[serde(rename = "type")]
    #[schema(inline)]
    entry_type: Option<EntryTypeCode>,
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    label_ids: &'a [LabelId],
}

impl<'a> From<&'a ChangelogEntry> for EntryView<'a> {
    fn from(entry: &'a ChangelogEntry) -> Self {
        Self {
            id: entry.id.0,
            title: &entry.title,
            content: &entry.content,
            slug: entry.slug.as_str(),
            status_code: entry.status.into(),
            show_on_portal: entry.show_on_portal,
            featured_image_url: entry.featured_image_url.as_deref(),
            author_id: entry.author_id.map(Uuid::from),
            scheduled_at: entry.scheduled_at.map(Timestamp::from),
            published_at: entry.published_at.map(Timestamp::from),
            created_at: entry.created_at.into(),
            updated_at: entry.updated_at.into(),
            entry_type: entry.entry_type.map(EntryTypeCode::from),
            label_ids: &entry.label_ids,
        }
    }
}
