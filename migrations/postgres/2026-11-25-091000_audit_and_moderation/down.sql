ALTER TABLE users DROP COLUMN is_trusted;
DROP INDEX comments_queued;
DROP INDEX feedback_posts_queued;
DROP INDEX comments_by_update;
DROP TABLE audit_entries;
