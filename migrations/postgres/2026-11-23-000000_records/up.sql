-- Whether the portal shows a tag, and the identifier that another tool gave it. Deleted tags give
-- up their code and their identifier.
ALTER TABLE tags
    ADD COLUMN is_public boolean NOT NULL DEFAULT true,
    ADD COLUMN external_id text COLLATE "C";
ALTER TABLE tags DROP CONSTRAINT tags_organization_id_code_key;
CREATE UNIQUE INDEX tags_by_code ON tags (organization_id, code) WHERE is_active;
CREATE UNIQUE INDEX tags_by_external_id ON tags (organization_id, external_id) WHERE is_active;

-- A row is the end of an ordered list of records: of a kind (list), in a record (parent_id) or,
-- with the nil identifier, in the organization. last_position is the last position that was given
-- in the list. A list has no row before a record is first appended to it.
CREATE TABLE list_ends (
    organization_id uuid NOT NULL,
    list text COLLATE "C" NOT NULL,
    parent_id uuid NOT NULL,
    last_position bigint NOT NULL,
    PRIMARY KEY (organization_id, list, parent_id)
);
ALTER TABLE list_ends ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
INSERT INTO list_ends
SELECT organization_id, 'help_category', id, last_category_position FROM help_collections
UNION ALL
SELECT organization_id, 'help_article', id, last_article_position FROM help_collections
UNION ALL
SELECT organization_id, 'help_article', id, last_article_position FROM help_categories;
ALTER TABLE help_collections
    DROP COLUMN last_category_position,
    DROP COLUMN last_article_position;
ALTER TABLE help_categories DROP COLUMN last_article_position;
