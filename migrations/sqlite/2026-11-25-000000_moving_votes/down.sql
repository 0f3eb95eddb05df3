DROP TABLE moved_votes;
DROP INDEX feedback_posts_with_moving_votes;
ALTER TABLE feedback_posts DROP COLUMN votes_from_id;
