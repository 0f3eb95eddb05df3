//! Imports: a whole file in one transaction, at bulk speed and in bounded memory.

use super::reader::{MOST_FAULTS, Step, read};
use super::records::{Context, Home};
use crate::vault::Vault;
use crate::{Caller, Denied, Error, audit};
use hearback_domain::ClosedSet;
use hearback_domain::id::{OrganizationId, UserId};
use hearback_domain::permission::Role;
use hearback_ports::export::Snapshot;
use hearback_ports::import::{Ending, Import, PutError, PutFault};
use hearback_ports::{Kind, Ports, Record, StoreError, Unique};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{BufReader, Read};
use std::sync::Arc;
use tokio::sync::mpsc;

/// A file was not imported, and nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Lines have faults, at least one. The store finds the first one of its faults alone.
    #[error("{}", Listed(.0))]
    Lines(Vec<LineFault>),
    /// The file could not be read.
    #[error("cannot read the file")]
    Read(#[source] std::io::Error),
    /// The reading thread ended without a result.
    #[error("the reader of the file ended unexpectedly")]
    Stopped,
    /// The organization that is to be filled has records already.
    #[error("the organization has records already (an import never merges)")]
    Filled,
    /// The caller may not import.
    #[error("an import was refused")]
    Denied(#[from] Denied),
    /// The store failed.
    #[error("cannot import")]
    Store(#[from] StoreError),
}

/// The fault of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineFault {
    /// The number of the line, from 1.
    pub number: u64,
    /// The fault.
    pub reason: String,
}

impl ImportError {
    pub(super) fn line(number: u64, reason: impl Into<String>) -> Self {
        Self::Lines(vec![LineFault { number, reason: reason.into() }])
    }
}

/// Faults, each on a line of its own.
struct Listed<'a>(&'a [LineFault]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, LineFault { number, reason }) in self.0.iter().enumerate() {
            let gap = if nth == 0 { "" } else { "\n" };
            write!(f, "{gap}line {number}: {reason}")?;
        }
        Ok(())
    }
}

/// The progress of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of records written.
    pub records: u64,
    /// The bytes of their lines.
    pub bytes: u64,
}

/// The records that an import wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The number of records of each kind, in the order of the format's table, without kinds that
    /// have none.
    pub records: Vec<(Kind, u64)>,
}

/// Imports the organizations of a file of the portable format. [`Ending::Discard`] checks everything
/// and keeps nothing.
///
/// A second thread reads and checks lines while the store writes. `progress` is called after each
/// batch. An import records no event and sends no mail.
pub async fn import(
    ports: &Ports,
    vault: Arc<Vault>,
    source: impl Read + Send + 'static,
    ending: Ending,
    progress: impl FnMut(Progress),
) -> Result<Summary, ImportError> {
    let import = ports.importer.begin().await?;
    let context = Context { vault, now: ports.clock.now(), home: None };
    write(import, context, source, ending, progress).await
}

/// [`import`] into the organization of the caller, which must [have room](has_room). It keeps its own
/// name, address and settings, and people who are there already stay as they are: the file's records
/// name them, found by their address.
pub async fn import_into(
    ports: &Ports,
    vault: Arc<Vault>,
    caller: Caller,
    source: impl Read + Send + 'static,
    ending: Ending,
    progress: impl FnMut(Progress),
) -> Result<Summary, ImportError> {
    let organization = caller.import()?;
    let mut import = ports.importer.begin().await?;
    let mut snapshot = ports.exporter.snapshot().await?;
    if !is_room(&mut *snapshot, organization).await? || !import.make_way(organization).await? {
        return Err(ImportError::Filled);
    }
    let people = people(&mut *snapshot, organization).await?;
    drop(snapshot);
    let makes_owners = caller.may_give(None, Some(Role::Owner));
    let home = Some(Home { organization, people, makes_owners });
    let context = Context { vault, now: ports.clock.now(), home };
    write(import, context, source, ending, progress).await
}

/// Writes the entry of the audit log about an import that is done. The import itself cannot: it has
/// the one writer of the embedded store.
pub async fn note_import(ports: &Ports, caller: Caller, summary: &Summary) -> Result<(), Error> {
    let organization = caller.import()?;
    let records = summary.records.iter().map(|(kind, count)| (kind.code(), *count));
    let records: BTreeMap<_, _> = records.collect();
    let data = serde_json::json!({ "records": records }).to_string();
    audit::note(ports, caller, organization, data).await?;
    Ok(())
}

/// Whether the organization of the caller takes an import: it has nothing but people, companies and
/// a key, and the boards and statuses of its beginning, which make way for those of the file.
pub async fn has_room(ports: &Ports, caller: Caller) -> Result<bool, Error> {
    let organization = caller.import()?;
    let mut snapshot = ports.exporter.snapshot().await?;
    Ok(is_room(&mut *snapshot, organization).await?)
}

async fn is_room(
    snapshot: &mut dyn Snapshot,
    organization: OrganizationId,
) -> Result<bool, StoreError> {
    use Kind::{ApiKey, Company, FeedbackBoard, Organization, Status, User};
    let stay = [Organization, Company, User, FeedbackBoard, Status, ApiKey];
    for &kind in Kind::ALL.iter().filter(|kind| !stay.contains(kind)) {
        if !snapshot.page(organization, kind, None, 1).await?.batch.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The people of an organization who have an address.
async fn people(
    snapshot: &mut dyn Snapshot,
    organization: OrganizationId,
) -> Result<HashMap<String, UserId>, StoreError> {
    let mut people = HashMap::new();
    let mut after = None;
    loop {
        let page = snapshot.page(organization, Kind::User, after, PEOPLE).await?;
        for record in page.batch.into_records() {
            if let Record::User(user) = record
                && !user.email.is_empty()
            {
                people.insert(user.email.to_ascii_lowercase(), user.user_id);
            }
        }
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(people),
        }
    }
}

/// The number of people who are read at once.
const PEOPLE: i64 = 500;

async fn write(
    import: Box<dyn Import>,
    context: Context,
    source: impl Read + Send + 'static,
    ending: Ending,
    mut progress: impl FnMut(Progress),
) -> Result<Summary, ImportError> {
    let (sender, mut steps) = mpsc::channel(AHEAD);
    let reading = tokio::task::spawn_blocking(move || {
        read(BufReader::with_capacity(BUFFER, source), context, &mut |step| {
            sender.blocking_send(step).is_ok()
        })
    });
    let mut records = vec![0_u64; Kind::ALL.len()];
    let mut done = Progress::default();
    let mut faults = Vec::new();
    // The end of the transaction lets others write. The reader still finds faults of its own.
    let mut import = Some(import);
    while let Some(step) = steps.recv().await {
        let (kind, written, bytes) = step.size();
        if matches!(step, Step::Faulty) {
            import = None;
        }
        let Some(open) = &mut import else { continue };
        match run(&mut **open, step).await {
            Err(ImportError::Lines(found)) => {
                faults = found;
                import = None;
                continue;
            }
            ran => ran?,
        }
        records[kind as usize] += written;
        done.records += written;
        done.bytes += bytes;
        progress(done);
    }
    match reading.await.map_err(|_| ImportError::Stopped)? {
        Err(ImportError::Lines(found)) => faults.extend(found),
        read => read?,
    }
    let Some(import) = import else {
        faults.sort_by_key(|fault| fault.number);
        faults.truncate(MOST_FAULTS);
        return Err(ImportError::Lines(faults));
    };
    import.finish(ending).await?;
    let records = Kind::ALL.iter().copied().zip(records).filter(|&(_, count)| count > 0).collect();
    Ok(Summary { records })
}

/// The most batches that wait for the store.
const AHEAD: usize = 4;
/// The bytes that are read from the file at once.
const BUFFER: usize = 256 * 1024;

impl Step {
    /// The kind and the number of the records that the step writes, and the bytes of their lines.
    fn size(&self) -> (Kind, u64, u64) {
        match self {
            Self::Put { batch, bytes, .. } => (batch.kind(), batch.len() as u64, *bytes),
            Self::Link { .. } | Self::Faulty => (Kind::Organization, 0, 0),
        }
    }
}

async fn run(import: &mut dyn Import, step: Step) -> Result<(), ImportError> {
    let (result, kind, lines) = match step {
        Step::Put { organization, batch, lines, .. } => {
            let kind = batch.kind();
            (import.put(organization, batch).await, kind, lines)
        }
        Step::Link { organization, links, lines } => {
            (import.link(organization, links).await, Kind::Organization, lines)
        }
        Step::Faulty => return Ok(()),
    };
    result.map_err(|error| match error {
        PutError::Store(error) => ImportError::Store(error),
        PutError::Fault { index, fault } => {
            ImportError::line(lines.get(index).copied().unwrap_or_default(), explain(kind, fault))
        }
    })
}

fn explain(kind: Kind, fault: PutFault) -> String {
    match fault {
        PutFault::Unknown { member, id } => {
            format!(
                "{member}: {id} is not in the organization (a record comes after those it names)"
            )
        }
        PutFault::Mismatch { member } => format!("{member}: it is on another post"),
        PutFault::Taken(unique) if kind == Kind::Organization => match unique {
            Unique::Slug => {
                "slug: an organization has it already (an import never merges)".to_owned()
            }
            Unique::Host => "portal.host: another organization has it".to_owned(),
            _ => "id: an organization has it already, or a deleted one has rows left \
                  (an import never merges)"
                .to_owned(),
        },
        PutFault::Taken(unique) => {
            let kind = kind.code();
            match unique {
                Unique::Id => format!("id: another {kind} has it"),
                Unique::Slug => format!("slug: another {kind} has it, perhaps in other case"),
                Unique::Host => format!("host: another {kind} has it"),
                Unique::Code => format!("code: another {kind} has it"),
                Unique::Name => format!("name: another {kind} has it"),
                Unique::ExternalId => format!("external_id: another {kind} has it"),
                Unique::Email => format!("email: another {kind} has it"),
                Unique::UserId => format!("user_id: another {kind} has it"),
                Unique::Vote => "post_id: the user has a vote on this post".to_owned(),
                Unique::PinnedComment => {
                    "is_pinned: another comment of the post is pinned".to_owned()
                }
                Unique::Link => "feedback_post_id: it is linked already".to_owned(),
                Unique::Subscription => {
                    "user_id: the user is subscribed to the post already".to_owned()
                }
                Unique::DefaultStatus => {
                    "is_default_status: another status is the default".to_owned()
                }
                Unique::ActiveKey => "key: the organization has one already".to_owned(),
                Unique::KeyDigest => "key: it is in use already".to_owned(),
                Unique::Path => "from_path: another redirect has it".to_owned(),
                Unique::Version => "version: another version of the article has it".to_owned(),
                Unique::Receipt => "a receipt of the same name exists".to_owned(),
            }
        }
    }
}
