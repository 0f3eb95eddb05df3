DROP INDEX organizations_host;
ALTER TABLE organizations DROP COLUMN host;
ALTER TABLE organizations DROP COLUMN portal;
