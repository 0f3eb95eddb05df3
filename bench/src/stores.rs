//! The measured stores.

use crate::failure::Failure;
use crate::floor::{Floor, Postgres, Sqlite};
use clap::ValueEnum;
use std::fmt;
use std::path::Path;

/// A store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Sqlite,
    Postgres,
}

/// The choice of stores.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Stores {
    Sqlite,
    Postgres,
    Both,
}

impl Stores {
    /// The stores of the choice.
    pub(crate) fn each(self) -> &'static [Store] {
        match self {
            Self::Sqlite => &[Store::Sqlite],
            Self::Postgres => &[Store::Postgres],
            Self::Both => &[Store::Sqlite, Store::Postgres],
        }
    }
}

impl Store {
    /// The name of the store on the command line.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }

    /// The store without Hearback. Its files go into the folder.
    pub(crate) fn floor(self, folder: &Path) -> Result<Box<dyn Floor + '_>, Failure> {
        Ok(match self {
            Self::Sqlite => Box::new(Sqlite { folder }),
            Self::Postgres => Box::new(Postgres::new()?),
        })
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}
