//! The settings of `hearback organization set`.

use super::values::{css, least_role, name, one_of, setting, switch};
use clap::Args;
use hearback_domain::access::Domain;
use hearback_domain::color::Color;
use hearback_domain::edit::Patch;
use hearback_domain::organization::OrganizationPatch;
use hearback_domain::permission::Role;
use hearback_domain::portal::{Css, Locale, PortalPatch, Theme, WelcomeText, WelcomeTitle};
use hearback_domain::text::Name;
use hearback_domain::web_url::WebUrl;

#[derive(Clone, Debug, Args)]
pub(crate) struct OrganizationSettings {
    /// Name for people.
    #[arg(long, value_name = "TEXT", value_parser = name)]
    name: Option<Name>,
    /// Whether events are kept for 90 days, for /events/list: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    events_ledger: Option<bool>,
    /// Host name at which the portal answers; no other organization has it.
    #[arg(long, value_name = "NAME", value_parser = setting::<Domain>)]
    host: Option<Patch<Domain>>,
    /// URL of the logo of the portal.
    #[arg(long, value_name = "URL", value_parser = setting::<WebUrl>)]
    logo_url: Option<Patch<WebUrl>>,
    /// URL of the icon of browser tabs.
    #[arg(long, value_name = "URL", value_parser = setting::<WebUrl>)]
    favicon_url: Option<Patch<WebUrl>>,
    /// Colour of buttons and votes, such as #0f766e.
    #[arg(long, value_name = "COLOR", value_parser = setting::<Color>)]
    accent: Option<Patch<Color>>,
    /// Whether pages are light or dark.
    #[arg(long, value_parser = one_of::<Theme>())]
    theme: Option<Theme>,
    /// Title above the boards, up to 200 characters.
    #[arg(long, value_name = "TEXT", value_parser = setting::<WelcomeTitle>)]
    welcome_title: Option<Patch<WelcomeTitle>>,
    /// Text below that title, up to 2000 characters.
    #[arg(long, value_name = "TEXT", value_parser = setting::<WelcomeText>)]
    welcome_text: Option<Patch<WelcomeText>>,
    /// Language of visitors whose browser names none that the portal has, such as de.
    #[arg(long, value_name = "TAG", value_parser = setting::<Locale>)]
    locale: Option<Patch<Locale>>,
    /// File with a style sheet that follows that of the portal, up to 65,536 characters.
    #[arg(long, value_name = "FILE", value_parser = css)]
    custom_css: Option<Patch<Css>>,
    /// Whether the portal shows the feedback boards: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    feedback: Option<bool>,
    /// Whether the portal shows the roadmap: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    roadmap: Option<bool>,
    /// Whether the portal shows the changelog: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    changelog: Option<bool>,
    /// Whether the portal shows the help center: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    help_pages: Option<bool>,
    /// Whether visitors see how many votes a post has: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    vote_counts: Option<bool>,
    /// Whether search engines may list the portal: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    indexed: Option<bool>,
    /// Whether visitors have to sign in first: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    private: Option<bool>,
    /// Whether visitors may sign in by mail: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    sign_in_by_mail: Option<bool>,
    /// Whether users may sign in by a password: on or off.
    #[arg(long, value_name = "SWITCH", value_parser = switch)]
    password_sign_in: Option<bool>,
    /// Least role whose members need a second factor: owner, admin, member, viewer, or none.
    #[arg(long, value_name = "ROLE", value_parser = least_role)]
    second_factor: Option<Patch<Role>>,
    /// URL of your own sign-in, to which /sso of the portal leads.
    #[arg(long, value_name = "URL", value_parser = setting::<WebUrl>)]
    sso_url: Option<Patch<WebUrl>>,
}

impl From<OrganizationSettings> for OrganizationPatch {
    fn from(given: OrganizationSettings) -> Self {
        let portal = PortalPatch {
            logo_url: given.logo_url.unwrap_or_default(),
            favicon_url: given.favicon_url.unwrap_or_default(),
            accent: given.accent.unwrap_or_default(),
            theme: given.theme,
            welcome_title: given.welcome_title.unwrap_or_default(),
            welcome_text: given.welcome_text.unwrap_or_default(),
            locale: given.locale.unwrap_or_default(),
            shows_feedback: given.feedback,
            shows_roadmap: given.roadmap,
            shows_changelog: given.changelog,
            shows_help: given.help_pages,
            shows_vote_counts: given.vote_counts,
            is_indexed: given.indexed,
            is_private: given.private,
            custom_css: given.custom_css.unwrap_or_default(),
            signs_in_by_mail: given.sign_in_by_mail,
            signs_in_by_password: given.password_sign_in,
            second_factor: given.second_factor.unwrap_or_default(),
            host: given.host.unwrap_or_default(),
            sso_url: given.sso_url.unwrap_or_default(),
        };
        Self { name: given.name, events_ledger: given.events_ledger, portal }
    }
}
