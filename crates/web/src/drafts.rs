//! Forms that wait until their visitor has signed in, or has a form of the present session.

use crate::fault::Fault;
use crate::form::Fields;
use crate::visit::Request;
use actix_web::cookie::time::Duration;
use hearback_app::drafts::{self, DRAFT_MILLIS, Draft};

impl Request {
    /// Whether the path is that of a form in which visitors or members write.
    pub fn is_of_text(&self) -> bool {
        let pattern = self.http.match_pattern().unwrap_or_default();
        FORMS.iter().any(|form| pattern.ends_with(form)) || self.is_of_team()
    }

    fn is_of_team(&self) -> bool {
        self.http.match_pattern().is_some_and(|pattern| pattern.ends_with(TEAM))
    }

    /// What waits of a form, as a text. `None` if nobody has written anything, or a program has.
    pub fn typed(&self, fields: &Fields) -> Option<String> {
        if self.is_of_team() {
            let kept = fields.texts().filter(|(name, _)| *name != "form_token");
            let kept = crate::form::query(&kept.collect::<Vec<_>>());
            return Some(kept.trim_start_matches('?').to_owned());
        }
        fields
            .given("title")
            .or(fields.given("text"))
            .filter(|_| fields.get("website").is_empty())?;
        let kept = KEPT.map(|name| (name, fields.get(name)));
        Some(crate::form::query(&kept).trim_start_matches('?').to_owned())
    }

    /// Keeps what was typed. Returns the path of the form, or `None` if it is too long.
    pub async fn keep_draft(&self, fields: String) -> Result<Option<String>, Fault> {
        self.count_form()?;
        let (web, organization) = (&self.web, self.visit.organization());
        let path = self.here().split('?').next().unwrap_or_default().to_owned();
        let draft = Draft { path, fields };
        let kept = drafts::keep(&web.ports, &web.vault, organization, &draft).await?;
        let Some(token) = kept else { return Ok(None) };
        let lasts = Some(Duration::milliseconds(DRAFT_MILLIS));
        self.set_cookie(self.cookie(&self.draft_name(), token.reveal().to_owned(), lasts));
        Ok(Some(draft.path))
    }

    /// The draft of this browser.
    pub async fn draft(&self) -> Result<Option<Draft>, Fault> {
        let Some(cookie) = self.sent_cookie(&self.draft_name()) else { return Ok(None) };
        let (web, organization) = (&self.web, self.visit.organization());
        Ok(drafts::find(&web.ports, &web.vault, organization, cookie.value()).await?)
    }

    /// The typed fields of the form that is sent to a path, if they wait.
    pub async fn draft_of(&self, path: &str) -> Result<Option<Fields>, Fault> {
        let draft = self.draft().await?.filter(|draft| draft.path == path);
        Ok(draft.map(|draft| Fields::parse(draft.fields.as_bytes())))
    }

    /// Forgets the draft of this browser.
    pub async fn end_draft(&self) -> Result<(), Fault> {
        let name = self.draft_name();
        let Some(cookie) = self.sent_cookie(&name) else { return Ok(()) };
        drafts::end(&self.web.ports, self.visit.organization(), cookie.value()).await?;
        self.set_cookie(self.no_cookie(&name));
        Ok(())
    }
}

/// The forms in which visitors write, as the routes have them.
const FORMS: [&str; 4] =
    ["/b/{board}/new", "/p/{slug}/comment", "/p/{slug}/edit", "/p/{slug}/c/{comment}"];

/// The forms of the dashboard. All of their fields wait.
const TEAM: &str = "/dashboard/do/{group}/{action}";

/// The fields that wait of a form of visitors.
const KEPT: [&str; 5] = ["title", "text", "category", "parent", "nonce"];
