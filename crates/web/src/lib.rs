//! What the pages of every door have in common: the organization and the visitor of a request, its
//! forms, the frame of a page, its words, its files, and the pages of faults.
//!
//! `site` finds the organization of a request, and `visit` the visitor and the language. [`paths!`]
//! declares the pages of a door: `answer` gives each a [`Request`], and answers its [`Fault`] by a
//! page.
//!
//! **Architecture invariant:** names no store and no door. Decides nothing about who sees what.

// Templates of all crates of pages name it so.
extern crate self as hearback_web;

mod answer;
pub mod assets;
pub mod chrome;
pub mod colors;
mod drafts;
mod errors;
pub mod fault;
pub mod form;
pub mod guard;
pub mod images;
mod kept_pages;
pub mod note;
mod parts;
pub mod recent;
mod secret_paths;
mod site;
pub mod text;
pub mod upload;
pub mod visit;

pub use answer::{answer, form_alone, no_form, no_method, no_page};
pub use fault::Fault;
pub use secret_paths::{
    SHOWN_CALLBACK, SHOWN_LINK, SHOWN_UNSUBSCRIBE, check_ending, ending, is_callback,
};
pub use site::PublicAddress;
pub use text::MailWords;
pub use visit::{Answer, Request};

#[doc(hidden)]
pub use actix_web::{HttpRequest, web};

use hearback_app::Vault;
use hearback_app::images::Images;
use hearback_app::password::Hasher;
use hearback_app::portal::{Frames, HelpUse, MailTests};
use hearback_app::unsubscribe::UnsubscribeTokens;
use hearback_domain::spam::HASTE_MILLIS;
use hearback_ports::{Mailer, OidcClient, Ports};
use kept_pages::KeptPages;
use recent::Recent;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The services of all pages. The process makes it once, and all its workers share it.
pub struct Web {
    /// The ports of the application.
    pub ports: Ports,
    /// Seals secrets, and makes tokens.
    pub vault: Arc<Vault>,
    /// Opens the links by which mails end.
    pub tokens: UnsubscribeTokens,
    /// The frames of the organizations.
    pub frames: Frames,
    /// The use of the help center that is not stored yet.
    pub help_use: Arc<HelpUse>,
    /// Sends mails.
    pub mailer: Arc<dyn Mailer>,
    /// Asks providers of OpenID Connect.
    pub oidc: Arc<dyn OidcClient>,
    /// Hashes passwords.
    pub hasher: Hasher,
    /// Takes and shows images.
    pub images: Images,
    /// The turns of the uploads that are held in memory.
    pub uploads: Arc<Semaphore>,
    /// The mails of tests that were sent lately.
    pub mail_tests: MailTests,
    /// The public address of the service.
    pub address: PublicAddress,
    /// The least time in which people fill in a form, in milliseconds.
    pub least_form_age: i64,
    /// The texts that were sent lately.
    pub recent: Recent,
    pub(crate) kept_pages: KeptPages,
}

/// The most uploads that are held in memory at once. Each may take 11 MiB.
const UPLOADS: usize = 8;

/// The services as a worker holds it.
pub type Shared = web::Data<Arc<Web>>;

impl Web {
    /// Makes the services, which send the mails of those who sign in by a mailer, and ask providers of
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
            help_use: Arc::default(),
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
            kept_pages: KeptPages::default(),
        }
    }

    /// The services, which take a form of visitors that is at least as old as this.
    pub fn with_least_form_age(self, age: Duration) -> Self {
        Self { least_form_age: age.as_millis().try_into().unwrap_or(i64::MAX), ..self }
    }

    /// The use of the help center that a background worker has to store.
    pub fn help_use(&self) -> &Arc<HelpUse> {
        &self.help_use
    }
}
