DROP INDEX organizations_deleted;
ALTER TABLE organizations DROP COLUMN is_active;
