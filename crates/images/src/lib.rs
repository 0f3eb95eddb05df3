//! The image adapters: the reader of uploads, and the files of images in a folder or in S3.
//!
//! An upload is hostile until the opposite is shown. `parts` copies the known parts of a file, each
//! within its bounds, and leaves out all else: metadata, comments, and what stands behind the end.
//! `reader` decodes the copy, whose size is known by then, one image at a time.
//!
//! **Architecture invariant:** names no store and no use case. Decides nothing about who uploads or
//! sees an image.

mod files;
mod parts;
mod reader;

#[cfg(test)]
mod tests;

pub use files::{Files, FilesError, NoPlace, Place};
pub use reader::Reader;
