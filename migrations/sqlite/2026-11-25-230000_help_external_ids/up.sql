-- The identifier that another tool gave a record. A deleted record gives up its identifier.
ALTER TABLE help_collections ADD COLUMN external_id text;
CREATE UNIQUE INDEX help_collections_by_external_id ON help_collections (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE help_categories ADD COLUMN external_id text;
CREATE UNIQUE INDEX help_categories_by_external_id ON help_categories (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE help_articles ADD COLUMN external_id text;
CREATE UNIQUE INDEX help_articles_by_external_id ON help_articles (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
