-- The number of the version that an article is, and when the version was saved.
ALTER TABLE help_articles
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN versioned_at timestamptz NOT NULL DEFAULT '0001-01-01T00:00:00Z';
UPDATE help_articles SET versioned_at = created_at;

-- A row is a version of an article that another one has superseded.
CREATE TABLE help_article_versions (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    help_article_id uuid NOT NULL,
    version bigint NOT NULL,
    author_id uuid,
    title text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, help_article_id, version)
);
ALTER TABLE help_article_versions ADD FOREIGN KEY (organization_id, help_article_id)
    REFERENCES help_articles (organization_id, id);
ALTER TABLE help_article_versions ADD FOREIGN KEY (organization_id, author_id)
    REFERENCES users (organization_id, user_id);
-- The foreign key, and the merge of users.
CREATE INDEX help_article_versions_by_author ON help_article_versions (organization_id, author_id)
    WHERE author_id IS NOT NULL;
