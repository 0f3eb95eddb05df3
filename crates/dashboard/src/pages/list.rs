//! The lists of records.

use super::Frame;
use super::record::yes_or_no;
use crate::desk::{Desk, items};
use crate::forms::{Control, Given, controls};
use crate::schema::{FieldKind, action};
use crate::sections::{Column, Group, SECTIONS, Section, Shown, section};
use crate::values::{count, moment, name_of, text_of};
use crate::words;
use askama::Template;
use hearback_domain::permission::Permission;
use hearback_web::chrome::Chrome;
use hearback_web::form::with_fields;
use hearback_web::{Answer, Fault, Request};
use serde_json::{Map, Value, json};

#[derive(Template)]
#[template(path = "list.html")]
struct ListPage {
    f: Frame,
    heads: Vec<String>,
    rows: Vec<Row>,
    filters: Vec<Control>,
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
            _ => json!(value),
        };
        body.insert((*name).to_owned(), value);
    }
    if endpoint.field("cursor").is_some()
        && let Some(after) = query.given("after")
    {
        body.insert("cursor".to_owned(), after.into());
    }
    let is_filtered = !body.is_empty();
    let answer = desk.call(section.list, Value::Object(body)).await?;
    let cursor = answer["cursor"].as_str().map(str::to_owned);
    let records = items(answer);

    let hidden: Vec<&'static str> = endpoint
        .fields
        .iter()
        .map(|field| field.name)
        .filter(|name| !section.filters.contains(name))
        .collect();
    let given = Given { typed: &query, is_sent: false, record: None, hidden: &hidden };
    let filters = controls(&desk, &f.c, endpoint, &given).await?;
    let kept: Vec<(&str, &str)> =
        section.filters.iter().map(|name| (*name, query.get(name))).collect();
    let next = cursor.map(|cursor| {
        let fields: Vec<_> = kept.iter().copied().chain([("after", &*cursor)]).collect();
        with_fields(&f.c.url(&path), &fields)
    });
    let rows = records.iter().map(|record| row(&desk, &f.c, section, record)).collect();
    let may = desk.may(Permission::Manage(section.kind));
    let act =
        |path: &&'static str| (f.c.url(&format!("/dashboard/do{path}")), words::act(&f.c, path));
    desk.request.page(&ListPage {
        heads: section.columns.iter().map(|it| words::column(&f.c, it.0)).collect(),
        rows,
        filters,
        acts: section.all.iter().filter(|_| may).map(act).collect(),
        new: section.create.filter(|_| may).map(|path| {
            let address = with_fields(&f.c.url(&format!("/dashboard/do{path}")), &kept);
            (address, words::act(&f.c, path))
        }),
        next,
        is_filtered,
        here: f.c.url(&path),
        f,
    })
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
            .collect(),
    }
}

fn cell(desk: &Desk, c: &Chrome, Column(member, shown): Column, record: &Value) -> Cell {
    let value = &record[member];
    let plain = |text: String| Cell { text, class: String::new() };
    if value.is_null() {
        return plain(String::new());
    }
    let frame = &desk.request.visit.frame;
    let id = text_of(value);
    match shown {
        Shown::Text => {
            let text = id.lines().next().unwrap_or_default();
            let cut: String = text.chars().take(120).collect();
            plain(cut)
        }
        Shown::Count => plain(count(c, value)),
        Shown::Time => plain(moment(&id)),
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
    }
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
