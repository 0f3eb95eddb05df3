//! Signing in by a mail with a link and a code, and signing out.

use super::oidc::{ProviderButton, buttons};
use actix_web::cookie::time::Duration;
use askama::Template;
use hearback_app::portal::{self, Act, Acted, Found};
use hearback_app::rich_text;
use hearback_app::sign_in::{self, Offer, Shown};
use hearback_domain::person::Email;
use hearback_domain::return_to::ReturnTo;
use hearback_domain::text::ShortText;
use hearback_ports::mailer::{Mail, Recipient};
use hearback_web::chrome::{Chrome, Part};
use hearback_web::fault::Fault;
use hearback_web::form::Faults;
use hearback_web::form::with_fields;
use hearback_web::visit::{Answer, Request};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    c: Chrome,
    email: String,
    return_to: String,
    faults: Faults,
    by_mail: bool,
    by_password: bool,
    providers: Vec<ProviderButton>,
    /// The address of single sign-on, if the organization has it.
    sso: Option<String>,
    /// Whether a form waits until the visitor has signed in.
    has_draft: bool,
}

impl SignInPage {
    /// The step that the visitor takes next.
    fn lead(&self) -> Option<String> {
        let c = &self.c;
        Some(match (self.by_password, self.by_mail) {
            _ if self.has_draft => c.t("sign-in-draft"),
            (true, true) => c.t("sign-in-both"),
            (true, false) => c.t("sign-in-password"),
            (false, true) => c.t("sign-in-text"),
            (false, false) if self.sso.is_some() => c.x("sso-text", "name", &c.name),
            (false, false) => return None,
        })
    }
}

#[derive(Template)]
#[template(path = "code.html")]
struct CodePage {
    c: Chrome,
    email: String,
    return_to: String,
    fault: Option<String>,
    /// Whether the code confirms an act of a guest.
    is_act: bool,
}

#[derive(Template)]
#[template(path = "link.html")]
struct LinkPage {
    c: Chrome,
    action: String,
    /// The address that the link signs in. `None` if the link is not good any more.
    email: Option<String>,
    /// The act of a guest that the link confirms: its kind, and its text.
    act: Option<(String, String)>,
}

/// `GET /sign-in?return_to=`
pub(crate) async fn ask(request: Request) -> Answer {
    let return_to = ReturnTo::parse(request.query.get("return_to"));
    if request.visit.user().is_some() {
        return Ok(request.see(&request.own(return_to.as_str())));
    }
    page(&request, String::new(), return_to, Faults::default()).await
}

/// The page to sign in, with what the visitor has typed.
pub(super) async fn page(
    request: &Request,
    email: String,
    return_to: ReturnTo,
    faults: Faults,
) -> Answer {
    let c = request.chrome(Part::None);
    let draft = request.draft().await?;
    // A form that waits is a better place than the first page.
    let place = request.own(return_to.as_str());
    let return_to = match &draft {
        Some(draft) if place == c.url("/") => ReturnTo::parse(&draft.path),
        _ => return_to,
    };
    let settings = &request.visit.frame.organization.portal;
    let sso = settings
        .sso_url
        .as_ref()
        .map(|_| with_fields(&c.url("/sso"), &[("return_to", return_to.as_str())]));
    request.page(&SignInPage {
        email,
        faults,
        by_mail: settings.signs_in_by_mail,
        by_password: settings.signs_in_by_password,
        providers: buttons(request, &return_to).await?,
        has_draft: draft.is_some_and(|draft| draft.path == return_to.as_str()),
        return_to: return_to.into(),
        sso,
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
    let typed = fields.get("email").trim().to_owned();
    let Ok(email) = Email::parse(&typed) else {
        let mut faults = Faults::default();
        faults.add("email", request.chrome(Part::None).t("fault-email"));
        return page(&request, typed, return_to, faults).await;
    };
    let Request { visit, web, .. } = &request;
    let organization = visit.organization();
    let offer = sign_in::offer(&web.ports, &web.vault, organization, &email, &return_to).await?;
    offered(&request, &offer, &return_to, None)
}

/// Sends the mail by which a guest confirms an act. The answer is the same for each address.
pub(super) async fn confirm_act(
    request: &Request,
    (email, name): (&Email, &ShortText),
    act: &Act,
    return_to: &str,
) -> Answer {
    request.count_stranger()?;
    let Request { visit, web, .. } = request;
    let (organization, return_to) = (visit.organization(), ReturnTo::parse(return_to));
    let (to, guest) = ((email, &return_to), (name, act));
    let offer = sign_in::offer_to_guest(&web.ports, &web.vault, organization, to, guest).await?;
    offered(request, &offer, &return_to, Some(act))
}

/// Sends the mail, and asks for its code.
fn offered(request: &Request, offer: &Offer, return_to: &ReturnTo, act: Option<&Act>) -> Answer {
    if offer.is_sent {
        let mail = letter(request, offer, act);
        hearback_web::note::post(request, mail);
    }
    let browser = offer.browser.reveal().to_owned();
    let is_act = act.is_some();
    let lasts = if is_act { Duration::days(1) } else { Duration::minutes(10) };
    request.set_cookie(request.cookie(BROWSER_COOKIE, browser, Some(lasts)));
    request.page(&code_page(request, &offer.email, return_to, None, is_act))
}

fn code_page(
    request: &Request,
    email: &Email,
    return_to: &ReturnTo,
    fault: Option<String>,
    is_act: bool,
) -> CodePage {
    let c = request.chrome(Part::None);
    CodePage {
        email: email.as_str().to_owned(),
        return_to: return_to.as_str().to_owned(),
        fault,
        is_act,
        c: Chrome { is_indexed: false, ..c },
    }
}

/// The mail with the link and the code.
fn letter(request: &Request, offer: &Offer, act: Option<&Act>) -> Mail {
    let c = request.chrome(Part::None);
    let link = c.full_url(&format!("/sign-in/{}", offer.link.reveal()));
    let code = offer.code.reveal();
    // A mail has nothing that a guest has typed: anybody can type somebody's address.
    let (subject, intro, end) = match act {
        None => (
            c.x("mail-subject", "name", &c.name),
            c.x("mail-intro", "name", &c.name),
            c.t("mail-end"),
        ),
        Some(Act::Changelog) => (
            c.x("mail-changelog-subject", "name", &c.name),
            c.x("mail-changelog-intro", "name", &c.name),
            c.t("mail-act-end"),
        ),
        Some(_) => (
            c.x("mail-act-subject", "name", &c.name),
            c.x("mail-act-intro", "name", &c.name),
            c.t("mail-act-end"),
        ),
    };
    let letter = LetterPart {
        lang: c.language.tag,
        dir: c.dir(),
        intro,
        code: code.to_owned(),
        code_words: c.t("mail-code"),
        link_words: c.t("mail-link"),
        link: link.clone(),
        end,
    };
    let LetterPart { intro, code_words, link_words, end, .. } = &letter;
    let text =
        format!("{intro}\n\n{code_words}\n\n    {code}\n\n{link_words}\n\n{link}\n\n{end}\n");
    Mail {
        id: format!("sign-in.{}", request.web.ports.ids.fresh()),
        to: Recipient { name: String::new(), address: offer.email.as_str().to_owned() },
        subject,
        html: letter.render().unwrap_or_default(),
        text,
        unsubscribe_url: None,
        at: request.web.ports.clock.now(),
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
        sign_in::Answer::SignedIn { token, return_to, act, .. } => {
            let path = request.own(return_to.as_str());
            let path = acted(&request, &token, act, &path).await?;
            let path = onward(&request, &token, path).await?;
            Ok(request.see_with(&path, Some(request.session(&token))))
        }
        sign_in::Answer::WrongCode { left } => {
            let fault = c.n("code-wrong", &i64::from(left));
            let Ok(email) = Email::parse(fields.get("email")) else { return Err(Fault::Form) };
            let is_act = fields.get("act") == "yes";
            request.page(&code_page(&request, &email, &return_to, Some(fault), is_act))
        }
        sign_in::Answer::Gone => {
            let mut faults = Faults::default();
            faults.add("email", c.t("code-gone"));
            let email = fields.get("email").to_owned();
            page(&request, email, return_to, faults).await
        }
    }
}

/// Goes on as somebody who has signed in.
pub(super) async fn enter(request: &Request, token: &sign_in::Secret, path: &str) -> Answer {
    end_former(request).await?;
    let path = onward(request, token, signed_in(path)).await?;
    Ok(request.see_with(&path, Some(request.session(token))))
}

/// The path to go on with: that of the second factor first, for a member who has to show it or to set
/// one up.
async fn onward(request: &Request, token: &sign_in::Secret, path: String) -> Result<String, Fault> {
    let Request { visit, web, .. } = request;
    let frame = Arc::clone(&visit.frame);
    let visit = sign_in::visit(&web.ports, frame, Some(token.reveal())).await?;
    Ok(match visit.next_step {
        Some(_) => request.chrome(Part::None).second_step_to(&path),
        None => path,
    })
}

/// Ends the session that was there: its token may have been known to somebody else.
pub(super) async fn end_former(request: &Request) -> Result<(), Fault> {
    let Request { visit, web, .. } = request;
    if let Some(token) = request.token() {
        sign_in::sign_out(&web.ports, visit.organization(), token).await?;
    }
    Ok(())
}

/// Does what a guest has confirmed. Returns the path to go on with.
async fn acted(
    request: &Request,
    token: &sign_in::Secret,
    act: Option<Act>,
    path: &str,
) -> Result<String, Fault> {
    let Some(act) = act else { return Ok(signed_in(path)) };
    let Request { visit, web, base, .. } = request;
    let frame = Arc::clone(&visit.frame);
    let visit = sign_in::visit(&web.ports, frame, Some(token.reveal())).await?;
    let to = |post: &str, done| with_fields(&format!("{base}/p/{post}"), &[("done", done)]);
    Ok(match act.perform(&web.ports, &visit).await {
        Ok(Acted::Posted { post, waits: false }) => to(&post, "posted"),
        Ok(Acted::Commented { post, id, waits: false }) => {
            format!("{}#c-{id}", to(&post, "commented"))
        }
        Ok(Acted::Posted { post, .. }) => to(&post, "waits"),
        Ok(Acted::Commented { post, id, .. }) => format!("{}#c-{id}", to(&post, "waits")),
        Ok(Acted::Voted { post }) => to(&post, "voted"),
        Ok(Acted::Followed { post }) => to(&post, "saved"),
        Ok(Acted::FollowedChangelog) => {
            with_fields(&format!("{base}/changelog"), &[("done", "saved")])
        }
        Err(error) => match Fault::from(error) {
            fault @ Fault::Failure(_) => return Err(fault),
            // The page has changed meanwhile. The person has signed in all the same.
            _ => with_fields(&format!("{base}/"), &[("done", "not-done")]),
        },
    })
}

/// `GET /sign-in/{token}`: asks, and signs nobody in: programs that scan mails follow links.
pub(crate) async fn link(request: Request) -> Answer {
    let c = request.chrome(Part::None);
    let action = c.url(&format!("/sign-in/{}", request.part("token")));
    let Request { visit, web, .. } = &request;
    let token = request.part("token");
    let offered = sign_in::offered(&web.ports, visit.organization(), token).await?;
    let email = offered.as_ref().map(|it| it.email.clone());
    let act = offered.and_then(|it| Act::read(&it.guest?.act));
    let act = match act {
        Some(act) => Some(shown_act(&request, &c, act).await?),
        None => None,
    };
    // The address is a secret: no link of the page tells it to another page.
    let c = Chrome { here: c.url("/"), is_indexed: false, ..c };
    request.page(&LinkPage { c, action, email, act })
}

/// The kind and the text of the act that a guest confirms.
async fn shown_act(request: &Request, c: &Chrome, act: Act) -> Result<(String, String), Fault> {
    let title = async |post: &str| -> Result<String, Fault> {
        match portal::glance(&request.web.ports, &request.visit, post).await {
            Ok(Found::Here(seen)) => Ok(seen.post.title),
            Ok(Found::Moved(slug)) => Ok(slug.as_str().to_owned()),
            Err(error) => Err(error.into()),
        }
    };
    Ok(match act {
        Act::Post { title, text, .. } => {
            (c.t("act-is-post"), format!("{title}\n\n{}", rich_text::beginning(&text, SHOWN)))
        }
        Act::Comment { text, .. } => (c.t("act-is-comment"), rich_text::beginning(&text, SHOWN)),
        Act::Vote { post } => (c.t("act-is-vote"), title(&post).await?),
        Act::Follow { post, .. } => (c.t("act-is-follow"), title(&post).await?),
        Act::Changelog => (c.t("act-is-follow"), c.t("tab-changelog")),
    })
}

/// The most characters of the text of an act that its page shows.
const SHOWN: usize = 2_000;

/// `POST /sign-in/{token}`
pub(crate) async fn confirm(request: Request) -> Answer {
    request.count()?;
    request.form().await?;
    match redeem(&request, Shown::Link(request.part("token"))).await? {
        sign_in::Answer::SignedIn { token, return_to, act, sets_password } => {
            let path = match sets_password {
                true => format!("{}/account/password", request.base),
                false => request.own(return_to.as_str()),
            };
            let path = acted(&request, &token, act, &path).await?;
            let path = onward(&request, &token, path).await?;
            Ok(request.see_with(&path, Some(request.session(&token))))
        }
        sign_in::Answer::WrongCode { .. } | sign_in::Answer::Gone => {
            let c = request.chrome(Part::None);
            let mut faults = Faults::default();
            faults.add("email", c.t("link-gone"));
            page(&request, String::new(), ReturnTo::default(), faults).await
        }
    }
}

async fn redeem(request: &Request, shown: Shown<'_>) -> Result<sign_in::Answer, Fault> {
    let Request { visit, web, .. } = request;
    let agent = request.agent();
    let answer = sign_in::redeem(&web.ports, &web.vault, &visit.frame, shown, agent).await?;
    if let sign_in::Answer::SignedIn { .. } = &answer {
        end_former(request).await?;
    }
    Ok(answer)
}

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
    let fields = request.form().await?;
    request.end_draft().await?;
    if let Some(token) = request.token() {
        let organization = request.visit.organization();
        sign_in::sign_out(&request.web.ports, organization, token).await?;
    }
    let path = match fields.given("return_to") {
        // The visitor signs in again.
        Some(path) => request.chrome(Part::None).sign_in_to(&request.own(path)),
        None => with_fields(&format!("{}/", request.base), &[("done", "signed-out")]),
    };
    Ok(request.see_with(&path, Some(request.no_session())))
}

/// The cookie of the browser in which a code works.
const BROWSER_COOKIE: &str = "hearback-sign-in";
