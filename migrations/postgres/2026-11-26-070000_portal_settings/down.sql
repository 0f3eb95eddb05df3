ALTER TABLE organization_slugs DROP COLUMN host;
ALTER TABLE organizations DROP COLUMN portal;
