DROP INDEX votes_by_time;
CREATE INDEX votes_by_time ON votes (organization_id, created_at, id);
CREATE INDEX votes_by_age
    ON votes (organization_id, created_at, feedback_post_id) WHERE feedback_post_id IS NOT NULL;
CREATE INDEX votes_by_user ON votes (organization_id, user_id, created_at, id);
DROP INDEX feedback_post_counts_by_board_and_trend;
DROP INDEX feedback_post_counts_by_trend;
CREATE INDEX feedback_post_counts_by_trend
    ON feedback_post_counts (organization_id, recent_vote_count, vote_count, feedback_post_id)
    WHERE is_active;
CREATE INDEX feedback_post_counts_by_board_and_trend
    ON feedback_post_counts (organization_id, board_id, recent_vote_count, vote_count, feedback_post_id)
    WHERE is_active;
ALTER TABLE feedback_post_counts DROP COLUMN trend_vote_count;
ALTER TABLE feedback_posts DROP COLUMN tag_ids;
