-- The end of a merge gives both posts their votes back. cast_on_id is the feedback post on which a
-- vote was cast, if a merge moved it from there. Merges by an earlier release did not keep that. The
-- default is for their records.
ALTER TABLE votes ADD COLUMN cast_on_id blob;
ALTER TABLE merges ADD COLUMN votes_kept integer NOT NULL DEFAULT 0 CHECK (votes_kept IN (0, 1));
-- A row is a vote that was cast on feedback_post_id, and that a merge dropped: its voter had an older
-- one, which was cast on kept_post_id.
CREATE TABLE dropped_votes (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    user_id blob NOT NULL,
    feedback_post_id blob NOT NULL,
    kept_post_id blob NOT NULL,
    created_by_id blob,
    source_url text,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    -- The user first: the same index serves the foreign key to users.
    UNIQUE (organization_id, user_id, feedback_post_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, kept_post_id) REFERENCES feedback_posts (organization_id, id)
) STRICT;
-- For the end of a merge, and the foreign keys.
CREATE INDEX dropped_votes_by_post ON dropped_votes (organization_id, feedback_post_id);
CREATE INDEX dropped_votes_by_kept_post ON dropped_votes (organization_id, kept_post_id);
