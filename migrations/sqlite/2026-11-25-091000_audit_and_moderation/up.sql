-- A row is a change of a record (target_id). data has the changed values as JSON.
CREATE TABLE audit_entries (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    at integer NOT NULL,
    door text NOT NULL,
    actor_id blob,
    action text NOT NULL,
    target_kind text NOT NULL,
    target_id blob NOT NULL,
    data text NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
-- /audit/list, newest first, and the removal of old entries.
CREATE INDEX audit_entries_by_age ON audit_entries (organization_id, at, id);
-- /feedback-posts/activity, and the entries of a record.
CREATE INDEX audit_entries_by_target ON audit_entries (organization_id, target_id, at, id);
-- /comments/list of changes.
CREATE INDEX comments_by_update ON comments (organization_id, updated_at, id);
-- /moderation/list, oldest first.
CREATE INDEX feedback_posts_queued
    ON feedback_posts (organization_id, moderation_status_code, created_at, id)
    WHERE is_active AND moderation_status_code <> 'accepted';
CREATE INDEX comments_queued ON comments (organization_id, moderation_status_code, created_at, id)
    WHERE is_active AND moderation_status_code <> 'accepted';
-- Whether posts and comments of the user are accepted on boards that moderate first posts.
ALTER TABLE users ADD COLUMN is_trusted integer NOT NULL DEFAULT 0 CHECK (is_trusted IN (0, 1));
