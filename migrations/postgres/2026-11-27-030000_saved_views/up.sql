-- A row is a filter of the inbox that a member keeps under a name. query is that of an address.
CREATE TABLE saved_views (
    organization_id uuid NOT NULL,
    user_id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    query text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, user_id, name)
);
ALTER TABLE saved_views ADD FOREIGN KEY (organization_id, user_id)
    REFERENCES users (organization_id, user_id);
