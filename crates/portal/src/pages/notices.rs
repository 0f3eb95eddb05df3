//! The visitor's notifications.

use crate::cursor::Cursor;
use askama::Template;
use hearback_app::mail::line;
use hearback_app::portal::{self, SeenNotice};
use hearback_app::rich_text::beginning;
use hearback_app::words::Speech;
use hearback_domain::Time;
use hearback_domain::id::{MailingId, parse_uuid};
use hearback_domain::mail::{News, PostNews};
use hearback_ports::page::ByTime;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::text::MailWords;
use hearback_web::visit::{Answer, Request};

#[derive(Template)]
#[template(path = "notices.html")]
struct NoticesPage {
    c: Chrome,
    notices: Vec<NoticeView>,
    next: Option<String>,
}

struct NoticeView {
    id: MailingId,
    at: Time,
    is_unread: bool,
    /// What happened, or that it is gone.
    line: String,
    /// The beginning of the comment.
    text: String,
    /// The address of the page that tells more.
    href: Option<String>,
}

/// `GET /notifications`
pub(crate) async fn notices(request: Request) -> Answer {
    let Request { visit, web, .. } = &request;
    let after = ByTime::read(request.query.get("after"));
    let page = portal::notices(&web.ports, visit, after).await?;
    let c = Chrome { is_indexed: false, ..request.chrome(Part::None) };
    request.page(&NoticesPage {
        notices: page.items.into_iter().map(|seen| view(seen, &c)).collect(),
        next: page
            .next
            .map(|next| with_fields(&c.url("/notifications"), &[("after", &next.write())])),
        c,
    })
}

fn view(SeenNotice { id, at, is_unread, news }: SeenNotice, c: &Chrome) -> NoticeView {
    let speech = Speech::new(&MailWords::IN_PAGES, &[c.language.tag]);
    let comment = match &news {
        Some(News::Post(news)) => news.comment.as_ref(),
        _ => None,
    };
    NoticeView {
        id,
        at,
        is_unread,
        text: comment.map(|it| beginning(&it.content, LONGEST_TEXT)).unwrap_or_default(),
        href: news.as_ref().and_then(path).map(|path| c.url(&path)),
        line: news.map_or_else(|| c.t("notice-gone"), |news| line(&news, speech)),
    }
}

/// In characters.
const LONGEST_TEXT: usize = 200;

/// The page of a change.
fn path(news: &News) -> Option<String> {
    match news {
        News::Entry(entry) => Some(format!("/changelog/{}", entry.slug)),
        News::Queue => None,
        News::Post(news) => {
            let PostNews { post, comment, .. } = &**news;
            let place = comment.as_ref().map(|comment| format!("#c-{}", comment.id));
            Some(format!("/p/{}{}", post.slug, place.unwrap_or_default()))
        }
    }
}

/// `POST /notifications`: marks all as read.
pub(crate) async fn read_all(request: Request) -> Answer {
    request.form().await?;
    portal::read_notices(&request.web.ports, &request.visit, None).await?;
    Ok(request.see(&format!("{}/notifications", request.base)))
}

/// `POST /notifications/{id}`: marks one as read, and leads to its page.
pub(crate) async fn read(request: Request) -> Answer {
    let fields = request.form().await?;
    let id: MailingId = parse_uuid(request.part("id")).ok_or(Fault::Gone)?.into();
    let Request { visit, web, .. } = &request;
    portal::read_notices(&web.ports, visit, Some(id)).await?;
    Ok(match fields.given("to") {
        Some(to) => request.see(&request.own(to)),
        None => request.see(&format!("{}/notifications", request.base)),
    })
}
