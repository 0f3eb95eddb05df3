//! The changelog.

use super::writing::Asked;
use crate::cursor::Cursor;
use crate::views::{Choice, Face, Link};
use askama::Template;
use hearback_app::portal::{self, Act, EntryPage, Found, SeenEntry};
use hearback_app::rich_text::{self, Breaks};
use hearback_domain::changelog_entry::EntryType;
use hearback_domain::user::User;
use hearback_domain::{ClosedSet, Time};
use hearback_ports::Limit;
use hearback_ports::page::{ByOptionalTime, PageRequest};
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::form::{Faults, Fields};
use hearback_web::visit::{Answer, Request};
use serde_json::json;

#[derive(Template)]
#[template(path = "changelog.html")]
struct ChangelogPage {
    c: Chrome,
    canonical: String,
    entries: Vec<EntryView>,
    types: Vec<Choice>,
    labels: Vec<Choice>,
    next: Option<String>,
    is_filtered: bool,
    is_subscribed: bool,
    /// Whether a visitor gets mails without an account.
    takes_guests: bool,
}

#[derive(Template)]
#[template(path = "entry.html")]
struct EntryPageView {
    c: Chrome,
    canonical: String,
    excerpt: String,
    entry: EntryView,
    posts: Vec<Link>,
    json_ld: String,
}

struct EntryView {
    href: String,
    title: String,
    html: String,
    at: Option<Time>,
    image: Option<String>,
    /// The words of the classification.
    kind: Option<String>,
    /// Its code.
    code: &'static str,
    labels: Vec<(String, String)>,
    author: Option<Face>,
}

impl EntryView {
    fn of(seen: &SeenEntry, request: &Request, c: &Chrome) -> Self {
        let SeenEntry { entry, author } = seen;
        let labels = entry.label_ids.iter().filter_map(|id| request.visit.frame.label(*id));
        Self {
            href: c.url(&format!("/changelog/{}", entry.slug.as_str())),
            title: entry.title.clone(),
            html: rich_text::shown(&entry.content, Breaks::Soft, &c.base).html,
            at: entry.published_at,
            image: entry.featured_image_url.clone(),
            kind: entry.entry_type.map(|it| c.t(words(it))),
            code: entry.entry_type.map_or("", ClosedSet::code),
            labels: labels.map(|it| (it.id.to_string(), it.name.clone())).collect(),
            author: author.as_ref().map(|it| Face::of(it, c)),
        }
    }
}

fn words(entry_type: EntryType) -> &'static str {
    match entry_type {
        EntryType::New => key("entry-new"),
        EntryType::Improvement => key("entry-improvement"),
        EntryType::Fixed => key("entry-fixed"),
    }
}

fn shown(request: &Request) -> Result<(), Fault> {
    match request.visit.frame.organization.portal.shows_changelog {
        true => Ok(()),
        false => Err(Fault::Gone),
    }
}

/// `/changelog`
pub(crate) async fn entries(request: Request) -> Answer {
    shown(&request)?;
    let Request { visit, web, query, .. } = &request;
    let (kind, label) = (query.get("type"), query.get("label"));
    let chosen_kind = EntryType::parse(kind);
    let chosen_label = visit.frame.labels.iter().find(|it| it.id.to_string() == label);
    if !kind.is_empty() && chosen_kind.is_none() || !label.is_empty() && chosen_label.is_none() {
        return Err(Fault::Gone);
    }
    let after = ByOptionalTime::read(query.get("after"));
    let page = PageRequest { after, limit: Limit::new(PAGE).unwrap_or(Limit::DEFAULT) };
    let filter = (chosen_kind, chosen_label.map(|it| it.id));
    let found = portal::entries(&web.ports, visit, filter, page).await?;

    let c = request.chrome(Part::Changelog);
    let own = c.url("/changelog");
    let address = |kind: &str, label: &str, after: &str| {
        with_fields(&own, &[("type", kind), ("label", label), ("after", after)])
    };
    let choice = |href, text, is_chosen| Choice { href, text, is_chosen, status: String::new() };
    let all = choice(address("", label, ""), c.t("filter-all"), kind.is_empty());
    let kinds = EntryType::ALL
        .iter()
        .map(|it| choice(address(it.code(), label, ""), c.t(words(*it)), it.code() == kind));
    let all_labels = choice(address(kind, "", ""), c.t("filter-all"), label.is_empty());
    let labels = visit.frame.labels.iter().map(|it| {
        let id = it.id.to_string();
        choice(address(kind, &id, ""), it.name.clone(), id == label)
    });
    let page = ChangelogPage {
        canonical: c.full_url("/changelog"),
        entries: found.items.iter().map(|it| EntryView::of(it, &request, &c)).collect(),
        types: std::iter::once(all).chain(kinds).collect(),
        labels: std::iter::once(all_labels).chain(labels).collect(),
        next: found.next.map(|next| address(kind, label, &next.write())),
        is_filtered: !kind.is_empty() || !label.is_empty(),
        is_subscribed: visit.user().is_some_and(User::receives_changelog),
        takes_guests: visit.frame.organization.portal.signs_in_by_mail,
        c,
    };
    request.page(&page)
}

/// `/changelog/{slug}`
pub(crate) async fn entry(request: Request) -> Answer {
    shown(&request)?;
    let Request { visit, web, .. } = &request;
    let found = portal::entry(&web.ports, visit, request.part("slug")).await?;
    let EntryPage { seen, posts } = match found {
        Found::Here(found) => found,
        Found::Moved(slug) => return Ok(request.moved(&format!("/changelog/{}", slug.as_str()))),
    };
    let c = request.chrome(Part::Changelog);
    let canonical = c.full_url(&format!("/changelog/{}", seen.entry.slug.as_str()));
    let json_ld = match request.is_indexed() {
        true => super::posts::in_script(&json!({
            "@context": "https://schema.org",
            "@type": "Article",
            "headline": seen.entry.title,
            "datePublished": seen.entry.published_at.map(|at| at.to_string()),
            "dateModified": seen.entry.updated_at.to_string(),
            "author": { "@type": "Organization", "name": c.name },
            "url": canonical,
        })),
        false => String::new(),
    };
    request.page(&EntryPageView {
        excerpt: rich_text::beginning(&seen.entry.content, 160),
        entry: EntryView::of(&seen, &request, &c),
        posts: posts.iter().map(|post| Link::of_post(post, &c)).collect(),
        canonical,
        json_ld,
        c,
    })
}

/// `GET /changelog/follow`: the form of a visitor who has not signed in and wants mails. Others
/// choose on the page of the changelog.
pub(crate) async fn ask_follow(request: Request) -> Answer {
    shown(&request)?;
    match request.visit.user() {
        Some(_) => Ok(request.see(&format!("{}/changelog", request.base))),
        None => asked(&request)?.page(&request, &Fields::default(), Faults::default()),
    }
}

/// Mails about the changelog, for a visitor who gives an address.
fn asked(request: &Request) -> Result<Asked, Fault> {
    if !request.visit.frame.organization.portal.signs_in_by_mail {
        return Err(Fault::SignIn);
    }
    let c = request.chrome(Part::None);
    let back = format!("{}/changelog", request.base);
    let action = format!("{back}/follow");
    let (heading, text) = (c.t("changelog-follow"), c.t("act-changelog-text"));
    Ok(Asked { heading, text, action, back, part: Part::Changelog, asks_name: false })
}

/// `POST /changelog/follow`: whether the visitor gets mail about what is new.
pub(crate) async fn follow(request: Request) -> Answer {
    shown(&request)?;
    let fields = request.form().await?;
    if request.visit.user().is_none() {
        return asked(&request)?.send(&request, &fields, &Act::Changelog).await;
    }
    request.count_form()?;
    let wanted = fields.get("wanted") != "no";
    portal::follow_changelog(&request.web.ports, &request.visit, wanted).await?;
    let path = request.base.clone() + "/changelog";
    Ok(request.see(&with_fields(&path, &[("done", "saved")])))
}

/// The entries of a page.
const PAGE: i64 = 10;
