-- How a user hears about posts by mail, and whether the changelog is mailed to the user. Both hold
-- only for those who receive mail (is_subscribed).
ALTER TABLE users
    ADD COLUMN post_mail text COLLATE "C" NOT NULL DEFAULT 'instant'
        CHECK (post_mail IN ('instant', 'daily', 'weekly', 'off')),
    ADD COLUMN changelog_mail boolean NOT NULL DEFAULT true;
-- People type their address in any case.
CREATE INDEX users_by_any_case ON users (organization_id, lower(email));
-- The members of the team, who may be few of many users.
CREATE INDEX users_on_team ON users (organization_id, user_id)
    WHERE is_active AND portal_role IN ('owner', 'admin', 'member', 'viewer');

-- topic is null if a mailing tells of an entry, a status or a comment. Otherwise it tells that a
-- post was merged into other_post_id, that it was accepted, that addressee_id owns it now, or that
-- something waits for moderation. addressee_id is the one user whom the change is about.
ALTER TABLE mailings
    ADD COLUMN topic text COLLATE "C" CHECK (topic IN ('merged', 'accepted', 'owner', 'queue')),
    ADD COLUMN other_post_id uuid,
    ADD COLUMN addressee_id uuid;
ALTER TABLE mailings DROP CONSTRAINT mailings_check;
ALTER TABLE mailings DROP CONSTRAINT mailings_check1;
ALTER TABLE mailings ADD CHECK (CASE WHEN topic IS NULL
    THEN (changelog_entry_id IS NULL) = (feedback_post_id IS NOT NULL)
        AND (feedback_post_id IS NULL) = (coalesce(status_id, comment_id) IS NULL)
    ELSE changelog_entry_id IS NULL AND (topic = 'queue') = (feedback_post_id IS NULL) END);
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, other_post_id)
    REFERENCES feedback_posts (organization_id, id);
ALTER TABLE mailings ADD FOREIGN KEY (organization_id, addressee_id)
    REFERENCES users (organization_id, user_id);

-- A row is a notification of a user about a change: in the portal, and by mail unless its state is
-- 'kept'. The mails of a digest that are due go out as one. The defaults are for existing rows, and
-- for running servers of an earlier release.
ALTER TABLE mails
    ADD COLUMN in_digest boolean NOT NULL DEFAULT false,
    ADD COLUMN is_unread boolean NOT NULL DEFAULT false,
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE mails DROP CONSTRAINT mails_state_check;
ALTER TABLE mails
    ADD CHECK (state IN ('pending', 'sending', 'sent', 'failed', 'kept'));
-- The notifications of a user, newest first, and the foreign key.
DROP INDEX mails_by_user;
CREATE INDEX mails_by_user ON mails (organization_id, user_id, created_at, mailing_id);
-- The number of unread notifications.
CREATE INDEX mails_unread ON mails (organization_id, user_id) WHERE is_unread;
-- The digests that are due.
CREATE INDEX mails_in_digest ON mails (organization_id, user_id, next_attempt_at)
    WHERE in_digest AND next_attempt_at IS NOT NULL;
-- The removal of old notifications.
CREATE INDEX mails_by_age ON mails (organization_id, created_at, mailing_id, user_id)
    WHERE state IN ('sent', 'failed', 'kept');

-- A row is the latest answer of the mail server to a mail of the organization that it did not take.
-- The rows go when it takes one.
CREATE TABLE mail_troubles (
    organization_id uuid NOT NULL,
    error_class text COLLATE "C" NOT NULL,
    answer text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, error_class)
);
ALTER TABLE mail_troubles ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
