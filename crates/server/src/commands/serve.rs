//! `hearback serve`

use super::Task;
use crate::error::Error;
use crate::installation::Installation;
use crate::mail_route::MailRoute;
use crate::public_url::PublicUrl;
use crate::serve::{ServeError, Serving, serve};
use crate::signals::StopSignal;
use crate::workers::{Outgoing, Workers};
use hearback_api::{Api, Limits};
use hearback_app::mail::Sender;
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_webhook::HttpSender;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Serves the API, with the background workers beside it, until it is asked to stop.
pub(crate) async fn run(task: &Task<'_>, mut stop: StopSignal) -> Result<(), Error> {
    let config = task.config;
    let sink = Arc::new(HttpSender::new(config.webhook_policy.clone())?);
    let installation = tokio::select! {
        installation = Installation::open(config, task.migration) => installation?,
        () = stop.requested() => return Ok(()),
    };
    let limits = Limits {
        max_body_bytes: config.max_body_bytes,
        per_address: config.rate_limit_per_address,
        per_key: config.rate_limit_per_key,
        trusted_proxies: config.trusted_proxies.clone(),
    };
    let workers = Workers::new(installation.ports.clone());
    let api = Api::new(installation.ports.clone(), &installation.vault, limits).with_workers(workers.all_alive());
    let result = match serve(api, config.listen) {
        Ok(serving) => {
            let address = serving.address();
            tracing::info!(%address, store = %config.store, "listening on http://{address}");
            tracing::info!("to try it, load an example with `hearback demo`: it prints a key and three requests");
            let public_url = config.public_url.clone().unwrap_or_else(|| PublicUrl::of(address));
            if let MailRoute::Files { folder, .. } = &config.mail {
                let folder = folder.display();
                tracing::info!(%public_url, "HEARBACK_SMTP_URL is not set: mails are kept as .eml files in {folder}");
            }
            for failure in sink.unread_roots() {
                tracing::warn!("root certificates for webhooks could not be read: {failure}");
            }
            if !sink.has_roots() {
                tracing::warn!("there is no root certificate: no receiver of webhooks is trusted, unless it is http://");
            }
            let tokens = UnsubscribeTokens::new(&installation.vault);
            let outgoing = Outgoing {
                mails: Sender::new(config.mail.mailer(), tokens, public_url.to_string()),
                vault: Arc::clone(&installation.vault),
                sink,
                schedule: config.webhook_retry_schedule.clone(),
            };
            serve_and_work(serving, workers, outgoing, stop).await
        }
        Err(error) => Err(error),
    };
    installation.close().await;
    tracing::info!("stopped");
    Ok(result?)
}

/// Returns when both have stopped, by the signal or since the server broke off.
async fn serve_and_work(serving: Serving, workers: Workers, outgoing: Outgoing, mut stop: StopSignal) -> Result<(), ServeError> {
    let (serves, served) = oneshot::channel::<()>();
    let mut also_stop = stop.clone();
    let working = workers.until(outgoing, async move {
        tokio::select! {
            () = also_stop.requested() => {}
            // Nothing is ever sent: the other end goes away.
            _ = served => {}
        }
    });
    let serving = async move {
        let result = serving.until(async move { stop.requested().await }).await;
        drop(serves);
        result
    };
    tokio::join!(serving, working).0
}
