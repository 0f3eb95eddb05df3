//! Signing in by a mail with a link and a code, and signing out.

use super::writing::PostForm;
use crate::chrome::{Chrome, Part};
use crate::fault::Fault;
use crate::form::{Faults, Fields};
use crate::views::with_fields;
use crate::visit::{Answer, Request};
use actix_web::cookie::time::Duration;
use askama::Template;
use hearback_app::sign_in::{self, Offer, Shown};
use hearback_domain::person::Email;
use hearback_domain::return_to::ReturnTo;
use hearback_ports::mailer::{Mail, Recipient};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    c: Chrome,
    email: String,
    return_to: String,
    faults: Faults,
    by_mail: bool,
    /// The address of single sign-on, if the organization has it.
    sso: Option<String>,
    draft: Draft,
}

#[derive(Template)]
#[template(path = "code.html")]
struct CodePage {
    c: Chrome,
    email: String,
    return_to: String,
    fault: Option<String>,
    draft: Draft,
}

#[derive(Template)]
#[template(path = "link.html")]
struct LinkPage {
    c: Chrome,
    action: String,
}

/// A post that waits until its author has signed in.
#[derive(Default)]
struct Draft {
    is_there: bool,
    title: String,
    text: String,
    category: String,
}

impl Draft {
    fn of(fields: &Fields) -> Self {
        Self {
            is_there: fields.get("draft") == "yes",
            title: fields.get("draft_title").to_owned(),
            text: fields.lines("draft_text"),
            category: fields.get("draft_category").to_owned(),
        }
    }
}

/// `GET /sign-in?return_to=`
pub(crate) async fn ask(request: Request) -> Answer {
    let return_to = ReturnTo::parse(request.query.get("return_to"));
    if request.visit.user().is_some() {
        return Ok(request.see(&request.own(return_to.as_str())));
    }
    page(&request, String::new(), return_to, Faults::default(), Draft::default())
}

/// The page to sign in, after a form of a post by a visitor who has not signed in.
pub(crate) async fn with_draft(request: &Request, form: &PostForm) -> Answer {
    let draft = Draft {
        is_there: true,
        title: form.title.clone(),
        text: form.text.clone(),
        category: form.category.clone(),
    };
    let return_to = ReturnTo::parse(request.here().split('?').next().unwrap_or("/"));
    page(request, String::new(), return_to, Faults::default(), draft)
}

fn page(
    request: &Request,
    email: String,
    return_to: ReturnTo,
    faults: Faults,
    draft: Draft,
) -> Answer {
    let c = request.chrome(Part::None);
    let settings = &request.visit.frame.organization.portal;
    let sso = settings
        .sso_url
        .as_ref()
        .map(|_| with_fields(&c.url("/sso"), &[("return_to", return_to.as_str())]));
    request.page(&SignInPage {
        email,
        return_to: return_to.as_str().to_owned(),
        faults,
        by_mail: settings.signs_in_by_mail,
        sso,
        draft,
        c: Chrome { is_indexed: false, ..c },
    })
}

/// `POST /sign-in`: sends the mail. The answer is the same for each address.
pub(crate) async fn offer(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    if !request.visit.frame.organization.portal.signs_in_by_mail {
        return Err(Fault::Gone);
    }
    let return_to = ReturnTo::parse(fields.get("return_to"));
    let draft = Draft::of(&fields);
    let typed = fields.get("email").trim().to_owned();
    let Ok(email) = Email::parse(&typed) else {
        let mut faults = Faults::default();
        faults.add("email", request.chrome(Part::None).t("fault-email"));
        return page(&request, typed, return_to, faults, draft);
    };
    let Request { visit, portal, .. } = &request;
    let organization = visit.organization();
    let offer =
        sign_in::offer(&portal.ports, &portal.vault, organization, &email, &return_to).await?;
    if offer.is_sent {
        let mail = letter(&request, &offer);
        let mailer = portal.mailer.clone();
        // The answer does not wait for the mail server, which takes longer for some addresses.
        tokio::spawn(async move {
            if let Err(error) = mailer.send(mail).await {
                tracing::error!(error = %error.source, "a mail to sign in was not sent");
            }
        });
    }
    let browser = offer.browser.reveal().to_owned();
    let cookie = request.cookie(BROWSER_COOKIE, browser, Some(Duration::minutes(10)));
    let page = code_page(&request, &email, &return_to, None, draft);
    let mut response = request.page(&page)?;
    let cookie = actix_web::http::header::HeaderValue::from_str(&cookie.to_string());
    if let Ok(cookie) = cookie {
        response.headers_mut().append(actix_web::http::header::SET_COOKIE, cookie);
    }
    Ok(response)
}

fn code_page(
    request: &Request,
    email: &Email,
    return_to: &ReturnTo,
    fault: Option<String>,
    draft: Draft,
) -> CodePage {
    let c = request.chrome(Part::None);
    CodePage {
        email: email.as_str().to_owned(),
        return_to: return_to.as_str().to_owned(),
        fault,
        draft,
        c: Chrome { is_indexed: false, ..c },
    }
}

/// The mail with the link and the code.
fn letter(request: &Request, offer: &Offer) -> Mail {
    let c = request.chrome(Part::None);
    let link = c.full_url(&format!("/sign-in/{}", offer.link.reveal()));
    let code = offer.code.reveal();
    let letter = LetterPart {
        lang: c.language.tag,
        dir: c.dir(),
        intro: c.x("mail-intro", "name", &c.name),
        code: code.to_owned(),
        code_words: c.t("mail-code"),
        link_words: c.t("mail-link"),
        link: link.clone(),
        end: c.t("mail-end"),
    };
    let LetterPart { intro, code_words, link_words, end, .. } = &letter;
    let text =
        format!("{intro}\n\n{code_words}\n\n    {code}\n\n{link_words}\n\n{link}\n\n{end}\n");
    Mail {
        id: format!("sign-in.{}", request.portal.ports.ids.fresh()),
        to: Recipient { name: String::new(), address: offer.email.as_str().to_owned() },
        subject: c.x("mail-subject", "name", &c.name),
        html: letter.render().unwrap_or_default(),
        text,
        unsubscribe_url: None,
        at: request.portal.ports.clock.now(),
    }
}

#[derive(Template)]
#[template(path = "letter.html")]
struct LetterPart {
    lang: &'static str,
    dir: &'static str,
    intro: String,
    code: String,
    code_words: String,
    link_words: String,
    link: String,
    end: String,
}

/// `GET /sign-in/code`: the page is a part of the answer to a form. A reload begins anew.
pub(crate) async fn again(request: Request) -> Answer {
    Ok(request.see(&format!("{}/sign-in", request.base)))
}

/// `POST /sign-in/code`
pub(crate) async fn code(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let return_to = ReturnTo::parse(fields.get("return_to"));
    let cookie = request.sent_cookie(BROWSER_COOKIE);
    let browser = cookie.as_ref().map_or("", |cookie| cookie.value());
    let shown = Shown::Code { browser, code: fields.get("code") };
    let c = request.chrome(Part::None);
    match redeem(&request, shown).await? {
        sign_in::Answer::SignedIn { token, return_to } => {
            let draft = Draft::of(&fields);
            let path = request.own(return_to.as_str());
            if draft.is_there {
                return signed_in_with_draft(&request, &token, draft, &path);
            }
            Ok(request.see_with(&signed_in(&path), Some(request.session(&token))))
        }
        sign_in::Answer::WrongCode { left } => {
            let fault = c.n("code-wrong", &i64::from(left));
            let Ok(email) = Email::parse(fields.get("email")) else { return Err(Fault::Form) };
            let draft = Draft::of(&fields);
            request.page(&code_page(&request, &email, &return_to, Some(fault), draft))
        }
        sign_in::Answer::Gone => {
            let mut faults = Faults::default();
            faults.add("email", c.t("code-gone"));
            let email = fields.get("email").to_owned();
            page(&request, email, return_to, faults, Draft::of(&fields))
        }
    }
}

/// The form of the post again, in the new session.
fn signed_in_with_draft(
    request: &Request,
    token: &sign_in::Secret,
    draft: Draft,
    path: &str,
) -> Answer {
    #[derive(Template)]
    #[template(path = "resume.html")]
    struct ResumePage {
        c: Chrome,
        action: String,
        draft: Draft,
        nonce: String,
    }
    let form_token = sign_in::form_token(&request.portal.vault, token.reveal());
    let c = Chrome { form_token, is_indexed: false, ..request.chrome(Part::Feedback) };
    let nonce = request.portal.ports.ids.fresh().to_string();
    let mut response = request.page(&ResumePage { c, action: path.to_owned(), draft, nonce })?;
    let cookie = request.session(token).to_string();
    if let Ok(cookie) = actix_web::http::header::HeaderValue::from_str(&cookie) {
        response.headers_mut().append(actix_web::http::header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// `GET /sign-in/{token}`: asks, and signs nobody in: programs that scan mails follow links.
pub(crate) async fn link(request: Request) -> Answer {
    let c = request.chrome(Part::None);
    let action = c.url(&format!("/sign-in/{}", request.part("token")));
    // The address is a secret: no link of the page tells it to another page.
    let c = Chrome { here: c.url("/"), is_indexed: false, ..c };
    request.page(&LinkPage { c, action })
}

/// `POST /sign-in/{token}`
pub(crate) async fn confirm(request: Request) -> Answer {
    request.count()?;
    request.form().await?;
    match redeem(&request, Shown::Link(request.part("token"))).await? {
        sign_in::Answer::SignedIn { token, return_to } => {
            let path = signed_in(&request.own(return_to.as_str()));
            Ok(request.see_with(&path, Some(request.session(&token))))
        }
        sign_in::Answer::WrongCode { .. } | sign_in::Answer::Gone => {
            let c = request.chrome(Part::None);
            let mut faults = Faults::default();
            faults.add("email", c.t("link-gone"));
            page(&request, String::new(), ReturnTo::default(), faults, Draft::default())
        }
    }
}

async fn redeem(request: &Request, shown: Shown<'_>) -> Result<sign_in::Answer, Fault> {
    let Request { visit, portal, .. } = request;
    let agent = request.agent();
    let answer = sign_in::redeem(&portal.ports, &portal.vault, &visit.frame, shown, agent).await?;
    // A session that was there ends: its token may have been known to somebody else.
    if let (sign_in::Answer::SignedIn { .. }, Some(token)) = (&answer, request.token()) {
        sign_in::sign_out(&portal.ports, visit.organization(), token).await?;
    }
    Ok(answer)
}

/// Replaces the path of a link in logs and metrics.
pub(crate) const SHOWN_LINK: &str = "/sign-in/…";

/// A path, with the news that the visitor has signed in.
pub(super) fn signed_in(path: &str) -> String {
    let (path, fragment) = path.split_once('#').map_or((path, ""), |(path, rest)| (path, rest));
    let done = if path.contains('?') { "&done=signed-in" } else { "?done=signed-in" };
    match fragment {
        "" => format!("{path}{done}"),
        fragment => format!("{path}{done}#{fragment}"),
    }
}

/// `POST /sign-out`
pub(crate) async fn sign_out(request: Request) -> Answer {
    request.form().await?;
    if let Some(token) = request.token() {
        let organization = request.visit.organization();
        sign_in::sign_out(&request.portal.ports, organization, token).await?;
    }
    let path = with_fields(&format!("{}/", request.base), &[("done", "signed-out")]);
    Ok(request.see_with(&path, Some(request.no_session())))
}

/// The cookie of the browser in which a code works.
const BROWSER_COOKIE: &str = "hearback-sign-in";
