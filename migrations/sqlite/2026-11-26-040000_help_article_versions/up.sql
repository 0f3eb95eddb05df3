-- The number of the version that an article is, and when the version was saved.
ALTER TABLE help_articles ADD COLUMN version integer NOT NULL DEFAULT 1;
ALTER TABLE help_articles ADD COLUMN versioned_at integer NOT NULL DEFAULT -62135596800000;
UPDATE help_articles SET versioned_at = created_at;

-- A row is a version of an article that another one has superseded.
CREATE TABLE help_article_versions (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    help_article_id blob NOT NULL,
    version integer NOT NULL,
    author_id blob,
    title text NOT NULL,
    content text NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, help_article_id, version),
    FOREIGN KEY (organization_id, help_article_id) REFERENCES help_articles (organization_id, id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id)
) STRICT;
-- The foreign key, and the merge of users.
CREATE INDEX help_article_versions_by_author ON help_article_versions (organization_id, author_id)
    WHERE author_id IS NOT NULL;
