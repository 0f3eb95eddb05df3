DROP INDEX comments_by_update;
DROP TABLE audit_entries;
