-- A row is the password of a user. hash has the hash, its parameters and its salt.
CREATE TABLE passwords (
    organization_id uuid NOT NULL,
    user_id uuid NOT NULL,
    hash text COLLATE "C" NOT NULL,
    set_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
ALTER TABLE passwords ADD FOREIGN KEY (organization_id, user_id)
    REFERENCES users (organization_id, user_id);

-- A row is the number of passwords that somebody has tried. id is the keyed digest of the address
-- that was typed, or of the network. The tries are over at expires_at.
CREATE TABLE password_tries (
    organization_id uuid NOT NULL,
    id bytea NOT NULL,
    tries integer NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
ALTER TABLE password_tries ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
-- The removal of tries that are over.
CREATE INDEX password_tries_by_end ON password_tries (organization_id, expires_at);

-- How the user signed in. Sessions that are there began by mail or by a token: the user shows the
-- address again before setting a password.
ALTER TABLE sessions ADD COLUMN way text COLLATE "C" NOT NULL DEFAULT 'token';
ALTER TABLE sessions ADD CONSTRAINT sessions_way_check
    CHECK (way IN ('mail', 'password', 'provider', 'token'));
-- The removal of sessions that are over.
CREATE INDEX sessions_by_end ON sessions (organization_id, expires_at);
