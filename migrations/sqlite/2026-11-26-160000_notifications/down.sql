DROP TABLE mail_troubles;
-- The tables are made anew, as they were. The mails that are kept for the portal alone, and what
-- older servers do not know, are lost.
ALTER TABLE mails RENAME TO old_mails;
ALTER TABLE mailings RENAME TO old_mailings;

-- A row is the mailing of a change. Its mails are written in batches, in the order of the
-- recipients' user_id. last_user_id is the last recipient so far. actor_id is the user who made the
-- change, and gets no mail about it. The mailing of an entry has the identifier of the entry, and so
-- has that of a comment.
CREATE TABLE mailings (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    changelog_entry_id blob,
    feedback_post_id blob,
    status_id blob,
    comment_id blob,
    actor_id blob,
    last_user_id blob,
    created_at integer NOT NULL,
    expanded_at integer,
    PRIMARY KEY (organization_id, id),
    CHECK ((changelog_entry_id IS NULL) = (feedback_post_id IS NOT NULL)),
    CHECK ((feedback_post_id IS NULL) = (coalesce(status_id, comment_id) IS NULL)),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES changelog_entries (organization_id, id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, status_id) REFERENCES statuses (organization_id, id),
    FOREIGN KEY (organization_id, comment_id) REFERENCES comments (organization_id, id),
    FOREIGN KEY (organization_id, actor_id) REFERENCES users (organization_id, user_id)
) STRICT;
INSERT INTO mailings (
        organization_id, id, changelog_entry_id, feedback_post_id, status_id, comment_id, actor_id,
        last_user_id, created_at, expanded_at)
    SELECT
        organization_id, id, changelog_entry_id, feedback_post_id, status_id, comment_id, actor_id,
        last_user_id, created_at, expanded_at
    FROM old_mailings WHERE topic IS NULL;

-- A row is the mail of a mailing to one user. It is 'sending' from before the connection to the
-- mail server until the outcome is written, so that an interrupted mail is recognized.
CREATE TABLE mails (
    organization_id blob NOT NULL,
    mailing_id blob NOT NULL,
    user_id blob NOT NULL,
    state text NOT NULL
        CHECK (state IN ('pending', 'sending', 'sent', 'failed')),
    attempt_count integer NOT NULL CHECK (attempt_count >= 0),
    next_attempt_at integer,
    lease_holder blob,
    leased_until integer,
    error_class text,
    ended_at integer,
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
        lease_holder, leased_until, error_class, ended_at)
    SELECT
        organization_id, mailing_id, user_id, state, attempt_count, next_attempt_at,
        lease_holder, leased_until, error_class, ended_at
    FROM old_mails
    WHERE state <> 'kept' AND EXISTS (SELECT 1 FROM mailings
        WHERE mailings.organization_id = old_mails.organization_id AND id = mailing_id);

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
-- For the foreign key.
CREATE INDEX mails_by_user ON mails (organization_id, user_id);

DROP INDEX users_on_team;
DROP INDEX users_by_any_case;
ALTER TABLE users DROP COLUMN post_mail;
ALTER TABLE users DROP COLUMN changelog_mail;
