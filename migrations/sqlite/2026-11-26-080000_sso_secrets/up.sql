-- A row is a secret with which the software of an organization signs tokens of single sign-on,
-- encrypted under the master key. An organization has two of them during a rotation.
CREATE TABLE sso_secrets (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    sealed blob NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
