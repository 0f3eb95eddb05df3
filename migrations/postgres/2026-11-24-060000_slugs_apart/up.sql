-- A row is the slug of an organization. Slugs are unique among all organizations, so they stand in a
-- table of their own: organizations can then be spread by id.
-- not spread: a slug is looked up before the organization is known, and is unique for all
CREATE TABLE organization_slugs (
    organization_id uuid NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id),
    UNIQUE (slug_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);
INSERT INTO organization_slugs SELECT id, slug_key FROM organizations;
ALTER TABLE organizations DROP COLUMN slug_key;
