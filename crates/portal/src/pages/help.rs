//! The help center.

use crate::cursor::Cursor;
use crate::views::Link;
use askama::Template;
use hearback_app::portal::{self, ArticlePage, CollectionPage, FoundArticle, Used};
use hearback_app::rich_text::{self, Breaks, Heading, Piece};
use hearback_domain::Time;
use hearback_domain::fold::Folded;
use hearback_domain::help_article::ArticleSummary;
use hearback_domain::help_redirect::Path;
use hearback_domain::id::{HelpArticleId, parse_uuid};
use hearback_ports::Limit;
use hearback_ports::page::ByArticle;
use hearback_web::chrome::{Chrome, Part};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::visit::{Answer, Request};
use serde_json::json;

#[derive(Template)]
#[template(path = "help.html")]
struct HelpPage {
    c: Chrome,
    canonical: String,
    collections: Vec<(Link, String)>,
    search: String,
    found: Vec<Hit>,
}

/// An article in a list.
pub(crate) struct Hit {
    pub(crate) href: String,
    pub(crate) title: Vec<Piece>,
    pub(crate) place: String,
    pub(crate) excerpt: Vec<Piece>,
}

impl Hit {
    pub(crate) fn of(article: &ArticleSummary, c: &Chrome) -> Self {
        let place = match &article.category {
            Some(category) => format!("{} › {}", article.collection.name, category.name),
            None => article.collection.name.clone(),
        };
        let nothing = Folded::new("");
        Self {
            href: c.url(&portal::address(article)),
            title: rich_text::pieces(&article.title, &nothing),
            place,
            excerpt: rich_text::pieces(article.excerpt.as_deref().unwrap_or_default(), &nothing),
        }
    }

    /// The article, with the place that a search has found.
    pub(crate) fn found(found: &FoundArticle, search: &Folded, c: &Chrome) -> Self {
        let FoundArticle { article, content } = found;
        let passage = rich_text::passage(content, search, PASSAGE);
        let is_found = passage.iter().any(|piece| piece.is_hit);
        let excerpt = article.excerpt.as_deref().unwrap_or_default();
        let beginning = rich_text::passage(excerpt, search, PASSAGE);
        Self {
            title: rich_text::pieces(&article.title, search),
            excerpt: if is_found || beginning.is_empty() { passage } else { beginning },
            ..Self::of(article, c)
        }
    }
}

/// The most characters that are shown around what a search has found.
pub(crate) const PASSAGE: usize = 200;

#[derive(Template)]
#[template(path = "collection.html")]
struct CollectionView {
    c: Chrome,
    canonical: String,
    title: String,
    text: String,
    collection: Link,
    categories: Vec<Link>,
    groups: Vec<(String, Vec<Hit>)>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "article.html")]
struct ArticleView {
    c: Chrome,
    canonical: String,
    title: String,
    excerpt: String,
    html: String,
    headings: Vec<Heading>,
    trail: Vec<Link>,
    updated_at: Time,
    related: Vec<Hit>,
    before: Option<Link>,
    behind: Option<Link>,
    answer_at: String,
    json_ld: String,
}

/// `/help`, with a search or without.
pub(crate) async fn home(request: Request) -> Answer {
    let Request { visit, web, query, .. } = &request;
    let collections = portal::collections(&web.ports, visit).await?;
    let search: String = query.given("q").unwrap_or_default().chars().take(512).collect();
    let found = match search.is_empty() {
        true => vec![],
        false => portal::article_search(&web.ports, visit, &search, Limit::DEFAULT).await?,
    };
    if found.is_empty() {
        request.count_miss(&search);
    }
    let c = request.chrome(Part::Help);
    let link = |it: &hearback_domain::help_collection::HelpCollection| {
        let href = c.url(&format!("/help/{}", it.slug.as_str()));
        (Link { href, text: it.name.clone(), is_here: false }, it.description.clone())
    };
    request.page(&HelpPage {
        canonical: c.full_url("/help"),
        collections: collections.iter().map(link).collect(),
        found: found.iter().map(|it| Hit::found(it, &Folded::new(search.trim()), &c)).collect(),
        search,
        c,
    })
}

/// `/help/{collection}`, or one of its categories by `?category=`.
pub(crate) async fn collection(request: Request) -> Answer {
    let Request { visit, web, query, .. } = &request;
    let slug = request.part("collection");
    let after = ByArticle::read(query.get("after"));
    let category = query.given("category");
    let found = portal::collection(&web.ports, visit, (slug, category), after).await;
    let found = match found {
        Ok(found) => found,
        // A collection may have another slug now.
        Err(hearback_app::Error::NotFound(_)) => return moved(&request).await,
        Err(error) => return Err(error.into()),
    };
    let CollectionPage { collection, categories, category, articles } = found;
    let c = request.chrome(Part::Help);
    let path = format!("/help/{}", collection.slug.as_str());
    let own = c.url(&path);
    let mut groups: Vec<(String, Vec<Hit>)> = vec![];
    let name_of = |article: &ArticleSummary| {
        article.category.as_ref().map(|it| it.name.clone()).unwrap_or_default()
    };
    for article in &articles.items {
        let name = name_of(article);
        match groups.iter_mut().find(|(group, _)| *group == name) {
            Some((_, hits)) => hits.push(Hit::of(article, &c)),
            None => groups.push((name, vec![Hit::of(article, &c)])),
        }
    }
    let place = |name: &str| categories.iter().position(|it| it.name == name);
    groups.sort_by_key(|(name, _)| place(name).map_or(0, |place| place + 1));
    let chosen = category.as_ref().map(|it| it.slug.as_str()).unwrap_or_default();
    let next = articles
        .next
        .map(|next| with_fields(&own, &[("category", chosen), ("after", &next.write())]));
    request.page(&CollectionView {
        canonical: c.full_url(&with_fields(&path, &[("category", chosen)])),
        title: category.as_ref().map_or_else(|| collection.name.clone(), |it| it.name.clone()),
        text: match &category {
            Some(category) => category.description.clone().unwrap_or_default(),
            None => collection.description.clone(),
        },
        categories: categories
            .iter()
            .map(|it| Link {
                href: with_fields(&own, &[("category", it.slug.as_str())]),
                text: it.name.clone(),
                is_here: category.as_ref().is_some_and(|category| category.id == it.id),
            })
            .collect(),
        collection: Link { href: own, text: collection.name, is_here: category.is_none() },
        groups,
        next,
        c,
    })
}

/// The path of the request within the portal.
fn path_of(request: &Request) -> Result<Path, Fault> {
    let path = request.http.path();
    let organization = request.part("organization");
    let inner = match organization.is_empty() {
        true => Some(path),
        false => path.strip_prefix("/o/").and_then(|path| path.strip_prefix(organization)),
    };
    inner.and_then(|path| Path::parse(path).ok()).ok_or(Fault::Gone)
}

async fn moved(request: &Request) -> Answer {
    let (ports, organization) = (&request.web.ports, request.visit.organization());
    let to = hearback_app::help_redirects::resolve(ports, organization, path_of(request)?).await?;
    to.map(|to| request.moved(to.as_str())).ok_or(Fault::Gone)
}

/// `/help/{collection}/{article}` and `/help/{collection}/{category}/{article}`
pub(crate) async fn article(request: Request) -> Answer {
    let Request { visit, web, .. } = &request;
    let found = match portal::article(&web.ports, visit, &path_of(&request)?).await? {
        Ok(found) => found,
        Err(to) => return Ok(request.moved(to.as_str())),
    };
    let ArticlePage { article, related, around } = found;
    request.count_use(Used::View(article.summary.id));
    let c = request.chrome(Part::Help);
    let rich = rich_text::shown(&article.content, Breaks::Soft, &request.base);
    let summary = &article.summary;
    let canonical = c.full_url(&portal::address(summary));
    let collection = c.url(&format!("/help/{}", summary.collection.slug.as_str()));
    let mut trail = vec![
        Link { href: c.url("/help"), text: c.t("tab-help"), is_here: false },
        Link { href: collection.clone(), text: summary.collection.name.clone(), is_here: false },
    ];
    trail.extend(summary.category.as_ref().map(|it| Link {
        href: with_fields(&collection, &[("category", it.slug.as_str())]),
        text: it.name.clone(),
        is_here: false,
    }));
    let json_ld = match request.is_indexed() {
        true => {
            let crumbs = trail.iter().enumerate().map(|(place, link)| {
                json!({
                    "@type": "ListItem",
                    "position": place + 1,
                    "name": link.text,
                    "item": c.full_url(link.href.strip_prefix(&*c.base).unwrap_or(&link.href)),
                })
            });
            super::posts::in_script(&json!({
                "@context": "https://schema.org",
                "@graph": [
                    {
                        "@type": "Article",
                        "headline": summary.title,
                        "dateModified": summary.updated_at.to_string(),
                        "author": { "@type": "Organization", "name": c.name },
                        "url": canonical,
                    },
                    { "@type": "BreadcrumbList", "itemListElement": crumbs.collect::<Vec<_>>() },
                ],
            }))
        }
        false => String::new(),
    };
    let [before, behind] = around.map(|found| {
        found.map(|it| Link {
            href: c.url(&portal::address_beside(summary, &it.slug)),
            text: it.title,
            is_here: false,
        })
    });
    let excerpt = summary.excerpt.clone();
    request.page(&ArticleView {
        title: summary.title.clone(),
        excerpt: excerpt.unwrap_or_else(|| rich_text::beginning(&article.content, 160)),
        html: rich.html,
        headings: rich.headings,
        trail,
        updated_at: summary.updated_at,
        related: related.iter().map(|it| Hit::of(it, &c)).collect(),
        before,
        behind,
        answer_at: c.url(&format!("/help/answer/{}", summary.id)),
        canonical,
        json_ld,
        c,
    })
}

/// `POST /help/answer/{article}`
pub(crate) async fn answer(request: Request) -> Answer {
    if !request.visit.frame.organization.portal.shows_help {
        return Err(Fault::Gone);
    }
    request.count()?;
    let fields = request.form().await?;
    let id: HelpArticleId = parse_uuid(request.part("article")).ok_or(Fault::Gone)?.into();
    let is_helpful = fields.get("helpful") == "yes";
    portal::answer(&request.web.ports, &request.visit, id, is_helpful).await?;
    let back = super::writing::back_to(&request, &fields, &format!("{}/help", request.base));
    let back = back.split('?').next().unwrap_or("/");
    Ok(request.see(&with_fields(back, &[("done", "thanks")])))
}
