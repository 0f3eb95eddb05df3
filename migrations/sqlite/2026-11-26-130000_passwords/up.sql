-- A row is the password of a user. hash has the hash, its parameters and its salt.
CREATE TABLE passwords (
    organization_id blob NOT NULL,
    user_id blob NOT NULL,
    hash text NOT NULL,
    set_at integer NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT;

-- A row is the number of passwords that somebody has tried. id is the keyed digest of the address
-- that was typed, or of the network. The tries are over at expires_at.
CREATE TABLE password_tries (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    tries integer NOT NULL,
    expires_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT, WITHOUT ROWID;
-- The removal of tries that are over.
CREATE INDEX password_tries_by_end ON password_tries (organization_id, expires_at);

-- How the user signed in. Sessions that are there began by mail or by a token: the user shows the
-- address again before setting a password.
ALTER TABLE sessions ADD COLUMN way text NOT NULL DEFAULT 'token'
    CHECK (way IN ('mail', 'password', 'provider', 'token'));
-- The removal of sessions that are over.
CREATE INDEX sessions_by_end ON sessions (organization_id, expires_at);
