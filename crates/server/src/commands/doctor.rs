//! `hearback doctor`

use crate::config::Reading;
use crate::doctor::{examine, problems, report};
use crate::error::Error;
use crate::output::print;

/// Prints the findings, and fails if one is a problem.
pub(crate) async fn run() -> Result<(), Error> {
    let reading = Reading::new(|name| std::env::var_os(name));
    let variables: Vec<_> = std::env::vars_os().map(|(name, _)| name).collect();
    let findings = examine(&reading, &variables).await;
    print(&report(&findings))?;
    match problems(&findings) {
        0 => Ok(()),
        count => Err(Error::Problems { count }),
    }
}
