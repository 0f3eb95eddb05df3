//! Guests: visitors who act before they sign in.
//!
//! A guest without an address is a user for whom one browser stands, by a signed value that it
//! keeps. What a guest does who gives an address waits in the mail that confirms the address, and
//! nothing of it is stored with the records until then. Who signs in takes over what the guest of
//! the same browser did.

use super::{
    DraftComment, DraftPost, Found, SeenPost, Visit, comment, follow, follow_changelog, glance,
    gone, submit, vote,
};
use crate::one_person::{self, MergeUsers};
use crate::{Error, Repeat, Vault, signed, write};
use hearback_domain::feedback_board::FeedbackBoard;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::guest::Way;
use hearback_domain::id::{CommentId, OrganizationId, UserId};
use hearback_domain::record::{Kind, Step};
use hearback_domain::subscription::Level;
use hearback_domain::text::{Content, LongText, Title};
use hearback_domain::user::{User, UserSelector};
use hearback_domain::vote::Target;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::{IdempotencyKey, Ports, Recorded, StoreError};
use serde::{Deserialize, Serialize};

/// The value by which a browser stands for a guest of the organization.
pub fn guest_token(vault: &Vault, organization: OrganizationId, guest: UserId) -> String {
    signed::write(vault, PURPOSE, organization.0.as_bytes(), guest.0.as_bytes())
}

/// The guest of the organization for whom a browser stands by a value.
pub async fn guest(
    ports: &Ports,
    vault: &Vault,
    organization: OrganizationId,
    token: &str,
) -> Result<Option<User>, Error> {
    let id = signed::read(vault, PURPOSE, organization.0.as_bytes(), token);
    let Some(id) = id.map(Uuid::from_bytes) else { return Ok(None) };
    let found = ports.users.find(organization, UserSelector::Id(id.into())).await?;
    Ok(found.filter(User::is_guest))
}

const PURPOSE: &str = "guest";

/// Makes the visitor a guest, unless the visitor is one or has signed in.
pub async fn welcome(ports: &Ports, visit: &mut Visit) -> Result<(), Error> {
    if visit.actor().is_some() {
        return Ok(());
    }
    let at = ports.clock.now();
    let [id, person] = [(); 2].map(|()| ports.ids.fresh());
    let guest = User::guest(id.into(), person.into(), at);
    let (caller, steps) = (visit.admitted("portal/guest"), vec![Step::make(guest.clone())]);
    match write::change(ports, caller, steps, vec![], vec![], at).await? {
        Recorded::Done => {
            visit.guest = Some(guest);
            Ok(())
        }
        // Nobody else has the identifier: another request was faster with the organization.
        _ => Err(Error::Store(StoreError::Busy)),
    }
}

/// Gives the visitor, who has signed in, all that the guest of the same browser did. A member of the
/// team gets it once the second factor was shown.
pub async fn adopt(ports: &Ports, visit: &mut Visit) -> Result<(), Error> {
    if visit.next_step.is_some() {
        return Ok(());
    }
    let (Some(user), Some(guest)) = (visit.user(), &visit.guest) else { return Ok(()) };
    let merge = MergeUsers { user: guest.user_id, into: user.user_id, dry_run: false };
    match one_person::merge(ports, visit.admitted("portal/sign-in"), merge, None).await {
        // Another request of the same browser was faster.
        Ok(_) | Err(Error::NotFound(_)) => {
            visit.guest = None;
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// An act of a guest that waits until the guest has confirmed an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A post.
    Post {
        /// The board.
        board: Uuid,
        /// The title.
        title: String,
        /// The description.
        text: String,
        /// The category.
        category: Option<Uuid>,
        /// The number of the form.
        form: String,
    },
    /// A comment.
    Comment {
        /// The slug of the post.
        post: String,
        /// The text.
        text: String,
        /// The comment that it replies to.
        parent: Option<Uuid>,
        /// The number of the form.
        form: String,
    },
    /// A vote.
    Vote {
        /// The slug of the post.
        post: String,
    },
    /// A subscription.
    Follow {
        /// The slug of the post.
        post: String,
        /// The news that are wanted.
        level: String,
    },
    /// Mails about the changelog.
    Changelog,
}

/// The result of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acted {
    /// A post.
    Posted {
        /// Its slug.
        post: String,
        /// Whether the post or comment waits for moderation.
        waits: bool,
    },
    /// A comment.
    Commented {
        /// The slug of the post.
        post: String,
        /// Its identifier.
        id: CommentId,
        /// Whether the post or comment waits for moderation.
        waits: bool,
    },
    /// A vote.
    Voted {
        /// The slug of the post.
        post: String,
    },
    /// A subscription.
    Followed {
        /// The slug of the post.
        post: String,
    },
    /// Mails about the changelog.
    FollowedChangelog,
}

impl Act {
    /// The act as it is stored.
    pub fn write(&self) -> String {
        // An act has texts alone, which become JSON in any case.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a stored act.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Does what the visitor wants, who has signed in by confirming the address. An act that is
    /// done twice is one.
    pub async fn perform(self, ports: &Ports, visit: &Visit) -> Result<Acted, Error> {
        let repeat = |path, form: &str, body: &str| {
            IdempotencyKey::parse(form).map(|key| Repeat::of_form(path, key, body))
        };
        Ok(match self {
            Self::Post { board, title, text, category, form } => {
                let draft = DraftPost {
                    board: board.into(),
                    title: Title::parse(&title).map_err(|_| gone(Kind::FeedbackPost))?,
                    description: LongText::parse(&text).map_err(|_| gone(Kind::FeedbackPost))?,
                    category: category.map(Into::into),
                };
                let repeat = repeat("portal/submit", &form, &format!("{title}\0{text}"));
                let slug = submit(ports, visit, draft, repeat).await?;
                let seen = seen(ports, visit, slug.as_str()).await?;
                Acted::Posted { post: slug.into(), waits: waits(seen.post.moderation) }
            }
            Self::Comment { post, text, parent, form } => {
                let draft = DraftComment {
                    content: Content::parse(&text).map_err(|_| gone(Kind::Comment))?,
                    parent: parent.map(Into::into),
                };
                let repeat = repeat("portal/comment", &form, &format!("\0{text}"));
                let id = comment(ports, visit, &post, draft, repeat).await?;
                let made = ports.comments.find(visit.organization(), id).await?;
                let waits = made.is_some_and(|it| waits(it.moderation));
                Acted::Commented { post, id, waits }
            }
            Self::Vote { post } => {
                let id = seen(ports, visit, &post).await?.post.id;
                vote(ports, visit, Target::Feedback(id), true).await?;
                Acted::Voted { post }
            }
            Self::Follow { post, level } => {
                let level = Level::ALL.iter().find(|it| it.code() == level).copied();
                follow(ports, visit, &post, level).await?;
                Acted::Followed { post }
            }
            Self::Changelog => {
                follow_changelog(ports, visit, true).await?;
                Acted::FollowedChangelog
            }
        })
    }
}

async fn seen(ports: &Ports, visit: &Visit, slug: &str) -> Result<SeenPost, Error> {
    match glance(ports, visit, slug).await? {
        Found::Here(seen) => Ok(seen),
        Found::Moved(_) => Err(gone(Kind::FeedbackPost)),
    }
}

fn waits(moderation: Moderation) -> bool {
    moderation == Moderation::Pending
}

impl Visit {
    /// The user by whom the visitor acts: who has signed in, or is a guest.
    pub fn actor(&self) -> Option<&User> {
        self.user().or(self.guest.as_ref())
    }

    /// The way in which the visitor acts on a board. `None`: the visitor has signed in.
    /// `needs_address` says that the act is of no use without an address.
    pub fn way(&self, board: &FeedbackBoard, needs_address: bool) -> Option<Way> {
        let by_mail = self.frame.organization.portal.signs_in_by_mail;
        self.user().is_none().then(|| board.guests.way(needs_address, by_mail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;
    use crate::mail::letter::tests::acme;
    use crate::portal::Frame;
    use crate::write::tests::id;
    use hearback_domain::Time;
    use hearback_domain::record::Record;
    use hearback_ports::mock::Mocks;
    use std::sync::Arc;

    fn visit() -> Visit {
        Visit::of_nobody(Arc::new(Frame {
            organization: acme(),
            boards: vec![],
            roadmap_boards: vec![],
            statuses: vec![],
            categories: vec![],
            tags: vec![],
            labels: vec![],
            has_mail_trouble: false,
        }))
    }

    #[tokio::test]
    async fn a_browser_stands_for_a_guest_of_one_organization_by_a_signed_value() {
        let vault = Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap());
        let known = User::guest(id(1), id(2), Time::MIN);
        let token = guest_token(&vault, id(9), known.user_id);
        let named = User { email: "ada@example.com".to_owned(), ..known.clone() };
        for (found, expected) in [(known.clone(), Some(known)), (named, None)] {
            let mut mocks = Mocks::default();
            mocks.users.expect_find().once().returning(move |of, selector| {
                assert_eq!((of, selector), (id(9), UserSelector::Id(id(2))));
                Ok(Some(found.clone()))
            });
            let ports = mocks.ports();
            assert_eq!(guest(&ports, &vault, id(9), &token).await.unwrap(), expected);
            // The store is not asked for what the program has not signed.
            for (of, token) in [(8, &*token), (9, &token[1..]), (9, "")] {
                assert_eq!(guest(&ports, &vault, id(of), token).await.unwrap(), None);
            }
        }
    }

    #[tokio::test]
    async fn a_visitor_becomes_one_guest() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(7));
        mocks.alarm.expect_ring().return_const(());
        mocks.records.expect_load().returning(|_, _| Ok(Default::default()));
        mocks.records.expect_apply().once().returning(|_, change| {
            let made = change.steps.iter().find_map(Step::after);
            assert!(matches!(made, Some(Record::User(user)) if user.is_guest()), "{made:?}");
            Ok(Recorded::Done)
        });
        let (ports, mut visit) = (mocks.ports(), visit());
        for _ in 0..2 {
            welcome(&ports, &mut visit).await.unwrap();
            assert_eq!(visit.actor().map(|user| user.user_id), Some(id(7)));
            assert_eq!(visit.user(), None);
        }
    }

    #[test]
    fn an_act_is_read_as_it_was_written() {
        let [text, form] = ["größer\n\"x\" 😀", "number"].map(str::to_owned);
        let post = "dark-mode".to_owned();
        let acts = [
            Act::Post {
                board: Uuid::from_u128(1),
                title: text.clone(),
                text: text.clone(),
                category: Some(Uuid::from_u128(2)),
                form: form.clone(),
            },
            Act::Comment { post: post.clone(), text, parent: None, form },
            Act::Vote { post: post.clone() },
            Act::Follow { post, level: "all".to_owned() },
            Act::Changelog,
        ];
        for act in acts {
            assert_eq!(Act::read(&act.write()), Some(act));
        }
        for text in ["", "{}", "{\"sign\": {}}"] {
            assert_eq!(Act::read(text), None);
        }
    }
}
