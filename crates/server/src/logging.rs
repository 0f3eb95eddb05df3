//! Logs: to standard error, as text on a terminal and as one JSON object a line otherwise.

use crate::json_lines::JsonLines;
use std::fmt;
use std::io::{self, IsTerminal};
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
        f.write_str(
            "expected off, error, warn, info, debug or trace, or levels of modules such as \
             warn,hearback_http=debug",
        )
    }
}

impl std::error::Error for NoLogFilter {}

impl LogFilter {
    /// Checks a filter.
    pub fn parse(text: &str) -> Result<Self, NoLogFilter> {
        // A bare word that is no level would stand for a part of the program, of which everything
        // is logged, and of all else nothing: that is what a mistyped level would do.
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
        // What the HTTP server says of itself at its start is said better by ours, and each request
        // that is no HTTP is an error to it, which fills the log wherever somebody scans ports.
        Self("info,actix_server=warn,actix_http=off".to_owned())
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Sends the log to standard error from now on. To be called once.
///
/// Events of libraries that use the `log` crate are left out: the driver of PostgreSQL logs the
/// values of each statement there, among them people's texts.
pub(crate) fn start(filter: &LogFilter) -> io::Result<()> {
    let filter = EnvFilter::new(&filter.0);
    let started = if io::stderr().is_terminal() {
        // A line that cannot be written is lost. By default the formatter tells that on standard
        // error, by a macro that panics there: every request would break off.
        let builder = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .log_internal_errors(false);
        set_global_default(builder.finish())
    } else {
        let lines = JsonLines(io::stderr());
        set_global_default(tracing_subscriber::registry().with(filter).with(lines))
    };
    started.map_err(io::Error::other)
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
