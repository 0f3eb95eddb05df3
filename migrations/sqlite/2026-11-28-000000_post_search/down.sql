DROP TRIGGER feedback_posts_mark_new;
DROP TRIGGER feedback_posts_mark_edited;
DROP TABLE feedback_posts_unindexed;
DROP TABLE feedback_posts_search;
