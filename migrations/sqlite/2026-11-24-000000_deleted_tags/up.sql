-- Whether the tag was deleted and posts may still have it. They no longer show it, and a background
-- step takes it away.
ALTER TABLE tags ADD COLUMN removal_pending integer NOT NULL DEFAULT 0 CHECK (removal_pending IN (0, 1));
CREATE INDEX tags_with_removal_pending ON tags (organization_id, id) WHERE removal_pending;
-- The posts of a tag.
CREATE INDEX feedback_post_tags_by_tag ON feedback_post_tags (organization_id, tag_id, feedback_post_id);
