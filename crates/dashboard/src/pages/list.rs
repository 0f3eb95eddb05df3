//! The lists of records.

use super::Frame;
use super::record::{is_empty, value_of, yes_or_no};
use crate::desk::{Desk, Refusal, items};
use crate::forms::{Control, Given, add_faults, controls};
use crate::schema::{FieldKind, action};
use crate::sections::{Column, Group, SECTIONS, Section, Shown, section};
use crate::values::{count, moment, name_of, short, text_of};
use crate::words;
use actix_web::http::StatusCode;
use askama::Template;
use hearback_domain::ClosedSet;
use hearback_domain::permission::Permission;
use hearback_web::chrome::Chrome;
use hearback_web::form::{Faults, with_fields};
use hearback_web::text::Arg;
use hearback_web::{Answer, Fault, Request};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage {
    f: Frame,
    heads: Vec<String>,
    rows: Vec<Row>,
    filters: Vec<Control>,
    faults: Faults,
    /// The addresses of the actions on the list, with their words.
    acts: Vec<(String, String)>,
    new: Option<(String, String)>,
    next: Option<String>,
    is_filtered: bool,
    here: String,
}

impl ListPage {
    /// Whether a row has actions of its own.
    fn has_acts(&self) -> bool {
        self.rows.iter().any(|row| !row.acts.is_empty())
    }
}

/// A row of a list.
pub(crate) struct Row {
    pub(crate) href: Option<String>,
    pub(crate) cells: Vec<Cell>,
    /// The addresses of the actions on the record, if it has no page, with their words.
    pub(crate) acts: Vec<(String, String)>,
}

/// A value of a row.
pub(crate) struct Cell {
    pub(crate) text: String,
    /// The class of a status, or empty.
    pub(crate) class: String,
}

/// `/dashboard/{section}`
pub(crate) async fn list(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let section = section(desk.request.part("section")).ok_or(Fault::Gone)?;
    let query = desk.request.query.clone();
    let endpoint = action(section.list).ok_or(Fault::Gone)?;
    let path = format!("/dashboard/{}", section.slug);
    let f = desk.frame(&path, desk.request.language.text(section.title)).await?;

    let mut body = Map::new();
    for name in section.filters {
        let Some(field) = endpoint.field(name) else { continue };
        let Some(value) = query.given(name) else { continue };
        let value = match field.kind {
            FieldKind::Flag => json!(value == "yes"),
            FieldKind::Ids | FieldKind::Choices(_) => json!(query.all(name)),
            // The picker of a browser gives minutes, which are those of UTC.
            FieldKind::Time if value.len() == 16 => json!(format!("{value}:00Z")),
            _ => json!(value),
        };
        body.insert((*name).to_owned(), value);
    }
    if endpoint.field("cursor").is_some()
        && let Some(after) = query.given("after")
    {
        body.insert("cursor".to_owned(), after.into());
    }
    // The filter stays open after a search for a person.
    let is_filtered = !body.is_empty() || query.has("search-records");
    let mut faults = Faults::default();
    let answer = match desk.call(section.list, Value::Object(body)).await {
        Err(Refusal::Fields(found)) => {
            add_faults(&mut faults, &f.c, found);
            Value::Null
        }
        answer => answer?,
    };
    let cursor = answer["cursor"].as_str().map(str::to_owned);
    let mut records = items(answer);
    name_people(&desk, section, &mut records).await?;

    let hidden: Vec<&'static str> = endpoint
        .fields
        .iter()
        .map(|field| field.name)
        .filter(|name| !section.filters.contains(name))
        .collect();
    let given = Given { typed: &query, is_sent: false, record: None, hidden: &hidden };
    let mut filters = controls(&desk, &f.c, endpoint, &given).await?;
    for control in &mut filters {
        // A filter has no long texts. A record of any kind has no list to choose it from.
        if control.kind == "text" || control.name == "target_id" {
            (control.kind, control.is_found) = ("line", false);
        }
    }
    let kept: Vec<(&str, &str)> = section
        .filters
        .iter()
        .flat_map(|name| query.all(name).into_iter().map(|value| (*name, value)))
        .collect();
    let next = cursor.map(|cursor| {
        let fields: Vec<_> = kept.iter().copied().chain([("after", &*cursor)]).collect();
        with_fields(&f.c.url(&path), &fields)
    });
    let rows = records.iter().map(|record| row(&desk, &f.c, section, record)).collect();
    let may = desk.may(Permission::Manage(section.kind));
    let act =
        |path: &&'static str| (f.c.url(&format!("/dashboard/do{path}")), words::act(&f.c, path));
    let import = (section.slug == "people" && may)
        .then(|| (f.c.url("/dashboard/people/import"), f.c.t("people-import")));
    let status = match faults.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let page = ListPage {
        heads: section.columns.iter().map(|it| words::column(&f.c, it.0)).collect(),
        rows,
        filters,
        faults,
        acts: section.all.iter().filter(|_| may).map(act).chain(import).collect(),
        new: section.create.filter(|_| may).map(|path| {
            let address = with_fields(&f.c.url(&format!("/dashboard/do{path}")), &kept);
            (address, words::act(&f.c, path))
        }),
        next,
        is_filtered,
        here: f.c.url(&path),
        f,
    };
    desk.request.page_with(status, &page)
}

/// Replaces the identifiers of people by their names. The identifier of a missing person stays.
async fn name_people(desk: &Desk, section: &Section, records: &mut [Value]) -> Result<(), Fault> {
    let mut names: HashMap<String, String> = HashMap::new();
    for Column(member, _) in section.columns.iter().filter(|it| it.1 == Shown::Person) {
        for record in records.iter_mut() {
            let Some(id) = record[member].as_str().map(str::to_owned) else { continue };
            if !names.contains_key(&id) {
                let found = desk.call("/users/retrieve", json!({ "user_id": id })).await;
                let name = match found.map_err(Fault::from) {
                    Ok(user) => name_of(&user),
                    Err(Fault::Gone) => id.clone(),
                    Err(fault) => return Err(fault),
                };
                names.insert(id.clone(), name);
            }
            record[member] = json!(names[&id]);
        }
    }
    Ok(())
}

/// A record as a row of its section.
pub(crate) fn row(desk: &Desk, c: &Chrome, section: &Section, record: &Value) -> Row {
    let id = text_of(match section.one {
        Some((_, "user_id")) => &record["user_id"],
        _ => &record["id"],
    });
    let cells = section.columns.iter().enumerate().map(|(place, column)| {
        let cell = cell(desk, c, *column, record);
        match cell.text.is_empty() && place == 0 {
            // The first cell leads to the record.
            true => Cell { text: name_of(record), ..cell },
            false => cell,
        }
    });
    let is_post = section.slug == "posts";
    let has_page = section.one.is_some() || is_post;
    let may = desk.may(Permission::Manage(section.kind));
    let acts = section.acts.iter().filter(|_| !has_page && may);
    Row {
        href: has_page.then(|| c.url(&format!("/dashboard/{}/{id}", section.slug))),
        cells: cells.collect(),
        acts: acts
            .map(|(path, field)| {
                let address = c.url(&format!("/dashboard/do{path}"));
                (with_fields(&address, &[(field, &id)]), words::act(c, path))
            })
            .chain((section.slug == "audit").then(|| restoration(desk, c, record)).flatten())
            .collect(),
    }
}

/// The form that restores the record whose deletion an entry of the audit log tells.
fn restoration(desk: &Desk, c: &Chrome, entry: &Value) -> Option<(String, String)> {
    let is_deletion = entry["data"]["after"]["is_active"] == false;
    let kind = text_of(&entry["target_kind"]);
    let mut sections = SECTIONS.iter().filter(|it| is_deletion && it.kind.code() == kind);
    let section = sections.find(|it| it.restore.is_some())?;
    let (path, field) = section.restore.filter(|_| desk.may(Permission::Manage(section.kind)))?;
    let address = c.url(&format!("/dashboard/do{path}"));
    let address = with_fields(&address, &[(field, &text_of(&entry["target_id"]))]);
    Some((address, words::act(c, path)))
}

fn cell(desk: &Desk, c: &Chrome, Column(member, shown): Column, record: &Value) -> Cell {
    let value = &record[member];
    let plain = |text: String| Cell { text, class: String::new() };
    if value.is_null() {
        return plain(match shown {
            // A program has no name, but it came by a door.
            Shown::Person => words::code(c, &text_of(&record["door"])),
            _ => String::new(),
        });
    }
    let frame = &desk.request.visit.frame;
    let id = text_of(value);
    match shown {
        Shown::Text | Shown::Person => plain(short(&id)),
        Shown::Count => plain(count(c, value)),
        Shown::Time => Cell { text: moment(&id), class: "when".to_owned() },
        Shown::Code => plain(words::code(c, &id)),
        Shown::Flag => plain(yes_or_no(c, value)),
        Shown::Status => match frame.statuses.iter().find(|it| it.id.to_string() == id) {
            Some(status) => Cell { text: status.name.clone(), class: format!("status s-{id}") },
            None => plain(String::new()),
        },
        Shown::Board => {
            let board = frame.boards.iter().find(|it| it.id.to_string() == id);
            plain(board.map_or_else(String::new, |it| it.name.clone()))
        }
        Shown::Codes => {
            let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
            plain(all.iter().map(text_of).collect::<Vec<_>>().join(", "))
        }
        Shown::Changes => Cell { text: changes(desk, c, value), class: "said".to_owned() },
    }
}

/// The values of an entry of the audit log, a line for each.
pub(crate) fn changes(desk: &Desk, c: &Chrome, data: &Value) -> String {
    let (before, after) = (&data["before"], &data["after"]);
    let is_edit = before.is_object() && after.is_object();
    let said = |name: &str, value: &Value| match is_empty(value) {
        true => "–".to_owned(),
        false => short(&value_of(desk, c, name, value).unwrap_or_else(|| text_of(value))),
    };
    let edited = |(name, old, new): (&String, &Value, &Value)| {
        let (old, new) = (said(name, old), said(name, new));
        let (old, new) = (Arg::Text(&old), Arg::Text(&new));
        let text = c.language.with("desk-change", &[("before", old), ("after", new)]);
        format!("{}: {text}", words::column(c, name))
    };
    let plain = |(name, value): (&String, &Value)| {
        (!is_empty(value)).then(|| format!("{}: {}", words::column(c, name), said(name, value)))
    };
    // The entry has the moment and the record in columns of their own.
    let is_told = |name: &String| !["before", "after", "id", "updated_at"].contains(&name.as_str());
    let whole = if before.is_object() { before } else { after };
    let whole = whole.as_object().filter(|_| !is_edit).into_iter().flatten();
    let plain = whole
        .chain(data.as_object().into_iter().flatten().flat_map(apart))
        .filter(|it| is_told(it.0))
        .filter_map(plain);
    let edited =
        differing(before, after).into_iter().filter(|it| is_edit && is_told(it.0)).map(edited);
    edited.chain(plain).collect::<Vec<_>>().join("\n")
}

/// A value of an entry. A value of several members is shown member by member.
fn apart<'a>((name, value): (&'a String, &'a Value)) -> Vec<(&'a String, &'a Value)> {
    match value {
        Value::Object(members) if name != "before" && name != "after" => members.iter().collect(),
        _ => vec![(name, value)],
    }
}

/// The values before and after an edit. Of settings that are one value, those that differ.
fn differing<'a>(before: &'a Value, after: &'a Value) -> Vec<(&'a String, &'a Value, &'a Value)> {
    let mut all = Vec::new();
    for (name, old) in before.as_object().into_iter().flatten() {
        let new = after.get(name).unwrap_or(&Value::Null);
        match old.is_object() && new.is_object() {
            true => all.extend(differing(old, new).into_iter().filter(|(_, old, new)| old != new)),
            false => all.push((name, old, new)),
        }
    }
    all
}

#[derive(Template)]
#[template(path = "settings.html")]
struct SettingsPage {
    f: Frame,
    links: Vec<(String, String)>,
}

/// `/dashboard/settings`: the lists by which an organization is set up.
pub(crate) async fn settings(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let f = desk.frame("/dashboard/settings", desk.request.language.text("desk-settings")).await?;
    let is_seen = |section: &&Section| {
        section.group == Group::Settings && section.filters.is_empty() && desk.may(section.view())
    };
    let sections = SECTIONS.iter().filter(is_seen);
    let links =
        sections.map(|it| (f.c.url(&format!("/dashboard/{}", it.slug)), f.c.t(it.title))).collect();
    desk.request.page(&SettingsPage { f, links })
}
