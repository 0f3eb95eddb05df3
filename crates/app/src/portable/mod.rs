//! The portable format: whole organizations as JSON Lines, in and out.
//!
//! One record a line, each with a `kind`; `lines` holds one struct for each kind, which is both
//! read and written, so that what is exported is what is imported. A reading thread checks lines
//! and gathers them to batches while the store writes the batches before.

mod export;
mod import;
mod lines;
mod reader;
mod records;
mod values;

pub use export::{ExportError, Secrets, export};
pub use import::{ImportError, Progress, Summary, import};
