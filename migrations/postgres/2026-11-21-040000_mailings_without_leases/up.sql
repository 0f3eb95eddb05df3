-- A batch of a mailing's mails and the place that it came to are written in one transaction, so that
-- nobody needs a lease to write them.
ALTER TABLE mailings DROP COLUMN lease_holder, DROP COLUMN leased_until;
