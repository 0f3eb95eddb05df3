DROP INDEX events_in_ledger;
ALTER TABLE events DROP COLUMN in_ledger;
ALTER TABLE organizations DROP COLUMN events_ledger;
ALTER TABLE webhook_subscriptions DROP COLUMN last_success_at;
ALTER TABLE webhook_subscriptions DROP COLUMN description;
ALTER TABLE webhook_subscriptions DROP COLUMN board_ids;
