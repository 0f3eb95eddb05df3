//! The background steps that tell people of published entries and changes of posts, in the portal and
//! by mail.
//!
//! A change that is mailed queued its mailing in its own transaction. [`write_mails`] turns a
//! mailing into mails, one for each recipient, and [`Sender::send_mails`] sends them.
//!
//! **A recipient gets a mail about a change once or not at all.** A mail is taken out of the queue,
//! and that is committed, before the mail server is contacted; its outcome is stored afterwards. If
//! the process ends in between, a mail may or may not have been sent. It is given up, since a
//! missed notification costs less than one that comes again and again. A process can lose at most
//! [`AT_ONCE`] mails in this way. A mail that was surely not sent is retried
//! ([`MailOutcome::after`]).

pub(crate) mod letter;

pub(crate) mod scene;

pub use letter::{content, line};

use crate::backlog::{Progress, Round, StepError};
use crate::mail::letter::{Envelope, Letter, Reason};
use crate::mail::scene::Scene;
use crate::portal::lasting_home;
use crate::unsubscribe::UnsubscribeTokens;
use crate::words::{Speech, Words};
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::{Audience, MailFailure, MailOutcome, Mailing, News};
use hearback_domain::millis::minutes;
use hearback_domain::organization::Organization;
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::Task;
use hearback_ports::mail_queue::{ClaimedMail, SettledMail, Written};
use hearback_ports::mailer::{Mail, MailError};
use hearback_ports::notices::MailTrouble;
use hearback_ports::{Lease, Mailer, Ports, StoreError};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet, spawn_blocking};

/// The most mails of an organization that are claimed, and in flight, at once.
pub const AT_ONCE: i64 = 8;

/// The length of a lease, in milliseconds. A mailer returns within two minutes; the rest is for a
/// slow database.
const LEASE_MILLIS: i64 = minutes(10);

/// The most letters that are kept for later mails.
const LETTERS: usize = 16;

/// The most mails of an organization that are written in one transaction.
const BATCH: i64 = 500;

/// Writes a batch of mails of each organization that has an unfinished mailing, so that a large
/// mailing does not delay a small one. More may be left if it did anything.
pub async fn write_mails(ports: &Ports) -> Progress {
    let mut round = Round::new(ports, Task::WriteMails);
    while let Some(organization) = round.next().await {
        let result = write_of(ports, organization, &mut round.progress).await;
        round.keep(result);
    }
    round.progress
}

async fn write_of(
    ports: &Ports,
    organization: OrganizationId,
    progress: &mut Progress,
) -> Result<(), StepError> {
    let Some(draft) = ports.mail_queue.next(organization, BATCH).await? else { return Ok(()) };
    let (mailing, now) = (draft.mailing, ports.clock.now());
    let scene = Scene::load(ports, organization, &[mailing], []).await?;
    let is_news = scene.news(mailing).is_some();
    let told = draft.users.iter().filter(|user| is_news && scene.is_seen_by(user, &mailing));
    let mails = told.map(|user| (user.user_id, mailing.delivery(user, now))).collect();
    match ports.mail_queue.write(organization, draft, mails, now).await? {
        Written::Nothing => {}
        // The end of a mailing counts as one thing done.
        Written::Batch(mails) => progress.done += mails.max(1),
    }
    Ok(())
}

/// The content of a letter.
#[derive(PartialEq, Eq)]
struct Announcement {
    organization: Organization,
    news: News,
    /// The tag of the language.
    language: &'static str,
}

/// Sends mails.
pub struct Sender {
    mailer: Arc<dyn Mailer>,
    words: Arc<dyn Words>,
    tokens: UnsubscribeTokens,
    public_url: String,
    /// The latest letters and their announcements. The mails of a mailing follow each other; those
    /// of several organizations take turns.
    letters: VecDeque<(Announcement, Arc<Letter>)>,
    /// Whether no more mails are to be claimed.
    stopping: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Sender {
    /// A sender with this mailer, and the words of its mails. `public_url` is the service's URL as
    /// recipients reach it, without a slash at its end.
    pub fn new(
        mailer: Arc<dyn Mailer>,
        words: Arc<dyn Words>,
        tokens: UnsubscribeTokens,
        public_url: String,
    ) -> Self {
        let (letters, stopping) = (VecDeque::new(), Box::new(|| false));
        Self { mailer, words, tokens, public_url, letters, stopping }
    }

    /// Claims no more mails when `stopping` returns `true`. A round then ends with the mails in
    /// flight, which would be given up if it were dropped.
    #[must_use]
    pub fn until(self, stopping: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { stopping: Box::new(stopping), ..self }
    }

    /// Sends a batch of mails of each organization that has any due, so that a large mailing does
    /// not delay a small one. More may be due if it did anything.
    pub async fn send_mails(&mut self, ports: &Ports) -> Progress {
        let mut round = Round::new(ports, Task::SendMails);
        while let Some(organization) = round.next().await {
            let result = self.send_some(ports, organization, &mut round.progress).await;
            round.keep(result);
        }
        round.progress
    }

    async fn send_some(
        &mut self,
        ports: &Ports,
        organization: OrganizationId,
        progress: &mut Progress,
    ) -> Result<(), StepError> {
        if (self.stopping)() {
            return Ok(());
        }
        let now = ports.clock.now();
        let lease = Lease { holder: ports.ids.fresh(), until: now.plus_millis(LEASE_MILLIS) };
        let claimed = ports.mail_queue.claim(organization, lease, now, AT_ONCE).await?;
        if claimed.is_empty() {
            return Ok(());
        }
        // The records are read for each batch of mails, so that a deleted one is mailed no more.
        let mut mailings: Vec<Mailing> = claimed.iter().map(|mail| mail.mailing).collect();
        mailings.dedup();
        let users = claimed.iter().map(|mail| mail.user);
        let scene = Scene::load(ports, organization, &mailings, users).await;
        let mut settled = Settling { now, mails: vec![] };
        let mut sending = JoinSet::new();
        for part in parts(claimed) {
            let scene = match &scene {
                Ok(scene) => scene,
                // The mail was surely not sent.
                Err(_) => {
                    settled.add(&part, Err(MailFailure::Unreachable));
                    continue;
                }
            };
            match self.mail(scene, organization, part, &mut settled, now).await {
                Ok(Some((part, mail))) => {
                    let mailer = Arc::clone(&self.mailer);
                    sending.spawn(async move { (part, mailer.send(mail).await) });
                }
                Ok(None) => {}
                Err(panicked) => progress.failures.push(panicked.into()),
            }
        }
        if let Err(error) = scene {
            progress.failures.push(error.into());
        }
        let mut latest = None;
        while let Some(sent) = sending.join_next().await {
            let (part, result) = match sent {
                Ok(sent) => sent,
                Err(panicked) => {
                    // The mail may have been sent. It is given up when its lease has run out.
                    progress.failures.push(panicked.into());
                    continue;
                }
            };
            settled.now = ports.clock.now();
            settled.add(&part, result.as_ref().copied().map_err(|error| error.failure));
            // A mail that was taken says more than one that was not.
            if result.is_ok() || latest.is_none() {
                latest = Some(trouble(&result, settled.now));
            }
            progress.failures.extend(result.err().map(StepError::from));
        }
        progress.done += settled.mails.len();
        if let Some(latest) = latest {
            note(ports, organization, latest).await?;
        }
        if settled.mails.is_empty() {
            return Ok(());
        }
        settle(ports, organization, lease.holder, settled.mails).await
    }

    /// The mail of a part, with those of its claimed mails that it tells of. The others are settled.
    async fn mail(
        &mut self,
        scene: &Scene,
        id: OrganizationId,
        part: Vec<ClaimedMail>,
        settled: &mut Settling,
        at: Time,
    ) -> Result<Option<(Vec<ClaimedMail>, Mail)>, JoinError> {
        let (mut told, mut letters) = (vec![], vec![]);
        for claimed in part {
            let mail = std::slice::from_ref(&claimed);
            if claimed.recipient.is_none() {
                settled.add(mail, Err(MailFailure::Unsubscribed));
                continue;
            }
            let reader = scene.organization(id).zip(scene.user(claimed.user));
            if reader.is_some_and(|(_, user)| !claimed.mailing.is_wanted_by(user)) {
                settled.add(mail, Err(MailFailure::Unsubscribed));
                continue;
            }
            let reader = reader.filter(|(_, user)| scene.is_seen_by(user, &claimed.mailing));
            let Some(((organization, user), news)) = reader.zip(scene.news(claimed.mailing)) else {
                settled.add(mail, Err(MailFailure::Withdrawn));
                continue;
            };
            let wanted = [&*user.locale, organization.portal.locale.as_deref().unwrap_or("")];
            let language = self.words.language(&wanted);
            let organization = organization.clone();
            match self.letter(Announcement { organization, news, language }).await {
                Ok(letter) => {
                    letters.push((letter, language));
                    told.push(claimed);
                }
                Err(panicked) => {
                    settled.add(mail, Err(MailFailure::Unwritable));
                    if told.is_empty() {
                        return Err(panicked);
                    }
                }
            }
        }
        let (Some(first), Some(&(_, language)), Some(organization)) =
            (told.first(), letters.first(), scene.organization(id))
        else {
            return Ok(None);
        };
        let Some(to) = first.recipient.clone() else { return Ok(None) };
        let (user, subject) = (first.user, first.mailing.subject);
        let reason = match subject.audience() {
            Audience::Readers(_) => Reason::News,
            Audience::Subscribers { .. } => Reason::Follows,
            Audience::One(_) => Reason::IsMeant,
            Audience::Moderators => Reason::IsOnTeam,
        };
        let home = lasting_home(organization, &self.public_url);
        let link = |token: String| format!("{home}/unsubscribe/{token}");
        let alike = match (reason, subject.post()) {
            _ if told.len() > 1 => None,
            (Reason::News, _) => Some(self.tokens.of_changelog(id, user)),
            (Reason::Follows, Some(post)) => Some(self.tokens.of_post(id, user, post)),
            _ => None,
        };
        let envelope = Envelope {
            // A mailing or a user may have the same identifier in another organization.
            id: format!("{id}.{}.{user}", first.mailing.id),
            unfollow_url: alike.map(link),
            unsubscribe_url: link(self.tokens.token(id, user)),
            account_url: format!("{home}/account"),
            at,
        };
        let letters: Vec<Arc<Letter>> = letters.into_iter().map(|(letter, _)| letter).collect();
        let speech = Speech::new(&*self.words, &[language]);
        let mail = Letter::mail(&letters, (organization, reason), speech, to, envelope);
        Ok(Some((told, mail)))
    }

    /// The letter of an announcement.
    async fn letter(&mut self, announcement: Announcement) -> Result<Arc<Letter>, JoinError> {
        if let Some((_, letter)) = self.letters.iter().find(|(of, _)| *of == announcement) {
            return Ok(Arc::clone(letter));
        }
        // Rendering takes long enough to delay other tasks of the runtime.
        let (words, public_url) = (Arc::clone(&self.words), self.public_url.clone());
        let written = spawn_blocking(move || {
            (Letter::write(&announcement, &*words, &public_url), announcement)
        });
        let (letter, announcement) = written.await?;
        let letter = Arc::new(letter);
        self.letters.truncate(LETTERS - 1);
        self.letters.push_front((announcement, Arc::clone(&letter)));
        Ok(letter)
    }
}

/// The claimed mails by the mail that tells of them: those of a user's digest are one.
fn parts(claimed: Vec<ClaimedMail>) -> Vec<Vec<ClaimedMail>> {
    let mut parts: Vec<Vec<ClaimedMail>> = Vec::new();
    for mail in claimed {
        let is_same = |part: &&mut Vec<ClaimedMail>| {
            let first = &part[0];
            mail.in_digest && first.in_digest && first.user == mail.user
        };
        match parts.iter_mut().find(is_same) {
            Some(part) => part.push(mail),
            None => parts.push(vec![mail]),
        }
    }
    parts
}

/// The outcomes of claimed mails.
struct Settling {
    now: Time,
    mails: Vec<SettledMail>,
}

impl Settling {
    fn add(&mut self, part: &[ClaimedMail], result: Result<(), MailFailure>) {
        self.mails.extend(part.iter().map(|claimed| SettledMail {
            mailing: claimed.mailing.id,
            user: claimed.user,
            outcome: MailOutcome::after(claimed.attempt, result, self.now),
        }));
    }
}

/// Sends a mail that somebody waits for, and keeps the answer of the mail server for the
/// organization's owners.
pub async fn send_at_once(
    ports: &Ports,
    mailer: &dyn Mailer,
    organization: OrganizationId,
    mail: Mail,
) -> Result<(), StepError> {
    let result = mailer.send(mail).await;
    let noted = note(ports, organization, trouble(&result, ports.clock.now())).await;
    result?;
    Ok(noted?)
}

/// The trouble that the result of a mail is.
fn trouble(result: &Result<(), MailError>, at: Time) -> Option<MailTrouble> {
    let error = result.as_ref().err()?;
    let mut answer = error.source.to_string();
    let mut cause = error.source.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !answer.contains(&text) {
            answer = format!("{answer}: {text}");
        }
        cause = error.source();
    }
    let answer = answer.chars().filter(|c| !c.is_control()).take(LONGEST_ANSWER).collect();
    Some(MailTrouble { failure: error.failure, answer, at })
}

/// In characters.
const LONGEST_ANSWER: usize = 500;

/// Keeps a trouble, or forgets all if a mail was taken.
async fn note(
    ports: &Ports,
    organization: OrganizationId,
    trouble: Option<MailTrouble>,
) -> Result<(), StoreError> {
    match trouble {
        // The address of one recipient is no trouble of the organization.
        Some(MailTrouble { failure: MailFailure::BadAddress, .. }) => Ok(()),
        None if ports.notices.trouble(organization).await?.is_none() => Ok(()),
        trouble => ports.notices.note(organization, trouble).await,
    }
}

/// Stores the outcomes of mails. A failure is retried for a while: a mail without an outcome counts
/// as interrupted, and an outcome that is stored twice changes nothing.
async fn settle(
    ports: &Ports,
    organization: OrganizationId,
    holder: Uuid,
    mails: Vec<SettledMail>,
) -> Result<(), StepError> {
    let mut pauses = PAUSES.iter();
    loop {
        let settled =
            ports.mail_queue.settle(organization, holder, mails.clone(), ports.clock.now()).await;
        match (settled, pauses.next()) {
            (Err(_), Some(&pause)) => ports.clock.sleep(pause).await,
            (settled, _) => return Ok(settled?),
        }
    }
}

/// The pauses before outcomes are stored again after a failure. Their sum is shorter than a lease.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::letter::tests::{acme, entry};
    use crate::words::tests::Keys;
    use crate::{MasterKey, Vault};
    use hearback_domain::Time;
    use hearback_domain::changelog_entry::ChangelogEntry;
    use hearback_domain::id::{ChangelogEntryId, UserId};
    use hearback_domain::mail::Delivery;
    use hearback_domain::person::{Email, Handle};
    use hearback_domain::record::{Kind, Known, OfKind};
    use hearback_domain::user::User;
    use hearback_ports::StoreError;
    use hearback_ports::mail_queue::Draft;
    use hearback_ports::mailer::{MockMailer, Recipient};
    use hearback_ports::mock::Mocks;

    const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const ENTRY: ChangelogEntryId = ChangelogEntryId(Uuid::from_u128(2));
    const HOLDER: Uuid = Uuid::from_u128(3);

    fn user(number: u128) -> UserId {
        Uuid::from_u128(number).into()
    }

    fn claimed(number: u128, address: Option<&str>) -> ClaimedMail {
        let recipient = address
            .map(|address| Recipient { name: "Ada".to_owned(), address: address.to_owned() });
        let mailing = Mailing::of_entry(ENTRY);
        ClaimedMail { mailing, user: user(number), attempt: 1, in_digest: false, recipient }
    }

    #[test]
    fn the_mails_of_one_users_digest_are_one_mail() {
        let mail = |number, in_digest| ClaimedMail { in_digest, ..claimed(number, None) };
        let all = vec![mail(1, true), mail(1, false), mail(2, true), mail(1, true), mail(2, false)];
        let parts = parts(all.clone());
        let expected = [vec![0, 3], vec![1], vec![2], vec![4]];
        let expected = expected.map(|part| Vec::from_iter(part.iter().map(|it| all[*it].clone())));
        assert_eq!(parts, expected);
    }

    fn reader(number: u128) -> User {
        let email = Email::parse("ada@acme.example").unwrap();
        let id = user(number);
        let reader = Handle::Email(email).user(None, id.0.into(), id, Time::MIN);
        User { is_subscribed: true, ..reader }
    }

    /// The organization, its entry and its readers.
    fn known(title: &str, is_active: bool) -> Known {
        let acme = Organization { name: "Acme".to_owned(), ..acme() };
        let entry = ChangelogEntry { is_active, ..entry(title, "Here it is") };
        let readers = [10, 11].map(|number| reader(number).into_record());
        Known::new([acme.into_record(), entry.into_record()].into_iter().chain(readers))
    }

    fn mocks(task: Task) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.ids.expect_fresh().return_const(HOLDER);
        mocks.notices.expect_trouble().returning(|_| Ok(None));
        mocks
            .backlog
            .expect_organizations()
            .withf(move |asked, _, _, _| *asked == task)
            .returning(|_, _, after, _| Ok(if after.is_none() { vec![ACME] } else { vec![] }));
        mocks
    }

    /// Mocks of a queue with one mail, to this address.
    fn claiming(address: Option<&'static str>) -> Mocks {
        let mut mocks = mocks(Task::SendMails);
        mocks.mail_queue.expect_claim().returning(move |_, _, _, _| Ok(vec![claimed(10, address)]));
        mocks
    }

    /// Mocks of a queue with one mail that can be sent.
    fn announcing() -> Mocks {
        let mut mocks = claiming(Some("ada@acme.example"));
        mocks.records.expect_load().returning(|_, _| Ok(known("Dark mode", true)));
        mocks
    }

    fn tokens() -> UnsubscribeTokens {
        UnsubscribeTokens::new(&Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap()))
    }

    fn sender(mailer: MockMailer) -> Sender {
        let public_url = "https://feedback.example".to_owned();
        Sender::new(Arc::new(mailer), Arc::new(Keys), tokens(), public_url)
    }

    /// Expects that the claimed mails are settled as this, in the order of the users.
    fn expect_settled(mocks: &mut Mocks, expected: Vec<(u128, MailOutcome)>) {
        mocks
            .mail_queue
            .expect_settle()
            .once()
            .withf(move |organization, holder, settled, _| {
                let mut outcomes: Vec<_> =
                    settled.iter().map(|mail| (mail.user.0.as_u128(), mail.outcome)).collect();
                outcomes.sort_by_key(|(user, _)| *user);
                (*organization, *holder) == (ACME, HOLDER) && outcomes == expected
            })
            .returning(|_, _, _, _| Ok(()));
    }

    #[tokio::test]
    async fn mails_are_written_as_long_as_there_is_something_to_write() {
        for (written, done) in
            [(Written::Batch(500), 500), (Written::Batch(0), 1), (Written::Nothing, 0)]
        {
            let mut mocks = mocks(Task::WriteMails);
            let draft = Draft {
                mailing: Mailing::of_entry(ENTRY),
                after: None,
                users: vec![reader(10)],
                is_last: true,
            };
            let expected = vec![(user(10), Delivery::Mail(Time::MIN))];
            mocks.mail_queue.expect_next().return_once(move |_, _| Ok(Some(draft)));
            mocks.records.expect_load().returning(|_, _| Ok(known("Dark mode", true)));
            mocks
                .mail_queue
                .expect_write()
                .once()
                .withf(move |_, _, mails, _| *mails == expected)
                .returning(move |_, _, _, _| Ok(written));
            assert_eq!(write_mails(&mocks.ports()).await.done, done);
        }
    }

    #[tokio::test]
    async fn each_recipient_gets_the_letter_with_a_link_of_their_own() {
        let mut mocks = mocks(Task::SendMails);
        let lease = Lease { holder: HOLDER, until: Time::MIN.plus_millis(LEASE_MILLIS) };
        mocks
            .mail_queue
            .expect_claim()
            .once()
            .withf(move |_, claimed_with, _, limit| (*claimed_with, *limit) == (lease, AT_ONCE))
            .returning(|_, _, _, _| {
                Ok(vec![
                    claimed(10, Some("ada@acme.example")),
                    claimed(11, Some("bob@acme.example")),
                ])
            });
        mocks
            .records
            .expect_load()
            .once()
            .withf(|of, keys| {
                let mut keys_of_mail = [
                    (Kind::ChangelogEntry, ENTRY.0),
                    (Kind::Organization, ACME.0),
                    (Kind::User, user(10).0),
                    (Kind::User, user(11).0),
                ];
                keys_of_mail.sort();
                *of == ACME && *keys == keys_of_mail
            })
            .returning(|_, _| Ok(known("Dark mode", true)));
        expect_settled(&mut mocks, vec![(10, MailOutcome::Sent), (11, MailOutcome::Sent)]);
        let mut mailer = MockMailer::new();
        for (number, address) in [(10, "ada@acme.example"), (11, "bob@acme.example")] {
            let url = format!(
                "https://feedback.example/o/acme/unsubscribe/{}",
                tokens().of_changelog(ACME, user(number))
            );
            mailer
                .expect_send()
                .once()
                .withf(move |mail| {
                    mail.to.address == address
                        && mail.unsubscribe_url.as_deref() == Some(&*url)
                        && mail.text.contains(&url)
                        && mail.html.contains(&url)
                        && mail.id == format!("{ACME}.{ENTRY}.{}", user(number))
                        && mail.subject == "Acme: Dark mode"
                })
                .returning(|_| Ok(()));
        }
        let progress = sender(mailer).send_mails(&mocks.ports()).await;
        assert_eq!((progress.done, progress.failures.len()), (2, 0));
    }

    #[tokio::test]
    async fn a_letter_is_written_once_until_its_entry_changes() {
        let mut sender = sender({
            let mut mailer = MockMailer::new();
            mailer.expect_send().times(3).returning(|_| Ok(()));
            mailer
        });
        let mut round = async |title: &'static str| {
            let mut mocks = claiming(Some("ada@acme.example"));
            mocks.records.expect_load().once().returning(|_, _| Ok(known(title, true)));
            mocks.mail_queue.expect_settle().returning(|_, _, _, _| Ok(()));
            sender.send_mails(&mocks.ports()).await;
            sender.letters.len()
        };
        assert_eq!(round("Dark mode").await, 1);
        assert_eq!(round("Dark mode").await, 1);
        assert_eq!(round("Darker mode").await, 2);
    }

    #[tokio::test]
    async fn the_store_of_an_outcome_is_tried_up_to_five_times() {
        let kept_at_try = async |tries: usize| {
            let mut mocks = announcing();
            let mut failures = (1..tries).map(|_| Err(StoreError::Busy));
            mocks
                .mail_queue
                .expect_settle()
                .times(tries.min(5))
                .returning(move |_, _, _, _| failures.next().unwrap_or(Ok(())));
            mocks.clock.expect_sleep().times(tries.min(5) - 1).returning(|_| ());
            let mut mailer = MockMailer::new();
            mailer.expect_send().once().returning(|_| Ok(()));
            sender(mailer).send_mails(&mocks.ports()).await
        };
        for tries in 1..=5 {
            assert_eq!(kept_at_try(tries).await.failures.len(), 0, "{tries}");
        }
        assert!(matches!(kept_at_try(6).await.failures[..], [StepError::Store(StoreError::Busy)]));
    }

    #[tokio::test]
    async fn a_mail_that_is_not_sent_is_kept_for_later_or_failed() {
        let at = Time::MIN.plus_millis(60_000);
        let later = MailOutcome::Retry { at, failure: MailFailure::Unreachable };
        let failed = |failure| MailOutcome::Failed { failure };
        let active = || Ok(known("Dark mode", true));
        type Told = fn(&[StepError]) -> bool;
        let cases: [(&str, _, _, Told); 5] = [
            ("unreachable", active(), later, |told| matches!(told, [StepError::Mail(_)])),
            ("unread", Err(StoreError::Busy), later, |told| {
                matches!(told, [StepError::Store(StoreError::Busy)])
            }),
            ("unsubscribed", active(), failed(MailFailure::Unsubscribed), <[_]>::is_empty),
            ("gone", Ok(Known::default()), failed(MailFailure::Withdrawn), <[_]>::is_empty),
            (
                "inactive",
                Ok(known("Dark mode", false)),
                failed(MailFailure::Withdrawn),
                <[_]>::is_empty,
            ),
        ];
        for (name, loaded, outcome, is_told) in cases {
            let address = (name != "unsubscribed").then_some("ada@acme.example");
            let mut mocks = claiming(address);
            mocks.records.expect_load().return_once(|_, _| loaded);
            expect_settled(&mut mocks, vec![(10, outcome)]);
            let mut mailer = MockMailer::new();
            if name == "unreachable" {
                mocks
                    .notices
                    .expect_note()
                    .once()
                    .withf(|_, trouble| {
                        let answer = trouble.as_ref().map(|it| &*it.answer);
                        answer == Some("connection refused")
                    })
                    .returning(|_, _| Ok(()));
                mailer.expect_send().once().returning(|_| {
                    let source = "connection refused".into();
                    Err(MailError { failure: MailFailure::Unreachable, source })
                });
            }
            let progress = sender(mailer).send_mails(&mocks.ports()).await;
            assert!(is_told(&progress.failures), "{name}: {:?}", progress.failures);
        }
    }

    #[tokio::test]
    async fn a_sender_that_is_to_stop_claims_no_mail() {
        let progress = sender(MockMailer::new())
            .until(|| true)
            .send_mails(&mocks(Task::SendMails).ports())
            .await;
        assert_eq!((progress.done, progress.failures.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_mail_whose_sender_panicked_is_left_to_its_lease() {
        let mut mailer = MockMailer::new();
        mailer.expect_send().once().returning(|_| panic!("as a mailer should not"));
        let progress = sender(mailer).send_mails(&announcing().ports()).await;
        assert!(matches!(progress.failures[..], [StepError::Panicked(_)]));
    }

    #[tokio::test]
    async fn a_digest_is_one_mail_and_its_changes_share_the_outcome() {
        let mut mocks = mocks(Task::SendMails);
        let part = |number: u128, address: &str| ClaimedMail {
            mailing: Mailing { id: Uuid::from_u128(number).into(), ..Mailing::of_entry(ENTRY) },
            in_digest: true,
            ..claimed(10, Some(address).filter(|it| !it.is_empty()))
        };
        let parts = vec![part(1, "a@b.example"), part(2, "a@b.example"), part(3, "")];
        mocks.mail_queue.expect_claim().return_once(|_, _, _, _| Ok(parts));
        mocks.records.expect_load().returning(|_, _| Ok(known("Dark mode", true)));
        let (sent, gone) = (MailOutcome::Sent, MailFailure::Unsubscribed);
        expect_settled(
            &mut mocks,
            vec![(10, MailOutcome::Failed { failure: gone }), (10, sent), (10, sent)],
        );
        let mut mailer = MockMailer::new();
        mailer
            .expect_send()
            .once()
            .withf(|mail| mail.subject == "Acme: news-digest(2)")
            .returning(|_| Ok(()));
        sender(mailer).send_mails(&mocks.ports()).await;
    }

    #[tokio::test]
    async fn a_mail_that_is_taken_ends_the_trouble() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN);
        let trouble =
            MailTrouble { failure: MailFailure::Refused, answer: String::new(), at: Time::MIN };
        mocks.notices.expect_trouble().return_once(|_| Ok(Some(trouble)));
        mocks.notices.expect_note().once().withf(|_, it| it.is_none()).returning(|_, _| Ok(()));
        let mut mailer = MockMailer::new();
        mailer.expect_send().once().returning(|_| Ok(()));
        let to = Recipient { name: String::new(), address: "ada@acme.example".to_owned() };
        let mail = Mail {
            id: "1".to_owned(),
            to,
            subject: String::new(),
            text: String::new(),
            html: String::new(),
            unsubscribe_url: None,
            at: Time::MIN,
        };
        assert!(send_at_once(&mocks.ports(), &mailer, ACME, mail).await.is_ok());
    }
}
