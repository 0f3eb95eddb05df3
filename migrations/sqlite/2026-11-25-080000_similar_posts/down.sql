DROP TABLE feedback_posts_similar;
DROP INDEX feedback_posts_without_keys;
DROP INDEX feedback_posts_similar_ids;
ALTER TABLE feedback_posts DROP COLUMN similar_id;
