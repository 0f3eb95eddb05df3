//! The log: on standard error, as text on a terminal and as one JSON object a line otherwise.

use crate::json_lines::JsonLines;
use std::fmt;
use std::io::{self, IsTerminal};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::set_global_default;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;

/// A filter of the log: a level, or levels of modules, such as `warn,hearback_http=debug`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter(String);

/// The text is not a filter.
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
        // A bare word that is no level would be a module, and hide all others. So would a mistyped
        // level.
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
        // The server logs its own start. actix logs each request that is not HTTP as an error,
        // which would fill the log under a port scan. rmcp logs each call of an agent.
        Self("info,actix_server=warn,actix_http=off,rmcp=warn".to_owned())
    }
}

impl fmt::Display for LogFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Sends the log to standard error from now on. Call it once.
///
/// Events of libraries that use the `log` crate are left out: PostgreSQL's driver logs the values
/// of each statement, among them people's texts.
pub(crate) fn start(filter: &LogFilter) -> io::Result<()> {
    let filter = EnvFilter::new(&filter.0);
    let started = if io::stderr().is_terminal() {
        // A line that cannot be written is lost. By default the formatter reports that on standard
        // error by a macro that panics, and every request would break off.
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
