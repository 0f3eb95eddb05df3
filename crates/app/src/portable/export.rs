//! Exports: a whole organization as of one moment.

use super::lines;
use super::values::Bounded;
use crate::vault::{Purpose, SealError, Vault};
use crate::{Caller, Error, audit};
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::export::{ExportKey, Snapshot};
use hearback_ports::{Kind, Ports, Record, StoreError};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;

/// An organization was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No organization has this slug.
    #[error("no organization has the slug {0}")]
    Unknown(String),
    /// A secret did not open.
    #[error("cannot open a secret of {kind} {id}")]
    Secret {
        /// The kind of its record.
        kind: &'static str,
        /// The identifier of its record.
        id: Uuid,
        /// The cause.
        source: SealError,
    },
    /// The output could not be written.
    #[error("cannot write the export")]
    Write(#[from] std::io::Error),
    /// A record could not be written as JSON.
    #[error("cannot encode a record")]
    Json(#[from] serde_json::Error),
    /// The store failed.
    #[error("cannot export")]
    Store(#[from] StoreError),
}

/// Whether secrets are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// API keys and signing secrets are left out.
    LeaveOut,
    /// API keys and signing secrets are written in the clear.
    Write,
}

/// Writes an organization in the portable format. Returns the number of records.
pub async fn export(
    ports: &Ports,
    vault: &Vault,
    slug: &str,
    secrets: Secrets,
    mut output: impl Write + Send,
) -> Result<u64, ExportError> {
    let mut snapshot = ports.exporter.snapshot().await?;
    let found = snapshot.organization(slug).await?;
    let organization = found.ok_or_else(|| ExportError::Unknown(slug.to_owned()))?.id;
    let writing = Writing { vault: Some(vault), organization, secrets };
    let mut pages = Pages::new(snapshot, organization, secrets);
    let mut records = 0;
    while let Some(page) = pages.next().await? {
        for record in page {
            writing.line(record, &mut output)?;
            records += 1;
        }
    }
    output.flush()?;
    Ok(records)
}

/// An export that is read piece by piece, as fast as its reader takes it.
pub struct Export {
    pages: Pages,
    vault: Arc<Vault>,
    organization: OrganizationId,
    secrets: Secrets,
}

impl Export {
    /// Begins to export the organization of the caller, as of now. The audit log has an entry, even
    /// if the export breaks off.
    pub async fn begin(
        ports: &Ports,
        vault: Arc<Vault>,
        caller: Caller,
        secrets: Secrets,
    ) -> Result<Self, Error> {
        let organization = caller.export(secrets)?;
        let data = serde_json::json!({ "with_secrets": secrets == Secrets::Write });
        audit::note(ports, caller, organization, data.to_string()).await?;
        let snapshot = ports.exporter.snapshot().await?;
        let pages = Pages::new(snapshot, organization, secrets);
        Ok(Self { pages, vault, organization, secrets })
    }

    /// The next lines. `None` behind the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ExportError> {
        let (organization, secrets) = (self.organization, self.secrets);
        let writing = Writing { vault: Some(&self.vault), organization, secrets };
        while let Some(page) = self.pages.next().await? {
            let mut lines = Vec::new();
            page.into_iter().try_for_each(|record| writing.line(record, &mut lines))?;
            if !lines.is_empty() {
                return Ok(Some(lines));
            }
        }
        Ok(None)
    }
}

/// Calls a function with each record of an organization in the portable format, without secrets.
pub(crate) async fn each_line(
    ports: &Ports,
    organization: OrganizationId,
    mut look: impl FnMut(&str) + Send,
) -> Result<(), ExportError> {
    let snapshot = ports.exporter.snapshot().await?;
    let secrets = Secrets::LeaveOut;
    let writing = Writing { vault: None, organization, secrets };
    let mut pages = Pages::new(snapshot, organization, secrets);
    while let Some(page) = pages.next().await? {
        for record in page {
            // The clock of a worker hears that the worker is alive, however many records there are.
            ports.clock.now();
            let mut line = Vec::new();
            lines::write(record, &writing, &mut line)?;
            // The line is JSON.
            look(&String::from_utf8_lossy(&line));
        }
    }
    Ok(())
}

/// The records of an organization, in the order of the portable format.
struct Pages {
    snapshot: Box<dyn Snapshot>,
    organization: OrganizationId,
    /// The kinds whose records are not all read.
    kinds: VecDeque<Kind>,
    after: Option<ExportKey>,
}

impl Pages {
    fn new(snapshot: Box<dyn Snapshot>, organization: OrganizationId, secrets: Secrets) -> Self {
        let is_written = |kind: &Kind| *kind != Kind::ApiKey || secrets == Secrets::Write;
        let kinds = Kind::ALL.iter().copied().filter(is_written).collect();
        Self { snapshot, organization, kinds, after: None }
    }

    /// The next records, which may be none. `None` behind the last ones.
    async fn next(&mut self) -> Result<Option<Vec<Record>>, StoreError> {
        let Some(&kind) = self.kinds.front() else { return Ok(None) };
        let (after, limit) = (self.after, page_size(kind));
        let page = self.snapshot.page(self.organization, kind, after, limit).await?;
        self.after = page.next;
        if self.after.is_none() {
            self.kinds.pop_front();
        }
        Ok(Some(page.batch.into_records()))
    }
}

/// The number of records that are read at once: enough to spread the cost of a query, but few of a
/// kind whose records may be long.
fn page_size(kind: Kind) -> i64 {
    match kind {
        Kind::FeedbackPost
        | Kind::RoadmapPost
        | Kind::Comment
        | Kind::ChangelogEntry
        | Kind::HelpArticle
        | Kind::HelpArticleVersion => 50,
        _ => 500,
    }
}

/// The members of a record by the names of the portable format, without secrets. A member that the
/// format leaves out is left out.
pub(crate) fn members(record: &Record) -> Map<String, Value> {
    let organization = OrganizationId(Uuid::nil());
    let writing = Writing { vault: None, organization, secrets: Secrets::LeaveOut };
    let mut line = Vec::new();
    let written = lines::write(record.clone(), &writing, &mut line);
    let mut members: Map<String, Value> = match written {
        Ok(()) => serde_json::from_slice(&line).unwrap_or_default(),
        Err(_) => Map::new(),
    };
    members.remove("kind");
    members
}

/// Writes the records of one organization.
pub(super) struct Writing<'a> {
    /// `None` if no secret is written.
    vault: Option<&'a Vault>,
    organization: OrganizationId,
    secrets: Secrets,
}

impl Writing<'_> {
    /// Writes a record with the end of its line.
    fn line(&self, record: Record, output: &mut impl Write) -> Result<(), ExportError> {
        lines::write(record, self, output)?;
        Ok(output.write_all(b"\n")?)
    }

    /// The secret to write for a subscription. Without it, the subscription awaits rotation after
    /// an import.
    pub(super) fn signing_secret(
        &self,
        id: Uuid,
        awaits_rotation: bool,
        secret: &Sealed,
    ) -> Result<Option<Bounded<1, 256>>, ExportError> {
        if self.secrets == Secrets::LeaveOut || awaits_rotation {
            return Ok(None);
        }
        let secret = self.open(Kind::WebhookSubscription, id, Purpose::SigningSecret, secret)?;
        Ok(Some(Bounded(secret)))
    }

    pub(super) fn open(
        &self,
        kind: Kind,
        id: Uuid,
        purpose: Purpose,
        sealed: &Sealed,
    ) -> Result<String, ExportError> {
        let Some(vault) = self.vault else { return Ok(String::new()) };
        let opened = vault.open(self.organization, id, purpose, sealed);
        opened.map(|secret| secret.as_str().to_owned()).map_err(|source| ExportError::Secret {
            kind: kind.code(),
            id,
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::id;
    use crate::{MasterKey, Who};
    use hearback_domain::permission::Role;
    use hearback_domain::plan::Plan;
    use hearback_ports::export::{ExportPage, MockSnapshot};
    use hearback_ports::mock::Mocks;
    use hearback_ports::{Batch, Recorded};

    fn caller(role: Role) -> Caller {
        let who = Who::Member { user: id(9), role };
        Caller::new(id(1), Plan::FULL, who).doing("organization/export")
    }

    fn vault() -> Arc<Vault> {
        Arc::new(Vault::new(&MasterKey::parse(&"ab".repeat(32)).unwrap()))
    }

    #[tokio::test]
    async fn an_export_that_breaks_off_is_in_the_audit_log_and_has_no_end() {
        let mut mocks = crate::write::tests::mocks();
        let is_noted = |change: &hearback_ports::Change| {
            change.audit.len() == 1 && change.audit[0].data == r#"{"with_secrets":false}"#
        };
        mocks
            .records
            .expect_apply()
            .once()
            .withf(move |_, change| is_noted(change))
            .returning(|_, _| Ok(Recorded::Done));
        mocks.exporter.expect_snapshot().once().returning(|| {
            let mut snapshot = MockSnapshot::new();
            snapshot.expect_page().returning(|_, kind, _, _| match kind {
                Kind::Organization => {
                    Ok(ExportPage { batch: Batch::Organization(vec![]), next: None })
                }
                _ => Err(StoreError::Busy),
            });
            Ok(Box::new(snapshot))
        });
        let begun =
            Export::begin(&mocks.ports(), vault(), caller(Role::Admin), Secrets::LeaveOut).await;
        let next = begun.unwrap().next().await;
        assert!(matches!(next, Err(ExportError::Store(StoreError::Busy))), "{next:?}");
    }

    #[tokio::test]
    async fn secrets_are_for_owners_and_exports_for_owners_and_admins() {
        let ports = Mocks::default().ports();
        for (role, secrets) in [
            (Role::Admin, Secrets::Write),
            (Role::Member, Secrets::LeaveOut),
            (Role::Viewer, Secrets::LeaveOut),
        ] {
            let begun = Export::begin(&ports, vault(), caller(role), secrets).await;
            assert!(matches!(begun, Err(Error::Denied(_))), "{role:?}");
        }
    }
}
