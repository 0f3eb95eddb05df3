DROP INDEX votes_by_time;
DROP INDEX votes_by_user;
