//! Readers of the values of options and arguments.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use hearback_domain::edit::Patch;
use hearback_domain::id::parse_uuid;
use hearback_domain::oidc::{Issuer, NoIssuer, ProviderText};
use hearback_domain::permission::Role;
use hearback_domain::person::{Email, NoEmail};
use hearback_domain::portal::Css;
use hearback_domain::slug::{MAX_SLUG, NoSlug, Slug};
use hearback_domain::text::{Name, WrongLength};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::portal::Setting;
use std::fs;

pub(super) fn slug(text: &str) -> Result<Slug, String> {
    Slug::parse(text).map_err(|reason| match reason {
        NoSlug::Empty => "the slug is empty".to_owned(),
        NoSlug::TooLong => format!("the slug is longer than {MAX_SLUG} characters"),
        NoSlug::Characters => {
            "expected ASCII letters, digits and - _ . ~, and not . or ..".to_owned()
        }
    })
}

/// `on` or `off`.
pub(super) fn switch(text: &str) -> Result<bool, &'static str> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("expected on or off"),
    }
}

/// A setting. An empty text removes its value.
pub(super) fn setting<T: Setting>(text: &str) -> Result<Patch<T>, String> {
    if text.is_empty() { Ok(Patch::Clear) } else { T::read(text).map(Patch::Set) }
}

/// A role, or `none`.
pub(super) fn least_role(text: &str) -> Result<Patch<Role>, &'static str> {
    match text {
        "none" => Ok(Patch::Clear),
        code => {
            Role::parse(code).map(Patch::Set).ok_or("expected owner, admin, member, viewer or none")
        }
    }
}

/// The style sheet in a file. An empty path or file removes the style sheet.
pub(super) fn css(path: &str) -> Result<Patch<Css>, String> {
    if path.is_empty() {
        return Ok(Patch::Clear);
    }
    setting(&fs::read_to_string(path).map_err(|error| format!("cannot read it: {error}"))?)
}

pub(super) fn name(text: &str) -> Result<Name, String> {
    Name::parse(text).map_err(|reason| match reason {
        WrongLength::Below(least) => format!("expected at least {least} character"),
        WrongLength::Above(most) => format!("expected at most {most} characters"),
    })
}

/// An email address.
pub(super) fn email(text: &str) -> Result<Email, &'static str> {
    Email::parse(text).map_err(|NoEmail| "expected an address such as ada@example.com")
}

/// The name of a provider, its client, or a claim.
pub(super) fn provider_text(text: &str) -> Result<ProviderText, String> {
    ProviderText::read(text)
}

/// The URL of an issuer.
pub(super) fn issuer(text: &str) -> Result<Issuer, &'static str> {
    Issuer::parse(text).map_err(|NoIssuer| "expected a URL without a user, a query and a fragment")
}

pub(super) fn id<T: From<Uuid>>(text: &str) -> Result<T, &'static str> {
    parse_uuid(text)
        .map(T::from)
        .ok_or("expected an identifier such as 0199aabb-ccdd-7eee-8fff-001122334455")
}

pub(super) fn time(text: &str) -> Result<Time, &'static str> {
    Time::parse(text).map_err(|_| "expected a time such as 2026-03-01 or 2026-03-01T09:30:00Z")
}

/// Reads a code of a closed set. The help lists all codes, and so does the error about another one.
pub(super) fn one_of<T: ClosedSet + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let codes = T::ALL.iter().map(|value| value.code());
    PossibleValuesParser::new(codes).try_map(|code| T::parse(&code).ok_or("unknown value"))
}
