//! The posts and comments that wait for moderation.

use super::Frame;
use crate::desk::{Desk, Refusal, items};
use crate::refusals;
use crate::values::{moment, text_of};
use crate::words;
use actix_web::http::StatusCode;
use askama::Template;
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_web::form::{Faults, with_fields};
use hearback_web::{Answer, Request};
use serde_json::{Value, json};

#[derive(Template)]
#[template(path = "moderation.html")]
struct ModerationPage {
    f: Frame,
    items: Vec<Item>,
    /// The addresses of the states, with their words, and whether the page has it.
    states: Vec<(String, String, bool)>,
    state: String,
    may: bool,
    faults: Faults,
    /// Whether there are more than the page shows.
    has_more: bool,
}

/// A post or a comment.
struct Item {
    /// `post` or `comment`, and the identifier.
    value: String,
    kind: String,
    title: String,
    text: String,
    board: String,
    at: String,
    href: String,
    author_href: String,
}

const STATES: [&str; 3] = ["pending", "rejected", "spam"];

/// `GET /dashboard/moderation`
pub(crate) async fn queue(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    page(&desk, Faults::default(), StatusCode::OK).await
}

async fn page(desk: &Desk, faults: Faults, status: StatusCode) -> Answer {
    let given = desk.request.query.get("state");
    let state = STATES.into_iter().find(|state| *state == given).unwrap_or(STATES[0]);
    let f =
        desk.frame("/dashboard/moderation", desk.request.language.text("desk-moderation")).await?;
    let mut found = Vec::new();
    let mut has_more = false;
    for kind in ["post", "comment"] {
        let body = json!({"kind": kind, "moderation_status_code": state, "limit": 50});
        let answer = desk.call("/moderation/list", body).await?;
        has_more |= answer["has_next_page"] == true;
        found.extend(items(answer));
    }
    // The oldest one has waited longest.
    found.sort_by_key(|item| text_of(&item["created_at"]));
    let frame = &desk.request.visit.frame;
    let item = |item: &Value| {
        let board = frame.boards.iter().find(|it| item["board_id"] == it.id.to_string());
        let kind = text_of(&item["kind"]);
        let post = text_of(&item["post_id"]);
        let author = text_of(&item["author_id"]);
        Item {
            value: format!("{kind}:{}", text_of(&item["id"])),
            title: text_of(&item["title"]),
            text: text_of(&item["content"]).chars().take(1_000).collect(),
            board: board.map_or_else(String::new, |it| it.name.clone()),
            at: moment(&text_of(&item["created_at"])),
            href: f.c.url(&format!("/dashboard/posts/{post}")),
            author_href: f.c.url(&format!("/dashboard/people/{author}")),
            kind: words::code(&f.c, &kind),
        }
    };
    let path = f.c.url("/dashboard/moderation");
    let page = ModerationPage {
        items: found.iter().map(item).collect(),
        states: STATES
            .iter()
            .map(|code| {
                (with_fields(&path, &[("state", code)]), words::code(&f.c, code), *code == state)
            })
            .collect(),
        state: state.to_owned(),
        may: desk.may(Permission::Manage(Kind::FeedbackPost)),
        faults,
        has_more,
        f,
    };
    match status {
        StatusCode::OK => desk.request.page(&page),
        status => desk.request.page_with(status, &page),
    }
}

/// `POST /dashboard/moderation`
pub(crate) async fn decide(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let typed = desk.request.form().await?;
    let c = desk.chrome();
    let mut faults = Faults::default();
    let chosen = typed.all("item");
    let items: Vec<Value> = chosen
        .iter()
        .filter_map(|item| item.split_once(':'))
        .map(|(kind, id)| json!({"kind": kind, "id": id}))
        .collect();
    if items.is_empty() {
        faults.add("decide", c.t("desk-choose-items"));
        return page(&desk, faults, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let mut body = json!({"items": items, "moderation_status_code": typed.get("decision")});
    for flag in ["trust_author", "block_author"] {
        if typed.get(flag) == "yes" {
            body[flag] = true.into();
        }
    }
    match desk.call("/moderation/decide", body).await {
        Ok(_) => {
            let path = format!("{}/dashboard/moderation", desk.request.base);
            let state = typed.get("state");
            Ok(desk.request.see(&with_fields(&path, &[("state", state), ("done", "saved")])))
        }
        Err(Refusal::Fields(found)) => {
            for (_, message) in found {
                faults.add("decide", refusals::words(&c, &message));
            }
            page(&desk, faults, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(Refusal::Words(text)) => {
            faults.add("decide", refusals::words(&c, &text));
            page(&desk, faults, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(other) => Err(other.into()),
    }
}
