//! The cost of a request.

use super::Options;
use super::asked::Asked;
use crate::failure::Failure;
use crate::floor::Floor;
use crate::load::{self, Load, Pace};
use crate::server::Server;
use crate::world::WorldFolder;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The cost of a request, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// The processor time of the server and of the store, under several connections, or under one
    /// for a slow request.
    pub(super) processors: f64,
    /// The median time until the answer, over one connection.
    pub(super) latency: f64,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processors, latency } = self;
        if *latency < 10_000.0 {
            write!(f, "{processors:.0} µs, {latency:.0} µs")
        } else {
            write!(f, "{:.0} ms, {:.0} ms", processors / 1_000.0, latency / 1_000.0)
        }
    }
}

/// The meter of requests.
pub(super) struct Meter<'a> {
    floor: &'a dyn Floor,
    /// The file of the requests.
    requests: PathBuf,
    rounds: u32,
    time: Duration,
}

impl<'a> Meter<'a> {
    pub(super) fn new(options: &Options, folder: &WorldFolder, floor: &'a dyn Floor) -> Self {
        let (rounds, time) = (options.rounds, Duration::from_secs_f64(options.seconds));
        Self { floor, requests: folder.path().join("requests"), rounds, time }
    }

    /// The cost of each kind of request: the least of all rounds, since disturbances only add to
    /// it.
    pub(super) fn costs(&self, server: &Server, asked: &[Asked]) -> Result<Vec<Cost>, Failure> {
        let mut least = vec![Cost { processors: f64::MAX, latency: f64::MAX }; asked.len()];
        for _ in 0..self.rounds {
            for (asked, least) in asked.iter().zip(&mut least) {
                let Cost { processors, latency } = self.cost(server, asked)?;
                least.processors = least.processors.min(processors);
                least.latency = least.latency.min(latency);
            }
        }
        Ok(least)
    }

    fn cost(&self, server: &Server, asked: &Asked) -> Result<Cost, Failure> {
        load::write(&self.requests, asked.endpoint, &asked.bodies)?;
        let address = server.address()?;
        let processors = || Ok(server.cpu_time()? + self.floor.cpu_time()?.unwrap_or_default());
        let mut time = self.time;
        let (alone, had_alone) = loop {
            let (alone, had) = self.load(1, time).send(address, Pace::Closed, 0, processors)?;
            if alone.answers >= LEAST_ANSWERS || time > LONGEST {
                break (alone, had);
            }
            time *= 2;
        };
        // Several slow requests at once would wait for each other, and the last of them would time
        // out.
        let (busy, [before, after]) = if alone.p50 < LONG {
            self.load(BUSY, time).send(address, Pace::Closed, alone.next, processors)?
        } else {
            (alone, had_alone)
        };
        let micros = |time: Duration| time.as_secs_f64() * 1_000_000.0;
        Ok(Cost {
            processors: micros(after.saturating_sub(before)) / f64::from(busy.answers.max(1)),
            latency: micros(alone.p50),
        })
    }

    fn load(&self, connections: usize, time: Duration) -> Load<'_> {
        Load { requests: &self.requests, connections, warm_up: self.time / 4, time }
    }

    /// Sends a kind of request over many connections for a while. Returns the number of answers.
    pub(super) fn press(&self, server: &Server, asked: &Asked) -> Result<u64, Failure> {
        load::write(&self.requests, asked.endpoint, &asked.bodies)?;
        let load = Load {
            requests: &self.requests,
            connections: 32,
            warm_up: Duration::ZERO,
            time: PRESSED,
        };
        let (observed, _) = load.send(server.address()?, Pace::Closed, 0, || Ok(()))?;
        Ok(observed.answers.into())
    }
}

/// The number of connections under which processor time is measured. With one, most of it is for
/// going to sleep and waking up.
const BUSY: usize = 8;

/// A request of at least this time is measured under one connection: going to sleep is nothing
/// beside it.
const LONG: Duration = Duration::from_millis(20);

/// The least number of answers. A slow request is sent for longer.
const LEAST_ANSWERS: u32 = 10;

/// The longest measurement. It ends also if the server does not answer.
const LONGEST: Duration = Duration::from_secs(60);

/// The time of a turn of each kind of request, when many are to be sent.
const PRESSED: Duration = Duration::from_millis(500);
