DROP INDEX users_mailed;
