//! The settings of the organization: its name, its look, its portal, and the ways to sign in.

use super::Frame;
use super::record::Form;
use crate::desk::Desk;
use crate::forms::{Choice, Control, digest, seen_name};
use crate::refusals;
use crate::schema::FieldKind;
use crate::words;
use actix_web::http::StatusCode;
use askama::Template;
use hearback_app::organizations;
use hearback_domain::ClosedSet;
use hearback_domain::edit::Patch;
use hearback_domain::organization::{Organization, OrganizationPatch};
use hearback_domain::permission::{Permission, Role};
use hearback_domain::portal::{PortalPatch, Theme};
use hearback_domain::record::Kind;
use hearback_ports::portal::Setting;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::{Faults, Fields};
use hearback_web::{Answer, Fault, Request};

#[derive(Template)]
#[template(path = "organization.html")]
struct OrganizationPage {
    f: Frame,
    form: Form,
}

/// A setting of the page: the name of its field, the key of its words, and its kind.
type Line = (&'static str, &'static str, &'static str);

const LINES: [Line; 22] = [
    ("name", key("field-name"), "line"),
    ("welcome_title", key("set-welcome-title"), "line"),
    ("welcome_text", key("set-welcome-text"), "text"),
    ("logo_url", key("set-logo"), "line"),
    ("favicon_url", key("set-favicon"), "line"),
    ("accent", key("set-accent"), "color"),
    ("theme", key("set-theme"), "one"),
    ("locale", key("language"), "one"),
    ("host", key("set-host"), "line"),
    ("shows_feedback", key("set-shows-feedback"), "flag"),
    ("shows_roadmap", key("set-shows-roadmap"), "flag"),
    ("shows_changelog", key("set-shows-changelog"), "flag"),
    ("shows_help", key("set-shows-help"), "flag"),
    ("shows_vote_counts", key("set-shows-counts"), "flag"),
    ("is_indexed", key("set-indexed"), "flag"),
    ("is_private", key("set-private"), "flag"),
    ("signs_in_by_mail", key("set-by-mail"), "flag"),
    ("signs_in_by_password", key("set-by-password"), "flag"),
    ("second_factor", key("set-second-factor"), "one"),
    ("sso_url", key("set-sso-url"), "line"),
    ("events_ledger", key("set-ledger"), "flag"),
    ("custom_css", key("set-css"), "text"),
];

/// `GET /dashboard/organization`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = enter(request)?;
    page(&desk, None, Faults::default(), StatusCode::OK).await
}

fn enter(request: Request) -> Result<Desk, Fault> {
    let desk = Desk::enter(request)?;
    match desk.may(Permission::Manage(Kind::Organization)) {
        true => Ok(desk),
        false => Err(Fault::Gone),
    }
}

async fn page(desk: &Desk, typed: Option<&Fields>, faults: Faults, status: StatusCode) -> Answer {
    let f = desk
        .frame("/dashboard/organization", desk.request.language.text("desk-organization"))
        .await?;
    let organization = &desk.request.visit.frame.organization;
    let value = |name: &str| match typed {
        Some(typed) => typed.get(name).to_owned(),
        None => present(organization, name),
    };
    let control = |(name, words, kind): &Line| Control {
        name,
        label: f.c.t(words),
        hint: String::new(),
        kind,
        options: options(&f.c, name, &value(name)),
        value: value(name),
        former: String::new(),
        seen: digest(&FieldKind::Text, &[present(organization, name)]),
        is_required: false,
        most: 0,
        is_found: false,
        takes_images: false,
    };
    let page = OrganizationPage {
        form: Form {
            action: f.c.url("/dashboard/organization"),
            submit: f.c.t("save"),
            controls: LINES.iter().map(control).collect(),
            hidden: vec![],
            faults,
        },
        f,
    };
    match status {
        StatusCode::OK => desk.request.page(&page),
        status => desk.request.page_with(status, &page),
    }
}

fn options(c: &Chrome, name: &str, chosen: &str) -> Vec<Choice> {
    let choice = |value: &str, text: String| Choice {
        is_chosen: value == chosen,
        value: value.to_owned(),
        text,
    };
    match name {
        "theme" => {
            let words = |theme: &Theme| match theme {
                Theme::Auto => c.t("set-theme-auto"),
                Theme::Light => c.t("set-theme-light"),
                Theme::Dark => c.t("set-theme-dark"),
            };
            Theme::ALL.iter().map(|theme| choice(theme.code(), words(theme))).collect()
        }
        "second_factor" => {
            let none = choice("", c.t("set-second-factor-none"));
            let role = |role: &Role| choice(role.code(), words::code(c, role.code()));
            std::iter::once(none).chain(Role::ALL.iter().map(role)).collect()
        }
        "locale" => {
            let none = choice("", "–".to_owned());
            let all = c.languages().iter().map(|it| choice(it.tag, it.name.to_owned()));
            std::iter::once(none).chain(all).collect()
        }
        _ => Vec::new(),
    }
}

/// The present value of a setting.
fn present(organization: &Organization, name: &str) -> String {
    let settings = &organization.portal;
    let flag = |is_on: bool| if is_on { "yes".to_owned() } else { String::new() };
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    match name {
        "name" => organization.name.clone(),
        "welcome_title" => text(&settings.welcome_title),
        "welcome_text" => text(&settings.welcome_text),
        "logo_url" => text(&settings.logo_url),
        "favicon_url" => text(&settings.favicon_url),
        "accent" => text(&settings.accent),
        "theme" => settings.theme.code().to_owned(),
        "locale" => text(&settings.locale),
        "host" => text(&settings.host),
        "shows_feedback" => flag(settings.shows_feedback),
        "shows_roadmap" => flag(settings.shows_roadmap),
        "shows_changelog" => flag(settings.shows_changelog),
        "shows_help" => flag(settings.shows_help),
        "shows_vote_counts" => flag(settings.shows_vote_counts),
        "is_indexed" => flag(settings.is_indexed),
        "is_private" => flag(settings.is_private),
        "signs_in_by_mail" => flag(settings.signs_in_by_mail),
        "signs_in_by_password" => flag(settings.signs_in_by_password),
        "second_factor" => settings.second_factor.map_or("", Role::code).to_owned(),
        "sso_url" => text(&settings.sso_url),
        "events_ledger" => flag(organization.events_ledger),
        "custom_css" => text(&settings.custom_css),
        _ => String::new(),
    }
}

/// `POST /dashboard/organization`
pub(crate) async fn save(request: Request) -> Answer {
    let desk = enter(request)?;
    let mut typed = desk.request.form().await?;
    let c = desk.chrome();
    let mut faults = Faults::default();
    let kept = compare(&c, &desk.request.visit.frame.organization, &mut typed, &mut faults);
    if !faults.is_empty() {
        return page(&desk, Some(&typed), faults, StatusCode::CONFLICT).await;
    }
    let is_kept = |name: &str| kept.contains(&name);
    let flag = |name: &str| (!is_kept(name)).then(|| typed.get(name) == "yes");
    let name = read(&c, &typed, &kept, "name", &mut faults);
    if typed.has("name") && matches!(name, Patch::Clear) {
        faults.add("name", c.t("fault-required"));
    }
    let portal = PortalPatch {
        logo_url: read(&c, &typed, &kept, "logo_url", &mut faults),
        favicon_url: read(&c, &typed, &kept, "favicon_url", &mut faults),
        accent: read(&c, &typed, &kept, "accent", &mut faults),
        theme: Theme::parse(typed.get("theme")).filter(|_| !is_kept("theme")),
        welcome_title: read(&c, &typed, &kept, "welcome_title", &mut faults),
        welcome_text: read(&c, &typed, &kept, "welcome_text", &mut faults),
        locale: read(&c, &typed, &kept, "locale", &mut faults),
        shows_feedback: flag("shows_feedback"),
        shows_roadmap: flag("shows_roadmap"),
        shows_changelog: flag("shows_changelog"),
        shows_help: flag("shows_help"),
        shows_vote_counts: flag("shows_vote_counts"),
        is_indexed: flag("is_indexed"),
        is_private: flag("is_private"),
        custom_css: read(&c, &typed, &kept, "custom_css", &mut faults),
        signs_in_by_mail: flag("signs_in_by_mail"),
        signs_in_by_password: flag("signs_in_by_password"),
        second_factor: match typed.get("second_factor") {
            _ if is_kept("second_factor") => Patch::Keep,
            "" => Patch::Clear,
            code => Role::parse(code).map_or(Patch::Keep, Patch::Set),
        },
        host: read(&c, &typed, &kept, "host", &mut faults),
        sso_url: read(&c, &typed, &kept, "sso_url", &mut faults),
    };
    if !faults.is_empty() {
        return page(&desk, Some(&typed), faults, StatusCode::UNPROCESSABLE_ENTITY).await;
    }
    let name = if let Patch::Set(name) = name { Some(name) } else { None };
    let patch = OrganizationPatch { name, events_ledger: flag("events_ledger"), portal };
    let set = organizations::set(&desk.request.web.ports, desk.caller("organization/set"), patch);
    match set.await {
        Ok(()) => {
            let back = desk.request.base.clone() + "/dashboard/organization?done=saved";
            Ok(desk.request.see(&back))
        }
        Err(hearback_app::Error::Refused(hearback_app::Precondition::HostTaken)) => {
            faults.add("host", desk.request.language.text(key("fault-host-taken")));
            page(&desk, Some(&typed), faults, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Compares what was typed with the settings that the page had when it was made. Returns the names of
/// those that the member has left alone. One that somebody else has changed, too, is a fault.
fn compare(
    c: &Chrome,
    organization: &Organization,
    typed: &mut Fields,
    faults: &mut Faults,
) -> Vec<&'static str> {
    let mut kept = Vec::new();
    for (name, ..) in LINES {
        let Some(seen) = typed.given(&seen_name(name)).map(str::to_owned) else { continue };
        let now = present(organization, name);
        let of = |text: &str| digest(&FieldKind::Text, &[text.to_owned()]);
        let yours = of(typed.get(name));
        if yours == seen {
            kept.push(name);
            typed.set(name, now);
        } else if of(&now) != seen && of(&now) != yours {
            faults.add(name, c.x("desk-changed-to", "value", &now));
        }
    }
    kept
}

/// A setting that is a text. An empty one is removed.
fn read<T: Setting>(
    c: &Chrome,
    typed: &Fields,
    kept: &[&str],
    name: &'static str,
    faults: &mut Faults,
) -> Patch<T> {
    if kept.contains(&name) {
        return Patch::Keep;
    }
    let text = typed.lines(name);
    if text.is_empty() {
        return Patch::Clear;
    }
    T::read(&text).map_or_else(
        |wrong| {
            faults.add(name, refusals::words(c, &wrong));
            Patch::Keep
        },
        Patch::Set,
    )
}
