//! The search.

use super::help::{Hit, PASSAGE};
use crate::views::PostRow;
use askama::Template;
use hearback_app::portal::{self, SeenEntry};
use hearback_app::rich_text;
use hearback_domain::fold::Folded;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::visit::{Answer, Request};

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    c: Chrome,
    search: String,
    posts: Vec<PostRow>,
    articles: Vec<Hit>,
    entries: Vec<Hit>,
}

/// `/search?q=`
pub(crate) async fn search(request: Request) -> Answer {
    let Request { visit, web, query, .. } = &request;
    let search: String = query.given("q").unwrap_or_default().chars().take(512).collect();
    let found = portal::search(&web.ports, visit, &search).await?;
    if found.is_empty() {
        request.count_miss(&search);
    }
    let (c, text) = (request.chrome(Part::None), Folded::new(search.trim()));
    request.page(&SearchPage {
        posts: found.posts.iter().map(|seen| PostRow::of(seen, visit, &c)).collect(),
        articles: found.articles.iter().map(|it| Hit::found(it, &text, &c)).collect(),
        entries: found.entries.iter().map(|it| of_entry(it, &text, &c)).collect(),
        search,
        c: Chrome { is_indexed: false, ..c },
    })
}

fn of_entry(SeenEntry { entry, .. }: &SeenEntry, search: &Folded, c: &Chrome) -> Hit {
    Hit {
        href: c.url(&format!("/changelog/{}", entry.slug.as_str())),
        title: rich_text::pieces(&entry.title, search),
        place: entry.published_at.map_or_else(String::new, |at| c.date(&at)),
        excerpt: rich_text::passage(&entry.content, search, PASSAGE),
    }
}
