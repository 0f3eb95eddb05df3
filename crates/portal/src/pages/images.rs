//! Images: their files, uploads, and the image of a form.

use actix_web::HttpResponse;
use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName,
};
use hearback_app::images::UploadError;
use hearback_domain::ClosedSet;
use hearback_domain::image::{COPY_WIDTHS, Image, ImageDigest, ImageFormat, MAX_IMAGE, MAX_PIXELS};
use hearback_ports::images::UnfitImage;
use hearback_web::assets;
use hearback_web::chrome::{Chrome, MEGABYTES, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::{Faults, Fields, Upload};
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

/// The button of a form that adds its image and sends nothing yet.
pub(super) const ADD: &str = "add";

/// Adds the image of a form to the end of its text. The faults are for the form, if it is to be shown
/// again: the image was not taken, or the visitor has asked for nothing more.
pub(super) async fn attach(
    request: &Request,
    fields: &mut Fields,
) -> Result<Option<Faults>, Fault> {
    let mut faults = Faults::default();
    let is_only_added = fields.given(ADD).is_some();
    match fields.file.take().filter(|_| request.visit.user().is_some()) {
        None if is_only_added => {
            faults.add("image", request.language.text(key("fault-image-missing")));
        }
        None => {}
        Some(file) => match take(request, &file).await? {
            Ok(image) => {
                let text = format!("{}\n\n{}", fields.lines("text"), markdown(&image, &file.name));
                fields.set("text", text.trim_start().to_owned());
            }
            Err(words) => faults.add("image", words),
        },
    }
    Ok((is_only_added || !faults.is_empty()).then_some(faults))
}

/// Takes an upload, or says what is wrong with it.
pub(super) async fn take(request: &Request, file: &Upload) -> Result<Result<Image, String>, Fault> {
    let c = request.chrome(Part::None);
    let content = file.content.clone().filter(|content| content.len() <= MAX_IMAGE);
    let Some(content) = content else {
        return Ok(Err(c.n("fault-image-large", &MEGABYTES)));
    };
    if request.count_form().is_err() {
        return Ok(Err(c.t("doubt-limited")));
    }
    let Request { visit, web, .. } = request;
    match web.images.upload(&web.ports, visit, content).await {
        Ok(image) => Ok(Ok(image)),
        Err(UploadError::Unfit(unfit)) => Ok(Err(words(&c, unfit))),
        Err(UploadError::Full) => Ok(Err(c.t("fault-image-full"))),
        Err(UploadError::Failed(error)) => Err(error.into()),
    }
}

fn words(c: &Chrome, unfit: UnfitImage) -> String {
    match unfit {
        UnfitImage::Format => c.t("fault-image-format"),
        UnfitImage::TooLarge => {
            let pixels = i64::try_from(MAX_PIXELS / 1_000_000).unwrap_or(i64::MAX);
            c.n("fault-image-pixels", &pixels)
        }
        UnfitImage::Broken => c.t("fault-image-broken"),
        UnfitImage::Busy => c.t("fault-image-busy"),
    }
}

/// The types of the files that a field takes.
pub(crate) fn image_types() -> String {
    ImageFormat::ALL.iter().map(|format| format.code()).collect::<Vec<_>>().join(",")
}

/// The Markdown that shows an image, with the words of its file's name.
fn markdown(image: &Image, file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '(' | ')' | ',' | '.');
    let words: String = name.chars().map(|c| if is_word(c) { c } else { ' ' }).take(100).collect();
    let words: Vec<&str> = words.split_whitespace().collect();
    format!("![{}]({})", words.join(" "), image.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Time;

    #[test]
    fn an_image_is_called_what_its_file_is_called() {
        let image = Image {
            digest: ImageDigest([0xa7; 32]),
            format: ImageFormat::Png,
            width: 8,
            height: 6,
            bytes: 1,
            created_at: Time::MIN,
            review_at: Time::MIN,
        };
        let path = image.path();
        for (file, words) in [
            ("Dark_mode (new).png", "Dark mode (new)"),
            ("C:\\photos\\größe.jpeg", "größe"),
            ("](javascript:alert(1))![.png", "(javascript alert(1))"),
            ("", ""),
        ] {
            assert_eq!(markdown(&image, file), format!("![{words}]({path})"), "{file}");
        }
    }
}
