//! Runs a write once: a repeated request gets the result of the first, and a write that lost a race
//! decides again.

use crate::Error;
use hearback_domain::Time;
use hearback_domain::id::OrganizationId;
use hearback_domain::millis::DAY;
use hearback_ports::receipts::StoredReceipt;
use hearback_ports::{
    Clock, IdempotencyKey, Ports, Receipt, Recorded, StoreError, Unique, WriteResult, deadline,
};
use ring::digest::{SHA256, digest};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};

/// The time for which a write decides again after lost races, before it fails with
/// [`StoreError::Busy`].
pub const DEADLINE: Duration = Duration::from_secs(2);

/// The time for which a receipt is valid, in milliseconds.
pub const RECEIPT_MILLIS: i64 = DAY;

/// A client's name for a write. It makes the write safe to repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The path of the endpoint, such as `/votes/toggle`.
    pub path: &'static str,
    /// The client's key of the write.
    pub key: IdempotencyKey,
    /// The SHA-256 of the canonical body without the API key.
    pub body: [u8; 32],
}

impl Repeat {
    /// The name of a write by a form: the number of the form, and what was typed.
    pub fn of_form(path: &'static str, key: IdempotencyKey, typed: &str) -> Self {
        let mut body = [0; 32];
        body.copy_from_slice(digest(&SHA256, typed.as_bytes()).as_ref());
        Self { path, key, body }
    }

    /// The receipt for a result.
    pub fn receipt(&self, answer: &WriteResult, at: Time) -> Receipt {
        let answer = answer.clone();
        Receipt { path: self.path, key: self.key.clone(), body: self.body, answer, at }
    }
}

/// The result of a write, and whether this request made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This request made the write.
    Fresh(WriteResult),
    /// An earlier request under the same idempotency key made the write.
    Replayed(WriteResult),
}

impl Outcome {
    /// The result.
    pub fn answer(self) -> WriteResult {
        match self {
            Self::Fresh(answer) | Self::Replayed(answer) => answer,
        }
    }
}

/// A round of load, decide, record: the answer of the store, and the result of the write if it was
/// recorded.
pub type Round = Result<(Recorded, WriteResult), Error>;

/// Runs rounds of load, decide, record until one is recorded or refused.
///
/// The receipt of an earlier write under the same key is looked up first, and again after a refusal
/// or a lost race: a twin of this request may have finished meanwhile, and its result is then the
/// result of both.
///
/// The first round runs at once. Later rounds for the same `aggregate` queue in this process, so
/// that a crowd on one record is served in turn instead of racing again and again. After the second
/// round, the write fails with [`StoreError::Busy`] once [`DEADLINE`] is over. `round` gets the
/// number of the round, from 1.
pub async fn once<F>(
    ports: &Ports,
    organization: OrganizationId,
    aggregate: impl Hash,
    repeat: Option<&Repeat>,
    mut round: impl FnMut(u32) -> F,
) -> Result<Outcome, Error>
where
    F: Future<Output = Round>,
{
    let deadline = ports.clock.elapsed() + DEADLINE;
    if let Some(outcome) = earlier(ports, organization, repeat).await? {
        return Ok(outcome);
    }
    let mut turn: Option<MutexGuard<'static, ()>> = None;
    let mut attempt = 0;
    loop {
        attempt += 1;
        let mut has_receipt = false;
        let refusal = match round(attempt).await {
            Ok((Recorded::Done, answer)) => return Ok(Outcome::Fresh(answer)),
            Ok((Recorded::Taken(Unique::Receipt), _)) => {
                has_receipt = true;
                None
            }
            Ok((
                Recorded::Stale | Recorded::Taken(_) | Recorded::Missing(_) | Recorded::InUse(_),
                _,
            )) => None,
            Err(refusal @ (Error::NotFound(_) | Error::Refused(_))) => Some(refusal),
            Err(
                failure
                @ (Error::Denied(_) | Error::KeyReused | Error::Secret(_) | Error::Store(_)),
            ) => {
                return Err(failure);
            }
        };
        if let Some(outcome) = earlier(ports, organization, repeat).await? {
            return Ok(outcome);
        }
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        if has_receipt {
            forget(ports, organization, repeat).await?;
        }
        // A server with too much to do may take longer for one round. The second one has a turn.
        let left = deadline.saturating_sub(ports.clock.elapsed());
        if left.is_zero() && attempt > 1 {
            return Err(StoreError::Busy.into());
        }
        if turn.is_none() {
            let left = deadline::left(left);
            turn = Some(queue(&*ports.clock, organization, &aggregate, left).await?);
        }
    }
}

async fn earlier(
    ports: &Ports,
    organization: OrganizationId,
    repeat: Option<&Repeat>,
) -> Result<Option<Outcome>, Error> {
    let Some(repeat) = repeat else { return Ok(None) };
    let since = ports.clock.now().plus_millis(-RECEIPT_MILLIS);
    match ports.receipts.find(organization, repeat.path, repeat.key.clone(), since).await? {
        None => Ok(None),
        Some(StoredReceipt { body, .. }) if body != repeat.body => Err(Error::KeyReused),
        Some(StoredReceipt { answer, .. }) => Ok(Some(Outcome::Replayed(answer))),
    }
}

/// Removes an expired receipt, so that its key is free.
async fn forget(
    ports: &Ports,
    organization: OrganizationId,
    repeat: Option<&Repeat>,
) -> Result<(), Error> {
    let Some(repeat) = repeat else { return Ok(()) };
    let before = ports.clock.now().plus_millis(-RECEIPT_MILLIS);
    Ok(ports.receipts.forget(organization, repeat.path, repeat.key.clone(), before).await?)
}

async fn queue(
    clock: &dyn Clock,
    organization: OrganizationId,
    aggregate: &impl Hash,
    patience: Duration,
) -> Result<MutexGuard<'static, ()>, StoreError> {
    let mut hasher = DefaultHasher::new();
    (organization, aggregate).hash(&mut hasher);
    let stripe = usize::try_from(hasher.finish() % STRIPES as u64).unwrap_or(0);
    tokio::select! {
        // A free turn is taken before the clock is polled.
        biased;
        guard = TURNS[stripe].lock() => Ok(guard),
        () = clock.sleep(patience) => Err(StoreError::Busy),
    }
}

/// The number of queues: enough that two crowds seldom share one, and few enough to cost little.
const STRIPES: usize = 256;
static TURNS: [Mutex<()>; STRIPES] = [const { Mutex::const_new(()) }; STRIPES];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Missing, Precondition};
    use hearback_domain::Uuid;
    use hearback_ports::mock::Mocks;
    use std::cell::Cell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));
    const VOTED: WriteResult = WriteResult::Voted(true);

    fn repeat() -> Repeat {
        Repeat { path: "/votes/toggle", key: IdempotencyKey::parse("a").unwrap(), body: [7; 32] }
    }

    /// A clock that moves by this many milliseconds with each reading. Its sleeps never end, as
    /// other tests share the queues.
    struct Ticking(u64, AtomicU64);

    impl Ticking {
        fn by(millis: u64) -> Self {
            Self(millis, AtomicU64::default())
        }
    }

    #[async_trait::async_trait]
    impl Clock for Ticking {
        fn now(&self) -> Time {
            Time::MAX
        }

        fn elapsed(&self) -> Duration {
            Duration::from_millis(self.1.fetch_add(self.0, Ordering::Relaxed))
        }

        async fn sleep(&self, _: Duration) {
            std::future::pending().await
        }
    }

    async fn run(
        mocks: Mocks,
        repeat: Option<&Repeat>,
        rounds: impl Fn(u32) -> Round,
    ) -> (Result<Outcome, Error>, u32) {
        let ports = Ports { clock: Arc::new(Ticking::by(100)), ..mocks.ports() };
        let count = Cell::new(0);
        let outcome = once(&ports, ORGANIZATION, "aggregate", repeat, |attempt| {
            count.set(attempt);
            let round = rounds(attempt);
            async { round }
        })
        .await;
        (outcome, count.get())
    }

    #[tokio::test]
    async fn a_write_without_key_looks_up_no_receipt_and_is_tried_until_it_is_recorded() {
        let (outcome, rounds) = run(Mocks::default(), None, |n| {
            Ok((if n < 3 { Recorded::Stale } else { Recorded::Done }, VOTED))
        })
        .await;
        assert_eq!((outcome.unwrap(), rounds), (Outcome::Fresh(VOTED), 3));
    }

    #[tokio::test]
    async fn a_repeated_write_gets_the_kept_answer_and_another_body_a_refusal() {
        let repeated = async |body| {
            let mut mocks = Mocks::default();
            mocks
                .receipts
                .expect_find()
                .once()
                .returning(move |_, _, _, _| Ok(Some(StoredReceipt { body, answer: VOTED })));
            let (outcome, rounds) =
                run(mocks, Some(&repeat()), |_| Ok((Recorded::Done, VOTED))).await;
            assert_eq!(rounds, 0, "{body:?}");
            outcome
        };
        assert_eq!(repeated([7; 32]).await.unwrap(), Outcome::Replayed(VOTED));
        assert!(matches!(repeated([8; 32]).await, Err(Error::KeyReused)));
    }

    /// A twin finishes while this request decides: the first look-up of the receipt finds nothing,
    /// the second finds the twin's.
    fn twin_finishes(mocks: &mut Mocks) {
        let mut found = vec![Some(StoredReceipt { body: [7; 32], answer: VOTED }), None];
        mocks
            .receipts
            .expect_find()
            .times(2)
            .returning(move |_, _, _, _| Ok(found.pop().flatten()));
    }

    #[tokio::test]
    async fn a_twin_that_was_faster_answers_for_a_refused_and_for_a_lost_round() {
        type RoundOf = fn(u32) -> Round;
        let rounds: [RoundOf; 3] = [
            |_| Err(Error::Refused(Precondition::CannotMerge)),
            |_| Ok((Recorded::Stale, VOTED)),
            |_| Ok((Recorded::Taken(Unique::Receipt), VOTED)),
        ];
        for round in rounds {
            let mut mocks = Mocks::default();
            twin_finishes(&mut mocks);
            let (outcome, rounds) = run(mocks, Some(&repeat()), round).await;
            assert_eq!((outcome.unwrap(), rounds), (Outcome::Replayed(VOTED), 1));
        }
    }

    #[tokio::test]
    async fn an_expired_receipt_is_replaced() {
        let mut mocks = Mocks::default();
        mocks.receipts.expect_find().times(2).returning(|_, _, _, _| Ok(None));
        let day_before = Time::MAX.plus_millis(-RECEIPT_MILLIS);
        mocks
            .receipts
            .expect_forget()
            .once()
            .withf(move |_, path, key, before| {
                path == "/votes/toggle" && key.as_str() == "a" && *before == day_before
            })
            .returning(|_, _, _, _| Ok(()));
        let taken =
            |n| Ok((if n < 2 { Recorded::Taken(Unique::Receipt) } else { Recorded::Done }, VOTED));
        let (outcome, rounds) = run(mocks, Some(&repeat()), taken).await;
        assert_eq!((outcome.unwrap(), rounds), (Outcome::Fresh(VOTED), 2));
    }

    #[tokio::test]
    async fn a_write_without_key_ends_at_a_failure_or_after_two_seconds() {
        type Case = (&'static str, fn(u32) -> Round, fn(&Error) -> bool, u32);
        let cases: [Case; 3] = [
            (
                "refused",
                |_| Err(Error::NotFound(Missing::VoteTarget)),
                |error| matches!(error, Error::NotFound(Missing::VoteTarget)),
                1,
            ),
            (
                "of unknown outcome",
                |_| Err(StoreError::Lost { doing: "toggling", source: "gone".into() }.into()),
                |error| matches!(error, Error::Store(StoreError::Lost { .. })),
                1,
            ),
            // The clock moves by 100 ms a round.
            (
                "stale",
                |_| Ok((Recorded::Stale, VOTED)),
                |error| matches!(error, Error::Store(StoreError::Busy)),
                20,
            ),
        ];
        for (name, round, is_expected, expected_rounds) in cases {
            let (outcome, rounds) = run(Mocks::default(), None, round).await;
            let error = outcome.unwrap_err();
            assert!(is_expected(&error), "{name}: {error:?}");
            assert_eq!(rounds, expected_rounds, "{name}");
        }
    }

    #[tokio::test]
    async fn a_write_whose_round_is_slower_than_the_deadline_has_a_second_one() {
        let ports = Ports { clock: Arc::new(Ticking::by(3_000)), ..Mocks::default().ports() };
        let run = async |rounds: u32| {
            let round = |n| async move {
                Ok((if n < rounds { Recorded::Stale } else { Recorded::Done }, VOTED))
            };
            once(&ports, ORGANIZATION, "slow", None, round).await
        };
        assert_eq!(run(2).await.unwrap(), Outcome::Fresh(VOTED));
        assert!(matches!(run(3).await, Err(Error::Store(StoreError::Busy))));
    }

    #[tokio::test]
    async fn a_write_that_waits_two_seconds_for_its_turn_fails_as_busy() {
        let aggregate = "a crowded one";
        let mut mocks = Mocks::default();
        mocks.clock.expect_elapsed().return_const(Duration::ZERO);
        mocks.clock.expect_sleep().once().withf(|patience| *patience == DEADLINE).returning(|_| ());
        let ports = mocks.ports();
        let _turn = queue(&Ticking::by(100), ORGANIZATION, &aggregate, DEADLINE).await.unwrap();
        let outcome =
            once(&ports, ORGANIZATION, aggregate, None, |_| async { Ok((Recorded::Stale, VOTED)) })
                .await;
        assert!(matches!(outcome, Err(Error::Store(StoreError::Busy))));
    }
}
