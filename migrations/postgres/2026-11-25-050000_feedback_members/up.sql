-- The defaults are for existing rows, and for running servers of an earlier release.
ALTER TABLE feedback_posts
    ADD COLUMN eta_is_public boolean NOT NULL DEFAULT true,
    ADD COLUMN is_pinned boolean NOT NULL DEFAULT false,
    ADD COLUMN created_by_id uuid,
    ADD COLUMN status_changed_at timestamptz NOT NULL DEFAULT '0001-01-01T00:00:00Z';
UPDATE feedback_posts SET status_changed_at = created_at;
ALTER TABLE feedback_boards
    ADD COLUMN access_code text COLLATE "C" NOT NULL DEFAULT 'public'
        CHECK (access_code IN ('public', 'signed_in', 'team', 'custom')),
    ADD COLUMN allowed_email_domains text COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN allowed_user_ids uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN post_moderation_code text COLLATE "C" NOT NULL DEFAULT 'off'
        CHECK (post_moderation_code IN ('off', 'first_post', 'on')),
    ADD COLUMN comment_moderation_code text COLLATE "C" NOT NULL DEFAULT 'off'
        CHECK (comment_moderation_code IN ('off', 'first_post', 'on')),
    ADD COLUMN guest_code text COLLATE "C" NOT NULL DEFAULT 'none'
        CHECK (guest_code IN ('none', 'email', 'anonymous')),
    ADD COLUMN post_template text COLLATE "C";
ALTER TABLE roadmap_boards ADD COLUMN access_code text COLLATE "C" NOT NULL DEFAULT 'public'
    CHECK (access_code IN ('public', 'signed_in', 'team', 'custom'));
ALTER TABLE statuses ADD COLUMN external_id text COLLATE "C";
CREATE UNIQUE INDEX statuses_by_external_id ON statuses (organization_id, external_id)
    WHERE is_active AND external_id IS NOT NULL;
ALTER TABLE comments ADD COLUMN is_pinned boolean NOT NULL DEFAULT false;
-- At most one comment of a post is pinned.
CREATE UNIQUE INDEX comments_one_pinned ON comments (organization_id, feedback_post_id)
    WHERE is_pinned AND is_active;
ALTER TABLE votes ADD COLUMN created_by_id uuid, ADD COLUMN source_url text COLLATE "C";

-- A roadmap post has a position on its board. tag_ids has its tags in their order.
ALTER TABLE roadmap_posts
    ADD COLUMN external_id text COLLATE "C",
    ADD COLUMN tag_ids uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN seq_number bigint NOT NULL DEFAULT 0;
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
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    roadmap_post_id uuid NOT NULL,
    feedback_post_id uuid NOT NULL,
    sync_status boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, roadmap_post_id, feedback_post_id)
);
ALTER TABLE roadmap_links ADD FOREIGN KEY (organization_id, roadmap_post_id)
    REFERENCES roadmap_posts (organization_id, id);
ALTER TABLE roadmap_links ADD FOREIGN KEY (organization_id, feedback_post_id)
    REFERENCES feedback_posts (organization_id, id);
-- The roadmap posts of a feedback post, and the foreign key.
CREATE INDEX roadmap_links_by_feedback_post ON roadmap_links (organization_id, feedback_post_id);

-- A row is a user who wants to hear about a feedback post.
CREATE TABLE post_subscriptions (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    feedback_post_id uuid NOT NULL,
    user_id uuid NOT NULL,
    level text COLLATE "C" NOT NULL CHECK (level IN ('all', 'status')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, feedback_post_id, user_id)
);
ALTER TABLE post_subscriptions ADD FOREIGN KEY (organization_id, feedback_post_id)
    REFERENCES feedback_posts (organization_id, id);
ALTER TABLE post_subscriptions ADD FOREIGN KEY (organization_id, user_id)
    REFERENCES users (organization_id, user_id);
-- For the foreign key.
CREATE INDEX post_subscriptions_by_user ON post_subscriptions (organization_id, user_id);
-- /feedback-posts/subscribers.
CREATE INDEX post_subscriptions_by_age
    ON post_subscriptions (organization_id, feedback_post_id, created_at, id);

-- A row is a change of many records that follows from a change of one (target_id), and that is not
-- finished. In all records that refer to the target, replacement_id takes its place.
CREATE TABLE follow_ups (
    organization_id uuid NOT NULL,
    task text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    target_id uuid NOT NULL,
    replacement_id uuid,
    PRIMARY KEY (organization_id, task, kind, target_id)
);
ALTER TABLE follow_ups ADD FOREIGN KEY (organization_id) REFERENCES organizations (id);
-- For the background step: the organizations with a follow-up.
CREATE INDEX follow_ups_waiting ON follow_ups (organization_id, task);
INSERT INTO follow_ups (organization_id, task, kind, target_id)
SELECT organization_id, 'replace', 'tag', id FROM tags WHERE removal_pending;

-- Subscriptions may name further types of events. The application has the list of all.
ALTER TABLE events DROP CONSTRAINT events_event_type_check;
