-- attempt_count at the last replay: the attempts since then are what the schedule of retries counts.
-- The default is for the deliveries that are there, and for servers of an earlier release that run
-- on for a while.
ALTER TABLE deliveries
    ADD COLUMN attempts_before_replay integer NOT NULL DEFAULT 0 CHECK (attempts_before_replay >= 0);

-- The same primary key as before, made anew. Of indexes that seem equally good the planner takes the
-- newest; while the table is small, deliveries_by_subscription seems as good for finding one delivery
-- as the primary key, and plans made then are kept while it grows.
ALTER TABLE delivery_attempts
    DROP CONSTRAINT delivery_attempts_organization_id_event_id_subscription_id_fkey;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_pkey;
ALTER TABLE deliveries ADD PRIMARY KEY (organization_id, event_id, subscription_id);
ALTER TABLE delivery_attempts
    ADD FOREIGN KEY (organization_id, event_id, subscription_id)
        REFERENCES deliveries (organization_id, event_id, subscription_id);

-- The removal of old deliveries, each state's by its own time, those that ended first first.
CREATE INDEX deliveries_delivered
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'delivered';
CREATE INDEX deliveries_failed
    ON deliveries (organization_id, ended_at, event_id, subscription_id) WHERE state = 'failed';

-- Since when a receiver is not active; NULL while it is.
ALTER TABLE webhook_subscriptions ADD COLUMN inactive_since timestamptz;
UPDATE webhook_subscriptions SET inactive_since = created_at WHERE NOT is_active;
ALTER TABLE webhook_subscriptions ADD CHECK (is_active = (inactive_since IS NULL));

-- The giving up of what is pending for receivers that nobody activates.
CREATE INDEX webhook_subscriptions_inactive
    ON webhook_subscriptions (organization_id, inactive_since) WHERE inactive_since IS NOT NULL;
