//! Rate limits: how many requests an address may send, and how many an organization with its key. Off unless they are set.
//!
//! What a limit allows can be used at once and comes back evenly. The arithmetic is governor's; where it keeps what is used up is
//! ours, so that it is bounded at every moment. Each process counts for itself.

use crate::error::Failure;
use crate::exchange::Exchange;
use crate::proxies::TrustedProxies;
use actix_web::HttpRequest;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::{Quota, RateLimiter};
use hearback_domain::id::OrganizationId;
use hearback_ports::Clock;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// So many requests in a period.
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

/// A text that is no rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRate;

impl Rate {
    /// The most requests of a period.
    pub const MAX: u32 = 1_000_000;

    /// Such as `50/s`, `600/m` or `10000/h`.
    pub fn parse(text: &str) -> Result<Self, NoRate> {
        let (requests, unit) = text.split_once('/').ok_or(NoRate)?;
        let period = Period::ALL.into_iter().find(|period| period.unit() == unit).ok_or(NoRate)?;
        // A number has no sign.
        let digits =
            Some(requests).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let requests = digits
            .and_then(|digits| digits.parse().ok())
            .filter(|requests: &NonZeroU32| requests.get() <= Self::MAX);
        Ok(Self { requests: requests.ok_or(NoRate)?, period })
    }

    fn quota(self) -> Quota {
        // At [`Self::MAX`] in a second it is a microsecond.
        let interval = self.period.length() / self.requests.get();
        let quota = Quota::with_period(interval).unwrap_or(Quota::per_second(self.requests));
        quota.allow_burst(self.requests)
    }
}

/// As it is parsed.
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

/// The limits that a process has.
pub(crate) struct Rates {
    per_address: Option<Limiter<Source>>,
    per_key: Option<Limiter<OrganizationId>>,
    trusted_proxies: TrustedProxies,
}

impl Rates {
    pub(crate) fn new(
        per_address: Option<Rate>,
        per_key: Option<Rate>,
        trusted_proxies: TrustedProxies,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        Self {
            per_address: per_address.map(|rate| Limiter::new(rate, Arc::clone(clock))),
            per_key: per_key.map(|rate| Limiter::new(rate, Arc::clone(clock))),
            trusted_proxies,
        }
    }

    /// Counts a request by where it comes from.
    pub(crate) fn count_address(
        &self,
        exchange: &Exchange,
        request: &HttpRequest,
    ) -> Result<(), Failure> {
        let Some(limiter) = &self.per_address else { return Ok(()) };
        // A connection that has no address is none of TCP's; these count together.
        let peer = request.peer_addr().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.ip());
        told(exchange, limiter.count(&self.trusted_proxies.client(peer, request.headers()).into()))
    }

    /// Counts a request by the organization whose key it has.
    pub(crate) fn count_key(
        &self,
        exchange: &Exchange,
        organization: OrganizationId,
    ) -> Result<(), Failure> {
        let Some(limiter) = &self.per_key else { return Ok(()) };
        told(exchange, limiter.count(&organization))
    }
}

fn told(exchange: &Exchange, standing: Standing) -> Result<(), Failure> {
    exchange
        .standing
        .set(Some(exchange.standing.get().map_or(standing, |other| other.tighter(standing))));
    match standing.retry_after {
        None => Ok(()),
        Some(seconds) => Err(Failure::Limited { retry_after: seconds }),
    }
}

/// How a client stands with a limit after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    limit: u32,
    remaining: u32,
    /// In how many seconds all of the limit is there again.
    reset: u64,
    /// In how many seconds there is room for the next request, if there was none for this one; at least one.
    retry_after: Option<u64>,
}

impl Standing {
    /// That of two limits which allows less.
    fn tighter(self, other: Self) -> Self {
        let room = |standing: &Self| (standing.retry_after.is_none(), standing.remaining);
        if room(&other) < room(&self) { other } else { self }
    }

    /// Tells the client.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        headers.insert(LIMIT, HeaderValue::from(self.limit));
        headers.insert(REMAINING, HeaderValue::from(self.remaining));
        headers.insert(RESET, HeaderValue::from(self.reset));
    }
}

/// The headers of every answer to a request that was counted, and what they say.
pub(crate) const HEADERS: [(HeaderName, &str); 3] = [
    (LIMIT, "how many requests may be sent at once, by the tighter one of the limits"),
    (REMAINING, "how many of them are left"),
    (RESET, "in how many seconds all of them are there again"),
];

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// Where a request comes from, as it is counted: an IPv6 client has a network to itself, and each of its addresses is the client's
/// to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    V4([u8; 4]),
    V6Network([u8; 8]),
}

impl From<IpAddr> for Source {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.octets()),
            IpAddr::V6(address) => {
                let [a, b, c, d, e, f, g, h, ..] = address.octets();
                Self::V6Network([a, b, c, d, e, f, g, h])
            }
        }
    }
}

/// A limit for each of many clients.
struct Limiter<K: Copy + Eq + Hash> {
    limiter: RateLimiter<K, Table<K>, Elapsed, StateInformationMiddleware>,
    quota: Quota,
    clock: Arc<dyn Clock>,
}

impl<K: Copy + Eq + Hash> Limiter<K> {
    fn new(rate: Rate, clock: Arc<dyn Clock>) -> Self {
        let quota = rate.quota();
        let table = Table::new(quota.replenish_interval().into());
        Self { limiter: RateLimiter::new(quota, table, Elapsed(Arc::clone(&clock))), quota, clock }
    }

    /// Counts a request.
    fn count(&self, client: &K) -> Standing {
        let limit = self.quota.burst_size().get();
        let interval = self.quota.replenish_interval();
        match self.limiter.check_key(client) {
            Ok(allowed) => {
                let remaining = allowed.remaining_burst_capacity();
                Standing {
                    limit,
                    remaining,
                    reset: seconds(interval * (limit - remaining)),
                    retry_after: None,
                }
            }
            Err(refused) => {
                let wait = refused.wait_time_from(self.clock.elapsed());
                let reset = seconds(wait + interval * (limit - 1));
                Standing { limit, remaining: 0, reset, retry_after: Some(seconds(wait).max(1)) }
            }
        }
    }
}

/// Whole seconds, rounded up.
fn seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// The port's clock, as governor asks for it.
struct Elapsed(Arc<dyn Clock>);

impl governor::clock::Clock for Elapsed {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Until when each client has used its limit up, in parts that are locked one by one.
///
/// A client takes a place of 25 bytes in a hash table that is between seven sixteenths and seven eighths full: 29 to 58 bytes. With
/// the most that are kept, 458,752, it is 13 MB for a limit.
struct Table<K> {
    parts: [Mutex<Part<K>>; PARTS],
    hasher: RandomState,
    /// The time in which one request comes back.
    interval: Nanos,
}

const PARTS: usize = 64;

/// The most clients of a part: as many as a hash table of 8,192 places takes.
const MOST: usize = 7 * 1024;

/// A part with fewer clients is not worth to be looked through.
const FEW: usize = 100;

impl<K> Table<K> {
    fn new(interval: Nanos) -> Self {
        let parts =
            std::array::from_fn(|_| Mutex::new(Part { used_until: HashMap::new(), full_at: FEW }));
        Self { parts, hasher: RandomState::new(), interval }
    }
}

impl<K: Copy + Eq + Hash> StateStore for Table<K> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, client: &K, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        // The remainder is below 64.
        let number = (self.hasher.hash_one(client) % PARTS as u64) as usize;
        // Nothing in here panics half-way.
        let mut part = self.parts[number].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used_until) = part.used_until.get_mut(client) {
            let (outcome, next) = decide(Some(*used_until))?;
            *used_until = next;
            return Ok(outcome);
        }
        let (outcome, next) = decide(None)?;
        // That of a client that is not known is one request from now.
        part.make_room(next.saturating_sub(self.interval));
        part.used_until.insert(*client, next);
        Ok(outcome)
    }
}

struct Part<K> {
    used_until: HashMap<K, Nanos>,
    /// With so many clients it is looked through.
    full_at: usize,
}

impl<K: Eq + Hash> Part<K> {
    /// Forgets the clients that have all of their limit again, when there are twice as many clients as after the last time. It takes
    /// some microseconds, once in many requests.
    ///
    /// Whoever has hundreds of thousands of addresses is not held by a limit for each; such a flood is to leave everybody else's
    /// requests and this process's memory alone. So a part that is full of clients that are not forgotten yet begins anew.
    fn make_room(&mut self, now: Nanos) {
        if self.used_until.len() < self.full_at {
            return;
        }
        self.used_until.retain(|_, until| *until > now);
        if self.used_until.len() >= MOST {
            self.used_until.clear();
        }
        self.full_at = (2 * self.used_until.len()).clamp(FEW, MOST);
        self.used_until.shrink_to(self.full_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{KEY, ORGANIZATION, Reply, limited, post, send_to, vault};
    use crate::{Api, Limits};
    use actix_web::test::TestRequest;
    use hearback_app::unsubscribe::UnsubscribeTokens;
    use hearback_app::vault::digest;
    use hearback_domain::Uuid;
    use hearback_domain::id::UserId;
    use hearback_domain::organization::HelpCenter;
    use hearback_ports::clock::MockClock;
    use hearback_ports::keys::Holder;
    use hearback_ports::mock::Mocks;
    use serde_json::json;
    use std::net::SocketAddr;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A time that tests move, in milliseconds.
    #[derive(Clone, Default)]
    struct Moved(Arc<AtomicU64>);

    impl Moved {
        fn by_millis(&self, millis: u64) {
            self.0.fetch_add(millis, Ordering::Relaxed);
        }

        fn clock(&self) -> MockClock {
            let (time, mut clock) = (self.clone(), MockClock::new());
            clock
                .expect_elapsed()
                .returning(move || Duration::from_millis(time.0.load(Ordering::Relaxed)));
            clock
        }
    }

    fn rate(text: &str) -> Rate {
        Rate::parse(text).unwrap()
    }

    fn limiter<K: Copy + Eq + Hash>(text: &str) -> (Limiter<K>, Moved) {
        let time = Moved::default();
        (Limiter::new(rate(text), Arc::new(time.clock())), time)
    }

    fn allowed(limit: u32, remaining: u32, reset: u64) -> Standing {
        Standing { limit, remaining, reset, retry_after: None }
    }

    fn refused(limit: u32, reset: u64, retry_after: u64) -> Standing {
        Standing { limit, remaining: 0, reset, retry_after: Some(retry_after) }
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

    #[test]
    fn so_many_may_come_at_once_and_then_one_in_each_part_of_the_period() {
        let (limiter, time) = limiter("4/m");
        for (remaining, reset) in [(3, 15), (2, 30), (1, 45), (0, 60)] {
            assert_eq!(limiter.count(&1), allowed(4, remaining, reset));
        }
        assert_eq!(limiter.count(&1), refused(4, 60, 15));
        time.by_millis(14_001);
        assert_eq!(limiter.count(&1), refused(4, 46, 1));
        time.by_millis(999);
        assert_eq!(limiter.count(&1), allowed(4, 0, 60), "what was refused was not counted");
        time.by_millis(60_000);
        assert_eq!(limiter.count(&1), allowed(4, 3, 15));
    }

    #[test]
    fn each_client_has_the_limit_for_itself() {
        let (limiter, _) = limiter("1/s");
        for client in 0..1000 {
            assert_eq!(limiter.count(&client), allowed(1, 0, 1));
        }
        assert_eq!(limiter.count(&0), refused(1, 1, 1));
    }

    #[test]
    fn a_wait_of_less_than_a_second_is_told_as_one() {
        let (limiter, _) = limiter("1000/s");
        let last = (0..=1000).map(|_| limiter.count(&())).last();
        assert_eq!(last, Some(refused(1000, 1, 1)));
    }

    fn kept<K: Copy + Eq + Hash>(table: &Table<K>) -> usize {
        table.parts.iter().map(|part| part.lock().unwrap().used_until.len()).sum()
    }

    /// Counts the first request of a client, at this time.
    fn count(table: &Table<u64>, client: u64, now: u64) {
        let next = Nanos::from(now + table.interval.as_u64());
        table.measure_and_replace(&client, |_| Ok::<_, ()>(((), next))).unwrap();
    }

    #[test]
    fn clients_that_have_all_of_their_limit_again_are_forgotten_when_others_come() {
        let table = Table::new(Nanos::from(1_000));
        for client in 0..100_000 {
            count(&table, client, 0);
        }
        assert_eq!(kept(&table), 100_000);
        for client in 100_000..400_000 {
            count(&table, client, 1_000);
        }
        assert_eq!(kept(&table), 300_000);
    }

    #[test]
    fn no_client_is_forgotten_before_it_has_all_of_its_limit_again() {
        let (limiter, time) = limiter("2/s");
        limiter.count(&0);
        limiter.count(&0);
        time.by_millis(499);
        for client in 1..100_000 {
            limiter.count(&client);
        }
        assert_eq!(limiter.count(&0), refused(2, 1, 1));
    }

    #[test]
    fn whatever_comes_no_more_than_so_many_clients_are_kept() {
        let table = Table::new(Nanos::from(1_000));
        for client in 0..2_000_000 {
            count(&table, client, 0);
        }
        assert!(kept(&table) <= PARTS * MOST, "{}", kept(&table));
        let places =
            table.parts.iter().map(|part| part.lock().unwrap().used_until.capacity()).max();
        assert!(places <= Some(MOST), "{places:?}");
        assert_eq!(size_of::<(Source, Nanos)>(), 24);
    }

    #[test]
    fn an_ipv6_client_is_a_network_and_a_v4_address_may_be_written_as_v6() {
        let source = |text: &str| Source::from(text.parse::<IpAddr>().unwrap());
        assert_eq!(source("2001:db8:1:2::1"), source("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(source("2001:db8:1:2::1"), source("2001:db8:1:3::1"));
        assert_eq!(source("::ffff:192.0.2.1"), source("192.0.2.1"));
        assert_ne!(source("192.0.2.1"), source("192.0.2.2"));
    }

    fn api(limits: Limits) -> (Arc<Api>, Moved) {
        let time = Moved::default();
        let mut mocks = Mocks { clock: time.clock(), ..Mocks::default() };
        mocks.ids.expect_fresh().return_const(Uuid::nil());
        let good = digest(KEY);
        mocks.keys.expect_holder().returning(move |digest| {
            Ok((digest == good).then_some(Holder {
                organization: ORGANIZATION,
                help_center: HelpCenter::Disabled,
            }))
        });
        mocks.tags.expect_list().returning(|_| Ok(Vec::new()));
        (limited(mocks, limits), time)
    }

    fn from(request: TestRequest, address: &str) -> TestRequest {
        request.peer_addr(SocketAddr::new(address.parse().unwrap(), 5555))
    }

    async fn list(api: &Arc<Api>, address: &str, key: &str) -> Reply {
        send_to(
            Arc::clone(api),
            from(post("/tags/list").set_payload(json!({"api_key": key}).to_string()), address),
        )
        .await
    }

    /// `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`, `Retry-After`.
    fn told(reply: &Reply) -> [&str; 4] {
        ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "retry-after"]
            .map(|name| reply.header(name))
    }

    const LIMITED: (u16, &str) = (429, r#"{"detail":{"error":"rate limit exceeded"}}"#);
    const HERE: &str = "192.0.2.1";
    const ELSEWHERE: &str = "192.0.2.2";

    #[actix_web::test]
    async fn without_a_limit_nothing_is_said_of_any() {
        let (api, _) = api(Limits::default());
        for _ in 0..100 {
            let reply = list(&api, HERE, KEY).await;
            assert_eq!((reply.status, told(&reply)), (200, [""; 4]));
        }
    }

    #[actix_web::test]
    async fn an_address_is_counted_whatever_becomes_of_the_request() {
        let (api, time) = api(Limits { per_address: Some(rate("3/m")), ..Limits::default() });
        let reply = list(&api, HERE, KEY).await;
        assert_eq!((reply.status, told(&reply)), (200, ["3", "2", "20", ""]));
        let reply = list(&api, HERE, "hbk_wrong").await;
        assert_eq!((reply.status, told(&reply)), (401, ["3", "1", "40", ""]));
        let reply =
            send_to(Arc::clone(&api), from(post("/tags/list").set_payload("nonsense"), HERE)).await;
        assert_eq!((reply.status, told(&reply)), (422, ["3", "0", "60", ""]));
        let reply = list(&api, HERE, KEY).await;
        assert_eq!((reply.shown(), told(&reply)), (LIMITED, ["3", "0", "60", "20"]));
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(list(&api, ELSEWHERE, KEY).await.status, 200);
        time.by_millis(20_000);
        assert_eq!(list(&api, HERE, KEY).await.status, 200);
    }

    #[actix_web::test]
    async fn an_address_is_counted_before_the_body_is_read() {
        let (api, _) = api(Limits { per_address: Some(rate("1/h")), ..Limits::default() });
        list(&api, HERE, KEY).await;
        let long = post("/tags/list").set_payload("x".repeat(crate::testing::MAX_BODY + 1));
        assert_eq!(send_to(Arc::clone(&api), from(long, HERE)).await.shown(), LIMITED);
    }

    #[actix_web::test]
    async fn a_key_is_counted_wherever_it_is_used_and_before_the_fields_are_looked_at() {
        let (api, time) = api(Limits { per_key: Some(rate("2/m")), ..Limits::default() });
        let wrong = post("/votes/toggle").set_payload(json!({"api_key": KEY}).to_string());
        let reply = send_to(Arc::clone(&api), from(wrong, HERE)).await;
        assert_eq!((reply.status, told(&reply)), (422, ["2", "1", "30", ""]));
        assert_eq!(told(&list(&api, ELSEWHERE, KEY).await), ["2", "0", "60", ""]);
        let wrong = post("/votes/toggle").set_payload(json!({"api_key": KEY}).to_string());
        let reply = send_to(Arc::clone(&api), from(wrong, HERE)).await;
        assert_eq!((reply.shown(), told(&reply)), (LIMITED, ["2", "0", "60", "30"]));
        // Who has no good key uses nobody's up.
        let reply = list(&api, HERE, "hbk_wrong").await;
        assert_eq!((reply.status, told(&reply)), (401, [""; 4]));
        time.by_millis(30_000);
        assert_eq!(list(&api, HERE, KEY).await.status, 200);
    }

    #[actix_web::test]
    async fn of_two_limits_the_tighter_one_is_told() {
        let limits = |address, key| Limits {
            per_address: Some(rate(address)),
            per_key: Some(rate(key)),
            ..Limits::default()
        };
        for (address, key) in [("2/m", "100/h"), ("100/h", "2/m")] {
            let (api, _) = api(limits(address, key));
            assert_eq!(told(&list(&api, HERE, KEY).await), ["2", "1", "30", ""]);
            assert_eq!(told(&list(&api, HERE, KEY).await), ["2", "0", "60", ""]);
            assert_eq!(told(&list(&api, HERE, KEY).await), ["2", "0", "60", "30"]);
        }
        // The address has none left, but it is the key that refuses.
        let (api, _) = api(limits("2/m", "1/h"));
        list(&api, HERE, KEY).await;
        assert_eq!(told(&list(&api, HERE, KEY).await), ["1", "0", "3600", "3600"]);
    }

    #[actix_web::test]
    async fn behind_a_trusted_proxy_each_client_is_counted_for_itself() {
        let trusted_proxies = TrustedProxies::parse(HERE).unwrap();
        let (api, _) =
            api(Limits { per_address: Some(rate("1/h")), trusted_proxies, ..Limits::default() });
        let through = async |peer, client| {
            let request = post("/tags/list").insert_header(("x-forwarded-for", client));
            send_to(
                Arc::clone(&api),
                from(request.set_payload(json!({"api_key": KEY}).to_string()), peer),
            )
            .await
            .status
        };
        assert_eq!(through(HERE, "198.51.100.1").await, 200);
        assert_eq!(through(HERE, "198.51.100.2").await, 200);
        assert_eq!(through(HERE, "198.51.100.1").await, 429);
        assert_eq!(through(ELSEWHERE, "198.51.100.3").await, 200);
        assert_eq!(through(ELSEWHERE, "198.51.100.4").await, 429, "it is not believed");
    }

    #[actix_web::test]
    async fn a_link_that_is_none_of_ours_is_counted_and_those_that_are_and_probes_are_not() {
        let (api, _) = api(Limits { per_address: Some(rate("1/h")), ..Limits::default() });
        let token =
            UnsubscribeTokens::new(&vault()).token(ORGANIZATION, UserId(Uuid::from_u128(1)));
        let ask = async |token: &str| {
            let request = TestRequest::get().uri(&format!("/unsubscribe/{token}"));
            send_to(Arc::clone(&api), from(request, HERE)).await
        };
        let reply = ask("x").await;
        assert_eq!((reply.status, told(&reply)), (404, ["1", "0", "3600", ""]));
        let reply = ask("y").await;
        assert_eq!((reply.status, told(&reply)), (429, ["1", "0", "3600", "3600"]));
        let reply = ask(&token).await;
        assert_eq!(
            (reply.status, told(&reply)),
            (200, [""; 4]),
            "many may be unsubscribed from one address"
        );
        for path in ["/healthz", "/openapi.json"] {
            let reply = send_to(Arc::clone(&api), from(TestRequest::with_uri(path), HERE)).await;
            assert_eq!((reply.status, told(&reply)), (200, [""; 4]), "{path}");
        }
        // Nor is a path that is none.
        assert_eq!(send_to(Arc::clone(&api), from(post("/tags"), HERE)).await.status, 404);
    }
}
