//! `/docs/`: the documentation of the API as a page that can call every endpoint. The page is
//! Swagger UI. It shows `/openapi.json` and loads nothing from another server.
//!
//! Every address on the page is relative, so that a proxy may serve the page under a path of its
//! own.

use crate::answer::Answer;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETag, EntityTag,
    HeaderValue, IfNoneMatch, LOCATION, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::web::{Bytes, ServiceConfig};
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use hearback_http::{fixed, get};
use ring::digest::{SHA256, digest};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use utoipa_swagger_ui::Config;

/// Adds the page.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config.service(get("/docs", enter));
    for file in FILES.iter() {
        let show = move |request: HttpRequest| async move { file.answer(&request) };
        config.service(get(&format!("/docs/{}", file.name), show));
    }
}

/// Redirects to the folder that the page's addresses are relative to. A browser would keep a
/// permanent redirect, and follow it for the next server at the same address and port.
async fn enter() -> Answer {
    Ok(HttpResponse::TemporaryRedirect()
        .insert_header((LOCATION, HeaderValue::from_static("docs/")))
        .finish())
}

/// The files of the page.
static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let ours = [
        File::ours("", "text/html; charset=utf-8", include_str!("docs/index.html")),
        File::ours("page.css", "text/css; charset=utf-8", include_str!("docs/page.css")),
        File::ours("page.js", "text/javascript; charset=utf-8", include_str!("docs/page.js")),
    ];
    let swagger = [
        File::swagger("swagger-ui.css", "text/css; charset=utf-8"),
        File::swagger("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ];
    ours.into_iter().chain(swagger.into_iter().flatten()).collect()
});

struct File {
    name: &'static str,
    content_type: &'static str,
    content: Bytes,
    is_gzipped: bool,
    tag: EntityTag,
}

impl File {
    fn ours(name: &'static str, content_type: &'static str, text: &'static str) -> Self {
        Self::new(name, content_type, Bytes::from_static(text.as_bytes()), false)
    }

    /// A file of Swagger UI. `None` if Swagger UI has no file of this name.
    fn swagger(name: &'static str, content_type: &'static str) -> Option<Self> {
        let file = utoipa_swagger_ui::serve(name, Arc::new(Config::default())).ok().flatten()?;
        let content = match file.bytes {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        Some(Self::new(name, content_type, content, file.gzpipped))
    }

    fn new(
        name: &'static str,
        content_type: &'static str,
        content: Bytes,
        is_gzipped: bool,
    ) -> Self {
        let tag = EntityTag::new_strong(BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, &content)));
        Self { name, content_type, content, is_gzipped, tag }
    }

    /// The file, or `304` if the browser has it already.
    fn answer(&self, request: &HttpRequest) -> Answer {
        let is_known = match request.get_header() {
            Some(IfNoneMatch::Any) => true,
            Some(IfNoneMatch::Items(tags)) => tags.iter().any(|tag| tag.weak_eq(&self.tag)),
            None => false,
        };
        let mut response =
            HttpResponse::build(if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
        response
            .insert_header(ETag(self.tag.clone()))
            // The browser revalidates each time: a new version of the server has other files, and
            // files of two versions do not fit each other.
            .insert_header((CACHE_CONTROL, HeaderValue::from_static("no-cache")))
            .insert_header((CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY)))
            .insert_header((REFERRER_POLICY, HeaderValue::from_static("no-referrer")))
            .insert_header((X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")));
        if is_known {
            return Ok(response.finish());
        }
        response.insert_header((CONTENT_TYPE, HeaderValue::from_static(self.content_type)));
        if self.is_gzipped {
            // Every browser that can show the page accepts gzip.
            response.insert_header((CONTENT_ENCODING, HeaderValue::from_static("gzip")));
        }
        Ok(response.body(fixed(self.content.clone())))
    }
}

const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configure;
    use crate::testing::{api, mocks, send};
    use actix_web::App;
    use actix_web::http::Method;
    use actix_web::http::header::{HeaderMap, IF_NONE_MATCH};
    use actix_web::test::{TestRequest, call_service, init_service, read_body};

    /// Returns status, headers and body. The body is bytes, since some files are compressed.
    async fn answer(request: TestRequest) -> (u16, HeaderMap, Bytes) {
        let app = init_service(App::new().configure(configure(api(mocks()), |_| {}))).await;
        let response = call_service(&app, request.to_request()).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        (status, headers, read_body(response).await)
    }

    fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
        headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    const PATHS: [(&str, &str, &str); 5] = [
        ("/docs/", "text/html; charset=utf-8", ""),
        ("/docs/page.css", "text/css; charset=utf-8", ""),
        ("/docs/page.js", "text/javascript; charset=utf-8", ""),
        ("/docs/swagger-ui.css", "text/css; charset=utf-8", "gzip"),
        ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8", "gzip"),
    ];

    #[actix_web::test]
    async fn all_that_the_page_is_made_of_is_served_and_may_load_nothing_from_elsewhere() {
        let policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
        for (path, content_type, encoding) in PATHS {
            for method in [Method::GET, Method::HEAD] {
                let (status, headers, body) =
                    answer(TestRequest::with_uri(path).method(method)).await;
                assert_eq!(status, 200, "{path}");
                assert_eq!(text(&headers, "content-type"), content_type, "{path}");
                assert_eq!(text(&headers, "content-encoding"), encoding, "{path}");
                assert_eq!(text(&headers, "content-security-policy"), policy, "{path}");
                assert_eq!(text(&headers, "x-content-type-options"), "nosniff", "{path}");
                assert_eq!(text(&headers, "referrer-policy"), "no-referrer", "{path}");
                assert_eq!(text(&headers, "cache-control"), "no-cache", "{path}");
                assert_eq!(body.starts_with(b"\x1f\x8b"), encoding == "gzip", "{path}");
            }
        }
    }

    #[actix_web::test]
    async fn a_browser_that_has_a_file_is_not_sent_it_again() {
        for (path, ..) in PATHS {
            let (_, headers, _) = answer(TestRequest::with_uri(path)).await;
            let tag = text(&headers, "etag");
            let asked = |tags: &str| {
                answer(TestRequest::with_uri(path).insert_header((IF_NONE_MATCH, tags)))
            };
            // A proxy that compresses the body weakens its ETag.
            for tags in [tag, &format!("W/{tag}"), &format!("\"other\", {tag}"), "*"] {
                let (status, headers, body) = asked(tags).await;
                assert_eq!((status, &*body), (304, &b""[..]), "{path} {tags}");
                assert_eq!(text(&headers, "etag"), tag, "{path} {tags}");
                assert_eq!(text(&headers, "cache-control"), "no-cache", "{path} {tags}");
            }
            for tags in ["\"other\"", "nonsense"] {
                let (status, ..) = asked(tags).await;
                assert_eq!(status, 200, "{path} {tags}");
            }
        }
    }

    #[actix_web::test]
    async fn without_its_slash_it_redirects_on_any_host_and_below_any_path() {
        for method in [Method::GET, Method::HEAD] {
            let request = TestRequest::with_uri("/docs")
                .method(method)
                .insert_header(("host", "elsewhere.example"));
            let reply = send(mocks(), request).await;
            assert_eq!(reply.shown(), (307, ""));
            assert_eq!(reply.header("location"), "docs/");
        }
    }

    #[actix_web::test]
    async fn the_page_takes_get_and_head_only() {
        for path in PATHS.map(|(path, ..)| path).into_iter().chain(["/docs"]) {
            for method in [Method::POST, Method::OPTIONS] {
                let reply = send(mocks(), TestRequest::with_uri(path).method(method)).await;
                assert_eq!(
                    reply.shown(),
                    (405, r#"{"detail":{"error":"method not allowed"}}"#),
                    "{path}"
                );
                assert_eq!(reply.header("allow"), "GET, HEAD", "{path}");
            }
        }
    }

    #[actix_web::test]
    async fn other_files_of_swagger_ui_are_not_found() {
        let others = [
            "index.html",
            "oauth2-redirect.html",
            "swagger-initializer.js",
            "swagger-ui-es-bundle.js",
            "..",
            "%2e%2e/docs",
            "/",
        ];
        for name in others {
            let reply = send(mocks(), TestRequest::with_uri(&format!("/docs/{name}"))).await;
            assert_eq!(reply.shown(), (404, r#"{"detail":{"error":"not found"}}"#), "{name}");
        }
    }
}
