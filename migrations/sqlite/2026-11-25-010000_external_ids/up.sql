-- The identifier that another tool gave a record. A deleted record gives up its identifier.
ALTER TABLE users ADD COLUMN external_id text;
CREATE UNIQUE INDEX users_by_external_id ON users (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE feedback_posts ADD COLUMN external_id text;
CREATE UNIQUE INDEX feedback_posts_by_external_id ON feedback_posts (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE comments ADD COLUMN external_id text;
CREATE UNIQUE INDEX comments_by_external_id ON comments (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE feedback_boards ADD COLUMN external_id text;
CREATE UNIQUE INDEX feedback_boards_by_external_id ON feedback_boards (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE roadmap_boards ADD COLUMN external_id text;
CREATE UNIQUE INDEX roadmap_boards_by_external_id ON roadmap_boards (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE categories ADD COLUMN external_id text;
CREATE UNIQUE INDEX categories_by_external_id ON categories (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
