//! The background steps that mail published entries, new statuses of posts, and comments.
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

use crate::backlog::{Progress, Round, StepError};
use crate::mail::letter::{Envelope, Letter};
use crate::unsubscribe::UnsubscribeTokens;
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::{MailFailure, MailOutcome, Mailing, News};
use hearback_domain::organization::Organization;
use hearback_domain::record::Kind;
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::Task;
use hearback_ports::mail_queue::{ClaimedMail, SettledMail, Written};
use hearback_ports::mailer::{Mail, MailError};
use hearback_ports::{Lease, Mailer, Ports};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet, spawn_blocking};

/// The most mails of an organization that are claimed, and in flight, at once.
pub const AT_ONCE: i64 = 8;

/// The length of a lease, in milliseconds. A mailer returns within two minutes; the rest is for a
/// slow database.
const LEASE_MILLIS: i64 = 10 * 60 * 1000;

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
    match ports.mail_queue.write(organization, ports.clock.now(), BATCH).await? {
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
}

/// Sends mails.
pub struct Sender {
    mailer: Arc<dyn Mailer>,
    tokens: UnsubscribeTokens,
    public_url: String,
    /// The latest letters and their announcements. The mails of a mailing follow each other; those
    /// of several organizations take turns.
    letters: VecDeque<(Announcement, Arc<Letter>)>,
    /// Whether no more mails are to be claimed.
    stopping: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Sender {
    /// A sender with this mailer. `public_url` is the service's URL as recipients reach it, without
    /// a slash at its end.
    pub fn new(mailer: Arc<dyn Mailer>, tokens: UnsubscribeTokens, public_url: String) -> Self {
        Self { mailer, tokens, public_url, letters: VecDeque::new(), stopping: Box::new(|| false) }
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
        let mut letters = HashMap::new();
        let mut sending = JoinSet::new();
        for claimed in claimed {
            // The records are read for each batch of mails, so that a deleted one is mailed no more.
            let letter = match letters.entry(claimed.mailing.id) {
                Entry::Occupied(known) => Ok(Arc::clone(known.get())),
                Entry::Vacant(unknown) => self
                    .letter(ports, organization, claimed.mailing)
                    .await
                    .map(|letter| Arc::clone(unknown.insert(letter))),
            };
            let mail = letter.and_then(|letter| self.mail(&letter, organization, &claimed, now));
            let mailer = Arc::clone(&self.mailer);
            sending.spawn(async move {
                let result = match mail {
                    Ok(mail) => mailer.send(mail).await.map_err(NotSent::Mailer),
                    Err(not_sent) => Err(not_sent),
                };
                (claimed, result)
            });
        }
        let mut settled = Vec::new();
        while let Some(sent) = sending.join_next().await {
            let (claimed, result) = match sent {
                Ok(sent) => sent,
                Err(panicked) => {
                    // The mail may have been sent. It is given up when its lease has run out.
                    progress.failures.push(panicked.into());
                    continue;
                }
            };
            progress.done += 1;
            let result = result.map_err(|not_sent| not_sent.failure(progress));
            let outcome = MailOutcome::after(claimed.attempt, result, ports.clock.now());
            settled.push(SettledMail { mailing: claimed.mailing.id, user: claimed.user, outcome });
        }
        if settled.is_empty() {
            Ok(())
        } else {
            settle(ports, organization, lease.holder, settled).await
        }
    }

    /// The letter as a mail to a recipient. Fails if the recipient does not receive mail any more.
    fn mail(
        &self,
        letter: &Letter,
        organization: OrganizationId,
        claimed: &ClaimedMail,
        at: Time,
    ) -> Result<Mail, NotSent> {
        let recipient =
            claimed.recipient.clone().ok_or(NotSent::Unwanted(MailFailure::Unsubscribed))?;
        let token = self.tokens.token(organization, claimed.user);
        Ok(letter.to(
            recipient,
            Envelope {
                // A mailing or a user may have the same identifier in another organization.
                id: format!("{organization}.{}.{}", claimed.mailing.id, claimed.user),
                unsubscribe_url: format!("{}/unsubscribe/{token}", self.public_url),
                at,
            },
        ))
    }

    /// The letter of a mailing. Fails if its subject was withdrawn.
    async fn letter(
        &mut self,
        ports: &Ports,
        organization: OrganizationId,
        mailing: Mailing,
    ) -> Result<Arc<Letter>, NotSent> {
        let mut keys = mailing.quoted();
        keys.push((Kind::Organization, organization.0));
        let known = ports.records.load(organization, keys).await;
        let known = known.map_err(|error| NotSent::Step(error.into()))?;
        let told = known.active(organization).cloned().zip(News::of(mailing, &known));
        let (organization, news) = told.ok_or(NotSent::Unwanted(MailFailure::Withdrawn))?;
        let announcement = Announcement { organization, news };
        if let Some((_, letter)) = self.letters.iter().find(|(of, _)| *of == announcement) {
            return Ok(Arc::clone(letter));
        }
        // Rendering takes long enough to delay other tasks of the runtime.
        let public_url = self.public_url.clone();
        let written =
            spawn_blocking(move || (Letter::write(&announcement, &public_url), announcement)).await;
        let (letter, announcement) = written.map_err(NotSent::Unwritable)?;
        let letter = Arc::new(letter);
        self.letters.truncate(LETTERS - 1);
        self.letters.push_front((announcement, Arc::clone(&letter)));
        Ok(letter)
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

/// The reasons why a claimed mail was not sent.
enum NotSent {
    /// The recipient or the subject is gone.
    Unwanted(MailFailure),
    /// The records could not be read.
    Step(StepError),
    /// The task that wrote the letter panicked.
    Unwritable(JoinError),
    /// The mailer failed, or does not know whether it sent the mail.
    Mailer(MailError),
}

impl NotSent {
    /// The failure to store. Its error goes to the log.
    fn failure(self, progress: &mut Progress) -> MailFailure {
        match self {
            Self::Unwanted(failure) => failure,
            Self::Step(error) => {
                progress.failures.push(error);
                // The mail was surely not sent.
                MailFailure::Unreachable
            }
            Self::Unwritable(panicked) => {
                progress.failures.push(panicked.into());
                MailFailure::Unwritable
            }
            Self::Mailer(error) => {
                let failure = error.failure;
                progress.failures.push(error.into());
                failure
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::letter::tests::{acme, entry};
    use crate::{MasterKey, Vault};
    use hearback_domain::Time;
    use hearback_domain::changelog_entry::ChangelogEntry;
    use hearback_domain::id::{ChangelogEntryId, UserId};
    use hearback_domain::record::{Known, OfKind};
    use hearback_ports::StoreError;
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
        ClaimedMail { mailing, user: user(number), attempt: 1, recipient }
    }

    /// The organization and its entry.
    fn known(title: &str, is_active: bool) -> Known {
        let acme = Organization { name: "Acme".to_owned(), ..acme() };
        let entry = ChangelogEntry { is_active, ..entry(title, "Here it is") };
        Known::new([acme.into_record(), entry.into_record()])
    }

    fn mocks(task: Task) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().return_const(Time::MIN);
        mocks.ids.expect_fresh().return_const(HOLDER);
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
        Sender::new(Arc::new(mailer), tokens(), "https://feedback.example".to_owned())
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
            mocks.mail_queue.expect_write().once().returning(move |_, _, _| Ok(written));
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
                let keys_of_mail = [(Kind::ChangelogEntry, ENTRY.0), (Kind::Organization, ACME.0)];
                *of == ACME && *keys == keys_of_mail
            })
            .returning(|_, _| Ok(known("Dark mode", true)));
        expect_settled(&mut mocks, vec![(10, MailOutcome::Sent), (11, MailOutcome::Sent)]);
        let mut mailer = MockMailer::new();
        for (number, address) in [(10, "ada@acme.example"), (11, "bob@acme.example")] {
            let url = format!(
                "https://feedback.example/unsubscribe/{}",
                tokens().token(ACME, user(number))
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
}
