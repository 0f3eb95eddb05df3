//! The roadmap: a column for each status. A form or a drag moves a plan to another one.

use super::Frame;
use crate::desk::{Desk, items};
use crate::forms::Choice;
use crate::values::{count, name_of, text_of};
use askama::Template;
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_web::form::with_fields;
use hearback_web::{Answer, Request};
use serde_json::{Value, json};

#[derive(Template)]
#[template(path = "roadmap.html")]
struct RoadmapPage {
    f: Frame,
    boards: Vec<Choice>,
    columns: Vec<Column>,
    may: bool,
    new: String,
    here: String,
    move_to: String,
    has_board: bool,
    has_more: bool,
}

/// A status with its plans.
struct Column {
    id: String,
    name: String,
    plans: Vec<Plan>,
}

/// A plan.
struct Plan {
    id: String,
    href: String,
    title: String,
    votes: String,
    eta: String,
    linked: i64,
}

/// `/dashboard/roadmap`
pub(crate) async fn board(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let f = desk.frame("/dashboard/roadmap", desk.request.language.text("desk-roadmap")).await?;
    let frame = &desk.request.visit.frame;
    let given = desk.request.query.get("board");
    let all = &frame.roadmap_boards;
    let chosen = all.iter().find(|it| it.id.to_string() == given).or(all.first());
    let path = f.c.url("/dashboard/roadmap");
    let id = chosen.map(|it| it.id.to_string()).unwrap_or_default();
    let mut plans = Vec::new();
    let mut has_more = false;
    if chosen.is_some() {
        let body = json!({"roadmap_board_id": id, "limit": 100});
        let answer = desk.call("/roadmap-posts/list", body).await?;
        has_more = answer["has_next_page"] == true;
        plans = items(answer);
    }
    let plan = |plan: &Value| {
        let id = text_of(&plan["id"]);
        Plan {
            href: f.c.url(&format!("/dashboard/roadmap-posts/{id}")),
            title: name_of(plan),
            votes: count(&f.c, &plan["vote_count"]),
            eta: text_of(&plan["eta"]).chars().take(10).collect(),
            linked: plan["feedback_post_ids"]
                .as_array()
                .map_or(0, Vec::len)
                .try_into()
                .unwrap_or(0),
            id,
        }
    };
    let columns = frame.statuses.iter().map(|status| {
        let id = status.id.to_string();
        let of = plans.iter().filter(|it| it["status_id"] == id.as_str());
        (
            status.show_on_roadmap,
            Column { name: status.name.clone(), plans: of.map(plan).collect(), id },
        )
    });
    // A status that the roadmap does not show has a column as long as it has plans.
    let columns = columns.filter(|(is_shown, column)| *is_shown || !column.plans.is_empty());
    let board = |board: &hearback_domain::roadmap_board::RoadmapBoard| {
        let value = board.id.to_string();
        Choice {
            is_chosen: value == id,
            value: with_fields(&path, &[("board", &value)]),
            text: board.name.clone(),
        }
    };
    let page = RoadmapPage {
        columns: columns.map(|(_, column)| column).collect(),
        boards: all.iter().map(board).collect(),
        may: desk.may(Permission::Manage(Kind::RoadmapPost)),
        new: with_fields(
            &f.c.url("/dashboard/do/roadmap-posts/create"),
            &[("roadmap_board_id", &id)],
        ),
        here: with_fields(&path, &[("board", &id)]),
        move_to: f.c.url("/dashboard/do/roadmap-posts/change-status"),
        has_board: chosen.is_some(),
        has_more,
        f,
    };
    desk.request.page(&page)
}
