DROP TABLE record_counts;
DROP INDEX votes_by_age;
DROP INDEX feedback_posts_by_board_and_change;
DROP INDEX feedback_posts_by_change;
DROP TABLE feedback_post_counts;
