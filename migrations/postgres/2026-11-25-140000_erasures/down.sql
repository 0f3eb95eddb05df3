DROP INDEX comments_deleted;
DROP INDEX roadmap_posts_deleted;
DROP INDEX feedback_posts_deleted;
DROP INDEX companies_deleted;
DROP INDEX users_deleted;
