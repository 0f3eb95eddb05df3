//! The pages.

mod act;
mod data;
mod delivery;
mod guide;
mod help;
mod inbox;
mod insights;
mod keys;
mod list;
mod members;
mod moderation;
mod organization;
mod people_import;
mod post;
mod record;
mod roadmap;
mod sign_in;
mod versions;

use crate::desk::Desk;
use crate::sections::{Group, SECTIONS};
use actix_web::web::ServiceConfig;
use hearback_app::moderation::{MOST_ATTENTION, attention};
use hearback_domain::id::parse_uuid;
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_ports::moderation::Attention;
use hearback_web::chrome::{Chrome, key};
use hearback_web::{Fault, no_form, no_page, paths};

/// Adds the pages of one dashboard.
pub(crate) fn routes(config: &mut ServiceConfig) {
    paths! { config:
        "/dashboard" => inbox::inbox, inbox::bulk;
        "/dashboard/moderation" => moderation::queue, moderation::decide;
        "/dashboard/roadmap" => roadmap::board, no_form;
        "/dashboard/views" => no_page, inbox::keep;
        "/dashboard/insights" => insights::show, no_form;
        "/dashboard/insights/{figure}" => insights::csv, no_form;
        "/dashboard/people/import" => people_import::form, people_import::import;
        "/dashboard/people/imports/{id}" => people_import::show, people_import::undo;
        "/dashboard/people/{id}/export" => record::export, no_form;
        "/dashboard/posts/{id}" => post::show, no_form;
        "/dashboard/help" => help::tree, help::step;
        "/dashboard/help-articles/{id}/versions" => versions::versions, no_form;
        "/dashboard/organization" => organization::show, organization::save;
        "/dashboard/sign-in" => sign_in::show, sign_in::act;
        "/dashboard/members" => members::show, members::act;
        "/dashboard/keys" => keys::show, keys::act;
        "/dashboard/data" => data::show, data::export;
        "/dashboard/data/import" => data::show, data::import;
        "/dashboard/settings" => list::settings, no_form;
        "/dashboard/do/{group}/{action}" => act::ask, act::act;
        "/dashboard/{section}" => list::list, no_form;
        "/dashboard/{section}/{id}" => record::show, no_form;
        "/dashboard/{tail:.*}" => no_page, no_form;
    }
}

/// The part that all pages of the dashboard share, with the menu.
pub(crate) struct Frame {
    pub(crate) c: Chrome,
    pub(crate) menu: Vec<Entry>,
    pub(crate) title: String,
    /// The address of the form that restores the record that was just deleted, the name of its
    /// field, and the identifier.
    pub(crate) undo: Option<(String, &'static str, String)>,
}

/// An entry of the menu, or the heading of a group.
pub(crate) struct Entry {
    pub(crate) href: String,
    pub(crate) text: String,
    pub(crate) is_here: bool,
    pub(crate) is_heading: bool,
    pub(crate) badge: Option<Badge>,
}

/// The number of what asks for attention behind an entry of the menu.
pub(crate) struct Badge {
    pub(crate) shown: String,
    /// The number in words, for those who do not see it beside its entry.
    pub(crate) words: String,
}

impl Desk {
    /// The frame of a page, whose address begins with a path.
    pub(crate) async fn frame(&self, here: &str, title: String) -> Result<Frame, Fault> {
        let c = self.chrome();
        let ports = &self.request.web.ports;
        let attention = attention(ports, self.caller("moderation/list")).await?;
        let undo = SECTIONS.iter().find(|it| here.strip_prefix("/dashboard/") == Some(it.slug));
        let undo = undo.and_then(|section| {
            let (path, field) = section.restore?;
            let id = parse_uuid(self.request.query.get("undo"))?;
            Some((c.url(&format!("/dashboard/do{path}")), field, id.to_string()))
        });
        Ok(Frame { menu: self.menu(&c, here, attention), title, undo, c })
    }

    fn menu(&self, c: &Chrome, here: &str, attention: Attention) -> Vec<Entry> {
        let badge = |path: &str| {
            let number = match path {
                "/dashboard/moderation" => attention.waiting,
                "/dashboard/webhooks" => attention.failing,
                _ => 0,
            };
            let number = number.min(MOST_ATTENTION);
            (number > 0).then(|| Badge {
                shown: c.badge(&number),
                words: match path {
                    "/dashboard/webhooks" => c.n("desk-failing", &number),
                    _ => c.n("desk-waiting", &number),
                },
            })
        };
        let entry = |path: &str, text: String| Entry {
            href: c.url(path),
            text,
            is_here: here == path,
            is_heading: false,
            badge: badge(path),
        };
        let heading = |text| Entry {
            href: String::new(),
            text,
            is_here: false,
            is_heading: true,
            badge: None,
        };
        let mut menu = vec![
            entry("/dashboard", c.t("desk-inbox")),
            entry("/dashboard/moderation", c.t("desk-moderation")),
            entry("/dashboard/roadmap", c.t("desk-roadmap")),
            entry("/dashboard/insights", c.t("desk-insights")),
        ];
        if self.may(Permission::View(Kind::HelpArticle)) {
            menu.push(entry("/dashboard/help", c.t("desk-help")));
        }
        let groups = [
            (Group::Work, None),
            (Group::People, Some(key("desk-group-people"))),
            (Group::System, Some(key("desk-group-system"))),
        ];
        for (group, title) in groups {
            let of_group = SECTIONS.iter().filter(|section| section.group == group);
            let seen: Vec<_> = of_group.filter(|section| self.may(section.view())).collect();
            if let Some(title) = title.filter(|_| !seen.is_empty()) {
                menu.push(heading(c.t(title)));
            }
            let entries = seen
                .iter()
                .map(|section| entry(&format!("/dashboard/{}", section.slug), c.t(section.title)));
            menu.extend(entries);
        }
        menu.push(heading(c.t("desk-group-set-up")));
        menu.push(entry("/dashboard/settings", c.t("desk-settings")));
        menu.push(entry("/dashboard/members", c.t("desk-members")));
        if self.may(Permission::Manage(Kind::Organization)) {
            menu.push(entry("/dashboard/organization", c.t("desk-organization")));
            menu.push(entry("/dashboard/sign-in", c.t("desk-sign-in")));
        }
        if self.may(Permission::View(Kind::ApiKey)) {
            menu.push(entry("/dashboard/keys", c.t("desk-keys")));
        }
        if self.may(Permission::Import) && self.may(Permission::Export) {
            menu.push(entry("/dashboard/data", c.t("desk-data")));
        }
        menu
    }
}
