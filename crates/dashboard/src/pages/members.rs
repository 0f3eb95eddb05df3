//! The team: its members and invitations.

use super::Frame;
use crate::desk::Desk;
use crate::forms::Choice;
use crate::values::moment;
use crate::words;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue};
use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_app::members;
use hearback_app::sign_in::Secret;
use hearback_app::{Error, Precondition};
use hearback_domain::ClosedSet;
use hearback_domain::id::{UserId, parse_uuid};
use hearback_domain::permission::{Permission, Role};
use hearback_domain::person::Email;
use hearback_domain::session::TokenDigest;
use hearback_web::chrome::{Chrome, hue, initial, key};
use hearback_web::form::{Faults, Fields};
use hearback_web::note::Note;
use hearback_web::{Answer, Fault, Request};

#[derive(Template)]
#[template(path = "members.html")]
struct MembersPage {
    f: Frame,
    members: Vec<Member>,
    invitations: Vec<Invitation>,
    roles: Vec<Choice>,
    email: String,
    /// The link of the invitation that was just made.
    link: Option<String>,
    faults: Faults,
    may: bool,
    sure: Option<Sure>,
}

/// A question before a member or an invitation is removed.
struct Sure {
    /// The effect of the removal.
    words: String,
    /// The words of the button.
    submit: String,
    /// The fields of the form.
    fields: Vec<(&'static str, String)>,
}

impl Sure {
    /// The question about a form. `None` if the form removes nothing, or has the answer.
    fn of(c: &Chrome, typed: &Fields) -> Option<Self> {
        let (words, submit) = match (typed.get("act"), typed.get("role")) {
            ("withdraw", _) => {
                (c.x("desk-withdraw-sure", "email", typed.get("email")), key("desk-withdraw"))
            }
            ("change", "") => {
                (c.x("desk-remove-sure", "name", typed.get("name")), key("desk-remove-member"))
            }
            _ => return None,
        };
        let fields = ["act", "role", "user_id", "invitation"];
        let fields = fields.map(|name| (name, typed.get(name).to_owned()));
        let is_asked = typed.get("confirm") != "yes";
        is_asked.then(|| Self { words, submit: c.t(submit), fields: fields.into() })
    }
}

/// A member of the team.
struct Member {
    id: String,
    name: String,
    email: String,
    initial: String,
    hue: u8,
    role: String,
    /// The roles that the member at work may give. Empty if there is none.
    roles: Vec<Choice>,
    is_self: bool,
}

/// An invitation that is open.
struct Invitation {
    /// The digest of the link.
    id: String,
    email: String,
    role: String,
    role_code: &'static str,
    until: String,
    may: bool,
}

/// `GET /dashboard/members`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    page(&desk, &Fields::default(), Faults::default(), None).await
}

/// The page. `link` is that of the invitation that was just made.
async fn page(desk: &Desk, typed: &Fields, faults: Faults, link: Option<Secret>) -> Answer {
    let web = &desk.request.web;
    let (team, invitations) = members::team(&web.ports, desk.caller("members/list")).await?;
    let f = desk.frame("/dashboard/members", desk.request.language.text("desk-members")).await?;
    let roles = |from: Option<Role>, chosen: &str| -> Vec<Choice> {
        let may = |role: &&Role| desk.role.may_give(from, Some(**role));
        let choice = |role: &Role| Choice {
            value: role.code().to_owned(),
            text: words::code(&f.c, role.code()),
            is_chosen: role.code() == chosen,
        };
        Role::ALL.iter().filter(may).map(choice).collect()
    };
    let member = |user: &hearback_domain::user::User| Member {
        id: user.user_id.to_string(),
        name: if user.name.is_empty() { user.email.clone() } else { user.name.clone() },
        email: user.email.clone(),
        initial: initial(&user.name),
        hue: hue(user.user_id.0.as_bytes()),
        role: words::code(&f.c, &user.portal_role),
        roles: match desk.role.may_give(user.role(), None) {
            true => roles(user.role(), &user.portal_role),
            false => Vec::new(),
        },
        is_self: user.user_id == desk.user,
    };
    let invitation = |it: &hearback_domain::session::SignIn| Invitation {
        id: URL_SAFE_NO_PAD.encode(it.link.0),
        email: it.email.clone(),
        role: it.role.map_or_else(String::new, |role| words::code(&f.c, role.code())),
        role_code: it.role.map_or("", Role::code),
        until: moment(&it.expires_at.to_string()),
        may: desk.role.may_give(None, it.role),
    };
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let chosen = typed.given("role").unwrap_or(Role::Member.code()).to_owned();
    let page = MembersPage {
        members: team.iter().map(member).collect(),
        invitations: invitations.iter().map(invitation).collect(),
        roles: roles(None, &chosen),
        email: match typed.get("act") {
            "invite" => typed.get("email").to_owned(),
            _ => String::new(),
        },
        link: link.map(|token| f.c.full_url(&format!("/sign-in/{}", token.reveal()))),
        may: desk.may(Permission::ManageMembers),
        sure: Sure::of(&f.c, typed).filter(|_| faults.is_empty()),
        faults,
        f,
    };
    let mut response = desk.request.page_with(status, &page)?;
    // The page may have a secret.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().remove(ETAG);
    Ok(response)
}

/// `POST /dashboard/members`: invites, withdraws an invitation, or changes a role. A removal
/// asks once.
pub(crate) async fn act(request: Request) -> Answer {
    let desk = Desk::enter(request)?;
    let typed = desk.request.form().await?;
    let web = &desk.request.web;
    let c = desk.chrome();
    let mut faults = Faults::default();
    if Sure::of(&c, &typed).is_some() {
        if !desk.may(Permission::ManageMembers) {
            return Err(Fault::Refused(key("desk-not-allowed")));
        }
        return page(&desk, &typed, faults, None).await;
    }
    let done = match typed.get("act") {
        "invite" => {
            let role = Role::parse(typed.get("role")).ok_or(Fault::Gone)?;
            let Ok(email) = Email::parse(typed.get("email").trim()) else {
                faults.add("email", c.t("fault-email"));
                return page(&desk, &typed, faults, None).await;
            };
            let caller = desk.caller("members/invite");
            match members::invite(&web.ports, &web.vault, caller, &email, role).await {
                Ok(token) => {
                    send(&desk, &c, &email, &token);
                    return page(&desk, &Fields::default(), faults, Some(token)).await;
                }
                Err(error) => Err(error),
            }
        }
        "withdraw" => {
            let link = URL_SAFE_NO_PAD.decode(typed.get("invitation")).ok();
            let link =
                link.and_then(|it| it.try_into().ok()).map(TokenDigest).ok_or(Fault::Gone)?;
            members::withdraw(&web.ports, desk.caller("members/withdraw"), link).await.map(drop)
        }
        "change" => {
            let id: UserId = parse_uuid(typed.get("user_id")).ok_or(Fault::Gone)?.into();
            let role = match typed.get("role") {
                "" => None,
                code => Some(Role::parse(code).ok_or(Fault::Gone)?),
            };
            let session = desk.request.visit.signed_in.as_ref().map(|(session, _)| session.digest);
            let except = session.filter(|_| id == desk.user && role.is_some());
            let caller = desk.caller("members/change");
            members::change(&web.ports, caller, id, role, except).await
        }
        _ => return Err(Fault::Gone),
    };
    let refused = match done {
        Ok(()) => {
            let path = format!("{}/dashboard/members?done=saved", desk.request.base);
            return Ok(desk.request.see(&path));
        }
        Err(Error::Refused(Precondition::LastOwner)) => key("desk-last-owner"),
        Err(Error::Refused(Precondition::OwnersAlone)) => key("desk-owners-alone"),
        Err(error) => return Err(error.into()),
    };
    faults.add("members", c.t(refused));
    page(&desk, &typed, faults, None).await
}

/// Mails the link of an invitation. The page shows the link, too: a mail may not arrive.
fn send(desk: &Desk, c: &Chrome, email: &Email, token: &Secret) {
    let note = Note {
        subject: c.x("invited-subject", "name", &c.name),
        text: c.x("invited-text", "name", &c.name),
        link: Some(c.full_url(&format!("/sign-in/{}", token.reveal()))),
        end: c.t("invited-end"),
    };
    note.send(&desk.request, email.as_str());
}
