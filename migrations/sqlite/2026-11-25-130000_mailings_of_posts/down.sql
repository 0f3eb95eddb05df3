-- The tables are made anew, as in up.sql. The mailings of posts are lost.
ALTER TABLE mails RENAME TO old_mails;
ALTER TABLE mailings RENAME TO old_mailings;

-- A row is the mailing of an entry that was published with notify. Its mails are written in
-- batches, in the order of the recipients' user_id. last_user_id is the last recipient so far.
CREATE TABLE mailings (
    organization_id blob NOT NULL,
    changelog_entry_id blob NOT NULL,
    last_user_id blob,
    created_at integer NOT NULL,
    expanded_at integer,
    PRIMARY KEY (organization_id, changelog_entry_id),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES changelog_entries (organization_id, id)
) STRICT;
INSERT INTO mailings (organization_id, changelog_entry_id, last_user_id, created_at, expanded_at)
    SELECT organization_id, changelog_entry_id, last_user_id, created_at, expanded_at
    FROM old_mailings WHERE changelog_entry_id IS NOT NULL;

-- A row is the mail of a mailing to one user. It is 'sending' from before the connection to the
-- mail server until the outcome is written, so that an interrupted mail is recognized.
CREATE TABLE mails (
    organization_id blob NOT NULL,
    changelog_entry_id blob NOT NULL,
    user_id blob NOT NULL,
    state text NOT NULL
        CHECK (state IN ('pending', 'sending', 'sent', 'failed')),
    attempt_count integer NOT NULL CHECK (attempt_count >= 0),
    next_attempt_at integer,
    lease_holder blob,
    leased_until integer,
    error_class text,
    ended_at integer,
    PRIMARY KEY (organization_id, changelog_entry_id, user_id),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'sending') = (lease_holder IS NOT NULL)),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK ((state IN ('sent', 'failed')) = (ended_at IS NOT NULL)),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES mailings (organization_id, changelog_entry_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO mails (
        organization_id, changelog_entry_id, user_id, state, attempt_count, next_attempt_at,
        lease_holder, leased_until, error_class, ended_at)
    SELECT
        organization_id, mailing_id, user_id, state, attempt_count, next_attempt_at,
        lease_holder, leased_until, error_class, ended_at
    FROM old_mails
    WHERE EXISTS (SELECT 1 FROM mailings WHERE mailings.organization_id = old_mails.organization_id
        AND changelog_entry_id = mailing_id);

-- The indexes are dropped with the tables, which frees their names.
DROP TABLE old_mails;
DROP TABLE old_mailings;

-- For the mailer: mailings with mails that are not written yet.
CREATE INDEX mailings_unexpanded
    ON mailings (organization_id, changelog_entry_id) WHERE expanded_at IS NULL;
-- For the mailer: due and interrupted mails.
CREATE INDEX mails_pending
    ON mails (organization_id, next_attempt_at, changelog_entry_id, user_id)
    WHERE next_attempt_at IS NOT NULL;
CREATE INDEX mails_sending
    ON mails (organization_id, leased_until) WHERE leased_until IS NOT NULL;
-- For the foreign key.
CREATE INDEX mails_by_user ON mails (organization_id, user_id);
