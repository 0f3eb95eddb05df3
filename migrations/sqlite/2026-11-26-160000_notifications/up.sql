-- How a user hears about posts by mail, and whether the changelog is mailed to the user. Both hold
-- only for those who receive mail (is_subscribed).
ALTER TABLE users ADD COLUMN post_mail text NOT NULL DEFAULT 'instant'
    CHECK (post_mail IN ('instant', 'daily', 'weekly', 'off'));
ALTER TABLE users ADD COLUMN changelog_mail integer NOT NULL DEFAULT 1
    CHECK (changelog_mail IN (0, 1));
-- People type their address in any case.
CREATE INDEX users_by_any_case ON users (organization_id, lower(email));
-- The members of the team, who may be few of many users.
CREATE INDEX users_on_team ON users (organization_id, user_id)
    WHERE is_active AND portal_role IN ('owner', 'admin', 'member', 'viewer');

-- SQLite cannot change a CHECK, so the tables of mails are made anew.
ALTER TABLE mails RENAME TO old_mails;
ALTER TABLE mailings RENAME TO old_mailings;

-- A row is the mailing of a change. Its notifications are written in batches, in the order of the
-- recipients' user_id. last_user_id is the last recipient so far. actor_id is the user who made the
-- change, and hears nothing about it. The mailing of an entry has the identifier of the entry, and
-- so has that of a comment. topic is null if a mailing tells of an entry, a status or a comment.
-- Otherwise it tells that a post was merged into other_post_id, that it was accepted, that
-- addressee_id owns it now, or that something waits for moderation. addressee_id is the one user
-- whom the change is about.
CREATE TABLE mailings (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    changelog_entry_id blob,
    feedback_post_id blob,
    status_id blob,
    comment_id blob,
    actor_id blob,
    topic text CHECK (topic IN ('merged', 'accepted', 'owner', 'queue')),
    other_post_id blob,
    addressee_id blob,
    last_user_id blob,
    created_at integer NOT NULL,
    expanded_at integer,
    PRIMARY KEY (organization_id, id),
    CHECK (CASE WHEN topic IS NULL
        THEN (changelog_entry_id IS NULL) = (feedback_post_id IS NOT NULL)
            AND (feedback_post_id IS NULL) = (coalesce(status_id, comment_id) IS NULL)
        ELSE changelog_entry_id IS NULL AND (topic = 'queue') = (feedback_post_id IS NULL) END),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES changelog_entries (organization_id, id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, status_id) REFERENCES statuses (organization_id, id),
    FOREIGN KEY (organization_id, comment_id) REFERENCES comments (organization_id, id),
    FOREIGN KEY (organization_id, actor_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, other_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, addressee_id) REFERENCES users (organization_id, user_id)
) STRICT;
INSERT INTO mailings (
        organization_id, id, changelog_entry_id, feedback_post_id, status_id, comment_id, actor_id,
        last_user_id, created_at, expanded_at)
    SELECT
        organization_id, id, changelog_entry_id, feedback_post_id, status_id, comment_id, actor_id,
        last_user_id, created_at, expanded_at
    FROM old_mailings;

-- A row is a notification of a user about a change: in the portal, and by mail unless its state is
-- 'kept'. It is 'sending' from before the connection to the mail server until the outcome is
-- written, so that an interrupted mail is recognized. The mails of a digest that are due go out as
-- one.
CREATE TABLE mails (
    organization_id blob NOT NULL,
    mailing_id blob NOT NULL,
    user_id blob NOT NULL,
    state text NOT NULL
        CHECK (state IN ('pending', 'sending', 'sent', 'failed', 'kept')),
    attempt_count integer NOT NULL CHECK (attempt_count >= 0),
    next_attempt_at integer,
    lease_holder blob,
    leased_until integer,
    error_class text,
    ended_at integer,
    in_digest integer NOT NULL DEFAULT 0 CHECK (in_digest IN (0, 1)),
    is_unread integer NOT NULL DEFAULT 0 CHECK (is_unread IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, mailing_id, user_id),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'sending') = (lease_holder IS NOT NULL)),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK ((state IN ('sent', 'failed')) = (ended_at IS NOT NULL)),
    FOREIGN KEY (organization_id, mailing_id)
        REFERENCES mailings (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO mails (
        organization_id, mailing_id, user_id, state, attempt_count, next_attempt_at,
        lease_holder, leased_until, error_class, ended_at, created_at)
    SELECT
        old_mails.organization_id, mailing_id, user_id, state, attempt_count, next_attempt_at,
        lease_holder, leased_until, error_class, ended_at, created_at
    FROM old_mails JOIN mailings
        ON mailings.organization_id = old_mails.organization_id AND id = mailing_id;

-- The indexes are dropped with the tables, which frees their names.
DROP TABLE old_mails;
DROP TABLE old_mailings;

-- For the mailer: mailings with mails that are not written yet.
CREATE INDEX mailings_unexpanded
    ON mailings (organization_id, id) WHERE expanded_at IS NULL;
-- For the mailer: due and interrupted mails.
CREATE INDEX mails_pending
    ON mails (organization_id, next_attempt_at, mailing_id, user_id)
    WHERE next_attempt_at IS NOT NULL;
CREATE INDEX mails_sending
    ON mails (organization_id, leased_until) WHERE leased_until IS NOT NULL;
-- The notifications of a user, newest first, and the foreign key.
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
    organization_id blob NOT NULL,
    error_class text NOT NULL,
    answer text NOT NULL,
    at integer NOT NULL,
    PRIMARY KEY (organization_id, error_class),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT, WITHOUT ROWID;
