-- Whether the organization exists. The deletion sets it to false and gives up the slug. A background
-- step removes the rows of the organization, and its own row last. The default is for existing
-- organizations, and for running servers of an earlier release.
ALTER TABLE organizations ADD COLUMN is_active integer NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1));
CREATE INDEX organizations_deleted ON organizations (id) WHERE NOT is_active;
