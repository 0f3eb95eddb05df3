-- Whether the subscribers of linked posts are mailed when the entry is published.
ALTER TABLE changelog_entries ADD COLUMN notify_voters integer NOT NULL DEFAULT 0
    CHECK (notify_voters IN (0, 1));
-- The identifier that another tool gave a record. A deleted record gives up its identifier.
ALTER TABLE labels ADD COLUMN external_id text;
CREATE UNIQUE INDEX labels_by_external_id ON labels (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE changelog_entries ADD COLUMN external_id text;
CREATE UNIQUE INDEX changelog_entries_by_external_id ON changelog_entries (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;

-- A row is a link from a changelog entry to a feedback post that the entry answers.
CREATE TABLE entry_links (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    changelog_entry_id blob NOT NULL,
    feedback_post_id blob NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, changelog_entry_id, feedback_post_id),
    FOREIGN KEY (organization_id, changelog_entry_id) REFERENCES changelog_entries (organization_id, id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id)
) STRICT;
-- The entries of a feedback post, and the foreign key.
CREATE INDEX entry_links_by_feedback_post ON entry_links (organization_id, feedback_post_id);
