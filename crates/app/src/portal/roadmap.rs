//! The roadmap.

use super::feedback::voted;
use super::{Visit, gone};
use crate::Error;
use hearback_domain::Time;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::record::{Key, Kind};
use hearback_domain::roadmap_board::RoadmapBoard;
use hearback_domain::roadmap_post::{RoadmapFilter, RoadmapPost, RoadmapPostDetails, Term};
use hearback_domain::status::{Status, StatusGroup};
use hearback_domain::vote::Target;
use hearback_ports::page::PageRequest;
use hearback_ports::{Limit, Ports};
use std::collections::BTreeMap;

/// A roadmap board with its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roadmap {
    /// The board.
    pub board: RoadmapBoard,
    /// The boards that the visitor sees, in their order.
    pub boards: Vec<RoadmapBoard>,
    /// The columns: in the order of the workflow, or of time.
    pub columns: Vec<RoadmapColumn>,
}

/// A column of plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoadmapColumn {
    /// The common value of the plans.
    pub head: ColumnHead,
    /// The plans, by position, or by ETA.
    pub plans: Vec<SeenPlan>,
    /// Whether there may be more plans in the column.
    pub has_more: bool,
}

/// The common value of the plans of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnHead {
    /// A status.
    Status(Status),
    /// The time by which they are to be ready.
    Term(Term),
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPlan {
    /// The plan.
    pub plan: RoadmapPost,
    /// The number of votes.
    pub vote_count: i64,
    /// Whether the visitor has a vote on it.
    pub is_voted: bool,
    /// The posts that it is made for, those that the visitor sees.
    pub feedback: Vec<FeedbackPost>,
}

/// The roadmap board with a slug, or the first one, with columns by status or by ETA. `None` if the
/// visitor sees no roadmap board.
pub async fn roadmap(
    ports: &Ports,
    visit: &Visit,
    slug: Option<&str>,
    by_eta: bool,
) -> Result<Option<Roadmap>, Error> {
    let organization = visit.organization();
    let all = visit.frame.roadmap_boards.iter().filter(|board| board.is_seen_by(visit.user()));
    let boards: Vec<RoadmapBoard> = all.cloned().collect();
    let board = match slug {
        Some(slug) => {
            let named = boards.iter().find(|it| it.slug.as_str().eq_ignore_ascii_case(slug));
            named.ok_or(gone(Kind::RoadmapBoard))?
        }
        None => match boards.first() {
            Some(board) => board,
            None => return Ok(None),
        },
    };
    let limit = Limit::new(COLUMN).unwrap_or(Limit::DEFAULT);
    let mut found = Vec::new();
    for status in visit.frame.statuses.iter().filter(|status| status.show_on_roadmap) {
        let filter = RoadmapFilter {
            roadmap_board_id: Some(board.id),
            status_id: Some(status.id),
            ..RoadmapFilter::default()
        };
        let first = PageRequest { after: None, limit };
        let page = ports.roadmap_posts.page(organization, filter, first).await?;
        if !page.items.is_empty() {
            found.push((status.clone(), page.items, page.next.is_some()));
        }
    }
    let plans = || found.iter().flat_map(|(_, plans, _)| plans);
    let targets = plans().map(|it| Target::Roadmap(it.post.id)).collect();
    let voted = voted(ports, visit, targets).await?;
    let linked = plans().flat_map(|it| &it.feedback_post_ids);
    let keys: Vec<Key> = linked.map(|id| (Kind::FeedbackPost, id.0)).collect();
    let known = match keys.is_empty() {
        true => hearback_domain::record::Known::default(),
        false => ports.records.load(organization, keys).await?,
    };
    let seen = |RoadmapPostDetails { post: plan, feedback_post_ids, vote_count }| SeenPlan {
        is_voted: voted.contains(&Target::Roadmap(plan.id)),
        feedback: feedback_post_ids
            .iter()
            .filter_map(|id| known.active::<FeedbackPost>(*id))
            .filter(|post| visit.lists(post))
            .cloned()
            .collect(),
        plan,
        vote_count,
    };
    let column = |(status, plans, has_more): (Status, Vec<RoadmapPostDetails>, bool)| {
        let plans = plans.into_iter().map(seen).collect();
        RoadmapColumn { head: ColumnHead::Status(status), plans, has_more }
    };
    let (board, columns) = (board.clone(), found.clone().into_iter().map(column).collect());
    let columns = if by_eta { by_term(columns, ports.clock.now()) } else { columns };
    Ok(Some(Roadmap { board, boards, columns }))
}

/// The plans of columns, in columns by ETA.
fn by_term(columns: Vec<RoadmapColumn>, now: Time) -> Vec<RoadmapColumn> {
    let has_more = columns.iter().any(|column| column.has_more);
    let mut terms: BTreeMap<Term, Vec<SeenPlan>> = BTreeMap::new();
    for RoadmapColumn { head, plans, .. } in columns {
        let is_done = matches!(
            &head,
            ColumnHead::Status(Status { group: StatusGroup::Completed | StatusGroup::Closed, .. })
        );
        for seen in plans {
            let term = match seen.plan.eta {
                // What is done does not come later.
                None if is_done => Term::Earlier,
                eta => Term::of(eta, now),
            };
            terms.entry(term).or_default().push(seen);
        }
    }
    let column = |(term, mut plans): (Term, Vec<SeenPlan>)| {
        plans.sort_by_key(|seen| seen.plan.eta);
        RoadmapColumn { head: ColumnHead::Term(term), plans, has_more }
    };
    terms.into_iter().map(column).collect()
}

/// The most plans in a column.
const COLUMN: i64 = 50;
