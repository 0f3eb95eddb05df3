//! Deliveries: what became of an attempt to bring an event to a subscription, and when the next one is made.

use crate::id::DeliveryId;
use crate::{ClosedSet, Time};
use std::fmt;

/// Where a delivery is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// `pending`: it is attempted, for the first time or again.
    Pending,
    /// `delivered`: the receiver took it.
    Delivered,
    /// `failed`: it was given up.
    Failed,
}

impl ClosedSet for DeliveryState {
    const ALL: &'static [Self] = &[Self::Pending, Self::Delivered, Self::Failed];

    fn code(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }
}

/// Why no answer came, or only a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryFailure {
    /// `address`: the receiver's address is none that anything is sent to.
    Address,
    /// `unresolved`: the receiver's name leads nowhere.
    Unresolved,
    /// `connect`: the receiver took no connection.
    Connect,
    /// `tls`: no secure connection came about, most often for a certificate that is not trusted.
    Tls,
    /// `timeout`: the time ran out.
    Timeout,
    /// `broken`: the connection broke.
    Broken,
    /// `protocol`: what came was no HTTP, or too much of it.
    Protocol,
    /// `secret`: the signing secret could not be read.
    Secret,
    /// `internal`: what sends deliveries failed.
    Internal,
}

impl ClosedSet for DeliveryFailure {
    const ALL: &'static [Self] = &[
        Self::Address,
        Self::Unresolved,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::Broken,
        Self::Protocol,
        Self::Secret,
        Self::Internal,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Unresolved => "unresolved",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Broken => "broken",
            Self::Protocol => "protocol",
            Self::Secret => "secret",
            Self::Internal => "internal",
        }
    }
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The receiver answered with a status.
    Status {
        /// The status, 100 to 999.
        code: u16,
        /// What cut the rest of the answer short.
        cut: Option<DeliveryFailure>,
    },
    /// It did not.
    Nothing(DeliveryFailure),
}

impl Response {
    /// Whether the receiver took the delivery: by a 2xx, whatever became of the rest of its answer.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Status { code: 200..=299, .. })
    }

    /// Whether the receiver wants nothing any more.
    pub fn is_gone(self) -> bool {
        matches!(self, Self::Status { code: 410, .. })
    }
}

/// When a receiver asks to be tried again (`Retry-After`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// In so many seconds.
    Seconds(u64),
    /// At that time.
    At(Time),
}

impl RetryAfter {
    /// The time, as of `now`, at most [`LONGEST_RETRY_AFTER`] ahead.
    fn time(self, now: Time) -> Time {
        let latest = now.plus_millis(LONGEST_RETRY_AFTER);
        let at = match self {
            Self::Seconds(seconds) => {
                now.plus_millis(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(SECOND))
            }
            Self::At(at) => at,
        };
        at.min(latest)
    }
}

/// What becomes of a delivery after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver took it.
    Delivered,
    /// It is tried again.
    Retry {
        /// When.
        at: Time,
    },
    /// It is given up.
    Failed,
}

/// An attempt that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Try {
    /// The delivery.
    pub delivery: DeliveryId,
    /// Which attempt it was since the delivery was made or last replayed, from 1.
    pub number: u32,
    /// What came of it.
    pub response: Response,
    /// When the receiver asks to be tried again.
    pub retry_after: Option<RetryAfter>,
    /// When it ended.
    pub ended_at: Time,
}

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long a receiver may put off the next attempt, in milliseconds.
const LONGEST_RETRY_AFTER: i64 = 24 * HOUR;

/// How long delivered ones are kept, in milliseconds.
pub const DELIVERED_KEPT: i64 = 30 * DAY;
/// How long failed ones are kept, in milliseconds.
pub const FAILED_KEPT: i64 = 90 * DAY;
/// How long the pending ones of a subscription that is not active are kept, in milliseconds, before they count as failed.
pub const INACTIVE_KEPT: i64 = 30 * DAY;

/// The pauses between the attempts of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrySchedule(Vec<i64>);

/// The text is no schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSchedule;

/// The most pauses of a schedule.
const MOST_PAUSES: usize = 100;
/// The longest pause of a schedule, in milliseconds.
const LONGEST_PAUSE: i64 = 30 * DAY;

/// That of the Standard Webhooks specification: over three days.
impl Default for RetrySchedule {
    fn default() -> Self {
        Self(vec![
            5 * SECOND,
            5 * MINUTE,
            30 * MINUTE,
            2 * HOUR,
            5 * HOUR,
            10 * HOUR,
            14 * HOUR,
            20 * HOUR,
            24 * HOUR,
        ])
    }
}

impl RetrySchedule {
    /// Reads pauses, separated by commas, each a whole number above 0 and `s`, `m`, `h` or `d`, such as `5s,5m,30m`: up to a
    /// hundred of them, each of a second to 30 days.
    pub fn parse(text: &str) -> Result<Self, NoSchedule> {
        let pauses = text.split(',').map(pause).collect::<Option<Vec<_>>>().ok_or(NoSchedule)?;
        if pauses.len() > MOST_PAUSES { Err(NoSchedule) } else { Ok(Self(pauses)) }
    }

    /// Decides what follows an attempt.
    ///
    /// Each pause gets up to a tenth more, so that what failed together is not tried again together; how much is told by the
    /// delivery's identifier. It is never tried earlier than the receiver asks for.
    pub fn after(&self, attempt: Try) -> DeliveryOutcome {
        if attempt.response.is_success() {
            return DeliveryOutcome::Delivered;
        }
        let done = usize::try_from(attempt.number).unwrap_or(usize::MAX);
        let Some(pause) = done.checked_sub(1).and_then(|index| self.0.get(index)) else {
            return DeliveryOutcome::Failed;
        };
        let scheduled = attempt
            .ended_at
            .plus_millis(pause + pause * jitter(attempt.delivery, attempt.number) / JITTER);
        let asked =
            attempt.retry_after.map_or(scheduled, |retry_after| retry_after.time(attempt.ended_at));
        DeliveryOutcome::Retry { at: scheduled.max(asked) }
    }
}

/// As [`RetrySchedule::parse`] reads it, each pause in the largest unit that it is a whole number of.
impl fmt::Display for RetrySchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, pause) in self.0.iter().enumerate() {
            let (unit, letter) = match pause {
                pause if pause % DAY == 0 => (DAY, 'd'),
                pause if pause % HOUR == 0 => (HOUR, 'h'),
                pause if pause % MINUTE == 0 => (MINUTE, 'm'),
                _ => (SECOND, 's'),
            };
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}{letter}", pause / unit)?;
        }
        Ok(())
    }
}

fn pause(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit = match text.chars().next_back()? {
        's' => SECOND,
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        _ => return None,
    };
    let digits = text
        .get(..text.len() - 1)
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    let pause = digits.parse::<i64>().ok()?.checked_mul(unit)?;
    (1..=LONGEST_PAUSE).contains(&pause).then_some(pause)
}

/// What a whole pause is in the measure of [`jitter`].
const JITTER: i64 = 10_000;

/// How much is added to a pause, from 0 to a tenth of [`JITTER`].
fn jitter(delivery: DeliveryId, number: u32) -> i64 {
    // The identifier is a digest: all of it is as good as random. The shift makes each pause's share another one.
    let random = delivery.0.as_u128().rotate_left(number.wrapping_mul(13)) as u64;
    i64::try_from(random % 1001).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;
    use crate::id::EventId;
    use proptest::prelude::*;

    fn now() -> Time {
        Time::parse("2026-03-01T09:30:00Z").unwrap()
    }

    fn delivery(number: u128) -> DeliveryId {
        DeliveryId::of(EventId(Uuid::from_u128(number)), Uuid::nil().into())
    }

    fn failed(number: u32) -> Try {
        let response = Response::Status { code: 500, cut: None };
        Try { delivery: delivery(1), number, response, retry_after: None, ended_at: now() }
    }

    /// How long after an attempt the next one is made, in milliseconds.
    fn wait(schedule: &RetrySchedule, attempt: Try) -> i64 {
        match schedule.after(attempt) {
            DeliveryOutcome::Retry { at } => at.unix_millis() - now().unix_millis(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_delivery_is_tried_ten_times_in_over_three_days() {
        let schedule = RetrySchedule::default();
        let pauses =
            [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];
        for (number, pause) in (1..).zip(pauses) {
            let wait = wait(&schedule, failed(number));
            assert!((pause * 1000..=pause * 1100).contains(&wait), "{number}: {wait}");
        }
        assert_eq!(schedule.after(failed(10)), DeliveryOutcome::Failed);
        assert_eq!(schedule.after(failed(u32::MAX)), DeliveryOutcome::Failed);
    }

    #[test]
    fn pauses_differ_between_deliveries_and_from_each_other() {
        let waits = |number| -> Vec<i64> {
            let schedule = RetrySchedule::parse("100s,100s,100s").unwrap();
            (1..=3)
                .map(|attempt| {
                    wait(&schedule, Try { delivery: delivery(number), ..failed(attempt) })
                })
                .collect()
        };
        let all: Vec<i64> = (0..200).flat_map(waits).collect();
        let tenths = |low, high| all.iter().filter(|wait| (low..high).contains(*wait)).count();
        assert!(all.iter().all(|wait| (100_000..=110_000).contains(wait)));
        // Spread over all of it, and not in step.
        for low in [100_000, 102_500, 105_000, 107_500] {
            assert!(tenths(low, low + 2_500) > 75, "{low}: {}", tenths(low, low + 2_500));
        }
        assert!((0..200).all(|number| waits(number).windows(2).any(|pair| pair[0] != pair[1])));
    }

    #[test]
    fn any_2xx_delivers_and_nothing_else_does() {
        let after = |response| RetrySchedule::default().after(Try { response, ..failed(1) });
        for code in [200, 204, 299] {
            assert_eq!(after(Response::Status { code, cut: None }), DeliveryOutcome::Delivered);
            assert_eq!(
                after(Response::Status { code, cut: Some(DeliveryFailure::Timeout) }),
                DeliveryOutcome::Delivered
            );
        }
        for code in [100, 199, 300, 301, 404, 410, 500, 999] {
            assert!(
                matches!(
                    after(Response::Status { code, cut: None }),
                    DeliveryOutcome::Retry { .. }
                ),
                "{code}"
            );
        }
        for &failure in DeliveryFailure::ALL {
            assert!(matches!(after(Response::Nothing(failure)), DeliveryOutcome::Retry { .. }));
        }
    }

    #[test]
    fn a_receiver_is_not_tried_earlier_than_it_asks_for_but_within_a_day() {
        let schedule = RetrySchedule::default();
        let asking =
            |retry_after| wait(&schedule, Try { retry_after: Some(retry_after), ..failed(1) });
        let unasked = wait(&schedule, failed(1));
        assert_eq!(asking(RetryAfter::Seconds(120)), 120_000);
        assert_eq!(asking(RetryAfter::At(now().plus_millis(7_500))), 7_500);
        for early in [
            RetryAfter::Seconds(0),
            RetryAfter::At(now().plus_millis(-1)),
            RetryAfter::At(Time::MIN),
        ] {
            assert_eq!(asking(early), unasked);
        }
        for late in
            [RetryAfter::Seconds(86_401), RetryAfter::Seconds(u64::MAX), RetryAfter::At(Time::MAX)]
        {
            assert_eq!(asking(late), 86_400_000);
        }
        // What is given up is not taken up again.
        let last = Try { retry_after: Some(RetryAfter::Seconds(1)), ..failed(10) };
        assert_eq!(schedule.after(last), DeliveryOutcome::Failed);
    }

    #[test]
    fn a_schedule_is_shown_as_it_is_read() {
        for (text, shown) in [
            ("5s,5m,30m,2h,5h,10h,14h,20h,24h", "5s,5m,30m,2h,5h,10h,14h,20h,1d"),
            ("90s, 60s,120m", "90s,1m,2h"),
            ("30d", "30d"),
        ] {
            let schedule = RetrySchedule::parse(text).unwrap();
            assert_eq!(schedule.to_string(), shown);
            assert_eq!(RetrySchedule::parse(shown), Ok(schedule));
        }
    }

    #[test]
    fn a_schedule_is_read_from_text() {
        assert_eq!(
            RetrySchedule::parse("5s,5m,30m,2h,5h,10h,14h,20h,1d"),
            Ok(RetrySchedule::default())
        );
        assert_eq!(RetrySchedule::parse(" 1s , 2s "), Ok(RetrySchedule(vec![1000, 2000])));
        assert_eq!(
            RetrySchedule::parse(&["30d"; 100].join(",")),
            Ok(RetrySchedule(vec![30 * DAY; 100]))
        );
        for text in [
            "",
            ",",
            "5",
            "s",
            "5s,",
            "-5s",
            "+5s",
            "5.5s",
            "0s",
            "31d",
            "5w",
            "5 s",
            "5é",
            "é",
            "99999999999999999d",
        ] {
            assert_eq!(RetrySchedule::parse(text), Err(NoSchedule), "{text}");
        }
        assert_eq!(RetrySchedule::parse(&["1s"; 101].join(",")), Err(NoSchedule));
    }

    proptest! {
        #[test]
        fn a_pause_is_its_own_length_and_up_to_a_tenth(number in 1..=9u32, event: u128) {
            let RetrySchedule(pauses) = RetrySchedule::default();
            let pause = pauses[usize::try_from(number).unwrap() - 1];
            let wait = wait(&RetrySchedule::default(), Try { delivery: delivery(event), ..failed(number) });
            prop_assert!((pause..=pause + pause / 10).contains(&wait));
        }
    }
}
