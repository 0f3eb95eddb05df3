-- The full-text index finds the candidates of a search: articles whose search_text may contain the
-- query. The search then reads the text of each candidate. The index is small: it has no texts, and
-- for each trigram only the articles.
--
-- The PostgreSQL migration of the same name is empty: help_articles has such an index from the
-- start (help_articles_search).

-- A row is the number of an article in the full-text index. Its upper 32 bits are the number of the
-- organization, so that an organization's articles are a range of the index. The lower 32 bits
-- number the articles of the organization.
-- not spread: the full-text index has integers as keys, which are unique among all
CREATE TABLE help_article_search_keys (
    organization_id blob NOT NULL,
    help_article_id blob NOT NULL,
    search_id integer NOT NULL PRIMARY KEY,
    UNIQUE (organization_id, help_article_id),
    FOREIGN KEY (organization_id, help_article_id) REFERENCES help_articles (organization_id, id)
) STRICT;

-- A row is the help_articles.search_text of the article with this search_id (rowid). The text is
-- already folded, so the index is case-sensitive.
-- not spread: a full-text table has no key but its rowid
CREATE VIRTUAL TABLE help_articles_search USING fts5 (
    search_text,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = 'trigram case_sensitive 1'
);

-- The existing articles.
INSERT INTO help_article_search_keys (organization_id, help_article_id, search_id)
    SELECT organization_id, id,
        (dense_rank() OVER (ORDER BY organization_id) << 32)
            + row_number() OVER (PARTITION BY organization_id ORDER BY id)
    FROM help_articles;
INSERT INTO help_articles_search (rowid, search_text)
    SELECT k.search_id, a.search_text
    FROM help_article_search_keys AS k CROSS JOIN help_articles AS a
        ON a.organization_id = k.organization_id AND a.id = k.help_article_id
    ORDER BY k.search_id;
