-- A row is a filter of the inbox that a member keeps under a name. query is that of an address.
CREATE TABLE saved_views (
    organization_id blob NOT NULL,
    user_id blob NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    PRIMARY KEY (organization_id, user_id, name),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT, WITHOUT ROWID;
