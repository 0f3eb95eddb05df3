//! Deliveries: the results of attempts to send an event, and the schedule of retries.

use crate::id::DeliveryId;
use crate::millis::{DAY, HOUR, MINUTE, SECOND, days, hours, minutes, seconds};
use crate::{ClosedSet, Time};
use std::fmt;

/// The states of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// `pending`: an attempt follows.
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

/// The reasons for a missing or incomplete response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryFailure {
    /// `address`: the guard of addresses refuses the receiver's address.
    Address,
    /// `unresolved`: the receiver's name does not resolve.
    Unresolved,
    /// `connect`: the receiver accepted no connection.
    Connect,
    /// `tls`: the TLS handshake failed, most often because of an untrusted certificate.
    Tls,
    /// `timeout`: the time limit ran out.
    Timeout,
    /// `broken`: the connection was lost.
    Broken,
    /// `protocol`: the response is not HTTP, or too large.
    Protocol,
    /// `secret`: the signing secret could not be opened.
    Secret,
    /// `internal`: the sender itself failed.
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

/// The response to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// The receiver returned a status.
    Status {
        /// The status, 100 to 999.
        code: u16,
        /// The failure that cut the rest of the response short.
        cut: Option<DeliveryFailure>,
    },
    /// The receiver returned no status.
    Nothing(DeliveryFailure),
}

impl Response {
    /// Whether the receiver took the delivery: the status is 2xx. The rest of the response may be
    /// cut short.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Status { code: 200..=299, .. })
    }

    /// Whether the receiver returned `410 Gone`: it wants no more deliveries.
    pub fn is_gone(self) -> bool {
        matches!(self, Self::Status { code: 410, .. })
    }
}

/// The time at which a receiver asks for the next attempt (`Retry-After`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// In this number of seconds.
    Seconds(u64),
    /// At this time.
    At(Time),
}

impl RetryAfter {
    /// The time, at most [`LONGEST_RETRY_AFTER`] after `now`.
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

/// The outcome of an attempt for its delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver took the delivery.
    Delivered,
    /// Another attempt follows.
    Retry {
        /// When the next attempt is due.
        at: Time,
    },
    /// The delivery is given up.
    Failed,
}

/// An attempt that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedAttempt {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The number of the attempt since the delivery was made or last replayed, from 1.
    pub number: u32,
    /// The response.
    pub response: Response,
    /// When the receiver asks for the next attempt.
    pub retry_after: Option<RetryAfter>,
    /// When the attempt ended.
    pub ended_at: Time,
}

/// The longest time by which a receiver can put off the next attempt, in milliseconds.
const LONGEST_RETRY_AFTER: i64 = hours(24);

/// The time for which delivered deliveries are kept, in milliseconds.
pub const DELIVERED_KEPT: i64 = days(30);
/// The time for which failed deliveries are kept, in milliseconds.
pub const FAILED_KEPT: i64 = days(90);
/// The time after which the pending deliveries of an inactive subscription are given up, in
/// milliseconds.
pub const INACTIVE_KEPT: i64 = days(30);

/// The pauses between the attempts of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetrySchedule(Vec<i64>);

/// The text is not a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSchedule;

/// The most pauses of a schedule.
const MOST_PAUSES: usize = 100;
/// The longest pause of a schedule, in milliseconds.
const LONGEST_PAUSE: i64 = days(30);

/// The schedule of the Standard Webhooks specification: over three days in all.
impl Default for RetrySchedule {
    fn default() -> Self {
        Self(vec![
            seconds(5),
            minutes(5),
            minutes(30),
            hours(2),
            hours(5),
            hours(10),
            hours(14),
            hours(20),
            hours(24),
        ])
    }
}

impl RetrySchedule {
    /// Reads pauses separated by commas, such as `5s,5m,30m`: 1 to 100 pauses of 1 second to 30
    /// days. Each is a whole number with the unit `s`, `m`, `h` or `d`.
    pub fn parse(text: &str) -> Result<Self, NoSchedule> {
        let pause = |text| parse_pause(text).filter(|it| (1..=LONGEST_PAUSE).contains(it));
        let pauses = text.split(',').map(pause).collect::<Option<Vec<_>>>().ok_or(NoSchedule)?;
        if pauses.len() > MOST_PAUSES { Err(NoSchedule) } else { Ok(Self(pauses)) }
    }

    /// Decides the outcome of an attempt.
    ///
    /// A pause grows by up to a tenth, so that deliveries that failed together are not retried
    /// together. The delivery's identifier determines by how much. The next attempt is never
    /// earlier than the receiver asks for.
    pub fn after(&self, attempt: EndedAttempt) -> DeliveryOutcome {
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

/// The text that [`RetrySchedule::parse`] reads. Each pause has the largest unit of which it is a
/// whole number.
impl fmt::Display for RetrySchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pauses: Vec<String> = self.0.iter().map(|pause| pause_text(*pause)).collect();
        f.write_str(&pauses.join(","))
    }
}

/// The text that [`parse_pause`] reads.
pub(crate) fn pause_text(pause: i64) -> String {
    let (unit, letter) = match pause {
        pause if pause % DAY == 0 => (DAY, 'd'),
        pause if pause % HOUR == 0 => (HOUR, 'h'),
        pause if pause % MINUTE == 0 => (MINUTE, 'm'),
        _ => (SECOND, 's'),
    };
    format!("{}{letter}", pause / unit)
}

/// Reads a time in milliseconds: a whole number with the unit `s`, `m`, `h` or `d`.
pub(crate) fn parse_pause(text: &str) -> Option<i64> {
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
    digits.parse::<i64>().ok()?.checked_mul(unit)
}

/// The length of a pause in the unit of [`jitter`].
const JITTER: i64 = 10_000;

/// The growth of a pause, from 0 to a tenth of [`JITTER`].
fn jitter(delivery: DeliveryId, number: u32) -> i64 {
    // The identifier is a digest, and so as good as random. The rotation makes the growth of each
    // pause another one.
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

    fn failed(number: u32) -> EndedAttempt {
        let response = Response::Status { code: 500, cut: None };
        EndedAttempt { delivery: delivery(1), number, response, retry_after: None, ended_at: now() }
    }

    /// The time from an attempt to the next one, in milliseconds.
    fn wait(schedule: &RetrySchedule, attempt: EndedAttempt) -> i64 {
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
    fn pauses_differ_between_deliveries_and_between_attempts() {
        let waits = |number| -> Vec<i64> {
            let schedule = RetrySchedule::parse("100s,100s,100s").unwrap();
            (1..=3)
                .map(|attempt| {
                    wait(&schedule, EndedAttempt { delivery: delivery(number), ..failed(attempt) })
                })
                .collect()
        };
        let all: Vec<i64> = (0..200).flat_map(waits).collect();
        let tenths = |low, high| all.iter().filter(|wait| (low..high).contains(*wait)).count();
        assert!(all.iter().all(|wait| (100_000..=110_000).contains(wait)));
        // The growth is spread over the whole tenth, and differs from pause to pause.
        for low in [100_000, 102_500, 105_000, 107_500] {
            assert!(tenths(low, low + 2_500) > 75, "{low}: {}", tenths(low, low + 2_500));
        }
        assert!((0..200).all(|number| waits(number).windows(2).any(|pair| pair[0] != pair[1])));
    }

    #[test]
    fn only_a_2xx_delivers() {
        let after =
            |response| RetrySchedule::default().after(EndedAttempt { response, ..failed(1) });
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
        let asking = |retry_after| {
            wait(&schedule, EndedAttempt { retry_after: Some(retry_after), ..failed(1) })
        };
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
        // A failed delivery is not retried.
        let last = EndedAttempt { retry_after: Some(RetryAfter::Seconds(1)), ..failed(10) };
        assert_eq!(schedule.after(last), DeliveryOutcome::Failed);
    }

    #[test]
    fn a_schedule_is_shown_in_the_form_that_it_is_read_in() {
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
            Ok(RetrySchedule(vec![days(30); 100]))
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
        fn a_pause_grows_by_up_to_a_tenth(number in 1..=9u32, event: u128) {
            let RetrySchedule(pauses) = RetrySchedule::default();
            let pause = pauses[usize::try_from(number).unwrap() - 1];
            let attempt = EndedAttempt { delivery: delivery(event), ..failed(number) };
            let wait = wait(&RetrySchedule::default(), attempt);
            prop_assert!((pause..=pause + pause / 10).contains(&wait));
        }
    }
}
