//! The inbox: posts beside the one that is open, with filters that are addresses.

use super::Frame;
use super::act::saved;
use super::guide::{Step, steps};
use super::post::{Opened, open};
use crate::desk::{Desk, Refusal, items};
use crate::forms::{Choice, Control, Given, add_faults, body, controls};
use crate::refusals;
use crate::schema::action;
use crate::values::{count, name_of, text_of};
use actix_web::http::StatusCode;
use askama::Template;
use hearback_app::saved_views;
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_domain::saved_view::BadView;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::{Faults, Fields, with_fields};
use hearback_web::{Answer, Fault, Request};
use serde_json::{Map, Value, json};

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage {
    f: Frame,
    search: String,
    filters: Vec<Control>,
    views: Vec<Choice>,
    rows: Vec<Row>,
    next: Option<String>,
    /// The address of the page of the list, with its filters.
    back: String,
    opened: Option<Opened>,
    bulk: Vec<Control>,
    faults: Faults,
    may: bool,
    new: String,
    /// The query of the present filter. Empty without a filter, and for one that is kept already.
    filter: String,
    /// The name of the view that is open, if it is one of the member's own.
    view: Option<String>,
    /// The name of a view that was refused.
    name: String,
    /// The first steps of a new organization.
    guide: Vec<Step>,
    /// The keys of the page, with their words.
    keys: Vec<(&'static str, String)>,
}

/// A post of the list.
struct Row {
    id: String,
    href: String,
    title: String,
    status: String,
    status_id: String,
    votes: String,
    comments: i64,
    spend: String,
    is_here: bool,
    /// Whether the post is one of those that a refused form would change.
    is_chosen: bool,
}

/// The fields of the list by which the inbox is filtered.
const FILTERS: [&str; 8] = [
    "board_id",
    "status_id",
    "status_group_code",
    "category_id",
    "tag_ids",
    "owner_id",
    "moderation_status_code",
    "sort",
];

/// `/dashboard`
pub(crate) async fn inbox(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    page(&desk, &Fields::default(), Faults::default(), StatusCode::OK).await
}

async fn page(desk: &Desk, typed: &Fields, faults: Faults, status: StatusCode) -> Answer {
    // A form that was sent comes from a list with a filter.
    let back = || typed.get("back").split_once('?').map(|(_, filter)| filter);
    let query = match typed.given("filter").or_else(back) {
        Some(filter) => Fields::parse(filter.as_bytes()),
        None => desk.request.query.clone(),
    };
    let f = desk.frame("/dashboard", desk.request.language.text("desk-inbox")).await?;
    let endpoint = action("/feedback-posts/list").ok_or(Fault::Gone)?;
    let mut wanted = Map::new();
    for name in FILTERS {
        let Some(value) = query.given(name) else { continue };
        let value = if name == "tag_ids" { json!(query.all(name)) } else { json!(value) };
        wanted.insert(name.to_owned(), value);
    }
    let search = query.given("search").unwrap_or_default().to_owned();
    if !search.is_empty() {
        wanted.insert("search".to_owned(), search.clone().into());
    }
    if let Some(after) = query.given("after") {
        wanted.insert("cursor".to_owned(), after.into());
    }
    wanted.insert("is_merged".to_owned(), false.into());
    wanted.entry("sort").or_insert("newest".into());
    let answer = desk.call("/feedback-posts/list", Value::Object(wanted)).await?;
    let cursor = answer["cursor"].as_str().map(str::to_owned);
    let posts = items(answer);

    let kept = filter_of(&query);
    let with = |name: &str, value: &str| {
        let fields: Vec<_> = kept.iter().copied().chain([(name, value)]).collect();
        with_fields(&f.c.url("/dashboard"), &fields)
    };
    let chosen = query.get("post").to_owned();
    let opened = match chosen.is_empty() {
        true => None,
        false => Some(open(desk, &f.c, &chosen, &with("post", &chosen)).await?),
    };
    let hidden: Vec<&'static str> = endpoint
        .fields
        .iter()
        .map(|field| field.name)
        .filter(|name| !FILTERS.contains(name))
        .collect();
    let given = Given { typed: &query, is_sent: false, record: None, hidden: &hidden };
    let mut filters = controls(desk, &f.c, endpoint, &given).await?;
    // The states of moderation are no field of other forms.
    filters.retain(|control| control.name != "moderation_status_code");
    let may = desk.may(Permission::Manage(Kind::FeedbackPost));
    let bulk = match may {
        true => {
            let bulk = action("/feedback-posts/bulk-update").ok_or(Fault::Gone)?;
            let is_sent = typed.has("post_ids");
            let given = Given { typed, is_sent, record: None, hidden: &["post_ids"] };
            controls(desk, &f.c, bulk, &given).await?
        }
        false => Vec::new(),
    };
    let row = |post: &Value| {
        let id = text_of(&post["id"]);
        let status_id = text_of(&post["status_id"]);
        let frame = &desk.request.visit.frame;
        let status = frame.statuses.iter().find(|it| it.id.to_string() == status_id);
        Row {
            href: with("post", &id),
            title: name_of(post),
            status: status.map_or_else(String::new, |it| it.name.clone()),
            status_id,
            votes: count(&f.c, &post["vote_count"]),
            comments: post["comment_count"].as_i64().unwrap_or_default(),
            spend: spend(&f.c, &post["monthly_spend"]),
            is_here: id == chosen,
            is_chosen: typed.all("post_ids").contains(&id.as_str()),
            id,
        }
    };
    // The first page of all posts tells how many there are.
    let is_whole = kept.is_empty() && query.given("after").is_none();
    let guide = match is_whole {
        true => steps(desk, &f.c, posts.len()).await?,
        false => Vec::new(),
    };
    let filter = with_fields("", &kept).split_off(usize::from(!kept.is_empty()));
    let own = saved_views::list(&desk.request.web.ports, desk.caller("views/list")).await?;
    let view = own.iter().find(|view| view.query == filter).map(|view| view.name.clone());
    let is_named = view.is_some() && faults.of("name").is_none();
    let own = own.into_iter().map(|view| Choice {
        value: format!("{}?{}", f.c.url("/dashboard"), view.query),
        is_chosen: view.query == filter,
        text: view.name,
    });
    let page = InboxPage {
        rows: posts.iter().map(row).collect(),
        views: views(&f.c, &query).into_iter().chain(own).collect(),
        filter: if is_named { String::new() } else { filter.clone() },
        view,
        name: typed.get("name").to_owned(),
        next: cursor.map(|cursor| with("after", &cursor)),
        new: f.c.url("/dashboard/do/feedback-posts/create"),
        back: with("after", query.get("after")),
        guide,
        keys: KEYS.iter().map(|(name, words)| (*name, f.c.t(words))).collect(),
        search,
        filters,
        opened,
        bulk,
        faults,
        may,
        f,
    };
    match status {
        StatusCode::OK => desk.request.page(&page),
        status => desk.request.page_with(status, &page),
    }
}

/// The keys of the inbox, which the script of the dashboard knows.
const KEYS: [(&str, &str); 8] = [
    ("j", key("desk-key-next")),
    ("k", key("desk-key-before")),
    ("x", key("desk-key-choose")),
    ("s", key("desk-key-status")),
    ("t", key("desk-key-tag")),
    ("m", key("desk-key-merge")),
    ("/", key("desk-key-search")),
    ("?", key("desk-key-help")),
];

/// `POST /dashboard/views`: keeps a filter under a name, or forgets it.
pub(crate) async fn keep(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let typed = desk.request.form().await?;
    let ports = &desk.request.web.ports;
    let c = desk.chrome();
    if let Some(name) = typed.given("forget") {
        saved_views::remove(ports, desk.caller("views/remove"), name.to_owned()).await?;
        return Ok(desk.request.see(&saved(&c.url("/dashboard"))));
    }
    // A view has the fields of the filter alone.
    let query = Fields::parse(typed.get("filter").as_bytes());
    let kept = filter_of(&query);
    let here = with_fields(&c.url("/dashboard"), &kept);
    let query = with_fields("", &kept).split_off(usize::from(!kept.is_empty()));
    let words = match saved_views::save(ports, desk.caller("views/save"), typed.get("name"), query)
        .await?
    {
        Ok(()) => return Ok(desk.request.see(&saved(&here))),
        Err(BadView::NoName) => key("fault-required"),
        Err(BadView::LongName | BadView::LongQuery) => key("desk-view-long"),
        Err(BadView::TooMany) => key("desk-view-too-many"),
    };
    let mut faults = Faults::default();
    faults.add("name", c.t(words));
    page(&desk, &typed, faults, StatusCode::UNPROCESSABLE_ENTITY).await
}

/// The fields of a filter.
fn filter_of(query: &Fields) -> Vec<(&str, &str)> {
    let names = FILTERS.iter().chain(&["search"]);
    names.flat_map(|name| query.all(name).into_iter().map(move |value| (*name, value))).collect()
}

/// The usual views: each is an address.
fn views(c: &Chrome, query: &Fields) -> Vec<Choice> {
    let view = |words: &str, fields: &[(&str, &str)]| Choice {
        value: with_fields(&c.url("/dashboard"), fields),
        text: c.t(words),
        is_chosen: match fields {
            [] => filter_of(query).is_empty(),
            fields => fields.iter().all(|(name, value)| query.get(name) == *value),
        },
    };
    vec![
        view(key("desk-view-new"), &[]),
        view(key("desk-view-waiting"), &[("moderation_status_code", "pending")]),
        view(key("desk-view-open"), &[("status_group_code", "open"), ("sort", "votes")]),
        view(key("desk-view-started"), &[("status_group_code", "in-progress"), ("sort", "votes")]),
        view(key("desk-view-trending"), &[("sort", "trending")]),
    ]
}

/// The monthly spend of a post's voters. Returns an empty text if the spend is zero.
pub(crate) fn spend(c: &Chrome, value: &Value) -> String {
    match c.amount(&text_of(value)) {
        zero if zero == "0" => String::new(),
        spend => spend,
    }
}

/// `POST /dashboard`: changes the chosen posts.
pub(crate) async fn bulk(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let typed = desk.request.form().await?;
    let endpoint = action("/feedback-posts/bulk-update").ok_or(Fault::Gone)?;
    let c = desk.chrome();
    let mut faults = Faults::default();
    if typed.all("post_ids").is_empty() {
        faults.add("bulk", c.t("desk-choose-posts"));
        return page(&desk, &typed, faults, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let mut wanted = body(&desk, endpoint, &typed, &mut faults, &c);
    wanted["post_ids"] = json!(typed.all("post_ids"));
    if let Some(members) = wanted.as_object_mut() {
        // A field that is left empty keeps its value.
        members.retain(|_, value| *value != json!([]));
    }
    match desk.call(endpoint.path, wanted).await {
        Ok(_) => {
            let back = desk.request.own(typed.get("back"));
            Ok(desk.request.see(&saved(&back)))
        }
        Err(Refusal::Fields(found)) => {
            add_faults(&mut faults, &c, found);
            page(&desk, &typed, faults, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(Refusal::Words(text)) => {
            faults.add("bulk", refusals::words(&c, &text));
            page(&desk, &typed, faults, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(other) => Err(other.into()),
    }
}
