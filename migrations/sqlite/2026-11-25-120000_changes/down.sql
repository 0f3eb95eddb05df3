DROP INDEX roadmap_posts_by_change;
DROP INDEX feedback_posts_by_change;
CREATE INDEX feedback_posts_by_change
    ON feedback_posts (organization_id, updated_at, id) WHERE is_active;
