//! The endpoints of version 1. The file of `/votes/toggle` is `votes/toggle.rs`; a resource with a single endpoint is a
//! single file.

mod categories;
mod comments;
mod feedback_boards;
mod feedback_posts;
mod roadmap_boards;
mod statuses;
mod tags;
mod users;
mod votes;

use crate::answer::Answer;
use crate::error::{Failure, Methods};
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, Resource};

/// The route table: every endpoint of the contract that there is.
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
        .service(post("/roadmap-boards/list", roadmap_boards::list));
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
