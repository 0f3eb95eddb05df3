-- A row is a secret with which the software of an organization signs tokens of single sign-on,
-- encrypted under the master key. An organization has two of them during a rotation.
CREATE TABLE sso_secrets (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id)
);
ALTER TABLE sso_secrets ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
