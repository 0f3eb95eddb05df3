//! `hearback export`: a whole organization as of one moment.

use super::lines;
use super::values::Bounded;
use crate::vault::{Purpose, SealError, Vault};
use hearback_domain::api_key::Sealed;
use hearback_domain::id::OrganizationId;
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::export::Snapshot;
use hearback_ports::{Kind, Ports, Record, StoreError};
use serde_json::{Map, Value};
use std::io::Write;

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
    let mut records = 0;
    let write = |record| {
        lines::write(record, &writing, &mut output)?;
        output.write_all(b"\n")?;
        records += 1;
        Ok(())
    };
    each_record(&mut *snapshot, organization, secrets, write).await?;
    output.flush()?;
    Ok(records)
}

/// Calls a function with each record of an organization in the portable format, without secrets.
pub(crate) async fn each_line(
    ports: &Ports,
    organization: OrganizationId,
    mut look: impl FnMut(&str) + Send,
) -> Result<(), ExportError> {
    let mut snapshot = ports.exporter.snapshot().await?;
    let writing = Writing { vault: None, organization, secrets: Secrets::LeaveOut };
    let read = |record| {
        // The clock of a worker hears that the worker is alive, however many records there are.
        ports.clock.now();
        let mut line = Vec::new();
        lines::write(record, &writing, &mut line)?;
        // The line is JSON.
        look(&String::from_utf8_lossy(&line));
        Ok(())
    };
    each_record(&mut *snapshot, organization, Secrets::LeaveOut, read).await
}

async fn each_record(
    snapshot: &mut dyn Snapshot,
    organization: OrganizationId,
    secrets: Secrets,
    mut take: impl FnMut(Record) -> Result<(), ExportError> + Send,
) -> Result<(), ExportError> {
    for &kind in Kind::ALL.iter().filter(|&&kind| kind != Kind::ApiKey || secrets == Secrets::Write)
    {
        let mut after = None;
        loop {
            let page = snapshot.page(organization, kind, after, page_size(kind)).await?;
            page.batch.into_records().into_iter().try_for_each(&mut take)?;
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
    }
    Ok(())
}

/// The number of records that are read at once: enough to spread the cost of a query, but few of a
/// kind whose records may be long.
fn page_size(kind: Kind) -> i64 {
    match kind {
        Kind::FeedbackPost
        | Kind::RoadmapPost
        | Kind::Comment
        | Kind::ChangelogEntry
        | Kind::HelpArticle => 50,
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
