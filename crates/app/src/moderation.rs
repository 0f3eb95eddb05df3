//! `/moderation/…`

use crate::finish;
use crate::once::{Outcome, Repeat, once};
use crate::people::Writer;
use crate::write::{Changing, given};
use crate::{Caller, Error, Missing};
use hearback_domain::Uuid;
use hearback_domain::comment::Comment;
use hearback_domain::event::Moderated;
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::{FeedbackPost, Moderation};
use hearback_domain::follow_up::FollowUp;
use hearback_domain::id::BoardId;
use hearback_domain::moderation::{Audience, QueueFilter, QueuedItem};
use hearback_domain::record::{Key, Kind, Step};
use hearback_domain::spam::has_many_links;
use hearback_domain::text::{LongText, Title};
use hearback_domain::user::User;
use hearback_ports::moderation::Attention;
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Ports, WriteResult};
use std::collections::BTreeSet;

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

/// The posts, comments and webhooks that ask for the attention of a member, without those whose
/// records the role may not see. Each kind is counted up to [`MOST_ATTENTION`].
pub async fn attention(ports: &Ports, caller: Caller) -> Result<Attention, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    let found = ports.moderation.attention(organization, MOST_ATTENTION).await?;
    let sees_webhooks = caller.view(Kind::WebhookSubscription).is_ok();
    Ok(Attention { failing: if sees_webhooks { found.failing } else { 0 }, ..found })
}

/// The most posts, comments and webhooks that are counted.
pub const MOST_ATTENTION: i64 = 100;

/// The input of [`decide`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decide {
    /// The posts and comments.
    pub items: Vec<(Moderated, Uuid)>,
    /// Their new state.
    pub moderation: Moderation,
    /// What becomes of their authors.
    pub authors: Authors,
}

/// What becomes of the authors of moderated posts and comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Authors {
    /// Nothing.
    #[default]
    Stay,
    /// They are trusted: what they write is accepted on boards that moderate first posts.
    AreTrusted,
    /// They are blocked, and all that waits for moderation is rejected.
    AreBlocked,
}

/// `/moderation/decide`: moderates all items, or none. Returns the number of changed items. An
/// author who is no longer linked stays as they are.
pub async fn decide(
    ports: &Ports,
    caller: Caller,
    Decide { items, moderation, authors }: Decide,
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
    let decided = once(ports, organization, keys, repeat, |_| async move {
        let known = ports.records.load(organization, keys.clone()).await?;
        let at = ports.clock.now();
        let (mut steps, mut of_authors) = (Vec::with_capacity(keys.len()), BTreeSet::new());
        for &(kind, id) in keys {
            let missing = || Error::NotFound(Missing::Record(kind));
            steps.push(if kind == Kind::Comment {
                let before: &Comment = known.active(id).ok_or_else(missing)?;
                of_authors.insert(before.author_id);
                Step::edit(before.clone(), Comment { moderation, ..before.clone() }, at)
            } else {
                let before: &FeedbackPost = known.active(id).ok_or_else(missing)?;
                of_authors.insert(before.author_id);
                Step::edit(before.clone(), FeedbackPost { moderation, ..before.clone() }, at)
            });
        }
        steps.retain(|step| !step.is_empty());
        let answer = WriteResult::Decided(steps.len() as u64);
        let mut round = Changing::new(ports, caller, repeat, at);
        if authors != Authors::Stay {
            let of_authors: Vec<Key> = of_authors.iter().map(|id| (Kind::User, id.0)).collect();
            let known = ports.records.load(organization, of_authors.clone()).await?;
            for author in of_authors.iter().filter_map(|(_, id)| known.active::<User>(*id)) {
                steps.push(Step::edit(author.clone(), authors.edit(author.clone()), at));
                if authors == Authors::AreBlocked {
                    round.follow_ups.push(FollowUp::RejectPending { author: author.user_id });
                }
            }
        }
        round.record(steps, answer, given).await
    });
    let outcome = decided.await?;
    if authors == Authors::AreBlocked {
        finish::follow(ports, organization).await;
    }
    Ok(outcome)
}

/// The text of a post, in which links are counted.
pub(crate) fn post_text(title: &Title, description: &LongText) -> String {
    format!("{}\n{}", title.as_str(), description.as_str())
}

/// The state in which a post or comment on a board begins. The team decides for itself, and for
/// visitors the board does. A text with many links waits on any board.
pub(crate) async fn beginning(
    ports: &Ports,
    caller: Caller,
    asked: Moderation,
    (kind, board): (Moderated, BoardId),
    (writer, text): (Writer, &str),
) -> Result<Moderation, Error> {
    let (organization, Audience::Visitor(_)) = (caller.organization(), caller.audience()) else {
        return Ok(asked);
    };
    let known = ports.records.load(organization, vec![(Kind::FeedbackBoard, board.0)]).await?;
    let missing = Error::NotFound(Missing::Record(Kind::FeedbackBoard));
    let board: &FeedbackBoard = known.any(board).ok_or(missing)?;
    Ok(match has_many_links(text) {
        true => Moderation::Pending,
        false => board.moderating(kind).begins(writer.is_trusted),
    })
}

impl Authors {
    fn edit(self, author: User) -> User {
        match self {
            Self::Stay => author,
            Self::AreTrusted => User { is_trusted: true, is_blocked: false, ..author },
            Self::AreBlocked => User { is_trusted: false, is_blocked: true, ..author },
        }
    }
}

fn kind_of(moderated: Moderated) -> Kind {
    match moderated {
        Moderated::Post => Kind::FeedbackPost,
        Moderated::Comment => Kind::Comment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Who;
    use crate::write::tests::id;
    use hearback_domain::Time;
    use hearback_domain::access::Moderating;
    use hearback_domain::draft::Draft;
    use hearback_domain::feedback_board::BoardDraft;
    use hearback_domain::id::OrganizationId;
    use hearback_domain::person::{Email, Handle};
    use hearback_domain::plan::Plan;
    use hearback_domain::record::{Known, OfKind};
    use hearback_domain::slug::Slug;
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

    /// The state of an author's post on a board that moderates first posts, but comments always.
    async fn begins(who: Who, kind: Moderated, is_trusted: bool, text: &str) -> Moderation {
        let mut mocks = Mocks::default();
        let draft = BoardDraft {
            post_moderation: Moderating::FirstPost,
            comment_moderation: Moderating::On,
            ..BoardDraft::usual()
        };
        let board = draft.create(id(2), Slug::parse("ideas").unwrap(), Time::MIN);
        let known = Known::new([board.into_record()]);
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        let caller = Caller::new(ACME, Plan::FULL, who);
        let writer = Writer { id: id(5), is_trusted };
        let place = (kind, id(2));
        beginning(&mocks.ports(), caller, Moderation::Spam, place, (writer, text)).await.unwrap()
    }

    #[test]
    fn an_author_is_either_trusted_or_blocked() {
        for (authors, expected) in [
            (Authors::Stay, [(true, false), (false, true)]),
            (Authors::AreTrusted, [(true, false); 2]),
            (Authors::AreBlocked, [(false, true); 2]),
        ] {
            let edited = [(true, false), (false, true)].map(|(is_trusted, is_blocked)| {
                let email = Email::parse("ada@example.com").unwrap();
                let author = Handle::Email(email).user(None, id(5), id(6), Time::MIN);
                let edited = authors.edit(User { is_trusted, is_blocked, ..author });
                (edited.is_trusted, edited.is_blocked)
            });
            assert_eq!(edited, expected, "{authors:?}");
        }
    }

    #[tokio::test]
    async fn the_board_decides_about_what_visitors_write_and_the_request_about_what_others_write() {
        use Moderation::{Accepted, Pending, Spam};
        let visitor = Who::Visitor { user: Some(id(5)) };
        for (who, kind, is_trusted, expected) in [
            (visitor, Moderated::Post, false, Pending),
            (visitor, Moderated::Post, true, Accepted),
            (visitor, Moderated::Comment, true, Pending),
            (Who::Visitor { user: None }, Moderated::Post, false, Pending),
            (Who::Key, Moderated::Post, false, Spam),
            (Who::Background, Moderated::Comment, false, Spam),
        ] {
            assert_eq!(begins(who, kind, is_trusted, "x").await, expected, "{who:?} {kind:?}");
        }
        let links = "https://buy.example ".repeat(9);
        assert_eq!(begins(visitor, Moderated::Post, true, &links).await, Pending);
        assert_eq!(begins(Who::Key, Moderated::Post, true, &links).await, Spam);
    }
}
