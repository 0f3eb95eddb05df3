DROP INDEX help_articles_deleted;
DROP INDEX changelog_entries_deleted;
