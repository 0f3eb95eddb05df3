DROP INDEX comments_by_external_id;
ALTER TABLE comments DROP COLUMN external_id;
DROP INDEX feedback_posts_by_external_id;
ALTER TABLE feedback_posts DROP COLUMN external_id;
DROP INDEX users_by_external_id;
ALTER TABLE users DROP COLUMN external_id;
