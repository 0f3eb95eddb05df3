//! Values of the portable format. Each refuses what the API refuses.

use hearback_domain::access::Domain;
use hearback_domain::attributes::{Attribute, AttributeText, Attributes, MOST_ATTRIBUTES, is_key};
use hearback_domain::color;
use hearback_domain::help_redirect::{MAX_PATH, NoPath, Path};
use hearback_domain::id::parse_uuid;
use hearback_domain::organization::HelpCenter;
use hearback_domain::portal::PortalSettings;
use hearback_domain::position::Position;
use hearback_domain::slug::Slug;
use hearback_domain::spend::Spend;
use hearback_domain::text::{Text, WrongLength};
use hearback_domain::web_url;
use hearback_domain::webhook_subscription::{self, NoWebhookUrl};
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::attributes::{Shown, value_from_json};
use hearback_ports::portal;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::Hash;

/// A member of a line, for a value of a record.
pub(super) trait Member<V>: Sized {
    /// The value that the member stands for.
    fn value(self) -> V;

    /// The member that stands for a value.
    fn of(value: V) -> Self;
}

/// Declares the values that the types of this module stand for.
macro_rules! members {
    ($($member:ty $(where [$($generics:tt)+])? => $value:ty;)+) => {
        $(impl $(<$($generics)+>)? Member<$value> for $member {
            fn value(self) -> $value {
                self.0
            }

            fn of(value: $value) -> Self {
                Self(value)
            }
        })+
    };
}

members! {
    Plain => String;
    Stamp => Time;
    Code<T> where [T] => T;
    Color => String;
    WebUrl => String;
    WebhookUrl => String;
    SlugText => Slug;
    PathText => Path;
    SeqNumber => Position;
    Bounded<MIN, MAX> where [const MIN: usize, const MAX: usize] => String;
    Count => i64;
    Number => i64;
    Domains => Vec<String>;
    Amount => Spend;
    Named => Attributes;
    Portal => PortalSettings;
}

impl<T: From<Uuid> + Into<Uuid>> Member<T> for Id {
    fn value(self) -> T {
        self.0.into()
    }

    fn of(value: T) -> Self {
        Self(value.into())
    }
}

impl Member<bool> for bool {
    fn value(self) -> bool {
        self
    }

    fn of(value: bool) -> Self {
        value
    }
}

impl Member<HelpCenter> for bool {
    fn value(self) -> HelpCenter {
        HelpCenter::from_flag(self)
    }

    fn of(value: HelpCenter) -> Self {
        value.is_enabled()
    }
}

/// A member that may be left out or `null`.
impl<V, M: Member<V>> Member<Option<V>> for Option<M> {
    fn value(self) -> Option<V> {
        self.map(M::value)
    }

    fn of(value: Option<V>) -> Self {
        value.map(M::of)
    }
}

/// A list of distinct values. Of equal values the first is kept.
impl<V: Copy + Eq + Hash, M: Member<V>> Member<Vec<V>> for Vec<M> {
    fn value(self) -> Vec<V> {
        let mut seen = HashSet::with_capacity(self.len());
        self.into_iter().map(M::value).filter(|&value| seen.insert(value)).collect()
    }

    fn of(value: Vec<V>) -> Self {
        value.into_iter().map(M::of).collect()
    }
}

/// An identifier.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Id(pub(super) Uuid);

/// A text without U+0000, which not every store can hold.
#[derive(Serialize)]
pub(super) struct Plain(pub(super) String);

/// A timestamp.
#[derive(Clone, Copy)]
pub(super) struct Stamp(pub(super) Time);

/// A code of a closed set.
#[derive(Clone, Copy)]
pub(super) struct Code<T>(pub(super) T);

/// A hex colour.
#[derive(Serialize)]
pub(super) struct Color(pub(super) String);

/// A web address.
#[derive(Serialize)]
pub(super) struct WebUrl(pub(super) String);

/// The address of a webhook receiver.
#[derive(Serialize)]
pub(super) struct WebhookUrl(pub(super) String);

/// A slug.
pub(super) struct SlugText(pub(super) Slug);

/// A path of an address.
pub(super) struct PathText(pub(super) Path);

/// A decimal with four places.
#[derive(Clone, Copy)]
pub(super) struct SeqNumber(pub(super) Position);

/// A text of bounded length.
#[derive(Serialize)]
pub(super) struct Bounded<const MIN: usize, const MAX: usize>(pub(super) String);

/// Domains.
#[derive(Serialize)]
pub(super) struct Domains(pub(super) Vec<String>);

/// An amount of money.
#[derive(Clone, Copy)]
pub(super) struct Amount(pub(super) Spend);

/// Attributes.
pub(super) struct Named(pub(super) Attributes);

/// The settings of a portal.
pub(super) struct Portal(pub(super) PortalSettings);

/// A count.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Count(pub(super) i64);

/// A number from 1.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Number(pub(super) i64);

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

impl<'de> Deserialize<'de> for PathText {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a path", |text| match Path::parse(text) {
            Ok(path) => Ok(Self(path)),
            Err(NoPath::TooLong) => Err(format!("longer than {MAX_PATH} characters")),
            Err(NoPath::Empty | NoPath::Characters) => {
                Err("a path begins with /, and has no blank, query or fragment".to_owned())
            }
        })
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

impl<'de> Deserialize<'de> for Domains {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(input)?;
        let domain = |name: String| Domain::parse(&name).map(String::from);
        let domains = names.into_iter().map(domain).collect::<Result<_, _>>();
        domains.map(Self).map_err(|_| Error::custom("not a domain"))
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        text(input, "a decimal string", |text| {
            let rule = "not a decimal of 1 to 12 digits with two places, such as 12.50";
            Spend::parse(text).map(Self).map_err(|_| rule.to_owned())
        })
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let members = BTreeMap::<String, Box<RawValue>>::deserialize(input)?;
        if members.len() > MOST_ATTRIBUTES {
            return Err(Error::custom("more than 50 attributes"));
        }
        let member = |(key, value): (String, Box<RawValue>)| {
            if !is_key(&key) {
                return Err("a name is 1 to 64 of A-Z a-z 0-9 _ . -");
            }
            match value_from_json(value.get()) {
                None => Err("neither a string, nor a finite number, nor true or false"),
                Some(Attribute::Text(text)) if text.contains('\0') => Err("contains U+0000"),
                Some(Attribute::Text(text)) if AttributeText::parse(&text).is_err() => {
                    Err("longer than 512 characters")
                }
                Some(value) => Ok((key, value)),
            }
        };
        let attributes = members.into_iter().map(member).collect::<Result<_, _>>();
        attributes.map(Self).map_err(Error::custom)
    }
}

impl<'de> Deserialize<'de> for Portal {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        portal::deserialize(input).map(Self)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let count = i64::deserialize(input)?;
        if count < 0 { Err(Error::custom("a count is not negative")) } else { Ok(Self(count)) }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        // The numbers after the largest one do not overflow.
        match i64::deserialize(input)? {
            number @ 1..=MOST => Ok(Self(number)),
            _ => Err(Error::custom(format_args!("not a number from 1 to {MOST}"))),
        }
    }
}

const MOST: i64 = i32::MAX as i64;

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

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(&self.0)
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        Shown(&self.0).serialize(output)
    }
}

impl Serialize for Portal {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        portal::Shown(&self.0).serialize(output)
    }
}

impl Serialize for SlugText {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(self.0.as_str())
    }
}

impl Serialize for PathText {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(self.0.as_str())
    }
}

impl Serialize for SeqNumber {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_str(&self.0)
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
