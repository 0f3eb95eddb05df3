-- An act of a guest who has to confirm an address: a post, a comment, a vote or a subscription. The
-- sign-in does it. guest_name is the name of the guest.
ALTER TABLE sign_ins ADD COLUMN guest_name text COLLATE "C";
ALTER TABLE sign_ins ADD COLUMN act text COLLATE "C";
