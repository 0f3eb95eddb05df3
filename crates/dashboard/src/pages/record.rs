//! The pages of records.

use super::Frame;
use super::list::{Row, row};
use crate::desk::{Desk, items};
use crate::forms::{Control, Given, controls, formatted};
use crate::schema::{FieldKind, action};
use crate::sections::{Section, section};
use crate::values::{moment, name_of, text_of};
use crate::words;
use askama::Template;
use hearback_domain::permission::Permission;
use hearback_web::chrome::Chrome;
use hearback_web::form::{Faults, with_fields};
use hearback_web::{Answer, Fault, Request};
use serde_json::{Value, json};

#[derive(Template)]
#[template(path = "record.html")]
struct RecordPage {
    f: Frame,
    back: (String, String),
    form: Option<Form>,
    /// The values that no form changes, with their words.
    facts: Vec<(String, String)>,
    acts: Vec<(String, String)>,
    lists: Vec<Part>,
}

/// The form of an endpoint.
pub(crate) struct Form {
    pub(crate) action: String,
    pub(crate) submit: String,
    pub(crate) controls: Vec<Control>,
    /// The fields that are sent beside those that are shown.
    pub(crate) hidden: Vec<(String, String)>,
    pub(crate) faults: Faults,
}

impl Form {
    /// Whether the form has a text that can be looked at before it is saved.
    pub(crate) fn has_preview(&self) -> bool {
        let endpoint = self.action.rsplit_once("/dashboard/do").map(|(_, path)| path);
        endpoint.and_then(formatted).is_some()
    }
}

/// A list that belongs to a record.
struct Part {
    title: String,
    href: String,
    heads: Vec<String>,
    rows: Vec<Row>,
}

/// `/dashboard/{section}/{id}`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let section = section(desk.request.part("section")).ok_or(Fault::Gone)?;
    let id = desk.request.part("id").to_owned();
    let record = find(&desk, section, &id).await?;
    let path = format!("/dashboard/{}", section.slug);
    let f = desk.frame(&path, name_of(&record)).await?;
    let c = &f.c;
    let may = desk.may(Permission::Manage(section.kind));
    let mut form = None;
    if let Some((update, key)) = section.update.filter(|_| may)
        && let Some(endpoint) = action(update)
    {
        let typed = &desk.request.query;
        let given = Given { typed, is_sent: false, record: Some(&record), hidden: &[key] };
        let mut hidden = vec![(key.to_owned(), id.clone())];
        if endpoint.field("expected_updated_at").is_some() {
            hidden.push(("expected_updated_at".to_owned(), text_of(&record["updated_at"])));
        }
        hidden.push(("back".to_owned(), c.url(&format!("{path}/{id}"))));
        form = Some(Form {
            action: c.url(&format!("/dashboard/do{update}")),
            submit: c.t("save"),
            controls: controls(&desk, c, endpoint, &given).await?,
            hidden,
            faults: Faults::default(),
        });
    }
    // A comment belongs to its post. Other records belong to their list.
    let back = match record["feedback_post_id"].as_str() {
        Some(post) => (c.url(&format!("/dashboard/posts/{post}")), c.t("field-post-id")),
        None => (c.url(&path), c.t(section.title)),
    };
    let to = if record["feedback_post_id"].is_string() { &*back.0 } else { "" };
    let act = |(path, key): &(&'static str, &'static str)| {
        let address = c.url(&format!("/dashboard/do{path}"));
        (with_fields(&address, &[(key, &id), ("back", to)]), words::act(c, path))
    };
    let acts = section.acts.iter().filter(|(path, _)| may && applies(path, &record));
    let mut acts: Vec<(String, String)> = acts.map(act).collect();
    if section.slug == "help-articles" {
        acts.insert(0, (c.url(&format!("{path}/{id}/versions")), c.t("desk-help-versions")));
    }
    let mut lists = Vec::new();
    for (slug, filter) in section.lists {
        let Some(of) = crate::sections::section(slug) else { continue };
        lists.push(part(&desk, &f, of, filter, &id).await?);
    }
    let shown: Vec<&str> =
        form.iter().flat_map(|form| form.controls.iter().map(|control| control.name)).collect();
    let facts = facts(&desk, &f, &record, &shown);
    desk.request.page(&RecordPage { back, form, facts, acts, lists, f })
}

/// Whether an action changes anything of a record in its present state.
fn applies(path: &str, record: &Value) -> bool {
    let is_published = record["status_code"] == "published";
    match path.rsplit('/').next().unwrap_or_default() {
        "block" => record["is_blocked"] == false,
        "unblock" => record["is_blocked"] == true,
        "publish" => !is_published,
        "unpublish" => is_published || record["status_code"] == "scheduled",
        // A record that has a page is not deleted. The page of the versions restores them.
        "restore" | "restore-version" => false,
        _ => true,
    }
}

/// The record of a section with an identifier.
pub(crate) async fn find(desk: &Desk, section: &Section, id: &str) -> Result<Value, Fault> {
    let (endpoint, key) = section.one.ok_or(Fault::Gone)?;
    let found = desk.call(endpoint, json!({ key: id })).await;
    Ok(found?)
}

async fn part(
    desk: &Desk,
    f: &Frame,
    section: &'static Section,
    filter: &'static str,
    id: &str,
) -> Result<Part, Fault> {
    let many = action(section.list).and_then(|it| it.field(filter)).map(|it| &it.kind);
    let value = match many {
        Some(FieldKind::Ids) => json!([id]),
        _ => json!(id),
    };
    let found = items(desk.call(section.list, json!({ filter: value, "limit": SHOWN })).await?);
    Ok(Part {
        title: f.c.t(section.title),
        href: with_fields(&f.c.url(&format!("/dashboard/{}", section.slug)), &[(filter, id)]),
        heads: section.columns.iter().map(|it| words::column(&f.c, it.0)).collect(),
        rows: found.iter().map(|record| row(desk, &f.c, section, record)).collect(),
    })
}

/// A flag in words.
pub(crate) fn yes_or_no(c: &Chrome, value: &Value) -> String {
    if value == &Value::Bool(true) { c.t("desk-yes") } else { c.t("desk-no") }
}

/// The most records of a list that a page of another record shows.
const SHOWN: i64 = 10;

/// The values of a record that a page shows as they are.
fn facts(desk: &Desk, f: &Frame, record: &Value, shown: &[&str]) -> Vec<(String, String)> {
    let frame = &desk.request.visit.frame;
    let Some(members) = record.as_object() else { return Vec::new() };
    let fact = |(name, value): (&String, &Value)| {
        let id = text_of(value);
        let is_left_out = value.is_null()
            || id.is_empty()
            || value == &json!([])
            || value == &json!({})
            || shown.contains(&name.as_str())
            || name == "seq_number";
        if is_left_out {
            return None;
        }
        let board = || frame.boards.iter().find(|it| it.id.to_string() == id);
        let status = || frame.statuses.iter().find(|it| it.id.to_string() == id);
        let text = match name.as_str() {
            "board_id" => board().map(|it| it.name.clone())?,
            "status_id" => status().map(|it| it.name.clone())?,
            name if name.ends_with("_at") || name == "failing_since" => moment(&id),
            "state" | "portal_role" => words::code(&f.c, &id),
            name if name.ends_with("_code") => words::code(&f.c, &id),
            _ if value.is_boolean() => yes_or_no(&f.c, value),
            "category" | "collection" => name_of(value),
            _ if value.is_object() || value.is_array() => {
                serde_json::to_string_pretty(value).unwrap_or_default()
            }
            _ => id,
        };
        Some((words::column(&f.c, name), text))
    };
    members.iter().filter_map(fact).collect()
}
