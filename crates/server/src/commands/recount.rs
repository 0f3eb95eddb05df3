//! `hearback recount`

use super::Task;
use crate::error::Error;
use crate::output::print_line;
use hearback_app::counts;

/// Mends counts, and prints the number of records that had wrong ones.
pub(crate) async fn run(task: &Task<'_>, slug: Option<&str>) -> Result<(), Error> {
    task.run(async |installation| {
        let mended = counts::recount(&installation.ports, slug).await?;
        print_line(&mended.to_string())
    })
    .await
}
