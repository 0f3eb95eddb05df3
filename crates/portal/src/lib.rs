//! The portal: the pages for the people who give feedback.
//!
//! `site` finds the organization of a request, and `visit` the visitor and the language. A module of
//! `pages` reads by the use cases of `hearback_app::portal`, and fills a template. Every page reads,
//! and every form works, without scripts: a form is answered by a redirect to the page that shows
//! what has changed.
//!
//! **Architecture invariant:** names no store and no other door. Decides nothing about who sees
//! what: `hearback_app::portal` does.

mod assets;
mod chrome;
mod colors;
mod cursor;
mod fault;
mod form;
mod pages;
mod site;
mod text;
mod views;
mod visit;

pub use site::PublicAddress;

use actix_web::web::{self, ServiceConfig};
use hearback_app::Vault;
use hearback_app::portal::{ArticleViews, Frames};
use hearback_ports::{Mailer, Ports};
use std::sync::Arc;

/// The portal. The process makes it once, and all its workers share it.
pub struct Portal {
    pub(crate) ports: Ports,
    pub(crate) vault: Arc<Vault>,
    pub(crate) frames: Frames,
    pub(crate) article_views: Arc<ArticleViews>,
    pub(crate) mailer: Arc<dyn Mailer>,
    pub(crate) address: PublicAddress,
}

/// The portal as a worker holds it.
pub(crate) type Shared = web::Data<Arc<Portal>>;

impl Portal {
    /// Makes the portal, which sends the mails of those who sign in by a mailer.
    pub fn new(
        ports: Ports,
        vault: Arc<Vault>,
        mailer: Arc<dyn Mailer>,
        address: PublicAddress,
    ) -> Self {
        Self {
            frames: Frames::new(&ports),
            article_views: Arc::default(),
            ports,
            vault,
            mailer,
            address,
        }
    }

    /// The views of help articles that a background worker has to store.
    pub fn article_views(&self) -> &Arc<ArticleViews> {
        &self.article_views
    }
}

/// Adds the pages to an `App`: those of the first organization at `/`, and those of each one at
/// `/o/{slug}/`. Routes that are added later are not reached.
pub fn routes(portal: Arc<Portal>) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        config
            .app_data(Shared::new(portal))
            .service(web::scope("/o/{organization}").configure(pages::routes))
            .configure(pages::routes);
    }
}

/// The paths that have metrics of their own.
pub fn paths() -> impl Iterator<Item = String> {
    let alone = ["/", "/roadmap", "/changelog", "/help", "/search", "/account", "/sign-in", "/sso"];
    let below = ["/b/", "/p/", "/changelog/", "/help/", "/assets/", "/feeds/", "/o/"];
    let shown = [pages::SHOWN_LINK, pages::SHOWN_CALLBACK];
    alone.into_iter().chain(below).chain(shown).map(str::to_owned)
}
