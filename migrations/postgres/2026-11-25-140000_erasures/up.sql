-- The deleted records that are not erased yet, by the time of the deletion.
CREATE INDEX users_deleted ON users (organization_id, updated_at, user_id)
    WHERE NOT is_active AND (name <> 'Deleted user' OR email IS NOT NULL
        OR external_id IS NOT NULL OR avatar_url <> '' OR company_name <> ''
        OR company_id IS NOT NULL OR customer_status <> '' OR locale <> ''
        OR attributes <> '{}');
CREATE INDEX companies_deleted ON companies (organization_id, updated_at, id)
    WHERE NOT is_active AND name <> '';
CREATE INDEX feedback_posts_deleted ON feedback_posts (organization_id, updated_at, id)
    WHERE NOT is_active AND (title <> '' OR description <> '');
CREATE INDEX roadmap_posts_deleted ON roadmap_posts (organization_id, updated_at, id)
    WHERE NOT is_active AND (title <> '' OR description <> '');
CREATE INDEX comments_deleted ON comments (organization_id, updated_at, id)
    WHERE NOT is_active AND content <> '';
