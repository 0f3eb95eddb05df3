//! The processor time of processes.

use crate::failure::Failure;
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::time::Duration;

/// The processor time of this process.
pub(crate) fn of_this_process() -> Duration {
    let had = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(had).unwrap_or_default()
}

/// The processor time of another process.
pub(crate) fn of(process: u32) -> Result<Duration, Failure> {
    Ok(Stat::read(process)?.own)
}

/// The processor time of a process and of its children.
pub(crate) fn of_family(parent: u32) -> Result<Duration, Failure> {
    let Stat { own, ended_children, .. } = Stat::read(parent)?;
    let running = processes()?
        .filter_map(|process| Stat::read(process).ok())
        .filter(|stat| stat.parent == parent);
    Ok(own + ended_children + running.map(|stat| stat.own).sum::<Duration>())
}

/// The parent of a process.
pub(crate) fn parent(process: u32) -> Result<u32, Failure> {
    Ok(Stat::read(process)?.parent)
}

/// The kernel's figures of a process.
struct Stat {
    parent: u32,
    own: Duration,
    ended_children: Duration,
}

impl Stat {
    fn read(process: u32) -> Result<Self, Failure> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat"))
            .map_err(Failure::machine("looking at a process"))?;
        // The name before may have any characters. `proc_pid_stat(5)` counts the fields from 1, and
        // the first one here is 3.
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .into_iter()
            .flat_map(str::split_whitespace)
            .map(number)
            .collect();
        let field = |n: usize| fields.get(n - 3).copied().unwrap_or_default();
        let time = |ticks: u64| {
            Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
        };
        Ok(Self {
            parent: u32::try_from(field(4)).unwrap_or_default(),
            own: time(field(14) + field(15)),
            ended_children: time(field(16) + field(17)),
        })
    }
}

/// The number in a field, and 0 for a missing one.
fn number(field: &str) -> u64 {
    field.parse().unwrap_or_default()
}

fn processes() -> Result<impl Iterator<Item = u32>, Failure> {
    let all = fs::read_dir("/proc").map_err(Failure::machine("looking for processes"))?;
    Ok(all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()))
}
