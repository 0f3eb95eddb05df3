//! Feeds, and what search engines read.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, VARY};
use askama::Template;
use hearback_app::portal;
use hearback_app::rich_text::{self, Breaks};
use hearback_domain::Time;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::help_redirect::Path;
use hearback_domain::id::parse_uuid;
use hearback_domain::record::Kind;
use hearback_ports::Limit;
use hearback_ports::page::PageRequest;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::visit::{Answer, ROBOTS, Request, protect};
use serde_json::json;
use std::sync::Arc;

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

/// The path of the feed of a board, without the end that names its form. A board whose slug is the
/// name of another feed has a path of its own.
pub(crate) fn path_of(board: &FeedbackBoard) -> String {
    let slug = board.slug.as_str();
    match slug {
        POSTS | CHANGELOG => format!("{OF_BOARDS}{slug}"),
        _ => format!("/feeds/{slug}"),
    }
}

const POSTS: &str = "posts";
const CHANGELOG: &str = "changelog";
const OF_BOARDS: &str = "/feeds/b/";

/// `/feeds/{feed}`: `posts`, `changelog`, or the slug of a board, as `.atom` or `.json`.
pub(crate) async fn feed(request: Request) -> Answer {
    answer(request, false).await
}

/// `/feeds/b/{feed}`: the slug of a board.
pub(crate) async fn of_board(request: Request) -> Answer {
    answer(request, true).await
}

async fn answer(request: Request, is_board: bool) -> Answer {
    let Request { visit, web, .. } = &request;
    let settings = &visit.frame.organization.portal;
    let (name, form) = request.part("feed").rsplit_once('.').ok_or(Fault::Gone)?;
    let c = Chrome { language: request.language, ..request.chrome(Part::None) };
    let mut path = format!("/feeds/{name}");
    let (title, home, items) = if name == CHANGELOG && !is_board {
        if !settings.shows_changelog {
            return Err(Fault::Gone);
        }
        let first = PageRequest { after: None, limit: Limit::DEFAULT };
        let found = portal::entries(&web.ports, visit, (None, None), first).await?;
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
            POSTS if !is_board => None,
            slug => Some(visit.board(slug)?),
        };
        path = board.map_or(path, path_of);
        let found = portal::feed(&web.ports, visit, board.map(|board| board.id)).await?;
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
    let here = c.full_url(&format!("{path}.{form}"));
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
        response.insert_header((ROBOTS, "noindex"));
    }
    response
        .insert_header((CONTENT_TYPE, content_type))
        .insert_header((CACHE_CONTROL, "private, max-age=300"))
        .insert_header((VARY, "Cookie, Accept-Language"));
    Ok(request.tagged(response, body))
}

#[derive(Template)]
#[template(path = "sitemaps.xml", escape = "xml")]
struct Sitemaps {
    maps: Vec<String>,
}

#[derive(Template)]
#[template(path = "sitemap.xml", escape = "xml")]
struct Sitemap {
    pages: Vec<(String, Option<Time>)>,
}

const XML: &str = "application/xml; charset=utf-8";

/// The names of the sitemaps of records.
fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::FeedbackPost => "posts",
        Kind::ChangelogEntry => "entries",
        _ => "articles",
    }
}

/// `/sitemap.xml`: the sitemaps, which have all pages together. They are for those whom nobody
/// knows, whoever asks.
pub(crate) async fn sitemaps(request: Request) -> Answer {
    if !request.is_indexed() {
        return Err(Fault::Gone);
    }
    let Request { visit, web, .. } = &request;
    let c = request.chrome(Part::None);
    let mut maps = vec![c.full_url("/sitemap-pages.xml")];
    for kind in portal::MAPPED {
        let path = format!("/sitemap-{}.xml", name_of(kind));
        let found = portal::maps(&web.ports, visit, kind).await?;
        maps.extend(found.into_iter().map(|after| {
            let after = after.map_or_else(String::new, |id| id.to_string());
            c.full_url(&with_fields(&path, &[("after", &after)]))
        }));
    }
    file(&request, XML, xml(&Sitemaps { maps })?)
}

/// `/sitemap-{part}.xml`: a sitemap.
pub(crate) async fn sitemap(request: Request) -> Answer {
    if !request.is_indexed() {
        return Err(Fault::Gone);
    }
    let Request { visit, web, query, .. } = &request;
    let (part, after) = (request.part("part"), query.given("after"));
    let pages = match portal::MAPPED.into_iter().find(|kind| name_of(*kind) == part) {
        Some(kind) => {
            let after = after.map(|after| parse_uuid(after).ok_or(Fault::Gone)).transpose()?;
            let c = request.chrome(Part::None);
            let found = portal::map(&web.ports, visit, kind, after).await?;
            let page = |(path, at): &(Path, Time)| (c.full_url(path.as_str()), Some(*at));
            found.iter().map(page).collect()
        }
        None if part == "pages" => pages(&request).await?,
        None => return Err(Fault::Gone),
    };
    file(&request, XML, xml(&Sitemap { pages })?)
}

/// The pages that are lists.
async fn pages(request: &Request) -> Result<Vec<(String, Option<Time>)>, Fault> {
    let guest = portal::Visit::of_nobody(Arc::clone(&request.visit.frame));
    let c = request.chrome(Part::None);
    let tabs = Chrome::tabs(&guest, "", request.language, Part::None);
    let mut paths = vec!["/".to_owned()];
    paths.extend(tabs.into_iter().map(|tab| tab.href).filter(|path| path != "/"));
    paths.extend(guest.boards().map(|it| format!("/b/{}", it.slug.as_str())));
    match portal::collections(&request.web.ports, &guest).await {
        Ok(all) => paths.extend(all.iter().map(|it| format!("/help/{}", it.slug.as_str()))),
        Err(hearback_app::Error::NotFound(_)) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(paths.iter().map(|path| (c.full_url(path), None)).collect())
}

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
