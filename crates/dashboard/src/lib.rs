//! The dashboard: the pages for the team.
//!
//! `desk` finds out who is at work. `forms` makes the form of an endpoint from its schema, and the
//! body of a call from what was typed. So each endpoint of the API is an action of the dashboard,
//! with all of its rules. `sections` declares the lists of records, each in a few lines; `pages`
//! has the pages.
//!
//! **Architecture invariant:** holds no rule of the product. A page reads and writes by the
//! endpoints of the API, or by use cases, and each of them checks the role of the caller.

mod desk;
mod diff;
mod forms;
mod pages;
mod people_file;
mod refusals;
mod schema;
mod sections;
mod transfers;
mod values;
mod words;

use actix_web::web::{Data, ServiceConfig};
use hearback_api::Api;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use transfers::Transfers;

/// The dashboard. The process makes it once, and all its workers share it.
pub struct Dashboard {
    api: Arc<Api>,
    /// The directory of the files that are imported.
    folder: PathBuf,
    /// Drives imports. A worker of the server would stall its other requests.
    runtime: Handle,
    transfers: Arc<Transfers>,
}

impl Dashboard {
    /// Makes the dashboard, which calls the endpoints of the API, keeps files in a folder while they
    /// are imported, and imports them on a runtime.
    pub fn new(api: Arc<Api>, folder: PathBuf, runtime: Handle) -> Arc<Self> {
        Arc::new(Self { api, folder, runtime, transfers: Arc::default() })
    }
}

/// Adds the pages to a portal, below `/dashboard`.
pub fn routes(dashboard: Arc<Dashboard>) -> impl Fn(&mut ServiceConfig) {
    move |config| {
        config.app_data(Data::from(Arc::clone(&dashboard))).configure(pages::routes);
    }
}

/// The paths that have metrics of their own.
pub fn paths() -> impl Iterator<Item = String> {
    ["/dashboard", "/dashboard/"].into_iter().map(str::to_owned)
}
