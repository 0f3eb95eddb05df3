//! The search.

use super::help::Hit;
use crate::chrome::{Chrome, Part};
use crate::views::{Link, PostRow};
use crate::visit::{Answer, Request};
use askama::Template;
use hearback_app::portal;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    c: Chrome,
    search: String,
    posts: Vec<PostRow>,
    articles: Vec<Hit>,
    entries: Vec<Link>,
}

/// `/search?q=`
pub(crate) async fn search(request: Request) -> Answer {
    let Request { visit, portal, query, .. } = &request;
    let search: String = query.given("q").unwrap_or_default().chars().take(512).collect();
    let found = portal::search(&portal.ports, visit, &search).await?;
    let c = request.chrome(Part::None);
    request.page(&SearchPage {
        posts: found.posts.iter().map(|seen| PostRow::of(seen, visit, &c)).collect(),
        articles: found.articles.iter().map(|article| Hit::of(article, &c)).collect(),
        entries: found
            .entries
            .iter()
            .map(|seen| Link {
                href: c.url(&format!("/changelog/{}", seen.entry.slug.as_str())),
                text: seen.entry.title.clone(),
                is_here: false,
            })
            .collect(),
        search,
        c: Chrome { is_indexed: false, ..c },
    })
}
