-- Only the transaction that settles a delivery writes its attempt. The attempts are removed before
-- the delivery, so a foreign key would check nothing new. Attempts are found by their key alone, so
-- the table is a b-tree of that key.
CREATE TABLE attempts_by_key (
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
    CHECK (status IS NOT NULL OR error_class IS NOT NULL)
) STRICT, WITHOUT ROWID;
INSERT INTO attempts_by_key
SELECT organization_id, event_id, subscription_id, attempt, started_at, status, error_class, duration_ms, answer
FROM delivery_attempts;
DROP TABLE delivery_attempts;
ALTER TABLE attempts_by_key RENAME TO delivery_attempts;
