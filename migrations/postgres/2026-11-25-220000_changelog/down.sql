DROP TABLE entry_links;
DROP INDEX changelog_entries_by_external_id;
ALTER TABLE changelog_entries DROP COLUMN external_id;
DROP INDEX labels_by_external_id;
ALTER TABLE labels DROP COLUMN external_id;
ALTER TABLE changelog_entries DROP COLUMN notify_voters;
