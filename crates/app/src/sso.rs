//! Single sign-on: the token by which the customer's own software signs a person in.
//!
//! A token is a JSON Web Token (RFC 7519), signed with HMAC-SHA256 (`HS256`) and a secret that the
//! organization and Hearback share. The algorithm is pinned: the signature is verified over the
//! text of the token before anything of it is parsed, so that no header chooses another way.
//!
//! Nothing here is stored. A token is good once: the caller remembers its digest until
//! [`SsoUser::expires_at`].

use crate::vault::NoRandomness;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hearback_domain::Time;
use hearback_domain::attributes::{
    Attribute, AttributeText, AttributesPatch, MOST_ATTRIBUTES, NoNumber, Number, is_key,
};
use hearback_domain::company::CompanyPatch;
use hearback_domain::millis::{DAY, MINUTE};
use hearback_domain::person::Email;
use hearback_domain::spend::Spend;
use hearback_domain::text::{ExternalId, Name, ShortText};
use hearback_domain::web_url::WebUrl;
use hearback_ports::attributes::value_from_json;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use zeroize::Zeroizing;

/// The most bytes of a token.
pub const MAX_TOKEN: usize = 8 * 1024;

/// How far ahead a token may end, in milliseconds: 24 hours.
pub const MAX_LIFE: i64 = DAY;

/// How much the clock of the signer may differ, in milliseconds: 60 seconds.
pub const SKEW: i64 = MINUTE;

/// The most characters of an [`SsoSecret`].
pub const MAX_SECRET: usize = 256;

/// A secret with which the customer's software signs its tokens: 1 to [`MAX_SECRET`] visible
/// characters of ASCII. `Debug` does not show it.
///
/// The bytes of the text are the key. A secret of another tool is taken over as it is.
#[derive(Clone)]
pub struct SsoSecret(Zeroizing<String>);

/// The text is not an [`SsoSecret`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected 1 to 256 visible characters of ASCII, without spaces")]
pub struct NoSsoSecret;

impl SsoSecret {
    /// Checks a secret.
    pub fn parse(text: &str) -> Result<Self, NoSsoSecret> {
        let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_visible || !(1..=MAX_SECRET).contains(&text.len()) {
            return Err(NoSsoSecret);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// Makes a secret: `hbsso_` and the base64url of 32 random bytes.
    pub fn generate() -> Result<Self, NoRandomness> {
        let mut bytes = Zeroizing::new([0; 32]);
        SystemRandom::new().fill(&mut *bytes).map_err(|_| NoRandomness)?;
        let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(*bytes));
        Ok(Self(Zeroizing::new(format!("{PREFIX}{}", *text))))
    }

    /// The secret, to show to its owner or to seal.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SsoSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SsoSecret(…)")
    }
}

/// The person of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsoUser {
    /// The email address: `email`.
    pub email: Email,
    /// The identifier in the customer's software: the first of `sub`, `id`, `userId` and `user_id`
    /// that is a text or an integer.
    pub external_id: ExternalId,
    /// The name: `name`.
    pub name: Option<Name>,
    /// The URL of a picture: the first of `avatar_url`, `avatarURL`, `profilePicture` and
    /// `avatarUrl` that is a web address.
    pub avatar_url: Option<WebUrl>,
    /// The company: the first of `companies`.
    pub company: Option<SsoCompany>,
    /// The other companies, in the order of `companies`.
    pub other_companies: Vec<SsoCompany>,
    /// New values of attributes: `attributes` or `customFields`. `null` removes an attribute.
    pub attributes: AttributesPatch,
    /// The language: `locale`.
    pub locale: Option<ShortText>,
    /// From this time on, [`verify`] refuses the token. It is `exp` and the skew. A caller that
    /// remembers the token until then does not accept it twice.
    pub expires_at: Time,
}

/// A company of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsoCompany {
    /// The identifier in the customer's software: `id` or `companyId`.
    pub external_id: ExternalId,
    /// The name: `name`.
    pub name: Option<Name>,
    /// What the company pays in a month: `monthlySpend`, a number or a decimal string. A number is
    /// rounded to two places.
    pub monthly_spend: Option<Spend>,
    /// New values of attributes: `attributes` or `customFields`. `null` removes an attribute.
    pub attributes: AttributesPatch,
}

impl From<SsoCompany> for CompanyPatch {
    fn from(company: SsoCompany) -> Self {
        Self {
            external_id: company.external_id,
            name: company.name,
            monthly_spend: company.monthly_spend,
            customer_status: None,
            attributes: company.attributes,
        }
    }
}

/// Why a token is refused. The texts are for the people who write the signer: they say what is
/// wrong and how to mend it. None has a part of the token or of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SsoFault {
    /// The token has more than [`MAX_TOKEN`] bytes.
    #[error("the token is longer than 8 KiB: leave out claims that are not needed")]
    TooLong,
    /// The organization has no secret.
    #[error("the organization has no secret for single sign-on: make one in the settings")]
    NoSecret,
    /// The token has not three parts.
    #[error(
        "the token has not three parts with a dot between them: send the whole text that the JWT \
         library returns"
    )]
    Parts,
    /// The third part is empty.
    #[error("the token has no signature: sign it with HS256 and the organization's secret")]
    Unsigned,
    /// A part is not base64url, or has padding.
    #[error(
        "a part of the token is not base64url without `=`: send the text that the JWT library \
         returns, unchanged"
    )]
    Base64,
    /// No secret made the signature over the first two parts.
    #[error(
        "the signature fits no secret of the organization: sign with HS256, and use the text of \
         the secret as the key, without decoding it"
    )]
    Signature,
    /// The first part is not a JSON object.
    #[error("the header is not a JSON object: make the token with a JWT library")]
    Header,
    /// The `alg` of the header is not `HS256`.
    #[error("the `alg` of the header is not HS256: tell the JWT library to sign with HS256")]
    Algorithm,
    /// The `typ` of the header is not `JWT`.
    #[error("the `typ` of the header is not JWT: set it to JWT, or leave it out")]
    Type,
    /// The header has `crit`.
    #[error("the header has `crit`, and no extension is supported: leave it out")]
    Critical,
    /// The second part is not a JSON object.
    #[error("the claims are not a JSON object: give an object to the JWT library")]
    Claims,
    /// The header or the claims have two members of one name.
    #[error("a name occurs twice in the header or among the claims: give each name once")]
    Repeated,
    /// There is no `exp`.
    #[error("the token has no `exp`: add the time at which it ends, in seconds")]
    NoExp,
    /// The `exp` is not a number.
    #[error("`exp` is not a number: give the time as seconds since 1970, without quotes")]
    BadExp,
    /// The `exp` is in the past.
    #[error(
        "the token has expired: make a new one for each sign-in, and compare the clock of the \
         signer if it is new"
    )]
    Expired,
    /// The `exp` is more than [`MAX_LIFE`] ahead.
    #[error(
        "`exp` is more than 24 hours ahead: let the token end sooner, and give the time in \
         seconds, not in milliseconds"
    )]
    TooFarAhead,
    /// The `nbf` is not a number.
    #[error("`nbf` is not a number: give the time as seconds since 1970, or leave it out")]
    BadNbf,
    /// The `nbf` is in the future.
    #[error(
        "the token is not valid yet, since `nbf` is in the future: leave it out, or set the clock \
         of the signer"
    )]
    TooEarly,
    /// The `iat` is not a number.
    #[error("`iat` is not a number: give the time as seconds since 1970, or leave it out")]
    BadIat,
    /// The `iat` is in the future.
    #[error(
        "the token is from the future by its `iat`: set the clock of the signer, and give the time \
         in seconds, not in milliseconds"
    )]
    FromTheFuture,
    /// The `aud` has none of the audiences.
    #[error(
        "the token is for another audience: set `aud` to the address of this portal, or leave it \
         out"
    )]
    Audience,
    /// There is no `email`.
    #[error("the token has no `email`: add the email address of the person")]
    NoEmail,
    /// The `email` is not an address.
    #[error("`email` is not an email address: give one address alone, such as ada@example.com")]
    BadEmail,
    /// There is no identifier.
    #[error(
        "the token has no identifier: add `sub` with the identifier of the person in your software"
    )]
    NoIdentifier,
    /// The identifier is too long, or has control characters.
    #[error(
        "the identifier of the person is longer than 255 characters or has control characters: use \
         a shorter one that never changes"
    )]
    BadIdentifier,
}

/// Verifies a token and reads its person.
///
/// Any of the `secrets` may have signed it: there are two during a rotation. If the token has
/// `aud`, it must name one of the `audiences`. `exp` is required, and lies at most [`MAX_LIFE`]
/// ahead. `nbf` and `iat` are not in the future, if given. All times have a [`SKEW`].
///
/// Only `exp`, `email` and the identifier are required. Another claim that is `null`, empty or of
/// no use is as if it were not given. So is an attribute whose name or value is not that of one,
/// and all beyond the first [`MOST_ATTRIBUTES`] by name.
///
/// # Errors
///
/// The first [`SsoFault`] that is found. Nothing about the content of a token is told unless its
/// signature is right.
pub fn verify(
    token: &str,
    secrets: &[SsoSecret],
    audiences: &[&str],
    now: Time,
) -> Result<SsoUser, SsoFault> {
    let (header, claims) = authentic(token, secrets)?;
    check_header(&Object::read(&decoded(header, SsoFault::Header)?, SsoFault::Header)?)?;
    let claims = decoded(claims, SsoFault::Claims)?;
    let claims = Object::read(&claims, SsoFault::Claims)?;
    let expires_at = check_times(&claims, now)?;
    check_audience(&claims, audiences)?;
    let email = claims.given("email").ok_or(SsoFault::NoEmail)?;
    let email = text(email).ok_or(SsoFault::BadEmail)?;
    let mut companies = companies(&claims).into_iter();
    Ok(SsoUser {
        email: Email::parse(&email).map_err(|_| SsoFault::BadEmail)?,
        external_id: external_id(&claims, &["sub", "id", "userId", "user_id"])?,
        name: name(&claims),
        avatar_url: claims
            .first(&["avatar_url", "avatarURL", "profilePicture", "avatarUrl"], web_url),
        company: companies.next(),
        other_companies: companies.collect(),
        attributes: attributes(&claims),
        locale: claims.given("locale").and_then(locale),
        expires_at,
    })
}

/// The header and the claims of a token, encoded, if one of the secrets signed them.
fn authentic<'a>(token: &'a str, secrets: &[SsoSecret]) -> Result<(&'a str, &'a str), SsoFault> {
    if token.len() > MAX_TOKEN {
        return Err(SsoFault::TooLong);
    }
    if secrets.is_empty() {
        return Err(SsoFault::NoSecret);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(SsoFault::Parts)?;
    let (header, claims) = signed.split_once('.').ok_or(SsoFault::Parts)?;
    if claims.contains('.') {
        return Err(SsoFault::Parts);
    }
    if signature.is_empty() {
        return Err(SsoFault::Unsigned);
    }
    // This engine refuses padding and stray last bits. So a signature has only one text, and a used
    // token cannot return in another one.
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| SsoFault::Base64)?;
    let fits = |secret: &SsoSecret| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.0.as_bytes());
        hmac::verify(&key, signed.as_bytes(), &signature).is_ok()
    };
    if secrets.iter().any(fits) { Ok((header, claims)) } else { Err(SsoFault::Signature) }
}

/// The text of a part. `otherwise` is the fault of a part that is no text.
fn decoded(part: &str, otherwise: SsoFault) -> Result<String, SsoFault> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| SsoFault::Base64)?;
    String::from_utf8(bytes).map_err(|_| otherwise)
}

fn check_header(header: &Object<'_>) -> Result<(), SsoFault> {
    let text_of =
        |name: &str| header.members.get(name).map(|value| text(value).unwrap_or_default());
    if text_of("alg").as_deref() != Some("HS256") {
        return Err(SsoFault::Algorithm);
    }
    if text_of("typ").is_some_and(|typ| !typ.eq_ignore_ascii_case("JWT")) {
        return Err(SsoFault::Type);
    }
    if header.members.contains_key("crit") {
        return Err(SsoFault::Critical);
    }
    Ok(())
}

/// Checks the times of a token. Returns the time from which it is refused.
fn check_times(claims: &Object<'_>, now: Time) -> Result<Time, SsoFault> {
    let here = now.unix_millis();
    let end = millis(claims, "exp", SsoFault::BadExp)?.ok_or(SsoFault::NoExp)?;
    if end <= here - SKEW {
        return Err(SsoFault::Expired);
    }
    if end > here + MAX_LIFE + SKEW {
        return Err(SsoFault::TooFarAhead);
    }
    let is_ahead = |time: Option<i64>| time.is_some_and(|time| time > here + SKEW);
    if is_ahead(millis(claims, "nbf", SsoFault::BadNbf)?) {
        return Err(SsoFault::TooEarly);
    }
    if is_ahead(millis(claims, "iat", SsoFault::BadIat)?) {
        return Err(SsoFault::FromTheFuture);
    }
    Ok(now.plus_millis(end - here + SKEW))
}

/// The time of a claim, in milliseconds since the Unix epoch. A token has it in seconds.
fn millis(claims: &Object<'_>, name: &str, otherwise: SsoFault) -> Result<Option<i64>, SsoFault> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    match Number::parse(value.get()) {
        Ok(Number::Whole(seconds)) => Ok(Some(seconds.saturating_mul(1_000))),
        // The conversion saturates.
        Ok(Number::Real(seconds)) => Ok(Some((seconds * 1_000.0).floor() as i64)),
        Err(NoNumber) => Err(otherwise),
    }
}

fn check_audience(claims: &Object<'_>, audiences: &[&str]) -> Result<(), SsoFault> {
    let Some(value) = claims.members.get("aud") else { return Ok(()) };
    let named = match text(value) {
        Some(one) => vec![one],
        None => elements(value).into_iter().filter_map(text).collect(),
    };
    if named.iter().any(|one| audiences.contains(&one.as_str())) {
        Ok(())
    } else {
        Err(SsoFault::Audience)
    }
}

/// The identifier by the first of these names that has a text or an integer.
fn external_id(object: &Object<'_>, names: &[&str]) -> Result<ExternalId, SsoFault> {
    let id = object
        .first(names, |value| {
            let json = value.get();
            let digits = json.strip_prefix('-').unwrap_or(json);
            if digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Some(json.to_owned());
            }
            text(value).filter(|text| !text.trim().is_empty())
        })
        .ok_or(SsoFault::NoIdentifier)?;
    match ExternalId::parse(&id) {
        Ok(id) if !id.as_str().contains(char::is_control) => Ok(id),
        _ => Err(SsoFault::BadIdentifier),
    }
}

fn name(object: &Object<'_>) -> Option<Name> {
    let name = object.given("name").and_then(text)?;
    // No store holds U+0000.
    Name::parse(name.trim()).ok().filter(|name| !name.as_str().contains('\0'))
}

fn web_url(value: &RawValue) -> Option<WebUrl> {
    WebUrl::parse(&text(value)?).ok()
}

fn locale(value: &RawValue) -> Option<ShortText> {
    let tag = text(value)?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_tag = tag.len() <= MAX_LOCALE && tag.bytes().all(is_part);
    ShortText::parse(&tag).ok().filter(|_| is_tag)
}

fn companies(claims: &Object<'_>) -> Vec<SsoCompany> {
    let all = claims.given("companies").map(elements).unwrap_or_default();
    all.into_iter().filter_map(company).collect()
}

fn company(value: &RawValue) -> Option<SsoCompany> {
    let company = Object::within(value)?;
    Some(SsoCompany {
        external_id: external_id(&company, &["id", "companyId"]).ok()?,
        name: name(&company),
        monthly_spend: company.given("monthlySpend").and_then(spend),
        attributes: attributes(&company),
    })
}

fn spend(value: &RawValue) -> Option<Spend> {
    let decimal = match Number::parse(value.get()) {
        Ok(Number::Whole(whole)) => whole.to_string(),
        Ok(Number::Real(real)) => format!("{real:.2}"),
        Err(NoNumber) => text(value)?,
    };
    Spend::parse(&decimal).ok()
}

fn attributes(object: &Object<'_>) -> AttributesPatch {
    let all = object.first(&["attributes", "customFields"], Object::within);
    let members = all.into_iter().flat_map(|all| all.members);
    let member = |(key, value): (String, &RawValue)| {
        let value = if is_null(value) { None } else { Some(attribute(value)?) };
        is_key(&key).then_some((key, value))
    };
    AttributesPatch(members.filter_map(member).take(MOST_ATTRIBUTES).collect())
}

fn attribute(value: &RawValue) -> Option<Attribute> {
    match value_from_json(value.get())? {
        Attribute::Text(text) if text.contains('\0') || AttributeText::parse(&text).is_err() => {
            None
        }
        value => Some(value),
    }
}

/// A text, if the value is one.
fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

/// The elements of an array. Another value has none.
fn elements(value: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(value.get()).unwrap_or_default()
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// A JSON object whose values are not parsed yet. serde_json only skips them, without recursion, so
/// that no depth of nesting does harm.
struct Object<'a> {
    members: BTreeMap<String, &'a RawValue>,
    /// Whether two members have one name.
    repeats: bool,
}

impl<'a> Object<'a> {
    /// Reads an object. `otherwise` is the fault of a text that is none.
    fn read(json: &'a str, otherwise: SsoFault) -> Result<Self, SsoFault> {
        let object: Self = serde_json::from_str(json).map_err(|_| otherwise)?;
        if object.repeats { Err(SsoFault::Repeated) } else { Ok(object) }
    }

    /// An object within another one.
    fn within(value: &'a RawValue) -> Option<Self> {
        serde_json::from_str(value.get()).ok().filter(|object: &Self| !object.repeats)
    }

    /// A value that is not `null`.
    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.members.get(name).copied().filter(|value| !is_null(value))
    }

    /// A value that is neither `null` nor an empty text.
    fn given(&self, name: &str) -> Option<&'a RawValue> {
        self.get(name).filter(|value| value.get() != r#""""#)
    }

    /// The first of the named values that can be read.
    fn first<T>(&self, names: &[&str], read: impl Fn(&'a RawValue) -> Option<T>) -> Option<T> {
        names.iter().find_map(|name| self.given(name).and_then(&read))
    }
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut object = Object { members: BTreeMap::new(), repeats: false };
        while let Some((name, value)) = map.next_entry()? {
            object.repeats |= object.members.insert(name, value).is_some();
        }
        Ok(object)
    }
}

/// The beginning of a secret that Hearback made.
const PREFIX: &str = "hbsso_";
/// The most characters of a language tag that is kept: RFC 5646 recommends room for 35.
const MAX_LOCALE: usize = 35;

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-01T12:00:00Z, in seconds.
    const NOW: i64 = 1_772_366_400;
    const SECRET: &str = "8d5f1e0a-4c37-4b56-9a52-3f0f7c1b9e11";
    const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;
    const PORTAL: &str = "https://feedback.example.com";

    fn secret(text: &str) -> SsoSecret {
        SsoSecret::parse(text).unwrap()
    }

    fn encoded(header: &[u8], claims: &[u8]) -> String {
        format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims))
    }

    /// The text with its signature.
    fn signed(text: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes())))
    }

    fn token(claims: &str) -> String {
        signed(&encoded(HEADER.as_bytes(), claims.as_bytes()))
    }

    fn now() -> Time {
        Time::from_unix_millis(NOW * 1_000).unwrap()
    }

    fn verified(token: &str) -> Result<SsoUser, SsoFault> {
        verify(token, &[secret(SECRET)], &[PORTAL, "hearback"], now())
    }

    /// Good claims, and others behind them.
    fn claims_with(others: &str) -> String {
        format!(r#"{{"email":"ada@example.com","sub":"u-1","exp":{}{others}}}"#, NOW + 300)
    }

    fn read(others: &str) -> Result<SsoUser, SsoFault> {
        verified(&token(&claims_with(others)))
    }

    fn user(claims: &str) -> SsoUser {
        verified(&token(claims)).unwrap()
    }

    fn shown(attributes: &AttributesPatch) -> String {
        hearback_ports::attributes::to_json(&attributes.clone().into())
    }

    fn company_of(company: &SsoCompany) -> (&str, Option<&str>, Option<String>, String) {
        (
            company.external_id.as_str(),
            company.name.as_ref().map(Name::as_str),
            company.monthly_spend.map(|spend| spend.to_string()),
            shown(&company.attributes),
        )
    }

    #[test]
    fn a_signer_for_canny_works_with_an_end() {
        let claims = |exp: &str| {
            format!(
                r#"{{"avatarURL":"https://cdn.example/ada.png","email":"ada@example.com",
                "id":"59c0a1","name":"Ada Lovelace","created":"2024-05-19T15:35:49.915Z",
                "companies":[{{"created":"2024-05-19T15:35:49.915Z",
                "customFields":{{"industry":"Fintech","seats":12}},"id":"c-9","monthlySpend":49.5,
                "name":"Analytical Engines"}}],"iat":{NOW}{exp}}}"#
            )
        };
        assert_eq!(verified(&token(&claims(""))), Err(SsoFault::NoExp));
        let ada = user(&claims(&format!(r#","exp":{}"#, NOW + 300)));
        assert_eq!(ada.email.as_str(), "ada@example.com");
        assert_eq!(ada.external_id.as_str(), "59c0a1");
        assert_eq!(ada.name.unwrap().as_str(), "Ada Lovelace");
        assert_eq!(ada.avatar_url.unwrap().as_str(), "https://cdn.example/ada.png");
        let company = ada.company.unwrap();
        assert_eq!(
            company_of(&company),
            (
                "c-9",
                Some("Analytical Engines"),
                Some("49.50".to_owned()),
                r#"{"industry":"Fintech","seats":12}"#.to_owned()
            )
        );
        let patch = CompanyPatch::from(company.clone());
        assert_eq!(
            (patch.external_id, patch.name, patch.monthly_spend, patch.attributes),
            (company.external_id, company.name, company.monthly_spend, company.attributes)
        );
        assert_eq!(ada.expires_at, now().plus_millis(360_000));
    }

    #[test]
    fn a_signer_for_featurebase_works_with_an_end() {
        let claims = |exp: &str| {
            format!(
                r#"{{"email":"ada@example.com","name":"Ada","userId":"u-77",
                "profilePicture":"https://cdn.example/ada.png",
                "customFields":{{"title":"Product Manager","plan":"Premium","number":"123"}},
                "locale":"de-CH","companies":[
                {{"id":"987654321","name":"Business Inc. 23","monthlySpend":500,
                "createdAt":"2023-05-19T15:35:49.915Z","industry":"Fintech"}},
                {{"companyId":"2","name":"Other"}}],"iat":{NOW}{exp}}}"#
            )
        };
        assert_eq!(verified(&token(&claims(""))), Err(SsoFault::NoExp));
        let ada = user(&claims(&format!(r#","exp":{}"#, NOW + 3_600)));
        assert_eq!((ada.external_id.as_str(), ada.name.unwrap().as_str()), ("u-77", "Ada"));
        assert_eq!(ada.avatar_url.unwrap().as_str(), "https://cdn.example/ada.png");
        assert_eq!(ada.locale.unwrap().as_str(), "de-CH");
        assert_eq!(
            shown(&ada.attributes),
            r#"{"number":"123","plan":"Premium","title":"Product Manager"}"#
        );
        let none = || "{}".to_owned();
        assert_eq!(
            company_of(&ada.company.unwrap()),
            ("987654321", Some("Business Inc. 23"), Some("500.00".to_owned()), none())
        );
        let others: Vec<_> = ada.other_companies.iter().map(company_of).collect();
        assert_eq!(others, [("2", Some("Other"), None, none())]);
    }

    #[test]
    fn a_signer_for_quackback_works_as_it_is() {
        // The header of `jose` has no `typ`. Django's user without a name has an empty one.
        let claims = format!(
            r#"{{"email":"ada@example.com","name":"","avatarUrl":null,"segments":["beta"],
            "sub":"42","exp":{}}}"#,
            NOW + 300
        );
        let ada = verified(&signed(&encoded(br#"{"alg":"HS256"}"#, claims.as_bytes()))).unwrap();
        assert_eq!(ada.external_id.as_str(), "42");
        assert_eq!((ada.name, ada.avatar_url, ada.company, ada.locale), (None, None, None, None));
        assert!(ada.other_companies.is_empty() && ada.attributes.0.is_empty());
    }

    #[test]
    fn a_token_of_another_library_has_the_same_signature() {
        // The example of jwt.io. It has no `exp`, which is found only behind a good signature.
        let token = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.\
                     eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.\
                     SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
        let with = |text| verify(token, &[secret(text)], &[], now());
        assert_eq!(with("your-256-bit-secret"), Err(SsoFault::NoExp));
        assert_eq!(with("your-256-bit-secre"), Err(SsoFault::Signature));
    }

    #[test]
    fn a_token_without_an_algorithm_is_refused() {
        for alg in ["none", "None", "NONE", "nOnE"] {
            let header = format!(r#"{{"alg":"{alg}","typ":"JWT"}}"#);
            let bare = encoded(header.as_bytes(), claims_with("").as_bytes());
            assert_eq!(verified(&format!("{bare}.")), Err(SsoFault::Unsigned), "{alg}");
            assert_eq!(verified(&bare), Err(SsoFault::Parts), "{alg}");
            // Even a right signature does not make it one of HS256.
            assert_eq!(verified(&signed(&bare)), Err(SsoFault::Algorithm), "{alg}");
        }
    }

    #[test]
    fn another_algorithm_is_refused_whatever_signed_the_token() {
        for alg in
            [r#""RS256""#, r#""HS512""#, r#""hs256""#, r#""HS256 ""#, r#"["HS256"]"#, "null", "256"]
        {
            let header = format!(r#"{{"alg":{alg},"typ":"JWT","jwk":{{"kty":"oct","k":"AA"}}}}"#);
            let text = encoded(header.as_bytes(), claims_with("").as_bytes());
            assert_eq!(verified(&signed(&text)), Err(SsoFault::Algorithm), "{alg}");
            // The header is not looked at before the signature.
            assert_eq!(verified(&format!("{text}.AAAA")), Err(SsoFault::Signature), "{alg}");
        }
    }

    #[test]
    fn a_header_has_the_type_of_a_token_and_no_extension() {
        let with = |header: &str| {
            verified(&signed(&encoded(header.as_bytes(), claims_with("").as_bytes())))
        };
        for header in [
            r#"{"alg":"HS256"}"#,
            r#"{"typ":"jwt","alg":"HS256","kid":"../../etc/passwd"}"#,
            r#" { "alg" : "HS256" , "typ" : "Jwt" } "#,
        ] {
            assert!(with(header).is_ok(), "{header}");
        }
        for (header, fault) in [
            (r#"{"alg":"HS256","typ":"JOSE"}"#, SsoFault::Type),
            (r#"{"alg":"HS256","typ":null}"#, SsoFault::Type),
            (r#"{"alg":"HS256","crit":["exp"],"exp":1}"#, SsoFault::Critical),
            (r#"{"alg":"HS256","crit":null}"#, SsoFault::Critical),
            (r#"{"typ":"JWT"}"#, SsoFault::Algorithm),
            ("{}", SsoFault::Algorithm),
            ("[]", SsoFault::Header),
            ("", SsoFault::Header),
            (r#"{"alg":"HS256"}{}"#, SsoFault::Header),
            (r#"{"alg":"none","alg":"HS256"}"#, SsoFault::Repeated),
            (r#"{"alg":"HS256","a\u006cg":"none"}"#, SsoFault::Repeated),
        ] {
            assert_eq!(with(header), Err(fault), "{header}");
        }
    }

    #[test]
    fn a_signature_that_is_cut_changed_or_foreign_is_refused() {
        let good = token(&claims_with(""));
        assert!(verified(&good).is_ok());
        let (text, signature) = good.rsplit_once('.').unwrap();
        for length in 1..signature.len() {
            let fault = verified(&format!("{text}.{}", &signature[..length])).unwrap_err();
            assert!(matches!(fault, SsoFault::Signature | SsoFault::Base64), "{length}");
        }
        let bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1;
            let other = format!("{text}.{}", URL_SAFE_NO_PAD.encode(bytes));
            assert_eq!(verified(&other), Err(SsoFault::Signature), "{place}");
        }
        let foreign = verify(&good, &[secret("another")], &[PORTAL], now());
        assert_eq!(foreign, Err(SsoFault::Signature));
    }

    #[test]
    fn changed_claims_are_refused() {
        let good = token(&claims_with(""));
        let mut parts: Vec<&str> = good.split('.').collect();
        let claims = claims_with("").replace("ada@", "eve@");
        let claims = URL_SAFE_NO_PAD.encode(claims);
        parts[1] = &claims;
        assert_eq!(verified(&parts.join(".")), Err(SsoFault::Signature));
        // The place of the dot is signed too.
        let moved = good.replacen('.', "", 1);
        let (header, rest) = moved.split_at(20);
        assert_eq!(verified(&format!("{header}.{rest}")), Err(SsoFault::Signature));
    }

    #[test]
    fn a_token_has_only_one_text() {
        // Replays are found by the digest of the text. The last character of a signature has two
        // bits that mean nothing, and a lax decoder ignores them.
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let good = token(&claims_with(""));
        let (rest, last) = good.split_at(good.len() - 1);
        let place = ALPHABET.iter().position(|byte| last.as_bytes() == [*byte]).unwrap();
        assert_eq!(place % 4, 0);
        for stray in 1..4 {
            let other = format!("{rest}{}", char::from(ALPHABET[place + stray]));
            assert_eq!(verified(&other), Err(SsoFault::Base64));
        }
        for other in [
            format!("{good}="),
            format!("{good} "),
            format!("{good}\n"),
            format!("{good}%3D"),
            good.replace('-', "+").replace('_', "/") + "=",
        ] {
            assert_eq!(verified(&other), Err(SsoFault::Base64), "{other}");
        }
        assert_eq!(verified(&format!(" {good}")), Err(SsoFault::Signature));
    }

    #[test]
    fn a_part_that_is_not_base64url_is_refused() {
        let header = URL_SAFE_NO_PAD.encode(HEADER);
        for part in ["e30=", "e", "*", "é", "e3 0", "e31", "+/+/"] {
            for text in [format!("{part}.e30"), format!("{header}.{part}")] {
                assert_eq!(verified(&signed(&text)), Err(SsoFault::Base64), "{text}");
            }
            assert_eq!(verified(&format!("e30.e30.{part}")), Err(SsoFault::Base64), "{part}");
        }
    }

    #[test]
    fn a_token_has_three_parts() {
        for text in ["", ".", "x", "a.b", "a.b.c.d", "a.b.c.d.e"] {
            assert_eq!(verified(text), Err(SsoFault::Parts), "{text:?}");
        }
        assert_eq!(verified(".."), Err(SsoFault::Unsigned));
    }

    #[test]
    fn a_long_token_is_refused_before_it_is_read() {
        let long = |count: usize| read(&format!(r#","x":"{}""#, "x".repeat(count)));
        assert!(long(5_900).is_ok());
        assert_eq!(long(9 * 1_024 * 3 / 4), Err(SsoFault::TooLong));
        assert_eq!(verified(&"a".repeat(MAX_TOKEN)), Err(SsoFault::Parts));
        assert_eq!(verified(&"a".repeat(MAX_TOKEN + 1)), Err(SsoFault::TooLong));
    }

    #[test]
    fn both_secrets_of_a_rotation_are_good_and_none_is_not() {
        let good = token(&claims_with(""));
        let with = |secrets: &[SsoSecret]| verify(&good, secrets, &[], now()).map(drop);
        let generated = SsoSecret::generate().unwrap();
        assert_eq!(with(&[secret(SECRET), generated.clone()]), Ok(()));
        assert_eq!(with(&[generated.clone(), secret(SECRET)]), Ok(()));
        assert_eq!(with(&[generated]), Err(SsoFault::Signature));
        assert_eq!(with(&[]), Err(SsoFault::NoSecret));
    }

    #[test]
    fn a_token_ends_within_a_day_and_clocks_may_differ_by_a_minute() {
        let ending = |exp: &str| {
            let claims = format!(r#"{{"email":"ada@example.com","sub":"u-1","exp":{exp}}}"#);
            verified(&token(&claims)).map(|user| user.expires_at.unix_millis())
        };
        let day = 24 * 60 * 60;
        for (seconds, fault) in [
            (-day, Some(SsoFault::Expired)),
            (-61, Some(SsoFault::Expired)),
            (-60, Some(SsoFault::Expired)),
            (-59, None),
            (0, None),
            (day, None),
            (day + 60, None),
            (day + 61, Some(SsoFault::TooFarAhead)),
            (365 * day, Some(SsoFault::TooFarAhead)),
        ] {
            let until = (NOW + seconds + 60) * 1_000;
            let expected = fault.map_or(Ok(until), Err);
            assert_eq!(ending(&(NOW + seconds).to_string()), expected, "{seconds}");
        }
        assert_eq!(ending(&format!("{NOW}.25")), Ok(NOW * 1_000 + 60_250));
        assert_eq!(ending(&format!("{}e-1", NOW * 10)), Ok((NOW + 60) * 1_000));
        for (exp, fault) in [
            // In milliseconds.
            ("1772366700000", SsoFault::TooFarAhead),
            ("9223372036854775807", SsoFault::TooFarAhead),
            ("1e308", SsoFault::TooFarAhead),
            ("-9223372036854775808", SsoFault::Expired),
            ("-1e308", SsoFault::Expired),
            ("0", SsoFault::Expired),
            ("1e999", SsoFault::BadExp),
            (r#""1772366700""#, SsoFault::BadExp),
            (r#""2026-03-01T12:05:00Z""#, SsoFault::BadExp),
            ("true", SsoFault::BadExp),
            ("[1772366700]", SsoFault::BadExp),
            ("null", SsoFault::NoExp),
        ] {
            assert_eq!(ending(exp), Err(fault), "{exp}");
        }
    }

    #[test]
    fn a_used_token_is_refused_from_the_time_until_which_it_is_remembered() {
        let good = token(&claims_with(""));
        let at = |time| verify(&good, &[secret(SECRET)], &[], time).map(|user| user.expires_at);
        let end = at(now()).unwrap();
        assert_eq!(at(end.plus_millis(-1)), Ok(end));
        assert_eq!(at(end), Err(SsoFault::Expired));
        for time in [Time::MIN, Time::MAX] {
            assert!(at(time).is_err());
        }
    }

    #[test]
    fn a_token_is_not_from_the_future() {
        let later =
            |claim: &str, seconds: i64| read(&format!(r#","{claim}":{}"#, NOW + seconds)).map(drop);
        for (claim, fault) in [("nbf", SsoFault::TooEarly), ("iat", SsoFault::FromTheFuture)] {
            assert_eq!([-1_000_000, 0, 60].map(|at| later(claim, at)), [Ok(()); 3], "{claim}");
            assert_eq!(later(claim, 61), Err(fault), "{claim}");
            assert_eq!(later(claim, NOW * 999), Err(fault), "{claim}");
        }
        assert_eq!(read(r#","nbf":"1""#), Err(SsoFault::BadNbf));
        assert_eq!(read(r#","iat":"""#), Err(SsoFault::BadIat));
        assert!(read(r#","nbf":null,"iat":1.5"#).is_ok());
    }

    #[test]
    fn a_token_for_another_audience_is_refused() {
        for aud in [r#""hearback""#, r#"["x","https://feedback.example.com"]"#, r#"[1,"hearback"]"#]
        {
            assert!(read(&format!(r#","aud":{aud}"#)).is_ok(), "{aud}");
        }
        for aud in [
            r#""https://other.example""#,
            r#""https://feedback.example.com.evil""#,
            r#""HEARBACK""#,
            r#""hearback ""#,
            r#""""#,
            "null",
            "[]",
            r#"["x"]"#,
            r#"[["hearback"]]"#,
            r#"{"hearback":"hearback"}"#,
            "1",
        ] {
            assert_eq!(read(&format!(r#","aud":{aud}"#)), Err(SsoFault::Audience), "{aud}");
        }
        let nowhere = token(&claims_with(r#","aud":"hearback""#));
        assert_eq!(verify(&nowhere, &[secret(SECRET)], &[], now()), Err(SsoFault::Audience));
    }

    #[test]
    fn the_address_and_the_identifier_are_required() {
        let with = |members: &str| {
            let claims = format!(r#"{{"exp":{},{members}}}"#, NOW + 300);
            verified(&token(&claims)).map(|user| String::from(user.external_id))
        };
        let id = |members: &str| with(&format!(r#""email":"ada@example.com",{members}"#));
        for (members, expected) in [
            (r#""user_id":"d","userId":"c","id":"b","sub":"a""#, "a"),
            (r#""user_id":"d","userId":"c","id":"b","sub":"""#, "b"),
            (r#""user_id":"d","userId":"c","id":null"#, "c"),
            (r#""user_id":"d","userId":["c"],"id":{},"sub":true"#, "d"),
            (r#""sub":" ","id":7"#, "7"),
            (r#""sub":-7"#, "-7"),
            (r#""sub":18446744073709551617"#, "18446744073709551617"),
            (r#""sub":1.5,"id":"auth0|ü""#, "auth0|ü"),
        ] {
            assert_eq!(id(members).as_deref(), Ok(expected), "{members}");
        }
        let long = format!(r#""sub":"{}","id":"b""#, "a".repeat(256));
        for (members, fault) in [
            (r#""name":"Ada""#, SsoFault::NoIdentifier),
            (r#""sub":1.5"#, SsoFault::NoIdentifier),
            (r#""sub":"a\u0000b","id":"b""#, SsoFault::BadIdentifier),
            (r#""sub":"a\nb""#, SsoFault::BadIdentifier),
            (long.as_str(), SsoFault::BadIdentifier),
        ] {
            assert_eq!(id(members), Err(fault), "{members}");
        }
        for (members, fault) in [
            (r#""sub":"a""#, SsoFault::NoEmail),
            (r#""sub":"a","email":"""#, SsoFault::NoEmail),
            (r#""sub":"a","email":null"#, SsoFault::NoEmail),
            (r#""sub":"a","email":"ada""#, SsoFault::BadEmail),
            (r#""sub":"a","email":"ada@example.com\r\nBcc: eve@example.com""#, SsoFault::BadEmail),
            (r#""sub":"a","email":"ada@example.com,eve@example.com""#, SsoFault::BadEmail),
            (r#""sub":"a","email":["ada@example.com"]"#, SsoFault::BadEmail),
            (r#""sub":"a","email":"\ud800@example.com""#, SsoFault::BadEmail),
        ] {
            assert_eq!(with(members), Err(fault), "{members}");
        }
    }

    #[test]
    fn a_name_that_occurs_twice_is_refused() {
        assert_eq!(read(r#","sub":"u-2""#), Err(SsoFault::Repeated));
        assert_eq!(read(r#","\u0065mail":"eve@example.com""#), Err(SsoFault::Repeated));
        let user = read(r#","customFields":{"a":1,"a":2},"companies":[{"id":1,"id":2}]"#).unwrap();
        assert!(user.attributes.0.is_empty() && user.company.is_none());
    }

    #[test]
    fn claims_are_one_object() {
        for claims in ["", "null", "[]", r#""x""#, "{", "{}{}", r#"{"a":1,}"#, "\u{feff}{}"] {
            assert_eq!(verified(&token(claims)), Err(SsoFault::Claims), "{claims}");
        }
        let bytes = signed(&encoded(HEADER.as_bytes(), b"{\"email\":\"\xff\"}"));
        assert_eq!(verified(&bytes), Err(SsoFault::Claims));
    }

    #[test]
    fn deep_nesting_does_no_harm() {
        let deep = |open: &str, close: &str, depth| {
            format!("{}1{}", open.repeat(depth), close.repeat(depth))
        };
        let arrays = deep("[", "]", 2_800);
        for name in ["x", "companies", "attributes", "customFields", "name", "avatarURL", "locale"]
        {
            let user = read(&format!(r#","{name}":{arrays}"#)).unwrap();
            assert!(user.company.is_none() && user.attributes.0.is_empty(), "{name}");
        }
        for (name, fault) in
            [("aud", SsoFault::Audience), ("nbf", SsoFault::BadNbf), ("iat", SsoFault::BadIat)]
        {
            assert_eq!(read(&format!(r#","{name}":{arrays}"#)), Err(fault), "{name}");
        }
        let objects = deep(r#"{"a":"#, "}", 900);
        let user = read(&format!(r#","attributes":{objects}"#)).unwrap();
        assert!(user.attributes.0.is_empty());
        // Without its end.
        assert_eq!(verified(&token(&"[".repeat(5_000))), Err(SsoFault::Claims));
        assert_eq!(verified(&token(&r#"{"a":"#.repeat(1_000))), Err(SsoFault::Claims));
    }

    #[test]
    fn optional_claims_of_no_use_are_left_out() {
        let picture =
            |others: &str| read(others).unwrap().avatar_url.map(String::from).unwrap_or_default();
        assert_eq!(picture(r#","avatar_url":"javascript:alert(1)//://x""#), "");
        assert_eq!(picture(r#","avatar_url":"data:image/png;base64,AA","avatarURL":7"#), "");
        let two = r#","avatarUrl":"http://a.example/2","avatar_url":"/1.png""#;
        assert_eq!(picture(two), "http://a.example/2");
        for others in [
            r#","name":7,"locale":"../../x","companies":{}"#,
            r#","name":"  ","locale":"de\n","companies":"x""#,
            r#","name":"a\u0000b","locale":null,"companies":[null,1,"x",[],{},{"name":"x"}]"#,
            r#","companies":[{"id":""},{"id":{}},{"id":1.5}],"attributes":[],"customFields":7"#,
            &format!(r#","name":"{}","locale":"{}""#, "a".repeat(513), "a".repeat(36)),
        ] {
            let ada = read(others).unwrap();
            let plain = read("").unwrap();
            assert_eq!(ada, plain, "{others}");
        }
    }

    #[test]
    fn a_spend_is_rounded_to_two_places() {
        let spend = |json: &str| {
            let user = read(&format!(r#","companies":[{{"id":1,"monthlySpend":{json}}}]"#));
            user.unwrap().company.unwrap().monthly_spend.map(|spend| spend.to_string())
        };
        for (json, shown) in [
            ("0", "0.00"),
            ("500", "500.00"),
            ("49.999", "50.00"),
            ("1e3", "1000.00"),
            ("12.5", "12.50"),
            (r#""12.50""#, "12.50"),
            ("999999999999.99", "999999999999.99"),
        ] {
            assert_eq!(spend(json).as_deref(), Some(shown), "{json}");
        }
        for json in ["-1", "-0.5", "1e30", "1e999", "null", r#""""#, r#""12 EUR""#, "[1]", "true"] {
            assert_eq!(spend(json), None, "{json}");
        }
    }

    #[test]
    fn attributes_are_scalars_by_plain_names() {
        let long = "a".repeat(513);
        let user = read(&format!(
            r#","customFields":{{"x":1}},"attributes":{{"plan":"pro","seats":12,"rate":0.5,
            "beta":true,"gone":null,"list":[1],"deep":{{"a":1}},"Plan Tier":"x","":"x",
            "nul":"a\u0000b","long":"{long}","empty":""}}"#
        ))
        .unwrap();
        assert_eq!(
            shown(&user.attributes),
            r#"{"beta":true,"empty":"","plan":"pro","rate":0.5,"seats":12}"#
        );
        assert_eq!(user.attributes.0.get("gone"), Some(&None));
        assert_eq!(user.attributes.0.len(), 6);
        let many: Vec<String> = (0..60).map(|n| format!(r#""k{n}":{n}"#)).collect();
        let user = read(&format!(r#","customFields":{{{}}}"#, many.join(","))).unwrap();
        assert_eq!(user.attributes.0.len(), MOST_ATTRIBUTES);
    }

    #[test]
    fn a_secret_is_visible_text_and_shown_only_on_demand() {
        for text in ["a", SECRET, "wgt_~!=/+", &"x".repeat(256)] {
            assert_eq!(SsoSecret::parse(text).unwrap().reveal(), text);
        }
        for text in ["", " ", "a b", "a\n", "ä", "a\0", "\u{200b}", &"x".repeat(257)] {
            assert_eq!(SsoSecret::parse(text).unwrap_err(), NoSsoSecret, "{text:?}");
        }
        let [one, other] = [(); 2].map(|()| SsoSecret::generate().unwrap());
        let random = one.reveal().strip_prefix("hbsso_").unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(random).unwrap().len(), 32);
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(secret(one.reveal()).reveal(), one.reveal());
        assert_eq!(format!("{one:?}"), "SsoSecret(…)");
    }
}
