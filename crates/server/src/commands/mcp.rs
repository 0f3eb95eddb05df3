//! `hearback mcp`

use super::Task;
use super::webhook::sink;
use crate::cli::Selected;
use crate::error::Error;
use crate::signals::StopSignal;
use hearback_api::{Api, Host, Limits};
use hearback_app::organizations;
use hearback_ports::keys::KeyOwner;
use std::sync::Arc;

/// Serves the tools of an organization on standard input and output, until the agent closes them or
/// a signal comes.
pub(crate) async fn run(
    task: &Task<'_>,
    selected: &Selected,
    mut stop: StopSignal,
) -> Result<(), Error> {
    task.run(async |installation| {
        let ports = &installation.ports;
        let organization = organizations::find(ports, &selected.slug).await?;
        let owner = KeyOwner {
            organization: organization.id,
            help_center: organization.help_center,
            events_ledger: organization.events_ledger,
        };
        let sink = Arc::new(sink(task)?);
        let host = Host::new(ports, Limits::default(), []);
        let api = Arc::new(Api::new(host, ports.clone(), Arc::clone(&installation.vault), sink));
        tokio::select! {
            served = hearback_mcp::serve_stdio(api, owner) => Ok(served?),
            () = stop.requested() => Ok(()),
        }
    })
    .await
}
