-- monthly_spend is the sum over the companies of a post's voters, in hundredths. If spend_due is set,
-- it may have changed since.
ALTER TABLE feedback_post_counts ADD COLUMN monthly_spend bigint NOT NULL DEFAULT 0;
ALTER TABLE feedback_post_counts ADD COLUMN spend_due boolean NOT NULL DEFAULT false;
UPDATE feedback_post_counts SET spend_due = true WHERE vote_count > 0
    AND EXISTS (SELECT 1 FROM companies WHERE companies.organization_id = feedback_post_counts.organization_id);
-- For the background step: the posts whose sum is due.
CREATE INDEX feedback_post_counts_due
    ON feedback_post_counts (organization_id, feedback_post_id) WHERE spend_due;
-- /feedback-posts/list by spend: on all boards, on one.
CREATE INDEX feedback_post_counts_by_spend
    ON feedback_post_counts (organization_id, monthly_spend, feedback_post_id) WHERE is_active;
CREATE INDEX feedback_post_counts_by_board_and_spend
    ON feedback_post_counts (organization_id, board_id, monthly_spend, feedback_post_id)
    WHERE is_active;
