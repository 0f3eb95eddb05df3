//! The second factor: the page after the sign-in that asks for it, and its part of the account.

use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue};
use askama::Template;
use hearback_app::second_factor::{self, FactorAnswer, NewFactor, OwnFactor};
use hearback_domain::return_to::ReturnTo;
use hearback_domain::session::NextStep;
use hearback_web::chrome::{Chrome, Part, key};
use hearback_web::fault::Fault;
use hearback_web::form::{Faults, Fields, with_fields};
use hearback_web::visit::{Answer, Request};
use qrcode::{Color, EcLevel, QrCode};

#[derive(Template)]
#[template(path = "second_step.html")]
struct StepPage {
    c: Chrome,
    return_to: String,
    faults: Faults,
}

/// `GET /second-step?return_to=`
pub(crate) async fn ask(request: Request) -> Answer {
    let return_to = ReturnTo::parse(request.query.get("return_to"));
    step(&request, &return_to, Faults::default())
}

fn step(request: &Request, return_to: &ReturnTo, faults: Faults) -> Answer {
    let visit = &request.visit;
    visit.user().ok_or(Fault::SignIn)?;
    let c = Chrome { is_indexed: false, ..request.chrome(Part::None) };
    match visit.next_step {
        None => Ok(request.see(&request.own(return_to.as_str()))),
        Some(NextStep::SetUp) => {
            let set_up = c.url("/account/second-factor");
            Ok(request.see(&with_fields(&set_up, &[("return_to", return_to.as_str())])))
        }
        Some(NextStep::Show) => {
            request.page(&StepPage { c, return_to: return_to.as_str().to_owned(), faults })
        }
    }
}

/// `POST /second-step`
pub(crate) async fn show(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let return_to = ReturnTo::parse(fields.get("return_to"));
    if request.visit.next_step != Some(NextStep::Show) {
        return step(&request, &return_to, Faults::default());
    }
    let Request { web, visit, .. } = &request;
    let shown = second_factor::show(&web.ports, &web.vault, visit, fields.get("code")).await?;
    match refused(&request, &shown) {
        Some(faults) => step(&request, &return_to, faults),
        None => Ok(request.see(&request.own(return_to.as_str()))),
    }
}

#[derive(Template)]
#[template(path = "second_factor.html")]
struct FactorPage {
    c: Chrome,
    own: OwnFactor,
    /// The secret to set up, and its QR code.
    new: Option<(NewFactor, Qr)>,
    return_to: String,
    faults: Faults,
}

#[derive(Template)]
#[template(path = "recovery_codes.html")]
struct CodesPage {
    c: Chrome,
    /// One code on each line.
    codes: String,
    next: String,
}

/// A QR code: its side, and the path of its dark modules.
struct Qr {
    side: usize,
    path: String,
}

impl Qr {
    /// The code of a text, with the margin that readers need. `None`: the text is too long.
    fn of(text: &str) -> Option<Self> {
        let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
        let width = code.width();
        let place = |at: usize| (at % width + MARGIN, at / width + MARGIN);
        let colors = code.to_colors();
        let dark = colors.iter().enumerate().filter(|(_, color)| **color == Color::Dark);
        let path = dark.map(|(at, _)| place(at)).map(|(x, y)| format!("M{x} {y}h1v1h-1z"));
        Some(Self { side: width + 2 * MARGIN, path: path.collect() })
    }
}

/// The light modules around a QR code.
const MARGIN: usize = 4;

/// `GET /account/second-factor`
pub(crate) async fn own(request: Request) -> Answer {
    let return_to = request.query.get("return_to").to_owned();
    page(&request, None, return_to, Faults::default()).await
}

/// The page, with the secret that a form has sent back, or a new one.
async fn page(
    request: &Request,
    sealed: Option<&str>,
    return_to: String,
    faults: Faults,
) -> Answer {
    let Request { web, visit, .. } = request;
    let own = second_factor::own(&web.ports, visit).await?;
    let new = match own.there.is_none() && own.is_new {
        true => {
            let offered = match sealed {
                Some(sealed) => second_factor::offered(&web.vault, visit, sealed)?,
                None => None,
            };
            let new = offered.map_or_else(|| second_factor::offer(&web.vault, visit), Ok)?;
            let qr = Qr::of(new.address.reveal());
            Some((new, qr.unwrap_or(Qr { side: 0, path: String::new() })))
        }
        false => None,
    };
    let c = Chrome { is_indexed: false, ..request.chrome(Part::None) };
    secret_page(request, &FactorPage { c, own, new, return_to, faults })
}

/// A page with a secret, which no browser keeps.
fn secret_page(request: &Request, page: &impl Template) -> Answer {
    let mut response = request.page(page)?;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().remove(ETAG);
    Ok(response)
}

/// `POST /account/second-factor`: sets it up.
pub(crate) async fn set_up(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let Request { web, visit, .. } = &request;
    let (sealed, code) = (fields.get("sealed"), fields.get("code"));
    let answer = second_factor::set_up(&web.ports, &web.vault, visit, sealed, code).await?;
    answered(&request, &fields, answer).await
}

/// `POST /account/second-factor/codes`: makes new recovery codes.
pub(crate) async fn renew(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let Request { web, visit, .. } = &request;
    let answer = second_factor::renew(&web.ports, &web.vault, visit, fields.get("code")).await?;
    answered(&request, &fields, answer).await
}

/// `POST /account/second-factor/off`
pub(crate) async fn turn_off(request: Request) -> Answer {
    request.count()?;
    let fields = request.form().await?;
    let Request { web, visit, .. } = &request;
    let answer = second_factor::turn_off(&web.ports, &web.vault, visit, fields.get("code")).await?;
    answered(&request, &fields, answer).await
}

async fn answered(request: &Request, fields: &Fields, answer: FactorAnswer) -> Answer {
    let return_to = fields.get("return_to").to_owned();
    let account = format!("{}/account", request.base);
    match (refused(request, &answer), answer) {
        (Some(faults), _) => page(request, fields.given("sealed"), return_to, faults).await,
        (None, FactorAnswer::Done(codes)) if !codes.is_empty() => {
            let codes: Vec<&str> = codes.iter().map(|code| code.reveal()).collect();
            let next = match return_to.is_empty() {
                true => account,
                false => request.own(&return_to),
            };
            let c = Chrome { is_indexed: false, ..request.chrome(Part::None) };
            secret_page(request, &CodesPage { c, codes: codes.join("\n"), next })
        }
        (None, _) => Ok(request.see(&with_fields(&account, &[("done", "saved")]))),
    }
}

/// The fault of a code that is refused.
fn refused(request: &Request, answer: &FactorAnswer) -> Option<Faults> {
    let words = match answer {
        FactorAnswer::Done(_) => return None,
        FactorAnswer::Wrong => key("second-factor-wrong"),
        FactorAnswer::TooMany => key("second-factor-too-many"),
        FactorAnswer::Again => key("second-factor-again"),
    };
    let mut faults = Faults::default();
    faults.add("code", request.language.text(words));
    Some(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qr_code_has_its_finder_in_the_corner_and_a_margin() {
        let qr =
            Qr::of("otpauth://totp/Acme:ada%40example.com?secret=GEZDGNBV&issuer=Acme").unwrap();
        assert!(qr.path.starts_with("M4 4h1v1h-1zM5 4h1v1h-1z"), "{}", qr.path);
        assert!(qr.side > 21 + 8 && (qr.side - 8 - 21).is_multiple_of(4), "{}", qr.side);
        assert!(Qr::of(&"x".repeat(10_000)).is_none());
    }
}
