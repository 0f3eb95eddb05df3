//! `/moderation/…`

use crate::once::{Outcome, Repeat, once};
use crate::write::{Changing, given};
use crate::{Caller, Error, Missing};
use hearback_domain::Uuid;
use hearback_domain::comment::Comment;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::moderation::{QueueFilter, QueuedItem};
use hearback_domain::record::{Key, Kind, Step};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Ports, WriteResult};

/// `/moderation/list`: the posts or comments in a state of moderation, oldest first.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: QueueFilter,
    page: PageRequest<ByTime>,
) -> Result<Page<QueuedItem, ByTime>, Error> {
    let organization = caller.view(kind_of(filter.kind))?;
    Ok(ports.moderation.page(organization, filter, page).await?)
}

/// The input of [`decide`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decide {
    /// The posts and comments.
    pub items: Vec<(Moderated, Uuid)>,
    /// Their new state.
    pub moderation: Moderation,
}

/// `/moderation/decide`: moderates all items, or none. Returns the number of changed items.
pub async fn decide(
    ports: &Ports,
    caller: Caller,
    Decide { items, moderation }: Decide,
    repeat: Option<Repeat>,
) -> Result<Outcome, Error> {
    let organization = caller.manage(Kind::FeedbackPost)?;
    caller.manage(Kind::Comment)?;
    let mut keys: Vec<Key> = Vec::with_capacity(items.len());
    for (kind, id) in items {
        let key = (kind_of(kind), id);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let (keys, repeat) = (&keys, repeat.as_ref());
    once(ports, organization, keys, repeat, |_| async move {
        let known = ports.records.load(organization, keys.clone()).await?;
        let at = ports.clock.now();
        let mut steps = Vec::with_capacity(keys.len());
        for &(kind, id) in keys {
            let missing = || Error::NotFound(Missing::Record(kind));
            steps.push(if kind == Kind::Comment {
                let before: &Comment = known.active(id).ok_or_else(missing)?;
                Step::edit(before.clone(), Comment { moderation, ..before.clone() }, at)
            } else {
                let before: &FeedbackPost = known.active(id).ok_or_else(missing)?;
                Step::edit(before.clone(), FeedbackPost { moderation, ..before.clone() }, at)
            });
        }
        steps.retain(|step| !step.is_empty());
        let answer = WriteResult::Decided(steps.len() as u64);
        Changing::new(ports, caller, repeat, at).record(steps, answer, given).await
    })
    .await
}

fn kind_of(moderated: Moderated) -> Kind {
    match moderated {
        Moderated::Post => Kind::FeedbackPost,
        Moderated::Comment => Kind::Comment,
    }
}
