DROP INDEX help_articles_by_external_id;
ALTER TABLE help_articles DROP COLUMN external_id;
DROP INDEX help_categories_by_external_id;
ALTER TABLE help_categories DROP COLUMN external_id;
DROP INDEX help_collections_by_external_id;
ALTER TABLE help_collections DROP COLUMN external_id;
