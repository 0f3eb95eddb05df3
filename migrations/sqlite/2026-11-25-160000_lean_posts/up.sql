-- The tags of a post, in their order. feedback_post_tags repeats them, for the posts of a tag.
ALTER TABLE feedback_posts ADD COLUMN tag_ids blob NOT NULL DEFAULT x'';
UPDATE feedback_posts SET tag_ids = tagged.tag_ids
FROM (
    SELECT organization_id, feedback_post_id, unhex(group_concat(hex(tag_id), '' ORDER BY place)) AS tag_ids
    FROM feedback_post_tags GROUP BY organization_id, feedback_post_id
) AS tagged
WHERE feedback_posts.organization_id = tagged.organization_id AND feedback_posts.id = tagged.feedback_post_id;

-- The number of votes at the time of recent_vote_count. With it, a vote does not move its post in the
-- order by trend. The background step does.
ALTER TABLE feedback_post_counts ADD COLUMN trend_vote_count integer NOT NULL DEFAULT 0;
UPDATE feedback_post_counts SET trend_vote_count = vote_count WHERE vote_count <> 0;
DROP INDEX feedback_post_counts_by_trend;
DROP INDEX feedback_post_counts_by_board_and_trend;
-- /feedback-posts/list by trend: on all boards, on one.
CREATE INDEX feedback_post_counts_by_trend
    ON feedback_post_counts (organization_id, recent_vote_count, trend_vote_count, feedback_post_id)
    WHERE is_active;
CREATE INDEX feedback_post_counts_by_board_and_trend
    ON feedback_post_counts (organization_id, board_id, recent_vote_count, trend_vote_count, feedback_post_id)
    WHERE is_active;

-- /votes/list, and the recent votes of posts. The votes of a user are few: another index finds them.
DROP INDEX votes_by_user;
DROP INDEX votes_by_age;
DROP INDEX votes_by_time;
CREATE INDEX votes_by_time ON votes (organization_id, created_at, id, feedback_post_id);
