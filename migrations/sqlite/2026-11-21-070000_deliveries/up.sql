-- attempt_count at the last replay: the schedule of retries counts the attempts since then. The
-- default is for existing deliveries, and for running servers of an earlier release.
ALTER TABLE deliveries
    ADD COLUMN attempts_before_replay integer NOT NULL DEFAULT 0 CHECK (attempts_before_replay >= 0);

-- The removal of old deliveries, by state, in the order of their ends.
CREATE INDEX deliveries_delivered
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'delivered';
CREATE INDEX deliveries_failed
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'failed';

-- The time since which a receiver is inactive, or NULL if it is active. There is no CHECK: SQLite
-- adds no CHECK that existing rows do not pass yet.
ALTER TABLE webhook_subscriptions ADD COLUMN inactive_since integer;
UPDATE webhook_subscriptions SET inactive_since = created_at WHERE NOT is_active;

-- Pending deliveries of receivers that stay inactive are given up.
CREATE INDEX webhook_subscriptions_inactive
    ON webhook_subscriptions (organization_id, inactive_since) WHERE inactive_since IS NOT NULL;
