-- A row is an image of an organization, by the SHA-256 of its file. `bytes` counts against the quota
-- of the organization. From `review_at` on, the image is removed unless a text names it.
CREATE TABLE images (
    organization_id blob NOT NULL,
    digest blob NOT NULL,
    format text NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    bytes integer NOT NULL,
    created_at integer NOT NULL,
    review_at integer NOT NULL,
    PRIMARY KEY (organization_id, digest),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
CREATE INDEX images_by_review ON images (organization_id, review_at);
