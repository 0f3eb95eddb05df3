DROP INDEX votes_by_age;
DROP INDEX votes_by_user;
