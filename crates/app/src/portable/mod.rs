//! The portable format: whole organizations as JSON Lines, exported and imported.
//!
//! Each line is a record with a `kind`. `lines` has one struct for each kind, which is both read
//! and written, so that an import reads what an export wrote. A thread reads lines, checks them and
//! collects them in batches, while the store writes the batches before.

mod export;
mod import;
mod lines;
mod reader;
mod records;
mod values;

pub use export::{Export, ExportError, Secrets, export};
pub(crate) use export::{each_line, members};
pub use import::{
    ImportError, LineFault, Progress, Summary, has_room, import, import_into, note_import,
};
pub(crate) use records::with_members;
