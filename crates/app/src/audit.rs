//! `/audit/list`, `/feedback-posts/activity`, and the entries of changes.

use crate::portable::members;
use crate::{Caller, Error, Missing};
use hearback_domain::audit::{AUDIT_KEPT, AuditEntry, AuditFilter};
use hearback_domain::feedback_post::FeedbackPost;
use hearback_domain::id::{AuditEntryId, OrganizationId, PostId, UserId};
use hearback_domain::record::{Key, Kind, Record, Step};
use hearback_domain::{ClosedSet, Time};
use hearback_ports::page::{ByTime, Page, PageRequest};
use hearback_ports::{Change, Ports, Recorded, StoreError};
use serde_json::{Map, Value};

/// `/audit/list`: the changes that the filter admits, newest first, for a year.
pub async fn list(
    ports: &Ports,
    caller: Caller,
    filter: AuditFilter,
    page: PageRequest<ByTime>,
) -> Result<Page<AuditEntry, ByTime>, Error> {
    let organization = caller.manage(Kind::Organization)?;
    let since = ports.clock.now().plus_millis(-AUDIT_KEPT);
    let created_after = Some(filter.created_after.map_or(since, |time| time.max(since)));
    let filter = AuditFilter { created_after, ..filter };
    Ok(ports.audit.page(organization, filter, page).await?)
}

/// What happened to a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The type of the change.
    pub activity_type: ActivityType,
    /// The change.
    pub entry: AuditEntry,
}

/// The types of changes of a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivityType {
    /// `created`
    Created,
    /// `edited`
    Edited,
    /// `status_changed`
    StatusChanged,
    /// `owner_changed`
    OwnerChanged,
    /// `merged_in`
    MergedIn,
    /// `merged`
    Merged,
    /// `unmerged`
    Unmerged,
    /// `moderated`
    Moderated,
    /// `deleted`
    Deleted,
    /// `restored`
    Restored,
}

impl ClosedSet for ActivityType {
    const ALL: &'static [Self] = &[
        Self::Created,
        Self::Edited,
        Self::StatusChanged,
        Self::OwnerChanged,
        Self::MergedIn,
        Self::Merged,
        Self::Unmerged,
        Self::Moderated,
        Self::Deleted,
        Self::Restored,
    ];

    fn code(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited => "edited",
            Self::StatusChanged => "status_changed",
            Self::OwnerChanged => "owner_changed",
            Self::MergedIn => "merged_in",
            Self::Merged => "merged",
            Self::Unmerged => "unmerged",
            Self::Moderated => "moderated",
            Self::Deleted => "deleted",
            Self::Restored => "restored",
        }
    }
}

/// `/feedback-posts/activity`: what happened to a post, newest first.
pub async fn activity(
    ports: &Ports,
    caller: Caller,
    post: PostId,
    page: PageRequest<ByTime>,
) -> Result<Page<Activity, ByTime>, Error> {
    let organization = caller.view(Kind::FeedbackPost)?;
    crate::write::find::<FeedbackPost>(ports, caller, post).await?;
    let filter = AuditFilter { target_id: Some(post.0), ..AuditFilter::default() };
    let Page { items, next } = ports.audit.page(organization, filter, page).await?;
    let activity = |entry: AuditEntry| Activity { activity_type: type_of(&entry.data), entry };
    Ok(Page { items: items.into_iter().map(activity).collect(), next })
}

/// The type of a change of a post. A change of several members has the type of the first of these.
fn type_of(data: &str) -> ActivityType {
    let data: Map<String, Value> = serde_json::from_str(data).unwrap_or_default();
    let after = |member: &str| data.get("after").and_then(|after| after.get(member));
    let has = |member| after(member).is_some();
    let is = |member, value: Value| after(member) == Some(&value);
    if data.contains_key("merged_post_id") {
        ActivityType::MergedIn
    } else if data.get("before").is_none_or(Value::is_null) {
        ActivityType::Created
    } else if is("is_active", false.into()) {
        ActivityType::Deleted
    } else if has("is_active") {
        ActivityType::Restored
    } else if is("merged_into_id", Value::Null) {
        ActivityType::Unmerged
    } else if has("merged_into_id") {
        ActivityType::Merged
    } else if has("status_id") {
        ActivityType::StatusChanged
    } else if has("moderation_status_code") {
        ActivityType::Moderated
    } else if has("owner_id") {
        ActivityType::OwnerChanged
    } else {
        ActivityType::Edited
    }
}

/// What the audit log says of a change beside its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remark {
    /// The user whom the request names as the one who made the change.
    pub(crate) actor_id: Option<UserId>,
    /// The reason that the user gave.
    pub(crate) note: Option<String>,
}

/// The entries of the steps of a change. A vote has none: it is an end user's.
pub(crate) fn entries(
    ports: &Ports,
    caller: Caller,
    steps: &[Step],
    remark: &Remark,
    at: Time,
) -> Vec<AuditEntry> {
    let entry_of = |step: &Step| {
        let target = step.after().or(step.before()).map(Record::key)?;
        // The entry of an article has the values that a version repeats.
        let has_entry = !matches!(target.0, Kind::Vote | Kind::ApiKey | Kind::HelpArticleVersion);
        let data = || data(step, caller, remark.note.as_deref());
        has_entry.then(|| entry(ports, caller, remark, at, target, data()))
    };
    steps.iter().filter_map(entry_of).collect()
}

/// The entry of a post that another one is merged into.
pub(crate) fn merged_in(
    ports: &Ports,
    caller: Caller,
    (source, target): (PostId, PostId),
    remark: &Remark,
    at: Time,
) -> AuditEntry {
    let data = serde_json::json!({ "merged_post_id": source.0 }).to_string();
    entry(ports, caller, remark, at, (Kind::FeedbackPost, target.0), data)
}

/// Writes an entry about an organization that no step changes. Returns its identifier.
pub(crate) async fn note(
    ports: &Ports,
    caller: Caller,
    organization: OrganizationId,
    data: String,
) -> Result<AuditEntryId, Error> {
    note_of(ports, caller, (Kind::Organization, organization.0), data).await
}

/// [`note`], after a change that is stored as no record. An organization that is gone meanwhile needs
/// no entry.
pub(crate) async fn note_done(
    ports: &Ports,
    caller: Caller,
    data: String,
) -> Result<(), StoreError> {
    match note(ports, caller, caller.organization(), data).await {
        Err(Error::Store(error)) => Err(error),
        _ => Ok(()),
    }
}

/// Writes an entry about a record that no step changes. Returns its identifier.
pub(crate) async fn note_of(
    ports: &Ports,
    caller: Caller,
    target: Key,
    data: String,
) -> Result<AuditEntryId, Error> {
    let at = ports.clock.now();
    let entry = entry(ports, caller, &Remark::default(), at, target, data);
    let id = entry.id;
    let change = Change { audit: vec![entry], ..Change::at(at) };
    match ports.records.apply(caller.organization(), change).await? {
        Recorded::Done => Ok(id),
        // An entry of the log rests on nothing but its organization.
        _ => Err(Error::NotFound(Missing::Record(Kind::Organization))),
    }
}

/// Writes an entry about a part of a user that is no record, such as the password: its name, and the
/// change.
pub(crate) async fn note_of_user(
    ports: &Ports,
    caller: Caller,
    user: UserId,
    (part, change): (&str, &str),
) -> Result<(), Error> {
    let data = serde_json::json!({ part: change }).to_string();
    note_of(ports, caller, (Kind::User, user.0), data).await?;
    Ok(())
}

/// The entry of a change that is stored as no record.
pub(crate) fn of_organization(ports: &Ports, caller: Caller, data: Value) -> AuditEntry {
    let target = (Kind::Organization, caller.organization().0);
    entry(ports, caller, &Remark::default(), ports.clock.now(), target, data.to_string())
}

/// An entry of a record that no step changes.
pub(crate) fn entry(
    ports: &Ports,
    caller: Caller,
    remark: &Remark,
    at: Time,
    target: Key,
    data: String,
) -> AuditEntry {
    AuditEntry {
        id: ports.ids.fresh().into(),
        at,
        door: caller.door(),
        actor_id: caller.user().or(remark.actor_id),
        action: caller.action().to_owned(),
        target,
        data,
    }
}

/// The members that a step changes, with their values before and after.
fn data(step: &Step, caller: Caller, note: Option<&str>) -> String {
    if step.erased().is_some() {
        // Nothing tells what an erased record was.
        return "{}".to_owned();
    }
    let mut data = changes(step);
    if let Some(note) = note {
        let mut note = Value::from(note);
        shorten(&mut note);
        data.insert("note".to_owned(), note);
    }
    if let Some(import) = caller.import_id() {
        data.insert("import_id".to_owned(), import.to_string().into());
    }
    Value::Object(data).to_string()
}

/// The members that a step changes, `before` and `after`. A member that one side does not have is
/// `null` there. A record that the step makes or removes has all its members on one side, and the
/// other side is `null`.
pub fn changes(step: &Step) -> Map<String, Value> {
    let (mut before, mut after) = (step.before().map(members), step.after().map(members));
    if let (Some(before), Some(after)) = (&mut before, &mut after) {
        for name in before.keys() {
            after.entry(name).or_insert(Value::Null);
        }
        for name in after.keys() {
            before.entry(name).or_insert(Value::Null);
        }
        before.retain(|name, value| after.get(name) != Some(value));
        after.retain(|name, _| before.contains_key(name));
    }
    let side = |members: Option<Map<String, Value>>| match members {
        None => Value::Null,
        Some(mut members) => {
            members.values_mut().for_each(shorten);
            Value::Object(members)
        }
    };
    Map::from_iter([("before".to_owned(), side(before)), ("after".to_owned(), side(after))])
}

/// The members of a record as the log has them: without secrets, and with long texts cut.
pub(crate) fn shown(record: &Record) -> Map<String, Value> {
    let mut members = members(record);
    members.values_mut().for_each(shorten);
    members
}

/// Cuts a long text: the log tells that it changed, and the record has the text.
fn shorten(value: &mut Value) {
    if let Value::String(text) = value
        && let Some((end, _)) = text.char_indices().nth(LONGEST)
    {
        text.truncate(end);
        text.push('…');
    }
}

/// Whether a value of the log is a text that is cut.
pub(crate) fn is_cut(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.ends_with('…') && text.chars().count() > LONGEST)
}

/// The most characters of a value in the log.
const LONGEST: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{CALLER, id, post};

    fn edited(change: impl Fn(FeedbackPost) -> FeedbackPost) -> String {
        data(&Step::edit(post(), change(post()), Time::MAX), CALLER, Some("Because"))
    }

    #[test]
    fn an_entry_has_the_changed_members_alone() {
        let title = "x".repeat(LONGEST + 1);
        let data: Value =
            serde_json::from_str(&edited(|post| FeedbackPost { title: title.clone(), ..post }))
                .unwrap();
        let cut = format!("{}…", "x".repeat(LONGEST));
        assert_eq!(data["after"]["title"], cut);
        let names: Vec<&String> = data["before"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["title", "updated_at"]);
        assert_eq!(data["note"], "Because");
    }

    #[test]
    fn the_type_of_an_activity_follows_from_the_changed_members() {
        let of = |change: fn(FeedbackPost) -> FeedbackPost| type_of(&edited(change));
        assert_eq!(type_of(&data(&Step::make(post()), CALLER, None)), ActivityType::Created);
        assert_eq!(of(|it| FeedbackPost { is_active: false, ..it }), ActivityType::Deleted);
        assert_eq!(of(|it| FeedbackPost { status_id: id(77), ..it }), ActivityType::StatusChanged);
        assert_eq!(
            of(|it| FeedbackPost { owner_id: Some(id(7)), ..it }),
            ActivityType::OwnerChanged
        );
        assert_eq!(of(|it| FeedbackPost { title: "New".to_owned(), ..it }), ActivityType::Edited);
        let merged = |it| FeedbackPost { merged_into_id: Some(id(7)), ..it };
        assert_eq!(of(merged), ActivityType::Merged);
        let back = Step::edit(merged(post()), post(), Time::MAX);
        assert_eq!(type_of(&data(&back, CALLER, None)), ActivityType::Unmerged);
        assert_eq!(type_of(r#"{"merged_post_id": "x"}"#), ActivityType::MergedIn);
    }
}
