-- A mailing tells of a published entry, or of a post: of its new status, which may have a comment,
-- or of a comment. actor_id is the user who made the change, and gets no mail about it. The mailing
-- of an entry has the identifier of the entry, and so has that of a comment.
ALTER TABLE mailings RENAME COLUMN changelog_entry_id TO id;
ALTER TABLE mailings DROP CONSTRAINT mailings_organization_id_changelog_entry_id_fkey;
ALTER TABLE mailings
    ADD COLUMN changelog_entry_id uuid,
    ADD COLUMN feedback_post_id uuid,
    ADD COLUMN status_id uuid,
    ADD COLUMN comment_id uuid,
    ADD COLUMN actor_id uuid;
UPDATE mailings SET changelog_entry_id = id;
ALTER TABLE mailings ADD CHECK ((changelog_entry_id IS NULL) = (feedback_post_id IS NOT NULL));
ALTER TABLE mailings
    ADD CHECK ((feedback_post_id IS NULL) = (coalesce(status_id, comment_id) IS NULL));
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, changelog_entry_id)
    REFERENCES changelog_entries (organization_id, id);
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, feedback_post_id)
    REFERENCES feedback_posts (organization_id, id);
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, status_id)
    REFERENCES statuses (organization_id, id);
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, comment_id)
    REFERENCES comments (organization_id, id);
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, actor_id)
    REFERENCES users (organization_id, user_id);
ALTER TABLE mails RENAME COLUMN changelog_entry_id TO mailing_id;
