//! Logs: to standard error, as text on a terminal and as one JSON object a line otherwise.

use crate::json_lines::JsonLines;
use crate::log_output::LogOutput;
use std::fmt;
use std::io::{self, IsTerminal, Stderr};
use std::sync::OnceLock;
use std::thread;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::set_global_default;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;

/// What is logged: a level, or levels for parts of the program, such as `warn,hearback_http=debug`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

/// The text is no filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoLogFilter;

impl fmt::Display for NoLogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is off, error, warn, info, debug or trace, or levels for parts such as warn,hearback_http=debug")
    }
}

impl std::error::Error for NoLogFilter {}

impl LogFilter {
    /// Checks a filter.
    pub fn parse(text: &str) -> Result<Self, NoLogFilter> {
        // A bare word that is no level would stand for a part of the program, of which everything is logged, and of all else
        // nothing: that is what a mistyped level would do.
        let is_clear = |part: &str| {
            part.contains('=') || (!part.is_empty() && part.parse::<LevelFilter>().is_ok())
        };
        // Commas within brackets separate fields and not parts.
        let has_fields = text.contains('[');
        if !has_fields && !text.split(',').all(is_clear) {
            return Err(NoLogFilter);
        }
        EnvFilter::builder().parse(text).map_err(|_| NoLogFilter)?;
        Ok(Self(text.to_owned()))
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        // What the HTTP server says of itself at its start is said better by ours, and each request that is no HTTP is an
        // error to it, which fills the log wherever somebody scans ports.
        Self("info,actix_server=warn,actix_http=off".to_owned())
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where lines of JSON go: one for the process, as is what is logged.
static OUTPUT: OnceLock<LogOutput<Stderr>> = OnceLock::new();

/// Sends what is logged from now on to standard error. To be called once; when the process has done its work, [`flush()`] is.
///
/// What libraries log through the `log` crate is left out: the driver of PostgreSQL logs the values of each statement there,
/// among them people's texts.
pub(crate) fn start(filter: &LogFilter) -> io::Result<()> {
    let filter = EnvFilter::new(&filter.0);
    let started = if io::stderr().is_terminal() {
        // A line that cannot be written is lost. By default that would be told on standard error, by a macro that panics when that
        // cannot be written: every request would break off.
        let builder = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .log_internal_errors(false);
        set_global_default(builder.finish())
    } else {
        let output = OUTPUT.get_or_init(|| LogOutput::new(io::stderr()));
        thread::Builder::new().name("log".to_owned()).spawn(|| output.write_in_time())?;
        set_global_default(tracing_subscriber::registry().with(filter).with(JsonLines(output)))
    };
    started.map_err(io::Error::other)
}

/// Writes what was logged and is not written yet.
pub(crate) fn flush() {
    if let Some(output) = OUTPUT.get() {
        output.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_a_level_or_levels_for_parts() {
        for text in ["info", "TRACE", "off", "warn,hearback_http=debug", "[request]=debug"] {
            assert!(LogFilter::parse(text).is_ok(), "{text}");
        }
        assert_eq!(LogFilter::parse(&LogFilter::default().0), Ok(LogFilter::default()));
    }

    #[test]
    fn a_mistyped_level_is_refused() {
        for text in [
            "",
            "inof",
            "warn,hearback_http",
            "hearback_http=loud",
            "warn, hearback_http=debug",
            "warn,,",
            "info debug",
            "[a",
        ] {
            assert_eq!(LogFilter::parse(text), Err(NoLogFilter), "{text}");
        }
    }
}
