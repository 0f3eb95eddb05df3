DROP INDEX feedback_posts_without_keys;
DROP INDEX feedback_posts_similar;
ALTER TABLE feedback_posts DROP COLUMN similar_keys;
