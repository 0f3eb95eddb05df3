DROP INDEX webhook_subscriptions_inactive;
ALTER TABLE webhook_subscriptions DROP COLUMN inactive_since;
DROP INDEX deliveries_failed;
DROP INDEX deliveries_delivered;
ALTER TABLE deliveries DROP COLUMN attempts_before_replay;
