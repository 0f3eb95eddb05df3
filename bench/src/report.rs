//! The result of a measurement, printed, and written into the page that shows it. No figure is
//! edited by hand.

use crate::failure::Failure;
use crate::machine::Machine;
use crate::plot::Plot;
use crate::stores::{Store, Stores};
use crate::verdict::Verdict;
use clap::Args;
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};

/// The page that takes the results.
#[derive(Args)]
pub(crate) struct Page {
    /// A page in Markdown: the text between `<!-- hearback-bench COMMAND STORE -->` and
    /// `<!-- /hearback-bench COMMAND STORE -->` is replaced by the result
    #[arg(long = "report", value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Page {
    /// A report of a command for each store. Fails before the measurement if the page lacks a
    /// block.
    pub(crate) fn reports(
        &self,
        command: &'static str,
        stores: Stores,
    ) -> Result<Vec<Report<'_>>, Failure> {
        let open = |store: &Store| {
            let report = Report {
                store: *store,
                block: format!("{command} {}", store.code()),
                text: String::new(),
                page: self,
            };
            report.page.file.as_deref().map_or(Ok(()), |file| report.splice(file).map(drop))?;
            Ok(report)
        };
        stores.each().iter().map(open).collect()
    }
}

/// The folder of the plots.
const PLOTS: &str = "performance";

/// The result on one store, in Markdown.
pub(crate) struct Report<'a> {
    pub(crate) store: Store,
    /// The name of its block on the page.
    block: String,
    text: String,
    page: &'a Page,
}

impl Report<'_> {
    /// Adds a line.
    pub(crate) fn line(&mut self, line: impl Display) {
        println!("{line}");
        // A write to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// Begins a table. The first column names the rows, and the others have figures.
    pub(crate) fn table(&mut self, columns: &[&str]) {
        self.line("");
        self.row(columns);
        self.line(format_args!("|---|{}", "--:|".repeat(columns.len().saturating_sub(1))));
    }

    /// Adds a row to the table.
    pub(crate) fn row(&mut self, cells: &[impl Display]) {
        let mut row = String::from("|");
        for cell in cells {
            let _ = write!(row, " {cell} |");
        }
        self.line(row);
    }

    /// Ends a table or a list.
    pub(crate) fn end(&mut self) {
        self.line("");
    }

    /// Adds the verdict on a requirement to a list of verdicts.
    pub(crate) fn verdict(&mut self, verdict: Verdict, requirement: impl Display) -> Verdict {
        self.line(format_args!("- **{verdict}**: {requirement}"));
        verdict
    }

    /// Draws a plot and shows it here. The file is in a folder beside the page, if there is a page.
    pub(crate) fn plot(&mut self, name: &str, plot: &Plot<'_>) -> Result<(), Failure> {
        let Some(page) = &self.page.file else { return Ok(()) };
        let image = Path::new(PLOTS).join(name).with_extension("svg");
        plot.write(&page.with_file_name("").join(&image))?;
        self.line(format_args!("![{}]({})\n", plot.title, image.display()));
        Ok(())
    }

    /// Puts the result into its block on the page, if there is one, under a line with its
    /// circumstances.
    pub(crate) fn write(self) -> Result<(), Failure> {
        let Some(file) = &self.page.file else { return Ok(()) };
        let page = self.splice(file)?;
        std::fs::write(file, page).map_err(Failure::machine(format!("writing {}", file.display())))
    }

    /// The page with the result on it.
    fn splice(&self, file: &Path) -> Result<String, Failure> {
        let page = std::fs::read_to_string(file)
            .map_err(Failure::machine(format!("reading {}", file.display())))?;
        let (begin, end) = (
            format!("<!-- hearback-bench {} -->\n", self.block),
            format!("<!-- /hearback-bench {} -->", self.block),
        );
        let parts = page
            .split_once(&begin)
            .and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
        let Some((before, behind)) = parts else {
            return Err(Failure::NoBlock { file: file.to_owned(), block: self.block.clone() });
        };
        let machine = Machine::look(self.store)?;
        Ok(format!("{before}{begin}\n{machine}\n\n{}\n\n{end}{behind}", self.text.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with these lines, after a result was put on it.
    fn write(lines: &str, result: &str) -> Result<String, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.md");
        std::fs::write(&file, lines).unwrap();
        let page = Page { file: Some(file.clone()) };
        for mut report in page.reports("import", Stores::Sqlite)? {
            report.line(result);
            report.write()?;
        }
        Ok(std::fs::read_to_string(file).unwrap())
    }

    #[test]
    fn a_result_takes_the_place_of_the_last_one() {
        let page = "before\n<!-- hearback-bench import sqlite -->\n<!-- /hearback-bench import sqlite -->\nbehind\n";
        let once = write(page, "first").unwrap();
        let twice = write(&once, "second").unwrap();
        assert!(
            once.contains("\n\nfirst\n\n<!-- /hearback-bench import sqlite -->\nbehind\n"),
            "{once}"
        );
        assert_eq!(twice, once.replace("first", "second"));
        assert!(
            twice.starts_with("before\n<!-- hearback-bench import sqlite -->\n\n*20"),
            "{twice}"
        );
    }

    #[test]
    fn a_page_without_the_block_is_an_error_that_names_it() {
        let error = write(
            "<!-- hearback-bench import postgres -->\n<!-- /hearback-bench import postgres -->\n",
            "",
        )
        .unwrap_err();
        let block = "has no block `<!-- hearback-bench import sqlite -->` to `<!-- /hearback-bench import sqlite -->`";
        assert!(error.to_string().ends_with(block), "{error}");
    }
}
