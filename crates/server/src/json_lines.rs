//! The log as one JSON object a line.

use crate::clock::SystemClock;
use hearback_ports::Clock;
use serde::Serialize;
use std::fmt::Debug;
use std::io::Write;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Writes each event as a line: its `timestamp`, its `level`, its text as `message`, its fields,
/// and its module as `target`.
///
/// A line is one write, made before the event returns, so a killed process loses no line. The
/// formatter of `tracing_subscriber` would take a tenth of a small request's time. Hearback has no
/// spans, and those of libraries are left out.
pub(crate) struct JsonLines<W>(pub(crate) W);

impl<S, W> Layer<S> for JsonLines<W>
where
    S: Subscriber,
    W: Send + Sync + 'static,
    for<'a> &'a W: Write,
{
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line(Vec::with_capacity(USUAL_LINE));
        line.member("timestamp", format_args!("{}", SystemClock.now()));
        line.member("level", event.metadata().level().as_str());
        event.record(&mut line);
        line.member("target", event.metadata().target());
        // A line that cannot be written, to a full disk for example, is lost. If the reader of the
        // log does not read, all threads wait: an endless log in memory would be worse.
        let _ = (&self.0).write_all(&line.ended());
    }
}

/// The bytes reserved for a line. The line of a request has 300.
const USUAL_LINE: usize = 512;

/// The beginning of a line.
struct Line(Vec<u8>);

impl Line {
    fn member(&mut self, name: &str, value: impl Serialize) {
        let Self(line) = self;
        line.extend_from_slice(if line.is_empty() { b"{\"" } else { b",\"" });
        // The names stand in the source of the program, and need no escapes.
        line.extend_from_slice(name.as_bytes());
        line.extend_from_slice(b"\":");
        // A write to a vector does not fail, and neither does the display of a logged value.
        let _ = serde_json::to_writer(line, &value);
    }

    fn ended(self) -> Vec<u8> {
        let Self(mut line) = self;
        line.extend_from_slice(b"}\n");
        line
    }
}

impl Visit for Line {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.member(field.name(), value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field.name(), value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field.name(), value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field.name(), value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.member(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.member(field.name(), format_args!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::io;
    use std::sync::{Arc, Mutex};
    use std::thread;
    use tracing_subscriber::layer::SubscriberExt;

    /// The pieces of the log, one for each write.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for &Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The pieces that are written while `log` runs.
    fn lines(log: impl FnOnce()) -> Vec<String> {
        let written = Written::default();
        log_to(written.clone(), log);
        let pieces = std::mem::take(&mut *written.0.lock().unwrap());
        pieces.into_iter().map(|piece| String::from_utf8(piece).unwrap()).collect()
    }

    fn log_to<W>(output: W, log: impl FnOnce())
    where
        W: Send + Sync + 'static,
        for<'a> &'a W: Write,
    {
        tracing::subscriber::with_default(
            tracing_subscriber::registry().with(JsonLines(output)),
            log,
        );
    }

    #[test]
    fn an_event_is_one_object_on_a_line_of_its_own_written_at_once() {
        let written = lines(|| {
            tracing::info!(target: "here", path = "/a\"\n\\é", status = 200_u16, took = 1.5, left = -3, good = true, "done {}", 1);
            tracing::error!(target: "there", key = ?Some("x"), absent = None::<&str>, error = %io::Error::other("b\tc"), "no");
        });
        let [first, second] = &written[..] else { panic!("{written:?}") };
        let (stamp, rest) = first.split_at(r#"{"timestamp":"2026-11-22T09:15:36.123Z""#.len());
        let expected = concat!(
            r#","level":"INFO","message":"done 1","path":"/a\"\n\\é","status":200,"took":1.5,"left":-3,"good":true,"target":"here"}"#,
            "\n"
        );
        assert_eq!(rest, expected);
        let digits = stamp.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(digits, r#"{"timestamp":"0000-00-00T00:00:00.000Z""#);
        let mut second: Value = serde_json::from_str(second).unwrap();
        assert!(second.as_object_mut().unwrap().remove("timestamp").is_some());
        let expected = json!({"level": "ERROR", "message": "no", "key": "Some(\"x\")", "error": "b\tc", "target": "there"});
        assert_eq!(second, expected);
    }

    #[test]
    fn lines_of_several_threads_are_written_in_one_piece_each() {
        let long = "x".repeat(100_000);
        let written = lines(|| {
            let dispatch = tracing::dispatcher::get_default(Clone::clone);
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        tracing::dispatcher::with_default(&dispatch, || {
                            (0..8).for_each(|_| tracing::info!(long));
                        });
                    });
                }
            });
        });
        assert_eq!(written.len(), 4 * 8);
        for line in written {
            assert_eq!(line.find('\n'), Some(line.len() - 1));
            assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["long"], json!(long));
        }
    }

    #[test]
    fn a_number_that_json_has_not_is_null() {
        let written = lines(|| tracing::warn!(took = f64::NAN, "x"));
        assert_eq!(serde_json::from_str::<Value>(&written[0]).unwrap()["took"], json!(null));
    }

    /// A full disk or a closed pipe.
    struct Full;

    impl Write for &Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_that_cannot_be_written_is_lost_and_nothing_else() {
        log_to(Full, || tracing::info!("x"));
    }
}
