-- Whether the portal shows a tag, and the identifier that another tool gave it. Deleted tags give
-- up their code and their identifier. SQLite cannot drop a constraint of a table, so the table is
-- made anew. Rows that refer to it are copied to another table meanwhile.
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
    is_public integer NOT NULL DEFAULT 1 CHECK (is_public IN (0, 1)),
    external_id text,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
INSERT INTO tags_anew
SELECT organization_id, id, name, code, color, show_on_feedback, show_on_roadmap, is_active,
    created_at, 1, NULL
FROM tags;
CREATE TABLE tags_of_posts AS SELECT * FROM feedback_post_tags;
DELETE FROM feedback_post_tags;
DROP TABLE tags;
ALTER TABLE tags_anew RENAME TO tags;
INSERT INTO feedback_post_tags SELECT * FROM tags_of_posts;
DROP TABLE tags_of_posts;
CREATE UNIQUE INDEX tags_by_code ON tags (organization_id, code) WHERE is_active;
CREATE UNIQUE INDEX tags_by_external_id ON tags (organization_id, external_id) WHERE is_active;

-- A row is the end of an ordered list of records: of a kind (list), in a record (parent_id) or,
-- with the nil identifier, in the organization. last_position is the last position that was given
-- in the list. A list has no row before a record is first appended to it.
CREATE TABLE list_ends (
    organization_id blob NOT NULL,
    list text NOT NULL,
    parent_id blob NOT NULL,
    last_position integer NOT NULL,
    PRIMARY KEY (organization_id, list, parent_id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT, WITHOUT ROWID;
INSERT INTO list_ends
SELECT organization_id, 'help_category', id, last_category_position FROM help_collections
UNION ALL
SELECT organization_id, 'help_article', id, last_article_position FROM help_collections
UNION ALL
SELECT organization_id, 'help_article', id, last_article_position FROM help_categories;
ALTER TABLE help_collections DROP COLUMN last_category_position;
ALTER TABLE help_collections DROP COLUMN last_article_position;
ALTER TABLE help_categories DROP COLUMN last_article_position;
