//! The pages of records.

use super::Frame;
use super::delivery::request;
use super::list::{Cell, Row, row};
use crate::desk::{Desk, items};
use crate::forms::{Control, Given, controls, formatted};
use crate::schema::{FieldKind, action};
use crate::sections::{Section, section};
use crate::values::{moment, name_of, text_of};
use crate::words;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use askama::Template;
use hearback_domain::permission::Permission;
use hearback_web::chrome::Chrome;
use hearback_web::form::{Faults, with_fields};
use hearback_web::visit::protect;
use hearback_web::{Answer, Fault, Request};
use serde_json::{Value, json};

#[derive(Template)]
#[template(path = "record.html")]
struct RecordPage {
    f: Frame,
    back: (String, String),
    form: Option<Form>,
    facts: Vec<Fact>,
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

/// A value that no form changes.
struct Fact {
    name: String,
    text: String,
    /// Whether the text is in a format of programs.
    is_code: bool,
}

/// A list that belongs to a record.
struct Part {
    title: String,
    /// The address of the whole list. Empty if the page has the whole list.
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
        // A company is changed by the identifier of another tool.
        let named = if key == "external_id" { text_of(&record[key]) } else { id.clone() };
        let mut hidden = vec![(key.to_owned(), named)];
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
    if section.slug == "people" && may {
        acts.push((c.url(&format!("{path}/{id}/export")), c.t("desk-export-person")));
    }
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
    let facts = facts(&desk, &f, section, &record, &shown).await?;
    lists.extend(tables(&desk, &f.c, &record));
    desk.request.page(&RecordPage { back, form, facts, acts, lists, f })
}

/// `/dashboard/people/{id}/export`: all that is stored of a person, as a file.
pub(crate) async fn export(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let id = desk.request.part("id");
    let export = desk.call("/users/export", json!({"user_id": id})).await?;
    let mut response = HttpResponse::Ok();
    protect(&mut response, false);
    Ok(response
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{id}.json\"")))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(format!("{export:#}")))
}

/// Whether an action changes anything of a record in its present state.
fn applies(path: &str, record: &Value) -> bool {
    let is_published = record["status_code"] == "published";
    match path.rsplit('/').next().unwrap_or_default() {
        "block" => record["is_blocked"] == false,
        "unblock" => record["is_blocked"] == true,
        "publish" => !is_published,
        "unpublish" => is_published || record["status_code"] == "scheduled",
        // The page of the versions restores them.
        "restore-version" => false,
        _ => true,
    }
}

/// The record of a section with an identifier.
pub(crate) async fn find(desk: &Desk, section: &Section, id: &str) -> Result<Value, Fault> {
    let (_, key) = section.one.ok_or(Fault::Gone)?;
    find_by(desk, section, key, id).await
}

/// The record of a section with a value of a field.
pub(crate) async fn find_by(
    desk: &Desk,
    section: &Section,
    key: &str,
    id: &str,
) -> Result<Value, Fault> {
    let (endpoint, _) = section.one.ok_or(Fault::Gone)?;
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
async fn facts(
    desk: &Desk,
    f: &Frame,
    section: &Section,
    record: &Value,
    shown: &[&str],
) -> Result<Vec<Fact>, Fault> {
    let mut members = record.as_object().cloned().unwrap_or_default();
    if section.slug == "deliveries" {
        members.extend(request(desk, record).await?);
    }
    let fact = |(name, value): (&String, &Value)| {
        let is_left_out = is_empty(value)
            || shown.contains(&name.as_str())
            || name == "seq_number"
            || is_table(value);
        if is_left_out {
            return None;
        }
        let is_record = name == "category" || name == "collection";
        let is_code = !is_record && (value.is_object() || value.is_array());
        let text = match (is_record, is_code) {
            (true, _) => name_of(value),
            (_, true) => serde_json::to_string_pretty(value).unwrap_or_default(),
            _ => value_of(desk, &f.c, name, value)?,
        };
        Some(Fact { name: words::column(&f.c, name), text, is_code })
    };
    Ok(members.iter().filter_map(fact).collect())
}

/// Whether a value is null or empty.
pub(crate) fn is_empty(value: &Value) -> bool {
    value.is_null() || [json!(""), json!([]), json!({})].contains(value)
}

/// Whether a value is a list of records.
fn is_table(value: &Value) -> bool {
    value.get(0).is_some_and(Value::is_object)
}

/// The lists of records that a record itself has.
fn tables(desk: &Desk, c: &Chrome, record: &Value) -> Vec<Part> {
    let table = |(name, value): (&String, &Value)| {
        let items = value.as_array().filter(|_| is_table(value))?;
        let names: Vec<&String> = items.first()?.as_object()?.keys().collect();
        let cell = |item: &Value, name: &str| Cell {
            text: value_of(desk, c, name, &item[name]).unwrap_or_default(),
            class: "said".to_owned(),
        };
        let row = |item: &Value| Row {
            href: None,
            cells: names.iter().map(|name| cell(item, name)).collect(),
            acts: Vec::new(),
        };
        Some(Part {
            title: words::column(c, name),
            href: String::new(),
            heads: names.iter().map(|name| words::column(c, name)).collect(),
            rows: items.iter().map(row).collect(),
        })
    };
    record.as_object().into_iter().flatten().filter_map(table).collect()
}

/// The words of a member of a record. `None` if it names a board or a status that is not there.
pub(crate) fn value_of(desk: &Desk, c: &Chrome, name: &str, value: &Value) -> Option<String> {
    let frame = &desk.request.visit.frame;
    let id = text_of(value);
    Some(match name {
        "board_id" => frame.boards.iter().find(|it| it.id.to_string() == id)?.name.clone(),
        "status_id" => frame.statuses.iter().find(|it| it.id.to_string() == id)?.name.clone(),
        "at" | "failing_since" => moment(&id),
        _ if name.ends_with("_at") => moment(&id),
        "state" | "portal_role" => words::code(c, &id),
        _ if name.ends_with("_code") => words::code(c, &id),
        _ if value.is_boolean() => yes_or_no(c, value),
        _ => id,
    })
}
