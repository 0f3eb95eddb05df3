//! Conversions between the values of records and the values of columns.

use crate::values::{Id, Ids, Json, Stamp};
use hearback_domain::access::{Access, Guests, Moderating};
use hearback_domain::api_key::{KeyDigest, Sealed};
use hearback_domain::attributes::Attributes;
use hearback_domain::audit::Door;
use hearback_domain::changelog_entry::{EntryStatus, EntryType};
use hearback_domain::comment::Visibility;
use hearback_domain::delivery::{DeliveryFailure, DeliveryState};
use hearback_domain::event::EventType;
use hearback_domain::feedback_post::Moderation;
use hearback_domain::help_article::ArticleStatus;
use hearback_domain::help_redirect::Path;
use hearback_domain::id::*;
use hearback_domain::mail::MailFailure;
use hearback_domain::organization::HelpCenter;
use hearback_domain::permission::Role;
use hearback_domain::portal::PortalSettings;
use hearback_domain::position::Position;
use hearback_domain::record::Kind;
use hearback_domain::session::{Factor, TokenDigest, Way};
use hearback_domain::slug::Slug;
use hearback_domain::spend::Spend;
use hearback_domain::status::StatusGroup;
use hearback_domain::subscription::Level;
use hearback_domain::user::PostMail;
use hearback_domain::{ClosedSet, Time, Uuid};
use hearback_ports::{StoreError, attributes, portal};
use std::borrow::Cow;

/// A conversion between a value of a record and the value of its column.
pub trait Column {
    /// The value of a record.
    type Value;
    /// The value of the column.
    type Held<'a>;

    /// Converts a value of a record to the value of the column.
    fn hold(value: &Self::Value) -> Self::Held<'_>;

    /// Converts the value of the column. Returns `None` if no value of a record corresponds to it.
    fn read(held: Self::Held<'_>) -> Option<Self::Value>;
}

macro_rules! columns {
    ($($value:ty as $held:ty: |$from:pat_param| $hold:expr, |$column:pat_param| $read:expr;)+) => {$(
        impl Column for $value {
            type Value = Self;
            type Held<'a> = $held;

            fn hold($from: &Self) -> Self::Held<'_> {
                $hold
            }

            fn read($column: Self::Held<'_>) -> Option<Self> {
                $read
            }
        }
    )+};
}

columns! {
    bool as bool: |flag| *flag, |flag| Some(flag);
    i64 as i64: |number| *number, |number| Some(number);
    String as Cow<'a, str>: |text| Cow::from(text), |text| Some(text.into_owned());
    Slug as Cow<'a, str>: |slug| Cow::from(slug.as_str()), |slug| Slug::parse(&slug).ok();
    Path as Cow<'a, str>: |path| Cow::from(path.as_str()), |path| Path::parse(&path).ok();
    Position as i64:
        |position| position.ten_thousandths(),
        |number| Some(Position::from_ten_thousandths(number));
    Spend as i64: |spend| spend.hundredths(), |number| Spend::from_hundredths(number);
    Attributes as Json:
        |all| Json(attributes::to_json(all)),
        |Json(json)| attributes::from_json(&json);
    PortalSettings as Cow<'a, str>:
        |settings| Cow::from(portal::to_json(settings)),
        |json| portal::from_json(&json);
    Time as Stamp: |time| Stamp::of(*time), |Stamp(millis)| Time::from_unix_millis(millis).ok();
    HelpCenter as bool: |it| it.is_enabled(), |flag| Some(HelpCenter::from_flag(flag));
    Sealed as Cow<'a, [u8]>: |secret| Cow::from(&secret.0), |bytes| Some(Sealed(bytes.into_owned()));
    KeyDigest as Cow<'a, [u8]>:
        |digest| Cow::from(digest.0.as_slice()),
        |bytes| bytes.as_ref().try_into().ok().map(KeyDigest);
    TokenDigest as Cow<'a, [u8]>:
        |digest| Cow::from(digest.0.as_slice()),
        |bytes| bytes.as_ref().try_into().ok().map(TokenDigest);
    Vec<UserId> as Ids:
        |users| Ids(Some(users.iter().map(|user| user.0).collect())),
        |Ids(ids)| Some(ids?.into_iter().map(UserId).collect());
    Vec<TagId> as Ids:
        |tags| Ids(Some(tags.iter().map(|tag| tag.0).collect())),
        |Ids(ids)| Some(ids?.into_iter().map(TagId).collect());
    // The codes are separated by commas. An empty list stands for all event types.
    Vec<EventType> as Cow<'a, str>:
        |types| Cow::from(types.iter().map(|it| it.code()).collect::<Vec<_>>().join(",")),
        |codes| codes.split(',').filter(|code| !code.is_empty()).map(EventType::parse).collect();
    // The identifiers are separated by commas, as the fan-out compares them.
    Vec<BoardId> as Cow<'a, str>:
        |boards| Cow::from(boards.iter().map(BoardId::to_string).collect::<Vec<_>>().join(",")),
        |ids| {
            let ids = ids.split(',').filter(|id| !id.is_empty());
            ids.map(|id| parse_uuid(id).map(BoardId)).collect()
        };
}

macro_rules! identifiers {
    ($($id:ident),+ $(,)?) => {
        columns! { $($id as Id: |id| Id::of(*id), |id| Some(id.to());)+ }
    };
}

identifiers!(
    OrganizationId,
    MembershipId,
    UserId,
    CompanyId,
    BoardId,
    RoadmapBoardId,
    StatusId,
    CategoryId,
    TagId,
    PostId,
    RoadmapPostId,
    CommentId,
    VoteId,
    MergeId,
    RoadmapLinkId,
    EntryLinkId,
    PostSubscriptionId,
    LabelId,
    ChangelogEntryId,
    HelpCollectionId,
    HelpCategoryId,
    HelpArticleId,
    HelpArticleVersionId,
    HelpRedirectId,
    SubscriptionId,
    ApiKeyId,
);

macro_rules! closed_sets {
    ($($set:ident),+ $(,)?) => {
        columns! { $($set as Cow<'a, str>: |it| Cow::from(it.code()), |code| $set::parse(&code);)+ }
    };
}

closed_sets!(
    StatusGroup,
    Moderation,
    Visibility,
    EntryStatus,
    EntryType,
    ArticleStatus,
    DeliveryState,
    DeliveryFailure,
    EventType,
    Access,
    Moderating,
    Guests,
    Level,
    PostMail,
    MailFailure,
    Door,
    Kind,
    Role,
    Factor,
    Way,
);

impl<C: Column> Column for Option<C> {
    type Value = Option<C::Value>;
    type Held<'a> = Option<C::Held<'a>>;

    fn hold(value: &Self::Value) -> Self::Held<'_> {
        value.as_ref().map(C::hold)
    }

    fn read(held: Self::Held<'_>) -> Option<Self::Value> {
        match held {
            Some(held) => C::read(held).map(Some),
            None => Some(None),
        }
    }
}

/// A text whose column is NULL if the text is empty. A unique index admits many NULLs.
pub struct EmptyIsNull;

impl Column for EmptyIsNull {
    type Value = String;
    type Held<'a> = Option<Cow<'a, str>>;

    fn hold(text: &String) -> Self::Held<'_> {
        Some(Cow::from(text)).filter(|text| !text.is_empty())
    }

    fn read(held: Self::Held<'_>) -> Option<String> {
        Some(held.map(Cow::into_owned).unwrap_or_default())
    }
}

/// Words without commas, in a column with commas between them.
pub struct Words;

impl Column for Words {
    type Value = Vec<String>;
    type Held<'a> = Cow<'a, str>;

    fn hold(words: &Vec<String>) -> Self::Held<'_> {
        Cow::from(words.join(","))
    }

    fn read(held: Self::Held<'_>) -> Option<Vec<String>> {
        Some(held.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }
}

/// The row that values were read from. An error names it.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    table: &'static str,
    id: Uuid,
}

impl Origin {
    /// The row `id` of a table.
    pub fn new(table: &'static str, id: impl Into<Uuid>) -> Self {
        Self { table, id: id.into() }
    }

    /// Reads the value that a column holds.
    pub fn read<C: Column>(
        self,
        column: &'static str,
        held: C::Held<'_>,
    ) -> Result<C::Value, BadRow> {
        C::read(held).ok_or_else(|| self.bad(column))
    }

    /// The error of an impossible value in `column`.
    pub fn bad(self, column: &'static str) -> BadRow {
        BadRow { table: self.table, column, id: self.id }
    }
}

/// A stored row with an impossible value.
#[derive(Debug, thiserror::Error)]
#[error("row {id} of {table} has an impossible {column}")]
pub struct BadRow {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
    /// The row's identifier.
    pub id: Uuid,
}

impl From<BadRow> for diesel::result::Error {
    fn from(row: BadRow) -> Self {
        Self::DeserializationError(Box::new(row))
    }
}

impl From<BadRow> for StoreError {
    fn from(row: BadRow) -> Self {
        Self::Backend { doing: "reading a stored row", source: Box::new(row) }
    }
}

/// Converts rows. Returns the error of the first row that is impossible.
pub fn all<R, T>(rows: Vec<R>) -> Result<Vec<T>, BadRow>
where
    T: TryFrom<R, Error = BadRow>,
{
    rows.into_iter().map(T::try_from).collect()
}
