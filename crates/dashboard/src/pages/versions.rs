//! The versions of an article: their list, one as the portal would show it, or two beside each other.

use super::Frame;
use crate::desk::Desk;
use crate::diff::{Line, lines};
use crate::values::moment;
use askama::Template;
use hearback_app::help_articles;
use hearback_app::rich_text::{self, Breaks};
use hearback_domain::help_article_version::HelpArticleVersion;
use hearback_domain::id::{HelpArticleId, parse_uuid};
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_http::Failure;
use hearback_ports::Limit;
use hearback_ports::page::{ByVersion, PageRequest};
use hearback_web::form::with_fields;
use hearback_web::{Answer, Fault, Request};

#[derive(Template)]
#[template(path = "versions.html")]
struct VersionsPage {
    f: Frame,
    article: String,
    /// The address of the article, and its title.
    back: (String, String),
    here: String,
    rows: Vec<Row>,
    next: Option<String>,
    shown: Option<Shown>,
    compared: Option<Compared>,
    restore: String,
    may: bool,
}

/// A version of the list.
struct Row {
    number: i64,
    title: String,
    at: String,
    href: String,
    /// Whether it is the older or the newer one of the two that are compared.
    is_older: bool,
    is_newer: bool,
    is_present: bool,
}

/// A version as the portal would show it.
struct Shown {
    name: String,
    title: String,
    html: String,
}

/// Two versions beside each other.
struct Compared {
    older: String,
    newer: String,
    lines: Vec<Line>,
    is_same: bool,
}

/// The versions of a page of the list.
const PAGE: i64 = 25;

/// `/dashboard/help-articles/{id}/versions`
pub(crate) async fn versions(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let id: HelpArticleId = parse_uuid(desk.request.part("id")).ok_or(Fault::Gone)?.into();
    let query = &desk.request.query;
    let number = |name: &str| query.get(name).parse::<i64>().ok();
    let page = read(&desk, id, number("after"), PAGE).await?;
    let newest = read(&desk, id, None, 1).await?.0.pop().ok_or(Fault::Gone)?;
    let (found, after) = page;
    let f = desk.frame("/dashboard/help", newest.title.clone()).await?;
    let path = format!("/dashboard/help-articles/{id}");
    let here = f.c.url(&format!("{path}/versions"));
    let name =
        |version: &HelpArticleVersion| f.c.x("desk-version", "number", version.version.to_string());
    let mut shown = None;
    if let Some(wanted) = number("version") {
        let version = find(&desk, id, &newest, wanted).await?;
        shown = Some(Shown {
            name: name(&version),
            html: rich_text::shown(&version.content, Breaks::Soft, &f.c.base).html,
            title: version.title,
        });
    }
    let mut compared = None;
    if let (Some(one), Some(other)) = (number("older"), number("newer")) {
        let older = find(&desk, id, &newest, one.min(other)).await?;
        let newer = find(&desk, id, &newest, one.max(other)).await?;
        let whole = |it: &HelpArticleVersion| format!("{}\n\n{}", it.title, it.content);
        let (names, texts) = ((name(&older), name(&newer)), (whole(&older), whole(&newer)));
        // A comparison of long texts would hold up other requests.
        let lines = actix_web::web::block(move || lines(&texts.0, &texts.1)).await;
        let lines = lines.map_err(|_| Failure::Panicked)?;
        compared = Some(Compared {
            older: names.0,
            newer: names.1,
            is_same: lines.iter().all(|line| line.is_same),
            lines,
        });
    }
    let latest = [found.get(1), found.first()].map(|it| it.map(|it| it.version));
    let older = number("older").or(latest[0]);
    let newer = number("newer").or(latest[1]);
    let row = |version: &HelpArticleVersion| Row {
        number: version.version,
        title: version.title.clone(),
        at: moment(&version.created_at.to_string()),
        href: with_fields(&here, &[("version", &version.version.to_string())]),
        is_older: Some(version.version) == older,
        is_newer: Some(version.version) == newer,
        is_present: version.version == newest.version,
    };
    desk.request.page(&VersionsPage {
        rows: found.iter().map(row).collect(),
        next: after.map(|after| with_fields(&here, &[("after", &after.to_string())])),
        back: (f.c.url(&path), newest.title.clone()),
        restore: f.c.url("/dashboard/do/help-articles/restore-version"),
        may: desk.may(Permission::Manage(Kind::HelpArticleVersion)),
        article: id.to_string(),
        here,
        shown,
        compared,
        f,
    })
}

/// A page of the versions below a number, and the number behind which the next one begins.
async fn read(
    desk: &Desk,
    id: HelpArticleId,
    below: Option<i64>,
    limit: i64,
) -> Result<(Vec<HelpArticleVersion>, Option<i64>), Fault> {
    let limit = Limit::new(limit).unwrap_or(Limit::DEFAULT);
    let request = PageRequest { after: below.map(ByVersion), limit };
    let caller = desk.caller("help-articles/versions");
    let page = help_articles::versions(&desk.request.web.ports, caller, id, request).await?;
    Ok((page.items, page.next.map(|ByVersion(number)| number)))
}

/// The version with a number.
async fn find(
    desk: &Desk,
    id: HelpArticleId,
    newest: &HelpArticleVersion,
    number: i64,
) -> Result<HelpArticleVersion, Fault> {
    if number == newest.version {
        return Ok(newest.clone());
    }
    let (found, _) = read(desk, id, Some(number.saturating_add(1)), 1).await?;
    found.into_iter().find(|it| it.version == number).ok_or(Fault::Gone)
}
