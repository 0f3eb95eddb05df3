//! The first steps of a new organization, which the inbox shows until it has found its way.

use crate::desk::Desk;
use hearback_app::members;
use hearback_domain::permission::Permission;
use hearback_domain::record::Kind;
use hearback_web::Fault;
use hearback_web::chrome::{Chrome, key};
use hearback_web::form::with_fields;

/// A step of the guide.
pub(crate) struct Step {
    pub(crate) text: String,
    pub(crate) href: String,
    pub(crate) is_done: bool,
}

/// The number of posts from which on an organization needs no guide.
const ENOUGH: usize = 5;

/// The steps that the member may do, if one of them is not done. `posts` is the number of the first
/// posts of the organization. A step is done if its record or setting is there.
pub(crate) async fn steps(desk: &Desk, c: &Chrome, posts: usize) -> Result<Vec<Step>, Fault> {
    if posts >= ENOUGH {
        return Ok(Vec::new());
    }
    let frame = &desk.request.visit.frame;
    let look = &frame.organization.portal;
    let may_invite = desk.may(Permission::ManageMembers);
    let has_invited = match may_invite {
        true => {
            let ports = &desk.request.web.ports;
            let (team, invitations) = members::team(ports, desk.caller("members/list")).await?;
            team.len() > 1 || !invitations.is_empty()
        }
        false => false,
    };
    // An import needs an organization that has just begun.
    let may_import = posts == 0 && desk.may(Permission::Import) && desk.may(Permission::Export);
    let manages = |kind| desk.may(Permission::Manage(kind));
    // The member is the author, unless the form says otherwise.
    let author = desk.user.to_string();
    let post = with_fields("/dashboard/do/feedback-posts/create", &[("author_id", &author)]);
    let step = |(may, is_done, words, path): (bool, bool, &str, &str)| {
        may.then(|| Step { text: c.t(words), href: c.url(path), is_done })
    };
    let steps: Vec<Step> = [
        (may_import, false, key("desk-guide-import"), "/dashboard/data"),
        (
            manages(Kind::FeedbackBoard),
            !frame.boards.is_empty(),
            key("desk-guide-board"),
            "/dashboard/do/feedback-boards/create",
        ),
        (
            manages(Kind::Organization),
            look.logo_url.is_some() || look.accent.is_some(),
            key("desk-guide-look"),
            "/dashboard/organization",
        ),
        (manages(Kind::FeedbackPost), posts > 0, key("desk-guide-post"), &post),
        (may_invite, has_invited, key("desk-guide-invite"), "/dashboard/members"),
    ]
    .into_iter()
    .filter_map(step)
    .collect();
    let is_over = steps.iter().all(|step| step.is_done);
    Ok(if is_over { Vec::new() } else { steps })
}
