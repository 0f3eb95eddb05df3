-- The full-text index finds the candidates of a search: posts whose search_text may contain the
-- text. The search then reads the text of each candidate.
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

-- The existing posts.
INSERT INTO feedback_posts_search (rowid, search_text)
    SELECT similar_id, search_text FROM feedback_posts WHERE similar_id > 0 ORDER BY similar_id;

-- Triggers keep the index, so that a server of an earlier release on the same file keeps it, too. A
-- post without a number, or with a negative one, is not in it.
CREATE TRIGGER feedback_posts_search_insert AFTER INSERT ON feedback_posts
WHEN new.similar_id > 0
BEGIN
    INSERT INTO feedback_posts_search (rowid, search_text) VALUES (new.similar_id, new.search_text);
END;

CREATE TRIGGER feedback_posts_search_update AFTER UPDATE OF search_text, similar_id ON feedback_posts
WHEN old.search_text <> new.search_text OR old.similar_id IS NOT new.similar_id
BEGIN
    DELETE FROM feedback_posts_search WHERE rowid = old.similar_id;
    INSERT INTO feedback_posts_search (rowid, search_text)
        SELECT new.similar_id, new.search_text WHERE new.similar_id > 0;
END;

CREATE TRIGGER feedback_posts_search_delete AFTER DELETE ON feedback_posts
WHEN old.similar_id > 0
BEGIN
    DELETE FROM feedback_posts_search WHERE rowid = old.similar_id;
END;
