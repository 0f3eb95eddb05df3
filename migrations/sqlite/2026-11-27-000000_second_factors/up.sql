-- A row is the second factor of a user. sealed is its secret, encrypted under the master key.
-- recovery has the keyed digests of the recovery codes that are not used, of 32 bytes each. last_step
-- is the step of the last accepted code.
CREATE TABLE second_factors (
    organization_id blob NOT NULL,
    user_id blob NOT NULL,
    sealed blob NOT NULL,
    recovery blob NOT NULL,
    last_step integer NOT NULL,
    confirmed_at integer NOT NULL,
    PRIMARY KEY (organization_id, user_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT;

-- Whether the user has shown the second factor. The default is for existing rows, and for running
-- servers of an earlier release.
ALTER TABLE sessions ADD COLUMN factor text NOT NULL DEFAULT 'none'
    CHECK (factor IN ('none', 'wanted', 'shown'));
