DROP INDEX sessions_by_end;
ALTER TABLE sessions DROP COLUMN way;
DROP TABLE password_tries;
DROP TABLE passwords;
