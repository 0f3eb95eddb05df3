-- board_ids are feedback boards, separated by commas: only their events are sent. An empty text
-- stands for all events. last_success_at is the time of a recent success, to the minute.
ALTER TABLE webhook_subscriptions ADD COLUMN board_ids text NOT NULL DEFAULT '';
ALTER TABLE webhook_subscriptions ADD COLUMN description text;
ALTER TABLE webhook_subscriptions ADD COLUMN last_success_at integer;

-- Whether the events of an organization are kept for /events/list. An event of that ledger stays
-- without deliveries.
ALTER TABLE organizations ADD COLUMN events_ledger integer NOT NULL DEFAULT 0 CHECK (events_ledger IN (0, 1));
ALTER TABLE events ADD COLUMN in_ledger integer NOT NULL DEFAULT 0 CHECK (in_ledger IN (0, 1));
CREATE INDEX events_in_ledger ON events (organization_id, recorded_at, id) WHERE in_ledger;
