//! The portal: the pages for the people who give feedback.
//!
//! A module of `pages` reads by the use cases of `hearback_app::portal`, and fills a template. Every
//! page reads, and every form works, without scripts: a form is answered by a redirect to the page
//! that shows what has changed.
//!
//! **Architecture invariant:** names no store and no other door. Decides nothing about who sees
//! what: `hearback_app::portal` does.

pub mod cursor;
mod pages;
mod views;

use actix_web::web::{self, ServiceConfig};
use hearback_web::{SHOWN_CALLBACK, SHOWN_LINK, SHOWN_UNSUBSCRIBE, Shared, Web};
use std::sync::Arc;

/// Adds the pages to an `App`: those of the first organization at `/`, and those of each one at
/// `/o/{slug}/`. `others` adds those of other doors beside them. Routes that are added later are
/// not reached.
pub fn routes(
    web: Arc<Web>,
    others: impl Fn(&mut ServiceConfig),
) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        let all = |config: &mut ServiceConfig| {
            others(config);
            pages::routes(config);
        };
        config
            .app_data(Shared::new(web))
            .service(web::scope("/o/{organization}").configure(all))
            .configure(all);
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
    let shown = [SHOWN_LINK, SHOWN_CALLBACK, SHOWN_UNSUBSCRIBE];
    alone.into_iter().chain(below).chain(shown).map(str::to_owned)
}
