//! Recorded events, with their fan-out to subscriptions.

use crate::PgStore;
use async_trait::async_trait;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use hearback_domain::event::Event;
use hearback_domain::id::{EventId, OrganizationId};
use hearback_domain::{ClosedSet, Uuid};
use hearback_ports::events::StoredEvent;
use hearback_ports::{EventLog, StoreError};
use hearback_store_rows::events::EventRow;
use hearback_store_rows::postgres::lists;
use hearback_store_rows::{SqlStamp, Stamp, all};

#[async_trait]
impl EventLog for PgStore {
    async fn list(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let rows: Vec<EventRow> = self
            .readers
            .rows("listing events", || {
                lists::events(organization, after, limit).select(EventRow::as_select())
            })
            .await?;
        Ok(all(rows)?)
    }
}

/// Records an event with its deliveries, in the transaction of the change that caused it.
pub(crate) async fn record(
    connection: &mut AsyncPgConnection,
    organization: OrganizationId,
    event: &Event,
) -> QueryResult<()> {
    RecordEvent(InsertEvent::new(organization, event)).execute(connection).await?;
    Ok(())
}

/// [`InsertEvent`] as a statement of its own.
#[derive(QueryId)]
struct RecordEvent(InsertEvent);

impl QueryFragment<Pg> for RecordEvent {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH changed AS (SELECT)");
        self.0.walk_ast(out.reborrow())?;
        out.push_sql(" SELECT");
        Ok(())
    }
}

impl<C> diesel::query_dsl::RunQueryDsl<C> for RecordEvent {}

/// A part of a statement with a part `changed`. If `changed` has a row, it records an event, and a
/// delivery to each subscription that receives the event. If no subscription receives it, nothing
/// is recorded.
#[derive(QueryId)]
pub(crate) struct InsertEvent {
    organization: Uuid,
    id: Uuid,
    event_type: &'static str,
    data: String,
    at: Stamp,
}

impl InsertEvent {
    /// An event of an organization.
    pub(crate) fn new(organization: OrganizationId, event: &Event) -> Self {
        let StoredEvent { id, event_type, data, recorded_at } = StoredEvent::from(event);
        Self {
            organization: organization.0,
            id: id.0,
            event_type: event_type.code(),
            data,
            at: Stamp::of(recorded_at),
        }
    }
}

impl QueryFragment<Pg> for InsertEvent {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            ", wanting AS (SELECT webhook_subscriptions.id FROM webhook_subscriptions, changed \
             WHERE webhook_subscriptions.organization_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(" AND is_active AND NOT awaits_rotation AND (event_types = '' OR ");
        out.push_bind_param::<Text, _>(&self.event_type)?;
        out.push_sql(
            " = ANY (string_to_array(event_types, ','))) FOR KEY SHARE OF webhook_subscriptions), \
             event AS (INSERT INTO events (organization_id, id, event_type, data, recorded_at) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.event_type)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.data)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(
            " WHERE EXISTS (SELECT FROM wanting)), \
             delivery AS (INSERT INTO deliveries (organization_id, event_id, subscription_id, state, attempt_count, \
             next_attempt_at, created_at, attempts_before_replay) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.organization)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(", wanting.id, 'pending', 0, ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(", ");
        out.push_bind_param::<SqlStamp, _>(&self.at)?;
        out.push_sql(", 0 FROM wanting)");
        Ok(())
    }
}
