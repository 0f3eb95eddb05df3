-- The deleted entries and articles that are not erased yet, by the time of the deletion.
CREATE INDEX changelog_entries_deleted ON changelog_entries (organization_id, updated_at, id)
    WHERE NOT is_active AND (title <> 'Deleted entry' OR content <> ''
        OR external_id IS NOT NULL OR featured_image_url IS NOT NULL);
CREATE INDEX help_articles_deleted ON help_articles (organization_id, updated_at, id)
    WHERE NOT is_active AND (title <> 'Deleted article' OR content <> ''
        OR external_id IS NOT NULL OR excerpt IS NOT NULL);
