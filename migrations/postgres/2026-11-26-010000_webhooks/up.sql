-- board_ids are feedback boards, separated by commas: only their events are sent. An empty text
-- stands for all events. last_success_at is the time of a recent success, to the minute.
ALTER TABLE webhook_subscriptions ADD COLUMN board_ids text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE webhook_subscriptions ADD COLUMN description text COLLATE "C";
ALTER TABLE webhook_subscriptions ADD COLUMN last_success_at timestamptz;

-- Whether the events of an organization are kept for /events/list. An event of that ledger stays
-- without deliveries.
ALTER TABLE organizations ADD COLUMN events_ledger boolean NOT NULL DEFAULT false;
ALTER TABLE events ADD COLUMN in_ledger boolean NOT NULL DEFAULT false;
CREATE INDEX events_in_ledger ON events (organization_id, recorded_at, id) WHERE in_ledger;
