DROP TABLE help_article_versions;
ALTER TABLE help_articles DROP COLUMN versioned_at;
ALTER TABLE help_articles DROP COLUMN version;
