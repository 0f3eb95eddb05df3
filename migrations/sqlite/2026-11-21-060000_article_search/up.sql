-- The full-text index that finds the candidates of a search: articles whose search_text may contain
-- what is searched for. Whether it does is then looked up in the article. The index keeps no texts,
-- and of each trigram only which articles have it, which is what makes it small.
--
-- Not in the PostgreSQL migration of the same name, where help_articles has such an index from the
-- start (help_articles_search).

-- A row is the number by which the full-text index knows an article. Its upper 32 bits are the same
-- for all articles of an organization and for those of no other one, so that an organization's
-- articles are a range of the index; the lower ones run within it.
-- not spread: the full-text index knows a row by one integer, which is unique among all
CREATE TABLE help_article_search_keys (
    organization_id blob NOT NULL,
    help_article_id blob NOT NULL,
    search_id integer NOT NULL PRIMARY KEY,
    UNIQUE (organization_id, help_article_id),
    FOREIGN KEY (organization_id, help_article_id) REFERENCES help_articles (organization_id, id)
) STRICT;

-- A row is what stands in help_articles.search_text of the article with this search_id (rowid).
-- Texts are folded before they come here, so the index tells cases apart.
-- not spread: a full-text table has no key but its rowid
CREATE VIRTUAL TABLE help_articles_search USING fts5 (
    search_text,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = 'trigram case_sensitive 1'
);

-- The articles that are there already.
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
