-- The defaults are for existing rows, and for running servers of an earlier release.
ALTER TABLE feedback_posts ADD COLUMN eta_is_public integer NOT NULL DEFAULT 1 CHECK (eta_is_public IN (0, 1));
ALTER TABLE feedback_posts ADD COLUMN is_pinned integer NOT NULL DEFAULT 0 CHECK (is_pinned IN (0, 1));
ALTER TABLE feedback_posts ADD COLUMN created_by_id blob;
ALTER TABLE feedback_posts ADD COLUMN status_changed_at integer NOT NULL DEFAULT -62135596800000;
UPDATE feedback_posts SET status_changed_at = created_at;
ALTER TABLE feedback_boards ADD COLUMN access_code text NOT NULL DEFAULT 'public'
    CHECK (access_code IN ('public', 'signed_in', 'team', 'custom'));
ALTER TABLE feedback_boards ADD COLUMN allowed_email_domains text NOT NULL DEFAULT '';
ALTER TABLE feedback_boards ADD COLUMN allowed_user_ids blob NOT NULL DEFAULT x'';
ALTER TABLE feedback_boards ADD COLUMN post_moderation_code text NOT NULL DEFAULT 'off'
    CHECK (post_moderation_code IN ('off', 'first_post', 'on'));
ALTER TABLE feedback_boards ADD COLUMN comment_moderation_code text NOT NULL DEFAULT 'off'
    CHECK (comment_moderation_code IN ('off', 'first_post', 'on'));
ALTER TABLE feedback_boards ADD COLUMN guest_code text NOT NULL DEFAULT 'none'
    CHECK (guest_code IN ('none', 'email', 'anonymous'));
ALTER TABLE feedback_boards ADD COLUMN post_template text;
ALTER TABLE roadmap_boards ADD COLUMN access_code text NOT NULL DEFAULT 'public'
    CHECK (access_code IN ('public', 'signed_in', 'team', 'custom'));
ALTER TABLE statuses ADD COLUMN external_id text;
CREATE UNIQUE INDEX statuses_by_external_id ON statuses (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE comments ADD COLUMN is_pinned integer NOT NULL DEFAULT 0 CHECK (is_pinned IN (0, 1));
-- At most one comment of a post is pinned.
CREATE UNIQUE INDEX comments_one_pinned ON comments (organization_id, feedback_post_id)
    WHERE is_pinned AND is_active;
ALTER TABLE votes ADD COLUMN created_by_id blob;
ALTER TABLE votes ADD COLUMN source_url text;

-- A roadmap post has a position on its board. tag_ids has its tags in their order.
ALTER TABLE roadmap_posts ADD COLUMN external_id text;
ALTER TABLE roadmap_posts ADD COLUMN tag_ids blob NOT NULL DEFAULT x'';
ALTER TABLE roadmap_posts ADD COLUMN seq_number integer NOT NULL DEFAULT 0;
UPDATE roadmap_posts SET seq_number = placed.place * 10000
FROM (
    SELECT organization_id, id, row_number() OVER (
        PARTITION BY organization_id, roadmap_board_id ORDER BY created_at, id) AS place
    FROM roadmap_posts) AS placed
WHERE placed.organization_id = roadmap_posts.organization_id AND placed.id = roadmap_posts.id;
CREATE UNIQUE INDEX roadmap_posts_by_external_id ON roadmap_posts (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
-- /roadmap-posts/list: of all boards, of one.
CREATE INDEX roadmap_posts_by_position
    ON roadmap_posts (organization_id, seq_number, id) WHERE is_active;
CREATE INDEX roadmap_posts_by_board
    ON roadmap_posts (organization_id, roadmap_board_id, seq_number, id) WHERE is_active;

-- A row is a link from a roadmap post to a feedback post that asks for it.
CREATE TABLE roadmap_links (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    roadmap_post_id blob NOT NULL,
    feedback_post_id blob NOT NULL,
    sync_status integer NOT NULL CHECK (sync_status IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, roadmap_post_id, feedback_post_id),
    FOREIGN KEY (organization_id, roadmap_post_id) REFERENCES roadmap_posts (organization_id, id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id)
) STRICT;
-- The roadmap posts of a feedback post, and the foreign key.
CREATE INDEX roadmap_links_by_feedback_post ON roadmap_links (organization_id, feedback_post_id);

-- A row is a user who wants to hear about a feedback post.
CREATE TABLE post_subscriptions (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    feedback_post_id blob NOT NULL,
    user_id blob NOT NULL,
    level text NOT NULL CHECK (level IN ('all', 'status')),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, feedback_post_id, user_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT;
-- For the foreign key.
CREATE INDEX post_subscriptions_by_user ON post_subscriptions (organization_id, user_id);
-- /feedback-posts/subscribers.
CREATE INDEX post_subscriptions_by_age
    ON post_subscriptions (organization_id, feedback_post_id, created_at, id);

-- A row is a change of many records that follows from a change of one (target_id), and that is not
-- finished. In all records that refer to the target, replacement_id takes its place.
CREATE TABLE follow_ups (
    organization_id blob NOT NULL,
    task text NOT NULL,
    kind text NOT NULL,
    target_id blob NOT NULL,
    replacement_id blob,
    PRIMARY KEY (organization_id, task, kind, target_id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
-- For the background step: the organizations with a follow-up.
CREATE INDEX follow_ups_waiting ON follow_ups (organization_id, task);
INSERT INTO follow_ups (organization_id, task, kind, target_id)
SELECT organization_id, 'replace', 'tag', id FROM tags WHERE removal_pending;

-- Subscriptions may name further types of events. The application has the list of all. SQLite cannot
-- drop a constraint of a table, so the table is made anew. Rows that refer to it are copied to
-- another table meanwhile.
CREATE TABLE events_anew (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    event_type text NOT NULL,
    data text NOT NULL,
    recorded_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;
INSERT INTO events_anew SELECT organization_id, id, event_type, data, recorded_at FROM events;
CREATE TABLE deliveries_of_events AS SELECT * FROM deliveries;
DELETE FROM deliveries;
DROP TABLE events;
ALTER TABLE events_anew RENAME TO events;
INSERT INTO deliveries SELECT * FROM deliveries_of_events;
DROP TABLE deliveries_of_events;
