//! Notification mails: their subjects and recipients, the reasons for failures, and the schedule of
//! retries.

use crate::changelog_entry::ChangelogEntry;
use crate::comment::{Comment, Visibility};
use crate::feedback_post::{FeedbackPost, Moderation};
use crate::id::{ChangelogEntryId, CommentId, MailingId, PostId, StatusId, UserId};
use crate::record::{Key, Kind, Known};
use crate::status::Status;
use crate::subscription::Level;
use crate::user::User;
use crate::{ClosedSet, Time};

/// The mails about one change: one to each recipient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mailing {
    /// The identifier. There is at most one mailing with it, ever.
    pub id: MailingId,
    /// The change that the mails are about.
    pub subject: Subject,
    /// The user who made the change, and gets no mail about it.
    pub actor_id: Option<UserId>,
}

/// A change that is mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An entry was published.
    Entry(ChangelogEntryId),
    /// A post got a status.
    Status {
        /// The post.
        post: PostId,
        /// The new status.
        status: StatusId,
        /// The comment on the change.
        note: Option<CommentId>,
    },
    /// A post got a comment.
    Comment {
        /// The post.
        post: PostId,
        /// The comment.
        comment: CommentId,
    },
}

impl Mailing {
    /// The mailing of a published entry. It has the identifier of the entry, so that no entry is
    /// mailed twice.
    pub fn of_entry(entry: ChangelogEntryId) -> Self {
        Self { id: entry.0.into(), subject: Subject::Entry(entry), actor_id: None }
    }

    /// The records that [`News::of`] reads.
    pub fn quoted(self) -> Vec<Key> {
        let post = |id: PostId| (Kind::FeedbackPost, id.0);
        let comment = |id: CommentId| (Kind::Comment, id.0);
        let mut keys = match self.subject {
            Subject::Entry(entry) => vec![(Kind::ChangelogEntry, entry.0)],
            Subject::Status { post: id, status, note } => {
                let keys = [post(id), (Kind::Status, status.0)];
                keys.into_iter().chain(note.map(comment)).collect()
            }
            Subject::Comment { post: id, comment: of } => vec![post(id), comment(of)],
        };
        keys.extend(self.actor_id.map(|user| (Kind::User, user.0)));
        keys
    }

    /// Whether a mail goes to a user. `level` is that of the user's subscription to the post of the
    /// subject, or to a post that is linked to the `entry` of the subject.
    pub fn reaches(
        &self,
        user: &User,
        level: Option<Level>,
        entry: Option<&ChangelogEntry>,
    ) -> bool {
        user.receives_mail()
            && match self.subject.audience() {
                Audience::Readers(_) => entry.is_some_and(|entry| {
                    let is_voter = !user.is_blocked && level.is_some();
                    entry.notify || entry.notify_voters && is_voter
                }),
                Audience::Subscribers(_, levels) => {
                    !user.is_blocked
                        && self.actor_id != Some(user.user_id)
                        && level.is_some_and(|level| levels.contains(&level))
                }
            }
    }
}

/// The users whom a mailing may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All users if the entry has [`notify`](ChangelogEntry::notify), or the subscribers of the
    /// posts that are linked to it if it has [`notify_voters`](ChangelogEntry::notify_voters).
    Readers(ChangelogEntryId),
    /// The users whose subscriptions to the post have one of these levels.
    Subscribers(PostId, &'static [Level]),
}

impl Subject {
    /// The users who may be mailed.
    pub fn audience(self) -> Audience {
        match self {
            Self::Entry(entry) => Audience::Readers(entry),
            Self::Status { post, .. } => Audience::Subscribers(post, &[Level::All, Level::Status]),
            Self::Comment { post, .. } => Audience::Subscribers(post, &[Level::All]),
        }
    }
}

/// The content of a mailing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A published entry.
    Entry(Box<ChangelogEntry>),
    /// The status or a comment of a post.
    Post(Box<PostNews>),
}

/// The status or a comment of a post. It has at least one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostNews {
    /// The post.
    pub post: FeedbackPost,
    /// The new status, if it changed.
    pub status: Option<Status>,
    /// The comment.
    pub comment: Option<Comment>,
    /// The name of the user who made the change, or empty.
    pub actor_name: String,
}

impl News {
    /// The content of a mailing, of records as they are now. `None` if its subject is withdrawn: an
    /// entry or comment that is deleted, a post that is deleted or merged, and what visitors do not
    /// see any more. A new status without its comment is still news.
    pub fn of(mailing: Mailing, known: &Known) -> Option<Self> {
        let actor = mailing.actor_id.and_then(|id| known.any::<User>(id));
        let actor_name = actor.map(|user| user.name.clone()).unwrap_or_default();
        let post = |id: PostId| known.active(id).filter(|post| is_shown(post)).cloned();
        let comment = |id: CommentId| known.active(id).filter(|it| is_mailed(it)).cloned();
        let (post, status, comment) = match mailing.subject {
            Subject::Entry(entry) => {
                let entry = known.any(entry).filter(|entry| ChangelogEntry::is_announced(entry))?;
                return Some(Self::Entry(Box::new(entry.clone())));
            }
            Subject::Status { post: id, status, note } => {
                (post(id)?, Some(known.any(status).cloned()?), note.and_then(comment))
            }
            Subject::Comment { post: id, comment: of } => (post(id)?, None, Some(comment(of)?)),
        };
        Some(Self::Post(Box::new(PostNews { post, status, comment, actor_name })))
    }
}

/// Whether subscribers get mails about a post: visitors see it, and it is not merged.
pub(crate) fn is_shown(post: &FeedbackPost) -> bool {
    post.is_active && post.moderation == Moderation::Accepted && post.merged_into_id.is_none()
}

/// Whether a comment is mailed to subscribers. An internal one is for members alone.
pub(crate) fn is_mailed(comment: &Comment) -> bool {
    comment.visibility == Visibility::Public && comment.moderation == Moderation::Accepted
}

/// The reasons why a mail was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailFailure {
    /// `unreachable`: the mail server could not be reached, or deferred the mail before accepting
    /// it. A retry is safe.
    Unreachable,
    /// `refused`: the mail server refused the mail or its recipient permanently.
    Refused,
    /// `bad-address`: the recipient's address is invalid.
    BadAddress,
    /// `unknown`: the connection was lost when the mail server may already have accepted the mail.
    Unknown,
    /// `interrupted`: the process ended during the attempt. The mail may have been sent.
    Interrupted,
    /// `unsubscribed`: the recipient was unsubscribed, blocked or unlinked, or lost the address before
    /// the attempt.
    Unsubscribed,
    /// `unwritable`: the text of the mail could not be made.
    Unwritable,
    /// `withdrawn`: what the mail tells was withdrawn before the attempt.
    Withdrawn,
}

impl ClosedSet for MailFailure {
    const ALL: &'static [Self] = &[
        Self::Unreachable,
        Self::Refused,
        Self::BadAddress,
        Self::Unknown,
        Self::Interrupted,
        Self::Unsubscribed,
        Self::Unwritable,
        Self::Withdrawn,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
            Self::BadAddress => "bad-address",
            Self::Unknown => "unknown",
            Self::Interrupted => "interrupted",
            Self::Unsubscribed => "unsubscribed",
            Self::Unwritable => "unwritable",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// The outcome of an attempt to send a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailOutcome {
    /// The mail server accepted the mail.
    Sent,
    /// Another attempt follows.
    Retry {
        /// When the next attempt is due.
        at: Time,
        /// The reason for the failure.
        failure: MailFailure,
    },
    /// The mail is given up.
    Failed {
        /// The reason for the failure.
        failure: MailFailure,
    },
}

impl MailOutcome {
    /// Decides the outcome of a failed attempt with the number `attempt`, from 1, that ended at
    /// `now`.
    ///
    /// Only a mail that was surely not sent is sent again: a recipient gets it once or not at all.
    pub fn after(attempt: u32, result: Result<(), MailFailure>, now: Time) -> Self {
        let failure = match result {
            Ok(()) => return Self::Sent,
            Err(failure @ MailFailure::Unreachable) => failure,
            Err(failure) => return Self::Failed { failure },
        };
        let pause =
            usize::try_from(attempt).ok().and_then(|attempt| PAUSES.get(attempt.checked_sub(1)?));
        pause.map_or(Self::Failed { failure }, |pause| Self::Retry {
            at: now.plus_millis(*pause),
            failure,
        })
    }
}

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// The pause after each attempt, in milliseconds. Their sum is a day and a half, as a mail server
/// may be down over a night.
const PAUSES: [i64; 7] =
    [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 16 * HOUR];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::changelog_entry::{EntryDraft, Launch};
    use crate::draft::Draft;
    use crate::person::{Email, Handle};
    use crate::record::OfKind;
    use crate::slug::Code;
    use crate::text::Title;
    use crate::told::tests::{comment, id, post};

    fn now() -> Time {
        Time::parse("2026-03-01T09:30:00Z").unwrap()
    }

    #[test]
    fn a_mail_that_was_surely_not_sent_is_retried_after_longer_and_longer_pauses() {
        let mut waited = 0;
        for (attempt, pause) in (1..).zip(PAUSES) {
            let outcome = MailOutcome::after(attempt, Err(MailFailure::Unreachable), now());
            let at = now().plus_millis(pause);
            assert_eq!(outcome, MailOutcome::Retry { at, failure: MailFailure::Unreachable });
            assert!(pause > waited);
            waited = pause;
        }
        let outcome = MailOutcome::after(8, Err(MailFailure::Unreachable), now());
        assert_eq!(outcome, MailOutcome::Failed { failure: MailFailure::Unreachable });
    }

    #[test]
    fn a_mail_that_may_have_been_sent_or_never_can_be_is_not_retried() {
        for &failure in
            MailFailure::ALL.iter().filter(|failure| **failure != MailFailure::Unreachable)
        {
            assert_eq!(MailOutcome::after(1, Err(failure), now()), MailOutcome::Failed { failure });
        }
        assert_eq!(MailOutcome::after(1, Ok(()), now()), MailOutcome::Sent);
    }

    fn subjects() -> [Subject; 3] {
        let (post, status, note) = (id(1), id(4), Some(id(9)));
        [
            Subject::Entry(id(8)),
            Subject::Status { post, status, note },
            Subject::Comment { post, comment: id(9) },
        ]
    }

    pub(crate) fn entry() -> ChangelogEntry {
        let draft = EntryDraft {
            title: Title::parse("Dark mode").unwrap(),
            content: String::new(),
            entry_type: None,
            label_ids: vec![],
            launch: Launch::Published,
            notify: true,
            author_id: None,
            featured_image_url: None,
            show_on_portal: true,
            external_id: None,
        };
        let slug = draft.name();
        draft.create(id(8), slug, Time::MIN)
    }

    fn ada() -> User {
        let ada = Handle::Email(Email::parse("ada@example.com").unwrap());
        User { is_subscribed: true, ..ada.user(None, id(10), id(11), Time::MIN) }
    }

    #[test]
    fn mails_about_a_post_go_to_its_subscribers_but_the_one_who_made_the_change() {
        let ada = ada();
        let reached = |user: &User, actor_id, level| {
            let entry = entry();
            let reaches = |subject| {
                Mailing { id: id(1), subject, actor_id }.reaches(user, level, Some(&entry))
            };
            subjects().map(reaches)
        };
        let levels = [Some(Level::All), Some(Level::Status), None];
        let by_level = levels.map(|level| reached(&ada, Some(id(12)), level));
        assert_eq!(by_level, [[true; 3], [true, true, false], [true, false, false]]);
        let all = Some(Level::All);
        assert_eq!(reached(&ada, Some(ada.user_id), all), [true, false, false]);
        let blocked = User { is_blocked: true, ..ada.clone() };
        assert_eq!(reached(&blocked, None, all), [true, false, false]);
        for user in [
            User { is_subscribed: false, ..ada.clone() },
            User { is_active: false, ..ada.clone() },
            User { email: String::new(), ..ada },
        ] {
            assert_eq!(reached(&user, None, all), [false; 3]);
        }
    }

    #[test]
    fn mails_about_an_entry_go_to_all_or_to_the_subscribers_of_linked_posts() {
        let mailing = Mailing::of_entry(id(8));
        let reached = |notify, notify_voters, is_blocked| {
            let entry = ChangelogEntry { notify, notify_voters, ..entry() };
            let user = User { is_blocked, ..ada() };
            [None, Some(Level::Status)].map(|level| mailing.reaches(&user, level, Some(&entry)))
        };
        assert_eq!(reached(true, false, true), [true, true]);
        assert_eq!(reached(false, true, false), [false, true]);
        assert_eq!(reached(false, true, true), [false, false]);
        assert_eq!(reached(false, false, false), [false, false]);
    }

    #[test]
    fn a_mail_about_an_entry_is_withdrawn_unless_it_is_out_on_the_portal() {
        let news = |entry: ChangelogEntry| {
            let known = Known::new([entry.clone().into_record()]);
            News::of(Mailing::of_entry(id(8)), &known)
        };
        assert_eq!(news(entry()), Some(News::Entry(Box::new(entry()))));
        for hidden in [
            entry().unpublished(),
            ChangelogEntry { show_on_portal: false, ..entry() },
            ChangelogEntry { is_active: false, ..entry() },
        ] {
            assert_eq!(news(hidden), None);
        }
    }

    #[test]
    fn news_are_withdrawn_with_their_post_or_comment_but_not_with_a_note() {
        let ada = User { name: "Ada".to_owned(), ..ada() };
        let planned = Status::usual().remove(1);
        let planned = planned.create(id(4), Code::parse("planned").unwrap(), Time::MIN);
        let news = |post: FeedbackPost, comment: Comment| {
            let (ada, planned) = (ada.clone().into_record(), planned.clone().into_record());
            let known = Known::new([post.into_record(), comment.into_record(), planned, ada]);
            subjects().map(|subject| {
                let mailing = Mailing { id: id(1), subject, actor_id: Some(id(11)) };
                assert!(mailing.quoted().contains(&(Kind::User, id(11))));
                News::of(mailing, &known)
            })
        };
        let told = |status: Option<&Status>, comment: Option<Comment>| {
            let (status, actor_name) = (status.cloned(), "Ada".to_owned());
            let post = post();
            Some(News::Post(Box::new(PostNews { post, status, comment, actor_name })))
        };
        let whole = [None, told(Some(&planned), Some(comment())), told(None, Some(comment()))];
        assert_eq!(news(post(), comment()), whole);
        for post in [
            FeedbackPost { is_active: false, ..post() },
            FeedbackPost { merged_into_id: Some(id(2)), ..post() },
            FeedbackPost { moderation: Moderation::Rejected, ..post() },
        ] {
            assert_eq!(news(post, comment()), [None, None, None]);
        }
        for comment in [
            Comment { is_active: false, ..comment() },
            Comment { visibility: Visibility::Internal, ..comment() },
            Comment { moderation: Moderation::Spam, ..comment() },
        ] {
            assert_eq!(news(post(), comment), [None, told(Some(&planned), None), None]);
        }
    }
}
