-- The person whose name and address the payload tells. An erasure looks for them.
ALTER TABLE events ADD COLUMN user_id blob;
UPDATE events SET user_id = unhex(json_extract(data, '$.user_id'), '-')
WHERE event_type IN ('user.created', 'user.updated');
CREATE INDEX events_by_user ON events (organization_id, user_id) WHERE user_id IS NOT NULL;
