//! This binary, run for a part of a measurement that needs a process of its own.

use crate::failure::Failure;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A process of this binary. It ends when this is dropped.
pub(crate) struct Helper {
    command: &'static str,
    process: Child,
    out: BufReader<ChildStdout>,
}

impl Helper {
    /// Runs a command of this binary.
    pub(crate) fn start(command: &'static str, arguments: &[&OsStr]) -> Result<Self, Failure> {
        let failed = || Failure::machine(format!("running hearback-bench {command}"));
        let this = std::env::current_exe().map_err(failed())?;
        let started = Command::new(this)
            .arg(command)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let mut process = started.map_err(failed())?;
        match process.stdout.take() {
            Some(out) => Ok(Self { command, process, out: BufReader::new(out) }),
            None => Err(Failure::Helper { command }),
        }
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The next line that it prints. If it prints none, its standard error has the reason.
    pub(crate) fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        let read = self.out.read_line(&mut line);
        match read
            .map_err(Failure::machine(format!("listening to hearback-bench {}", self.command)))?
        {
            0 => Err(Failure::Helper { command: self.command }),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    /// A line that is a time in nanoseconds.
    pub(crate) fn time(&mut self) -> Result<Duration, Failure> {
        let nanos = self.line()?.parse().map_err(|_| Failure::Helper { command: self.command })?;
        Ok(Duration::from_nanos(nanos))
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It has no state to lose, and may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
