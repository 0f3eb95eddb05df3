ALTER TABLE sign_ins DROP COLUMN act;
ALTER TABLE sign_ins DROP COLUMN guest_name;
