DROP INDEX feedback_post_tags_by_tag;
ALTER TABLE tags DROP COLUMN removal_pending;
