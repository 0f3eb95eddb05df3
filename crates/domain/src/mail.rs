//! Notification mails: their subjects and recipients, the reasons for failures, and the schedule of
//! retries.

use crate::changelog_entry::ChangelogEntry;
use crate::comment::{Comment, Visibility};
use crate::feedback_board::FeedbackBoard;
use crate::feedback_post::{FeedbackPost, Moderation};
use crate::id::{ChangelogEntryId, CommentId, MailingId, PostId, StatusId, UserId};
use crate::millis::{DAY, HOUR, MINUTE, days, hours, minutes};
use crate::permission::{Permission, Role};
use crate::record::{Key, Kind, Known};
use crate::status::Status;
use crate::subscription::Level;
use crate::user::{PostMail, User};
use crate::{ClosedSet, Time, Uuid};

/// The notifications of one change: one to each recipient, in the portal and by mail.
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
        /// The author of the comment that it replies to.
        reply_to: Option<UserId>,
    },
    /// A post was merged into another one.
    Merged {
        /// The post.
        post: PostId,
        /// The other post.
        into: PostId,
    },
    /// The post of an author has passed moderation.
    Accepted {
        /// The post.
        post: PostId,
        /// Its author.
        author: UserId,
    },
    /// A member of the team owns a post now.
    Owner {
        /// The post.
        post: PostId,
        /// The member.
        owner: UserId,
    },
    /// Something waits for moderation.
    Queue,
}

impl Mailing {
    /// The mailing of a published entry. It has the identifier of the entry, so that no entry is
    /// mailed twice.
    pub fn of_entry(entry: ChangelogEntryId) -> Self {
        Self { id: entry.0.into(), subject: Subject::Entry(entry), actor_id: None }
    }

    /// The mailing about all that begins to wait for moderation within the hour of a time. It has the
    /// identifier of the hour, so that there is one an hour.
    pub fn of_queue(at: Time) -> Self {
        let hour = at.unix_millis().div_euclid(HOUR).unsigned_abs();
        let id = Uuid::from_u128(QUEUES | u128::from(hour));
        Self { id: id.into(), subject: Subject::Queue, actor_id: None }
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
            Subject::Comment { post: id, comment: of, .. } => vec![post(id), comment(of)],
            Subject::Merged { post: id, into } => vec![post(id), post(into)],
            Subject::Accepted { post: id, .. } | Subject::Owner { post: id, .. } => vec![post(id)],
            Subject::Queue => vec![],
        };
        keys.extend(self.actor_id.map(|user| (Kind::User, user.0)));
        keys
    }

    /// Whether a user hears of the change, in the portal or by mail. `level` is that of the user's
    /// subscription to the post of the subject, or to a post that is linked to the `entry` of the
    /// subject.
    pub fn reaches(
        &self,
        user: &User,
        level: Option<Level>,
        entry: Option<&ChangelogEntry>,
    ) -> bool {
        let is_other = !user.is_blocked && self.actor_id != Some(user.user_id);
        user.is_active
            && match self.subject.audience() {
                Audience::Readers(_) => {
                    let is_reached = |entry: &ChangelogEntry| {
                        let is_voter = !user.is_blocked && level.is_some();
                        entry.notify || entry.notify_voters && is_voter
                    };
                    user.receives_changelog() && entry.is_some_and(is_reached)
                }
                Audience::Subscribers { levels, addressee, .. } => {
                    let is_addressee = addressee == Some(user.user_id);
                    is_other && level.is_some_and(|it| is_addressee || levels.contains(&it))
                }
                Audience::One(one) => is_other && user.user_id == one,
                Audience::Moderators => is_other && user.role().is_some_and(moderates),
            }
    }

    /// Whether a user may know of the change. `known` has the posts and the comment of the subject,
    /// and `boards` has the boards of the posts.
    pub fn is_seen_by(&self, user: &User, known: &Known, boards: &Known) -> bool {
        let is_on_team = user.role().is_some();
        let sees = |id: CommentId| known.any::<Comment>(id).is_some_and(is_public);
        let sees_comment = match self.subject {
            Subject::Comment { comment, .. } => is_on_team || sees(comment),
            _ => true,
        };
        let may_open = |post: &FeedbackPost| {
            let board: Option<&FeedbackBoard> = boards.any(post.board_id);
            (is_on_team || post.moderation == Moderation::Accepted)
                && board.is_some_and(|board| board.is_seen_by(Some(user)))
        };
        sees_comment && self.subject.posts().all(|id| known.active(id).is_some_and(may_open))
    }

    /// Whether a user still wants a mail about the change: the choice may be younger than the change.
    pub fn is_wanted_by(&self, user: &User) -> bool {
        matches!(self.subject, Subject::Entry(_)) || user.post_mail != PostMail::Off
    }

    /// The way in which a user hears of the change by mail, at `now`.
    pub fn delivery(&self, user: &User, now: Time) -> Delivery {
        if !user.receives_mail() {
            return Delivery::Kept;
        }
        match (self.subject, user.post_mail) {
            (Subject::Entry(_), _) => Delivery::Mail(now),
            (_, PostMail::Off) => Delivery::Kept,
            (_, PostMail::Daily) => Delivery::Digest(morning(now, 1)),
            (_, PostMail::Weekly) => Delivery::Digest(morning(now, 7)),
            // The mail about an hour comes at its end.
            (Subject::Queue, PostMail::Instant) => {
                let hour = now.unix_millis().div_euclid(HOUR) + 1;
                Delivery::Mail(now.plus_millis(hour * HOUR - now.unix_millis()))
            }
            (_, PostMail::Instant) => Delivery::Mail(now),
        }
    }
}

/// The beginning of the identifiers of mailings about queues: those of hours end in their number.
/// The version and the variant are those of no random identifier.
const QUEUES: u128 = 0x6d6f_6465_7261_0000_0000_0000_0000_0000;

/// The way in which a user hears of a change, beside the portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The portal alone tells of it.
    Kept,
    /// By a mail of its own, then.
    Mail(Time),
    /// By the digest of that time.
    Digest(Time),
}

/// The most changes of a digest. The portal alone tells of the older ones.
pub const MOST_IN_DIGEST: usize = 100;

/// The next time after `now` at which digests of a number of days go out: at 9 o'clock in UTC, on
/// each day or on each Monday.
fn morning(now: Time, days: i64) -> Time {
    let period = days * DAY;
    let since = now.unix_millis() - FIRST_MORNING;
    now.plus_millis(period - since.rem_euclid(period))
}

/// Monday, 5 January 1970, 9 o'clock in UTC.
const FIRST_MORNING: i64 = days(4) + hours(9);

/// The users whom a mailing may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All users if the entry has [`notify`](ChangelogEntry::notify), or the subscribers of the
    /// posts that are linked to it if it has [`notify_voters`](ChangelogEntry::notify_voters).
    Readers(ChangelogEntryId),
    /// The users whose subscriptions to the post have one of these levels.
    Subscribers {
        /// The post.
        post: PostId,
        /// The levels.
        levels: &'static [Level],
        /// The subscriber whom the change is about. Each level will do.
        addressee: Option<UserId>,
    },
    /// The user whom the change is about.
    One(UserId),
    /// The members of the team who moderate.
    Moderators,
}

impl Subject {
    /// The post.
    pub fn post(self) -> Option<PostId> {
        match self {
            Self::Entry(_) | Self::Queue => None,
            Self::Status { post, .. }
            | Self::Comment { post, .. }
            | Self::Merged { post, .. }
            | Self::Accepted { post, .. }
            | Self::Owner { post, .. } => Some(post),
        }
    }

    /// The posts that the subject names: the changed one, and the one that it was merged into.
    pub fn posts(self) -> impl Iterator<Item = PostId> {
        let into = match self {
            Self::Merged { into, .. } => Some(into),
            _ => None,
        };
        self.post().into_iter().chain(into)
    }

    /// The users who may be mailed.
    pub fn audience(self) -> Audience {
        const BOTH: &[Level] = &[Level::All, Level::Status];
        match self {
            Self::Entry(entry) => Audience::Readers(entry),
            Self::Status { post, .. } | Self::Merged { post, .. } => {
                Audience::Subscribers { post, levels: BOTH, addressee: None }
            }
            Self::Comment { post, reply_to: addressee, .. } => {
                Audience::Subscribers { post, levels: &[Level::All], addressee }
            }
            Self::Accepted { author: one, .. } | Self::Owner { owner: one, .. } => {
                Audience::One(one)
            }
            Self::Queue => Audience::Moderators,
        }
    }
}

/// The content of a mailing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A published entry.
    Entry(Box<ChangelogEntry>),
    /// A change of a post.
    Post(Box<PostNews>),
    /// Something waits for moderation.
    Queue,
}

/// A change of a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostNews {
    /// The post. If it was merged, the one that it was merged into.
    pub post: FeedbackPost,
    /// The change.
    pub what: PostChange,
    /// The comment.
    pub comment: Option<Comment>,
    /// The name of the user who made the change, or empty.
    pub actor_name: String,
}

/// A change of a post, as its mails tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostChange {
    /// It got a status.
    Status(Status),
    /// It got a comment.
    Comment,
    /// A post with this title was merged into it.
    Merged(String),
    /// It has passed moderation.
    Accepted,
    /// It has another owner.
    Owner,
}

impl News {
    /// The content of a mailing, of records as they are now. `None` if its subject is withdrawn: an
    /// entry or comment that is deleted, a post that is deleted or merged, and what visitors do not
    /// see any more. A new status without its comment is still news.
    pub fn of(mailing: Mailing, known: &Known) -> Option<Self> {
        let actor = mailing.actor_id.and_then(|id| known.any::<User>(id));
        let actor_name = actor.map(|user| user.name.clone()).unwrap_or_default();
        let post = |id: PostId| known.active(id).filter(|it: &&FeedbackPost| it.is_open()).cloned();
        let comment = |id: CommentId| known.active(id).filter(|it| is_mailed(it)).cloned();
        let (post, what, comment) = match mailing.subject {
            Subject::Queue => return Some(Self::Queue),
            Subject::Entry(entry) => {
                let entry = known.any(entry).filter(|entry| ChangelogEntry::is_announced(entry))?;
                return Some(Self::Entry(Box::new(entry.clone())));
            }
            Subject::Status { post: id, status, note } => {
                let status = known.any(status).cloned()?;
                let note = note.and_then(comment).filter(|it: &Comment| is_public(it));
                (post(id)?, PostChange::Status(status), note)
            }
            Subject::Comment { post: id, comment: of, .. } => {
                (post(id)?, PostChange::Comment, Some(comment(of)?))
            }
            Subject::Merged { post: id, into } => {
                let source: &FeedbackPost = known.active(id).filter(|it| {
                    let it: &FeedbackPost = it;
                    it.merged_into_id == Some(into) && it.moderation == Moderation::Accepted
                })?;
                (post(into)?, PostChange::Merged(source.title.clone()), None)
            }
            Subject::Accepted { post: id, .. } => (post(id)?, PostChange::Accepted, None),
            // The team sees posts in each state of moderation.
            Subject::Owner { post: id, owner } => {
                let is_owned = |it: &&FeedbackPost| it.owner_id == Some(owner);
                (known.active(id).filter(is_owned).cloned()?, PostChange::Owner, None)
            }
        };
        Some(Self::Post(Box::new(PostNews { post, what, comment, actor_name })))
    }
}

/// Whether a member of the team in a role moderates.
pub fn moderates(role: Role) -> bool {
    role.may(Permission::Manage(Kind::FeedbackPost))
}

fn is_public(comment: &Comment) -> bool {
    comment.visibility == Visibility::Public
}

/// Whether subscribers hear of a comment. Those on the team alone hear of an internal one.
pub(crate) fn is_mailed(comment: &Comment) -> bool {
    comment.moderation == Moderation::Accepted
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

/// The time for which notifications are kept, in milliseconds: 90 days.
pub const NOTICES_KEPT: i64 = days(90);

/// The pause after each attempt, in milliseconds. Their sum is a day and a half, as a mail server
/// may be down over a night.
const PAUSES: [i64; 7] =
    [MINUTE, minutes(5), minutes(30), hours(2), hours(6), hours(12), hours(16)];

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::access::Access;
    use crate::changelog_entry::{EntryDraft, Launch};
    use crate::draft::Draft;
    use crate::feedback_board::BoardDraft;
    use crate::person::{Email, Handle};
    use crate::record::OfKind;
    use crate::slug::{Code, Slug};
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
            Subject::Comment { post, comment: id(9), reply_to: Some(id(20)) },
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
        // A reply reaches the subscriber whom it answers by each level.
        let asked = User { user_id: id(20), ..ada.clone() };
        assert_eq!(reached(&asked, None, Some(Level::Status)), [true; 3]);
        assert_eq!(reached(&asked, None, None), [true, false, false]);
        // The portal tells those who receive no mail, too.
        for (user, expected) in [
            (User { changelog_mail: false, ..ada.clone() }, [false, true, true]),
            (User { is_subscribed: false, ..ada.clone() }, [false, true, true]),
            (User { email: String::new(), ..ada.clone() }, [false, true, true]),
            (User { is_active: false, ..ada }, [false; 3]),
        ] {
            assert_eq!(reached(&user, None, all), expected);
        }
    }

    #[test]
    fn a_change_reaches_the_one_whom_it_is_about_and_the_queue_those_who_moderate() {
        let ada = ada();
        let reached = |user: &User, subject, actor_id| {
            Mailing { id: id(1), subject, actor_id }.reaches(user, None, None)
        };
        let (post, other) = (id(1), id(12));
        for subject in [
            Subject::Accepted { post, author: ada.user_id },
            Subject::Owner { post, owner: ada.user_id },
        ] {
            assert!(reached(&ada, subject, Some(other)));
            assert!(!reached(&ada, subject, Some(ada.user_id)));
            assert!(!reached(&User { user_id: other, ..ada.clone() }, subject, None));
        }
        let moderates = |role: &str| {
            let user = User { portal_role: role.to_owned(), ..ada.clone() };
            reached(&user, Subject::Queue, None)
        };
        let roles = ["owner", "admin", "member", "viewer", "end_user"];
        assert_eq!(roles.map(moderates), [true, true, true, false, false]);
    }

    #[test]
    fn nobody_hears_of_what_they_may_not_see() {
        let (ada, member) = (ada(), User { portal_role: "member".to_owned(), ..ada() });
        let board = |access| {
            let draft = BoardDraft { access, ..BoardDraft::usual() };
            draft.create(id(2), Slug::parse("ideas").unwrap(), Time::MIN)
        };
        let seen = |user: &User, post: &FeedbackPost, comment: &Comment, access| {
            let known = Known::new([post.clone().into_record(), comment.clone().into_record()]);
            let boards = Known::new([board(access).into_record()]);
            subjects().map(|subject| {
                let mailing = Mailing { id: id(1), subject, actor_id: None };
                mailing.is_seen_by(user, &known, &boards)
            })
        };
        let (post, comment) = (post(), comment());
        assert_eq!(seen(&ada, &post, &comment, Access::Public), [true; 3]);
        assert_eq!(seen(&ada, &post, &comment, Access::Team), [true, false, false]);
        assert_eq!(seen(&member, &post, &comment, Access::Team), [true; 3]);
        let internal = Comment { visibility: Visibility::Internal, ..comment.clone() };
        assert_eq!(seen(&ada, &post, &internal, Access::Public), [true, true, false]);
        assert_eq!(seen(&member, &post, &internal, Access::Public), [true; 3]);
        let pending = FeedbackPost { moderation: Moderation::Pending, ..post.clone() };
        assert_eq!(seen(&ada, &pending, &comment, Access::Public), [true, false, false]);
        let deleted = FeedbackPost { is_active: false, ..post.clone() };
        assert_eq!(seen(&member, &deleted, &comment, Access::Public), [true, false, false]);

        // A merge names two posts, which may be on two boards.
        let (into, hidden) = (id(21), id(22));
        let target = FeedbackPost { id: into, board_id: hidden, ..post.clone() };
        let source = FeedbackPost { merged_into_id: Some(into), ..post };
        let subject = Subject::Merged { post: source.id, into };
        let merged = Mailing { id: id(1), subject, actor_id: None };
        let known = Known::new([source.clone().into_record(), target.clone().into_record()]);
        for (access, is_seen) in [(Access::Public, true), (Access::Team, false)] {
            let other = FeedbackBoard { id: hidden, ..board(access) };
            let boards = [board(Access::Public).into_record(), other.into_record()];
            assert_eq!(merged.is_seen_by(&ada, &known, &Known::new(boards)), is_seen);
        }
        let elsewhere = Subject::Merged { post: id(1), into: id(23) };
        assert_eq!(News::of(Mailing { subject: elsewhere, ..merged }, &known), None);
        // The merge may be undone by now, or the post rejected.
        let [into, unmerged] = [Some(id(21)), None];
        for (merged_into_id, moderation, is_news) in [
            (into, Moderation::Accepted, true),
            (into, Moderation::Rejected, false),
            (unmerged, Moderation::Accepted, false),
        ] {
            let source = FeedbackPost { merged_into_id, moderation, ..source.clone() };
            let known = Known::new([source.into_record(), target.clone().into_record()]);
            assert_eq!(News::of(merged, &known).is_some(), is_news);
        }
    }

    #[test]
    fn a_mail_that_waits_is_not_wanted_by_who_has_chosen_none_meanwhile() {
        let off = User { post_mail: PostMail::Off, ..ada() };
        let wanted = |user: &User| {
            subjects()
                .map(|subject| Mailing { id: id(1), subject, actor_id: None }.is_wanted_by(user))
        };
        assert_eq!(wanted(&ada()), [true; 3]);
        assert_eq!(wanted(&off), [true, false, false]);
    }

    #[test]
    fn mails_come_at_once_or_in_the_morning_as_the_reader_wants() {
        let at = |text: &str| Time::parse(text).unwrap();
        let delivery = |user: &User, subject, now: &str| {
            Mailing { id: id(1), subject, actor_id: None }.delivery(user, at(now))
        };
        let [entry, status, _] = subjects();
        let by = |post_mail| User { post_mail, ..ada() };
        let sunday = "2026-03-01T09:30:00Z";
        let instant = by(PostMail::Instant);
        assert_eq!(delivery(&instant, status, sunday), Delivery::Mail(at(sunday)));
        let next_hour = Delivery::Mail(at("2026-03-01T10:00:00Z"));
        assert_eq!(delivery(&instant, Subject::Queue, sunday), next_hour);
        let (daily, weekly) = (by(PostMail::Daily), by(PostMail::Weekly));
        let monday = Delivery::Digest(at("2026-03-02T09:00:00Z"));
        assert_eq!(delivery(&daily, status, sunday), monday);
        assert_eq!(delivery(&weekly, status, sunday), monday);
        let before = "2026-03-02T08:59:59.999Z";
        assert_eq!(delivery(&daily, status, before), monday);
        let then = "2026-03-02T09:00:00Z";
        assert_eq!(delivery(&daily, status, then), Delivery::Digest(at("2026-03-03T09:00:00Z")));
        assert_eq!(delivery(&weekly, status, then), Delivery::Digest(at("2026-03-09T09:00:00Z")));
        let off = by(PostMail::Off);
        assert_eq!(delivery(&off, status, sunday), Delivery::Kept);
        for post_mail in PostMail::ALL {
            assert_eq!(delivery(&by(*post_mail), entry, sunday), Delivery::Mail(at(sunday)));
        }
        let unsubscribed = User { is_subscribed: false, ..daily };
        assert_eq!(delivery(&unsubscribed, status, sunday), Delivery::Kept);
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
        let told = |what: PostChange, comment: Option<Comment>| {
            let (post, actor_name) = (post(), "Ada".to_owned());
            Some(News::Post(Box::new(PostNews { post, what, comment, actor_name })))
        };
        let (status, commented) = (|| PostChange::Status(planned.clone()), || PostChange::Comment);
        let whole = [None, told(status(), Some(comment())), told(commented(), Some(comment()))];
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
            Comment { moderation: Moderation::Spam, ..comment() },
        ] {
            assert_eq!(news(post(), comment), [None, told(status(), None), None]);
        }
        // The team alone may see an internal comment. It is no note of a status.
        let internal = Comment { visibility: Visibility::Internal, ..comment() };
        let [_, of_status, of_comment] = news(post(), internal.clone());
        assert_eq!(
            [of_status, of_comment],
            [told(status(), None), told(commented(), Some(internal))]
        );
    }
}
