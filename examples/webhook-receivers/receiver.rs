//! Receives webhooks of Hearback:
//!
//! ```sh
//! cargo add actix-web@4 base64@0.22 hex@0.4 ring@0.17 serde_json@1
//! WEBHOOK_SECRET=whsec_… PORT=3000 cargo run
//! ```
//!
//! docs/webhooks.md explains the checks of a request.

use actix_web::http::header::HeaderMap;
use actix_web::web::{self, Bytes, Data, PayloadConfig};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac::{self, HMAC_SHA256, Key};
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::error::Error;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::SystemTime;

const MAX_BODY: usize = 1024 * 1024; // bytes
const MAX_AGE: u64 = 5 * 60; // seconds
const REMEMBERED: usize = 10_000; // deliveries

type Delivery = (String, Value);

/// The two keys of a secret.
#[derive(Clone)]
struct Keys {
    text: Key,
    decoded: Key,
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The secret that `hearback webhook add` printed.
    let secret = std::env::var("WEBHOOK_SECRET").map_err(|_| "WEBHOOK_SECRET is not set")?;
    let port: u16 = std::env::var("PORT").map_or(Ok(3000), |port| port.parse())?;
    let decoded = STANDARD
        .decode(secret.trim_start_matches("whsec_"))
        .map_err(|_| "WEBHOOK_SECRET is no Base64")?;
    let keys = Keys {
        text: Key::new(HMAC_SHA256, secret.as_bytes()),
        decoded: Key::new(HMAC_SHA256, &decoded),
    };

    let (deliveries, received) = channel();
    std::thread::spawn(move || work(&received));
    let app = move || {
        App::new()
            .app_data(PayloadConfig::new(MAX_BODY))
            .app_data(Data::new(keys.clone()))
            .app_data(Data::new(deliveries.clone()))
            .default_service(web::post().to(receive))
    };
    let server = HttpServer::new(app).bind(("127.0.0.1", port))?;
    for address in server.addrs() {
        println!("listening on http://{address}");
    }
    Ok(server.run().await?)
}

/// The body is verified as it came: equal JSON in another form has another signature.
async fn receive(
    request: HttpRequest,
    body: Bytes,
    keys: Data<Keys>,
    deliveries: Data<Sender<Delivery>>,
) -> HttpResponse {
    let Some(id) = genuine(request.headers(), &body, &keys) else {
        return HttpResponse::Unauthorized().finish();
    };
    let Ok(event) = serde_json::from_slice(&body) else {
        return HttpResponse::BadRequest().finish();
    };
    // The receiver answers at once and works afterwards. Store an event before the answer if it
    // must survive a crash: Hearback does not send it again after the answer.
    match deliveries.send((id, event)) {
        Ok(()) => HttpResponse::NoContent().finish(),
        Err(_) => HttpResponse::ServiceUnavailable().finish(),
    }
}

/// The delivery's identifier, if Hearback sent the request as it is and just now. ring compares
/// signatures in constant time.
fn genuine(headers: &HeaderMap, body: &[u8], keys: &Keys) -> Option<String> {
    let header = |name| headers.get(name)?.to_str().ok();
    let signature = hex::decode(header("X-Service-Signature")?.strip_prefix("sha256=")?).ok()?;
    hmac::verify(&keys.text, body, &signature).ok()?;

    // The first signature proves the body. This one proves the delivery's identifier and the time
    // too: without it, a delivery that was seen on the way could be sent again as a new one.
    let (id, timestamp) = (header("webhook-id")?, header("webhook-timestamp")?);
    let signed = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
    // After a rotation of the secret, there is more than one signature for a day.
    let is_signed = header("webhook-signature")?.split(' ').any(|signature| {
        let signature =
            signature.strip_prefix("v1,").and_then(|base64| STANDARD.decode(base64).ok());
        signature.is_some_and(|signature| hmac::verify(&keys.decoded, &signed, &signature).is_ok())
    });
    let is_recent = unix_time().abs_diff(timestamp.parse().ok()?) <= MAX_AGE;
    (is_signed && is_recent).then(|| id.to_owned())
}

/// Seconds since 1970.
fn unix_time() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "this program has no clock port")]
    let now = SystemTime::UNIX_EPOCH.elapsed();
    now.map_or(0, |elapsed| elapsed.as_secs())
}

/// Handles each delivery once. A real receiver stores the identifiers with the results of the
/// events.
fn work(deliveries: &Receiver<Delivery>) {
    let mut seen = HashSet::new();
    let mut order = VecDeque::new();
    for (id, event) in deliveries {
        if !seen.insert(id.clone()) {
            continue;
        }
        order.push_back(id);
        if order.len() > REMEMBERED
            && let Some(oldest) = order.pop_front()
        {
            seen.remove(&oldest);
        }
        handle(&event);
    }
}

fn handle(event: &Value) {
    if event["event"] == "vote.created" {
        println!("a vote for {}", event["data"]["post_title"].as_str().unwrap_or_default());
    }
    // Other types are ignored: a type may be newer than this program.
}
