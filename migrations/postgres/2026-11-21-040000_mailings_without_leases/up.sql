-- One transaction writes a batch of a mailing's mails and its last recipient, so no lease is
-- needed.
ALTER TABLE mailings DROP COLUMN lease_holder, DROP COLUMN leased_until;
