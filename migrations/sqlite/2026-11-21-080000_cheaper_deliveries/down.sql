CREATE TABLE attempts_of_deliveries (
    organization_id blob NOT NULL,
    event_id blob NOT NULL,
    subscription_id blob NOT NULL,
    attempt integer NOT NULL CHECK (attempt > 0),
    started_at integer NOT NULL,
    status integer,
    error_class text,
    duration_ms integer NOT NULL,
    answer blob NOT NULL,
    PRIMARY KEY (organization_id, event_id, subscription_id, attempt),
    CHECK (status IS NOT NULL OR error_class IS NOT NULL),
    FOREIGN KEY (organization_id, event_id, subscription_id)
        REFERENCES deliveries (organization_id, event_id, subscription_id)
) STRICT;
INSERT INTO attempts_of_deliveries
SELECT organization_id, event_id, subscription_id, attempt, started_at, status, error_class, duration_ms, answer
FROM delivery_attempts;
DROP TABLE delivery_attempts;
ALTER TABLE attempts_of_deliveries RENAME TO delivery_attempts;
