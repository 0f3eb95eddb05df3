//! Imports of people: many upserts that are found, and undone, as one.
//!
//! The audit log is the memory of an import. An entry begins it, and its identifier is that of the
//! import. The entries of all changes name the import, and another entry ends it. So any process
//! can show an import, and undo it, while its entries are kept.

use crate::audit::{self, is_cut, shown};
use crate::portable::with_members;
use crate::write::{self, Decided};
use crate::{Caller, Error, Missing, Precondition, Vault};
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::company::Company;
use hearback_domain::follow_up::{Affected, FollowUp, Only};
use hearback_domain::id::{AuditEntryId, OrganizationId, UserId};
use hearback_domain::millis::minutes;
use hearback_domain::record::{Kind, OfKind};
use hearback_domain::user::User;
use hearback_domain::{Time, Uuid};
use hearback_ports::page::{ByTime, Limit, PageRequest};
use hearback_ports::{Ports, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// The most people of an import.
pub const MOST_PEOPLE: usize = 5_000;
/// The most lines and records that the end of an import, or of its undoing, names.
pub const MOST_NAMED: usize = 100;
/// The time without a change after which an import or an undoing was interrupted, in milliseconds.
const INTERRUPTED: i64 = minutes(2);

/// The action of the entries that begin and end an import.
const IMPORT: &str = "people/import";
/// The action of the entries that begin and end an undoing, and of its changes.
const UNDO: &str = "people/undo-import";
/// The action of the changes of an import.
const UPSERT: &str = "users/upsert";

/// An import of people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleImport {
    /// The identifier.
    pub id: AuditEntryId,
    /// When it began.
    pub at: Time,
    /// The member who imports.
    pub actor_id: Option<UserId>,
    /// The number of people in the file.
    pub rows: u64,
    /// The end of the import.
    pub end: Option<Imported>,
    /// The end of the undoing.
    pub undone: Option<Undone>,
    /// The state.
    pub state: ImportState,
}

/// The states of an import of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportState {
    /// People are made and changed.
    Importing,
    /// The import has ended.
    Imported,
    /// The import has no end, and nothing has happened for some time.
    Interrupted,
    /// Changes are undone.
    Undoing,
    /// The undoing has no end, and nothing has happened for some time.
    UndoInterrupted,
    /// The undoing has ended.
    Undone,
}

impl ImportState {
    /// Whether something is under way.
    pub fn is_running(self) -> bool {
        matches!(self, Self::Importing | Self::Undoing)
    }

    /// Whether the import can be undone.
    pub fn can_be_undone(self) -> bool {
        matches!(self, Self::Imported | Self::Interrupted | Self::UndoInterrupted)
    }
}

/// The end of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The number of people who are new, or linked again.
    pub created: u64,
    /// The number of other people who changed, or whose company did.
    pub changed: u64,
    /// The number of people who stayed as they were.
    pub unchanged: u64,
    /// The number of lines that were left out.
    pub left_out: u64,
    /// The faults of lines, the first [`MOST_NAMED`]: the number of the line, the field at fault or
    /// an empty text, and the reason in the words of the API.
    pub faults: Vec<(u64, String, String)>,
}

/// The end of the undoing of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The number of changes that are undone.
    pub undone: u64,
    /// The number of changes that stay.
    pub kept: u64,
    /// The people who stay as they are, since they changed or left something after the import: the
    /// first [`MOST_NAMED`].
    pub kept_users: Vec<Uuid>,
    /// The companies that stay as they are, since they changed or have other people: the first
    /// [`MOST_NAMED`].
    pub kept_companies: Vec<Uuid>,
}

/// The data of an entry that begins or ends an import or an undoing.
#[derive(Default, Serialize, Deserialize)]
struct Note {
    /// The import. The entry that begins it is the import itself, and has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    import_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<Imported>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<Undone>,
}

impl Note {
    async fn write(&self, ports: &Ports, caller: Caller) -> Result<AuditEntryId, Error> {
        let organization = caller.manage(Kind::User)?;
        let data = serde_json::to_string(self).unwrap_or_default();
        audit::note(ports, caller, organization, data).await
    }
}

/// Begins an import of `rows` people. `None` if another import or undoing is under way.
pub async fn begin(
    ports: &Ports,
    caller: Caller,
    rows: u64,
) -> Result<Option<AuditEntryId>, Error> {
    let note = Note { rows: Some(rows), ..Note::default() };
    alone(ports, caller.doing(IMPORT), note, |imports| {
        imports.iter().all(|import| !import.state.is_running())
    })
    .await
}

/// Begins the undoing of an import. `None` if it cannot be undone, or if another import or undoing is
/// under way.
pub async fn begin_undo(
    ports: &Ports,
    caller: Caller,
    id: AuditEntryId,
) -> Result<Option<AuditEntryId>, Error> {
    let note = Note { import_id: Some(id.0), ..Note::default() };
    alone(ports, caller.doing(UNDO), note, |imports| {
        imports.iter().all(|import| !import.state.is_running())
            && imports.iter().any(|import| import.id == id && import.state.can_be_undone())
    })
    .await
}

/// Writes a note if the imports admit it. The calls of a process take turns. Returns `None` if
/// another process has begun meanwhile, too: each looks again after its note is stored, so at most
/// one of them goes on.
async fn alone(
    ports: &Ports,
    caller: Caller,
    note: Note,
    admits: impl Fn(&[PeopleImport]) -> bool,
) -> Result<Option<AuditEntryId>, Error> {
    static TURN: Mutex<()> = Mutex::const_new(());
    let _turn = TURN.lock().await;
    if !admits(&list(ports, caller).await?) {
        return Ok(None);
    }
    let begun = note.write(ports, caller).await?;
    let own = note.import_id.map_or(begun, AuditEntryId);
    let imports = list(ports, caller).await?;
    let is_alone = imports.iter().all(|it| it.id == own || !it.state.is_running());
    Ok(is_alone.then_some(begun))
}

/// Ends an import.
pub async fn end(
    ports: &Ports,
    caller: Caller,
    import: AuditEntryId,
    mut imported: Imported,
) -> Result<(), Error> {
    imported.faults.truncate(MOST_NAMED);
    let note = Note { import_id: Some(import.0), imported: Some(imported), ..Note::default() };
    patiently(ports, || note.write(ports, caller.doing(IMPORT))).await?;
    Ok(())
}

/// The imports among the last [`Limit::MAX`] entries about imports, the last one first.
pub async fn list(ports: &Ports, caller: Caller) -> Result<Vec<PeopleImport>, Error> {
    let organization = caller.manage(Kind::User)?;
    let notes = async |action: &str| {
        // The changes of an undoing have its action, but are not about the organization.
        let filter = AuditFilter {
            action: Some(action.to_owned()),
            target_id: Some(organization.0),
            ..AuditFilter::default()
        };
        let page = PageRequest { after: None, limit: most() };
        let entries = ports.audit.page(organization, filter, page).await?.items;
        let note = |entry: AuditEntry| Some((serde_json::from_str(&entry.data).ok()?, entry));
        Ok::<Vec<(Note, AuditEntry)>, StoreError>(entries.into_iter().filter_map(note).collect())
    };
    let (imports, undoings) = (notes(IMPORT).await?, notes(UNDO).await?);
    let mut all = Vec::new();
    for (note, entry) in &imports {
        let Some(rows) = note.rows else { continue };
        let is_of_it = |(note, _): &&(Note, AuditEntry)| note.import_id == Some(entry.id.0);
        let end = imports.iter().filter(is_of_it).find_map(|(note, _)| note.imported.clone());
        let mut undoing = undoings.iter().filter(is_of_it);
        let last = undoing.clone().next().map(|(_, entry)| entry);
        let undone = undoing.find_map(|(note, _)| note.undone.clone());
        let state = match (&end, last, &undone) {
            (_, _, Some(_)) => ImportState::Undone,
            (_, Some(last), None) => match is_alive(ports, organization, UNDO, last).await? {
                true => ImportState::Undoing,
                false => ImportState::UndoInterrupted,
            },
            (Some(_), None, None) => ImportState::Imported,
            (None, None, None) => match is_alive(ports, organization, UPSERT, entry).await? {
                true => ImportState::Importing,
                false => ImportState::Interrupted,
            },
        };
        let (id, at, actor_id) = (entry.id, entry.at, entry.actor_id);
        all.push(PeopleImport { id, at, actor_id, rows, end, undone, state });
    }
    Ok(all)
}

/// Returns whether an import or an undoing has lately begun, or its member has made a change by
/// the action. `begun` is the entry that began it.
async fn is_alive(
    ports: &Ports,
    organization: OrganizationId,
    action: &str,
    begun: &AuditEntry,
) -> Result<bool, StoreError> {
    let lately = ports.clock.now().plus_millis(-INTERRUPTED);
    if begun.at > lately {
        return Ok(true);
    }
    let filter = AuditFilter {
        actor_id: begun.actor_id,
        action: Some(action.to_owned()),
        created_after: Some(lately),
        ..AuditFilter::default()
    };
    let page = PageRequest { after: None, limit: Limit::DEFAULT };
    Ok(!ports.audit.page(organization, filter, page).await?.items.is_empty())
}

/// One of the imports of [`list`].
pub async fn find(
    ports: &Ports,
    caller: Caller,
    id: AuditEntryId,
) -> Result<Option<PeopleImport>, Error> {
    Ok(list(ports, caller).await?.into_iter().find(|import| import.id == id))
}

/// Undoes the changes of an import, the last one first. New people and companies are deleted if
/// nothing refers to them. The others get back the values that the import changed, if these have
/// stayed as they were. A change that was undone before counts as undone.
pub async fn undo(
    ports: &Ports,
    vault: &Arc<Vault>,
    caller: Caller,
    import: &PeopleImport,
) -> Result<(), Error> {
    let organization = caller.manage(Kind::User)?;
    let caller = caller.doing(UNDO).importing(import.id);
    let changes = changes(ports, organization, import).await?;
    let (users, others): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|entry| entry.target.0 == Kind::User);
    let mut done = Undone::default();
    // A company can go once its people have gone.
    for entry in users.iter().chain(&others) {
        let (is_undone, kept) = if entry.target.0 == Kind::User {
            let undo = || undo_one::<User>(ports, vault, caller, entry);
            (patiently(ports, undo).await?, &mut done.kept_users)
        } else {
            let undo = || undo_one::<Company>(ports, vault, caller, entry);
            (patiently(ports, undo).await?, &mut done.kept_companies)
        };
        if is_undone {
            done.undone += 1;
            continue;
        }
        done.kept += 1;
        if kept.len() < MOST_NAMED && !kept.contains(&entry.target.1) {
            kept.push(entry.target.1);
        }
    }
    let note = Note { import_id: Some(import.id.0), undone: Some(done), ..Note::default() };
    patiently(ports, || note.write(ports, caller)).await?;
    Ok(())
}

/// Tries again while the store does not answer: up to [`TRIES`] times.
async fn patiently<T, F>(ports: &Ports, mut work: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut left = TRIES;
    loop {
        left -= 1;
        match work().await {
            Err(Error::Store(
                StoreError::Busy | StoreError::Unreachable { .. } | StoreError::Lost { .. },
            )) if left > 0 => ports.clock.sleep(PAUSE).await,
            done => return done,
        }
    }
}

/// The number of times that a step of the background is tried.
const TRIES: u32 = 20;
/// The time between two tries.
const PAUSE: Duration = Duration::from_secs(1);

/// The changes of an import, the last one first.
async fn changes(
    ports: &Ports,
    organization: OrganizationId,
    import: &PeopleImport,
) -> Result<Vec<AuditEntry>, Error> {
    let filter = AuditFilter {
        actor_id: import.actor_id,
        action: Some(UPSERT.to_owned()),
        // The first change may have the time of the beginning.
        created_after: Some(import.at.plus_millis(-1)),
        ..AuditFilter::default()
    };
    let is_of_it = |entry: &AuditEntry| {
        let note = serde_json::from_str::<Note>(&entry.data).unwrap_or_default();
        note.import_id == Some(import.id.0)
    };
    let (mut changes, mut after) = (Vec::new(), None::<ByTime>);
    loop {
        let page = PageRequest { after, limit: most() };
        let page = ports.audit.page(organization, filter.clone(), page).await?;
        changes.extend(page.items.into_iter().filter(is_of_it));
        after = page.next;
        if after.is_none() {
            return Ok(changes);
        }
    }
}

fn most() -> Limit {
    Limit::new(Limit::MAX).unwrap_or(Limit::DEFAULT)
}

/// Undoes a change. Returns `false` if the record must stay as it is.
async fn undo_one<R: OfKind>(
    ports: &Ports,
    vault: &Arc<Vault>,
    caller: Caller,
    entry: &AuditEntry,
) -> Result<bool, Error> {
    let data: Map<String, Value> = serde_json::from_str(&entry.data).unwrap_or_default();
    let side = |name: &str| data.get(name).and_then(Value::as_object);
    let (before, after) = (side("before"), side("after"));
    let id = entry.target.1;
    let kept = || Error::Refused(Precondition::Changed);
    let rule = |record: R, _| async move {
        let stored = record.clone().into_record();
        let present = shown(&stored);
        let has = |values: &Map<String, Value>| {
            let mut values = values.iter().filter(|(name, _)| *name != "updated_at");
            values.all(|(name, value)| present.get(name).unwrap_or(&Value::Null) == value)
        };
        let is_undone = match before {
            Some(before) => has(before),
            None => !stored.is_active(),
        };
        // An erased record has no values in the log.
        let Some(after) = after else { return Err(kept()) };
        if is_undone {
            return Ok(Decided::from(record));
        }
        if !has(after) || before.is_some_and(|before| before.values().any(is_cut)) {
            return Err(kept());
        }
        let undone = match before {
            None => record.deleted(),
            Some(before) => {
                let restored = with_members(vault, &stored, before).map_err(|_| kept())?;
                R::of_record(&restored).cloned().ok_or_else(kept)?
            }
        };
        let leaves = !undone.clone().into_record().is_active();
        if leaves && is_used::<R>(ports, caller, id).await? {
            return Err(kept());
        }
        Ok(Decided::from(undone))
    };
    match write::edit_any(ports, caller, id, None, rule).await {
        Ok(_) => Ok(true),
        // The record has changed or is used, another one has its values, it is gone, or the caller
        // may not change it.
        Err(Error::Refused(_) | Error::NotFound(Missing::Record(_)) | Error::Denied(_)) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Whether something refers to a record.
async fn is_used<R: OfKind>(ports: &Ports, caller: Caller, id: Uuid) -> Result<bool, Error> {
    let organization = caller.manage(R::KIND)?;
    Ok(match R::KIND {
        Kind::Company => {
            let people = Affected { kind: Kind::User, member: "company_id", only: Only::Active };
            ports.records.count(organization, people, id).await? > 0
        }
        kind => {
            let person = FollowUp::Replace { key: (kind, id), by: None };
            !ports.records.affected(organization, person, 1).await?.is_empty()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::{id, mocks};
    use crate::{Denied, MasterKey, Who};
    use hearback_domain::ClosedSet;
    use hearback_domain::attributes::Attribute;
    use hearback_domain::millis::DAY;
    use hearback_domain::permission::{Permission, Role};
    use hearback_domain::person::{Email, Handle};
    use hearback_domain::plan::Plan;
    use hearback_domain::record::{Known, Record, Step};
    use hearback_ports::mock::Mocks;
    use hearback_ports::page::Page;
    use hearback_ports::{Change, Recorded};
    use std::sync::Mutex;

    const ORGANIZATION: OrganizationId = OrganizationId(Uuid::from_u128(1));

    fn caller(role: Role) -> Caller {
        Caller::new(ORGANIZATION, Plan::FULL, Who::Member { user: id(9), role })
    }

    fn ada() -> User {
        let email = Email::parse("ada@example.com").unwrap();
        let user = Handle::Email(email).user(None, id(11), id(12), Time::MIN);
        User { name: "Ada".to_owned(), ..user }
    }

    fn import() -> PeopleImport {
        let (at, actor_id) = (Time::MIN.plus_millis(10), Some(id(9)));
        let (end, undone, state) = (None, None, ImportState::Imported);
        PeopleImport { id: id(7), at, actor_id, rows: 1, end, undone, state }
    }

    /// The entry of a change of an import.
    fn entry(step: &Step, import: AuditEntryId) -> AuditEntry {
        let caller = caller(Role::Member).doing(UPSERT).importing(import);
        let mut mocks = Mocks::default();
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(20));
        let steps = [step.clone()];
        let remark = audit::Remark::default();
        audit::entries(&mocks.ports(), caller, &steps, &remark, Time::MIN.plus_millis(11)).remove(0)
    }

    /// Undoes an import with these entries, while the store has `stored`. Returns the user that is
    /// stored in its place, and the end of the undoing.
    async fn undone(
        entries: Vec<AuditEntry>,
        stored: User,
        is_used: bool,
    ) -> (Option<User>, Undone) {
        let mut mocks = mocks();
        mocks.audit.expect_page().returning(move |_, filter, page| {
            assert_eq!(filter.created_after, Some(Time::MIN.plus_millis(9)));
            assert_eq!(page.after, None);
            let items = entries.iter().filter(|entry| filter.admits(entry)).cloned().collect();
            Ok(Page { items, next: None })
        });
        let known = Known::new([stored.into_record()]);
        mocks.records.expect_load().returning(move |_, _| Ok(known.clone()));
        mocks.records.expect_affected().returning(move |_, _, _| {
            Ok(Vec::from_iter(is_used.then_some((Kind::Vote, Uuid::from_u128(5)))))
        });
        mocks.records.expect_next_follow_up().returning(|_, _| Ok(None));
        mocks.alarm.expect_ring().return_const(());
        let changes = Arc::<Mutex<Vec<Change>>>::default();
        let seen = Arc::clone(&changes);
        mocks.records.expect_apply().returning(move |_, change| {
            seen.lock().unwrap().push(change);
            Ok(Recorded::Done)
        });
        let vault = Arc::new(Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap()));
        undo(&mocks.ports(), &vault, caller(Role::Member), &import()).await.unwrap();
        let changes = changes.lock().unwrap();
        let user = changes.iter().flat_map(|change| &change.steps).find_map(|step| {
            let Some(Record::User(user)) = step.after() else { return None };
            Some(user.clone())
        });
        let end = &changes.last().unwrap().audit[0];
        assert_eq!(end.action, UNDO);
        let note: Note = serde_json::from_str(&end.data).unwrap();
        assert_eq!(note.import_id, Some(import().id.0));
        (user, note.undone.unwrap())
    }

    fn kept() -> Undone {
        Undone { kept: 1, kept_users: vec![ada().user_id.0], ..Undone::default() }
    }

    fn gone() -> Undone {
        Undone { undone: 1, ..Undone::default() }
    }

    #[tokio::test]
    async fn a_new_person_is_deleted_unless_something_changed_or_refers_to_the_person() {
        let made = entry(&Step::make(ada()), import().id);
        let (user, end) = undone(vec![made.clone()], ada(), false).await;
        assert_eq!((user.unwrap().is_active, end), (false, gone()));
        assert_eq!(undone(vec![made.clone()], ada(), true).await, (None, kept()));
        let renamed = User { name: "Countess".to_owned(), ..ada() };
        assert_eq!(undone(vec![made], renamed, false).await, (None, kept()));
    }

    #[tokio::test]
    async fn another_person_gets_the_changed_values_back_and_keeps_all_others() {
        let before = User { name: "A.".to_owned(), locale: "de".to_owned(), ..ada() };
        let after = User { name: "Ada".to_owned(), ..before.clone() };
        let changed = entry(&Step::edit(before.clone(), after.clone(), Time::MAX), import().id);
        let since = User { locale: "fr".to_owned(), ..after.clone() };
        let (user, end) = undone(vec![changed.clone()], since.clone(), true).await;
        let expected = User { updated_at: Time::MAX, name: "A.".to_owned(), ..since };
        assert_eq!((user, end), (Some(expected), gone()));
        let renamed = User { name: "Countess".to_owned(), ..after };
        assert_eq!(undone(vec![changed], renamed, false).await, (None, kept()));
    }

    #[tokio::test]
    async fn a_value_that_was_absent_is_absent_again() {
        let before = ada();
        let after = User {
            locale: "de".to_owned(),
            external_id: Some("crm-7".to_owned()),
            company_id: Some(id(13)),
            company_name: "Acme".to_owned(),
            attributes: [("plan".to_owned(), Attribute::Text("pro".to_owned()))]
                .into_iter()
                .collect(),
            ..ada()
        };
        let changed = entry(&Step::edit(before.clone(), after.clone(), Time::MAX), import().id);
        let (user, end) = undone(vec![changed], after, false).await;
        assert_eq!((user, end), (Some(User { updated_at: Time::MAX, ..before }), gone()));
    }

    #[tokio::test]
    async fn a_person_who_was_linked_again_leaves_unless_something_refers_to_the_person() {
        let before = User { is_active: false, ..ada() };
        let linked = entry(&Step::edit(before, ada(), Time::MAX), import().id);
        let (user, end) = undone(vec![linked.clone()], ada(), false).await;
        assert_eq!((user.unwrap().is_active, end), (false, gone()));
        assert_eq!(undone(vec![linked], ada(), true).await, (None, kept()));
    }

    #[tokio::test]
    async fn a_change_that_is_undone_already_counts_as_undone() {
        let made = entry(&Step::make(ada()), import().id);
        let deleted = User { is_active: false, ..ada() };
        assert_eq!(undone(vec![made], deleted, false).await, (None, gone()));
        let before = User { name: "A.".to_owned(), ..ada() };
        let changed = entry(&Step::edit(before.clone(), ada(), Time::MAX), import().id);
        assert_eq!(undone(vec![changed], before, false).await, (None, gone()));
    }

    #[tokio::test]
    async fn a_member_of_the_team_keeps_the_address_that_an_import_of_others_gave() {
        let before = User { email: "olga@example.com".to_owned(), ..ada() };
        let owner = |user: User| User { portal_role: Role::Owner.code().to_owned(), ..user };
        let step = Step::edit(owner(before), owner(ada()), Time::MAX);
        let changed = entry(&step, import().id);
        assert_eq!(undone(vec![changed], owner(ada()), false).await, (None, kept()));
    }

    #[tokio::test]
    async fn a_step_is_tried_again_while_the_store_does_not_answer() {
        let mut mocks = Mocks::default();
        mocks.clock.expect_sleep().times(2).returning(|_| ());
        let (ports, tries) = (mocks.ports(), Mutex::new(0));
        let done = patiently(&ports, || {
            *tries.lock().unwrap() += 1;
            let is_third = *tries.lock().unwrap() == 3;
            std::future::ready(is_third.then_some(()).ok_or(Error::Store(StoreError::Busy)))
        });
        done.await.unwrap();
        assert_eq!(*tries.lock().unwrap(), 3);
    }

    #[tokio::test]
    async fn a_value_that_the_log_cut_does_not_come_back() {
        let long = format!("https://example.com/{}", "x".repeat(600));
        let before = User { avatar_url: long, ..ada() };
        let changed = entry(&Step::edit(before, ada(), Time::MAX), import().id);
        assert_eq!(undone(vec![changed], ada(), false).await, (None, kept()));
    }

    #[tokio::test]
    async fn the_changes_of_others_and_of_other_imports_stay() {
        let step = Step::make(ada());
        let other = entry(&step, id(8));
        let by_hand = AuditEntry { data: "{}".to_owned(), ..entry(&step, import().id) };
        let of_another = AuditEntry { actor_id: Some(id(3)), ..entry(&step, import().id) };
        let nothing = (None, Undone::default());
        assert_eq!(undone(vec![other, by_hand, of_another], ada(), false).await, nothing);
    }

    /// When the import of [`notes`] began.
    fn begun() -> Time {
        Time::MIN.plus_millis(DAY)
    }

    /// The notes of an import, some of them.
    fn notes(has_end: bool, undoing: usize) -> Vec<AuditEntry> {
        let note = |number: u128, action: &str, note: Note| AuditEntry {
            id: id(number),
            at: begun(),
            action: action.to_owned(),
            target: (Kind::Organization, ORGANIZATION.0),
            data: serde_json::to_string(&note).unwrap(),
            ..entry(&Step::make(ada()), import().id)
        };
        let of = || Note { import_id: Some(import().id.0), ..Note::default() };
        let imported = Some(Imported { created: 1, ..Imported::default() });
        let undoings =
            [note(14, UNDO, of()), note(15, UNDO, Note { undone: Some(gone()), ..of() })];
        let mut all = Vec::from_iter(undoings.into_iter().take(undoing).rev());
        all.extend(has_end.then(|| note(8, IMPORT, Note { imported, ..of() })));
        all.push(note(7, IMPORT, Note { rows: Some(2), ..Note::default() }));
        all
    }

    /// The ports of a store with these entries, some milliseconds after the import has begun.
    fn after(entries: Vec<AuditEntry>, now: i64) -> Mocks {
        store(Arc::new(Mutex::new(entries)), now)
    }

    fn store(entries: Arc<Mutex<Vec<AuditEntry>>>, now: i64) -> Mocks {
        let mut mocks = Mocks::default();
        mocks.clock.expect_now().returning(move || begun().plus_millis(now));
        mocks.ids.expect_fresh().return_const(Uuid::from_u128(30));
        mocks.audit.expect_page().returning(move |_, filter, _| {
            let entries = entries.lock().unwrap();
            let items = entries.iter().filter(|entry| filter.admits(entry)).cloned().collect();
            Ok(Page { items, next: None })
        });
        mocks
    }

    #[tokio::test]
    async fn the_state_of_an_import_follows_from_its_notes_and_the_last_change() {
        use ImportState::{Imported, Importing, Interrupted, UndoInterrupted, Undoing, Undone};
        let late = 3 * INTERRUPTED;
        for (has_end, undoing, now, state) in [
            (false, 0, 1, Importing),
            (false, 0, late, Interrupted),
            (true, 0, late, Imported),
            (true, 1, 1, Undoing),
            (true, 1, late, UndoInterrupted),
            (false, 2, 1, Undone),
        ] {
            let mocks = after(notes(has_end, undoing), now);
            let imports = list(&mocks.ports(), caller(Role::Member)).await.unwrap();
            let [import] = &imports[..] else { panic!("{imports:?}") };
            assert_eq!((import.id, import.rows, import.state), (id(7), 2, state));
            assert_eq!((import.end.is_some(), import.undone.is_some()), (has_end, undoing > 1));
        }
        // A change shows that the import goes on.
        let change =
            AuditEntry { at: begun().plus_millis(late), ..entry(&Step::make(ada()), import().id) };
        let mocks = after([vec![change], notes(false, 0)].concat(), late + 1);
        let ports = mocks.ports();
        let imports = list(&ports, caller(Role::Member)).await.unwrap();
        assert_eq!(imports[0].state, Importing);
        for (sought, is_found) in [(7, true), (8, false)] {
            let found = find(&ports, caller(Role::Member), id(sought)).await.unwrap();
            assert_eq!(found.is_some(), is_found);
        }
    }

    #[tokio::test]
    async fn one_import_or_undoing_is_under_way_and_an_import_is_undone_once() {
        for (has_end, undoing, now, imports, undoes) in [
            (false, 0, 1, false, false),
            (true, 0, 1, true, true),
            (true, 1, 1, false, false),
            (true, 1, 3 * INTERRUPTED, true, true),
            (true, 2, 1, true, false),
        ] {
            let mocks = || {
                let mut mocks = after(notes(has_end, undoing), now);
                mocks.records.expect_apply().returning(|_, _| Ok(Recorded::Done));
                mocks.ports()
            };
            let begun = begin(&mocks(), caller(Role::Member), 1).await.unwrap();
            assert_eq!(begun.is_some(), imports, "{has_end} {undoing} {now}");
            let begun = begin_undo(&mocks(), caller(Role::Member), id(7)).await.unwrap();
            assert_eq!(begun.is_some(), undoes, "{has_end} {undoing} {now}");
            let other = begin_undo(&mocks(), caller(Role::Member), id(6)).await.unwrap();
            assert_eq!(other, None);
        }
    }

    #[tokio::test]
    async fn of_two_processes_that_begin_at_once_at_most_one_goes_on() {
        for (other_begins, goes_on) in [(false, true), (true, false)] {
            let stored = Arc::new(Mutex::new(notes(true, 0)));
            let mut mocks = store(Arc::clone(&stored), 1);
            mocks.records.expect_apply().returning(move |_, change| {
                let own = AuditEntry { at: begun(), ..change.audit[0].clone() };
                let other = AuditEntry { id: id(31), ..notes(false, 0)[0].clone() };
                let others = Vec::from_iter(other_begins.then_some(other));
                stored.lock().unwrap().splice(..0, [vec![own], others].concat());
                Ok(Recorded::Done)
            });
            let begun = begin(&mocks.ports(), caller(Role::Member), 1).await.unwrap();
            assert_eq!(begun.is_some(), goes_on);
        }
    }

    #[tokio::test]
    async fn viewers_neither_import_nor_undo_and_nothing_is_looked_up() {
        let denied =
            format!("{:?}", Error::from(Denied::Permission(Permission::Manage(Kind::User))));
        let (ports, caller) = (Mocks::default().ports(), caller(Role::Viewer));
        let refusal = |error: Error| format!("{error:?}");
        assert_eq!(refusal(begin(&ports, caller, 1).await.unwrap_err()), denied);
        assert_eq!(refusal(begin_undo(&ports, caller, id(7)).await.unwrap_err()), denied);
        assert_eq!(refusal(list(&ports, caller).await.unwrap_err()), denied);
        let vault = Arc::new(Vault::new(&MasterKey::parse(&"5a".repeat(32)).unwrap()));
        assert_eq!(refusal(undo(&ports, &vault, caller, &import()).await.unwrap_err()), denied);
    }
}
