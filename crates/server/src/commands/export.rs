//! `hearback export`

use super::Task;
use crate::cli::Export;
use crate::data_dir;
use crate::error::Error;
use crate::files::{put, regular};
use crate::installation::Installation;
use hearback_app::portable::{Secrets, export};
use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Exports an organization.
pub(crate) async fn run(task: &Task<'_>, arguments: Export) -> Result<(), Error> {
    task.run(async |installation| match &arguments.file {
        None => write(installation, &arguments, io::stdout()).await,
        Some(path) => match regular(path) {
            Some(path) => replace(installation, &arguments, &path).await,
            None => {
                let failed = |source| Error::File { doing: "open", path: path.clone(), source };
                let device = OpenOptions::new().write(true).open(path).map_err(failed)?;
                write(installation, &arguments, device).await
            }
        },
    })
    .await
}

/// Writes a file (mode 0600) that appears whole or not at all.
async fn replace(
    installation: &Installation,
    arguments: &Export,
    path: &Path,
) -> Result<(), Error> {
    let failed = |source| Error::File { doing: "write", path: path.to_owned(), source };
    let directory = data_dir::parent(path);
    let temporary = tempfile::Builder::new()
        .prefix(".hearback-export.")
        .tempfile_in(directory)
        .map_err(failed)?;
    write(installation, arguments, temporary.as_file()).await?;
    put(temporary.into_temp_path(), path).map_err(failed)
}

async fn write(
    installation: &Installation,
    arguments: &Export,
    output: impl Write + Send,
) -> Result<(), Error> {
    let secrets = if arguments.with_secrets { Secrets::Write } else { Secrets::LeaveOut };
    let output = BufWriter::with_capacity(BUFFER, output);
    export(&installation.ports, &installation.vault, &arguments.organization.slug, secrets, output)
        .await?;
    Ok(())
}

/// The bytes of one write.
const BUFFER: usize = 256 * 1024;
