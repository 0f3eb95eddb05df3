//! `/feedback-posts/subscribe`, `/unsubscribe` and `/subscribers`

use crate::once::{Outcome, Repeat, once};
use crate::write::{self, Changing, given};
use crate::{Caller, Error};
use hearback_domain::Time;
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{PostId, UserId};
use hearback_domain::record::{Kind, Step};
use hearback_domain::subscription::{Level, Subscriber, Subscription};
use hearback_domain::user::User;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Ports, WriteResult};

/// A post and a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubscribeUser {
    /// The post.
    pub post: PostId,
    /// The user.
    pub user: UserId,
    /// The news that the user wants.
    pub level: Level,
}

/// `/feedback-posts/subscribers`: the linked subscribers of an active post, oldest first.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    post: PostId,
    page: PageRequest<ByTime>,
) -> Result<Page<Subscriber, ByTime>, Error> {
    let organization = caller.view(Kind::Subscription)?;
    write::find::<FeedbackPost>(ports, caller, post).await?;
    Ok(ports.subscriptions.page(organization, post, page).await?)
}

/// `/feedback-posts/subscribe`: subscribes a user, or changes the level of a subscriber.
pub async fn subscribe(
    ports: &Ports,
    caller: Caller,
    input: SubscribeUser,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit(ports, caller, input, repeat, |subscription, now| {
        Some(match subscription {
            Some(subscription) => {
                let after = Subscription { level: input.level, ..subscription.clone() };
                Step::edit(subscription, after, now)
            }
            None => Step::make(new(ports, input.post, input.user, input.level, now)),
        })
    })
    .await
}

/// `/feedback-posts/unsubscribe`
pub async fn unsubscribe(
    ports: &Ports,
    caller: Caller,
    input: SubscribeUser,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    edit(ports, caller, input, repeat, |subscription, _| subscription.map(Step::remove)).await
}

async fn edit(
    ports: &Ports,
    caller: Caller,
    SubscribeUser { post, user, .. }: SubscribeUser,
    repeat: Option<Repeat>,
    step: impl Fn(Option<Subscription>, Time) -> Option<Step>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::Subscription)?;
    let (step, repeat) = (&step, repeat.as_ref());
    once(ports, organization, (Kind::Subscription, post, user), repeat, |_| async move {
        write::find::<FeedbackPost>(ports, caller, post).await?;
        write::find::<User>(ports, caller, user).await?;
        let subscription = ports.subscriptions.find(organization, post, user).await?;
        let at = ports.clock.now();
        let steps = step(subscription, at).into_iter().collect();
        Changing::new(ports, caller, repeat, at).record(steps, WriteResult::Success, given).await
    })
    .await
}

/// A new subscription.
pub(crate) fn new(
    ports: &Ports,
    feedback_post_id: PostId,
    user_id: UserId,
    level: Level,
    created_at: Time,
) -> Subscription {
    Subscription { id: ports.ids.fresh().into(), feedback_post_id, user_id, level, created_at }
}
