-- The votes of a merge move to its target in parts. Until the last part has moved, votes_from_id of
-- the target is the source, and that of the source is the source itself: all its votes count on the
-- target. If a voter has a vote on both, the older one counts.
ALTER TABLE feedback_posts ADD COLUMN votes_from_id blob;
CREATE INDEX feedback_posts_with_moving_votes
    ON feedback_posts (organization_id, id) WHERE votes_from_id IS NOT NULL;
-- A row is a part that has moved: the voters whose votes moved to the target, and those whose second
-- votes were dropped, 16 bytes each. The last part collects them in the record of the merge.
CREATE TABLE moved_votes (
    id integer PRIMARY KEY,
    organization_id blob NOT NULL,
    source_id blob NOT NULL,
    moved_user_ids blob NOT NULL,
    dropped_user_ids blob NOT NULL,
    FOREIGN KEY (organization_id, source_id) REFERENCES feedback_posts (organization_id, id)
) STRICT;
CREATE INDEX moved_votes_by_source ON moved_votes (organization_id, source_id);
