//! The files of the pages: one style sheet, one script. Their addresses have the digest of their
//! content, so that browsers keep them for good. Each file is compressed once.

use actix_web::http::header::{
    AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, Encoding, Header, VARY,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use hearback_http::Failure;
use ring::digest::{SHA256, digest};
use std::io::Write;
use std::sync::LazyLock;

struct Asset {
    name: &'static str,
    content_type: &'static str,
    content: &'static str,
    gzipped: Vec<u8>,
    digest: String,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    [
        ("portal.css", "text/css; charset=utf-8", include_str!("../assets/portal.css")),
        ("portal.js", "text/javascript; charset=utf-8", include_str!("../assets/portal.js")),
        ("dashboard.css", "text/css; charset=utf-8", include_str!("../assets/dashboard.css")),
        ("dashboard.js", "text/javascript; charset=utf-8", include_str!("../assets/dashboard.js")),
        ("images.js", "text/javascript; charset=utf-8", include_str!("../assets/images.js")),
        ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
    ]
    .into_iter()
    .map(|(name, content_type, content)| Asset {
        name,
        content_type,
        content,
        gzipped: gzipped(content),
        digest: short_digest(content.as_bytes()),
    })
    .collect()
});

fn gzipped(content: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(content.as_bytes());
    encoder.finish().unwrap_or_default()
}

/// The address of a file below the base of a portal.
pub fn address(base: &str, name: &str) -> String {
    let digest = ASSETS.iter().find(|asset| asset.name == name).map(|asset| &*asset.digest);
    format!("{base}/assets/{}/{name}", digest.unwrap_or("-"))
}

/// `/assets/{digest}/{name}`. Another digest leads to the present file, which is kept for no time.
pub async fn show(request: HttpRequest) -> Result<HttpResponse, Failure> {
    let part = |name: &str| request.match_info().get(name).unwrap_or_default();
    let name = part("name");
    let asset = ASSETS.iter().find(|asset| asset.name == name).ok_or(Failure::UnknownPath)?;
    let kept = if part("digest") == asset.digest { FOR_GOOD } else { "no-cache" };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, asset.content_type))
        .insert_header((CACHE_CONTROL, kept))
        .insert_header((VARY, "Accept-Encoding"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"));
    let encodings = [Encoding::gzip(), Encoding::identity()];
    let accepted = AcceptEncoding::parse(&request).ok();
    let best = accepted.and_then(|accepted| accepted.negotiate(encodings.iter()));
    Ok(match best == Some(Encoding::gzip()) {
        true => response.insert_header((CONTENT_ENCODING, "gzip")).body(asset.gzipped.as_slice()),
        false => response.body(asset.content),
    })
}

/// The value of `Cache-Control` for a file whose address has its digest.
pub const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// A part of the digest of a content, which is enough for an address.
pub fn short_digest(content: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&digest(&SHA256, content).as_ref()[..9])
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::ACCEPT_ENCODING;
    use actix_web::test::{TestRequest, call_service, init_service, read_body};
    use actix_web::{App, web};
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[actix_web::test]
    async fn a_file_is_compressed_for_browsers_that_accept_it() {
        let app = App::new().route("/assets/{digest}/{name}", web::get().to(show));
        let service = init_service(app).await;
        for asset in ASSETS.iter() {
            for (accepted, is_gzipped) in
                [("gzip, br", true), ("gzip;q=0", false), ("br", false), ("", false)]
            {
                let request = TestRequest::with_uri(&address("", asset.name));
                let request = request.insert_header((ACCEPT_ENCODING, accepted)).to_request();
                let response = call_service(&service, request).await;
                let encoding = response.headers().get(CONTENT_ENCODING).cloned();
                assert_eq!(encoding.is_some(), is_gzipped, "{accepted}");
                assert_eq!(response.headers().get(CACHE_CONTROL).unwrap(), FOR_GOOD);
                let body = read_body(response).await;
                let mut content = String::new();
                match is_gzipped {
                    true => GzDecoder::new(&*body).read_to_string(&mut content).unwrap(),
                    false => (&*body).read_to_string(&mut content).unwrap(),
                };
                assert_eq!(content, asset.content);
            }
        }
    }
}
