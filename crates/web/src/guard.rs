//! The checks that keep spam out of the forms of visitors, and the fields of guests.

use crate::chrome::{Chrome, key};
use crate::fault::Fault;
use crate::form::{Faults, Fields};
use crate::recent::{Earlier, Sender};
use crate::visit::Request;
use actix_web::cookie::time::Duration;
use actix_web::http::StatusCode;
use hearback_app::portal;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::guest::Way;
use hearback_domain::person::Email;
use hearback_domain::spam::{Doubt, SentForm};
use hearback_domain::text::ShortText;
use hearback_http::Failure;
use hearback_ports::IdempotencyKey;

/// The fields that a form of visitors has beside its own.
#[derive(Clone, Default)]
pub struct Guard {
    /// The number of the form.
    pub nonce: String,
    /// Whether the form asks for the name and the address of a guest.
    pub by_mail: bool,
    /// Whether it asks for the name, too: others see it beside what the guest writes.
    pub asks_name: bool,
    /// The name that the guest has typed.
    pub name: String,
    /// The address that the guest has typed.
    pub email: String,
}

impl Guard {
    /// The fields of a form on a board, with what was typed.
    pub fn new(request: &Request, board: &FeedbackBoard, typed: &Fields) -> Self {
        Self {
            by_mail: request.visit.way(board, false) == Some(Way::Mail),
            ..Self::for_mail(request, typed)
        }
    }

    /// The fields of a form of somebody who is known.
    pub fn of_actor(request: &Request) -> Self {
        Self { nonce: request.stamp(), ..Self::default() }
    }

    /// The same fields, in a form that is as old as one that was filled in.
    pub fn with_age_of(self, request: &Request, typed: &Fields) -> Self {
        Self { nonce: request.stamp_of(typed.get("nonce")), ..self }
    }

    /// The fields of a form that asks for the name and the address of a guest.
    pub fn for_mail(request: &Request, typed: &Fields) -> Self {
        Self {
            nonce: request.stamp(),
            by_mail: true,
            asks_name: true,
            name: typed.get("name").trim().to_owned(),
            email: typed.get("email").trim().to_owned(),
        }
    }

    /// The name and the address of the guest, or what is wrong with them.
    pub fn guest(&self, c: &Chrome, faults: &mut Faults) -> Option<(ShortText, Email)> {
        let is_given = !self.name.is_empty() || !self.asks_name;
        let name = ShortText::parse(&self.name).ok().filter(|_| is_given);
        if name.is_none() {
            faults.add("name", c.t("fault-name"));
        }
        let email = Email::parse(&self.email).ok();
        if email.is_none() {
            faults.add("email", c.t("fault-email"));
        }
        Some((name?, email?))
    }
}

impl Request {
    /// The number of a form that is shown now.
    pub fn stamp(&self) -> String {
        self.stamp_of("")
    }

    /// The number of a form that takes the place of another one, and is as old. A number that is
    /// none stands for now.
    pub fn stamp_of(&self, former: &str) -> String {
        // Two forms never have the same number.
        self.be_of_one();
        let (web, organization) = (&self.web, self.visit.organization());
        let former = hearback_app::forms::read_stamp(&web.vault, organization, former);
        let shown_at = former.map_or_else(|| web.ports.clock.now(), |it| it.shown_at);
        hearback_app::forms::stamp(&web.ports, &web.vault, organization, shown_at)
    }

    /// Counts a form against the limits of its address and its network.
    pub fn count_form(&self) -> Result<(), Fault> {
        Ok(self.context.count_form(&self.http)?)
    }

    /// Counts a person who is new here against the limit of the network: a new guest, or an address
    /// that somebody without an account has typed, and that gets a mail.
    pub fn count_stranger(&self) -> Result<(), Fault> {
        Ok(self.context.count_stranger(&self.http)?)
    }

    /// Judges a form in which a visitor has written. Returns the name of the write. `field` is the
    /// field to which a fault belongs.
    pub fn judge(
        &self,
        fields: &Fields,
        field: &'static str,
        faults: &mut Faults,
    ) -> Option<IdempotencyKey> {
        let (web, organization) = (&self.web, self.visit.organization());
        let stamp = hearback_app::forms::read_stamp(&web.vault, organization, fields.get("nonce"));
        let sent = SentForm {
            shown_at: stamp.as_ref().map(|stamp| stamp.shown_at),
            sent_at: web.ports.clock.now(),
            fills_trap: !fields.get("website").is_empty(),
            is_on_team: self.visit.is_on_team(),
        };
        let words = match (self.context.count_form(&self.http), sent.doubt(web.least_form_age)) {
            (Err(Failure::Limited { retry_after }), _) => {
                self.refuse(StatusCode::TOO_MANY_REQUESTS, Some(retry_after));
                key("doubt-limited")
            }
            (_, Some(Doubt::Trap)) => key("doubt-trap"),
            (_, Some(Doubt::TooFast)) => key("doubt-fast"),
            (_, Some(Doubt::TooOld)) => key("doubt-old"),
            (_, None) => return stamp.map(|stamp| stamp.key),
        };
        faults.add(field, self.language.text(words));
        None
    }

    /// Makes the visitor a guest, if the visitor may act as one on a board. Another visitor has to
    /// sign in.
    pub async fn welcome(&mut self, board: &FeedbackBoard) -> Result<(), Fault> {
        match self.visit.way(board, false) {
            None => return Ok(()),
            Some(Way::Guest) => {}
            Some(Way::Mail | Way::SignIn) => return Err(Fault::SignIn),
        }
        if self.visit.guest.is_some() {
            return Ok(());
        }
        self.count_stranger()?;
        portal::welcome(&self.web.ports, &mut self.visit).await?;
        if let Some(guest) = &self.visit.guest {
            let organization = self.visit.organization();
            let token = portal::guest_token(&self.web.vault, organization, guest.user_id);
            let cookie = self.cookie(&self.guest_name(), token, Some(Duration::days(365)));
            self.set_cookie(cookie);
        }
        Ok(())
    }

    /// The post or comment that a text has become already, which the visitor or the visitor's
    /// network has sent a moment ago by another form.
    pub fn earlier(&self, text: &str, form: &str) -> Option<Earlier> {
        let now = self.web.ports.clock.elapsed();
        self.web.recent.find(self.visit.organization(), &self.senders(), text, form, now)
    }

    /// Notes what a text has become.
    pub fn note(&self, text: &str, became: [&str; 3]) {
        let now = self.web.ports.clock.elapsed();
        self.web.recent.note(self.visit.organization(), &self.senders(), text, became, now);
    }

    fn senders(&self) -> Vec<Sender> {
        let author = self.visit.actor().map(|user| Sender::Author(user.user_id));
        let network = Sender::Network(self.context.network(&self.http));
        author.into_iter().chain([network]).collect()
    }
}
