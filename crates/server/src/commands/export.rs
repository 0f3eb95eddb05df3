//! `hearback export`

use super::Task;
use crate::cli::Export;
use crate::data_dir;
use crate::error::Error;
use crate::installation::Installation;
use hearback_app::portable::{Secrets, export};
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Exports an organization.
pub(crate) async fn run(task: &Task<'_>, arguments: Export) -> Result<(), Error> {
    task.run(async |installation| match &arguments.file {
        None => write(installation, &arguments, io::stdout()).await,
        Some(path) => match regular(path) {
            Some(path) => replace(installation, &arguments, &path).await,
            None => {
                let failed = |source| Error::File { doing: "opening", path: path.clone(), source };
                let device = OpenOptions::new().write(true).open(path).map_err(failed)?;
                write(installation, &arguments, device).await
            }
        },
    })
    .await
}

/// The path of the file that is to be made or replaced; `None` where something else is there: a pipe, a device.
fn regular(path: &Path) -> Option<PathBuf> {
    // What a link names is replaced, and not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_file() => None,
        Ok(_) | Err(_) => Some(path),
    }
}

/// Writes a file (mode 0600) that appears whole or not at all.
async fn replace(installation: &Installation, arguments: &Export, path: &Path) -> Result<(), Error> {
    let failed = |source| Error::File { doing: "writing", path: path.to_owned(), source };
    let directory = data_dir::parent(path);
    let temporary = tempfile::Builder::new().prefix(".hearback-export.").tempfile_in(directory).map_err(failed)?;
    write(installation, arguments, temporary.as_file()).await?;
    keep(temporary, path).map_err(failed)
}

fn keep(temporary: NamedTempFile, path: &Path) -> io::Result<()> {
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    data_dir::sync_parent(path)
}

async fn write(installation: &Installation, arguments: &Export, output: impl Write + Send) -> Result<(), Error> {
    let secrets = if arguments.with_secrets { Secrets::Write } else { Secrets::LeaveOut };
    let output = BufWriter::with_capacity(BUFFER, output);
    export(&installation.ports, &installation.vault, &arguments.organization.slug, secrets, output).await?;
    Ok(())
}

/// Bytes that are written at once.
const BUFFER: usize = 256 * 1024;
