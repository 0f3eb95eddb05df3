//! The image of a form, which becomes a part of its text.

use crate::chrome::{Chrome, MEGABYTES, Part, key};
use crate::fault::Fault;
use crate::form::{Faults, Fields, Upload};
use crate::visit::Request;
use hearback_app::images::UploadError;
use hearback_domain::ClosedSet;
use hearback_domain::image::{Image, ImageFormat, MAX_IMAGE, MAX_PIXELS};
use hearback_ports::images::UnfitImage;

/// The button of a form that adds its image and sends nothing yet.
const ADD: &str = "add";

/// Adds the image of a form to the end of one of its texts. The faults are for the form, if it is to
/// be shown again: the image was not taken, or the visitor has asked for nothing more.
pub async fn attach(
    request: &Request,
    fields: &mut Fields,
    text: &str,
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
                let whole = format!("{}\n\n{}", fields.lines(text), markdown(&image, &file.name));
                fields.set(text, whole.trim_start().to_owned());
            }
            Err(words) => faults.add("image", words),
        },
    }
    Ok((is_only_added || !faults.is_empty()).then_some(faults))
}

/// Takes an upload, or says what is wrong with it.
pub async fn take(request: &Request, file: &Upload) -> Result<Result<Image, String>, Fault> {
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
pub fn image_types() -> String {
    ImageFormat::ALL.iter().map(|format| format.code()).collect::<Vec<_>>().join(",")
}

/// The Markdown that shows an image, with the words of its file's name.
pub fn markdown(image: &Image, file: &str) -> String {
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
    use hearback_domain::image::ImageDigest;

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
