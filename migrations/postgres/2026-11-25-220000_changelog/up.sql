-- Whether the subscribers of linked posts are mailed when the entry is published.
ALTER TABLE changelog_entries ADD COLUMN notify_voters boolean NOT NULL DEFAULT false;
-- The identifier that another tool gave a record. A deleted record gives up its identifier.
ALTER TABLE labels ADD COLUMN external_id text COLLATE "C";
CREATE UNIQUE INDEX labels_by_external_id ON labels (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE changelog_entries ADD COLUMN external_id text COLLATE "C";
CREATE UNIQUE INDEX changelog_entries_by_external_id ON changelog_entries (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;

-- A row is a link from a changelog entry to a feedback post that the entry answers.
CREATE TABLE entry_links (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    changelog_entry_id uuid NOT NULL,
    feedback_post_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, changelog_entry_id, feedback_post_id)
);
ALTER TABLE entry_links ADD FOREIGN KEY (organization_id, changelog_entry_id)
    REFERENCES changelog_entries (organization_id, id);
ALTER TABLE entry_links ADD FOREIGN KEY (organization_id, feedback_post_id)
    REFERENCES feedback_posts (organization_id, id);
-- The entries of a feedback post, and the foreign key.
CREATE INDEX entry_links_by_feedback_post ON entry_links (organization_id, feedback_post_id);
