//! Rates in the form of the settings.

use governor::Quota;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

/// A number of requests in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    requests: NonZeroU32,
    period: Period,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Period {
    Second,
    Minute,
    Hour,
}

/// The text is not a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRate;

impl Rate {
    /// The most requests of a period.
    pub const MAX: u32 = 1_000_000;

    /// Parses a rate such as `50/s`, `600/m` or `10000/h`.
    pub fn parse(text: &str) -> Result<Self, NoRate> {
        let (requests, unit) = text.split_once('/').ok_or(NoRate)?;
        let period = Period::ALL.into_iter().find(|period| period.unit() == unit).ok_or(NoRate)?;
        // `u32::from_str` would take a sign.
        let digits =
            Some(requests).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let requests = digits
            .and_then(|digits| digits.parse().ok())
            .filter(|requests: &NonZeroU32| requests.get() <= Self::MAX);
        Ok(Self { requests: requests.ok_or(NoRate)?, period })
    }

    /// A number of requests a minute, at least 1.
    pub const fn per_minute(requests: u32) -> Self {
        let requests = match NonZeroU32::new(requests) {
            Some(requests) => requests,
            None => NonZeroU32::MIN,
        };
        Self { requests, period: Period::Minute }
    }

    /// The same number of requests an hour.
    pub(super) const fn in_an_hour(self) -> Self {
        Self { period: Period::Hour, ..self }
    }

    /// The rate as a quota of governor.
    pub(super) fn quota(self) -> Quota {
        // The shortest interval, of [`Self::MAX`] in a second, is a microsecond.
        let interval = self.period.length() / self.requests.get();
        let quota = Quota::with_period(interval).unwrap_or(Quota::per_second(self.requests));
        quota.allow_burst(self.requests)
    }
}

/// The form that [`Rate::parse`] takes.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.requests, self.period.unit())
    }
}

impl Period {
    const ALL: [Self; 3] = [Self::Second, Self::Minute, Self::Hour];

    fn unit(self) -> &'static str {
        match self {
            Self::Second => "s",
            Self::Minute => "m",
            Self::Hour => "h",
        }
    }

    fn length(self) -> Duration {
        Duration::from_secs(match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 60 * 60,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Rate {
        Rate::parse(text).unwrap()
    }

    #[test]
    fn a_rate_is_a_number_of_requests_in_a_second_a_minute_or_an_hour() {
        for (text, requests, millis) in
            [("50/s", 50, 20), ("600/m", 600, 100), ("10000/h", 10_000, 360), ("1/h", 1, 3_600_000)]
        {
            let quota = rate(text).quota();
            assert_eq!(rate(text).to_string(), text);
            assert_eq!(
                (quota.burst_size().get(), quota.replenish_interval()),
                (requests, Duration::from_millis(millis)),
                "{text}"
            );
        }
        assert!(Rate::parse("1000000/s").is_ok());
        for text in [
            "",
            "50",
            "/s",
            "50/",
            "50/d",
            "50/S",
            "0/s",
            "-1/s",
            "+1/s",
            "1.5/s",
            "1000001/s",
            "50/s ",
            " 50/s",
            "50/2s",
        ] {
            assert_eq!(Rate::parse(text), Err(NoRate), "{text}");
        }
    }
}
