ALTER TABLE mailings
    ADD COLUMN lease_holder uuid,
    ADD COLUMN leased_until timestamptz,
    ADD CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    ADD CHECK (expanded_at IS NULL OR lease_holder IS NULL);
