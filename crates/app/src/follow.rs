//! The members of the team who begin to follow a post, since a change names them.

use crate::members::MOST_MEMBERS;
use crate::{Error, subscriptions};
use hearback_domain::Time;
use hearback_domain::comment::Comment;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::id::{OrganizationId, PostId, UserId};
use hearback_domain::mention::mentioned;
use hearback_domain::record::{Record, Step};
use hearback_domain::subscription::Level;
use hearback_ports::Ports;
use std::collections::BTreeSet;

/// The new subscriptions of a change: those of the members whom an accepted comment mentions, and those of
/// the new owners of posts. A subscription that is there stays as it is.
pub(crate) async fn begun(
    ports: &Ports,
    organization: OrganizationId,
    steps: &[Step],
    at: Time,
) -> Result<Vec<Step>, Error> {
    let mut named: BTreeSet<(PostId, UserId)> = steps.iter().filter_map(new_owner).collect();
    let comments: Vec<&Comment> = steps.iter().filter_map(mentioning).collect();
    if !comments.is_empty() {
        let team = ports.users.team(organization, MOST_MEMBERS).await?;
        for comment in comments {
            let members = mentioned(&comment.content, &team).into_iter();
            let others = members.filter(|member| *member != comment.author_id);
            named.extend(others.map(|member| (comment.feedback_post_id, member)));
        }
    }
    let mut begun = Vec::new();
    for (post, user) in named {
        if ports.subscriptions.find(organization, post, user).await?.is_none() {
            begun.push(Step::make(subscriptions::new(ports, post, user, Level::All, at)));
        }
    }
    Ok(begun)
}

fn new_owner(step: &Step) -> Option<(PostId, UserId)> {
    let Some(Record::FeedbackPost(after)) = step.after() else { return None };
    let before = match step.before() {
        Some(Record::FeedbackPost(before)) => before.owner_id,
        _ => None,
    };
    let owner = after.owner_id.filter(|owner| after.is_active && before != Some(*owner))?;
    Some((after.id, owner))
}

/// A comment that is accepted by a step. Nobody follows a post for a comment that waits.
fn mentioning(step: &Step) -> Option<&Comment> {
    let is_new = step.before().and_then(accepted).is_none();
    step.after().and_then(accepted).filter(|comment| is_new && comment.content.contains('@'))
}

fn accepted(record: &Record) -> Option<&Comment> {
    match record {
        Record::Comment(comment) if comment.moderation == Moderation::Accepted => Some(comment),
        _ => None,
    }
}
