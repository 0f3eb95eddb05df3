//! Feeds, and what search engines read.

use crate::chrome::{Chrome, Part};
use crate::fault::Fault;
use crate::visit::{Answer, Request, protect};
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use askama::Template;
use hearback_app::portal;
use hearback_app::rich_text::{self, Breaks};
use hearback_domain::Time;
use hearback_domain::feedback_post::PostSort;
use hearback_ports::Limit;
use hearback_ports::page::PageRequest;
use serde_json::json;

#[derive(Template)]
#[template(path = "feed.xml", escape = "xml")]
struct Atom {
    lang: &'static str,
    title: String,
    here: String,
    home: String,
    updated: Time,
    author: String,
    items: Vec<Item>,
}

struct Item {
    href: String,
    title: String,
    html: String,
    published: Time,
    updated: Time,
    author: String,
}

/// `/feeds/{feed}`: `posts`, `changelog`, or the slug of a board, as `.atom` or `.json`.
pub(crate) async fn feed(request: Request) -> Answer {
    let Request { visit, portal, .. } = &request;
    let settings = &visit.frame.organization.portal;
    let (name, form) = request.part("feed").rsplit_once('.').ok_or(Fault::Gone)?;
    let c = Chrome { language: request.language, ..request.chrome(Part::None) };
    let (title, home, items) = if name == "changelog" {
        if !settings.shows_changelog {
            return Err(Fault::Gone);
        }
        let first = PageRequest { after: None, limit: Limit::DEFAULT };
        let found = portal::entries(&portal.ports, visit, (None, None), first).await?;
        let item = |seen: &portal::SeenEntry| Item {
            href: c.full_url(&format!("/changelog/{}", seen.entry.slug.as_str())),
            title: seen.entry.title.clone(),
            html: rich_text::shown(&seen.entry.content, Breaks::Soft, &c.full_url("")).html,
            published: seen.entry.published_at.unwrap_or(seen.entry.created_at),
            updated: seen.entry.updated_at,
            author: c.name.clone(),
        };
        let items: Vec<Item> = found.items.iter().map(item).collect();
        (c.t("tab-changelog"), c.full_url("/changelog"), items)
    } else {
        super::posts::shown(&request)?;
        let board = match name {
            "posts" => None,
            slug => Some(visit.board(slug)?),
        };
        let found = portal::feed(&portal.ports, visit, board.map(|board| board.id)).await?;
        let item = |seen: &portal::SeenPost| Item {
            href: c.full_url(&format!("/p/{}", seen.post.slug.as_str())),
            title: seen.post.title.clone(),
            html: rich_text::shown(&seen.post.description, Breaks::Hard, &c.full_url("")).html,
            published: seen.post.created_at,
            updated: seen.post.updated_at,
            author: match seen.author.name.is_empty() {
                true => c.t("someone"),
                false => seen.author.name.clone(),
            },
        };
        let items: Vec<Item> = found.iter().map(item).collect();
        let home = board.map_or("/".to_owned(), |board| format!("/b/{}", board.slug.as_str()));
        let title = board.map_or_else(|| c.t("tab-feedback"), |board| board.name.clone());
        (title, c.full_url(&home), items)
    };
    let title = format!("{}: {title}", c.name);
    let here = c.full_url(&format!("/feeds/{name}.{form}"));
    let (content_type, body) = match form {
        "atom" => {
            let updated = items.iter().map(|item| item.updated).max();
            let feed = Atom {
                lang: request.language.tag,
                updated: updated.unwrap_or(visit.frame.organization.created_at),
                author: c.name.clone(),
                title,
                here,
                home,
                items,
            };
            ("application/atom+xml; charset=utf-8", xml(&feed)?)
        }
        "json" => {
            let item = |item: &Item| {
                json!({
                    "id": item.href,
                    "url": item.href,
                    "title": item.title,
                    "content_html": item.html,
                    "date_published": item.published.to_string(),
                    "date_modified": item.updated.to_string(),
                    "authors": [{ "name": item.author }],
                })
            };
            let feed = json!({
                "version": "https://jsonfeed.org/version/1.1",
                "title": title,
                "home_page_url": home,
                "feed_url": here,
                "language": request.language.tag,
                "items": items.iter().map(item).collect::<Vec<_>>(),
            });
            ("application/feed+json; charset=utf-8", feed.to_string())
        }
        _ => return Err(Fault::Gone),
    };
    file(&request, content_type, body)
}

/// A document without the characters that XML has no way to write.
fn xml(document: &impl Template) -> Result<String, Fault> {
    let text = document.render().map_err(|_| Fault::Gone)?;
    let is_no_xml = |c: char| {
        c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{7f}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    Ok(if text.contains(is_no_xml) { text.replace(is_no_xml, "\u{fffd}") } else { text })
}

fn file(request: &Request, content_type: &'static str, body: String) -> Answer {
    let mut response = HttpResponse::Ok();
    protect(&mut response, false);
    if !request.is_indexed() {
        response.insert_header(("x-robots-tag", "noindex"));
    }
    Ok(response
        .insert_header((CONTENT_TYPE, content_type))
        .insert_header((CACHE_CONTROL, "private, max-age=300"))
        .body(body))
}

#[derive(Template)]
#[template(path = "sitemap.xml", escape = "xml")]
struct Sitemap {
    pages: Vec<(String, Option<Time>)>,
}

/// `/sitemap.xml`: the first pages of each part. Search engines find the others from there.
pub(crate) async fn sitemap(request: Request) -> Answer {
    if !request.is_indexed() {
        return Err(Fault::Gone);
    }
    let Request { visit, portal, .. } = &request;
    let settings = &visit.frame.organization.portal;
    let ports = &portal.ports;
    // What is shown to those who have not signed in, whoever asks.
    let guest = portal::Visit::of_nobody(std::sync::Arc::clone(&visit.frame));
    let c = request.chrome(Part::None);
    let mut pages = vec![(c.full_url("/"), None)];
    let limit = Limit::new(Limit::MAX).unwrap_or(Limit::DEFAULT);
    if settings.shows_feedback {
        let boards = guest.boards().map(|it| format!("/b/{}", it.slug.as_str()));
        pages.extend(boards.map(|path| (c.full_url(&path), None)));
        let (query, sort) = (portal::PostsQuery::default(), PostSort::Votes);
        let mut page = PageRequest { after: None, limit };
        for _ in 0..PAGES {
            let found = portal::posts(ports, &guest, query.clone(), sort, page).await?;
            let of = |it: &portal::SeenPost| {
                let path = format!("/p/{}", it.post.slug.as_str());
                (c.full_url(&path), Some(it.post.updated_at))
            };
            pages.extend(found.items.iter().map(of));
            let Some(next) = found.next else { break };
            page = PageRequest { after: Some(next), limit };
        }
    }
    if settings.shows_roadmap && !c.tabs.iter().all(|tab| !tab.href.ends_with("/roadmap")) {
        pages.push((c.full_url("/roadmap"), None));
    }
    if settings.shows_changelog {
        let first = PageRequest { after: None, limit };
        let found = portal::entries(ports, &guest, (None, None), first).await?;
        pages.push((c.full_url("/changelog"), None));
        pages.extend(found.items.iter().map(|it| {
            let path = format!("/changelog/{}", it.entry.slug.as_str());
            (c.full_url(&path), Some(it.entry.updated_at))
        }));
    }
    match portal::collections(ports, &guest).await {
        Ok(collections) => {
            pages.push((c.full_url("/help"), None));
            for collection in collections {
                let slug = collection.slug.as_str();
                pages.push((c.full_url(&format!("/help/{slug}")), None));
                let found = portal::collection(ports, &guest, (slug, None), None).await?;
                pages.extend(
                    found
                        .articles
                        .items
                        .iter()
                        .map(|it| (c.full_url(&portal::address(it)), Some(it.updated_at))),
                );
            }
        }
        Err(hearback_app::Error::NotFound(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let body = xml(&Sitemap { pages })?;
    file(&request, "application/xml; charset=utf-8", body)
}

/// The most pages of posts in the sitemap: a thousand posts.
const PAGES: usize = 10;

/// `/robots.txt`
pub(crate) async fn robots(request: Request) -> Answer {
    let c = request.chrome(Part::None);
    let body = match request.is_indexed() {
        true => format!(
            "User-agent: *\nDisallow: {base}/sign-in\nDisallow: {base}/account\nDisallow: {base}/search\n\
             Sitemap: {}\n",
            c.full_url("/sitemap.xml"),
            base = c.base,
        ),
        false => "User-agent: *\nDisallow: /\n".to_owned(),
    };
    file(&request, "text/plain; charset=utf-8", body)
}
