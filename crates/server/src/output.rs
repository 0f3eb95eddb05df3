//! Standard output, which has the result of a command and nothing else.

use crate::error::Error;
use std::io::{self, Write};

/// Prints a text. A closed standard output is an error, since the result is lost.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Error::Output)
}

/// Prints a text and ends the line.
pub(crate) fn print_line(text: &str) -> Result<(), Error> {
    print(&format!("{text}\n"))
}
