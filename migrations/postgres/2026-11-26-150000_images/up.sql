-- A row is an image of an organization, by the SHA-256 of its file. `bytes` counts against the quota
-- of the organization. From `review_at` on, the image is removed unless a text names it.
CREATE TABLE images (
    organization_id uuid NOT NULL,
    digest bytea NOT NULL,
    format text COLLATE "C" NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    bytes bigint NOT NULL,
    created_at timestamptz NOT NULL,
    review_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, digest)
);
ALTER TABLE images ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
CREATE INDEX images_by_review ON images (organization_id, review_at);
