DROP INDEX feedback_posts_by_owner;
CREATE INDEX feedback_posts_by_owner
    ON feedback_posts (organization_id, owner_id) WHERE owner_id IS NOT NULL;
