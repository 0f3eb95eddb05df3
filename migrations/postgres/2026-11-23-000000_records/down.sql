ALTER TABLE help_categories ADD COLUMN last_article_position bigint NOT NULL DEFAULT 0;
ALTER TABLE help_collections
    ADD COLUMN last_category_position bigint NOT NULL DEFAULT 0,
    ADD COLUMN last_article_position bigint NOT NULL DEFAULT 0;
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
ALTER TABLE help_categories ALTER COLUMN last_article_position DROP DEFAULT;
ALTER TABLE help_collections
    ALTER COLUMN last_category_position DROP DEFAULT,
    ALTER COLUMN last_article_position DROP DEFAULT;
DROP TABLE list_ends;

-- If several tags have one code, the deleted ones lose it.
UPDATE tags SET code = NULL
WHERE NOT is_active AND EXISTS (
    SELECT FROM tags AS other
    WHERE other.organization_id = tags.organization_id AND other.code = tags.code
        AND other.id <> tags.id);
DROP INDEX tags_by_external_id;
DROP INDEX tags_by_code;
ALTER TABLE tags ADD UNIQUE (organization_id, code);
ALTER TABLE tags
    DROP COLUMN external_id,
    DROP COLUMN is_public;
