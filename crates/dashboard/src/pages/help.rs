//! The help center as a tree: collections, their categories, and the articles of both, in order.

use super::Frame;
use super::act::saved;
use crate::desk::{Desk, Refusal};
use crate::refusals;
use crate::values::{name_of, text_of};
use crate::words;
use actix_web::http::StatusCode;
use askama::Template;
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_web::chrome::Chrome;
use hearback_web::form::{Faults, with_fields};
use hearback_web::{Answer, Fault, Request};
use serde_json::{Value, json};

#[derive(Template)]
#[template(path = "help_tree.html")]
struct HelpPage {
    f: Frame,
    collections: Vec<Node>,
    may: bool,
    new: String,
    faults: Faults,
}

/// A collection, a category or an article.
struct Node {
    id: String,
    /// The list, which the buttons name: `help-articles:0199…`.
    value: String,
    name: String,
    href: String,
    /// The words of the state of an article.
    state: String,
    /// Whether an article is not shown in the portal.
    is_hidden: bool,
    is_first: bool,
    is_last: bool,
    articles: Vec<Node>,
    categories: Vec<Node>,
    /// The addresses of the forms of a new article and a new category in it.
    new_article: String,
    new_category: String,
}

/// `GET /dashboard/help`
pub(crate) async fn tree(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    page(&desk, Faults::default(), StatusCode::OK).await
}

async fn page(desk: &Desk, faults: Faults, status: StatusCode) -> Answer {
    let f = desk.frame("/dashboard/help", desk.request.language.text("desk-help")).await?;
    let collections = desk.whole("/help-collections/list", json!({})).await?;
    let categories = desk.whole("/help-categories/list", json!({})).await?;
    let articles = desk.whole("/help-articles/list", json!({"sort": "position"})).await?;
    let of_category = |category: &Value| {
        let its = |it: &&Value| it["category"]["id"] == category["id"];
        nodes(&f.c, "help-articles", articles.iter().filter(its))
    };
    let of_collection = |collection: &Value| {
        let its =
            |it: &&Value| it["category"].is_null() && it["collection"]["id"] == collection["id"];
        nodes(&f.c, "help-articles", articles.iter().filter(its))
    };
    let mut tree = nodes(&f.c, "help-collections", collections.iter());
    for (node, collection) in tree.iter_mut().zip(&collections) {
        let its = || categories.iter().filter(|it| it["collection_id"] == collection["id"]);
        node.articles = of_collection(collection);
        node.categories = nodes(&f.c, "help-categories", its());
        for (node, category) in node.categories.iter_mut().zip(its()) {
            node.articles = of_category(category);
        }
    }
    let page = HelpPage {
        collections: tree,
        may: desk.may(Permission::Manage(Kind::HelpArticle)),
        new: f.c.url("/dashboard/do/help-collections/create"),
        faults,
        f,
    };
    match status {
        StatusCode::OK => desk.request.page(&page),
        status => desk.request.page_with(status, &page),
    }
}

/// The records of a list, without what is in them.
fn nodes<'a>(c: &Chrome, list: &str, records: impl Iterator<Item = &'a Value>) -> Vec<Node> {
    let parent = if list == "help-categories" { "category_id" } else { "collection_id" };
    let node = |record: &Value| {
        let id = text_of(&record["id"]);
        let new = |kind: &str| {
            with_fields(&c.url(&format!("/dashboard/do/{kind}/create")), &[(parent, &id)])
        };
        let state = record["status_code"].as_str();
        Node {
            value: format!("{list}:{id}"),
            name: name_of(record),
            href: c.url(&format!("/dashboard/{list}/{id}")),
            state: state.map(|code| words::code(c, code)).unwrap_or_default(),
            is_hidden: record["show_on_portal"] == false,
            is_first: false,
            is_last: false,
            articles: Vec::new(),
            categories: Vec::new(),
            new_article: new("help-articles"),
            new_category: new("help-categories"),
            id,
        }
    };
    let mut nodes: Vec<Node> = records.map(node).collect();
    if let Some(first) = nodes.first_mut() {
        first.is_first = true;
    }
    if let Some(last) = nodes.last_mut() {
        last.is_last = true;
    }
    nodes
}

/// `POST /dashboard/help`: moves a record up or down by one place, or to where it was dropped.
pub(crate) async fn step(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let typed = desk.request.form().await?;
    let record = |name: &str| typed.get(name).split_once(':').unwrap_or(("", ""));
    let way = ["up", "down", "moved"].into_iter().find(|way| typed.given(way).is_some());
    let (list, id) = record(way.unwrap_or_default());
    let to = if way == Some("moved") { record("to") } else { (list, id) };
    let parent = parent(&desk, list, to).await?;
    let mut ids = children(&desk, list, &parent).await?;
    let place = match (way, ids.iter().position(|it| it == to.1)) {
        (Some("up"), Some(place)) => place.saturating_sub(1),
        (Some("down"), Some(place)) => place + 1,
        // A record that was dropped on its parent goes to the end.
        (_, place) => place.unwrap_or(ids.len()),
    };
    let mut done = Ok(Value::Null);
    match ids.iter().position(|it| it == id) {
        Some(present) => drop(ids.remove(present)),
        None => {
            let mut change = parent.clone();
            change[if list == "help-articles" { "article_id" } else { "category_id" }] = id.into();
            done = desk.call(&format!("/{list}/update"), change).await;
        }
    }
    ids.insert(place.min(ids.len()), id.to_owned());
    let mut order = parent;
    order["ids"] = json!(ids);
    if done.is_ok() {
        done = desk.call(&format!("/{list}/reorder"), order).await;
    }
    let c = desk.chrome();
    match done {
        Ok(_) => {
            let tree = saved(&c.url("/dashboard/help"));
            Ok(desk.request.see(&format!("{tree}#n-{id}")))
        }
        // Somebody else has changed the list meanwhile, or the other parent has such an address.
        Err(Refusal::Words(text)) => {
            let mut faults = Faults::default();
            faults.add("tree", refusals::words(&c, &text));
            page(&desk, faults, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(other) => Err(other.into()),
    }
}

/// The parent of the records at a place of a list, as the field that names it: a place is another
/// record of the list, or the parent itself.
async fn parent(desk: &Desk, list: &str, place: (&str, &str)) -> Result<Value, Fault> {
    match (list, place) {
        ("help-collections", ("help-collections", _)) => Ok(json!({})),
        ("help-categories", ("help-categories", id)) => {
            let found = desk.call("/help-categories/retrieve", json!({"category_id": id})).await?;
            Ok(json!({"collection_id": found["collection_id"]}))
        }
        ("help-articles", ("help-articles", id)) => {
            let found = desk.call("/help-articles/retrieve", json!({"article_id": id})).await?;
            Ok(match found["category"].is_null() {
                true => json!({"collection_id": found["collection"]["id"]}),
                false => json!({"category_id": found["category"]["id"]}),
            })
        }
        ("help-categories" | "help-articles", ("help-collections", id)) => {
            Ok(json!({"collection_id": id}))
        }
        ("help-articles", ("help-categories", id)) => Ok(json!({"category_id": id})),
        _ => Err(Fault::Gone),
    }
}

/// The records of a list with a parent, in order.
async fn children(desk: &Desk, list: &str, parent: &Value) -> Result<Vec<String>, Fault> {
    let mut wanted = parent.clone();
    if list == "help-articles" {
        wanted["sort"] = "position".into();
    }
    let mut records = desk.whole(&format!("/{list}/list"), wanted).await?;
    if parent.get("collection_id").is_some() {
        // The articles of a collection are also those of its categories.
        records.retain(|it| it["category"].is_null());
    }
    Ok(records.iter().map(|it| text_of(&it["id"])).collect())
}
