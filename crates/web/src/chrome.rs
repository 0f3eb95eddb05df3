//! The parts that all pages share: the organization's look, the tabs, the visitor, and the language.

use crate::assets;
use crate::form::with_fields;
use crate::text::{Arg, Language};
use hearback_app::portal::{MOST_UNREAD, Visit};
use hearback_domain::Time;
use hearback_domain::image::MAX_IMAGE;
use hearback_domain::portal::Theme;
use hearback_domain::user::User;

/// The part of a page that does not depend on what it is about.
pub struct Chrome {
    /// The beginning of all addresses of this portal: empty, or a path without a slash at its end.
    pub base: String,
    /// The beginning of the addresses of the service, of which this portal may be a part.
    pub service: String,
    /// The origin of the portal, for addresses that leave the page.
    pub origin: String,
    /// The path and the query of the page, with the base.
    pub here: String,
    /// The name of the organization.
    pub name: String,
    /// The URL of the logo.
    pub logo: Option<String>,
    /// The URL of the icon of the browser's tab.
    pub favicon: Option<String>,
    /// The digest of the organization's own colours, which is a part of their address.
    pub colors: String,
    /// `light` or `dark`, or empty if the system decides.
    pub theme: &'static str,
    /// The tabs.
    pub tabs: Vec<Tab>,
    /// The name of the visitor.
    pub visitor: Option<Visitor>,
    /// Whether the visitor is on the team.
    pub is_on_team: bool,
    /// Whether the visitor, a member of the team, has to show the second factor first.
    pub has_next_step: bool,
    /// The number of the visitor's unread notifications.
    pub unread: i64,
    /// Whether the visitor is told that the mail server takes no mail.
    pub has_mail_trouble: bool,
    /// The token of the forms.
    pub form_token: String,
    /// Whether search engines may list the pages.
    pub is_indexed: bool,
    /// Whether visitors see how many votes a post has.
    pub shows_counts: bool,
    /// Whether the page is a part of another site's page.
    pub is_embedded: bool,
    /// A sentence about what the visitor has done.
    pub notice: Option<String>,
    /// The language.
    pub language: &'static Language,
}

/// A tab of the head.
pub struct Tab {
    /// The address.
    pub href: String,
    /// The words.
    pub text: String,
    /// Whether the page is in this part of the portal.
    pub is_here: bool,
}

/// The visitor who has signed in.
pub struct Visitor {
    /// The name.
    pub name: String,
    /// The URL of the picture, or empty.
    pub avatar_url: String,
}

impl Visitor {
    /// The visitor who is a user.
    pub fn of(user: &User) -> Self {
        Self { name: user.name.clone(), avatar_url: user.avatar_url.clone() }
    }
}

/// The most megabytes of an image.
pub(crate) const MEGABYTES: i64 = (MAX_IMAGE / 1024 / 1024) as i64;

/// The parts of a portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Boards and posts.
    Feedback,
    /// The roadmap.
    Roadmap,
    /// The changelog.
    Changelog,
    /// The help center.
    Help,
    /// Any other page.
    None,
}

impl Chrome {
    /// The tabs of the parts that the portal has.
    pub fn tabs(visit: &Visit, base: &str, language: &Language, here: Part) -> Vec<Tab> {
        let organization = &visit.frame.organization;
        let settings = &organization.portal;
        let has_help = settings.shows_help && organization.help_center.is_enabled();
        let has_roadmap = settings.shows_roadmap
            && visit.frame.roadmap_boards.iter().any(|board| board.is_seen_by(visit.user()));
        let all = [
            (settings.shows_feedback, Part::Feedback, "/", language.text(key("tab-feedback"))),
            (has_roadmap, Part::Roadmap, "/roadmap", language.text(key("tab-roadmap"))),
            (
                settings.shows_changelog,
                Part::Changelog,
                "/changelog",
                language.text(key("tab-changelog")),
            ),
            (has_help, Part::Help, "/help", language.text(key("tab-help"))),
        ];
        let shown = all.into_iter().filter(|(is_shown, ..)| *is_shown);
        shown
            .map(|(_, part, path, text)| Tab {
                href: format!("{base}{path}"),
                text,
                is_here: part == here,
            })
            .collect()
    }

    /// The address of a path of this portal.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The page on which the team calls an endpoint of the API.
    pub fn endpoint(&self, path: &str) -> String {
        let (group, _) = path.split_once('/').unwrap_or((path, ""));
        format!("{}/docs#/{group}/{}", self.service, path.replace('/', "."))
    }

    /// The address of the boards, if the portal shows any.
    pub fn boards(&self) -> Option<String> {
        let boards = self.url("/");
        self.tabs.iter().any(|tab| tab.href == boards).then_some(boards)
    }

    /// The address of a path of this portal, with its origin.
    pub fn full_url(&self, path: &str) -> String {
        format!("{}{}{path}", self.origin, self.base)
    }

    /// The address of a file of the program.
    pub fn asset(&self, name: &str) -> String {
        assets::address(&self.base, name)
    }

    /// A message without arguments.
    pub fn t(&self, key: &str) -> String {
        self.language.text(key)
    }

    /// A message with a number, `count`, which it shows as `shown`.
    pub fn n(&self, key: &str, count: &i64) -> String {
        self.language.n(key, *count)
    }

    /// A message with one text.
    pub fn x(&self, key: &str, name: &'static str, text: impl AsRef<str>) -> String {
        self.language.with(key, &[(name, Arg::Text(text.as_ref()))])
    }

    /// The number of the visitor's unread notifications, as the bell shows it.
    pub fn unread(&self) -> String {
        self.badge(&self.unread)
    }

    /// A number beside an entry of a menu: of many there are two digits.
    pub fn badge(&self, number: &i64) -> String {
        let most = MOST_UNREAD - 1;
        match *number > most {
            true => format!("{}+", self.number(&most)),
            false => self.number(number),
        }
    }

    /// The files that an image may be.
    pub fn image_hint(&self) -> String {
        self.n("image-hint", &MEGABYTES)
    }

    /// A number.
    pub fn number(&self, number: &i64) -> String {
        self.language.number(*number)
    }

    /// A decimal amount, by [`Language::amount`].
    pub fn amount(&self, amount: &str) -> String {
        self.language.amount(amount)
    }

    /// A day, in words.
    pub fn date(&self, time: &Time) -> String {
        let moment = time.to_offset();
        let year = moment.year().to_string();
        self.language.with(
            "date",
            &[
                ("day", Arg::Count(moment.day().into())),
                ("month", Arg::Count(u8::from(moment.month()).into())),
                ("year", Arg::Text(&year)),
            ],
        )
    }

    /// The direction of the language.
    pub fn dir(&self) -> &'static str {
        if self.language.is_rtl { "rtl" } else { "ltr" }
    }

    /// All languages.
    pub fn languages(&self) -> &'static [Language] {
        Language::all()
    }

    /// The address of the page to sign in, which leads back here.
    pub fn sign_in(&self) -> String {
        let page = self.url("/sign-in");
        match self.here.strip_prefix(&*page) {
            // A visitor who has signed in does not come back to a page to sign in.
            Some(rest) if rest.starts_with('?') => self.here.clone(),
            Some(rest) if rest.is_empty() || rest.starts_with('/') => page,
            _ => self.sign_in_to(&self.here),
        }
    }

    /// The address of the page to sign in, which leads to a path.
    pub fn sign_in_to(&self, path: &str) -> String {
        with_fields(&self.url("/sign-in"), &[("return_to", path)])
    }

    /// The address of the page of the second factor, which leads to a path.
    pub fn second_step_to(&self, path: impl AsRef<str>) -> String {
        with_fields(&self.url("/second-step"), &[("return_to", path.as_ref())])
    }
}

/// The `data-theme` of pages.
pub fn theme(theme: Theme) -> &'static str {
    match theme {
        Theme::Auto => "",
        Theme::Light => "light",
        Theme::Dark => "dark",
    }
}

/// Marks a text as the key of a message, so that the test of keys finds it.
pub const fn key(key: &'static str) -> &'static str {
    key
}

/// The first letter of a name, for a picture that there is not.
pub fn initial(name: &str) -> String {
    let first = name.chars().find(|c| c.is_alphanumeric());
    first.map_or_else(|| "?".to_owned(), |c| c.to_uppercase().collect())
}

/// One of eight hues of a picture that there is not: the same for the same person.
pub fn hue(seed: &[u8]) -> u8 {
    seed.iter().fold(0_u8, |sum, byte| sum.wrapping_mul(31).wrapping_add(*byte)) % 8
}
