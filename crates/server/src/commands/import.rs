//! `hearback import`

use super::Task;
use crate::cli::Import;
use crate::error::Error;
use hearback_app::portable::{Progress, Summary, import};
use hearback_domain::ClosedSet;
use hearback_ports::import::Ending;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Imports a file, all or nothing.
pub(crate) async fn run(task: &Task<'_>, arguments: Import) -> Result<(), Error> {
    // Nothing is opened or made for a file that cannot be read.
    let source = Source::open(&arguments.file)?;
    let ending = if arguments.dry_run { Ending::Discard } else { Ending::Commit };
    task.run(async |installation| {
        let (ports, vault) = (&installation.ports, Arc::clone(&installation.vault));
        let began = ports.clock.elapsed();
        let bar = source.bar();
        let result = import(ports, vault, source.reader, ending, |done| bar.show(done)).await;
        bar.clear();
        let summary = result?;
        // The import is done, even if standard error is closed.
        let _ = writeln!(
            io::stderr(),
            "{}",
            tell(&summary, ending, ports.clock.elapsed().saturating_sub(began))
        );
        Ok(())
    })
    .await
}

/// The input of an import.
struct Source {
    reader: Box<dyn Read + Send>,
    /// The length in bytes, if it is known.
    length: Option<u64>,
}

impl Source {
    fn open(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Ok(Self { reader: Box::new(io::stdin()), length: None });
        }
        let failed = |source| Error::File { doing: "open", path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        Ok(Self { reader: Box::new(file), length: metadata.is_file().then_some(metadata.len()) })
    }

    fn bar(&self) -> Bar {
        match self.length {
            Some(length) => Bar::Bytes(ProgressBar::new(length).with_style(style(BYTES))),
            None => Bar::Records(ProgressBar::no_length().with_style(style(RECORDS))),
        }
    }
}

const BYTES: &str = "{wide_bar} {binary_bytes} of {binary_total_bytes}, {elapsed}, {eta} left";
const RECORDS: &str = "{spinner} {human_pos} records, {elapsed}";

/// The style of a bar with a template of these files.
pub(super) fn style(template: &str) -> ProgressStyle {
    // A test checks the templates.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The progress bar on standard error, if that is a terminal.
enum Bar {
    Bytes(ProgressBar),
    Records(ProgressBar),
}

impl Bar {
    fn show(&self, done: Progress) {
        match self {
            Self::Bytes(bar) => bar.set_position(done.bytes),
            Self::Records(bar) => bar.set_position(done.records),
        }
    }

    fn clear(&self) {
        let (Self::Bytes(bar) | Self::Records(bar)) = self;
        bar.finish_and_clear();
    }
}

fn tell(summary: &Summary, ending: Ending, took: Duration) -> String {
    let done = match ending {
        Ending::Commit => "imported",
        Ending::Discard => "checked, and changed nothing:",
    };
    let total: u64 = summary.records.iter().map(|(_, count)| count).sum();
    let seconds = took.as_secs_f64();
    let kinds: Vec<String> =
        summary.records.iter().map(|(kind, count)| format!("{count} {}", kind.code())).collect();
    let of_which = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
    format!("{done} {total} records in {seconds:.1} s{of_which}")
}

#[cfg(test)]
mod tests {
    use super::super::organization::ROWS;
    use super::*;
    use hearback_ports::Kind;

    #[test]
    fn the_templates_of_the_bars_are_right() {
        for template in [BYTES, RECORDS, ROWS] {
            assert!(ProgressStyle::with_template(template).is_ok());
        }
    }

    #[test]
    fn the_summary_of_an_import_counts_records_by_kind() {
        let summary = Summary { records: vec![(Kind::Organization, 1), (Kind::Vote, 1_000_000)] };
        let took = Duration::from_millis(61_250);
        assert_eq!(
            tell(&summary, Ending::Commit, took),
            "imported 1000001 records in 61.2 s: 1 organization, 1000000 vote"
        );
        assert_eq!(
            tell(&Summary { records: vec![] }, Ending::Commit, took),
            "imported 0 records in 61.2 s"
        );
        assert!(
            tell(&summary, Ending::Discard, took)
                .starts_with("checked, and changed nothing: 1000001 records in")
        );
    }
}
