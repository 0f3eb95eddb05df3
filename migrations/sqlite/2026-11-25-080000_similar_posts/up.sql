-- The number of a post in the full-text index of the keys of titles, which posts with similar titles
-- share. Without a number are posts of an earlier release, until a background step gives them one.
ALTER TABLE feedback_posts ADD COLUMN similar_id integer;
-- /feedback-posts/similar.
CREATE UNIQUE INDEX feedback_posts_similar_ids ON feedback_posts (organization_id, similar_id);
-- For the background step.
CREATE INDEX feedback_posts_without_keys
    ON feedback_posts (organization_id, id) WHERE similar_id IS NULL;

-- A row is the keys of the post with this similar_id (rowid), as words. A key is a hash that begins
-- with the organization, so its entries are of one organization.
-- not spread: a full-text table has no key but its rowid
CREATE VIRTUAL TABLE feedback_posts_similar USING fts5 (
    keys,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = 'ascii'
);
