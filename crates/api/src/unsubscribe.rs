//! `/unsubscribe/{token}`: the target of the links in notification mails. Its responses are HTML,
//! since people read them.
//!
//! `GET` only asks, since programs that scan mails follow links. `POST` unsubscribes. The form of
//! that page sends it, or a mail program does (RFC 8058).

use crate::answer::Answer;
use crate::error::ApiFailure;
use crate::{Api, Shared};
use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use hearback_app::unsubscribe::{self, Ending};
use hearback_http::{Failure, Methods, RequestContext};
use hearback_ports::deadline;

/// Adds the path.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(
        web::resource("/unsubscribe/{token}")
            .route(web::get().to(ask))
            .route(web::head().to(ask))
            .route(web::post().to(confirm))
            .default_service(web::to(no_other_method))
            .wrap(from_fn(privately)),
    );
}

async fn ask(api: Shared, request: HttpRequest) -> Answer {
    let Ending { post, .. } = ending(&api, &*RequestContext::of(&request)?, &request)?;
    Ok(shown(match post {
        None => page(
            "Unsubscribe",
            r#"<p>Do you want no more mail about what is new?</p><form method="post"><button>Unsubscribe</button></form>"#,
        ),
        Some(_) => page(
            "Unfollow this post",
            r#"<p>Do you want to hear no more of this post?</p><form method="post"><button>Unfollow</button></form>"#,
        ),
    }))
}

async fn confirm(api: Shared, request: HttpRequest) -> Answer {
    let context = RequestContext::of(&request)?;
    let ending = ending(&api, &context, &request)?;
    // The content of the body does not matter. The body is read so that the connection can serve
    // the next request.
    context.body_up_to(MAX_BODY, request.headers()).await?;
    let working = unsubscribe::unsubscribe(&api.ports, ending);
    deadline::within(working).await.map_err(ApiFailure::from)?;
    Ok(shown(match ending.post {
        None => page("You are unsubscribed", "<p>You will get no more mail about what is new.</p>"),
        Some(_) => {
            page("You do not follow the post any more", "<p>You will hear no more of it.</p>")
        }
    }))
}

async fn no_other_method() -> Answer {
    Err(Failure::Method(Methods::GetPost))
}

/// What the link ends. Only a request with an unknown token counts against
/// the address: mail providers unsubscribe many people from one address, and a limit must not
/// refuse any of them.
fn ending(api: &Api, context: &RequestContext, request: &HttpRequest) -> Result<Ending, Failure> {
    let token = request.match_info().get("token").unwrap_or_default();
    let Some(ending) = api.tokens.open(token) else {
        context.count_address(request)?;
        return Err(ApiFailure::UnknownToken.into());
    };
    context.set_organization(ending.organization);
    Ok(ending)
}

/// The page that shows a failure.
fn told(status: StatusCode) -> String {
    match status {
        StatusCode::NOT_FOUND => {
            page("This link is not valid", "<p>Please open it just as it stands in the mail.</p>")
        }
        StatusCode::SERVICE_UNAVAILABLE => page(
            "Please try again",
            "<p>You are not unsubscribed yet. Please try again in a moment.</p>",
        ),
        _ => page("That did not work", "<p>Please open the link in the mail again.</p>"),
    }
}

/// Turns failures into pages. Keeps the token out of the log, of caches and of search engines, and
/// out of the referrer that a browser sends to other sites.
async fn privately(
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse, actix_web::Error> {
    RequestContext::of(request.request())?.show_path(SHOWN_PATH);
    let mut response = next.call(request).await?;
    let status = response.status();
    if response.response().error().is_some() {
        response = response.map_body(|_, _| BoxBody::new(told(status)));
        response.headers_mut().insert(CONTENT_TYPE, HTML);
    }
    let headers = [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// The greatest length of a body, in bytes. A form's body and that of RFC 8058 are far shorter.
const MAX_BODY: usize = 4096;

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Replaces the path of a link in logs and metrics.
pub(crate) const SHOWN_PATH: &str = "/unsubscribe/…";

/// Allows a page its own style and its own form, and nothing else.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

fn shown(page: String) -> HttpResponse {
    HttpResponse::Ok().insert_header((CONTENT_TYPE, HTML)).body(page)
}

/// A page holds nothing of the request, so nothing needs escaping.
fn page(title: &'static str, content: &'static str) -> String {
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{content}
</main>
</body>
</html>
"#
    )
}

const STYLE: &str = ":root{color-scheme:light dark}\
    body{margin:0;font:1.125rem/1.5 system-ui,sans-serif}\
    main{max-width:32rem;margin:0 auto;padding:10vh 1.5rem}\
    h1{font-size:1.5rem;line-height:1.25}\
    button{font:inherit;padding:.5rem 1.25rem}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ORGANIZATION, Reply, id, mocks, send, stream, vault};
    use actix_web::http::Method;
    use actix_web::test::TestRequest;
    use actix_web::web::Bytes;
    use futures_util::stream::repeat_with;
    use hearback_app::unsubscribe::UnsubscribeTokens;
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Recorded, StoreError};

    fn link() -> String {
        format!("/unsubscribe/{}", UnsubscribeTokens::new(&vault()).token(ORGANIZATION, id(7)))
    }

    fn post() -> TestRequest {
        TestRequest::post().uri(&link())
    }

    fn unsubscribing() -> Mocks {
        let mut mocks = mocks();
        mocks
            .users
            .expect_unsubscribe()
            .once()
            .withf(|of, user, _| (*of, *user) == (ORGANIZATION, id(7)))
            .returning(|_, _, _| Ok(Recorded::Done));
        mocks
    }

    /// The status and the heading of a response, which must be a page with all the headers of one.
    fn told(reply: &Reply) -> (u16, &str) {
        assert!(reply.body.starts_with("<!doctype html>\n<html lang=\"en\">\n"), "{}", reply.body);
        assert!(reply.body.ends_with("</html>\n"), "{}", reply.body);
        assert_eq!(reply.header("content-type"), "text/html; charset=utf-8");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("referrer-policy"), "no-referrer");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("x-robots-tag"), "noindex");
        assert_eq!(
            reply.header("content-security-policy"),
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        let (_, heading) = reply.body.split_once("<h1>").unwrap();
        (reply.status, heading.split_once("</h1>").unwrap().0)
    }

    #[actix_web::test]
    async fn a_link_asks_and_changes_nothing() {
        for method in [Method::GET, Method::HEAD] {
            let reply = send(mocks(), TestRequest::with_uri(&link()).method(method)).await;
            assert_eq!(told(&reply), (200, "Unsubscribe"));
            assert!(
                reply.body.contains(r#"<form method="post"><button>Unsubscribe</button></form>"#)
            );
        }
    }

    #[actix_web::test]
    async fn a_token_that_is_not_ours_is_not_found_and_nothing_is_looked_up() {
        let damaged = format!("{}A", link());
        for path in [
            &*damaged,
            "/unsubscribe/x",
            "/unsubscribe/%00",
            "/unsubscribe/%c3%a9",
            "/unsubscribe/%ff",
        ] {
            for request in [TestRequest::get(), TestRequest::post()] {
                let reply = send(mocks(), request.uri(path)).await;
                assert_eq!(told(&reply), (404, "This link is not valid"), "{path}");
            }
        }
    }

    #[actix_web::test]
    async fn a_long_body_is_413_and_unsubscribes_no_user() {
        let endless = repeat_with(|| Ok(Bytes::from_static(&[b'x'; 1000])));
        assert_eq!(told(&stream(mocks(), post(), endless).await), (413, "That did not work"));
        let reply = send(unsubscribing(), post().set_payload("x".repeat(MAX_BODY))).await;
        assert_eq!(told(&reply), (200, "You are unsubscribed"));
    }

    #[actix_web::test]
    async fn while_the_store_is_busy_one_may_try_again() {
        let failing = |failure: StoreError| {
            let mut mocks = mocks();
            mocks.users.expect_unsubscribe().return_once(move |_, _, _| Err(failure));
            mocks
        };
        let reply = send(failing(StoreError::Busy), post()).await;
        assert_eq!(told(&reply), (503, "Please try again"));
        assert_eq!(reply.header("retry-after"), "1");
        let reply = send(
            failing(StoreError::Backend { doing: "unsubscribing", source: "gone".into() }),
            post(),
        )
        .await;
        assert_eq!(told(&reply), (500, "That did not work"));
    }
}
