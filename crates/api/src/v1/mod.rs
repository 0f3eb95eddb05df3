//! The endpoints of version 1. The file of `/votes/toggle` is `votes/toggle.rs`; a resource with a single endpoint is a
//! single file.

mod categories;
mod changelog;
mod comments;
mod feedback_boards;
mod feedback_posts;
mod help_articles;
mod help_categories;
mod help_collections;
mod labels;
mod roadmap_boards;
mod statuses;
mod tags;
mod users;
mod votes;

use crate::answer::Answer;
use crate::error::{Failure, Methods};
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, Resource};

/// The route table: every endpoint of the contract.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config
        .service(post("/users/retrieve", users::retrieve))
        .service(post("/feedback-boards/list", feedback_boards::list))
        .service(post("/feedback-boards/retrieve", feedback_boards::retrieve))
        .service(post("/feedback-posts/retrieve", feedback_posts::retrieve))
        .service(post("/feedback-posts/merge", feedback_posts::merge))
        .service(post("/feedback-posts/list", feedback_posts::list))
        .service(post("/comments/retrieve", comments::retrieve))
        .service(post("/comments/list", comments::list))
        .service(post("/votes/toggle", votes::toggle))
        .service(post("/votes/voters", votes::voters))
        .service(post("/categories/list", categories::list))
        .service(post("/categories/retrieve", categories::retrieve))
        .service(post("/tags/list", tags::list))
        .service(post("/statuses/list", statuses::list))
        .service(post("/roadmap-boards/list", roadmap_boards::list))
        .service(post("/labels/list", labels::list))
        .service(post("/changelog/list", changelog::list))
        .service(post("/changelog/create", changelog::create))
        .service(post("/help-collections/list", help_collections::list))
        .service(post("/help-collections/retrieve", help_collections::retrieve))
        .service(post("/help-collections/update", help_collections::update))
        .service(post("/help-categories/list", help_categories::list))
        .service(post("/help-categories/retrieve", help_categories::retrieve))
        .service(post("/help-categories/create", help_categories::create))
        .service(post("/help-categories/update", help_categories::update))
        .service(post("/help-articles/search", help_articles::search))
        .service(post("/help-articles/list", help_articles::list))
        .service(post("/help-articles/retrieve", help_articles::retrieve))
        .service(post("/help-articles/create", help_articles::create));
}

fn post<F, Args>(path: &str, handler: F) -> Resource
where
    F: Handler<Args, Output = Answer>,
    Args: FromRequest + 'static,
{
    web::resource(format!("/api/external/v1{path}")).route(web::post().to(handler)).default_service(web::to(post_only))
}

async fn post_only() -> Answer {
    Err(Failure::Method(Methods::Post))
}
