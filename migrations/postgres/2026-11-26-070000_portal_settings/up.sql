-- The settings of an organization's portal that differ from the default ones, as an object of JSON.
ALTER TABLE organizations ADD COLUMN portal text COLLATE "C" NOT NULL DEFAULT '{}';
-- The host of the portal, which no other organization has. It is in portal, too.
ALTER TABLE organization_slugs ADD COLUMN host text COLLATE "C";
ALTER TABLE organization_slugs ADD UNIQUE (host);
