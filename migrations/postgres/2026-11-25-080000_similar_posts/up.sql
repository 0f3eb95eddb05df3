-- The keys of a post's title, which posts with similar titles share. A key is a hash that begins with
-- the organization, so the index leads with it, and its entries are of one organization each. Without
-- keys are posts of an earlier release, until a background step gives them keys.
ALTER TABLE feedback_posts ADD COLUMN similar_keys integer[];
-- /feedback-posts/similar. A search reads all entries that are not merged into the index yet, once
-- for each key, so they are few.
CREATE INDEX feedback_posts_similar
    ON feedback_posts USING gin (similar_keys) WITH (gin_pending_list_limit = 64);
-- For the background step.
CREATE INDEX feedback_posts_without_keys
    ON feedback_posts (organization_id, id) WHERE similar_keys IS NULL;
