//! `/changelog/…`

use crate::answer::{EntryStatusCode, EntryTypeCode, Timestamp, as_uuids};
use crate::endpoint::Refusal::{self, NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, any_of, boolean, bounded, by_id, given, is_one_of, one_of, slug, string,
    timestamp, uuid, web_url,
};
use crate::page::Paging;
use hearback_app::changelog::{self, LinkToEntry, ListEntries, UpdateEntry};
use hearback_app::{Missing, Precondition, crud};
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryDetails, EntryDraft, EntryFilter, EntryPatch, EntrySort, EntryStatus,
    EntryType, Launch, NoScheduledTime, Publish,
};
use hearback_domain::id::{ChangelogEntryId, LabelId, PostId};
use hearback_domain::record::Kind;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByOptionalTime;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/changelog/retrieve",
        "Retrieve an entry of the changelog",
        handler!(object<EntryView>: by_id::<ChangelogEntryId> => changelog::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::ChangelogEntry))]),
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
    write(
        "/changelog/update",
        "Change an entry of the changelog",
        handler!(success: patch => changelog::update),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::ChangelogEntry)),
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::Changed),
        Refused(Precondition::NotPublished),
        Refused(Precondition::UnknownOf("label_ids")),
        Refused(Precondition::SlugTaken),
        Refused(Precondition::ExternalIdTaken),
    ]),
    write(
        "/changelog/publish",
        "Publish or schedule an entry of the changelog",
        handler!(success: publish => changelog::publish),
    )
    .refusing(&[
        NotFound(Missing::Record(Kind::ChangelogEntry)),
        Refused(Precondition::AlreadyPublished),
    ]),
    write(
        "/changelog/unpublish",
        "Make a draft of a published or scheduled entry",
        handler!(success: id => changelog::unpublish),
    )
    .refusing(&[NotFound(Missing::Record(Kind::ChangelogEntry))]),
    write(
        "/changelog/delete",
        "Delete an entry of the changelog",
        handler!(success: id => crud::delete::<ChangelogEntry>),
    )
    .refusing(&[NotFound(Missing::Record(Kind::ChangelogEntry))]),
    write(
        "/changelog/link-posts",
        "Link feedback posts to an entry of the changelog",
        handler!(success: link => changelog::link),
    )
    .refusing(LINKS),
    write(
        "/changelog/unlink-posts",
        "Unlink feedback posts from an entry of the changelog",
        handler!(success: unlink => changelog::link),
    )
    .refusing(LINKS),
];

const LINKS: &[Refusal] = &[
    NotFound(Missing::Record(Kind::ChangelogEntry)),
    Refused(Precondition::UnknownOf("post_ids")),
];

fn id(fields: &mut Fields<'_>) -> Result<ChangelogEntryId, Noted> {
    fields.id("entry_id")
}

/// The filter of a list, its order, and the number of first records to leave out.
type Listed = (EntryFilter, EntrySort, u64);

fn filtered(fields: &mut Fields<'_>) -> Result<(Listed, Paging<ByOptionalTime>), Noted> {
    let entry_type = fields.optional("type", one_of);
    let label_ids = fields.ids("label_ids");
    let sort = fields.optional("sort", one_of).map(|sort| sort.unwrap_or(EntrySort::Newest));
    let limit = fields.limit();
    let skip = fields.skip();
    let filter = entry_type.and_then(|entry_type| {
        Ok(EntryFilter { entry_type, label_ids: label_ids?, ..EntryFilter::default() })
    });
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
    let external_id = fields.optional("external_id", bounded);
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
        external_id: external_id?,
    })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateEntry, Noted> {
    let id = id(fields);
    let title = fields.optional("title", bounded);
    let content = fields.optional("details", string);
    let entry_type = fields.clearable("type", one_of);
    let label_ids = fields.some_ids("label_ids");
    let featured_image_url = fields.clearable("featured_image_url", web_url);
    let show_on_portal = fields.optional("show_on_portal", boolean);
    let slug = fields.optional("slug", slug);
    let author_id = fields.clearable("author_id", uuid);
    let notify = fields.optional("notify", boolean);
    let published_at = fields.past("published_at");
    let external_id = fields.clearable("external_id", bounded);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    let patch = EntryPatch {
        title: title?,
        content: content?,
        slug: slug?,
        entry_type: entry_type?,
        label_ids: label_ids?,
        featured_image_url: featured_image_url?,
        show_on_portal: show_on_portal?,
        author_id: author_id?.map(Into::into),
        notify: notify?,
        published_at: published_at?,
        external_id: external_id?,
    };
    cleared?;
    Ok(UpdateEntry { id: id?, patch, expected_updated_at: expected_updated_at? })
}

fn publish(fields: &mut Fields<'_>) -> Result<(ChangelogEntryId, Publish), Noted> {
    let id = id(fields);
    let scheduled_for = fields.optional("scheduled_for", timestamp);
    let notify = fields.optional("notify", boolean);
    let notify_voters = fields.optional("notify_voters", boolean);
    let publish = Publish {
        scheduled_for: scheduled_for?,
        notify: notify?.unwrap_or(true),
        notify_voters: notify_voters?.unwrap_or(false),
    };
    Ok((id?, publish))
}

fn link(fields: &mut Fields<'_>) -> Result<LinkToEntry, Noted> {
    let entry = id(fields);
    let posts = fields.required_ids("post_ids");
    Ok(LinkToEntry { entry: entry?, posts: posts?, linked: true })
}

fn unlink(fields: &mut Fields<'_>) -> Result<LinkToEntry, Noted> {
    link(fields).map(|links| LinkToEntry { linked: false, ..links })
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
    #[serde(serialize_with = "as_uuids")]
    #[schema(value_type = Vec<Uuid>)]
    post_ids: &'a [PostId],
    notify: bool,
    notify_voters: bool,
    external_id: Option<&'a str>,
}

impl<'a> From<&'a EntryDetails> for EntryView<'a> {
    fn from(EntryDetails { entry, post_ids }: &'a EntryDetails) -> Self {
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
            post_ids,
            notify: entry.notify,
            notify_voters: entry.notify_voters,
            external_id: entry.external_id.as_deref(),
        }
    }
}
