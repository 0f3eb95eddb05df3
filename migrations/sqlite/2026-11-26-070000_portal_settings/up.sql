-- The settings of an organization's portal that differ from the default ones, as an object of JSON.
ALTER TABLE organizations ADD COLUMN portal text NOT NULL DEFAULT '{}';
-- The host of the portal, which no other organization has. It is in portal, too.
ALTER TABLE organizations ADD COLUMN host text;
CREATE UNIQUE INDEX organizations_host ON organizations (host);
