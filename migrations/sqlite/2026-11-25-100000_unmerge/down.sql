DROP TABLE dropped_votes;
ALTER TABLE merges DROP COLUMN votes_kept;
ALTER TABLE votes DROP COLUMN cast_on_id;
