//! `hearback serve`

use super::Task;
use crate::config::Config;
use crate::error::Error;
use crate::images::images;
use crate::installation::{Installation, SetUpError};
use crate::mail_route::MailRoute;
use crate::master_key::MasterKeySource;
use crate::metrics::Metrics;
use crate::public_url::PublicUrl;
use crate::serve::{ServeError, Serving, reachable, serve, serve_metrics};
use crate::signals::StopSignal;
use crate::workers::{Outgoing, Workers};
use hearback_api::{Api, Host, Limits};
use hearback_app::images::Images;
use hearback_app::mail::Sender;
use hearback_app::portal::HelpUse;
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_dashboard::Dashboard;
use hearback_mcp::Mcp;
use hearback_oidc::HttpOidc;
use hearback_web::{MailWords, PublicAddress, Web};
use hearback_webhook::HttpSender;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::watch;

/// Serves the API, with the background workers beside it, until a signal comes.
pub(crate) async fn run(task: &Task<'_>, mut stop: StopSignal) -> Result<(), Error> {
    let config = task.config;
    raise_open_files();
    let counting = Metrics::install()?;
    let sink = Arc::new(HttpSender::new(
        config.webhook_policy.clone(),
        config.webhook_name_servers.clone(),
    )?);
    let source = MasterKeySource::new(config).map_err(SetUpError::from)?;
    let former_key = source.path().filter(|path| path.exists());
    let installation = tokio::select! {
        installation = Installation::open(config, task.migration) => installation?,
        () = stop.requested() => return Ok(()),
    };
    if let Some(replica) = &config.replica
        && let Err(source) = installation.store.read_lists_from(replica).await
    {
        installation.close().await;
        return Err(Error::Replica { replica: replica.clone(), source });
    }
    let limits = Limits {
        max_body_bytes: config.max_body_bytes,
        connections_per_address: config.connections_per_address,
        per_address: config.rate_limit_per_address,
        per_key: config.rate_limit_per_key,
        forms_per_address: Some(config.form_limit_per_address),
        forms_per_network: Some(config.form_limit_per_network),
        trusted_proxies: config.trusted_proxies.clone(),
    };
    let images = match images(config) {
        Ok(images) => images,
        Err(error) => {
            installation.close().await;
            return Err(error);
        }
    };
    let workers = Workers::new(installation.ports.clone(), config.trending_every);
    let metrics = Metrics::new(
        counting,
        installation.ports.clone(),
        config.store.kind(),
        workers.all_alive(),
    );
    let paths = hearback_api::paths()
        .chain([hearback_mcp::PATH.to_owned()])
        .chain(hearback_portal::paths())
        .chain(hearback_dashboard::paths());
    let host = Host::new(&installation.ports, limits, paths);
    let (vault, tests) = (Arc::clone(&installation.vault), Arc::clone(&sink));
    let api =
        Api::new(host, installation.ports.clone(), vault, tests).with_workers(workers.all_alive());
    let result = match listen(
        api,
        &installation,
        &metrics,
        images.clone(),
        Arc::clone(&sink),
        config,
    ) {
        Ok(Listening { serving, scraped, help_use }) => {
            let address = serving.address();
            tracing::info!(%address, store = %config.store, "listening on http://{address}");
            if let Some(replica) = &config.replica {
                tracing::info!(%replica, "reading lists from a replica while it is up to date");
            }
            if let Some(scraped) = &scraped {
                let address = scraped.address();
                tracing::info!(%address, "serving metrics on http://{address}/metrics");
            }
            // A store that does not answer now says nothing about its organizations.
            if installation.ports.organizations.list().await.is_ok_and(|all| all.is_empty()) {
                tracing::info!(
                    "there is no organization yet: `hearback demo` loads an example, \
                     `hearback organization create` makes one of your own"
                );
                if let Some(key) = &former_key {
                    tracing::warn!(
                        "{} is from an earlier start: if there were organizations, the store was \
                         emptied or replaced: stop the server, and restore the newest backup \
                         (`hearback restore`)",
                        key.display()
                    );
                }
            }
            let public_url = config.public_url.clone().unwrap_or_else(|| PublicUrl::of(address));
            if let MailRoute::Files { folder, .. } = &config.mail {
                let folder = folder.display();
                tracing::info!(%public_url, "writing mails to {folder}, as HEARBACK_SMTP_URL is \
                                             not set");
            }
            for failure in sink.unread_roots() {
                tracing::warn!("cannot read root certificates for webhooks: {failure}");
            }
            if !sink.has_roots() {
                tracing::warn!("found no root certificates: webhooks to https:// will fail");
            }
            let tokens = UnsubscribeTokens::new(&installation.vault);
            let outgoing = Outgoing {
                images,
                mails: Sender::new(
                    config.mail.mailer(),
                    Arc::new(MailWords::IN_MAILS),
                    tokens,
                    public_url.to_string(),
                ),
                vault: Arc::clone(&installation.vault),
                sink,
                schedule: config.webhook_retry_schedule.clone(),
                help_use: Arc::clone(&help_use),
            };
            let result = tokio::select! {
                result = serve_and_work(serving, scraped, workers, outgoing, stop) => result,
                () = metrics.keep_up() => Ok(()),
            };
            // The use since the last round of the worker.
            for failure in help_use.store(&installation.ports).await.failures {
                tracing::warn!(%failure, "the last use of the help center is not stored");
            }
            result
        }
        Err(error) => Err(error),
    };
    installation.close().await;
    tracing::info!("stopped");
    Ok(result?)
}

/// Raises the limit of open files to the most that the system allows. Many systems set 1024, for
/// programs that use `select`; look-ups of names that hang have up to 2,560 sockets open.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // A system that refuses leaves its limit.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// The servers of a process.
struct Listening {
    /// The server of the API.
    serving: Serving,
    /// The server of the metrics, if it has an address of its own.
    scraped: Option<Serving>,
    /// The use of the help center that the portal counts.
    help_use: Arc<HelpUse>,
}

fn listen(
    api: Api,
    installation: &Installation,
    metrics: &Arc<Metrics>,
    images: Images,
    sink: Arc<HttpSender>,
    config: &Config,
) -> Result<Listening, ServeError> {
    let page = Arc::clone(metrics).page();
    let public = config.public_url.clone();
    let is_set = public.is_some();
    let public = public.unwrap_or_else(|| PublicUrl::of(reachable(config.listen)));
    let web = Web::new(
        installation.ports.clone(),
        Arc::clone(&installation.vault),
        config.mail.mailer(),
        Arc::new(HttpOidc::new(sink)),
        images,
        PublicAddress::new(&public.to_string(), is_set),
    );
    let web = Arc::new(web.with_least_form_age(config.form_minimum_age));
    let help_use = Arc::clone(web.help_use());
    let serve = |api: Arc<Api>| {
        let listen = config.listen;
        let hosts = config.public_url.iter().map(PublicUrl::host);
        let mcp = Mcp::new(Arc::clone(&api), hosts.chain([PublicUrl::of(listen).host()]));
        let folder = config.data_dir.clone();
        let dashboard = Dashboard::new(Arc::clone(&api), folder, Handle::current());
        serve(api, Arc::new(mcp), Arc::clone(&web), dashboard, listen, config.workers)
    };
    let Some(address) = config.metrics_listen else {
        let serving = serve(Arc::new(api.with_metrics(page)))?;
        return Ok(Listening { serving, scraped: None, help_use });
    };
    let api = Arc::new(api);
    let scraped = serve_metrics(Arc::clone(&api), page, address)?;
    Ok(Listening { serving: serve(api)?, scraped: Some(scraped), help_use })
}

/// Returns when all servers and workers have stopped, after the signal or a failure of the API's
/// server.
async fn serve_and_work(
    serving: Serving,
    scraped: Option<Serving>,
    workers: Workers,
    outgoing: Outgoing,
    stop: StopSignal,
) -> Result<(), ServeError> {
    // The channel carries no value: the drop of the sender wakes the receivers.
    let (serves, served) = watch::channel(());
    let over = || {
        let (mut stop, mut served) = (stop.clone(), served.clone());
        async move {
            tokio::select! {
                () = stop.requested() => {}
                _ = served.changed() => {}
            }
        }
    };
    let working = workers.until(outgoing, over());
    let scraping = async {
        match scraped {
            Some(scraped) => scraped.until(over()).await,
            None => Ok(()),
        }
    };
    let mut stop = stop.clone();
    let serving = async move {
        let stopping = async move {
            stop.requested().await;
            tracing::info!("stopping after the requests in flight");
        };
        let result = serving.until(stopping).await;
        drop(serves);
        result
    };
    let (served, (), scraped) = tokio::join!(serving, working, scraping);
    served.and(scraped)
}
