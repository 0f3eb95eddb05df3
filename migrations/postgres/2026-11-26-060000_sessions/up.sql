-- A row is a session of a user in the portal. digest is the SHA-256 of its token. The session is
-- over at expires_at.
CREATE TABLE sessions (
    organization_id uuid NOT NULL,
    digest bytea NOT NULL,
    user_id uuid NOT NULL,
    agent text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, digest)
);
ALTER TABLE sessions ADD FOREIGN KEY (organization_id, user_id)
    REFERENCES users (organization_id, user_id);
-- The sessions of a user, and the foreign key.
CREATE INDEX sessions_by_user ON sessions (organization_id, user_id);

-- A row is a mail by which a person signs in, or is invited: then it has a role. id is the SHA-256
-- of the token that the browser keeps, link that of the token in the mail. code is the keyed digest
-- of the mailed code. tries counts wrong codes.
CREATE TABLE sign_ins (
    organization_id uuid NOT NULL,
    id bytea NOT NULL,
    link bytea NOT NULL,
    code bytea,
    email text COLLATE "C" NOT NULL,
    role text COLLATE "C" CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
    return_to text COLLATE "C" NOT NULL,
    tries integer NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, link)
);
ALTER TABLE sign_ins ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
-- The number of sign-ins of an address, and their erasure.
CREATE INDEX sign_ins_by_email ON sign_ins (organization_id, email, expires_at);
-- The removal of sign-ins that are over.
CREATE INDEX sign_ins_by_end ON sign_ins (organization_id, expires_at);

-- A row is a token of single sign-on that was used. digest is its SHA-256. The token is over at
-- until.
CREATE TABLE spent_tokens (
    organization_id uuid NOT NULL,
    digest bytea NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (organization_id, digest)
);
ALTER TABLE spent_tokens ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
-- The removal of tokens that are over.
CREATE INDEX spent_tokens_by_end ON spent_tokens (organization_id, until);
