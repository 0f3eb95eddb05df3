//! Support for the tests of this crate: an application over mocks, and requests to it.

use crate::{Api, Host, Limits, configure, paths};
use actix_web::App;
use actix_web::body::to_bytes;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::web::Bytes;
use futures_util::Stream;
use hearback_app::{MasterKey, Vault};
use hearback_domain::id::OrganizationId;
use hearback_domain::organization::HelpCenter;
use hearback_domain::{Time, Uuid};
use hearback_ports::event_sink::MockEventSink;
use hearback_ports::keys::KeyOwner;
use hearback_ports::mock::Mocks;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The only valid key.
pub(crate) const KEY: &str = "hbk_0123456789012345678901234567890123456789012";

/// The owner of [`KEY`].
pub(crate) const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(0xacce));

/// The greatest length of a body, in bytes.
pub(crate) const MAX_BODY: usize = 100_000;

/// The identifier that the mocks make each time.
pub(crate) const FRESH: &str = "00000000-0000-0000-0000-000000000f0f";

/// Mocks of the services that every request uses: a clock that stands still, identifiers, and the
/// key.
pub(crate) fn mocks() -> Mocks {
    let mut mocks = Mocks::default();
    mocks.clock.expect_elapsed().return_const(Duration::ZERO);
    mocks.clock.expect_now().return_const(time("2026-03-01T09:30:00Z"));
    mocks.ids.expect_fresh().return_const(Uuid::from_u128(0xf0f));
    let owner = KeyOwner {
        organization: ORGANIZATION,
        help_center: HelpCenter::Disabled,
        events_ledger: false,
    };
    let good = hearback_app::vault::digest(KEY);
    mocks.keys.expect_owner().returning(move |digest| Ok((digest == good).then_some(owner)));
    mocks
}

/// A time.
pub(crate) fn time(text: &str) -> Time {
    Time::parse(text).unwrap()
}

/// A vault over a master key for tests.
pub(crate) fn vault() -> Vault {
    Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap())
}

/// An API over mocks.
pub(crate) fn api(mocks: Mocks) -> Arc<Api> {
    limited(mocks, Limits::default())
}

/// An API over mocks with these limits, except that of the body's length, which is [`MAX_BODY`].
pub(crate) fn limited(mocks: Mocks, limits: Limits) -> Arc<Api> {
    let limits = Limits { max_body_bytes: MAX_BODY, ..limits };
    let ports = mocks.ports();
    let host = Host::new(&ports, limits, paths());
    Arc::new(Api::new(host, ports, Arc::new(vault()), Arc::new(MockEventSink::new())))
}

/// A response.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Reply {
    /// Status and body.
    pub(crate) fn shown(&self) -> (u16, &str) {
        (self.status, &self.body)
    }

    /// The value of a header, empty if the response does not have it.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Calls an endpoint with [`KEY`].
pub(crate) async fn call(mocks: Mocks, path: &str, mut body: Value) -> Reply {
    body["api_key"] = KEY.into();
    send(mocks, post(path).set_payload(body.to_string())).await
}

/// Makes a request to an endpoint.
pub(crate) fn post(path: &str) -> TestRequest {
    TestRequest::post().uri(&format!("/api/external/v1{path}"))
}

/// Sends a request to an API over mocks.
pub(crate) async fn send(mocks: Mocks, request: TestRequest) -> Reply {
    send_to(api(mocks), request).await
}

/// Sends a request to an API.
pub(crate) async fn send_to(api: Arc<Api>, request: TestRequest) -> Reply {
    answer(api, request, None).await
}

/// Sends a request whose body arrives in chunks.
pub(crate) async fn stream(
    mocks: Mocks,
    request: TestRequest,
    body: impl Stream<Item = Result<Bytes, PayloadError>> + 'static,
) -> Reply {
    answer(api(mocks), request, Some(Payload::Stream { payload: Box::pin(body) })).await
}

async fn answer(api: Arc<Api>, request: TestRequest, body: Option<Payload>) -> Reply {
    let app = init_service(App::new().configure(configure(api, |_| {}))).await;
    let mut request = request.to_request();
    if let Some(body) = body {
        request = request.replace_payload(body).0;
    }
    let response = match try_call_service(&app, request).await {
        Ok(response) => response.into_parts().1,
        Err(error) => error.error_response(),
    };
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = to_bytes(response.into_body()).await.ok().unwrap();
    Reply { status, headers, body: String::from_utf8(body.to_vec()).unwrap() }
}
