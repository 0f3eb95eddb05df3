//! Where the lines of the log are written, and when.

use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Writes lines in their order: each at once where they are few, several together where they are many.
///
/// A busy server has a line for each request, and each that is written by itself wakes whoever reads the log: beside one who takes
/// them as they come, that is a tenth of a request's time.
pub(crate) struct LogOutput<W> {
    output: W,
    state: Mutex<State>,
    /// Told when a line waits that nobody was told of.
    told: Condvar,
}

/// What waits to be written.
#[derive(Default)]
struct State {
    lines: Vec<u8>,
    written_at: Option<Instant>,
    /// Whether [`LogOutput::write_in_time`] knows that there are lines.
    is_told: bool,
}

/// How long a line waits at most for others, and how long after one the next waits at all.
const PATIENCE: Duration = Duration::from_millis(5);

/// How many bytes are written together at most, but for a line that is longer: on Linux, pipes keep so many in one piece, whoever else
/// writes to them.
const PIECE: usize = 4_096;

impl<W> LogOutput<W>
where
    for<'a> &'a W: Write,
{
    /// Lines that are to wait need a thread that runs [`LogOutput::write_in_time`].
    pub(crate) fn new(output: W) -> Self {
        Self { output, state: Mutex::default(), told: Condvar::new() }
    }

    /// Takes a line, with its end. One that cannot be written, to a file on a full disk for one, is lost.
    pub(crate) fn line(&self, line: &[u8], urgency: Urgency) {
        self.line_at(Instant::now(), line, urgency);
    }

    fn line_at(&self, now: Instant, line: &[u8], urgency: Urgency) {
        let mut state = self.state();
        if state.lines.len() + line.len() > PIECE {
            self.write(&mut state, now);
        }
        state.lines.extend_from_slice(line);
        let is_first =
            state.written_at.is_none_or(|at| now.saturating_duration_since(at) >= PATIENCE);
        if is_first || urgency == Urgency::AtOnce || line.len() > PIECE {
            self.write(&mut state, now);
        } else if !state.is_told {
            state.is_told = true;
            self.told.notify_one();
        }
    }

    /// Writes what waits, before it has waited too long. Never returns: it is for a thread of its own.
    pub(crate) fn write_in_time(&self) -> ! {
        loop {
            drop(
                self.told
                    .wait_while(self.state(), |state| !state.is_told)
                    .unwrap_or_else(PoisonError::into_inner),
            );
            thread::sleep(PATIENCE);
            let mut state = self.state();
            state.is_told = false;
            self.write(&mut state, Instant::now());
        }
    }

    /// Writes what waits.
    pub(crate) fn flush(&self) {
        self.write(&mut self.state(), Instant::now());
    }

    /// Whoever has a line meanwhile waits: for a reader that does not read, too. A log in memory without an end would be worse.
    fn write(&self, state: &mut State, now: Instant) {
        if !state.lines.is_empty() {
            let _ = (&self.output).write_all(&state.lines);
            state.lines.clear();
            state.written_at = Some(now);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // It is whole between any two steps, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a line may wait for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// It is written before whoever logs it goes on, and all before it, too.
    AtOnce,
    /// It may be written some milliseconds later, or never where the process is killed meanwhile.
    InTime,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io;
    use std::sync::Arc;

    /// What was written, piece by piece.
    #[derive(Clone, Default)]
    pub(crate) struct Written(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Written {
        pub(crate) fn pieces(&self) -> Vec<String> {
            self.0
                .lock()
                .unwrap()
                .iter()
                .map(|piece| String::from_utf8(piece.clone()).unwrap())
                .collect()
        }
    }

    impl Write for &Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn output() -> (LogOutput<Written>, Written) {
        let written = Written::default();
        (LogOutput::new(written.clone()), written)
    }

    const MILLI: Duration = Duration::from_millis(1);

    #[test]
    fn lines_that_are_few_are_written_at_once() {
        let (output, written) = output();
        let start = Instant::now();
        for (number, line) in [(0, "a\n"), (1, "b\n"), (2, "c\n")] {
            output.line_at(start + number * PATIENCE, line.as_bytes(), Urgency::InTime);
        }
        assert_eq!(written.pieces(), ["a\n", "b\n", "c\n"]);
    }

    #[test]
    fn lines_that_are_many_are_written_together_and_behind_what_is_urgent_none_is_left() {
        let (output, written) = output();
        let start = Instant::now();
        output.line_at(start, b"a\n", Urgency::InTime);
        output.line_at(start + MILLI, b"b\n", Urgency::InTime);
        output.line_at(start + 2 * MILLI, b"c\n", Urgency::InTime);
        assert_eq!(written.pieces(), ["a\n"]);
        output.line_at(start + 3 * MILLI, b"d\n", Urgency::AtOnce);
        assert_eq!(written.pieces(), ["a\n", "b\nc\nd\n"]);
        output.line_at(start + 4 * MILLI, b"e\n", Urgency::InTime);
        output.flush();
        output.flush();
        assert_eq!(written.pieces(), ["a\n", "b\nc\nd\n", "e\n"]);
    }

    #[test]
    fn what_waits_is_written_in_time() {
        let (output, written) = output();
        let output: &'static _ = Box::leak(Box::new(output));
        thread::spawn(|| output.write_in_time());
        for count in [2, 3] {
            // From the future, so that it has to wait however slow this thread is.
            output.line_at(Instant::now() + 3_600_000 * count * MILLI, b"a\n", Urgency::AtOnce);
            output.line(b"b\n", Urgency::InTime);
            let begin = Instant::now();
            while !written.pieces().concat().ends_with("b\n") {
                assert!(begin.elapsed() < 10_000 * MILLI);
                thread::sleep(MILLI);
            }
        }
        assert_eq!(written.pieces(), ["a\n", "b\n", "a\n", "b\n"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_changes_places_and_no_piece_begins_within_a_line(
            lines in prop::collection::vec((0..3 * PIECE / 2, 0_u32..7, any::<bool>()), 1..100),
        ) {
            let (output, written) = output();
            let mut now = Instant::now();
            let mut all = String::new();
            for (letter, (length, later, is_urgent)) in ('a'..='z').cycle().zip(lines) {
                now += later * MILLI;
                let urgency = if is_urgent { Urgency::AtOnce } else { Urgency::InTime };
                let line = format!("{}\n", letter.to_string().repeat(length));
                output.line_at(now, line.as_bytes(), urgency);
                all += &line;
            }
            output.flush();
            for piece in written.pieces() {
                prop_assert!(piece.ends_with('\n'));
                prop_assert!(piece.len() <= PIECE || piece.find('\n') == Some(piece.len() - 1), "{} bytes", piece.len());
            }
            prop_assert_eq!(written.pieces().concat(), all);
        }
    }
}
