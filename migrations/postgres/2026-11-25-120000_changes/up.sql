-- /feedback-posts/list by change, deleted posts included.
DROP INDEX feedback_posts_by_change;
CREATE INDEX feedback_posts_by_change ON feedback_posts (organization_id, updated_at, id);
-- /roadmap-posts/list by change.
CREATE INDEX roadmap_posts_by_change ON roadmap_posts (organization_id, updated_at, id);
