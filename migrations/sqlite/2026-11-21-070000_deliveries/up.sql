-- attempt_count at the last replay: the attempts since then are what the schedule of retries counts.
-- The default is for the deliveries that are there, and for servers of an earlier release that run
-- on for a while.
ALTER TABLE deliveries
    ADD COLUMN attempts_before_replay integer NOT NULL DEFAULT 0 CHECK (attempts_before_replay >= 0);

-- The removal of old deliveries, each state's by its own time, those that ended first first.
CREATE INDEX deliveries_delivered
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'delivered';
CREATE INDEX deliveries_failed
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'failed';

-- Since when a receiver is not active; NULL while it is. No CHECK says so: SQLite adds none that the
-- rows which are there do not pass yet.
ALTER TABLE webhook_subscriptions ADD COLUMN inactive_since integer;
UPDATE webhook_subscriptions SET inactive_since = created_at WHERE NOT is_active;

-- The giving up of what is pending for receivers that nobody activates.
CREATE INDEX webhook_subscriptions_inactive
    ON webhook_subscriptions (organization_id, inactive_since) WHERE inactive_since IS NOT NULL;
