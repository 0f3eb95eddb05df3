DROP INDEX feedback_post_tags_by_tag;
DROP INDEX tags_with_removal_pending;
ALTER TABLE tags DROP COLUMN removal_pending;
