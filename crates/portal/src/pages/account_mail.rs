//! The mails of the visitor's account: its address, what is mailed to it, and for those who look
//! after the organization's mails, the mail server.

use super::account;
use askama::Template;
use hearback_app::mail::send_at_once;
use hearback_app::portal::{self, AccountPatch, AddressAnswer};
use hearback_domain::ClosedSet;
use hearback_domain::person::Email;
use hearback_domain::user::{PostMail, User};
use hearback_http::Failure;
use hearback_ports::notices::MailTrouble;
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::with_fields;
use hearback_web::form::{Faults, Fields};
use hearback_web::note::Note;
use hearback_web::visit::{Answer, Request};

/// The part of the account page about mails.
pub(crate) struct MailPart {
    pub(crate) email: String,
    pub(crate) is_subscribed: bool,
    pub(crate) post_mail: Vec<Choice>,
    pub(crate) has_changelog: bool,
    pub(crate) tends_mail: bool,
    pub(crate) trouble: Option<MailTrouble>,
}

pub(crate) struct Choice {
    pub(crate) code: &'static str,
    pub(crate) text: String,
    pub(crate) is_chosen: bool,
}

impl MailPart {
    /// The part, with the address that the visitor has typed.
    pub(crate) async fn load(
        request: &Request,
        user: &User,
        c: &Chrome,
        typed: Option<&str>,
    ) -> Result<Self, Fault> {
        let Request { visit, web, .. } = request;
        let choice = |way: &PostMail| Choice {
            code: way.code(),
            text: c.t(match way {
                PostMail::Instant => key("post-mail-instant"),
                PostMail::Daily => key("post-mail-daily"),
                PostMail::Weekly => key("post-mail-weekly"),
                PostMail::Off => key("post-mail-off"),
            }),
            is_chosen: *way == user.post_mail,
        };
        Ok(Self {
            email: typed.unwrap_or(&user.email).to_owned(),
            is_subscribed: user.is_subscribed,
            post_mail: PostMail::ALL.iter().map(choice).collect(),
            has_changelog: user.changelog_mail,
            tends_mail: visit.tends_mail(),
            trouble: portal::mail_trouble(&web.ports, visit).await?,
        })
    }
}

/// `POST /account/mail`: what is mailed.
pub(crate) async fn choose(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let patch = AccountPatch {
        is_subscribed: Some(fields.get("mail") == "yes"),
        post_mail: PostMail::parse(fields.get("posts")),
        changelog_mail: Some(fields.get("changelog") == "yes"),
        ..AccountPatch::default()
    };
    portal::save_account(&request.web.ports, &request.visit, patch).await?;
    Ok(done(&request, "saved"))
}

/// `POST /account/address`: mails a link to the new address. The answer is the same for each
/// address.
pub(crate) async fn ask_address(request: Request) -> Answer {
    request.count_form()?;
    let fields = request.form().await?;
    let Request { visit, web, .. } = &request;
    let (_, user) = visit.oneself()?;
    let c = request.chrome(Part::None);
    let Ok(email) = Email::parse(fields.get("email").trim()) else {
        let mut faults = Faults::default();
        faults.add("email", c.t("fault-email"));
        return account::page(&request, &fields, faults).await;
    };
    if email.as_str() == user.email {
        return Ok(done(&request, "saved"));
    }
    let offer = portal::offer_address(&web.ports, &web.vault, visit, &email).await?;
    if offer.is_sent {
        let link = c.full_url(&format!("/sign-in/address/{}", offer.link.reveal()));
        let subject = c.x("mail-address-subject", "name", &c.name);
        let text = c.x("mail-address", "name", &c.name);
        let note = Note { subject, text, link: Some(link), end: c.t("mail-address-end") };
        note.send(&request, offer.email.as_str());
    }
    Ok(done(&request, "address-asked"))
}

#[derive(Template)]
#[template(path = "address.html")]
struct AddressPage {
    c: Chrome,
    action: String,
    email: String,
}

/// `GET /sign-in/address/{token}`: asks, and changes nothing: programs that scan mails follow links.
pub(crate) async fn address(request: Request) -> Answer {
    let Request { visit, web, .. } = &request;
    let token = request.part("token");
    let c = request.chrome(Part::None);
    let Some(email) = portal::asked_address(&web.ports, visit, token).await? else {
        return not_changed(&request, c.t("address-gone")).await;
    };
    let action = c.url(&format!("/sign-in/address/{token}"));
    // The address is a secret: no link of the page tells it to another page.
    let c = Chrome { here: c.url("/"), is_indexed: false, ..c };
    request.page(&AddressPage { c, action, email: email.as_str().to_owned() })
}

/// `POST /sign-in/address/{token}`
pub(crate) async fn confirm_address(request: Request) -> Answer {
    request.count()?;
    request.form().await?;
    let Request { visit, web, .. } = &request;
    let c = request.chrome(Part::None);
    let fault = match portal::confirm_address(&web.ports, visit, request.part("token")).await? {
        AddressAnswer::Changed(former) => {
            if !former.is_empty() {
                let subject = c.x("mail-moved-subject", "name", &c.name);
                let text = c.x("mail-moved", "name", &c.name);
                let end = c.t("mail-moved-end");
                Note { subject, text, link: None, end }.send(&request, &former);
            }
            return Ok(done(&request, "address"));
        }
        AddressAnswer::Taken => c.t("address-taken"),
        AddressAnswer::Gone => c.t("address-gone"),
    };
    not_changed(&request, fault).await
}

/// The page of the account, whose address stays as it is.
async fn not_changed(request: &Request, fault: String) -> Answer {
    let mut faults = Faults::default();
    faults.add("email", fault);
    account::page(request, &Fields::default(), faults).await
}

/// `POST /account/mail-test`: sends a mail to the visitor, and waits for the mail server.
pub(crate) async fn test(request: Request) -> Answer {
    request.count()?;
    request.form().await?;
    let Request { visit, web, .. } = &request;
    let user = visit.user().ok_or(Fault::SignIn)?;
    if !visit.tends_mail() {
        return Err(Fault::Gone);
    }
    if !web.mail_tests.begin(&web.ports, visit) {
        return Err(Failure::Limited { retry_after: TEST_RETRY }.into());
    }
    let c = request.chrome(Part::None);
    let note = Note {
        subject: c.x("mail-test-subject", "name", &c.name),
        text: c.t("mail-test-text"),
        link: None,
        end: c.x("mail-test-end", "name", &c.name),
    };
    let mail = note.mail(&request, &user.email);
    let sent = send_at_once(&web.ports, &*web.mailer, visit.organization(), mail).await;
    Ok(match sent {
        Ok(()) => done(&request, "mail-sent"),
        // The page shows the answer of the mail server.
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "a test mail was not sent");
            request.see(&format!("{}/account#mail-server", request.base))
        }
    })
}

/// In seconds.
const TEST_RETRY: u64 = 20;

fn done(request: &Request, what: &str) -> actix_web::HttpResponse {
    request.see(&with_fields(&format!("{}/account", request.base), &[("done", what)]))
}
