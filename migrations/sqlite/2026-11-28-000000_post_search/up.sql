-- The full-text index finds the candidates of a search: posts whose search_text may contain the
-- text. The search then reads the text of each candidate.
--
-- A change of the index takes a millisecond, and a hundred of them in one transaction eight. So a
-- write of a post only marks it, and a background step adds a hundred marked posts at a time.
-- Searches read the marked posts, too.
--
-- The PostgreSQL migration of the same name is empty: feedback_posts has such an index from the
-- start (feedback_posts_search).

-- A row is the feedback_posts.search_text of the post with this similar_id (rowid). The text is
-- already folded, so the index is case-sensitive.
-- not spread: a full-text table has no key but its rowid
CREATE VIRTUAL TABLE feedback_posts_search USING fts5 (
    search_text,
    content = '',
    contentless_delete = 1,
    detail = none,
    tokenize = 'trigram case_sensitive 1'
);

-- The posts whose text is missing in the index, or is another one there.
-- not spread: the full-text index has integers as keys, which are unique among all
CREATE TABLE feedback_posts_unindexed (
    similar_id integer NOT NULL PRIMARY KEY,
    organization_id blob NOT NULL
) STRICT;

INSERT INTO feedback_posts_unindexed (similar_id, organization_id)
    SELECT similar_id, organization_id FROM feedback_posts WHERE similar_id > 0
    ORDER BY similar_id;

-- Triggers mark posts, so that a server of an earlier release on the same file marks them, too.
CREATE TRIGGER feedback_posts_mark_new AFTER INSERT ON feedback_posts
WHEN new.similar_id > 0
BEGIN
    INSERT OR REPLACE INTO feedback_posts_unindexed (similar_id, organization_id)
        VALUES (new.similar_id, new.organization_id);
END;

CREATE TRIGGER feedback_posts_mark_edited AFTER UPDATE OF search_text, similar_id ON feedback_posts
WHEN new.similar_id > 0
    AND (old.search_text <> new.search_text OR old.similar_id IS NOT new.similar_id)
BEGIN
    INSERT OR REPLACE INTO feedback_posts_unindexed (similar_id, organization_id)
        VALUES (new.similar_id, new.organization_id);
END;
