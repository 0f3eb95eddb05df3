-- A row is a redirect of the portal. from_path is unique.
CREATE TABLE help_redirects (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    from_path text NOT NULL,
    to_path text NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, from_path)
) STRICT;
-- The redirects that lead to a page which moves.
CREATE INDEX help_redirects_by_end ON help_redirects (organization_id, to_path);
-- /help-redirects/list
CREATE INDEX help_redirects_by_age ON help_redirects (organization_id, created_at, id);
