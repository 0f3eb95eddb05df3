DROP INDEX users_by_any_external_id;
