//! The pages.

mod account;
mod account_mail;
mod changelog;
mod feeds;
mod help;
mod images;
mod notices;
mod oidc;
mod password;
mod posts;
mod roadmap;
mod search;
mod second_factor;
mod sign_in;
mod sso;
mod unsubscribe;
mod writing;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use hearback_http::Failure;
use hearback_web::{Answer, Request, Shared, answer, assets, colors, no_form, no_page, paths};

/// Adds the pages of one portal.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(hearback_http::get("/assets/{digest}/{name}", assets::show));
    paths! { config:
        "/colors/{digest}.css" => style, no_form;
        "" => posts::home, no_form;
        "/" => posts::home, no_form;
        "/b/{board}" => posts::board, no_form;
        "/b/{board}/new" => writing::new, writing::submit;
        "/b/{board}/similar" => writing::similar, no_form;
        "/preview" => no_page, writing::preview;
        "/p/{slug}" => posts::post, no_form;
        "/p/{slug}/vote" => writing::ask_vote, writing::vote;
        "/p/{slug}/comment" => posts::to_post, writing::comment;
        "/p/{slug}/follow" => writing::ask_follow, writing::follow;
        "/p/{slug}/edit" => writing::edit, writing::save;
        "/p/{slug}/delete" => writing::ask_delete, writing::delete;
        "/p/{slug}/c/{comment}" => writing::edit_comment, writing::save_comment;
        "/p/{slug}/c/{comment}/delete" => writing::ask_delete_comment, writing::delete_comment;
        "/roadmap" => roadmap::first, no_form;
        "/roadmap/vote/{plan}" => no_page, roadmap::vote;
        "/roadmap/{board}" => roadmap::named, no_form;
        "/changelog" => changelog::entries, no_form;
        "/changelog/follow" => changelog::ask_follow, changelog::follow;
        "/changelog/{slug}" => changelog::entry, no_form;
        "/help" => help::home, no_form;
        "/help/answer/{article}" => no_page, help::answer;
        "/help/{collection}" => help::collection, no_form;
        "/help/{tail:.*}" => help::article, no_form;
        "/images" => no_page, images::upload;
        "/images/{digest}" => images::show, no_form;
        "/search" => search::search, no_form;
        "/u/{id}" => account::profile, no_form;
        "/account" => account::account, account::save;
        "/account/export" => account::export, no_form;
        "/account/delete" => account::ask_delete, account::delete;
        "/account/picture" => no_page, account::save_picture;
        "/account/sessions" => no_page, account::end_sessions;
        "/account/mail" => no_page, account_mail::choose;
        "/account/mail-test" => no_page, account_mail::test;
        "/account/address" => no_page, account_mail::ask_address;
        "/notifications" => notices::notices, notices::read_all;
        "/notifications/{id}" => no_page, notices::read;
        "/language" => no_page, account::language;
        "/account/password" => password::ask, password::save;
        "/account/password/remove" => no_page, password::remove;
        "/account/second-factor" => second_factor::own, second_factor::set_up;
        "/account/second-factor/codes" => no_page, second_factor::renew;
        "/account/second-factor/off" => no_page, second_factor::turn_off;
        "/second-step" => second_factor::ask, second_factor::show;
        "/sign-in" => sign_in::ask, sign_in::offer;
        "/sign-in/password" => sign_in::again, password::sign_in;
        "/sign-in/oidc/{provider}" => oidc::begin, no_form;
        "/sign-in/oidc/{provider}/callback" => oidc::callback, no_form;
        "/sign-in/code" => sign_in::again, sign_in::code;
        "/sign-in/address/{token}" => account_mail::address, account_mail::confirm_address;
        "/sign-in/{token}" => sign_in::link, sign_in::confirm;
        "/sign-out" => no_page, sign_in::sign_out;
        "/sso" => sso::begin, no_form;
        "/sso/callback" => sso::callback, no_form;
        "/unsubscribe/{token}" => unsubscribe::ask, unsubscribe::confirm;
        "/feeds/{feed}" => feeds::feed, no_form;
        "/feeds/b/{feed}" => feeds::of_board, no_form;
        "/sitemap.xml" => feeds::sitemaps, no_form;
        "/sitemap-{part}.xml" => feeds::sitemap, no_form;
        "/robots.txt" => feeds::robots, no_form;
    }
    let nothing = |web: Shared, http: HttpRequest| answer(web, http, no_page);
    config.service(
        web::resource("/{tail:.*}")
            .guard(actix_web::guard::fn_guard(|context| {
                let path = context.head().uri.path();
                !RESERVED.iter().any(|start| path.starts_with(start))
            }))
            .route(web::get().to(nothing))
            .route(web::head().to(nothing))
            .default_service(web::to(async || Err::<HttpResponse, _>(Failure::UnknownPath))),
    );
}

/// The beginnings of the paths of other doors, which answer in JSON.
const RESERVED: [&str; 6] = ["/api/", "/docs", "/mcp", "/metrics", "/healthz", "/readyz"];

/// `/colors/{digest}.css`: the organization's own style sheet.
async fn style(request: Request) -> Answer {
    let css = colors::css(&request.visit.frame);
    let is_present = request.part("digest") == colors::digest(&request.visit.frame);
    let kept = if is_present { assets::FOR_GOOD } else { "no-cache" };
    let mut response = HttpResponse::Ok();
    hearback_web::visit::protect(&mut response, false);
    Ok(response
        .insert_header((CONTENT_TYPE, "text/css; charset=utf-8"))
        .insert_header((CACHE_CONTROL, kept))
        .body(css))
}
