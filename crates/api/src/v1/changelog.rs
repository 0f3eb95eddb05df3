//! `/changelog/…`

use crate::answer::{EntryStatusCode, EntryTypeCode, Timestamp, as_uuids};
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, any_of, boolean, bounded, given, is_one_of, one_of, string, timestamp, uuid,
    web_url,
};
use crate::page::Walk;
use hearback_app::changelog::{self, ListEntries};
use hearback_app::{Missing, Precondition};
use hearback_domain::changelog_entry::{
    ChangelogEntry, EntryDraft, EntryFilter, EntrySort, EntryStatus, EntryType, Launch,
    NoScheduledTime,
};
use hearback_domain::id::LabelId;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::ByOptionalTime;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/changelog/list",
        "List the entries of the changelog",
        handler!(page<EntryView>: filtered => |ports, organization, (filter, sort, skip), page| {
            changelog::list(ports, organization, ListEntries { filter, sort, skip, page })
        }),
    )
    .refusing(&[Refused(Precondition::UnknownLabel)]),
    write(
        "/changelog/create",
        "Create an entry of the changelog: a draft, scheduled, or published",
        handler!(created: draft => changelog::create),
    )
    .refusing(&[NotFound(Missing::User), Refused(Precondition::UnknownLabel)]),
];

/// The entries that a list shows, their order, and how many of the first it leaves out.
type Listed = (EntryFilter, EntrySort, u64);

fn filtered(fields: &mut Fields<'_>) -> Result<(Listed, Walk<ByOptionalTime>), Noted> {
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
    let walk = fields.walk_by(limit, list)?;
    Ok(((filter?, sort?, skip?), walk))
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

/// `status_code`, `published` and `scheduled_for`, which together decide what the entry is to be.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FRESH, ORGANIZATION, Reply, call, id, mocks, time};
    use hearback_domain::changelog_entry::{
        EntryCase, EntryFilter, EntrySort, EntryStatus, EntryType,
    };
    use hearback_domain::slug::Slug;
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::ByOptionalTime;
    use hearback_ports::{Limit, Page, PageRequest, Recorded};
    use serde_json::{Value, json};

    const DARK_MODE: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-000000000001","title":"Dark mode","content":"Finally","slug":"dark-mode","#,
        r#""status_code":"published","show_on_portal":true,"featured_image_url":"https://example.com/dark.png","#,
        r#""author_id":"00000000-0000-0000-0000-000000000002","scheduled_at":"2026-03-01T09:00:00.000Z","#,
        r#""published_at":"2026-03-01T09:00:01.500Z","created_at":"2026-02-01T09:30:00.000Z","#,
        r#""updated_at":"2026-03-01T09:00:01.500Z","type":"new","#,
        r#""label_ids":["00000000-0000-0000-0000-000000000009","00000000-0000-0000-0000-000000000008"]}"#
    );
    const BARE: &str = concat!(
        r#"{"id":"00000000-0000-0000-0000-00000000000a","title":"Bare","content":"","slug":"dark-mode","#,
        r#""status_code":"draft","show_on_portal":false,"featured_image_url":null,"author_id":null,"scheduled_at":null,"#,
        r#""published_at":null,"created_at":"2026-02-01T09:30:00.000Z","updated_at":"2026-03-01T09:00:01.500Z","#,
        r#""type":null,"label_ids":[]}"#
    );

    fn dark_mode() -> ChangelogEntry {
        ChangelogEntry {
            id: id(1),
            title: "Dark mode".to_owned(),
            content: "Finally".to_owned(),
            slug: Slug::parse("dark-mode").unwrap(),
            status: EntryStatus::Published,
            show_on_portal: true,
            featured_image_url: Some("https://example.com/dark.png".to_owned()),
            author_id: Some(id(2)),
            scheduled_at: Some(time("2026-03-01T09:00:00Z")),
            published_at: Some(time("2026-03-01T09:00:01.5Z")),
            entry_type: Some(EntryType::New),
            label_ids: vec![id(9), id(8)],
            notify: true,
            is_active: true,
            created_at: time("2026-02-01T09:30:00Z"),
            updated_at: time("2026-03-01T09:00:01.5Z"),
        }
    }

    fn bare() -> ChangelogEntry {
        ChangelogEntry {
            id: id(10),
            title: "Bare".to_owned(),
            content: String::new(),
            status: EntryStatus::Draft,
            show_on_portal: false,
            featured_image_url: None,
            author_id: None,
            scheduled_at: None,
            published_at: None,
            entry_type: None,
            label_ids: vec![],
            ..dark_mode()
        }
    }

    fn paging(
        filter: EntryFilter,
        sort: EntrySort,
        skip: u64,
        page: PageRequest<ByOptionalTime>,
        next: Option<ByOptionalTime>,
    ) -> Mocks {
        let mut mocks = mocks();
        let labels = filter.label_ids.clone();
        mocks
            .labels
            .expect_are_known()
            .withf(move |of, asked| (*of, asked) == (ORGANIZATION, &labels))
            .returning(|_, _| Ok(true));
        mocks
            .changelog_entries
            .expect_page()
            .once()
            .withf(move |of, by, order, left_out, asked| {
                (*of, by, *order, *left_out, asked) == (ORGANIZATION, &filter, sort, skip, &page)
            })
            .returning(move |_, _, _, _, _| Ok(Page { items: vec![dark_mode(), bare()], next }));
        mocks
    }

    #[actix_web::test]
    async fn without_filters_the_newest_25_entries_come_first() {
        let nulls = json!({"type": null, "label_ids": null, "sort": null, "cursor": null});
        for body in [json!({}), json!({"label_ids": [], "skip": 0}), nulls] {
            let first = PageRequest { after: None, limit: Limit::DEFAULT };
            let mocks = paging(EntryFilter::default(), EntrySort::Newest, 0, first, None);
            let reply = call(mocks, "/changelog/list", body).await;
            let expected =
                format!(r#"{{"items":[{DARK_MODE},{BARE}],"has_next_page":false,"cursor":null}}"#);
            assert_eq!(reply.shown(), (200, &*expected));
        }
    }

    #[actix_web::test]
    async fn a_walk_may_skip_at_its_beginning_and_goes_on_with_the_same_filters_and_sort() {
        let filter =
            || EntryFilter { entry_type: Some(EntryType::New), label_ids: vec![id(9), id(8)] };
        let first = PageRequest { after: None, limit: Limit::new(2).unwrap() };
        let end = ByOptionalTime { at: None, id: id(10) };
        let labels = [9, 8, 9].map(Uuid::from_u128);
        let body =
            json!({"type": "new", "label_ids": labels, "sort": "published", "limit": 2, "skip": 3});
        let reply = call(
            paging(filter(), EntrySort::Published, 3, first, Some(end)),
            "/changelog/list",
            body.clone(),
        )
        .await;
        let page: Value = serde_json::from_str(&reply.body).unwrap();
        let cursor = page["cursor"].as_str().unwrap();
        assert_eq!((reply.status, &page["has_next_page"]), (200, &json!(true)));

        let mut onward = body;
        onward["cursor"] = json!(cursor);
        onward["skip"] = json!(0);
        let second = PageRequest { after: Some(end), limit: Limit::new(2).unwrap() };
        let mocks_of = |filter| paging(filter, EntrySort::Published, 0, second.clone(), None);
        assert_eq!(call(mocks_of(filter()), "/changelog/list", onward.clone()).await.status, 200);
        let mut reordered = onward.clone();
        reordered["label_ids"] = json!([8, 9].map(Uuid::from_u128));
        let filter = EntryFilter { label_ids: vec![id(8), id(9)], ..filter() };
        assert_eq!(call(mocks_of(filter), "/changelog/list", reordered).await.status, 200);

        for (field, other) in
            [("type", json!("fixed")), ("label_ids", json!([])), ("sort", json!("oldest"))]
        {
            let mut body = onward.clone();
            body[field] = other;
            let reply = call(mocks(), "/changelog/list", body).await;
            let fault = r#"{"type":"value_error","loc":["body","cursor"],"msg":"Value error, not a cursor of this list","input":"#;
            assert_eq!(
                reply.shown(),
                (422, &*format!(r#"{{"detail":[{fault}"{cursor}"}}]}}"#)),
                "{field}"
            );
        }
    }

    #[actix_web::test]
    async fn entries_are_not_listed_by_a_label_that_the_organization_does_not_have() {
        let mut mocks = mocks();
        mocks.labels.expect_are_known().returning(|_, _| Ok(false));
        let reply = call(mocks, "/changelog/list", json!({"label_ids": [Uuid::nil()]})).await;
        let expected =
            r#"{"detail":{"error":"one or more label_ids do not belong to this organization"}}"#;
        assert_eq!(reply.shown(), (400, expected));
    }

    #[actix_web::test]
    async fn every_fault_of_a_list_is_told_at_once() {
        let body = json!({"cursor": "x", "skip": 1, "limit": 0, "sort": "top", "label_ids": [Uuid::nil(), 7, 8], "type": "New"});
        assert_eq!(
            call(mocks(), "/changelog/list", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"literal_error","loc":["body","type"],"#,
                    r#""msg":"Input should be 'fixed', 'new' or 'improvement'","input":"New"},"#,
                    r#"{"type":"uuid_type","loc":["body","label_ids",1],"msg":"UUID input should be a string","input":7},"#,
                    r#"{"type":"literal_error","loc":["body","sort"],"#,
                    r#""msg":"Input should be 'newest', 'oldest' or 'published'","input":"top"},"#,
                    r#"{"type":"greater_than_equal","loc":["body","limit"],"#,
                    r#""msg":"Input should be greater than or equal to 1","input":0},"#,
                    r#"{"type":"value_error","loc":["body","skip"],"#,
                    r#""msg":"Value error, skip and cursor exclude each other","input":1},"#,
                    r#"{"type":"value_error","loc":["body","cursor"],"#,
                    r#""msg":"Value error, not a cursor of this list","input":"x"}]}"#
                )
            )
        );
    }

    /// Creates an entry; what is made must be as `expected` says.
    async fn creating(
        body: Value,
        expected: impl FnOnce(ChangelogEntry) -> ChangelogEntry,
    ) -> Reply {
        let made = ChangelogEntry {
            id: Uuid::parse_str(FRESH).unwrap().into(),
            title: "Dark mode".to_owned(),
            slug: Slug::parse("dark-mode").unwrap(),
            show_on_portal: true,
            created_at: time("2026-03-01T09:30:00Z"),
            updated_at: time("2026-03-01T09:30:00Z"),
            ..bare()
        };
        let expected = expected(made);
        let mut mocks = mocks();
        let case = EntryCase { author_linked: true, labels_known: true };
        mocks.changelog_entries.expect_entry_case().returning(move |_, _, _| Ok(case));
        mocks
            .changelog_entries
            .expect_insert()
            .once()
            .withf(move |of, entry, receipt| {
                (*of, entry, receipt) == (ORGANIZATION, &expected, &None)
            })
            .returning(|_, _, _| Ok(Recorded::Done));
        call(mocks, "/changelog/create", body).await
    }

    #[actix_web::test]
    async fn a_title_is_enough_for_a_draft() {
        let nulls = json!({
            "title": "Dark mode", "details": null, "type": null, "label_ids": null, "status_code": null, "published": null,
            "scheduled_for": null, "notify": null, "author_id": null, "featured_image_url": null, "show_on_portal": null,
        });
        for body in [json!({"title": "Dark mode"}), nulls] {
            let reply = creating(body, |draft| draft).await;
            assert_eq!(reply.shown(), (200, r#"{"id":"00000000-0000-0000-0000-000000000f0f"}"#));
        }
    }

    #[actix_web::test]
    async fn an_entry_is_made_of_all_its_fields() {
        let body = json!({
            "title": "Dark mode",
            "details": "Finally",
            "type": "new",
            "label_ids": ([9, 8, 9].map(Uuid::from_u128)),
            "status_code": "scheduled",
            "published": false,
            "scheduled_for": "2026-06-01T12:00:00+02:00",
            "notify": false,
            "author_id": Uuid::from_u128(2),
            "featured_image_url": "https://example.com/dark.png",
            "show_on_portal": false,
        });
        let reply = creating(body, |draft| ChangelogEntry {
            content: "Finally".to_owned(),
            entry_type: Some(EntryType::New),
            label_ids: vec![id(9), id(8)],
            status: EntryStatus::Scheduled,
            scheduled_at: Some(time("2026-06-01T10:00:00Z")),
            notify: false,
            author_id: Some(id(2)),
            featured_image_url: Some("https://example.com/dark.png".to_owned()),
            show_on_portal: false,
            ..draft
        });
        assert_eq!(reply.await.status, 200);
    }

    #[actix_web::test]
    async fn the_flag_publishes_whatever_the_status_is() {
        for status in [json!(null), json!("draft"), json!("scheduled"), json!("published")] {
            let body = json!({"title": "Dark mode", "status_code": status, "published": true});
            let reply = creating(body, |draft| ChangelogEntry {
                status: EntryStatus::Published,
                published_at: Some(time("2026-03-01T09:30:00Z")),
                ..draft
            });
            assert_eq!(reply.await.status, 200);
        }
    }

    #[actix_web::test]
    async fn scheduling_without_a_time_is_a_missing_time_in_its_place() {
        let body = json!({"notify": 1, "status_code": "scheduled", "scheduled_for": null, "title": "", "published": false});
        assert_eq!(
            call(mocks(), "/changelog/create", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"string_too_short","loc":["body","title"],"#,
                    r#""msg":"String should have at least 1 character","input":""},"#,
                    r#"{"type":"missing","loc":["body","scheduled_for"],"msg":"Field required","input":null},"#,
                    r#"{"type":"bool_type","loc":["body","notify"],"msg":"Input should be a valid boolean","input":1}]}"#
                )
            )
        );
    }

    #[actix_web::test]
    async fn every_fault_of_a_new_entry_is_told_at_once_also_where_its_value_would_be_ignored() {
        let body = json!({
            "show_on_portal": "true", "featured_image_url": "ftp://x", "author_id": "x", "notify": "no", "scheduled_for": 5,
            "published": 1, "status_code": "draft", "label_ids": "x", "type": "blog", "details": 7,
        });
        assert_eq!(
            call(mocks(), "/changelog/create", body).await.shown(),
            (
                422,
                concat!(
                    r#"{"detail":[{"type":"missing","loc":["body","title"],"msg":"Field required","input":null},"#,
                    r#"{"type":"string_type","loc":["body","details"],"msg":"Input should be a valid string","input":7},"#,
                    r#"{"type":"literal_error","loc":["body","type"],"#,
                    r#""msg":"Input should be 'fixed', 'new' or 'improvement'","input":"blog"},"#,
                    r#"{"type":"list_type","loc":["body","label_ids"],"msg":"Input should be a valid list","input":"x"},"#,
                    r#"{"type":"bool_type","loc":["body","published"],"msg":"Input should be a valid boolean","input":1},"#,
                    r#"{"type":"datetime_type","loc":["body","scheduled_for"],"#,
                    r#""msg":"Input should be a valid datetime","input":5},"#,
                    r#"{"type":"bool_type","loc":["body","notify"],"msg":"Input should be a valid boolean","input":"no"},"#,
                    r#"{"type":"uuid_parsing","loc":["body","author_id"],"msg":"Input should be a valid UUID","input":"x"},"#,
                    r#"{"type":"value_error","loc":["body","featured_image_url"],"#,
                    r#""msg":"Value error, not an http or https URL","input":"ftp://x"},"#,
                    r#"{"type":"bool_type","loc":["body","show_on_portal"],"#,
                    r#""msg":"Input should be a valid boolean","input":"true"}]}"#
                )
            )
        );
    }

    #[actix_web::test]
    async fn an_author_or_a_label_that_is_not_there_is_refused() {
        let refused = async |author_linked, labels_known| {
            let mut mocks = mocks();
            let case = EntryCase { author_linked, labels_known };
            mocks.changelog_entries.expect_entry_case().returning(move |_, _, _| Ok(case));
            let body =
                json!({"title": "Dark mode", "author_id": Uuid::nil(), "label_ids": [Uuid::nil()]});
            call(mocks, "/changelog/create", body).await
        };
        assert_eq!(
            refused(false, false).await.shown(),
            (404, r#"{"detail":{"error":"user not found"}}"#)
        );
        let expected =
            r#"{"detail":{"error":"one or more label_ids do not belong to this organization"}}"#;
        assert_eq!(refused(true, false).await.shown(), (400, expected));
    }
}
