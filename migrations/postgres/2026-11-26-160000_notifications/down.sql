DROP TABLE mail_troubles;
-- The mails that are kept for the portal alone, and what older servers do not know, are lost.
DELETE FROM mails WHERE state = 'kept' OR EXISTS (SELECT FROM mailings
    WHERE mailings.organization_id = mails.organization_id AND id = mailing_id
        AND topic IS NOT NULL);
DELETE FROM mailings WHERE topic IS NOT NULL;
-- The other indexes of this migration go with their columns.
DROP INDEX mails_by_age;
ALTER TABLE mails
    DROP COLUMN in_digest,
    DROP COLUMN is_unread,
    DROP COLUMN created_at;
CREATE INDEX mails_by_user ON mails (organization_id, user_id);
ALTER TABLE mails DROP CONSTRAINT mails_state_check;
ALTER TABLE mails ADD CHECK (state IN ('pending', 'sending', 'sent', 'failed'));
ALTER TABLE mailings
    DROP COLUMN topic,
    DROP COLUMN other_post_id,
    DROP COLUMN addressee_id;
ALTER TABLE mailings ADD CHECK ((changelog_entry_id IS NULL) = (feedback_post_id IS NOT NULL));
ALTER TABLE mailings
    ADD CHECK ((feedback_post_id IS NULL) = (coalesce(status_id, comment_id) IS NULL));
DROP INDEX users_on_team;
DROP INDEX users_by_any_case;
ALTER TABLE users DROP COLUMN post_mail, DROP COLUMN changelog_mail;
