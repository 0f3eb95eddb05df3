-- Whether the organization exists. The deletion sets it to false and gives up the slug. A background
-- step removes the rows of the organization, and its own row last. The default is for existing
-- organizations, and for running servers of an earlier release.
ALTER TABLE organizations ADD COLUMN is_active boolean NOT NULL DEFAULT true;
CREATE INDEX organizations_deleted ON organizations (id) WHERE NOT is_active;
