//! The forms of posts, comments and votes.

use super::posts::{CommentForm, show, shown};
use crate::views::{Link, PostRow, VoteButton, vote_button};
use actix_web::HttpResponse;
use askama::Template;
use hearback_app::portal::{self, Act, DraftComment, DraftPost, Found, SeenPost};
use hearback_app::rich_text::{self, Breaks};
use hearback_app::{Error, Precondition, Repeat};
use hearback_domain::ClosedSet;
use hearback_domain::comment::Visibility;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::guest::Way;
use hearback_domain::id::{CommentId, parse_uuid};
use hearback_domain::subscription::Level;
use hearback_domain::text::{Content, LongText, Title, WrongLength};
use hearback_domain::vote::Target;
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::form::{Faults, Fields};
use hearback_web::guard::Guard;
use hearback_web::images::attach;
use hearback_web::recent::Earlier;
use hearback_web::visit::{Answer, Request};

#[derive(Template)]
#[template(path = "write.html")]
struct WritePage {
    c: Chrome,
    heading: String,
    action: String,
    back: String,
    title: String,
    text: String,
    category: String,
    categories: Vec<(String, String)>,
    boards: Vec<Link>,
    similar: Vec<PostRow>,
    similar_at: String,
    is_new: bool,
    guard: Guard,
    /// Whether a visitor may post without an account.
    takes_guests: bool,
    faults: Faults,
    submit: String,
    /// The name under which a script keeps the draft.
    draft_key: String,
}

#[derive(Template)]
#[template(path = "similar.html")]
struct SimilarPart {
    c: Chrome,
    similar: Vec<PostRow>,
}

#[derive(Template)]
#[template(path = "vote.html")]
pub(super) struct VotePart {
    pub(super) c: Chrome,
    pub(super) vote: VoteButton,
}

#[derive(Template)]
#[template(source = "{{ html|safe }}", ext = "html")]
struct PreviewPart {
    html: String,
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct ConfirmPage {
    c: Chrome,
    title: String,
    text: String,
    action: String,
    back: String,
    button: String,
}

#[derive(Template)]
#[template(path = "edit_comment.html")]
struct EditCommentPage {
    c: Chrome,
    action: String,
    back: String,
    text: String,
    guard: Guard,
    faults: Faults,
}

#[derive(Template)]
#[template(path = "act.html")]
struct ActPage {
    c: Chrome,
    heading: String,
    text: String,
    action: String,
    back: String,
    guard: Guard,
    faults: Faults,
}

/// `GET /b/{board}/new`: visitors who have not signed in may begin, and sign in when they submit.
pub(crate) async fn new(request: Request) -> Answer {
    shown(&request)?;
    let board = request.visit.board(request.part("board"))?.clone();
    let path = format!("{}/b/{}/new", request.base, board.slug.as_str());
    let typed = request.draft_of(&path).await?;
    let form = typed.as_ref().map_or_else(
        || PostForm {
            title: request.query.get("title").chars().take(512).collect(),
            text: board.post_template.clone().unwrap_or_default(),
            category: String::new(),
        },
        PostForm::of,
    );
    let typed = typed.unwrap_or_default();
    let guard = Guard::new(&request, &board, &typed).with_age_of(&request, &typed);
    write_page(&request, Some(&board), form, (guard, Faults::default())).await
}

/// The values of a form of a post.
pub(crate) struct PostForm {
    pub(crate) title: String,
    pub(crate) text: String,
    pub(crate) category: String,
}

impl PostForm {
    pub(crate) fn of(fields: &Fields) -> Self {
        Self {
            title: fields.get("title").trim().to_owned(),
            text: fields.lines("text"),
            category: fields.get("category").to_owned(),
        }
    }

    fn read(&self, request: &Request, board: &FeedbackBoard) -> Result<DraftPost, Faults> {
        let c = request.chrome(Part::None);
        let mut faults = Faults::default();
        let title = Title::parse(&self.title).map_err(|wrong| {
            faults.add(
                "title",
                match wrong {
                    WrongLength::Below(_) => c.t("fault-title-missing"),
                    WrongLength::Above(most) => c.n("fault-too-long", &(most as i64)),
                },
            );
        });
        let description = LongText::parse(&self.text).map_err(|wrong| {
            let (WrongLength::Above(most) | WrongLength::Below(most)) = wrong;
            faults.add("text", c.n("fault-too-long", &(most as i64)));
        });
        let categories = &request.visit.frame.categories;
        let category = categories.iter().find(|it| it.id.to_string() == self.category);
        if category.is_none() && !self.category.is_empty() {
            faults.add("category", c.t("fault-category"));
        }
        match (title, description) {
            (Ok(title), Ok(description)) if faults.is_empty() => Ok(DraftPost {
                board: board.id,
                title,
                description,
                category: category.map(|it| it.id),
            }),
            _ => Err(faults),
        }
    }
}

/// The form of a post: a new one on a board, or the present one.
pub(crate) async fn write_page(
    request: &Request,
    board: Option<&FeedbackBoard>,
    form: PostForm,
    (guard, faults): (Guard, Faults),
) -> Answer {
    let Request { visit, web, .. } = request;
    let c = request.chrome(Part::Feedback);
    let slug = request.part("slug");
    let (action, back, similar) = match board {
        Some(board) => {
            let path = format!("/b/{}", board.slug.as_str());
            let similar = portal::similar(&web.ports, visit, board.id, &form.title).await?;
            (c.url(&format!("{path}/new")), c.url(&path), similar)
        }
        None => (c.url(&format!("/p/{slug}/edit")), c.url(&format!("/p/{slug}")), vec![]),
    };
    let is_new = board.is_some();
    let boards = visit.boards().map(|it| Link {
        href: with_fields(
            &c.url(&format!("/b/{}/new", it.slug.as_str())),
            &[("title", &form.title)],
        ),
        text: it.name.clone(),
        is_here: board.is_some_and(|board| board.id == it.id),
    });
    let categories = visit.frame.categories.iter();
    let page = WritePage {
        heading: if is_new { c.t("new-title") } else { c.t("edit-title") },
        similar_at: board.map_or_else(String::new, |board| {
            c.url(&format!("/b/{}/similar", board.slug.as_str()))
        }),
        boards: if is_new { boards.collect() } else { vec![] },
        categories: categories.map(|it| (it.id.to_string(), it.name.clone())).collect(),
        similar: similar.iter().map(|seen| PostRow::of(seen, visit, &c)).collect(),
        takes_guests: board.is_some_and(|board| visit.way(board, false) != Some(Way::SignIn)),
        guard,
        submit: if is_new { c.t("new-submit") } else { c.t("save") },
        draft_key: if is_new { action.clone() } else { String::new() },
        title: form.title,
        text: form.text,
        category: form.category,
        is_new,
        action,
        back,
        faults,
        c,
    };
    request.page(&page)
}

/// `POST /b/{board}/new`
pub(crate) async fn submit(mut request: Request) -> Answer {
    shown(&request)?;
    request.count()?;
    let mut fields = request.form().await?;
    let image = attach(&request, &mut fields, "text").await?;
    let board = request.visit.board(request.part("board"))?.clone();
    let form = PostForm::of(&fields);
    let way = request.visit.way(&board, false);
    let guard = Guard::new(&request, &board, &fields);
    if let Some(faults) = image {
        return write_page(&request, Some(&board), form, (guard, faults)).await;
    }
    let mut read = form.read(&request, &board);
    if way == Some(Way::SignIn) || way.is_some() && fields.get("how") == "sign-in" {
        return match read {
            Ok(_) => Err(Fault::SignIn),
            Err(faults) => write_page(&request, Some(&board), form, (guard, faults)).await,
        };
    }
    let mut faults = read.as_mut().err().map(std::mem::take).unwrap_or_default();
    let guest = match way {
        Some(Way::Mail) => guard.guest(&request.chrome(Part::None), &mut faults),
        _ => None,
    };
    let number = request.judge(&fields, "title", &mut faults);
    let (Ok(draft), true) = (read, faults.is_empty()) else {
        return write_page(&request, Some(&board), form, (guard, faults)).await;
    };
    let nonce = fields.get("nonce");
    if let Some((name, email)) = guest {
        let act = Act::Post {
            board: board.id.0,
            title: form.title,
            text: form.text,
            category: draft.category.map(|id| id.0),
            form: nonce.to_owned(),
        };
        let return_to = format!("{}/b/{}", request.base, board.slug.as_str());
        return super::sign_in::confirm_act(&request, (&email, &name), &act, &return_to).await;
    }
    let typed = format!("{}\0{}", form.title, form.text);
    if let Some(earlier) = request.earlier(&typed, nonce)
        && let Some(answer) = same(&request, &earlier).await?
    {
        return Ok(answer);
    }
    request.welcome(&board).await?;
    let repeat = number.map(|key| Repeat::of_form("portal/submit", key, &typed));
    let slug = match portal::submit(&request.web.ports, &request.visit, draft, repeat).await {
        Ok(slug) => slug,
        Err(error) => {
            let fault = match error {
                Error::Refused(Precondition::NoDefaultStatus) => key("fault-no-status"),
                // The form was sent before, with another text.
                Error::KeyReused => key("doubt-old"),
                error => return Err(error.into()),
            };
            faults.add("title", request.language.text(fault));
            return write_page(&request, Some(&board), form, (guard, faults)).await;
        }
    };
    request.note(&typed, [slug.as_str(), "", nonce]);
    let path = format!("{}/p/{}", request.base, slug.as_str());
    let waits = seen(&request, slug.as_str()).await?.post.moderation == Moderation::Pending;
    let done = if waits { "waits" } else { "posted" };
    Ok(request.see(&with_fields(&path, &[("done", done)])))
}

/// Leads to what the same text has become earlier, if the visitor sees the post.
async fn same(request: &Request, earlier: &Earlier) -> Result<Option<HttpResponse>, Fault> {
    match seen(request, &earlier.post).await {
        Ok(_) => {
            let path = format!("{}/p/{}", request.base, earlier.post);
            let path = with_fields(&path, &[("done", "same")]);
            Ok(Some(request.see(&format!("{path}{}", earlier.place))))
        }
        // It is deleted, or waits and is somebody else's.
        Err(Fault::Gone) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// `GET /b/{board}/similar?title=`: for a script, the posts like the one that is being written.
pub(crate) async fn similar(request: Request) -> Answer {
    shown(&request)?;
    let Request { visit, web, .. } = &request;
    let (board, title) = (visit.board(request.part("board"))?, request.query.get("title"));
    let found = portal::similar(&web.ports, visit, board.id, title).await?;
    let c = request.chrome(Part::None);
    // A vote leads back to the page, of which this is a part.
    let page = c.url(&format!("/b/{}/new", board.slug.as_str()));
    let c = Chrome { here: with_fields(&page, &[("title", title)]), ..c };
    let similar = found.iter().map(|seen| PostRow::of(seen, visit, &c)).collect();
    request.fragment(&SimilarPart { c, similar })
}

/// `POST /preview`: for a script, a text as it will be shown.
pub(crate) async fn preview(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let text = fields.lines("text");
    let text: String = text.chars().take(65_536).collect();
    request
        .fragment(&PreviewPart { html: rich_text::shown(&text, Breaks::Hard, &request.base).html })
}

/// `GET /p/{slug}/vote` and `GET /p/{slug}/follow`: the form of a guest who has to give an address.
/// Other visitors act on the page of the post.
pub(crate) async fn ask_vote(request: Request) -> Answer {
    ask_act(&request, false).await
}

/// See [`ask_vote`].
pub(crate) async fn ask_follow(request: Request) -> Answer {
    ask_act(&request, true).await
}

/// An act for which a guest gives an address.
pub(super) struct Asked {
    pub(super) heading: String,
    pub(super) text: String,
    /// The path of the form.
    pub(super) action: String,
    /// The page that it belongs to.
    pub(super) back: String,
    pub(super) part: Part,
    pub(super) asks_name: bool,
}

impl Asked {
    /// The form, with what was typed.
    pub(super) fn page(self, request: &Request, typed: &Fields, faults: Faults) -> Answer {
        let Self { heading, text, action, back, part, asks_name } = self;
        let guard = Guard { asks_name, ..Guard::for_mail(request, typed) };
        let c = Chrome { is_indexed: false, ..request.chrome(part) };
        request.page(&ActPage { heading, text, action, back, guard, faults, c })
    }

    /// Mails to the guest what confirms the act, or shows the form again.
    pub(super) async fn send(self, request: &Request, typed: &Fields, act: &Act) -> Answer {
        let mut faults = Faults::default();
        let guard = Guard { asks_name: self.asks_name, ..Guard::for_mail(request, typed) };
        let guest = guard.guest(&request.chrome(Part::None), &mut faults);
        request.judge(typed, "email", &mut faults);
        match guest.filter(|_| faults.is_empty()) {
            Some((name, email)) => {
                super::sign_in::confirm_act(request, (&email, &name), act, &self.back).await
            }
            None => self.page(request, typed, faults),
        }
    }
}

async fn ask_act(request: &Request, follows: bool) -> Answer {
    shown(request)?;
    let found = seen(request, request.part("slug")).await?;
    let board = board_of(request, &found)?;
    let back = format!("{}/p/{}", request.base, found.post.slug.as_str());
    let takes = follows || board.is_voting_enabled;
    if request.visit.way(board, follows) != Some(Way::Mail) || !takes {
        return Ok(request.see(&request.own(&back)));
    }
    asked(request, &found, follows).page(request, &Fields::default(), Faults::default())
}

/// A vote for a post, or mails about it.
fn asked(request: &Request, SeenPost { post, .. }: &SeenPost, follows: bool) -> Asked {
    let c = request.chrome(Part::None);
    let back = format!("{}/p/{}", request.base, post.slug.as_str());
    let (heading, text, end) = match follows {
        false => (c.x("act-vote", "title", &post.title), c.t("act-vote-text"), "vote"),
        true => (c.x("act-follow", "title", &post.title), c.t("act-follow-text"), "follow"),
    };
    let action = format!("{back}/{end}");
    Asked { heading, text, action, back, part: Part::Feedback, asks_name: true }
}

fn board_of<'a>(request: &'a Request, seen: &SeenPost) -> Result<&'a FeedbackBoard, Fault> {
    request.visit.frame.board(seen.post.board_id).ok_or(Fault::Gone)
}

/// `POST /p/{slug}/vote`
pub(crate) async fn vote(mut request: Request) -> Answer {
    shown(&request)?;
    let fields = request.form().await?;
    let voted = fields.get("voted") != "no";
    let found = seen(&request, request.part("slug")).await?;
    let board = board_of(&request, &found)?.clone();
    if request.visit.way(&board, false) == Some(Way::Mail) {
        let act = Act::Vote { post: found.post.slug.as_str().to_owned() };
        return asked(&request, &found, false).send(&request, &fields, &act).await;
    }
    request.count_form()?;
    request.welcome(&board).await?;
    let Request { visit, web, .. } = &request;
    let slug = request.part("slug");
    portal::vote(&web.ports, visit, Target::Feedback(found.post.id), voted).await?;
    if request.wants_fragment() {
        let c = request.chrome(Part::None);
        let vote = vote_button(&seen(&request, slug).await?, visit, &c);
        return request.fragment(&VotePart { c, vote });
    }
    Ok(request.see(&back_to(&request, &fields, &format!("{}/p/{slug}", request.base))))
}

/// The page that a form stands on, if it says so.
pub(crate) fn back_to(request: &Request, fields: &Fields, otherwise: &str) -> String {
    match fields.given("back") {
        Some(back) => request.own(back),
        None => otherwise.to_owned(),
    }
}

async fn seen(request: &Request, slug: &str) -> Result<SeenPost, Fault> {
    match portal::glance(&request.web.ports, &request.visit, slug).await? {
        Found::Here(seen) => Ok(seen),
        Found::Moved(_) => Err(Fault::Gone),
    }
}

/// `POST /p/{slug}/comment`
pub(crate) async fn comment(mut request: Request) -> Answer {
    shown(&request)?;
    request.count()?;
    let mut fields = request.form().await?;
    let image = attach(&request, &mut fields, "text").await?;
    let (text, nonce) = (fields.lines("text"), fields.get("nonce"));
    let found = seen(&request, request.part("slug")).await?;
    let board = board_of(&request, &found)?.clone();
    let way = request.visit.way(&board, false);
    if way == Some(Way::SignIn) {
        return Err(Fault::SignIn);
    }
    let guard = Guard::new(&request, &board, &fields);
    let mut faults = Faults::default();
    if let Some(faults) = image {
        let parent = parent_of(&fields);
        return show(&request, CommentForm { text, parent, guard, faults }).await;
    }
    let content = content(&request, &text, &mut faults);
    let guest = match way {
        Some(Way::Mail) => guard.guest(&request.chrome(Part::None), &mut faults),
        _ => None,
    };
    let number = request.judge(&fields, "text", &mut faults);
    let parent = parent_of(&fields);
    let form = CommentForm { text, parent, guard, faults };
    let Some(content) = content.filter(|_| form.faults.is_empty()) else {
        return show(&request, form).await;
    };
    let slug = found.post.slug.as_str();
    if let Some((name, email)) = guest {
        let act = Act::Comment {
            post: slug.to_owned(),
            text: form.text,
            parent: parent.map(|id| id.0),
            form: nonce.to_owned(),
        };
        let return_to = format!("{}/p/{slug}", request.base);
        return super::sign_in::confirm_act(&request, (&email, &name), &act, &return_to).await;
    }
    // The same words may be a good comment on another post.
    let typed = format!("{}\0{}", found.post.id, form.text);
    if let Some(earlier) = request.earlier(&typed, nonce)
        && let Some(answer) = same(&request, &earlier).await?
    {
        return Ok(answer);
    }
    request.welcome(&board).await?;
    let draft = DraftComment { content, parent };
    let repeat = number.map(|key| Repeat::of_form("portal/comment", key, &form.text));
    let Request { visit, web, .. } = &request;
    let id = match portal::comment(&web.ports, visit, slug, draft, repeat).await {
        Ok(id) => id,
        Err(Error::KeyReused) => {
            let mut faults = Faults::default();
            faults.add("text", request.language.text(key("doubt-old")));
            return show(&request, CommentForm { faults, ..form }).await;
        }
        Err(error) => return Err(error.into()),
    };
    request.note(&typed, [slug, &format!("#c-{id}"), nonce]);
    let path = format!("{}/p/{slug}", request.base);
    let made = web.ports.comments.find(visit.organization(), id).await;
    let waits = made.is_ok_and(|it| it.is_some_and(|it| it.moderation == Moderation::Pending));
    let done = if waits { "waits" } else { "commented" };
    Ok(request.see(&format!("{}#c-{id}", with_fields(&path, &[("done", done)]))))
}

/// The comment that a form replies to.
pub(super) fn parent_of(fields: &Fields) -> Option<CommentId> {
    fields.given("parent").and_then(parse_uuid).map(CommentId::from)
}

fn content(request: &Request, text: &str, faults: &mut Faults) -> Option<Content> {
    let c = request.chrome(Part::None);
    let fault = |wrong| match wrong {
        WrongLength::Below(_) => c.t("fault-comment-missing"),
        WrongLength::Above(most) => c.n("fault-too-long", &(most as i64)),
    };
    Content::parse(text).map_err(|wrong| faults.add("text", fault(wrong))).ok()
}

/// `POST /p/{slug}/follow`
pub(crate) async fn follow(request: Request) -> Answer {
    shown(&request)?;
    let fields = request.form().await?;
    if request.visit.user().is_none() {
        let found = seen(&request, request.part("slug")).await?;
        if request.visit.way(board_of(&request, &found)?, true) != Some(Way::Mail) {
            return Err(Fault::SignIn);
        }
        let post = found.post.slug.as_str().to_owned();
        let act = Act::Follow { post, level: Level::All.code().to_owned() };
        return asked(&request, &found, true).send(&request, &fields, &act).await;
    }
    request.count_form()?;
    let level = match fields.get("level") {
        "all" => Some(Level::All),
        "status" => Some(Level::Status),
        _ => None,
    };
    let slug = request.part("slug");
    portal::follow(&request.web.ports, &request.visit, slug, level).await?;
    let path = format!("{}/p/{slug}", request.base);
    Ok(request.see(&with_fields(&path, &[("done", "saved")])))
}

/// The visitor's own post.
async fn own(request: &Request) -> Result<(SeenPost, FeedbackBoard), Fault> {
    shown(request)?;
    let user = request.visit.actor().ok_or(Fault::SignIn)?.user_id;
    let seen = seen(request, request.part("slug")).await?;
    let board = request.visit.frame.board(seen.post.board_id).cloned().ok_or(Fault::Gone)?;
    if seen.post.author_id == user { Ok((seen, board)) } else { Err(Fault::Gone) }
}

/// `GET /p/{slug}/edit`
pub(crate) async fn edit(request: Request) -> Answer {
    let (SeenPost { post, .. }, _) = own(&request).await?;
    let path = format!("{}/p/{}/edit", request.base, request.part("slug"));
    let typed = request.draft_of(&path).await?;
    let form = typed.as_ref().map_or_else(
        || PostForm {
            category: post.category_id.map_or_else(String::new, |id| id.to_string()),
            title: post.title,
            text: post.description,
        },
        PostForm::of,
    );
    let guard = Guard::of_actor(&request).with_age_of(&request, &typed.unwrap_or_default());
    write_page(&request, None, form, (guard, Faults::default())).await
}

/// `POST /p/{slug}/edit`
pub(crate) async fn save(request: Request) -> Answer {
    request.count()?;
    let mut fields = request.form().await?;
    let image = attach(&request, &mut fields, "text").await?;
    let (_, board) = own(&request).await?;
    let form = PostForm::of(&fields);
    if let Some(faults) = image {
        let guard = Guard::of_actor(&request);
        return write_page(&request, None, form, (guard, faults)).await;
    }
    let mut read = form.read(&request, &board);
    let mut faults = read.as_mut().err().map(std::mem::take).unwrap_or_default();
    request.judge(&fields, "title", &mut faults);
    let (Ok(draft), true) = (read, faults.is_empty()) else {
        let guard = Guard::of_actor(&request);
        return write_page(&request, None, form, (guard, faults)).await;
    };
    let slug = request.part("slug");
    portal::edit_post(&request.web.ports, &request.visit, slug, draft).await?;
    let path = format!("{}/p/{slug}", request.base);
    Ok(request.see(&with_fields(&path, &[("done", "saved")])))
}

/// `GET /p/{slug}/delete`
pub(crate) async fn ask_delete(request: Request) -> Answer {
    let (seen, _) = own(&request).await?;
    let c = request.chrome(Part::Feedback);
    let back = c.url(&format!("/p/{}", seen.post.slug.as_str()));
    request.page(&ConfirmPage {
        title: c.t("delete-post-title"),
        text: c.x("delete-post-text", "title", &seen.post.title),
        action: format!("{back}/delete"),
        button: c.t("delete"),
        back,
        c,
    })
}

/// `POST /p/{slug}/delete`
pub(crate) async fn delete(request: Request) -> Answer {
    shown(&request)?;
    request.form().await?;
    request.count_form()?;
    let Request { visit, web, .. } = &request;
    let board = portal::delete_post(&web.ports, visit, request.part("slug")).await?;
    let board = visit.frame.board(board);
    let path = board.map_or("/".to_owned(), |board| format!("/b/{}", board.slug.as_str()));
    let path = format!("{}{path}", request.base);
    Ok(request.see(&with_fields(&path, &[("done", "deleted")])))
}

fn comment_id(request: &Request) -> Result<CommentId, Fault> {
    parse_uuid(request.part("comment")).map(CommentId::from).ok_or(Fault::Gone)
}

/// The text of the visitor's own comment.
async fn own_comment(request: &Request) -> Result<String, Fault> {
    shown(request)?;
    let id = comment_id(request)?;
    let slug = request.part("slug");
    let user = request.visit.actor().ok_or(Fault::SignIn)?.user_id;
    let Request { visit, web, .. } = request;
    let post = seen(request, slug).await?.post.id;
    let found = web.ports.comments.find(visit.organization(), id).await;
    let found = found.map_err(Error::from)?;
    let is_own = |it: &hearback_domain::comment::Comment| {
        it.author_id == user && it.feedback_post_id == post && it.visibility == Visibility::Public
    };
    found.filter(is_own).map(|it| it.content).ok_or(Fault::Gone)
}

/// `GET /p/{slug}/c/{comment}`
pub(crate) async fn edit_comment(request: Request) -> Answer {
    let text = own_comment(&request).await?;
    let (slug, id) = (request.part("slug"), request.part("comment"));
    let typed = request.draft_of(&format!("{}/p/{slug}/c/{id}", request.base)).await?;
    let text = typed.as_ref().map_or(text, |typed| typed.lines("text"));
    let guard = Guard::of_actor(&request).with_age_of(&request, &typed.unwrap_or_default());
    edit_comment_page(&request, text, (guard, Faults::default()))
}

fn edit_comment_page(request: &Request, text: String, (guard, faults): (Guard, Faults)) -> Answer {
    let c = request.chrome(Part::Feedback);
    let back = c.url(&format!("/p/{}", request.part("slug")));
    let action = format!("{back}/c/{}", request.part("comment"));
    request.page(&EditCommentPage { c, action, back, text, guard, faults })
}

/// `POST /p/{slug}/c/{comment}`
pub(crate) async fn save_comment(request: Request) -> Answer {
    request.count()?;
    let mut fields = request.form().await?;
    let image = attach(&request, &mut fields, "text").await?;
    let text = fields.lines("text");
    own_comment(&request).await?;
    if let Some(faults) = image {
        return edit_comment_page(&request, text, (Guard::of_actor(&request), faults));
    }
    let mut faults = Faults::default();
    let content = content(&request, &text, &mut faults);
    request.judge(&fields, "text", &mut faults);
    let Some(content) = content.filter(|_| faults.is_empty()) else {
        return edit_comment_page(&request, text, (Guard::of_actor(&request), faults));
    };
    let id = comment_id(&request)?;
    portal::edit_comment(&request.web.ports, &request.visit, id, content).await?;
    let path = format!("{}/p/{}", request.base, request.part("slug"));
    Ok(request.see(&format!("{}#c-{id}", with_fields(&path, &[("done", "saved")]))))
}

/// `GET /p/{slug}/c/{comment}/delete`
pub(crate) async fn ask_delete_comment(request: Request) -> Answer {
    let text = own_comment(&request).await?;
    let c = request.chrome(Part::Feedback);
    let back = c.url(&format!("/p/{}", request.part("slug")));
    request.page(&ConfirmPage {
        title: c.t("delete-comment-title"),
        text: rich_text::beginning(&text, 200),
        action: format!("{back}/c/{}/delete", request.part("comment")),
        button: c.t("delete"),
        back,
        c,
    })
}

/// `POST /p/{slug}/c/{comment}/delete`
pub(crate) async fn delete_comment(request: Request) -> Answer {
    request.form().await?;
    request.count_form()?;
    own_comment(&request).await?;
    let id = comment_id(&request)?;
    portal::delete_comment(&request.web.ports, &request.visit, id).await?;
    let path = format!("{}/p/{}", request.base, request.part("slug"));
    Ok(request.see(&with_fields(&path, &[("done", "deleted")])))
}
