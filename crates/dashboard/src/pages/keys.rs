//! The API key of the organization.

use super::Frame;
use crate::desk::Desk;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue};
use askama::Template;
use hearback_app::Error;
use hearback_app::keys::{self, KeyError, PlainKey};
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_http::{DoorError, Failure};
use hearback_web::chrome::key;
use hearback_web::{Answer, Fault, Request};

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage {
    f: Frame,
    /// The key in clear text, if it is to be shown.
    shown: Option<String>,
    /// Whether the organization has a key.
    has_key: bool,
    /// Words about an action that was not done.
    refused: Option<String>,
    /// The action that the form asks about.
    asked: Option<Asked>,
}

/// An action that cannot be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Rotate,
    Revoke,
}

/// `GET /dashboard/keys`
pub(crate) async fn show(request: Request) -> Answer {
    let desk = enter(request)?;
    let asked = match desk.request.query.get("ask") {
        "rotate" => Some(Asked::Rotate),
        "revoke" => Some(Asked::Revoke),
        _ => None,
    };
    page(&desk, None, None, asked).await
}

fn enter(request: Request) -> Result<Desk, Fault> {
    let desk = Desk::enter(request)?;
    match desk.may(Permission::View(Kind::ApiKey)) {
        true => Ok(desk),
        false => Err(Fault::Gone),
    }
}

async fn page(
    desk: &Desk,
    shown: Option<PlainKey>,
    refused: Option<String>,
    asked: Option<Asked>,
) -> Answer {
    let web = &desk.request.web;
    let caller = desk.caller("api-keys/show");
    let has_key = keys::is_there(&web.ports, caller).await.map_err(failed)?;
    let f = desk.frame("/dashboard/keys", desk.request.language.text("desk-keys")).await?;
    let shown = shown.map(|key| key.reveal().to_owned());
    let mut response = desk.request.page(&KeysPage { f, shown, has_key, refused, asked })?;
    // The page may have a secret.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().remove(ETAG);
    Ok(response)
}

/// `POST /dashboard/keys`: makes, shows, replaces or revokes the key.
pub(crate) async fn act(request: Request) -> Answer {
    let desk = enter(request)?;
    let typed = desk.request.form().await?;
    let (ports, vault) = (&desk.request.web.ports, &desk.request.web.vault);
    let done = match typed.get("act") {
        "generate" => {
            keys::generate(ports, vault, desk.caller("api-keys/generate")).await.map(Some)
        }
        "show" => keys::reveal(ports, vault, desk.caller("api-keys/show")).await.map(Some),
        "rotate" => keys::rotate(ports, vault, desk.caller("api-keys/rotate")).await.map(Some),
        "revoke" => keys::revoke(ports, desk.caller("api-keys/revoke")).await.map(|()| None),
        _ => return Err(Fault::Gone),
    };
    let text = |words: &str| desk.request.language.text(words);
    match done {
        Ok(shown) => page(&desk, shown, None, None).await,
        Err(KeyError::AlreadyActive | KeyError::NoActiveKey | KeyError::Raced) => {
            page(&desk, None, Some(text(key("desk-key-raced"))), None).await
        }
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: KeyError) -> Fault {
    match error {
        KeyError::Denied(denied) => Error::from(denied).into(),
        KeyError::Store(error) => Error::from(error).into(),
        error => Fault::Failure(Failure::Door(Box::new(Broken(error)))),
    }
}

/// A fault of ours about a key.
#[derive(Debug, thiserror::Error)]
#[error("a page about the API key failed")]
struct Broken(#[source] KeyError);

impl DoorError for Broken {
    fn status(&self) -> StatusCode {
        StatusCode::INTERNAL_SERVER_ERROR
    }

    fn body(&self) -> Vec<u8> {
        Vec::new()
    }
}
