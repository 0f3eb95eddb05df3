//! The files of the pages: one style sheet, one script. Their addresses have the digest of their
//! content, so that browsers keep them for good.

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_http::Failure;
use ring::digest::{SHA256, digest};
use std::sync::LazyLock;

struct Asset {
    name: &'static str,
    content_type: &'static str,
    content: &'static str,
    digest: String,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    [
        ("portal.css", "text/css; charset=utf-8", include_str!("../assets/portal.css")),
        ("portal.js", "text/javascript; charset=utf-8", include_str!("../assets/portal.js")),
        ("images.js", "text/javascript; charset=utf-8", include_str!("../assets/images.js")),
        ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
    ]
    .into_iter()
    .map(|(name, content_type, content)| Asset {
        name,
        content_type,
        content,
        digest: short_digest(content.as_bytes()),
    })
    .collect()
});

/// The address of a file below the base of a portal.
pub(crate) fn address(base: &str, name: &str) -> String {
    let digest = ASSETS.iter().find(|asset| asset.name == name).map(|asset| &*asset.digest);
    format!("{base}/assets/{}/{name}", digest.unwrap_or("-"))
}

/// `/assets/{digest}/{name}`. Another digest leads to the present file, which is kept for no time.
pub(crate) async fn show(request: HttpRequest) -> Result<HttpResponse, Failure> {
    let part = |name: &str| request.match_info().get(name).unwrap_or_default();
    let name = part("name");
    let asset = ASSETS.iter().find(|asset| asset.name == name).ok_or(Failure::UnknownPath)?;
    let kept = if part("digest") == asset.digest { FOR_GOOD } else { "no-cache" };
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, asset.content_type))
        .insert_header((CACHE_CONTROL, kept))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(asset.content))
}

/// The value of `Cache-Control` for a file whose address has its digest.
pub(crate) const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// A part of the digest of a content, which is enough for an address.
pub(crate) fn short_digest(content: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&digest(&SHA256, content).as_ref()[..9])
}
