//! Signing in by a password, and the password of the visitor's account.

use super::sign_in::{enter, page as sign_in_page};
use askama::Template;
use hearback_app::password::{self, OwnPassword, PasswordAnswer, PasswordChange, Typed};
use hearback_domain::password::{LEAST_PASSWORD, MOST_PASSWORD, WeakPassword};
use hearback_domain::person::Email;
use hearback_domain::return_to::ReturnTo;
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::form::{Faults, Fields};
use hearback_web::visit::{Answer, Request};

/// `POST /sign-in/password`
pub(crate) async fn sign_in(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let c = request.chrome(Part::None);
    let return_to = ReturnTo::parse(fields.get("return_to"));
    let typed = fields.get("email").trim().to_owned();
    let mut faults = Faults::default();
    let email = Email::parse(&typed).ok();
    if email.is_none() {
        faults.add("email", c.t("fault-email"));
    }
    if fields.get("password").is_empty() {
        faults.add("password", c.t("password-missing"));
    }
    let (Some(email), true) = (email, faults.is_empty()) else {
        return sign_in_page(&request, typed, return_to, faults).await;
    };
    let network = request.context.network(&request.http).to_bytes();
    let shown = Typed { password: fields.get("password"), network: &network };
    let (web, frame) = (&request.web, &request.visit.frame);
    let (ports, vault, hasher) = (&web.ports, &web.vault, &web.hasher);
    let agent = request.agent();
    match password::sign_in(ports, vault, hasher, frame, &email, shown, agent).await? {
        PasswordAnswer::SignedIn(token) => {
            enter(&request, &token, &request.own(return_to.as_str())).await
        }
        PasswordAnswer::Off => Err(Fault::Gone),
        refused => {
            let text = match refused {
                PasswordAnswer::TooMany => key("password-too-many"),
                _ => key("password-wrong"),
            };
            faults.add("password", c.t(text));
            sign_in_page(&request, typed, return_to, faults).await
        }
    }
}

#[derive(Template)]
#[template(path = "password.html")]
struct PasswordPage {
    c: Chrome,
    email: String,
    own: OwnPassword,
    by_mail: bool,
    faults: Faults,
}

impl PasswordPage {
    /// Whether the visitor has to type the present password.
    fn asks_present(&self) -> bool {
        self.own.is_there && !self.own.is_fresh
    }

    /// Whether the visitor has to show first that the address is the visitor's own.
    fn asks_proof(&self) -> bool {
        !self.own.is_there && !self.own.is_fresh
    }

    /// The words beside the new password.
    fn hint(&self) -> String {
        let length = weak_text(&self.c, WeakPassword::TooShort);
        format!("{length} {}", self.c.t("password-others"))
    }
}

/// `GET /account/password`
pub(crate) async fn ask(request: Request) -> Answer {
    page(&request, Faults::default()).await
}

async fn page(request: &Request, faults: Faults) -> Answer {
    let (_, user) = request.visit.oneself()?;
    let own = password::own(&request.web.ports, &request.visit).await?.ok_or(Fault::Gone)?;
    let c = Chrome { is_indexed: false, ..request.chrome(Part::None) };
    let by_mail = request.visit.frame.organization.portal.signs_in_by_mail;
    request.page(&PasswordPage { c, email: user.email.clone(), own, by_mail, faults })
}

/// `POST /account/password`
pub(crate) async fn save(request: Request) -> Answer {
    let fields = request.form().await?;
    change(&request, &fields, Some(fields.get("password"))).await
}

/// `POST /account/password/remove`
pub(crate) async fn remove(request: Request) -> Answer {
    let fields = request.form().await?;
    change(&request, &fields, None).await
}

async fn change(request: &Request, fields: &Fields, new: Option<&str>) -> Answer {
    request.count()?;
    let c = request.chrome(Part::None);
    let network = request.context.network(&request.http).to_bytes();
    let present = Typed { password: fields.get("present"), network: &network };
    let Request { web, visit, .. } = request;
    let (ports, vault, hasher) = (&web.ports, &web.vault, &web.hasher);
    let (field, text) = match password::change(ports, vault, hasher, visit, present, new).await? {
        PasswordChange::Done => {
            let account = format!("{}/account", request.base);
            return Ok(request.see(&with_fields(&account, &[("done", "saved")])));
        }
        PasswordChange::Off if visit.user().is_none() => return Err(Fault::SignIn),
        PasswordChange::Off => return Err(Fault::Gone),
        // The page says what to do.
        PasswordChange::NotFresh => return page(request, Faults::default()).await,
        PasswordChange::Wrong => ("present", c.t("password-present-wrong")),
        PasswordChange::TooMany => ("present", c.t("password-too-many")),
        PasswordChange::Weak(weak) => ("password", weak_text(&c, weak)),
    };
    let mut faults = Faults::default();
    faults.add(field, text);
    page(request, faults).await
}

fn weak_text(c: &Chrome, weak: WeakPassword) -> String {
    match weak {
        WeakPassword::TooShort => c.n("password-short", &(LEAST_PASSWORD as i64)),
        WeakPassword::TooLong => c.n("fault-too-long", &(MOST_PASSWORD as i64)),
        WeakPassword::Personal => c.t("password-personal"),
        WeakPassword::Common => c.t("password-common"),
    }
}
