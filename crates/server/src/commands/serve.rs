//! `hearback serve`

use super::Task;
use crate::error::Error;
use crate::installation::Installation;
use crate::serve::serve;
use crate::signals::StopSignal;
use hearback_api::{Api, Limits};

/// Serves the API until it is asked to stop.
pub(crate) async fn run(task: &Task<'_>, mut stop: StopSignal) -> Result<(), Error> {
    let config = task.config;
    let installation = tokio::select! {
        installation = Installation::open(config, task.migration) => installation?,
        () = stop.requested() => return Ok(()),
    };
    let limits = Limits { max_body_bytes: config.max_body_bytes };
    let api = Api::new(installation.ports.clone(), &installation.vault, limits);
    let result = match serve(api, config.listen) {
        Ok(serving) => {
            let address = serving.address();
            tracing::info!(%address, store = %config.store, "listening on http://{address}");
            tracing::info!("to try it, load an example with `hearback demo`: it prints a key and three requests");
            serving.until(async move { stop.requested().await }).await
        }
        Err(error) => Err(error),
    };
    installation.close().await;
    tracing::info!("stopped");
    Ok(result?)
}
