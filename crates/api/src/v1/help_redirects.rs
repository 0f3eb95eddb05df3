//! `/help-redirects/…`

use crate::answer::Timestamp;
use crate::endpoint::Refusal::{NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{Fields, Noted, path};
use crate::page::Paging;
use hearback_app::{Missing, Precondition, help_redirects};
use hearback_domain::Uuid;
use hearback_domain::help_redirect::{HelpRedirect, Move};
use hearback_domain::id::HelpRedirectId;
use hearback_domain::record::Kind;
use hearback_ports::page::ByTime;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/help-redirects/list",
        "List the redirects of the portal",
        handler!(page<RedirectView>: newest => |ports, caller, (), page| {
            help_redirects::list(ports, caller, page)
        }),
    ),
    write(
        "/help-redirects/create",
        "Redirect a path of the portal",
        handler!(created: redirect => help_redirects::create),
    )
    .refusing(&[Refused(Precondition::PathTaken), Refused(Precondition::RedirectCircle)]),
    write(
        "/help-redirects/delete",
        "Delete a redirect",
        handler!(success: id => help_redirects::delete),
    )
    .refusing(&[NotFound(Missing::Record(Kind::HelpRedirect))]),
];

fn newest(fields: &mut Fields<'_>) -> Result<((), Paging<ByTime>), Noted> {
    let list = fields.list("newest");
    Ok(((), fields.paging(Ok(list))?))
}

fn redirect(fields: &mut Fields<'_>) -> Result<Move, Noted> {
    let from = fields.required("from_path", path);
    let to = fields.required("to_path", |value| match path(value)? {
        to if from.as_ref().is_ok_and(|from| *from == to) => {
            Err(Wrong::Rule("a path does not lead to itself"))
        }
        to => Ok(to),
    });
    Ok(Move { from: from?, to: to? })
}

fn id(fields: &mut Fields<'_>) -> Result<HelpRedirectId, Noted> {
    fields.id("redirect_id")
}

#[derive(Serialize, ToSchema)]
#[schema(as = HelpRedirect)]
pub(crate) struct RedirectView<'a> {
    id: Uuid,
    from_path: &'a str,
    to_path: &'a str,
    created_at: Timestamp,
}

impl<'a> From<&'a HelpRedirect> for RedirectView<'a> {
    fn from(redirect: &'a HelpRedirect) -> Self {
        Self {
            id: redirect.id.0,
            from_path: redirect.from_path.as_str(),
            to_path: redirect.to_path.as_str(),
            created_at: redirect.created_at.into(),
        }
    }
}
