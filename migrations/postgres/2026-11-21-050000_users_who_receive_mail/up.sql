-- For the mailer: the recipients of mailings, which may be few of many users.
CREATE INDEX users_mailed
    ON users (organization_id, user_id)
    WHERE is_subscribed AND is_active AND email IS NOT NULL;
