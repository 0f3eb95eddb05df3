//! All workers of a server, until they stop.

use super::TestClock;
use crate::alarm::ProcessAlarm;
use crate::workers::{Outgoing, PAUSE, Workers};
use hearback_app::images::Images;
use hearback_app::mail::Sender;
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_app::{MasterKey, Vault};
use hearback_domain::Uuid;
use hearback_domain::delivery::RetrySchedule;
use hearback_ports::backlog::Task;
use hearback_ports::deliveries::Ended;
use hearback_ports::delivery_queue::Claimed;
use hearback_ports::event_sink::MockEventSink;
use hearback_ports::images::{MockImageFiles, MockImageReader};
use hearback_ports::mailer::MockMailer;
use hearback_ports::mock::Mocks;
use hearback_ports::{Clock, Ids, Ports};
use hearback_web::MailWords;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn ports(mocks: Mocks, clock: &Arc<TestClock>) -> Ports {
    Ports { clock: clock.clone(), alarm: Arc::<ProcessAlarm>::default(), ..mocks.ports() }
}

/// Without mails and deliveries.
fn nothing_outgoing() -> Outgoing {
    let vault = Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap());
    let tokens = UnsubscribeTokens::new(&vault);
    let public_url = "https://feedback.example".to_owned();
    let words = Arc::new(MailWords::IN_MAILS);
    let mails = Sender::new(Arc::new(MockMailer::new()), words, tokens, public_url);
    Outgoing {
        images: Images {
            files: Arc::new(MockImageFiles::new()),
            reader: Arc::new(MockImageReader::new()),
            quota: 0,
        },
        help_use: Arc::default(),
        mails,
        vault: Arc::new(vault),
        sink: Arc::new(MockEventSink::new()),
        schedule: RetrySchedule::default(),
    }
}

#[tokio::test(start_paused = true)]
async fn every_step_runs_in_rounds_until_the_stop() {
    let clock = TestClock::new();
    let asked = Arc::<Mutex<Vec<Task>>>::default();
    let mut mocks = Mocks::default();
    let noted = asked.clone();
    mocks.backlog.expect_organizations().returning(move |task, _, _, _| {
        noted.lock().unwrap().push(task);
        Ok(vec![])
    });
    mocks.feedback_posts.expect_move_votes().returning(|| Ok(0));
    mocks.feedback_posts.expect_index_posts().returning(|| Ok(0));
    mocks.organizations.expect_deleted().returning(|| Ok(vec![]));
    mocks.organizations.expect_list().returning(|| Ok(vec![]));
    let claims = Arc::<Mutex<usize>>::default();
    let counted = claims.clone();
    mocks.ids.expect_fresh().return_const(Uuid::from_u128(2));
    mocks.delivery_queue.expect_claim().returning(move |_| {
        *counted.lock().unwrap() += 1;
        Ok(Claimed::default())
    });
    let workers = Workers::new(ports(mocks, &clock), PAUSE);
    let all_alive = workers.all_alive();
    workers.until(nothing_outgoing(), clock.sleep(Duration::from_millis(60_250))).await;
    assert_eq!(clock.elapsed(), Duration::from_millis(60_250));
    let rounds = |task| asked.lock().unwrap().iter().filter(|asked| **asked == task).count();
    for task in [Task::PublishEntries, Task::FollowUps, Task::WriteMails, Task::SendMails] {
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
async fn one_silent_worker_is_enough_for_not_alive() {
    let clock = TestClock::new();
    let workers = Workers::new(ports(Mocks::default(), &clock), PAUSE);
    let all_alive = workers.all_alive();
    clock.sleep(Duration::from_secs(3600)).await;
    let pulses = [
        workers.publishing,
        workers.finishing,
        workers.writing,
        workers.sending,
        workers.delivering,
        workers.pruning,
        workers.ranking,
        workers.counting,
        workers.viewing,
    ];
    for silent in 0..pulses.len() {
        for (number, pulse) in pulses.iter().enumerate() {
            if number == silent { pulse.set(Duration::ZERO) } else { pulse.beat() }
        }
        assert!(!all_alive(), "{silent}");
    }
    pulses.iter().for_each(|pulse| pulse.beat());
    assert!(all_alive());
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
    let mut mocks = Mocks::default();
    mocks.backlog.expect_organizations().returning(|_, _, _, _| Ok(vec![]));
    mocks.feedback_posts.expect_move_votes().returning(|| Ok(0));
    mocks.feedback_posts.expect_index_posts().returning(|| Ok(0));
    mocks.organizations.expect_deleted().returning(|| Ok(vec![]));
    mocks.organizations.expect_list().returning(|| Ok(vec![]));
    mocks.delivery_queue.expect_claim().returning(|_| Ok(Claimed::default()));
    // The dispatcher asks for the identifier of a lease itself. Its calls of the store run in tasks
    // of their own.
    let ids = Arc::new(LateIds { clock: clock.clone(), asked: Mutex::default() });
    let workers = Workers::new(Ports { ids: ids.clone(), ..ports(mocks, &clock) }, PAUSE);
    workers.until(nothing_outgoing(), clock.sleep(Duration::from_millis(12_500))).await;
    assert_eq!(*ids.asked.lock().unwrap(), [0, 5, 10, 11, 12]);
}
