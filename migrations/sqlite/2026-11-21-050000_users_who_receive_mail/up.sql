-- The mailer, for whom it writes to: few of many users, perhaps.
CREATE INDEX users_mailed
    ON users (organization_id, user_id)
    WHERE is_subscribed AND is_active AND email IS NOT NULL;
