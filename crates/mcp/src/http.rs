//! `POST /mcp`: the protocol's streamable HTTP, without sessions. Each request stands alone, so any
//! server behind a load balancer can answer it.

use crate::server::Server;
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use actix_web::web::{Bytes, Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use hearback_api::Api;
use hearback_http::{Failure, RequestContext};
use hearback_ports::deadline;
use hearback_ports::keys::KeyOwner;
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

/// The path.
pub const PATH: &str = "/mcp";

/// The door of agents. The process makes it once, and all its workers share it.
pub struct Mcp {
    api: Arc<Api>,
    config: StreamableHttpServerConfig,
}

impl Mcp {
    /// Makes the door. It takes requests to these hosts and to this machine's own names, and from
    /// pages of the same: a page of another site could have its name resolve to this machine.
    pub fn new(api: Arc<Api>, hosts: impl IntoIterator<Item = String>) -> Self {
        let own = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let hosts: Vec<String> = own.into_iter().chain(hosts).collect();
        let origins = hosts
            .iter()
            .flat_map(|host| ["http", "https"].map(|scheme| format!("{scheme}://{host}:*")));
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(origins)
            .with_allowed_hosts(hosts)
            .with_legacy_session_mode(false)
            .with_json_response(true)
            // The body was read within the limit of the host.
            .with_max_request_body_bytes(usize::MAX);
        Self { api, config }
    }
}

/// Adds the path.
pub fn routes(mcp: Arc<Mcp>) -> impl FnOnce(&mut ServiceConfig) {
    move |config| {
        config.service(hearback_http::post(PATH, answer).app_data(Data::new(mcp)));
    }
}

async fn answer(mcp: Data<Arc<Mcp>>, request: HttpRequest) -> Result<HttpResponse, Failure> {
    let context = RequestContext::of(&request)?;
    context.count_address(&request)?;
    let Some(owner) = deadline::within(owner(&mcp.api, &request)).await? else {
        return Ok(unauthorized());
    };
    context.set_organization(owner.organization);
    context.count_key(owner.organization)?;
    let body = context.body(request.headers()).await?.freeze();
    let server = Server { api: Arc::clone(&mcp.api), owner };
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        mcp.config.clone(),
    );
    let (head, body) = service.handle(forwarded(&request, body)).await.into_parts();
    let Ok(body) = body.collect().await;
    let status = StatusCode::from_u16(head.status.as_u16()).map_err(|_| Failure::Misplaced)?;
    let mut response = HttpResponse::build(status);
    for (name, value) in &head.headers {
        response.append_header((name.as_str(), value.as_bytes()));
    }
    Ok(response.body(body.to_bytes()))
}

/// The organization of the key in the header `Authorization`.
async fn owner(api: &Api, request: &HttpRequest) -> Result<Option<KeyOwner>, Failure> {
    let header = request.headers().get(AUTHORIZATION).and_then(|header| header.to_str().ok());
    let key = header.and_then(|header| {
        let (scheme, key) = header.split_once(' ')?;
        scheme.eq_ignore_ascii_case("Bearer").then_some(key.trim())
    });
    match key {
        Some(key) => api.owner(key).await,
        None => Ok(None),
    }
}

fn unauthorized() -> HttpResponse {
    HttpResponse::Unauthorized()
        .insert_header((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")))
        .content_type("application/json")
        .body(r#"{"detail":{"error":"invalid api_key"}}"#)
}

/// The request in the types of the protocol's crate, without the key.
fn forwarded(request: &HttpRequest, body: Bytes) -> http::Request<Full<Bytes>> {
    let mut forwarded = http::Request::new(Full::new(body));
    *forwarded.method_mut() = http::Method::POST;
    for (name, value) in request.headers().iter().filter(|(name, _)| **name != AUTHORIZATION) {
        let name = http::HeaderName::from_bytes(name.as_str().as_bytes());
        let value = http::HeaderValue::from_bytes(value.as_bytes());
        if let (Ok(name), Ok(value)) = (name, value) {
            forwarded.headers_mut().append(name, value);
        }
    }
    forwarded
}
