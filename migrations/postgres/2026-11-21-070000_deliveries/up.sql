-- attempt_count at the last replay: the schedule of retries counts the attempts since then. The
-- default is for existing deliveries, and for running servers of an earlier release.
ALTER TABLE deliveries
    ADD COLUMN attempts_before_replay integer NOT NULL DEFAULT 0 CHECK (attempts_before_replay >= 0);

-- The same primary key as before, made anew. Of equally good indexes, the planner takes the newest.
-- For one delivery of a small table, deliveries_by_subscription is as good as the primary key. A
-- plan of that time is kept while the table grows.
ALTER TABLE delivery_attempts
    DROP CONSTRAINT delivery_attempts_organization_id_event_id_subscription_id_fkey;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_pkey;
ALTER TABLE deliveries ADD PRIMARY KEY (organization_id, event_id, subscription_id);
ALTER TABLE delivery_attempts
    ADD FOREIGN KEY (organization_id, event_id, subscription_id)
        REFERENCES deliveries (organization_id, event_id, subscription_id);

-- The removal of old deliveries, by state, in the order of their ends.
CREATE INDEX deliveries_delivered
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'delivered';
CREATE INDEX deliveries_failed
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'failed';

-- The time since which a receiver is inactive, or NULL if it is active.
ALTER TABLE webhook_subscriptions ADD COLUMN inactive_since timestamptz;
UPDATE webhook_subscriptions SET inactive_since = created_at WHERE NOT is_active;
ALTER TABLE webhook_subscriptions ADD CHECK (is_active = (inactive_since IS NULL));

-- Pending deliveries of receivers that stay inactive are given up.
CREATE INDEX webhook_subscriptions_inactive
    ON webhook_subscriptions (organization_id, inactive_since) WHERE inactive_since IS NOT NULL;
