//! All workers of a server, until they stop.

use super::TestClock;
use crate::alarm::ProcessAlarm;
use crate::serve::STOP_LIMIT;
use crate::workers::{Outgoing, Workers};
use async_trait::async_trait;
use hearback_app::mail::Sender;
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_app::{MasterKey, Vault};
use hearback_domain::changelog_entry::{ChangelogEntry, EntryStatus};
use hearback_domain::delivery::RetrySchedule;
use hearback_domain::id::OrganizationId;
use hearback_domain::mail::MailOutcome;
use hearback_domain::slug::Slug;
use hearback_domain::{Time, Uuid};
use hearback_ports::backlog::Task;
use hearback_ports::deliveries::Ended;
use hearback_ports::delivery_queue::Claimed;
use hearback_ports::event_sink::MockEventSink;
use hearback_ports::mail_queue::{Announcement, ClaimedMail};
use hearback_ports::mailer::{Mail, MailError, MockMailer, Recipient};
use hearback_ports::mock::Mocks;
use hearback_ports::{Clock, Ids, Mailer, Ports};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const ACME: OrganizationId = OrganizationId(Uuid::from_u128(1));

/// Ports on which only these tasks of one organization have work.
fn mocks(tasks: &'static [Task]) -> Mocks {
    let mut mocks = Mocks::default();
    mocks.ids.expect_fresh().return_const(Uuid::from_u128(2));
    mocks.backlog.expect_organizations().returning(|task, _, after, _| {
        Ok(if tasks.contains(&task) && after.is_none() { vec![ACME] } else { vec![] })
    });
    mocks
}

fn ports(mocks: Mocks, clock: &Arc<TestClock>) -> Ports {
    Ports { clock: clock.clone(), alarm: Arc::<ProcessAlarm>::default(), ..mocks.ports() }
}

/// By this mailer, and without deliveries.
fn outgoing(mailer: impl Mailer + 'static) -> Outgoing {
    let vault = Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap());
    let tokens = UnsubscribeTokens::new(&vault);
    let mails = Sender::new(Arc::new(mailer), tokens, "https://feedback.example".to_owned());
    Outgoing {
        mails,
        vault: Arc::new(vault),
        sink: Arc::new(MockEventSink::new()),
        schedule: RetrySchedule::default(),
    }
}

#[tokio::test(start_paused = true)]
async fn every_step_is_gone_round_until_it_is_to_stop() {
    let clock = TestClock::new();
    let asked = Arc::<Mutex<Vec<Task>>>::default();
    let mut mocks = Mocks::default();
    let noted = asked.clone();
    mocks.backlog.expect_organizations().returning(move |task, _, _, _| {
        noted.lock().unwrap().push(task);
        Ok(vec![])
    });
    let claims = Arc::<Mutex<usize>>::default();
    let counted = claims.clone();
    mocks.ids.expect_fresh().return_const(Uuid::from_u128(2));
    mocks.delivery_queue.expect_claim().returning(move |_| {
        *counted.lock().unwrap() += 1;
        Ok(Claimed::default())
    });
    let workers = Workers::new(ports(mocks, &clock));
    let all_alive = workers.all_alive();
    let outgoing = outgoing(MockMailer::new());
    workers.until(outgoing, clock.sleep(Duration::from_millis(60_250))).await;
    assert_eq!(clock.elapsed(), Duration::from_millis(60_250));
    let rounds = |task| asked.lock().unwrap().iter().filter(|asked| **asked == task).count();
    for task in [Task::PublishEntries, Task::WriteMails, Task::SendMails] {
        assert_eq!(rounds(task), 121);
    }
    let old = [
        Task::PruneDeliveries(Ended::Delivered),
        Task::PruneDeliveries(Ended::Failed),
        Task::ExpireDeliveries,
    ];
    for task in old.into_iter().chain([Task::PruneReceipts]) {
        assert_eq!(rounds(task), 2);
    }
    assert_eq!(*claims.lock().unwrap(), 61);
    assert!(all_alive());
    clock.sleep(Duration::from_secs(61)).await;
    assert!(!all_alive());
}

#[tokio::test(start_paused = true)]
async fn each_worker_is_counted_whether_it_is_alive() {
    let clock = TestClock::new();
    let workers = Workers::new(ports(Mocks::default(), &clock));
    let all_alive = workers.all_alive();
    clock.sleep(Duration::from_secs(3600)).await;
    let Workers { publishing, writing, sending, delivering, pruning, .. } = workers;
    for silent in 0..5 {
        for (number, pulse) in
            [&publishing, &writing, &sending, &delivering, &pruning].into_iter().enumerate()
        {
            if number == silent { pulse.set(Duration::ZERO) } else { pulse.beat() }
        }
        assert!(!all_alive(), "{silent}");
    }
    for pulse in [publishing, writing, sending, delivering, pruning] {
        pulse.beat();
    }
    assert!(all_alive());
}

/// A slow mail server.
struct SlowMailer(Duration);

#[async_trait]
impl Mailer for SlowMailer {
    async fn send(&self, _: Mail) -> Result<(), MailError> {
        tokio::time::sleep(self.0).await;
        Ok(())
    }
}

fn mocks_with_a_mail() -> Mocks {
    let mut mocks = mocks(&[Task::SendMails]);
    mocks.delivery_queue.expect_claim().returning(|_| Ok(Claimed::default()));
    let recipient = Recipient { name: "Ann".to_owned(), address: "ann@acme.example".to_owned() };
    let mail = ClaimedMail {
        entry: Uuid::nil().into(),
        user: Uuid::nil().into(),
        attempt: 1,
        recipient: Some(recipient),
    };
    mocks.mail_queue.expect_claim().once().return_once(|_, _, _, _| Ok(vec![mail]));
    let entry = ChangelogEntry {
        id: Uuid::nil().into(),
        title: "Dark mode".to_owned(),
        content: String::new(),
        slug: Slug::parse("dark-mode").unwrap(),
        status: EntryStatus::Published,
        show_on_portal: true,
        featured_image_url: None,
        author_id: None,
        scheduled_at: None,
        published_at: Some(Time::MIN),
        entry_type: None,
        label_ids: vec![],
        notify: true,
        is_active: true,
        created_at: Time::MIN,
        updated_at: Time::MIN,
    };
    let announcement = Announcement { organization_name: "Acme".to_owned(), entry };
    mocks.mail_queue.expect_announcement().returning(move |_, _| Ok(Some(announcement.clone())));
    mocks
}

#[tokio::test(start_paused = true)]
async fn a_mail_on_its_way_is_waited_for_and_what_became_of_it_is_kept() {
    let clock = TestClock::new();
    let mut mocks = mocks_with_a_mail();
    mocks
        .mail_queue
        .expect_settle()
        .once()
        .withf(|_, _, mails, _| mails.iter().all(|mail| mail.outcome == MailOutcome::Sent))
        .returning(|_, _, _, _| Ok(()));
    let workers = Workers::new(ports(mocks, &clock));
    let outgoing = outgoing(SlowMailer(Duration::from_secs(20)));
    workers.until(outgoing, clock.sleep(Duration::from_secs(1))).await;
    assert_eq!(clock.elapsed(), Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_mail_that_takes_too_long_does_not_hold_up_the_end() {
    let clock = TestClock::new();
    // The outcome of the mail is unknown, and not kept.
    let workers = Workers::new(ports(mocks_with_a_mail(), &clock));
    let outgoing = outgoing(SlowMailer(Duration::from_secs(90)));
    workers.until(outgoing, clock.sleep(Duration::from_secs(1))).await;
    assert_eq!(clock.elapsed(), Duration::from_secs(1) + STOP_LIMIT);
}

/// Identifiers that fail the first two times, with the times of all calls in seconds.
struct LateIds {
    clock: Arc<TestClock>,
    asked: Mutex<Vec<u64>>,
}

impl Ids for LateIds {
    fn fresh(&self) -> Uuid {
        let mut asked = self.asked.lock().unwrap();
        asked.push(self.clock.elapsed().as_secs());
        let fails = asked.len() <= 2;
        drop(asked);
        assert!(!fails, "as a port should not");
        Uuid::from_u128(2)
    }
}

#[tokio::test(start_paused = true)]
async fn the_dispatcher_is_started_again_after_a_panic() {
    let clock = TestClock::new();
    let mut mocks = mocks(&[]);
    mocks.delivery_queue.expect_claim().returning(|_| Ok(Claimed::default()));
    // The dispatcher asks for the identifier of a lease itself. Its calls of the store run in tasks
    // of their own.
    let ids = Arc::new(LateIds { clock: clock.clone(), asked: Mutex::default() });
    let workers = Workers::new(Ports { ids: ids.clone(), ..ports(mocks, &clock) });
    let outgoing = outgoing(MockMailer::new());
    workers.until(outgoing, clock.sleep(Duration::from_millis(12_500))).await;
    assert_eq!(*ids.asked.lock().unwrap(), [0, 5, 10, 11, 12]);
}
