-- Lists filtered by an owner find its posts, and lists by counts look them up, without their rows.
-- The key of users needs the same index, also for deleted posts.
DROP INDEX feedback_posts_by_owner;
CREATE INDEX feedback_posts_by_owner
    ON feedback_posts (organization_id, owner_id, is_active, id, created_at)
    WHERE owner_id IS NOT NULL;
