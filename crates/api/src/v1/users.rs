//! `/users/…`

use crate::answer::{AttributesView, Timestamp};
use crate::endpoint::Refusal::{self, NotFound, Refused};
use crate::endpoint::{Endpoint, handler, read, write};
use crate::fault::Wrong;
use crate::fields::{
    Fields, Noted, any_of, attributes, boolean, bounded, email, given, one_of, query, string,
    timestamp, uuid, wanted, web_url,
};
use crate::page::Paging;
use crate::v1::changes::{Listed, sorted_changes};
use crate::v1::companies;
use hearback_app::one_person::{self, EraseUser, MergeUsers};
use hearback_app::users::{self, BlockUser, PatchUser, UpdateUser, UpsertUser, UserExport};
use hearback_app::{Missing, Precondition, audit, crud};
use hearback_domain::company::CompanyPatch;
use hearback_domain::edit::Patch;
use hearback_domain::id::UserId;
use hearback_domain::person::Handle;
use hearback_domain::record::{Kind, Step};
use hearback_domain::text::ShortText;
use hearback_domain::user::{User, UserFilter, UserPatch, UserSelector, UserSort};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::page::BySort;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::ToSchema;

pub(crate) const TABLE: &[Endpoint] = &[
    read(
        "/users/retrieve",
        "Retrieve a user, by exactly one of user_id and email",
        handler!(object<UserView>: selector => users::retrieve),
    )
    .refusing(&[NotFound(Missing::Record(Kind::User))]),
    read(
        "/users/list",
        "List users, newest first",
        handler!(page<ListedUser>: filtered => users::list),
    ),
    write(
        "/users/upsert",
        "Make a user, or change the one with this external_id or email",
        handler!(upserted_user: values => users::upsert),
    )
    .refusing(&[
        Refused(Precondition::EmailTaken),
        Refused(Precondition::OwnerKept),
        Refused(Precondition::TooManyAttributes),
    ]),
    write("/users/update", "Change a user", handler!(success: patch => users::update)).refusing(&[
        NotFound(Missing::Record(Kind::User)),
        Refused(Precondition::Changed),
        Refused(Precondition::EmailTaken),
        Refused(Precondition::ExternalIdTaken),
        Refused(Precondition::OwnerKept),
        Refused(Precondition::TooManyAttributes),
    ]),
    write(
        "/users/delete",
        "Delete a user. Posts, comments and votes stay",
        handler!(success: id => crud::delete::<User>),
    )
    .refusing(GONE_OR_OWNER),
    write(
        "/users/block",
        "Block a user, who then cannot sign in, post, comment or vote",
        handler!(success: blocked => users::block),
    )
    .refusing(GONE_OR_OWNER),
    read(
        "/users/export",
        "Export all that is stored of a person",
        handler!(object<ExportView>: id => users::export),
    )
    .refusing(&[NotFound(Missing::Record(Kind::User))]),
    write("/users/unblock", "Unblock a user", handler!(success: id => users::unblock))
        .refusing(GONE_OR_OWNER),
    write(
        "/users/merge",
        "Merge a user into another one, who is the same person",
        handler!(tried: merge => one_person::merge),
    )
    .refusing(GONE_OR_OWNER),
    write(
        "/users/erase",
        "Erase all that tells who a user is",
        handler!(tried: erase => one_person::erase),
    )
    .refusing(GONE_OR_OWNER),
];

/// The refusals of a change that an API key does not make to an owner.
const GONE_OR_OWNER: &[Refusal] =
    &[NotFound(Missing::Record(Kind::User)), Refused(Precondition::OwnerKept)];

/// `/users/upsert` without a change. It is no endpoint of the API.
pub(crate) static UPSERT_PREVIEW: Endpoint =
    read("/users/upsert", "", handler!(array<ChangesView>: values => users::upsert_steps));

/// The changed members of a record.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangesView<'a> {
    kind: &'a str,
    #[schema(value_type = Object)]
    #[serde(flatten)]
    changes: Map<String, Value>,
}

impl<'a> From<&'a Step> for ChangesView<'a> {
    fn from(step: &'a Step) -> Self {
        let kind = step.after().or(step.before()).map_or("", |record| record.kind().code());
        Self { kind, changes: audit::changes(step) }
    }
}

fn merge(fields: &mut Fields<'_>) -> Result<MergeUsers, Noted> {
    let user = fields.required("merge_user_id", uuid);
    let into = fields.other("into_user_id", &user, "a user cannot be merged into itself");
    let dry_run = fields.dry_run();
    Ok(MergeUsers { user: user?.into(), into: into?.into(), dry_run: dry_run? })
}

fn erase(fields: &mut Fields<'_>) -> Result<EraseUser, Noted> {
    let user = fields.id("user_id");
    let traces = fields.optional("content_code", one_of);
    let dry_run = fields.dry_run();
    Ok(EraseUser { user: user?, traces: traces?.unwrap_or_default(), dry_run: dry_run? })
}

/// The user to retrieve. The contract says: "Exactly one of `user_id` and `email` must be present."
fn selector(fields: &mut Fields<'_>) -> Result<UserSelector, Noted> {
    fields.exactly_one_of(&["user_id", "email"]);
    let user_id = fields.optional("user_id", uuid);
    let email = fields.optional("email", |value| match string(value)? {
        _ if !matches!(user_id, Ok(None)) => {
            Err(Wrong::Rule("user_id and email exclude each other"))
        }
        email => Ok(email),
    });
    match (user_id?, email?) {
        (Some(id), _) => Ok(UserSelector::Id(id.into())),
        (None, Some(email)) => Ok(UserSelector::Email(email)),
        (None, None) => Err(fields.fault("user_id", Wrong::Missing)),
    }
}

fn id(fields: &mut Fields<'_>) -> Result<UserId, Noted> {
    fields.id("user_id")
}

fn blocked(fields: &mut Fields<'_>) -> Result<BlockUser, Noted> {
    let id = id(fields);
    let reject_pending = fields.optional("reject_pending", boolean);
    Ok(BlockUser { id: id?, reject_pending: reject_pending?.unwrap_or(false) })
}

/// A person, with the records that refer to the person.
#[derive(Serialize, ToSchema)]
#[schema(as = UserExport)]
pub(crate) struct ExportView<'a> {
    #[schema(value_type = Object)]
    user: &'a Map<String, Value>,
    #[schema(value_type = Option<Object>)]
    company: Option<&'a Map<String, Value>>,
    /// The records by their kind, as the portable format has them.
    #[schema(value_type = Object)]
    records: BTreeMap<&'static str, Vec<&'a Map<String, Value>>>,
}

impl<'a> From<&'a UserExport> for ExportView<'a> {
    fn from(UserExport { user, company, records: all }: &'a UserExport) -> Self {
        let mut records: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (kind, record) in all {
            records.entry(kind.code()).or_default().push(record);
        }
        Self { user, company: company.as_ref(), records }
    }
}

fn values(fields: &mut Fields<'_>) -> Result<UpsertUser, Noted> {
    fields.rule(|| any_of([given("external_id"), given("email")]));
    let external_id = fields.optional("external_id", bounded);
    let email = fields.optional("email", email);
    if let (Ok(None), Ok(None)) = (&external_id, &email) {
        fields.fault("external_id", Wrong::Missing);
    }
    let name = fields.optional("name", bounded);
    let avatar_url = fields.optional("avatar_url", web_url);
    let (company, company_name) = company(fields);
    let customer_status = fields.optional("customer_status", bounded);
    let attributes = fields.optional("attributes", attributes);
    let locale = fields.optional("locale", bounded);
    let is_subscribed = fields.optional("is_subscribed", boolean);
    let created_at = fields.past("created_at");
    let (external_id, email) = (external_id?, email?);
    let by_id = external_id.clone().map(Handle::ExternalId);
    let handle = by_id.or(email.clone().map(Handle::Email)).ok_or(Noted)?;
    let patch = UserPatch {
        external_id: external_id.map_or(Patch::Keep, Patch::Set),
        email,
        name: name?,
        avatar_url: avatar_url?,
        company_name: company_name?,
        loses_avatar: false,
        leaves_company: false,
        customer_status: customer_status?,
        locale: locale?,
        attributes: attributes?.map_or(Patch::Keep, Patch::Set),
        is_subscribed: is_subscribed?,
        // People choose these in the portal.
        post_mail: None,
        changelog_mail: None,
    };
    let values = PatchUser { patch, company: company? };
    Ok(UpsertUser { handle, values, created_at: created_at? })
}

fn patch(fields: &mut Fields<'_>) -> Result<UpdateUser, Noted> {
    let id = id(fields);
    let external_id = fields.clearable("external_id", bounded);
    let email = fields.optional("email", email);
    let name = fields.optional("name", bounded);
    let avatar_url = fields.optional("avatar_url", web_url);
    let (company, company_name) = company(fields);
    let leaves_company = fields.cleared("company_id");
    let customer_status = fields.optional("customer_status", bounded);
    let attributes = fields.clearable("attributes", attributes);
    let locale = fields.optional("locale", bounded);
    let is_subscribed = fields.optional("is_subscribed", boolean);
    let expected_updated_at = fields.optional("expected_updated_at", timestamp);
    let cleared = fields.clear();
    if let (Ok(Some(_)), true) = (&company, leaves_company) {
        fields.fault("clear", Wrong::Rule("a field is either given or cleared"));
    }
    let patch = UserPatch {
        external_id: external_id?,
        email: email?,
        name: name?,
        avatar_url: avatar_url?,
        company_name: company_name?,
        loses_avatar: false,
        leaves_company,
        customer_status: customer_status?,
        locale: locale?,
        attributes: attributes?,
        is_subscribed: is_subscribed?,
        // People choose these in the portal.
        post_mail: None,
        changelog_mail: None,
    };
    cleared?;
    let patch = PatchUser { patch, company: company? };
    Ok(UpdateUser { id: id?, patch, expected_updated_at: expected_updated_at? })
}

/// The value of an optional field.
type Given<T> = Result<Option<T>, Noted>;

/// `company` or `company_name`.
fn company(fields: &mut Fields<'_>) -> (Given<CompanyPatch>, Given<ShortText>) {
    let company = fields.object("company", companies::MEMBERS, companies::values);
    let is_given = matches!(company, Ok(Some(_)));
    let name = fields.optional("company_name", |value| match bounded(value)? {
        _ if is_given => Err(Wrong::Rule("company and company_name exclude each other")),
        name => Ok(name),
    });
    (company, name)
}

type Filtered = ((UserFilter, UserSort), Paging<BySort>);

fn filtered(fields: &mut Fields<'_>) -> Result<Filtered, Noted> {
    let search = fields.optional("search", query);
    let company_id = fields.optional("company_id", uuid);
    let customer_status = fields.optional("customer_status", bounded::<0, 512>);
    let portal_role = fields.optional("portal_role", bounded::<0, 512>);
    let attributes = fields.optional("attributes", wanted);
    let is_subscribed = fields.optional("is_subscribed", boolean);
    let is_blocked = fields.optional("is_blocked", boolean);
    let created_after = fields.optional("created_after", timestamp);
    let changes = sorted_changes(fields, UserSort::Changes);
    let filter = changes.and_then(|(changes, _)| {
        Ok(UserFilter {
            search: search?,
            company_id: company_id?.map(Into::into),
            customer_status: customer_status?.map(String::from),
            portal_role: portal_role?.map(String::from),
            attributes: attributes?.unwrap_or_default(),
            is_subscribed: is_subscribed?,
            is_blocked: is_blocked?,
            created_after: created_after?,
            updated_after: changes.updated_after,
            include_deleted: changes.include_deleted,
        })
    });
    let list = changes.and_then(|(changes, sort)| {
        let filter = filter.as_ref().map_err(|noted| *noted)?;
        Ok(changes
            .list(fields, sort.code())
            .filter(filter.created_after.map(|time| time.to_string()))
            .filter(filter.search.as_ref().map(|search| search.as_str()))
            .filter(filter.company_id.map(Uuid::from))
            .filter(filter.customer_status.as_ref())
            .filter(filter.portal_role.as_ref())
            .filter_by_attributes(&filter.attributes)
            .filter(filter.is_subscribed.map(|flag| [u8::from(flag)]))
            .filter(filter.is_blocked.map(|flag| [u8::from(flag)])))
    });
    let paging = fields.paging(list);
    let (_, sort) = changes?;
    Ok(((filter?, sort), paging?))
}

#[derive(Serialize, ToSchema)]
#[schema(as = User)]
pub(crate) struct UserView<'a> {
    id: Uuid,
    user_id: Uuid,
    email: &'a str,
    name: &'a str,
    avatar_url: &'a str,
    portal_role: &'a str,
    company_name: &'a str,
    customer_status: &'a str,
    created_at: Timestamp,
    is_subscribed: bool,
    external_id: Option<&'a str>,
    company_id: Option<Uuid>,
    locale: &'a str,
    #[schema(inline)]
    attributes: AttributesView<'a>,
    is_blocked: bool,
    is_trusted: bool,
    updated_at: Timestamp,
}

impl<'a> From<&'a User> for UserView<'a> {
    fn from(user: &'a User) -> Self {
        Self {
            id: user.id.0,
            user_id: user.user_id.0,
            email: &user.email,
            name: &user.name,
            avatar_url: &user.avatar_url,
            portal_role: &user.portal_role,
            company_name: &user.company_name,
            customer_status: &user.customer_status,
            created_at: user.created_at.into(),
            is_subscribed: user.is_subscribed,
            external_id: user.external_id.as_deref(),
            company_id: user.company_id.map(Uuid::from),
            locale: &user.locale,
            attributes: AttributesView(&user.attributes),
            is_blocked: user.is_blocked,
            is_trusted: user.is_trusted,
            updated_at: user.updated_at.into(),
        }
    }
}

pub(crate) type ListedUser<'a> = Listed<UserView<'a>>;

impl<'a> From<&'a User> for ListedUser<'a> {
    fn from(user: &'a User) -> Self {
        Self::of(user, user.is_active, user.id, user.updated_at)
    }
}
