//! The imports and exports of this process.
//!
//! Their state is in memory alone: another process of the installation, and this one after a new
//! start, know nothing of them. An import that is interrupted has changed nothing.

use hearback_app::portable::{ImportError, LineFault, Progress, Summary};
use hearback_domain::id::OrganizationId;
use hearback_ports::StoreError;
use hearback_ports::import::Ending;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The transfers, of each organization at most one of a sort at a time.
#[derive(Default)]
pub(crate) struct Transfers {
    imports: Mutex<HashMap<OrganizationId, Import>>,
    exports: Mutex<HashSet<OrganizationId>>,
}

/// The most imports, and the most exports, that run at a time. Each has a connection of its own.
const MOST: usize = 4;
/// The number of imports from which on those that have ended are forgotten.
const KEPT: usize = 1_000;

/// The last import of an organization.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) ending: Ending,
    pub(crate) state: State,
}

/// The state of an import.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// The file is coming.
    Coming,
    /// The file is here.
    Running {
        done: Progress,
        /// The length of the file.
        bytes: u64,
    },
    /// All records are written, or checked.
    Done(Summary),
    /// Nothing is changed.
    Failed(Failed),
}

/// Why an import failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Lines have faults.
    Lines(Vec<Wrong>),
    /// The organization has records.
    Filled,
    /// The store did not have a turn for the import.
    Busy,
    /// It is a fault of ours, which the log has.
    Broken,
}

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) number: u64,
    /// The member at fault, or empty.
    pub(crate) field: String,
    /// The fault, as the command line says it.
    pub(crate) fault: String,
}

impl From<&LineFault> for Wrong {
    fn from(LineFault { number, reason }: &LineFault) -> Self {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_.[]".contains(c);
        let named = reason.split_once(": ");
        let named = named.filter(|(field, _)| field.chars().all(is_of_name));
        let (field, fault) = named.unwrap_or(("", reason));
        Self { number: *number, field: field.to_owned(), fault: fault.to_owned() }
    }
}

impl From<&ImportError> for Failed {
    fn from(error: &ImportError) -> Self {
        match error {
            ImportError::Lines(faults) => Self::Lines(faults.iter().map(Wrong::from).collect()),
            ImportError::Filled => Self::Filled,
            ImportError::Store(StoreError::Busy) => Self::Busy,
            _ => Self::Broken,
        }
    }
}

impl Transfers {
    /// The last import of an organization that this process knows of.
    pub(crate) fn import_of(&self, organization: OrganizationId) -> Option<Import> {
        self.imports().get(&organization).cloned()
    }

    /// Begins an import. `None` if another one is under way, or too many are.
    pub(crate) fn begin_import(
        self: &Arc<Self>,
        organization: OrganizationId,
    ) -> Option<ImportTurn> {
        let mut imports = self.imports();
        let is_under_way = |it: &Import| matches!(it.state, State::Coming | State::Running { .. });
        let is_taken = imports.get(&organization).is_some_and(is_under_way);
        if is_taken || imports.values().filter(|it| is_under_way(it)).count() >= MOST {
            return None;
        }
        if imports.len() >= KEPT {
            imports.retain(|_, it| is_under_way(it));
        }
        let import = Import { ending: Ending::Discard, state: State::Coming };
        imports.insert(organization, import);
        Some(ImportTurn { transfers: Arc::clone(self), organization, is_over: false })
    }

    /// Begins an export. `None` if another one is under way, or too many are.
    pub(crate) fn begin_export(
        self: &Arc<Self>,
        organization: OrganizationId,
    ) -> Option<ExportTurn> {
        let mut exports = self.exports();
        if exports.len() >= MOST || !exports.insert(organization) {
            return None;
        }
        Some(ExportTurn { transfers: Arc::clone(self), organization })
    }

    fn imports(&self) -> MutexGuard<'_, HashMap<OrganizationId, Import>> {
        // Each change is one step, so a panic elsewhere leaves the map intact.
        self.imports.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exports(&self) -> MutexGuard<'_, HashSet<OrganizationId>> {
        self.exports.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The turn of an import. Its drop ends the import.
pub(crate) struct ImportTurn {
    transfers: Arc<Transfers>,
    organization: OrganizationId,
    /// Whether the import has ended. The next one may have begun.
    is_over: bool,
}

impl ImportTurn {
    /// The file is here.
    pub(crate) fn run(&self, ending: Ending, bytes: u64) {
        let state = State::Running { done: Progress::default(), bytes };
        self.transfers.imports().insert(self.organization, Import { ending, state });
    }

    /// Some records are written.
    pub(crate) fn progress(&self, now: Progress) {
        if let Some(Import { state: State::Running { done, .. }, .. }) =
            self.transfers.imports().get_mut(&self.organization)
        {
            *done = now;
        }
    }

    /// The import has ended.
    pub(crate) fn end(mut self, result: Result<Summary, ImportError>) {
        self.is_over = true;
        if let Some(import) = self.transfers.imports().get_mut(&self.organization) {
            import.state = match result {
                Ok(summary) => State::Done(summary),
                Err(error) => State::Failed(Failed::from(&error)),
            };
        }
    }
}

impl Drop for ImportTurn {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let mut imports = self.transfers.imports();
        match imports.get_mut(&self.organization) {
            // The file did not come.
            Some(Import { state: State::Coming, .. }) => drop(imports.remove(&self.organization)),
            // The task panicked.
            Some(Import { state: state @ State::Running { .. }, .. }) => {
                *state = State::Failed(Failed::Broken);
            }
            _ => {}
        }
    }
}

/// The turn of an export. Its drop ends the export.
pub(crate) struct ExportTurn {
    transfers: Arc<Transfers>,
    organization: OrganizationId,
}

impl Drop for ExportTurn {
    fn drop(&mut self) {
        self.transfers.exports().remove(&self.organization);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearback_domain::Uuid;

    fn organization(number: usize) -> OrganizationId {
        OrganizationId(Uuid::from_u128(number as u128))
    }

    #[test]
    fn an_organization_has_one_import_and_one_export_at_a_time() {
        let transfers = Arc::new(Transfers::default());
        let first = transfers.begin_import(organization(1)).unwrap();
        assert!(transfers.begin_import(organization(1)).is_none());
        first.run(Ending::Commit, 10);
        assert!(transfers.begin_import(organization(1)).is_none());
        let others: Vec<_> =
            (2..=MOST).map(|it| transfers.begin_import(organization(it))).collect();
        assert!(others.iter().all(Option::is_some));
        assert!(transfers.begin_import(organization(MOST + 1)).is_none());
        first.end(Ok(Summary { records: vec![] }));
        assert!(transfers.begin_import(organization(1)).is_some());
        let export = transfers.begin_export(organization(1)).unwrap();
        assert!(transfers.begin_export(organization(1)).is_none());
        drop(export);
        assert!(transfers.begin_export(organization(1)).is_some());
    }

    #[test]
    fn a_turn_that_is_dropped_leaves_no_import_under_way() {
        let transfers = Arc::new(Transfers::default());
        drop(transfers.begin_import(organization(1)));
        assert!(transfers.import_of(organization(1)).is_none());
        let turn = transfers.begin_import(organization(1)).unwrap();
        turn.run(Ending::Discard, 10);
        let done = Progress { records: 2, bytes: 5 };
        turn.progress(done);
        let Some(Import { state: State::Running { done: shown, bytes: 10 }, .. }) =
            transfers.import_of(organization(1))
        else {
            panic!("not running")
        };
        assert_eq!(shown, done);
        drop(turn);
        let ended = transfers.import_of(organization(1)).unwrap().state;
        assert!(matches!(ended, State::Failed(Failed::Broken)), "{ended:?}");
    }

    #[test]
    fn imports_that_have_ended_are_forgotten_at_last() {
        let transfers = Arc::new(Transfers::default());
        for number in 0..KEPT {
            let turn = transfers.begin_import(organization(number)).unwrap();
            turn.run(Ending::Commit, 0);
            turn.end(Err(ImportError::Filled));
        }
        assert!(transfers.import_of(organization(0)).is_some());
        let _turn = transfers.begin_import(organization(KEPT)).unwrap();
        assert!(transfers.import_of(organization(0)).is_none());
    }

    #[test]
    fn a_fault_names_its_field_apart() {
        let failed = |reason: &str| {
            let wrong = Wrong::from(&LineFault { number: 2, reason: reason.to_owned() });
            (wrong.field, wrong.fault)
        };
        let pair = |field: &str, fault: &str| (field.to_owned(), fault.to_owned());
        assert_eq!(failed("code: another status has it"), pair("code", "another status has it"));
        assert_eq!(failed("tag_ids[1]: no id: x"), pair("tag_ids[1]", "no id: x"));
        assert_eq!(failed("missing field `id`"), pair("", "missing field `id`"));
        assert_eq!(failed("no JSON: x"), pair("", "no JSON: x"));
    }
}
