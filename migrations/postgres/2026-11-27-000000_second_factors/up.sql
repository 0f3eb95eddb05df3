-- A row is the second factor of a user. sealed is its secret, encrypted under the master key.
-- recovery has the keyed digests of the recovery codes that are not used, of 32 bytes each. last_step
-- is the step of the last accepted code.
CREATE TABLE second_factors (
    organization_id uuid NOT NULL,
    user_id uuid NOT NULL,
    sealed bytea NOT NULL,
    recovery bytea NOT NULL,
    last_step bigint NOT NULL,
    confirmed_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, user_id)
);
ALTER TABLE second_factors ADD FOREIGN KEY (organization_id, user_id)
    REFERENCES users (organization_id, user_id);

-- Whether the user has shown the second factor. The default is for existing rows, and for running
-- servers of an earlier release.
ALTER TABLE sessions ADD COLUMN factor text COLLATE "C" NOT NULL DEFAULT 'none';
ALTER TABLE sessions ADD CONSTRAINT sessions_factor_check
    CHECK (factor IN ('none', 'wanted', 'shown'));
