ALTER TABLE help_categories ADD COLUMN last_article_position integer NOT NULL DEFAULT 0;
ALTER TABLE help_collections ADD COLUMN last_category_position integer NOT NULL DEFAULT 0;
ALTER TABLE help_collections ADD COLUMN last_article_position integer NOT NULL DEFAULT 0;
UPDATE help_categories SET last_article_position = last_position
FROM list_ends
WHERE list_ends.organization_id = help_categories.organization_id
    AND list = 'help_article' AND parent_id = id;
UPDATE help_collections SET last_article_position = last_position
FROM list_ends
WHERE list_ends.organization_id = help_collections.organization_id
    AND list = 'help_article' AND parent_id = id;
UPDATE help_collections SET last_category_position = last_position
FROM list_ends
WHERE list_ends.organization_id = help_collections.organization_id
    AND list = 'help_category' AND parent_id = id;
DROP TABLE list_ends;

-- If several tags have one code, the deleted ones lose it.
CREATE TABLE tags_anew (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    code text,
    color text NOT NULL,
    show_on_feedback integer NOT NULL CHECK (show_on_feedback IN (0, 1)),
    show_on_roadmap integer NOT NULL CHECK (show_on_roadmap IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
INSERT INTO tags_anew
SELECT organization_id, id, name,
    CASE WHEN is_active OR NOT EXISTS (
        SELECT 1 FROM tags AS other
        WHERE other.organization_id = tags.organization_id AND other.code = tags.code
            AND other.id <> tags.id)
    THEN code END,
    color, show_on_feedback, show_on_roadmap, is_active, created_at
FROM tags;
CREATE TABLE tags_of_posts AS SELECT * FROM feedback_post_tags;
DELETE FROM feedback_post_tags;
DROP TABLE tags;
ALTER TABLE tags_anew RENAME TO tags;
INSERT INTO feedback_post_tags SELECT * FROM tags_of_posts;
DROP TABLE tags_of_posts;
