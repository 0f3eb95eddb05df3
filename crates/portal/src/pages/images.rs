//! Images: their files, and the uploads of scripts.

use actix_web::HttpResponse;
use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName,
};
use hearback_domain::ClosedSet;
use hearback_domain::image::{COPY_WIDTHS, ImageDigest};
use hearback_web::assets;
use hearback_web::fault::Fault;
use hearback_web::images::{markdown, take};
use hearback_web::visit::{Answer, Request, is_known, protect};
use serde_json::json;

/// `GET /images/{digest}`, and with `?w=` a smaller copy. The address has the digest of the content.
pub(crate) async fn show(request: Request) -> Answer {
    let digest = ImageDigest::parse(request.part("digest")).ok_or(Fault::Gone)?;
    let width = match request.query.get("w") {
        "" => None,
        width => {
            let width = width.parse().ok().filter(|width| COPY_WIDTHS.contains(width));
            Some(width.ok_or(Fault::Gone)?)
        }
    };
    let Request { visit, web, .. } = &request;
    let is_private = visit.frame.organization.portal.is_private;
    let tag = format!("\"{digest}-{}\"", width.unwrap_or_default());
    let mut response = HttpResponse::Ok();
    protect(&mut response, false);
    response
        // Opened by itself, an image is a page that runs nothing and loads nothing.
        .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"))
        .insert_header((CONTENT_DISPOSITION, "inline"))
        .insert_header((ETAG, tag.clone()));
    // The images of a private portal are for those who are signed in at this moment. Feeds and mails
    // of the others show their images elsewhere.
    let (kept, site) = match is_private {
        true => ("private, no-cache", "same-origin"),
        false => (assets::FOR_GOOD, "cross-origin"),
    };
    response
        .insert_header((CACHE_CONTROL, kept))
        .insert_header((HeaderName::from_static("cross-origin-resource-policy"), site));
    if is_known(request.http.headers(), &tag) {
        response.status(StatusCode::NOT_MODIFIED);
        return Ok(response.finish());
    }
    let opened = web.images.open(visit.organization(), digest, width).await;
    let opened = opened.map_err(hearback_app::Error::from)?.ok_or(Fault::Gone)?;
    response.insert_header((CONTENT_TYPE, opened.format.code()));
    Ok(response.body(SizedStream::new(opened.length, opened.pieces)))
}

/// `POST /images`: for a script, takes an image, and answers with its address and the Markdown that
/// shows it.
pub(crate) async fn upload(request: Request) -> Answer {
    request.count()?;
    hearback_app::images::may_upload(&request.visit)?;
    let fields = request.form().await?;
    let file = fields.file.as_ref().ok_or(Fault::Form)?;
    let (status, answer) = match take(&request, file).await? {
        Ok(image) => {
            let url = format!("{}{}", request.base, image.path());
            (StatusCode::OK, json!({ "url": url, "markdown": markdown(&image, &file.name) }))
        }
        Err(words) => (StatusCode::UNPROCESSABLE_ENTITY, json!({ "detail": { "error": words } })),
    };
    let mut response = HttpResponse::build(status);
    protect(&mut response, false);
    Ok(response
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(answer.to_string()))
}
