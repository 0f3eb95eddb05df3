-- The articles before and behind an article of the portal's help center.
CREATE INDEX help_articles_in_collections
    ON help_articles (organization_id, collection_id, seq_number, id)
    WHERE collection_id IS NOT NULL AND is_active;
CREATE INDEX help_articles_in_categories
    ON help_articles (organization_id, category_id, seq_number, id)
    WHERE category_id IS NOT NULL AND is_active;
