//! Imports of people: many upserts that are found, and undone, as one.
//!
//! The audit log is the memory of an import. An entry begins it, and its identifier is that of the
//! import. The entries of all changes name the import, and another entry ends it. So any process can
//! show an import, and undo it, while its entries are kept.

use crate::audit::{self, is_cut, shown};
use crate::portable::with_members;
use crate::write::{self, Decided};
use crate::{Caller, Error, Missing, Precondition, Vault};
use hearback_domain::audit::{AuditEntry, AuditFilter};
use hearback_domain::company::Company;
use hearback_domain::follow_up::{Affected, FollowUp, Only};
use hearback_domain::id::{AuditEntryId, OrganizationId, UserId};
use hearback_domain::record::{Kind, OfKind};
use hearback_domain::user::User;
use hearback_domain::{Time, Uuid};
use hearback_ports::page::{ByTime, Limit, PageRequest};
use hearback_ports::{Ports, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

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
    /// The end. `None` while the import goes on, and if it was interrupted.
    pub end: Option<Imported>,
    /// When its undoing began last.
    pub undone_at: Option<Time>,
    /// The end of the undoing. `None` while it goes on, and if it was interrupted.
    pub undone: Option<Undone>,
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
    /// The lines that were refused: the number of each, the field at fault or an empty text, and the
    /// reason in the words of the API.
    pub failed: Vec<(u64, String, String)>,
}

/// The end of the undoing of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The number of changes that were undone.
    pub undone: u64,
    /// The people who stay as they are, since they changed or left something after the import.
    pub kept_users: Vec<Uuid>,
    /// The companies that stay as they are, since they changed or have other people.
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

/// Begins an import of `rows` people.
pub async fn begin(ports: &Ports, caller: Caller, rows: u64) -> Result<AuditEntryId, Error> {
    Note { rows: Some(rows), ..Note::default() }.write(ports, caller.doing(IMPORT)).await
}

/// Ends an import.
pub async fn end(
    ports: &Ports,
    caller: Caller,
    import: AuditEntryId,
    imported: Imported,
) -> Result<(), Error> {
    let note = Note { import_id: Some(import.0), imported: Some(imported), ..Note::default() };
    note.write(ports, caller.doing(IMPORT)).await?;
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
    let import = |(note, entry): &(Note, AuditEntry)| {
        let is_of_it = |(note, _): &&(Note, AuditEntry)| note.import_id == Some(entry.id.0);
        let mut undoing = undoings.iter().filter(is_of_it);
        Some(PeopleImport {
            id: entry.id,
            at: entry.at,
            actor_id: entry.actor_id,
            rows: note.rows?,
            end: imports.iter().filter(is_of_it).find_map(|(note, _)| note.imported.clone()),
            undone_at: undoing.clone().next().map(|(_, entry)| entry.at),
            undone: undoing.find_map(|(note, _)| note.undone.clone()),
        })
    };
    Ok(imports.iter().filter_map(import).collect())
}

/// One of the imports of [`list`].
pub async fn find(
    ports: &Ports,
    caller: Caller,
    id: AuditEntryId,
) -> Result<Option<PeopleImport>, Error> {
    Ok(list(ports, caller).await?.into_iter().find(|import| import.id == id))
}

/// Begins the undoing of an import.
pub async fn begin_undo(ports: &Ports, caller: Caller, import: AuditEntryId) -> Result<(), Error> {
    let note = Note { import_id: Some(import.0), ..Note::default() };
    note.write(ports, caller.doing(UNDO)).await?;
    Ok(())
}

/// Undoes the changes of an import, the last one first. New people and companies are deleted, if
/// nothing refers to them. The others get the values back that the import changed, if these have
/// stayed as they were.
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
    for entry in users.into_iter().chain(others) {
        let (kind, id) = entry.target;
        let (is_undone, kept) = match kind {
            Kind::User => {
                (undo_one::<User>(ports, vault, caller, &entry).await?, &mut done.kept_users)
            }
            Kind::Company => {
                (undo_one::<Company>(ports, vault, caller, &entry).await?, &mut done.kept_companies)
            }
            _ => continue,
        };
        match is_undone {
            true => done.undone += 1,
            false if !kept.contains(&id) => kept.push(id),
            false => {}
        }
    }
    let note = Note { import_id: Some(import.id.0), undone: Some(done), ..Note::default() };
    note.write(ports, caller).await?;
    Ok(())
}

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
    let kept = || Error::Refused(Precondition::Changed);
    let rule = |record: R, _| async move {
        let stored = record.clone().into_record();
        let present = shown(&stored);
        let stays = |(name, value): (&String, &Value)| {
            name == "updated_at" || present.get(name) == Some(value)
        };
        // An erased record has no values in the log.
        if !after.is_some_and(|after| after.iter().all(stays)) {
            return Err(kept());
        }
        let Some(before) = before else {
            return match is_used::<R>(ports, caller, entry.target.1).await? {
                true => Err(kept()),
                false => Ok(Decided::from(record.deleted())),
            };
        };
        if before.values().any(is_cut) {
            return Err(kept());
        }
        let restored = with_members(vault, &stored, before).map_err(|_| kept())?;
        R::of_record(&restored).cloned().map(Decided::from).ok_or_else(kept)
    };
    match write::edit_any(ports, caller, entry.target.1, None, rule).await {
        Ok(_) => Ok(true),
        // The record has changed, another one has its values, or it is gone.
        Err(Error::Refused(_) | Error::NotFound(Missing::Record(_))) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether something refers to a new record.
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
        PeopleImport { id: id(7), at, actor_id, rows: 1, end: None, undone_at: None, undone: None }
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
        Undone { undone: 0, kept_users: vec![ada().user_id.0], kept_companies: vec![] }
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

    #[tokio::test]
    async fn a_list_has_each_import_with_its_end_and_its_undoing() {
        let note = |number: u128, action: &str, note: Note| AuditEntry {
            id: id(number),
            action: action.to_owned(),
            target: (Kind::Organization, ORGANIZATION.0),
            data: serde_json::to_string(&note).unwrap(),
            ..entry(&Step::make(ada()), import().id)
        };
        let of = || Note { import_id: Some(import().id.0), ..Note::default() };
        let imported = Imported { created: 1, ..Imported::default() };
        let entries = [
            note(15, UNDO, Note { undone: Some(gone()), ..of() }),
            note(14, UNDO, of()),
            note(13, IMPORT, Note { rows: Some(3), ..Note::default() }),
            note(8, IMPORT, Note { imported: Some(imported.clone()), ..of() }),
            note(7, IMPORT, Note { rows: Some(2), ..Note::default() }),
        ];
        let mut mocks = Mocks::default();
        mocks.audit.expect_page().returning(move |_, filter, _| {
            let items = entries.iter().filter(|entry| filter.admits(entry)).cloned().collect();
            Ok(Page { items, next: None })
        });
        let imports = list(&mocks.ports(), caller(Role::Member)).await.unwrap();
        let [young, old] = &imports[..] else { panic!("{imports:?}") };
        assert_eq!((young.id, young.rows, &young.end, young.undone_at), (id(13), 3, &None, None));
        assert_eq!((old.id, old.rows, &old.end), (id(7), 2, &Some(imported)));
        assert_eq!((old.undone_at.is_some(), &old.undone), (true, &Some(gone())));
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
    }
}
