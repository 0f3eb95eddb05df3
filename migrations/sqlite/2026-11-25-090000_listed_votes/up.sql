-- /votes/list: of all posts, of a user.
CREATE INDEX votes_by_time ON votes (organization_id, created_at, id);
CREATE INDEX votes_by_user ON votes (organization_id, user_id, created_at, id);
