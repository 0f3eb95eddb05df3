//! The roadmap.

use super::writing::{VotePart, back_to};
use crate::views::{Link, PlanCard, StatusView};
use askama::Template;
use hearback_app::Error;
use hearback_app::portal::{self, ColumnHead, Roadmap, SeenPlan};
use hearback_domain::id::{RoadmapPostId, parse_uuid};
use hearback_domain::roadmap_post::{RoadmapPostDetails, Term};
use hearback_domain::vote::Target;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::text::Arg;
use hearback_web::visit::{Answer, Request};

#[derive(Template)]
#[template(path = "roadmap.html")]
struct RoadmapPage {
    c: Chrome,
    title: String,
    text: String,
    canonical: String,
    boards: Vec<Link>,
    /// The ways to make columns.
    orders: Vec<Link>,
    columns: Vec<Column>,
}

struct Column {
    id: String,
    name: String,
    /// The status of all plans of the column.
    status: Option<StatusView>,
    count: i64,
    plans: Vec<PlanCard>,
    has_more: bool,
}

fn shown(request: &Request) -> Result<(), Fault> {
    match request.visit.frame.organization.portal.shows_roadmap {
        true => Ok(()),
        false => Err(Fault::Gone),
    }
}

/// `/roadmap`: the first board.
pub(crate) async fn first(request: Request) -> Answer {
    page(request, None).await
}

/// `/roadmap/{board}`
pub(crate) async fn named(request: Request) -> Answer {
    let slug = request.part("board").to_owned();
    page(request, Some(slug)).await
}

async fn page(request: Request, slug: Option<String>) -> Answer {
    let Request { visit, web, .. } = &request;
    shown(&request)?;
    let (by, embed) = (request.query.get("by"), request.query.get("embed"));
    let by_eta = by == "eta";
    let found = portal::roadmap(&web.ports, visit, slug.as_deref(), by_eta).await?;
    let Roadmap { board, boards, columns } = found.ok_or(Fault::Gone)?;
    let is_embedded = embed == "1";
    let c = Chrome { is_embedded, ..request.chrome(Part::Roadmap) };
    let link = |it: &hearback_domain::roadmap_board::RoadmapBoard| Link {
        href: with_fields(
            &c.url(&format!("/roadmap/{}", it.slug.as_str())),
            &[("by", by), ("embed", embed)],
        ),
        text: it.name.clone(),
        is_here: it.id == board.id,
    };
    let path = match slug {
        Some(_) => format!("/roadmap/{}", board.slug.as_str()),
        None => "/roadmap".to_owned(),
    };
    let order = |code: &str, text: String, is_here: bool| Link {
        href: with_fields(&c.url(&path), &[("by", code), ("embed", embed)]),
        text,
        is_here,
    };
    let orders = vec![
        order("", c.t("roadmap-by-status"), !by_eta),
        order("eta", c.t("roadmap-by-eta"), by_eta),
    ];
    let page = RoadmapPage {
        orders,
        title: if boards.len() > 1 { board.name.clone() } else { c.t("tab-roadmap") },
        text: board.description.clone().unwrap_or_else(|| c.t("roadmap-text")),
        canonical: c.full_url(&path),
        boards: if boards.len() > 1 { boards.iter().map(link).collect() } else { vec![] },
        columns: columns
            .iter()
            .map(|column| Column {
                id: match &column.head {
                    ColumnHead::Status(status) => format!("s{}", status.id),
                    ColumnHead::Term(Term::Earlier) => "earlier".to_owned(),
                    ColumnHead::Term(Term::Quarter { year, quarter }) => {
                        format!("q{year}-{quarter}")
                    }
                    ColumnHead::Term(Term::Later) => "later".to_owned(),
                },
                name: match &column.head {
                    ColumnHead::Status(status) => status.name.clone(),
                    ColumnHead::Term(term) => words(term, &c),
                },
                status: match &column.head {
                    ColumnHead::Status(status) => Some(StatusView::of(status)),
                    ColumnHead::Term(_) => None,
                },
                count: column.plans.len() as i64,
                plans: column
                    .plans
                    .iter()
                    .map(|plan| PlanCard::of(plan, board.is_voting_enabled, visit, &c))
                    .collect(),
                has_more: column.has_more,
            })
            .collect(),
        c,
    };
    match is_embedded {
        true => request.embedded(&page),
        false => request.page(&page),
    }
}

fn words(term: &Term, c: &Chrome) -> String {
    match term {
        Term::Earlier => c.t("term-earlier"),
        Term::Quarter { year, quarter } => {
            let [year, quarter] = [year.to_string(), quarter.to_string()];
            c.language.with(
                "term-quarter",
                &[("quarter", Arg::Text(&quarter)), ("year", Arg::Text(&year))],
            )
        }
        Term::Later => c.t("term-later"),
    }
}

/// `POST /roadmap/vote/{plan}`
pub(crate) async fn vote(request: Request) -> Answer {
    shown(&request)?;
    let fields = request.form().await?;
    request.count_form()?;
    let id: RoadmapPostId = parse_uuid(request.part("plan")).ok_or(Fault::Gone)?.into();
    let voted = fields.get("voted") != "no";
    let Request { visit, web, .. } = &request;
    portal::vote(&web.ports, visit, Target::Roadmap(id), voted).await?;
    if request.wants_fragment() {
        let found = web.ports.roadmap_posts.find(visit.organization(), id).await;
        let RoadmapPostDetails { post: plan, vote_count, .. } =
            found.map_err(Error::from)?.ok_or(Fault::Gone)?;
        let seen = SeenPlan { plan, vote_count, is_voted: voted, feedback: vec![] };
        let c = request.chrome(Part::None);
        // The board has taken the vote.
        let vote = PlanCard::of(&seen, true, visit, &c).vote;
        return request.fragment(&VotePart { c, vote });
    }
    Ok(request.see(&back_to(&request, &fields, &format!("{}/roadmap", request.base))))
}
