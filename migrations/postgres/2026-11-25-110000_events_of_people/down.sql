DROP INDEX events_by_user;
ALTER TABLE events DROP COLUMN user_id;
