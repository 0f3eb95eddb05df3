-- The mailings of posts are lost.
DELETE FROM mails WHERE EXISTS (SELECT FROM mailings
    WHERE mailings.organization_id = mails.organization_id AND id = mailing_id
        AND changelog_entry_id IS NULL);
DELETE FROM mailings WHERE changelog_entry_id IS NULL;
ALTER TABLE mails RENAME COLUMN mailing_id TO changelog_entry_id;
ALTER TABLE mailings
    DROP COLUMN changelog_entry_id,
    DROP COLUMN feedback_post_id,
    DROP COLUMN status_id,
    DROP COLUMN comment_id,
    DROP COLUMN actor_id;
ALTER TABLE mailings RENAME COLUMN id TO changelog_entry_id;
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, changelog_entry_id)
    REFERENCES changelog_entries (organization_id, id);
