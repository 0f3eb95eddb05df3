-- A row is a provider of OpenID Connect at which the people of an organization sign in. sealed is
-- its client secret, encrypted under the master key. The claims are the names under which it tells
-- who a person is.
CREATE TABLE oidc_providers (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    issuer text COLLATE "C" NOT NULL,
    client_id text COLLATE "C" NOT NULL,
    sealed bytea NOT NULL,
    email_claim text COLLATE "C" NOT NULL,
    email_verified_claim text COLLATE "C" NOT NULL,
    name_claim text COLLATE "C" NOT NULL,
    picture_claim text COLLATE "C" NOT NULL,
    for_members boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
ALTER TABLE oidc_providers ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);

-- A row is the account of a user at a provider. digest is the SHA-256 of the issuer and the subject.
CREATE TABLE oidc_accounts (
    organization_id uuid NOT NULL,
    digest bytea NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, digest)
);
ALTER TABLE oidc_accounts ADD FOREIGN KEY (organization_id, user_id)
    REFERENCES users (organization_id, user_id);
-- The accounts of a user, and the foreign key.
CREATE INDEX oidc_accounts_by_user ON oidc_accounts (organization_id, user_id);
