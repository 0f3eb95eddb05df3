ALTER TABLE organizations ADD COLUMN slug_key text COLLATE "C";
UPDATE organizations SET slug_key = organization_slugs.slug_key
FROM organization_slugs WHERE organization_id = id;
ALTER TABLE organizations ALTER COLUMN slug_key SET NOT NULL;
ALTER TABLE organizations ADD UNIQUE (slug_key);
DROP TABLE organization_slugs;
