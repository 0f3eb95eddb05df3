//! Standard output: what was asked for, and nothing else.

use crate::error::Error;
use std::io::{self, Write};

/// Prints a text. A reader that has gone away is an error like any other: what was asked for was
/// not delivered.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Error::Output)
}

/// Prints a text and ends the line.
pub(crate) fn print_line(text: &str) -> Result<(), Error> {
    print(&format!("{text}\n"))
}
