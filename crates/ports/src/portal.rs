//! The JSON form of the settings of a portal, in which stores and the portable format hold them.
//!
//! It is an object with the settings that differ from the default ones.

use hearback_domain::ClosedSet;
use hearback_domain::access::Domain;
use hearback_domain::color::Color;
use hearback_domain::permission::Role;
use hearback_domain::portal::{Css, Locale, PortalSettings, Theme, WelcomeText, WelcomeTitle};
use hearback_domain::text::{Text, WrongLength};
use hearback_domain::web_url::WebUrl;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Settings as JSON: compact, by name.
pub fn to_json(settings: &PortalSettings) -> String {
    serde_json::json!(Shown(settings)).to_string()
}

/// Reads the output of [`to_json`]. Unknown members are left out: a later release wrote them. `None`
/// if a member is wrong.
pub fn from_json(json: &str) -> Option<PortalSettings> {
    let mut input = serde_json::Deserializer::from_str(json);
    let settings = input.deserialize_map(Object { is_strict: false }).ok()?;
    input.end().ok().map(|()| settings)
}

/// Reads settings. The error names the member that is unknown or wrong.
pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<PortalSettings, D::Error> {
    input.deserialize_map(Object { is_strict: true })
}

/// Settings, for a body that shows them.
pub struct Shown<'a>(pub &'a PortalSettings);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        Lenient::serialize(self.0, output)
    }
}

/// A setting that is written as a text.
pub trait Setting: Into<String> {
    /// Checks the text. The error says what is wrong.
    fn read(text: &str) -> Result<Self, String>;
}

impl Setting for WebUrl {
    fn read(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|_| "not an http or https URL".to_owned())
    }
}

impl Setting for Color {
    fn read(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|_| "not # and 3, 4, 6 or 8 hex digits".to_owned())
    }
}

impl Setting for Domain {
    fn read(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|_| "not a host name".to_owned())
    }
}

impl Setting for Locale {
    fn read(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|_| "not a language tag, such as en or pt-BR".to_owned())
    }
}

impl<const MAX: usize> Setting for Text<1, MAX> {
    fn read(text: &str) -> Result<Self, String> {
        // Not every store can hold it.
        if text.contains('\0') {
            return Err("contains U+0000".to_owned());
        }
        Self::parse(text).map_err(|reason| match reason {
            WrongLength::Below(_) => "empty".to_owned(),
            WrongLength::Above(most) => format!("longer than {most} characters"),
        })
    }
}

/// Reads an object. A form alone would take an array, too.
struct Object {
    is_strict: bool,
}

impl<'de> Visitor<'de> for Object {
    type Value = PortalSettings;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<PortalSettings, A::Error> {
        let input = MapAccessDeserializer::new(members);
        if self.is_strict { Strict::deserialize(input) } else { Lenient::deserialize(input) }
    }
}

macro_rules! forms {
    ($($form:ident: $($derived:ident)+ $(, $unknown:ident)?;)+) => {$(
        #[derive($($derived),+)]
        #[serde(remote = "PortalSettings", default = "PortalSettings::default" $(, $unknown)?)]
        struct $form {
            #[serde(deserialize_with = "text::<WebUrl, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            logo_url: Option<String>,
            #[serde(deserialize_with = "text::<WebUrl, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            favicon_url: Option<String>,
            #[serde(deserialize_with = "text::<Color, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            accent: Option<String>,
            #[serde(deserialize_with = "theme", serialize_with = "code")]
            #[serde(skip_serializing_if = "is_default")]
            theme: Theme,
            #[serde(deserialize_with = "text::<WelcomeTitle, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            welcome_title: Option<String>,
            #[serde(deserialize_with = "text::<WelcomeText, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            welcome_text: Option<String>,
            #[serde(deserialize_with = "text::<Locale, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            locale: Option<String>,
            #[serde(deserialize_with = "on", skip_serializing_if = "is_on")]
            shows_feedback: bool,
            #[serde(deserialize_with = "on", skip_serializing_if = "is_on")]
            shows_roadmap: bool,
            #[serde(deserialize_with = "on", skip_serializing_if = "is_on")]
            shows_changelog: bool,
            #[serde(deserialize_with = "on", skip_serializing_if = "is_on")]
            shows_help: bool,
            #[serde(deserialize_with = "on", skip_serializing_if = "is_on")]
            shows_vote_counts: bool,
            #[serde(deserialize_with = "on", skip_serializing_if = "is_on")]
            is_indexed: bool,
            #[serde(deserialize_with = "off", skip_serializing_if = "is_default")]
            is_private: bool,
            #[serde(deserialize_with = "text::<Css, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            custom_css: Option<String>,
            #[serde(deserialize_with = "on", skip_serializing_if = "is_on")]
            signs_in_by_mail: bool,
            #[serde(deserialize_with = "off", skip_serializing_if = "is_default")]
            signs_in_by_password: bool,
            #[serde(deserialize_with = "role", serialize_with = "role_code")]
            #[serde(skip_serializing_if = "Option::is_none")]
            second_factor: Option<Role>,
            #[serde(deserialize_with = "text::<Domain, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            host: Option<String>,
            #[serde(deserialize_with = "text::<WebUrl, _>")]
            #[serde(skip_serializing_if = "Option::is_none")]
            sso_url: Option<String>,
        }
    )+};
}

forms! {
    Lenient: Serialize Deserialize;
    Strict: Deserialize, deny_unknown_fields;
}

/// `null` stands for the default, in this and the other readers.
fn text<'de, T: Setting, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    let Some(text) = Option::<String>::deserialize(input)? else { return Ok(None) };
    T::read(&text).map(|text| Some(text.into())).map_err(Error::custom)
}

fn theme<'de, D: Deserializer<'de>>(input: D) -> Result<Theme, D::Error> {
    Ok(one_of(input)?.unwrap_or_default())
}

fn role<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Role>, D::Error> {
    one_of(input)
}

fn one_of<'de, T: ClosedSet, D: Deserializer<'de>>(input: D) -> Result<Option<T>, D::Error> {
    let Some(code) = Option::<String>::deserialize(input)? else { return Ok(None) };
    T::parse(&code).map(Some).ok_or_else(|| {
        let codes: Vec<_> = T::ALL.iter().map(|it| it.code()).collect();
        Error::custom(format_args!("not one of {}", codes.join(", ")))
    })
}

fn on<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(input)?.unwrap_or(true))
}

fn off<'de, D: Deserializer<'de>>(input: D) -> Result<bool, D::Error> {
    Ok(Option::deserialize(input)?.unwrap_or(false))
}

fn code<S: Serializer>(theme: &Theme, output: S) -> Result<S::Ok, S::Error> {
    output.serialize_str(theme.code())
}

fn role_code<S: Serializer>(role: &Option<Role>, output: S) -> Result<S::Ok, S::Error> {
    role.map(Role::code).serialize(output)
}

fn is_on(flag: &bool) -> bool {
    *flag
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> PortalSettings {
        let text = |text: &str| Some(text.to_owned());
        PortalSettings {
            logo_url: text("https://acme.example/logo.svg"),
            favicon_url: text("https://acme.example/icon.png"),
            accent: text("#0f766e"),
            theme: Theme::Dark,
            welcome_title: text("Größe 😀"),
            welcome_text: text("\"Tell us\"\n"),
            locale: text("pt-BR"),
            shows_feedback: false,
            shows_roadmap: false,
            shows_changelog: false,
            shows_help: false,
            shows_vote_counts: false,
            is_indexed: false,
            is_private: true,
            custom_css: text("a { color: red }"),
            signs_in_by_mail: false,
            signs_in_by_password: true,
            second_factor: Some(Role::Admin),
            host: text("feedback.acme.example"),
            sso_url: text("https://acme.example/sso"),
        }
    }

    #[test]
    fn settings_are_read_back_and_default_ones_are_left_out() {
        assert_eq!(to_json(&PortalSettings::default()), "{}");
        let json = to_json(&all());
        assert_eq!(json.matches("\":").count(), 20, "{json}");
        assert_eq!(from_json(&json), Some(all()));
        let strict = deserialize(&mut serde_json::Deserializer::from_str(&json));
        assert_eq!(strict.unwrap(), all());
    }

    #[test]
    fn a_null_stands_for_the_default() {
        let json = to_json(&all());
        let members: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&json).unwrap();
        for (name, value) in members {
            let null = json.replace(&format!("\"{name}\":{value}"), &format!("\"{name}\":null"));
            let left_out = from_json(&null).unwrap();
            assert_ne!(left_out, all(), "{name}");
        }
    }

    #[test]
    fn unknown_members_are_left_out_of_a_column_and_refused_elsewhere() {
        let json = r#"{"later":[1],"host":"acme.example"}"#;
        let host = Some("acme.example".to_owned());
        assert_eq!(from_json(json), Some(PortalSettings { host, ..PortalSettings::default() }));
        assert!(deserialize(&mut serde_json::Deserializer::from_str(json)).is_err());
    }

    #[test]
    fn a_wrong_member_is_refused() {
        for wrong in [
            r#"{"logo_url":"logo.svg"}"#,
            r#"{"accent":"red"}"#,
            r#"{"theme":"blue"}"#,
            r#"{"second_factor":"end_user"}"#,
            r#"{"welcome_title":""}"#,
            r#"{"welcome_text":"\u0000"}"#,
            r#"{"locale":"en_US"}"#,
            r#"{"shows_help":1}"#,
            r#"{"host":"acme.example:80"}"#,
            "[]",
            "{} x",
            "",
        ] {
            assert_eq!(from_json(wrong), None, "{wrong}");
        }
        let long = format!(r#"{{"welcome_title":"{}"}}"#, "x".repeat(201));
        assert_eq!(from_json(&long), None);
    }
}
