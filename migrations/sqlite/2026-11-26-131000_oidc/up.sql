-- A row is a provider of OpenID Connect at which the people of an organization sign in. sealed is
-- its client secret, encrypted under the master key. The claims are the names under which it tells
-- who a person is.
CREATE TABLE oidc_providers (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    sealed blob NOT NULL,
    email_claim text NOT NULL,
    email_verified_claim text NOT NULL,
    name_claim text NOT NULL,
    picture_claim text NOT NULL,
    for_members integer NOT NULL CHECK (for_members IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is the account of a user at a provider. digest is the SHA-256 of the issuer and the subject.
CREATE TABLE oidc_accounts (
    organization_id blob NOT NULL,
    digest blob NOT NULL,
    user_id blob NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, digest),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT;
-- The accounts of a user, and the foreign key.
CREATE INDEX oidc_accounts_by_user ON oidc_accounts (organization_id, user_id);
