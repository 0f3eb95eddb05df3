-- A user who is not linked keeps its identifier, too. The unique index has the linked users alone.
CREATE INDEX users_by_any_external_id ON users (organization_id, external_id)
    WHERE external_id IS NOT NULL;
