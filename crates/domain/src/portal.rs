//! The settings of a portal, and the colours that follow from its accent.

use crate::ClosedSet;
use crate::access::Domain;
use crate::color::Color;
use crate::edit::{Patch, replace};
use crate::permission::Role;
use crate::text::Text;
use crate::web_url::WebUrl;

/// How the portal of an organization looks, what it shows, and who may enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortalSettings {
    /// The URL of the logo.
    pub logo_url: Option<String>,
    /// The URL of the icon of browser tabs.
    pub favicon_url: Option<String>,
    /// The hex colour of buttons and votes. Its transparency does not count.
    pub accent: Option<String>,
    /// Whether pages are light or dark.
    pub theme: Theme,
    /// The title above the boards.
    pub welcome_title: Option<String>,
    /// The text below that title.
    pub welcome_text: Option<String>,
    /// The language of visitors whose browser names none that the portal has.
    pub locale: Option<String>,
    /// Whether the feedback boards are shown.
    pub shows_feedback: bool,
    /// Whether the roadmap is shown.
    pub shows_roadmap: bool,
    /// Whether the changelog is shown.
    pub shows_changelog: bool,
    /// Whether the help center is shown.
    pub shows_help: bool,
    /// Whether visitors see how many votes a post has.
    pub shows_vote_counts: bool,
    /// Whether search engines may list the pages.
    pub is_indexed: bool,
    /// Whether visitors have to sign in first.
    pub is_private: bool,
    /// The style sheet behind that of the portal.
    pub custom_css: Option<String>,
    /// Whether visitors may sign in by mail.
    pub signs_in_by_mail: bool,
    /// Whether users may sign in by a password.
    pub signs_in_by_password: bool,
    /// The least role whose members need a second factor. Those in greater roles need one, too.
    pub second_factor: Option<Role>,
    /// The host name at which the portal answers, in lower case, unique among all organizations.
    pub host: Option<String>,
    /// The URL to which `/sso` leads: the sign-in of the organization's own software.
    pub sso_url: Option<String>,
}

impl Default for PortalSettings {
    fn default() -> Self {
        Self {
            logo_url: None,
            favicon_url: None,
            accent: None,
            theme: Theme::Auto,
            welcome_title: None,
            welcome_text: None,
            locale: None,
            shows_feedback: true,
            shows_roadmap: true,
            shows_changelog: true,
            shows_help: true,
            shows_vote_counts: true,
            is_indexed: true,
            is_private: false,
            custom_css: None,
            signs_in_by_mail: true,
            signs_in_by_password: false,
            second_factor: None,
            host: None,
            sso_url: None,
        }
    }
}

impl PortalSettings {
    /// Whether members in a role need a second factor.
    pub fn needs_second_factor(&self, role: Role) -> bool {
        self.second_factor.is_some_and(|least| role.is_at_least(least))
    }
}

/// Whether pages are light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// `auto`: as the visitor's system is.
    #[default]
    Auto,
    /// `light`
    Light,
    /// `dark`
    Dark,
}

impl ClosedSet for Theme {
    const ALL: &'static [Self] = &[Self::Auto, Self::Light, Self::Dark];

    fn code(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The title above the boards: 1 to 200 characters.
pub type WelcomeTitle = Text<1, 200>;
/// The text below that title: 1 to 2,000 characters.
pub type WelcomeText = Text<1, 2_000>;
/// A style sheet: 1 to 65,536 characters.
pub type Css = Text<1, 65_536>;

/// A language tag, such as `de` or `pt-BR`: words of letters and digits with hyphens between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale(String);

/// The most characters of a language tag.
pub const MAX_LOCALE: usize = 35;

/// The text is not a language tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoLocale;

impl Locale {
    /// Checks the form of a language tag. Its case is kept.
    pub fn parse(text: &str) -> Result<Self, NoLocale> {
        let is_word = |word: &str| {
            (1..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let language = text.split('-').next().unwrap_or_default();
        let is_language =
            language.len() > 1 && language.bytes().all(|byte| byte.is_ascii_alphabetic());
        if text.len() <= MAX_LOCALE && is_language && text.split('-').all(is_word) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NoLocale)
        }
    }
}

impl From<Locale> for String {
    fn from(locale: Locale) -> Self {
        locale.0
    }
}

/// New values of the settings. A value that is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortalPatch {
    /// The URL of the logo.
    pub logo_url: Patch<WebUrl>,
    /// The URL of the icon of browser tabs.
    pub favicon_url: Patch<WebUrl>,
    /// The colour of buttons and votes.
    pub accent: Patch<Color>,
    /// Whether pages are light or dark.
    pub theme: Option<Theme>,
    /// The title above the boards.
    pub welcome_title: Patch<WelcomeTitle>,
    /// The text below that title.
    pub welcome_text: Patch<WelcomeText>,
    /// The language of visitors whose browser names none that the portal has.
    pub locale: Patch<Locale>,
    /// Whether the feedback boards are shown.
    pub shows_feedback: Option<bool>,
    /// Whether the roadmap is shown.
    pub shows_roadmap: Option<bool>,
    /// Whether the changelog is shown.
    pub shows_changelog: Option<bool>,
    /// Whether the help center is shown.
    pub shows_help: Option<bool>,
    /// Whether visitors see how many votes a post has.
    pub shows_vote_counts: Option<bool>,
    /// Whether search engines may list the pages.
    pub is_indexed: Option<bool>,
    /// Whether visitors have to sign in first.
    pub is_private: Option<bool>,
    /// The style sheet behind that of the portal.
    pub custom_css: Patch<Css>,
    /// Whether visitors may sign in by mail.
    pub signs_in_by_mail: Option<bool>,
    /// Whether users may sign in by a password.
    pub signs_in_by_password: Option<bool>,
    /// The least role whose members need a second factor.
    pub second_factor: Patch<Role>,
    /// The host name at which the portal answers.
    pub host: Patch<Domain>,
    /// The URL to which `/sso` leads.
    pub sso_url: Patch<WebUrl>,
}

impl PortalPatch {
    /// The settings with the new values.
    pub fn edit(self, mut settings: PortalSettings) -> PortalSettings {
        self.logo_url.apply(&mut settings.logo_url);
        self.favicon_url.apply(&mut settings.favicon_url);
        self.accent.apply(&mut settings.accent);
        replace(&mut settings.theme, self.theme);
        self.welcome_title.apply(&mut settings.welcome_title);
        self.welcome_text.apply(&mut settings.welcome_text);
        self.locale.apply(&mut settings.locale);
        replace(&mut settings.shows_feedback, self.shows_feedback);
        replace(&mut settings.shows_roadmap, self.shows_roadmap);
        replace(&mut settings.shows_changelog, self.shows_changelog);
        replace(&mut settings.shows_help, self.shows_help);
        replace(&mut settings.shows_vote_counts, self.shows_vote_counts);
        replace(&mut settings.is_indexed, self.is_indexed);
        replace(&mut settings.is_private, self.is_private);
        self.custom_css.apply(&mut settings.custom_css);
        replace(&mut settings.signs_in_by_mail, self.signs_in_by_mail);
        replace(&mut settings.signs_in_by_password, self.signs_in_by_password);
        self.second_factor.apply(&mut settings.second_factor);
        self.host.apply(&mut settings.host);
        self.sso_url.apply(&mut settings.sso_url);
        settings
    }
}

/// The background of light pages.
pub const LIGHT_SURFACE: &str = "#ffffff";
/// The background of dark pages.
pub const DARK_SURFACE: &str = "#171a21";
/// The least contrast of a readable text (WCAG 2.2, 1.4.3).
pub const READABLE: f64 = 4.5;

/// The colour of text on the accent: white or nearly black, whichever has more contrast. It is
/// [`READABLE`] on any accent: a lighter black would not be.
///
/// A text that is not a colour stands for [`Color::DEFAULT`].
pub fn on_accent(accent: &str) -> &'static str {
    let [light, dark] = ["#ffffff", "#050608"];
    if contrast(accent, light) >= contrast(accent, dark) { light } else { dark }
}

/// The accent as the colour of text on a page, as `#` and six digits. It is darkened on a light page
/// and lightened on a dark one, until it is [`READABLE`] on the page, and on the page with a tint of
/// the accent, as votes and chosen links have it.
///
/// [`Theme::Auto`] is for a light page. A text that is not a colour stands for [`Color::DEFAULT`].
pub fn readable(accent: &str, theme: Theme) -> String {
    let (surface, end) = match theme {
        Theme::Auto | Theme::Light => (channels(LIGHT_SURFACE), 0),
        Theme::Dark => (channels(DARK_SURFACE), u8::MAX),
    };
    let accent = channels(accent);
    let mut steps = (0..=STEPS).map(|step| accent.map(|channel| between(channel, end, step)));
    let [red, green, blue] =
        steps.find(|it| contrast_of(*it, tinted(surface, *it)) >= READABLE).unwrap_or([end; 3]);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A page with a tint of an accent: an eighth, which is a little more than pages have.
fn tinted(surface: [u8; 3], accent: [u8; 3]) -> [u8; 3] {
    let mixed = |place: usize| (7 * u16::from(surface[place]) + u16::from(accent[place])) / 8;
    [0, 1, 2].map(|place| u8::try_from(mixed(place)).unwrap_or(u8::MAX))
}

/// The contrast of two colours, from 1 to 21 (WCAG 2.2). Their transparency does not count.
pub fn contrast(one: &str, other: &str) -> f64 {
    contrast_of(channels(one), channels(other))
}

/// The number of steps from the accent to black or white.
const STEPS: u16 = 50;

fn between(from: u8, to: u8, step: u16) -> u8 {
    let sum = u16::from(from) * (STEPS - step) + u16::from(to) * step;
    u8::try_from(sum / STEPS).unwrap_or(to)
}

fn contrast_of(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let linear = |channel: u8| {
        let part = f64::from(channel) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Red, green and blue of a colour.
fn channels(color: &str) -> [u8; 3] {
    hex(color).or_else(|| hex(Color::DEFAULT)).unwrap_or_default()
}

fn hex(color: &str) -> Option<[u8; 3]> {
    Color::parse(color).ok()?;
    let digits = color.strip_prefix('#')?;
    let channel = |place: usize| match digits.len() {
        3 | 4 => u8::from_str_radix(digits.get(place..=place)?, 16).ok().map(|digit| digit * 17),
        _ => u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok(),
    };
    Some([channel(0)?, channel(1)?, channel(2)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All colours of three digits.
    fn colors() -> impl Iterator<Item = String> {
        (0..0x1000).map(|digits| format!("#{digits:03x}"))
    }

    #[test]
    fn the_contrast_of_two_colors_is_that_of_wcag() {
        for (one, other, expected) in [
            ("#000", "#fff", "21.00"),
            ("#ffffff", "#FFFF", "1.00"),
            ("#767676", "#ffffff", "4.54"),
            ("#777777", "#ffffff", "4.48"),
            ("#f00", "#ffffff80", "4.00"),
            ("#0000ff", "#ffffff", "8.59"),
            ("#ffff00", "#ffffff", "1.07"),
            ("red", "#64748b", "1.00"),
        ] {
            assert_eq!(format!("{:.2}", contrast(one, other)), expected, "{one} {other}");
            assert_eq!(contrast(one, other), contrast(other, one));
        }
    }

    #[test]
    fn text_on_any_accent_is_readable() {
        let texts = ["#00f", "#fd0", "#000", "#fff"].map(on_accent);
        assert_eq!(texts, ["#ffffff", "#050608", "#ffffff", "#050608"]);
        for accent in colors() {
            assert!(contrast(&accent, on_accent(&accent)) >= READABLE, "{accent}");
        }
    }

    #[test]
    fn a_color_goes_to_another_one_in_even_steps() {
        for (from, to) in [(0, 255), (255, 0), (100, 100)] {
            assert_eq!((between(from, to, 0), between(from, to, STEPS)), (from, to));
        }
        assert_eq!([10, 25, 40].map(|step| between(0, 250, step)), [50, 125, 200]);
    }

    #[test]
    fn any_accent_becomes_readable_and_one_that_is_readable_stays() {
        for accent in colors() {
            for (theme, surface) in [
                (Theme::Light, LIGHT_SURFACE),
                (Theme::Auto, LIGHT_SURFACE),
                (Theme::Dark, DARK_SURFACE),
            ] {
                let text = readable(&accent, theme);
                assert!(contrast(&text, surface) >= READABLE, "{accent} as {text} on {surface}");
                let tinted = tinted(channels(surface), channels(&text));
                assert!(contrast_of(channels(&text), tinted) >= READABLE, "{accent} on its tint");
                if contrast(&accent, surface) >= 6.0 {
                    assert_eq!(channels(&text), channels(&accent));
                }
            }
        }
        assert_eq!(readable("#00F8", Theme::Light), "#0000ff");
        assert_eq!(readable("none", Theme::Light), readable(Color::DEFAULT, Theme::Light));
    }

    #[test]
    fn a_locale_is_a_language_tag() {
        for text in ["en", "pt-BR", "zh-Hans-CN", "de-1996"] {
            assert_eq!(Locale::parse(text).map(String::from).as_deref(), Ok(text));
        }
        let long = format!("de{}", "-abcdefgh".repeat(4));
        for text in ["", "e", "e-n", "1e", "en-", "-en", "en_US", "en-ninechars", "dé", &long] {
            assert_eq!(Locale::parse(text), Err(NoLocale), "{text:?}");
        }
    }

    #[test]
    fn a_patch_changes_what_it_names() {
        let settings = PortalSettings { is_private: true, ..PortalSettings::default() };
        assert_eq!(PortalPatch::default().edit(settings.clone()), settings);
        let host = Patch::Set(Domain::parse("Feedback.acme.example").unwrap());
        let patch = PortalPatch { host, shows_help: Some(false), ..PortalPatch::default() };
        let host = Some("feedback.acme.example".to_owned());
        let expected = PortalSettings { host, shows_help: false, ..settings.clone() };
        assert_eq!(patch.edit(settings.clone()), expected);
        let patch = PortalPatch { host: Patch::Clear, ..PortalPatch::default() };
        assert_eq!(patch.edit(expected).host, None);
    }
}
