-- A row is a redirect of the portal. from_path is unique. A path fits into an index: it is ASCII.
CREATE TABLE help_redirects (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    from_path text COLLATE "C" NOT NULL,
    to_path text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, from_path)
);
-- The redirects that lead to a page which moves.
CREATE INDEX help_redirects_by_end ON help_redirects (organization_id, to_path);
-- /help-redirects/list
CREATE INDEX help_redirects_by_age ON help_redirects (organization_id, created_at, id);
