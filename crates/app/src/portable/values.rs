//! Values of the portable format. Each refuses what the API refuses.

use hearback_domain::color;
use hearback_domain::id::parse_uuid;
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_domain::text::{Text, WrongLength};
use hearback_domain::web_url;
use hearback_domain::webhook_subscription::{self, NoWebhookUrl};
use hearback_domain::{ClosedSet, Time, Uuid};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// An identifier.
#[derive(Clone, Copy)]
pub(super) struct Id(pub(super) Uuid);

/// A text without U+0000, which not every store can hold.
pub(super) struct Plain(pub(super) String);

/// A timestamp.
#[derive(Clone, Copy)]
pub(super) struct Stamp(pub(super) Time);

/// A code of a closed set.
#[derive(Clone, Copy)]
pub(super) struct Code<T>(pub(super) T);

/// A hex colour.
pub(super) struct Color(pub(super) String);

/// A web address.
pub(super) struct WebUrl(pub(super) String);

/// The address of a webhook receiver.
pub(super) struct WebhookUrl(pub(super) String);

/// A slug.
pub(super) struct SlugText(pub(super) Slug);

/// A decimal with four places.
#[derive(Clone, Copy)]
pub(super) struct SeqNumber(pub(super) Position);

/// A text of bounded length.
pub(super) struct Bounded<const MIN: usize, const MAX: usize>(pub(super) String);

/// A count.
#[derive(Clone, Copy)]
pub(super) struct Count(pub(super) i64);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a UUID", |text| {
            parse_uuid(text).map(Self).ok_or_else(|| "not a UUID".to_owned())
        })
    }
}

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a string", |text| Ok(Self(text.to_owned())))
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a timestamp", |text| {
            Time::parse(text).map(Self).map_err(|error| error.to_string())
        })
    }
}

impl<'de, T: ClosedSet> Deserialize<'de> for Code<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a string", |text| {
            T::parse(text).map(Self).ok_or_else(|| {
                let codes: Vec<_> = T::ALL.iter().map(|value| value.code()).collect();
                format!("not one of {}", codes.join(", "))
            })
        })
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a colour", |text| {
            let color = color::Color::parse(text)
                .map_err(|_| "not # and 3, 4, 6 or 8 hex digits".to_owned())?;
            Ok(Self(color.into()))
        })
    }
}

impl<'de> Deserialize<'de> for WebUrl {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a URL", |text| {
            let url =
                web_url::WebUrl::parse(text).map_err(|_| "not an http or https URL".to_owned())?;
            Ok(Self(url.into()))
        })
    }
}

impl<'de> Deserialize<'de> for WebhookUrl {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a URL", |text| match webhook_subscription::WebhookUrl::parse(text) {
            Ok(url) => Ok(Self(url.into())),
            Err(NoWebhookUrl::NoWebUrl) => Err("not an http or https URL".to_owned()),
            Err(NoWebhookUrl::UserInfo) => Err("a URL with a user or password in it".to_owned()),
        })
    }
}

impl<'de> Deserialize<'de> for SlugText {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let rule = "a slug is 1 to 512 of A-Z a-z 0-9 - _ . ~, and not . or ..";
        text(input, "a slug", |text| Slug::parse(text).map(Self).map_err(|_| rule.to_owned()))
    }
}

impl<'de> Deserialize<'de> for SeqNumber {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a decimal string", |text| {
            Position::parse(text)
                .map(Self)
                .map_err(|_| "not a decimal with four places, such as 1.0000".to_owned())
        })
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Bounded<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a string", |text| match Text::<MIN, MAX>::parse(text) {
            Ok(text) => Ok(Self(text.into())),
            Err(WrongLength::Below(least)) => Err(format!("shorter than {least} characters")),
            Err(WrongLength::Above(most)) => Err(format!("longer than {most} characters")),
        })
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let count = i64::deserialize(input)?;
        if count < 0 { Err(Error::custom("a count is not negative")) } else { Ok(Self(count)) }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(output)
    }
}

impl Serialize for Plain {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&self.0)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(&self.0)
    }
}

impl<T: ClosedSet> Serialize for Code<T> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(self.0.code())
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&self.0)
    }
}

impl Serialize for WebUrl {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&self.0)
    }
}

impl Serialize for WebhookUrl {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&self.0)
    }
}

impl Serialize for SlugText {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(self.0.as_str())
    }
}

impl Serialize for SeqNumber {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(&self.0)
    }
}

impl<const MIN: usize, const MAX: usize> Serialize for Bounded<MIN, MAX> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(&self.0)
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_i64(self.0)
    }
}

/// Reads a string and makes a value of it. It refuses U+0000 in every string of the format.
fn text<'de, D, T>(
    input: D,
    expected: &'static str,
    make: impl Fn(&str) -> Result<T, String>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
{
    struct Strings<F> {
        expected: &'static str,
        make: F,
    }

    impl<T, F: Fn(&str) -> Result<T, String>> Visitor<'_> for Strings<F> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.expected)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            if text.contains('\0') {
                return Err(E::custom("contains U+0000"));
            }
            (self.make)(text).map_err(E::custom)
        }
    }

    input.deserialize_str(Strings { expected, make })
}
