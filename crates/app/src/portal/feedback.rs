//! The posts of feedback boards.

use super::people::{Byline, Bylines};
use super::{Found, Visit, gone};
use crate::Error;
use crate::help_redirects::present;
use hearback_domain::Time;
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::comment::{Comment, CommentFilter, Visibility};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation, PostDetails, PostFilter, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::help_redirect::Path;
use hearback_domain::id::{BoardId, CategoryId, PostId, StatusId, TagId, parse_uuid};
use hearback_domain::record::Kind;
use hearback_domain::similar::best;
use hearback_domain::slug::Slug;
use hearback_domain::subscription::Level;
use hearback_domain::vote::Target;
use hearback_ports::page::{ByPost, ByTime, Page, PageRequest};
use hearback_ports::records::Name;
use hearback_ports::{Limit, Ports, StoreError};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A post in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenPost {
    /// The post.
    pub post: FeedbackPost,
    /// The number of votes.
    pub vote_count: i64,
    /// The number of comments that the visitor sees.
    pub comment_count: i64,
    /// Whether the visitor has a vote on it.
    pub is_voted: bool,
    /// The author.
    pub author: Byline,
}

/// The posts that a page lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostsQuery {
    /// Only posts of this board. `None`: of all boards that the visitor sees.
    pub board: Option<BoardId>,
    /// Only posts with this status.
    pub status: Option<StatusId>,
    /// Only posts of this category.
    pub category: Option<CategoryId>,
    /// Only posts with this tag.
    pub tag: Option<TagId>,
    /// Only posts whose title or description contains this text.
    pub search: Option<Folded>,
}

/// A page of the posts that the visitor sees.
pub async fn posts(
    ports: &Ports,
    visit: &Visit,
    query: PostsQuery,
    sort: PostSort,
    page: PageRequest<ByPost>,
) -> Result<Page<SeenPost, ByPost>, Error> {
    let PostsQuery { board, status, category, tag, search } = query;
    let boards: Vec<BoardId> = visit.boards().map(|board| board.id).collect();
    if boards.is_empty() || board.is_some_and(|board| !boards.contains(&board)) {
        return Ok(Page { items: vec![], next: None });
    }
    let is_all = boards.len() == visit.frame.boards.len();
    let filter = PostFilter {
        board_id: board,
        board_ids: (board.is_none() && !is_all).then_some(boards),
        status_id: status,
        category_id: category,
        tag_ids: tag.into_iter().collect(),
        search,
        is_merged: Some(false),
        audience: visit.audience(),
        ..PostFilter::default()
    };
    let found = ports.feedback_posts.page(visit.organization(), filter, sort, page).await?;
    Ok(Page { items: seen(ports, visit, found.items).await?, next: found.next })
}

/// The newest posts of a feed: accepted ones alone, whoever asks.
pub async fn feed(
    ports: &Ports,
    visit: &Visit,
    board: Option<BoardId>,
) -> Result<Vec<SeenPost>, Error> {
    let visit = Visit::of_nobody(Arc::clone(&visit.frame));
    let query = PostsQuery { board, ..PostsQuery::default() };
    let first = PageRequest { after: None, limit: Limit::DEFAULT };
    Ok(posts(ports, &visit, query, PostSort::Newest, first).await?.items)
}

/// Posts with what the visitor sees of them.
pub(super) async fn seen(
    ports: &Ports,
    visit: &Visit,
    mut posts: Vec<PostDetails>,
) -> Result<Vec<SeenPost>, StoreError> {
    // The frame may be older than a board. What it does not know, nobody is shown.
    posts.retain(|it| visit.boards().any(|board| board.id == it.post.board_id));
    let ids: Vec<PostId> = posts.iter().map(|it| it.post.id).collect();
    let counts = comment_counts(ports, visit, &ids).await?;
    let voted = voted(ports, visit, ids.into_iter().map(Target::Feedback).collect()).await?;
    let people = Bylines::load(ports, visit, posts.iter().map(|it| it.post.author_id)).await?;
    let seen = |PostDetails { post, vote_count, .. }: PostDetails| SeenPost {
        vote_count,
        comment_count: counts.get(&post.id).copied().unwrap_or_default(),
        is_voted: voted.contains(&Target::Feedback(post.id)),
        author: people.of(post.author_id),
        post,
    };
    Ok(posts.into_iter().map(seen).collect())
}

async fn comment_counts(
    ports: &Ports,
    visit: &Visit,
    posts: &[PostId],
) -> Result<HashMap<PostId, i64>, StoreError> {
    if posts.is_empty() {
        return Ok(HashMap::new());
    }
    let (organization, audience) = (visit.organization(), visit.audience());
    let counts = ports.comments.public_counts(organization, posts.to_vec(), audience).await?;
    Ok(counts.into_iter().collect())
}

/// Those of the posts that the visitor has a vote on.
pub(super) async fn voted(
    ports: &Ports,
    visit: &Visit,
    targets: Vec<Target>,
) -> Result<HashSet<Target>, StoreError> {
    let Some(user) = visit.actor().filter(|_| !targets.is_empty()) else {
        return Ok(HashSet::new());
    };
    let voted = ports.votes.voted(visit.organization(), user.user_id, targets).await?;
    Ok(voted.into_iter().collect())
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenComment {
    /// The comment.
    pub comment: Comment,
    /// The author.
    pub author: Byline,
    /// Whether the visitor may edit and delete it.
    pub is_own: bool,
}

/// The page of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostPage {
    /// The post.
    pub seen: SeenPost,
    /// Its board.
    pub board: FeedbackBoard,
    /// Whether the visitor may edit and delete it.
    pub is_own: bool,
    /// The comment that is pinned: the official update.
    pub pinned: Option<SeenComment>,
    /// A part of the comments, oldest first. The pinned one is among them.
    pub comments: Page<SeenComment, ByTime>,
    /// The first voters.
    pub voters: Vec<Byline>,
    /// The posts that were merged into it, and the visitor sees.
    pub merged: Vec<FeedbackPost>,
    /// The changes of its status, the last one first.
    pub history: Vec<StatusChange>,
    /// The news of the post that the visitor wants.
    pub level: Option<Level>,
}

/// The post with a slug, as a list shows it.
pub async fn glance(ports: &Ports, visit: &Visit, slug: &str) -> Result<Found<SeenPost>, Error> {
    Ok(match find(ports, visit, slug).await? {
        Found::Here(details) => {
            let seen = seen(ports, visit, vec![details]).await?.pop();
            Found::Here(seen.ok_or(gone(Kind::FeedbackPost))?)
        }
        Found::Moved(slug) => Found::Moved(slug),
    })
}

/// A change of the status of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusChange {
    /// When it was made.
    pub at: Time,
    /// The status since then.
    pub status: StatusId,
}

/// The page of the post with a slug. `after` is where the part of the comments begins.
pub async fn post(
    ports: &Ports,
    visit: &Visit,
    slug: &str,
    after: Option<ByTime>,
) -> Result<Found<PostPage>, Error> {
    let organization = visit.organization();
    let details = match find(ports, visit, slug).await? {
        Found::Here(details) => details,
        Found::Moved(slug) => return Ok(Found::Moved(slug)),
    };
    let PostDetails { post, vote_count, .. } = details;
    let (id, author_id) = (post.id, post.author_id);
    let board = visit.frame.board(post.board_id).cloned();
    let board = board.ok_or(gone(Kind::FeedbackPost))?;

    let filter = CommentFilter {
        feedback_post_id: Some(id),
        visibility: Some(Visibility::Public),
        audience: visit.audience(),
        ..CommentFilter::default()
    };
    let limit = Limit::new(Limit::MAX).unwrap_or(Limit::DEFAULT);
    let is_first = after.is_none();
    let page = ports.comments.page(organization, filter, PageRequest { after, limit }).await?;
    // Most posts have one part of comments, which shows their number and the pinned one.
    let is_all = is_first && page.next.is_none();
    let (comment_count, pinned) = if is_all {
        (page.items.len() as i64, page.items.iter().find(|comment| comment.is_pinned).cloned())
    } else {
        let is_shown = |comment: &Comment| {
            comment.visibility == Visibility::Public
                && visit.audience().sees(comment.moderation, comment.author_id)
        };
        let counts = comment_counts(ports, visit, &[id]).await?;
        let pinned = ports.comments.pinned(organization, id).await?.filter(is_shown);
        (counts.get(&id).copied().unwrap_or_default(), pinned)
    };
    let is_voted = !voted(ports, visit, vec![Target::Feedback(id)]).await?.is_empty();
    let few = PageRequest { after: None, limit: Limit::new(FACES).unwrap_or(Limit::DEFAULT) };
    let voters = ports.votes.voters(organization, Target::Feedback(id), few).await?.items;
    let merged = merged(ports, visit, id).await?;
    // Most posts have their first status.
    let history = match post.status_changed_at == post.created_at {
        true => vec![],
        false => history(ports, visit, id).await?,
    };
    let level = match visit.actor() {
        Some(user) => ports.subscriptions.find(organization, id, user.user_id).await?,
        None => None,
    };

    let people = page.items.iter().chain(&pinned).map(|comment| comment.author_id);
    let people = people.chain(voters.iter().map(|voter| voter.user_id)).chain([author_id]);
    let people = Bylines::load(ports, visit, people).await?;
    let seen_comment = |comment: Comment| SeenComment {
        author: people.of(comment.author_id),
        is_own: visit.actor().is_some_and(|user| user.user_id == comment.author_id),
        comment,
    };
    Ok(Found::Here(PostPage {
        is_own: visit.actor().is_some_and(|user| user.user_id == author_id),
        board,
        pinned: pinned.map(seen_comment),
        comments: Page {
            items: page.items.into_iter().map(seen_comment).collect(),
            next: page.next,
        },
        voters: voters.iter().map(|voter| people.of(voter.user_id)).collect(),
        merged,
        history,
        level: level.map(|subscription| subscription.level),
        seen: SeenPost { vote_count, comment_count, is_voted, author: people.of(author_id), post },
    }))
}

/// The first posts that are merged into a post, those that the visitor sees.
async fn merged(ports: &Ports, visit: &Visit, id: PostId) -> Result<Vec<FeedbackPost>, StoreError> {
    let filter = PostFilter {
        merged_into_id: Some(id),
        board_ids: Some(visit.boards().map(|board| board.id).collect()),
        audience: visit.audience(),
        ..PostFilter::default()
    };
    let first = PageRequest { after: None, limit: Limit::new(FEW).unwrap_or(Limit::DEFAULT) };
    let sort = PostSort::Newest;
    let page = ports.feedback_posts.page(visit.organization(), filter, sort, first).await?;
    Ok(page.items.into_iter().map(|it| it.post).collect())
}

/// The last changes of the status of a post, as the audit log has them.
async fn history(
    ports: &Ports,
    visit: &Visit,
    id: PostId,
) -> Result<Vec<StatusChange>, StoreError> {
    let filter = AuditFilter { target_id: Some(id.0), ..AuditFilter::default() };
    let first = PageRequest { after: None, limit: Limit::DEFAULT };
    let page = ports.audit.page(visit.organization(), filter, first).await?;
    let change = |entry: &AuditEntry| {
        let data: Value = serde_json::from_str(&entry.data).ok()?;
        // The first entry has all members of the post.
        data.get("before").filter(|before| !before.is_null())?;
        let status = parse_uuid(data.get("after")?.get("status_id")?.as_str()?)?;
        Some(StatusChange { at: entry.at, status: status.into() })
    };
    Ok(page.items.iter().filter_map(change).take(FEW as usize).collect())
}

/// The most merged posts and changes of the status that a page shows.
const FEW: i64 = 10;

/// The most voters whose faces a page shows.
const FACES: i64 = 5;

/// The post with a slug, if the visitor sees it. The team sees each state of moderation.
pub(super) async fn find(
    ports: &Ports,
    visit: &Visit,
    slug: &str,
) -> Result<Found<PostDetails>, Error> {
    let missing = || gone(Kind::FeedbackPost);
    let organization = visit.organization();
    let slug = Slug::parse(slug).map_err(|_| missing())?;
    let (kind, names) = (Kind::FeedbackPost, vec![slug.key()]);
    let named = ports.records.named(organization, kind, Name::Slug, names).await?;
    let (id, mut steps) = match named.into_iter().next() {
        Some((_, id)) => (id, 0),
        // The post may have another slug now.
        None => {
            let former = Path::of_post(&slug);
            let slug = present(ports, organization, former).await?.ok_or_else(missing)?;
            let names = vec![slug.key()];
            let named = ports.records.named(organization, kind, Name::Slug, names).await?;
            (named.into_iter().next().ok_or_else(missing)?.1, 1)
        }
    };
    let mut details = load(ports, visit, id.into()).await?.ok_or_else(missing)?;
    while let Some(target) = details.post.merged_into_id {
        steps += 1;
        if steps > LONGEST_CHAIN {
            return Err(missing());
        }
        details = load(ports, visit, target).await?.ok_or_else(missing)?;
    }
    Ok(match steps {
        0 => Found::Here(details),
        _ => Found::Moved(details.post.slug),
    })
}

/// The most merges that an address follows.
const LONGEST_CHAIN: usize = 32;

async fn load(ports: &Ports, visit: &Visit, id: PostId) -> Result<Option<PostDetails>, StoreError> {
    let found = ports.feedback_posts.find(visit.organization(), id).await?;
    Ok(found.filter(|details| visit.opens(&details.post)))
}

/// The posts of a board with the titles most similar to a title, best first. They can be voted for.
pub async fn similar(
    ports: &Ports,
    visit: &Visit,
    board: BoardId,
    title: &str,
) -> Result<Vec<SeenPost>, Error> {
    if visit.boards().all(|it| it.id != board) || title.trim().is_empty() {
        return Ok(vec![]);
    }
    let organization = visit.organization();
    let title = title.chars().take(512).collect::<String>();
    let candidates = ports.feedback_posts.candidates(organization, title.clone(), Some(board));
    let mut found = Vec::new();
    for (id, _) in best(&title, candidates.await?, SIMILAR) {
        let details = load(ports, visit, id).await?;
        found.extend(details.filter(|it| it.post.moderation == Moderation::Accepted));
    }
    Ok(seen(ports, visit, found).await?)
}

/// The most similar posts that a form shows.
const SIMILAR: usize = 5;
