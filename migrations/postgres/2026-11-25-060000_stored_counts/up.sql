-- A row has the counts of a feedback post, apart from it: a vote writes this small row, and no
-- change of the post writes its counts. board_id and is_active are those of the post, for the
-- indexes. recent_vote_count is as old as the last round of the background step.
CREATE TABLE feedback_post_counts (
    organization_id uuid NOT NULL,
    feedback_post_id uuid NOT NULL,
    board_id uuid NOT NULL,
    is_active boolean NOT NULL,
    vote_count bigint NOT NULL,
    comment_count bigint NOT NULL,
    recent_vote_count bigint NOT NULL,
    PRIMARY KEY (organization_id, feedback_post_id)
);
INSERT INTO feedback_post_counts
SELECT organization_id, id, board_id, is_active, coalesce(vote_count, 0), coalesce(comment_count, 0), 0
FROM feedback_posts
LEFT JOIN (
    SELECT organization_id, feedback_post_id AS id, count(*) AS vote_count
    FROM votes WHERE feedback_post_id IS NOT NULL GROUP BY organization_id, feedback_post_id
) AS voted USING (organization_id, id)
LEFT JOIN (
    SELECT organization_id, feedback_post_id AS id, count(*) AS comment_count
    FROM comments WHERE is_active GROUP BY organization_id, feedback_post_id
) AS commented USING (organization_id, id);
ALTER TABLE feedback_post_counts ADD FOREIGN KEY (organization_id, feedback_post_id)
    REFERENCES feedback_posts (organization_id, id);
-- /feedback-posts/list by votes and by trend: on all boards, on one.
CREATE INDEX feedback_post_counts_by_votes
    ON feedback_post_counts (organization_id, vote_count, feedback_post_id) WHERE is_active;
CREATE INDEX feedback_post_counts_by_board_and_votes
    ON feedback_post_counts (organization_id, board_id, vote_count, feedback_post_id)
    WHERE is_active;
CREATE INDEX feedback_post_counts_by_trend
    ON feedback_post_counts (organization_id, recent_vote_count, vote_count, feedback_post_id)
    WHERE is_active;
CREATE INDEX feedback_post_counts_by_board_and_trend
    ON feedback_post_counts (organization_id, board_id, recent_vote_count, vote_count, feedback_post_id)
    WHERE is_active;
-- /feedback-posts/list by change: on all boards, on one.
CREATE INDEX feedback_posts_by_change
    ON feedback_posts (organization_id, updated_at, id) WHERE is_active;
CREATE INDEX feedback_posts_by_board_and_change
    ON feedback_posts (organization_id, board_id, updated_at, id) WHERE is_active;
-- The recent votes.
CREATE INDEX votes_by_age
    ON votes (organization_id, created_at, feedback_post_id) WHERE feedback_post_id IS NOT NULL;

-- A row is the number of records of a kind (counted) that have the same parent: the active articles
-- of a category, the active categories of a collection, the votes of a roadmap post.
-- No row: 0.
CREATE TABLE record_counts (
    organization_id uuid NOT NULL,
    counted text COLLATE "C" NOT NULL,
    parent_id uuid NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (organization_id, counted, parent_id)
);
INSERT INTO record_counts
SELECT organization_id, 'articles', category_id, count(*)
FROM help_articles WHERE is_active AND category_id IS NOT NULL GROUP BY organization_id, category_id;
INSERT INTO record_counts
SELECT organization_id, 'categories', collection_id, count(*)
FROM help_categories WHERE is_active GROUP BY organization_id, collection_id;
INSERT INTO record_counts
SELECT organization_id, 'roadmap_votes', roadmap_post_id, count(*)
FROM votes WHERE roadmap_post_id IS NOT NULL GROUP BY organization_id, roadmap_post_id;
ALTER TABLE record_counts ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
