-- Lists filtered by a category find its posts, as those of a status.
CREATE INDEX feedback_posts_by_category
    ON feedback_posts (organization_id, category_id, created_at, id) WHERE is_active;
