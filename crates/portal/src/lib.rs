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
mod drafts;
mod fault;
mod form;
mod guard;
mod pages;
mod parts;
mod recent;
mod site;
mod text;
mod views;
mod visit;

pub use site::PublicAddress;
pub use text::MailWords;

use actix_web::web::{self, ServiceConfig};
use hearback_app::Vault;
use hearback_app::images::Images;
use hearback_app::password::Hasher;
use hearback_app::portal::{ArticleViews, Frames, MailTests};
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_domain::spam::HASTE_MILLIS;
use hearback_ports::{Mailer, OidcClient, Ports};
use recent::Recent;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The portal. The process makes it once, and all its workers share it.
pub struct Portal {
    pub(crate) ports: Ports,
    pub(crate) vault: Arc<Vault>,
    pub(crate) tokens: UnsubscribeTokens,
    pub(crate) frames: Frames,
    pub(crate) article_views: Arc<ArticleViews>,
    pub(crate) mailer: Arc<dyn Mailer>,
    pub(crate) oidc: Arc<dyn OidcClient>,
    pub(crate) hasher: Hasher,
    pub(crate) images: Images,
    /// The turns of the uploads that are held in memory.
    pub(crate) uploads: Arc<Semaphore>,
    pub(crate) mail_tests: MailTests,
    pub(crate) address: PublicAddress,
    /// The least time in which people fill in a form, in milliseconds.
    pub(crate) least_form_age: i64,
    pub(crate) recent: Recent,
}

/// The most uploads that are held in memory at once. Each may take 11 MiB.
const UPLOADS: usize = 8;

/// The portal as a worker holds it.
pub(crate) type Shared = web::Data<Arc<Portal>>;

impl Portal {
    /// Makes the portal, which sends the mails of those who sign in by a mailer, and asks providers of
    /// OpenID Connect by a client.
    pub fn new(
        ports: Ports,
        vault: Arc<Vault>,
        mailer: Arc<dyn Mailer>,
        oidc: Arc<dyn OidcClient>,
        images: Images,
        address: PublicAddress,
    ) -> Self {
        Self {
            frames: Frames::new(&ports),
            article_views: Arc::default(),
            ports,
            tokens: UnsubscribeTokens::new(&vault),
            vault,
            mailer,
            oidc,
            hasher: Hasher::default(),
            images,
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            mail_tests: MailTests::default(),
            address,
            least_form_age: HASTE_MILLIS,
            recent: Recent::default(),
        }
    }

    /// The portal, which takes a form of visitors that is at least as old as this.
    pub fn with_least_form_age(self, age: Duration) -> Self {
        Self { least_form_age: age.as_millis().try_into().unwrap_or(i64::MAX), ..self }
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
    let alone = [
        "/",
        "/roadmap",
        "/changelog",
        "/help",
        "/search",
        "/account",
        "/notifications",
        "/sign-in",
        "/sso",
    ];
    let below = ["/b/", "/p/", "/changelog/", "/help/", "/assets/", "/feeds/", "/images/", "/o/"];
    let shown = [pages::SHOWN_LINK, pages::SHOWN_CALLBACK, pages::SHOWN_UNSUBSCRIBE];
    alone.into_iter().chain(below).chain(shown).map(str::to_owned)
}
