//! The pages.

mod act;
mod inbox;
mod keys;
mod list;
mod members;
mod moderation;
mod organization;
mod post;
mod record;
mod roadmap;

use crate::desk::Desk;
use crate::sections::{Group, SECTIONS};
use actix_web::web::ServiceConfig;
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_web::chrome::{Chrome, key};
use hearback_web::{no_form, no_page, paths};

/// Adds the pages of one dashboard.
pub(crate) fn routes(config: &mut ServiceConfig) {
    paths! { config:
        "/dashboard" => inbox::inbox, inbox::bulk;
        "/dashboard/moderation" => moderation::queue, moderation::decide;
        "/dashboard/roadmap" => roadmap::board, no_form;
        "/dashboard/posts/{id}" => post::show, no_form;
        "/dashboard/organization" => organization::show, organization::save;
        "/dashboard/members" => members::show, members::act;
        "/dashboard/keys" => keys::show, keys::act;
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
}

/// An entry of the menu, or the heading of a group.
pub(crate) struct Entry {
    pub(crate) href: String,
    pub(crate) text: String,
    pub(crate) is_here: bool,
    pub(crate) is_heading: bool,
}

impl Desk {
    /// The frame of a page, whose address begins with a path.
    pub(crate) fn frame(&self, here: &str, title: String) -> Frame {
        let c = self.chrome();
        Frame { menu: self.menu(&c, here), title, c }
    }

    fn menu(&self, c: &Chrome, here: &str) -> Vec<Entry> {
        let entry = |path: &str, text: String| Entry {
            href: c.url(path),
            text,
            is_here: here == path,
            is_heading: false,
        };
        let heading =
            |text: String| Entry { href: String::new(), text, is_here: false, is_heading: true };
        let mut menu = vec![
            entry("/dashboard", c.t("desk-inbox")),
            entry("/dashboard/moderation", c.t("desk-moderation")),
            entry("/dashboard/roadmap", c.t("desk-roadmap")),
        ];
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
        }
        if self.may(Permission::View(Kind::ApiKey)) {
            menu.push(entry("/dashboard/keys", c.t("desk-keys")));
        }
        menu
    }
}
