//! The visitor's own account.

use super::{Visit, gone};
use crate::Error;
use crate::one_person::{self, EraseUser};
use crate::users::{self, PatchUser, UserExport};
use crate::write::Update;
use hearback_domain::ClosedSet;
use hearback_domain::edit::Patch;
use hearback_domain::one_person::Traces;
use hearback_domain::record::Kind;
use hearback_domain::text::ShortText;
use hearback_domain::user::{PostMail, UserPatch};
use hearback_domain::web_url::WebUrl;
use hearback_ports::Ports;
use serde_json::{Map, Value, json};

/// The new values of the visitor's account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountPatch {
    /// The name.
    pub name: Option<ShortText>,
    /// The URL of the picture.
    pub picture: Patch<WebUrl>,
    /// The language.
    pub locale: Option<ShortText>,
    /// Whether the visitor gets mail.
    pub is_subscribed: Option<bool>,
    /// When the visitor gets mail about posts.
    pub post_mail: Option<PostMail>,
    /// Whether the visitor gets mail about the changelog.
    pub changelog_mail: Option<bool>,
}

/// Changes the visitor's account.
pub async fn save_account(
    ports: &Ports,
    visit: &Visit,
    AccountPatch { name, picture, locale, is_subscribed, post_mail, changelog_mail }: AccountPatch,
) -> Result<(), Error> {
    let (_, user) = visit.oneself()?;
    let patch = UserPatch {
        name,
        loses_avatar: picture == Patch::Clear,
        avatar_url: match picture {
            Patch::Set(url) => Some(url),
            Patch::Keep | Patch::Clear => None,
        },
        locale,
        is_subscribed,
        post_mail,
        changelog_mail,
        ..UserPatch::default()
    };
    let values = PatchUser { patch, company: None };
    let caller = visit.admitted("portal/account");
    users::update(ports, caller, Update::new(user.user_id, values), None).await.map(drop)
}

/// Sets whether the visitor gets mails about the changelog. Mails about posts stay as they are: who
/// got no mail at all gets those about the changelog alone.
pub async fn follow_changelog(ports: &Ports, visit: &Visit, wanted: bool) -> Result<(), Error> {
    let (_, user) = visit.oneself()?;
    let begins = wanted && !user.is_subscribed;
    let patch = AccountPatch {
        changelog_mail: Some(wanted),
        is_subscribed: begins.then_some(true),
        post_mail: begins.then_some(PostMail::Off),
        ..AccountPatch::default()
    };
    save_account(ports, visit, patch).await
}

/// All that the organization has stored of the visitor: a JSON object with `user`, `company` if there
/// is one, and `records` by kind, as the portable format has them.
pub async fn export_account(ports: &Ports, visit: &Visit) -> Result<Value, Error> {
    let user = visit.oneself()?.1.user_id;
    let caller = visit.admitted("portal/export-account");
    let UserExport { user, company, records } = users::export(ports, caller, user).await?;
    let mut by_kind: Map<String, Value> = Map::new();
    for (kind, record) in records {
        let of_kind = by_kind.entry(kind.code()).or_insert_with(|| Value::Array(vec![]));
        if let Value::Array(of_kind) = of_kind {
            of_kind.push(Value::Object(record));
        }
    }
    Ok(json!({ "user": user, "company": company, "records": by_kind }))
}

/// Erases the visitor: nothing tells any more who wrote what. The posts, comments and votes stay, or
/// go too. A member of the team is not erased here: another member decides on that.
pub async fn erase_account(ports: &Ports, visit: &Visit, traces: Traces) -> Result<(), Error> {
    let (_, user) = visit.oneself()?;
    if user.role().is_some() {
        return Err(gone(Kind::User));
    }
    let caller = visit.admitted("portal/erase-account");
    let input = EraseUser { user: user.user_id, traces, dry_run: false };
    one_person::erase(ports, caller, input, None).await.map(drop)
}
