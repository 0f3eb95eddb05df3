DROP INDEX feedback_post_counts_by_board_and_spend;
DROP INDEX feedback_post_counts_by_spend;
DROP INDEX feedback_post_counts_due;
ALTER TABLE feedback_post_counts DROP COLUMN spend_due;
ALTER TABLE feedback_post_counts DROP COLUMN monthly_spend;
DELETE FROM follow_ups WHERE task = 'sum_spend';
