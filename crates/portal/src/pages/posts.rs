//! Boards and posts.

use super::writing::parent_of;
use crate::cursor::Cursor;
use crate::views::{
    Choice, CommentView, Face, Link, PostRow, StatusView, VoteButton, tags_of, vote_button,
};
use askama::Template;
use hearback_app::portal::{self, Found, PostPage, PostsQuery};
use hearback_app::rich_text::{self, Breaks};
use hearback_domain::Time;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{Moderation, PostSort};
use hearback_domain::fold::Folded;
use hearback_domain::guest::Way;
use hearback_domain::id::{CommentId, parse_uuid};
use hearback_domain::subscription::Level;
use hearback_ports::Limit;
use hearback_ports::page::{ByPost, ByTime, PageRequest, PostPlace};
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::form::{Faults, Fields};
use hearback_web::guard::Guard;
use hearback_web::visit::{Answer, Request};
use serde_json::json;

#[derive(Template)]
#[template(path = "board.html")]
struct BoardPage {
    c: Chrome,
    title: String,
    text: String,
    canonical: String,
    feed: String,
    posts: Vec<PostRow>,
    boards: Vec<Link>,
    sorts: Vec<Choice>,
    statuses: Vec<Choice>,
    categories: Vec<Choice>,
    tags: Vec<Choice>,
    search: String,
    search_action: String,
    /// The fields of the filter that a search keeps.
    kept: Vec<(&'static str, String)>,
    is_filtered: bool,
    reset: String,
    next: Option<String>,
    /// The address to begin a post. `None` if there is no board for it.
    new: Option<String>,
    has_boards: bool,
}

/// `/`: the posts of all boards.
pub(crate) async fn home(request: Request) -> Answer {
    if !request.visit.frame.organization.portal.shows_feedback {
        // The first part that the portal has is its first page.
        let tabs = request.chrome(Part::None).tabs;
        return tabs.first().map(|tab| request.see(&tab.href)).ok_or(Fault::Gone);
    }
    list(request, None).await
}

/// `/b/{board}`: the posts of a board.
pub(crate) async fn board(request: Request) -> Answer {
    shown(&request)?;
    let board = request.visit.board(request.part("board"))?.clone();
    list(request, Some(board)).await
}

pub(crate) fn shown(request: &Request) -> Result<(), Fault> {
    match request.visit.frame.organization.portal.shows_feedback {
        true => Ok(()),
        false => Err(Fault::Gone),
    }
}

const SORTS: [(&str, PostSort, &str); 3] = [
    ("top", PostSort::Votes, key("sort-top")),
    ("trending", PostSort::Trending, key("sort-trending")),
    ("new", PostSort::Newest, key("sort-new")),
];

async fn list(request: Request, board: Option<FeedbackBoard>) -> Answer {
    let Request { query, visit, web, .. } = &request;
    let frame = &visit.frame;
    let (status, category, tag) = (query.get("status"), query.get("category"), query.get("tag"));
    let search = query.given("q").unwrap_or_default().chars().take(512).collect::<String>();
    let sort_code = query.given("sort").unwrap_or("top");
    let (sort_code, sort, _) =
        *SORTS.iter().find(|(code, ..)| *code == sort_code).unwrap_or(&SORTS[0]);
    let chosen_status = frame.statuses.iter().find(|it| it.code == status);
    let chosen_category = frame.categories.iter().find(|it| it.id.to_string() == category);
    let chosen_tag = frame.tags.iter().find(|it| it.id.to_string() == tag);
    // A filter that names nothing finds nothing, rather than everything.
    let is_unknown = !status.is_empty() && chosen_status.is_none()
        || !category.is_empty() && chosen_category.is_none()
        || !tag.is_empty() && chosen_tag.is_none();
    if is_unknown {
        return Err(Fault::Gone);
    }
    let wanted = PostsQuery {
        board: board.as_ref().map(|board| board.id),
        status: chosen_status.map(|it| it.id),
        category: chosen_category.map(|it| it.id),
        tag: chosen_tag.map(|it| it.id),
        search: (!search.is_empty()).then(|| Folded::new(&search)),
    };
    let after = ByPost::read(query.get("after")).filter(|key| is_of(key, sort));
    let page = PageRequest { after, limit: Limit::DEFAULT };
    let found = portal::posts(&web.ports, visit, wanted, sort, page).await?;

    let c = request.chrome(Part::Feedback);
    let path = match &board {
        Some(board) => format!("/b/{}", board.slug.as_str()),
        None => "/".to_owned(),
    };
    let own = c.url(&path);
    let sort_field = if sort_code == "top" { "" } else { sort_code };
    // The address of the list with another value of a field.
    let address = |field: &str, value: &str| {
        let fields = [
            ("sort", sort_field),
            ("status", status),
            ("category", category),
            ("tag", tag),
            ("q", &*search),
            ("after", ""),
        ];
        with_fields(&own, &fields.map(|(name, it)| (name, if name == field { value } else { it })))
    };
    let choice = |field: &str, value: &str, text: String, chosen: &str| Choice {
        href: address(field, value),
        text,
        is_chosen: value == chosen,
        status: String::new(),
    };
    let any =
        |field: &str, chosen: &str| std::iter::once(choice(field, "", c.t("filter-all"), chosen));
    let sorts = SORTS.iter().map(|(code, _, words)| {
        let value = if *code == "top" { "" } else { code };
        choice("sort", value, c.t(words), sort_field)
    });
    let shown = frame.statuses.iter().filter(|it| it.show_on_feedback);
    let statuses = shown.map(|it| Choice {
        status: it.id.to_string(),
        ..choice("status", &it.code, it.name.clone(), status)
    });
    let categories = frame.categories.iter();
    let categories =
        categories.map(|it| choice("category", &it.id.to_string(), it.name.clone(), category));
    let tags = frame.tags.iter();
    let tags = tags.map(|it| choice("tag", &it.id.to_string(), it.name.clone(), tag));
    let all = Link { href: c.url("/"), text: c.t("boards-all"), is_here: board.is_none() };
    let boards = visit.boards().map(|it| Link {
        href: c.url(&format!("/b/{}", it.slug.as_str())),
        text: it.name.clone(),
        is_here: board.as_ref().is_some_and(|board| board.id == it.id),
    });
    let settings = &frame.organization.portal;
    let (title, text) = match &board {
        Some(board) => (board.name.clone(), board.description.clone().unwrap_or_default()),
        None => (
            settings.welcome_title.clone().unwrap_or_else(|| c.t("home-title")),
            settings.welcome_text.clone().unwrap_or_else(|| c.t("home-text")),
        ),
    };
    let for_new = board.as_ref().or_else(|| visit.boards().next());
    let feed = match &board {
        Some(board) => c.url(&format!("{}.atom", super::feeds::path_of(board))),
        None => c.url("/feeds/posts.atom"),
    };
    let page = BoardPage {
        title,
        text,
        canonical: c.full_url(if path == "/" { "/" } else { &path }),
        feed,
        posts: found
            .items
            .iter()
            .map(|seen| PostRow::of(seen, visit, &c))
            .map(|row| match board {
                Some(_) => PostRow { board: String::new(), ..row },
                None => row,
            })
            .collect(),
        boards: std::iter::once(all).chain(boards).collect(),
        sorts: sorts.collect(),
        statuses: any("status", status).chain(statuses).collect(),
        categories: any("category", category).chain(categories).collect(),
        tags: any("tag", tag).chain(tags).collect(),
        search_action: own.clone(),
        kept: [("sort", sort_field), ("status", status), ("category", category), ("tag", tag)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name, value.to_owned()))
            .collect(),
        is_filtered: [status, category, tag, &*search].iter().any(|value| !value.is_empty()),
        reset: own.clone(),
        next: found.next.map(|next| address("after", &next.write())),
        new: for_new.map(|board| c.url(&format!("/b/{}/new", board.slug.as_str()))),
        has_boards: visit.boards().next().is_some(),
        search,
        c,
    };
    request.page(&page)
}

/// Whether a place in a list is one of its order.
fn is_of(key: &ByPost, sort: PostSort) -> bool {
    matches!(
        (key.place, sort),
        (PostPlace::Votes(_), PostSort::Votes)
            | (PostPlace::Trend { .. }, PostSort::Trending)
            | (PostPlace::Time(_), PostSort::Newest)
    )
}

#[derive(Template)]
#[template(path = "post.html")]
struct PostView {
    c: Chrome,
    title: String,
    excerpt: String,
    canonical: String,
    html: String,
    vote: VoteButton,
    status: Option<StatusView>,
    board: Link,
    tags: Vec<Link>,
    author: Face,
    at: Option<Time>,
    eta: Option<Time>,
    waits: bool,
    is_own: bool,
    may_delete: bool,
    pinned: Option<CommentView>,
    threads: Vec<CommentView>,
    comment_count: i64,
    more: Option<String>,
    takes_comments: bool,
    voters: Vec<Face>,
    merged: Vec<Link>,
    history: Vec<(StatusView, Time)>,
    more_voters: i64,
    /// `all`, `status` or `none`.
    level: &'static str,
    path: String,
    /// Whether the visitor writes comments: with an account or without one.
    writes: bool,
    /// Whether a visitor without an account may write.
    takes_guests: bool,
    /// Where a visitor without an account asks for news. `None`: the visitor has an account, or has
    /// to sign in first.
    follow_at: Option<String>,
    guard: Guard,
    faults: Faults,
    json_ld: String,
    draft: String,
    reply_to: Option<String>,
}

/// A comment that is being written.
#[derive(Default)]
pub(crate) struct CommentForm {
    pub(crate) text: String,
    pub(crate) parent: Option<CommentId>,
    pub(crate) guard: Guard,
    pub(crate) faults: Faults,
}

/// The page of a form of a post leads to the post.
pub(crate) async fn to_post(request: Request) -> Answer {
    // The part is decoded: it may have line ends.
    let path = format!("{}/p/{}", request.base, request.part("slug"));
    let done = [("done", request.query.get("done"))];
    Ok(request.see(&format!("{}#text", with_fields(&request.own(&path), &done))))
}

/// `/p/{slug}`
pub(crate) async fn post(request: Request) -> Answer {
    let path = format!("{}/p/{}/comment", request.base, request.part("slug"));
    let form = match request.draft_of(&path).await? {
        Some(typed) => CommentForm {
            text: typed.lines("text"),
            parent: parent_of(&typed),
            guard: Guard::default().with_age_of(&request, &typed),
            faults: Faults::default(),
        },
        None => CommentForm::default(),
    };
    show(&request, form).await
}

/// The page of a post, with a comment that was not taken, and the faults of it.
pub(crate) async fn show(request: &Request, form: CommentForm) -> Answer {
    shown(request)?;
    let Request { visit, web, query, .. } = request;
    let slug = request.part("slug");
    let after = ByTime::read(query.get("after"));
    let found = match portal::post(&web.ports, visit, slug, after).await? {
        Found::Here(found) => found,
        Found::Moved(slug) => return Ok(request.moved(&format!("/p/{}", slug.as_str()))),
    };
    let c = request.chrome(Part::Feedback);
    let PostPage { seen, board, is_own, pinned, comments, voters, merged, history, level } = found;
    let post = &seen.post;
    let path = c.url(&format!("/p/{}", post.slug.as_str()));
    let canonical = c.full_url(&format!("/p/{}", post.slug.as_str()));
    let rich = rich_text::shown(&post.description, Breaks::Hard, &c.base);
    let pinned_view = pinned.as_ref().map(|pinned| CommentView::of(pinned, &c));
    let replies: Vec<_> = comments
        .items
        .iter()
        .filter(|it| pinned.as_ref().is_none_or(|pinned| pinned.comment.id != it.comment.id))
        .cloned()
        .collect();
    // Search engines have no account. An account may read what the public may not.
    let json_ld = if visit.actor().is_none() && request.is_indexed() {
        question(&seen, &board, pinned.as_ref(), &replies, &canonical, &c)
    } else {
        String::new()
    };
    let status = visit.frame.status(post.status_id);
    let shown_voters = voters.len() as i64;
    let CommentForm { text: draft, parent, guard, faults } = form;
    let asked = query.given("reply").and_then(parse_uuid).map(CommentId::from);
    let reply_to = parent.or(asked).filter(|id| replies.iter().any(|it| it.comment.id == *id));
    let way = visit.way(&board, false);
    let guard = match guard.nonce.is_empty() {
        // A page without a form is the same for everybody.
        true if way == Some(Way::SignIn) => guard,
        true => Guard::new(request, &board, &Fields::default()),
        false => Guard { by_mail: way == Some(Way::Mail), ..guard },
    };
    let follow_at = visit.way(&board, true).filter(|way| *way == Way::Mail);
    let page = PostView {
        excerpt: rich_text::beginning(&post.description, 160),
        html: rich.html,
        vote: vote_button(&seen, visit, &c),
        status: status.map(StatusView::of),
        board: Link {
            href: c.url(&format!("/b/{}", board.slug.as_str())),
            text: board.name.clone(),
            is_here: false,
        },
        tags: tags_of(post, visit, &c),
        author: Face::of(&seen.author, &c),
        at: board.show_post_dates.then_some(post.created_at),
        eta: post.eta.filter(|_| post.eta_is_public),
        waits: post.moderation == Moderation::Pending,
        is_own,
        may_delete: is_own && seen.vote_count <= 1 && seen.comment_count == 0,
        pinned: pinned_view,
        threads: CommentView::threads(&replies, &c),
        comment_count: seen.comment_count,
        more: comments.next.map(|next| with_fields(&path, &[("after", &next.write())])),
        takes_comments: board.is_commenting_enabled,
        more_voters: (seen.vote_count - shown_voters).max(0),
        voters: voters.iter().map(|voter| Face::of(voter, &c)).collect(),
        merged: merged.iter().map(|post| Link::of_post(post, &c)).collect(),
        history: history
            .iter()
            .filter_map(|it| Some((StatusView::of(visit.frame.status(it.status)?), it.at)))
            .collect(),
        level: match level {
            Some(Level::All) => "all",
            Some(Level::Status) => "status",
            None => "none",
        },
        writes: way != Some(Way::SignIn),
        takes_guests: way.is_some_and(|way| way != Way::SignIn),
        follow_at: follow_at.map(|_| format!("{path}/follow")),
        title: post.title.clone(),
        path,
        canonical,
        json_ld,
        draft,
        guard,
        faults,
        reply_to: reply_to.map(|id| id.to_string()),
        c,
    };
    request.page(&page)
}

/// The most comments that a page shows to search engines a second time.
const ANSWERS: usize = 10;

/// The post as a question with its answers, as search engines read it.
fn question(
    seen: &portal::SeenPost,
    board: &FeedbackBoard,
    pinned: Option<&portal::SeenComment>,
    replies: &[portal::SeenComment],
    canonical: &str,
    c: &Chrome,
) -> String {
    let author = |byline: &portal::Byline| {
        let name = if byline.name.is_empty() { c.t("someone") } else { byline.name.clone() };
        json!({ "@type": "Person", "name": name })
    };
    let answer = |answer: &portal::SeenComment| {
        json!({
            "@type": "Answer",
            "text": rich_text::beginning(&answer.comment.content, 2_000),
            "datePublished": answer.comment.created_at.to_string(),
            "author": author(&answer.author),
            "url": format!("{canonical}#c-{}", answer.comment.id),
        })
    };
    let post = &seen.post;
    let mut question = json!({
        "@type": "Question",
        "name": post.title,
        "text": rich_text::beginning(&post.description, 2_000),
        "answerCount": seen.comment_count,
        "author": author(&seen.author),
        "url": canonical,
    });
    if c.shows_counts {
        question["upvoteCount"] = json!(seen.vote_count);
    }
    if board.show_post_dates {
        question["datePublished"] = json!(post.created_at.to_string());
    }
    if let Some(pinned) = pinned {
        question["acceptedAnswer"] = answer(pinned);
    }
    if !replies.is_empty() {
        let answers: Vec<_> = replies.iter().take(ANSWERS).map(answer).collect();
        question["suggestedAnswer"] = json!(answers);
    }
    let page =
        json!({ "@context": "https://schema.org", "@type": "QAPage", "mainEntity": question });
    in_script(&page)
}

/// JSON that cannot end the element of a script.
pub(crate) fn in_script(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
