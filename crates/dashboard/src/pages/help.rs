//! The help center as a tree: collections, their categories, and the articles of both, in order.

use super::Frame;
use super::act::saved;
use crate::desk::{Desk, Refusal};
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

/// `POST /dashboard/help`: moves a record up or down by one place.
pub(crate) async fn step(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let typed = desk.request.form().await?;
    let is_up = typed.has("up");
    let (list, id) =
        typed.get(if is_up { "up" } else { "down" }).split_once(':').unwrap_or(("", ""));
    let (parent, siblings) = siblings(&desk, list, id).await?;
    let mut ids: Vec<String> = siblings.iter().map(|it| text_of(&it["id"])).collect();
    let place = ids.iter().position(|it| it == id).ok_or(Fault::Gone)?;
    let other = if is_up { place.checked_sub(1) } else { Some(place + 1) };
    if let Some(other) = other.filter(|other| *other < ids.len()) {
        ids.swap(place, other);
    }
    let mut body = parent;
    body["ids"] = json!(ids);
    let c = desk.chrome();
    match desk.call(&format!("/{list}/reorder"), body).await {
        Ok(_) => {
            let tree = saved(&c.url("/dashboard/help"));
            Ok(desk.request.see(&format!("{tree}#n-{id}")))
        }
        // Somebody else has changed the list meanwhile.
        Err(Refusal::Words(text)) => {
            let mut faults = Faults::default();
            faults.add("tree", words::fault(&c, &text));
            page(&desk, faults, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(other) => Err(other.into()),
    }
}

/// The list in which a record stands: the field that names its parent, and its records in order.
async fn siblings(desk: &Desk, list: &str, id: &str) -> Result<(Value, Vec<Value>), Fault> {
    let record = async |key: &str| desk.call(&format!("/{list}/retrieve"), json!({key: id})).await;
    match list {
        "help-collections" => {
            Ok((json!({}), desk.whole("/help-collections/list", json!({})).await?))
        }
        "help-categories" => {
            let record = record("category_id").await?;
            let parent = json!({"collection_id": record["collection_id"]});
            Ok((parent.clone(), desk.whole("/help-categories/list", parent).await?))
        }
        "help-articles" => {
            let record = record("article_id").await?;
            let parent = match record["category"].is_null() {
                true => json!({"collection_id": record["collection"]["id"]}),
                false => json!({"category_id": record["category"]["id"]}),
            };
            let mut wanted = parent.clone();
            wanted["sort"] = "position".into();
            let mut articles = desk.whole("/help-articles/list", wanted).await?;
            // The articles of a collection are also those of its categories.
            articles.retain(|it| it["category"].is_null() == record["category"].is_null());
            Ok((parent, articles))
        }
        _ => Err(Fault::Gone),
    }
}
