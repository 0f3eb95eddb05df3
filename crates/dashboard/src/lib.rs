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
mod forms;
mod pages;
mod schema;
mod sections;
mod values;
mod words;

use actix_web::web::{Data, ServiceConfig};
use hearback_api::Api;
use std::sync::Arc;

/// The dashboard. The process makes it once, and all its workers share it.
pub struct Dashboard {
    api: Arc<Api>,
}

impl Dashboard {
    /// Makes the dashboard, which calls the endpoints of the API.
    pub fn new(api: Arc<Api>) -> Arc<Self> {
        Arc::new(Self { api })
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
