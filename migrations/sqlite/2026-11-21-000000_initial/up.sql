-- The whole schema. The PostgreSQL migration of the same name has the same tables, columns, keys
-- and indexes in the same order. The comments differ only if the engines differ. Change both files.
-- The rules of both are at the top of that file.
--
-- Differences:
-- * Ids are blobs of 16 bytes, times milliseconds since the Unix epoch, booleans 0 and 1.
-- * Tables with many short rows are WITHOUT ROWID: one b-tree less to write and to keep. Long rows
--   would make such a tree deep.
-- * There is no trigram index: a search walks the articles or posts in the order of their list.
-- * SQLite may choose another index for a background step's statement that does not order by the
--   columns of its index.

-- A row is a tenant.
CREATE TABLE organizations (
    id blob NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    help_center_enabled integer NOT NULL CHECK (help_center_enabled IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (slug_key)
) STRICT;

-- A row is a user's link to an organization (id), with the profile of the user (user_id). An
-- unknown email is NULL; clients see "".
CREATE TABLE users (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    user_id blob NOT NULL,
    email text CHECK (email <> ''),
    name text NOT NULL,
    avatar_url text NOT NULL,
    portal_role text NOT NULL,
    company_name text NOT NULL,
    customer_status text NOT NULL,
    is_subscribed integer NOT NULL CHECK (is_subscribed IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, user_id),
    UNIQUE (organization_id, email),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is a board of feedback posts.
CREATE TABLE feedback_boards (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    description text,
    icon_url text,
    is_voting_enabled integer NOT NULL CHECK (is_voting_enabled IN (0, 1)),
    is_commenting_enabled integer NOT NULL CHECK (is_commenting_enabled IN (0, 1)),
    show_post_dates integer NOT NULL CHECK (show_post_dates IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    seq_number integer NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is a board of the roadmap.
CREATE TABLE roadmap_boards (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    description text,
    icon_url text,
    is_voting_enabled integer NOT NULL CHECK (is_voting_enabled IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    seq_number integer NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is a status of feedback and roadmap posts.
CREATE TABLE statuses (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    code text NOT NULL,
    color text NOT NULL,
    status_group_code text NOT NULL
        CHECK (status_group_code IN ('open', 'in-progress', 'completed', 'closed')),
    is_default_status integer NOT NULL CHECK (is_default_status IN (0, 1)),
    show_on_feedback integer NOT NULL CHECK (show_on_feedback IN (0, 1)),
    show_on_roadmap integer NOT NULL CHECK (show_on_roadmap IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    seq_number integer NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- At most one status is the default.
CREATE UNIQUE INDEX statuses_one_default ON statuses (organization_id) WHERE is_default_status;

-- A row is a category of feedback and roadmap posts.
CREATE TABLE categories (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    code text NOT NULL,
    description text,
    color text NOT NULL,
    show_on_feedback integer NOT NULL CHECK (show_on_feedback IN (0, 1)),
    show_on_roadmap integer NOT NULL CHECK (show_on_roadmap IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is a tag of feedback posts.
CREATE TABLE tags (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    code text,
    color text NOT NULL,
    show_on_feedback integer NOT NULL CHECK (show_on_feedback IN (0, 1)),
    show_on_roadmap integer NOT NULL CHECK (show_on_roadmap IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is a feedback post. merged_into_id is the post that it was merged into. canonical_id is the
-- post at the end of that chain, which has the votes. Each merge updates canonical_id, so that a
-- vote on an old id needs one join and no recursion. search_text is title and description, folded.
CREATE TABLE feedback_posts (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    board_id blob NOT NULL,
    author_id blob NOT NULL,
    owner_id blob,
    status_id blob NOT NULL,
    category_id blob,
    eta integer,
    moderation_status_code text NOT NULL
        CHECK (moderation_status_code IN ('pending', 'accepted', 'rejected', 'spam')),
    merged_into_id blob,
    canonical_id blob,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    search_text text NOT NULL,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    CHECK ((merged_into_id IS NULL) = (canonical_id IS NULL)),
    CHECK (merged_into_id <> id AND canonical_id <> id),
    FOREIGN KEY (organization_id, board_id) REFERENCES feedback_boards (organization_id, id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, owner_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, status_id) REFERENCES statuses (organization_id, id),
    FOREIGN KEY (organization_id, category_id) REFERENCES categories (organization_id, id),
    FOREIGN KEY (organization_id, merged_into_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, canonical_id) REFERENCES feedback_posts (organization_id, id)
) STRICT;

-- /feedback-posts/list, newest first: all posts, of a board, of a status, of both.
CREATE INDEX feedback_posts_by_age
    ON feedback_posts (organization_id, created_at, id) WHERE is_active;
CREATE INDEX feedback_posts_by_board
    ON feedback_posts (organization_id, board_id, created_at, id) WHERE is_active;
CREATE INDEX feedback_posts_by_status
    ON feedback_posts (organization_id, status_id, created_at, id) WHERE is_active;
CREATE INDEX feedback_posts_by_board_and_status
    ON feedback_posts (organization_id, board_id, status_id, created_at, id) WHERE is_active;
-- A merge redirects the posts that were merged into its source.
CREATE INDEX feedback_posts_by_canonical
    ON feedback_posts (organization_id, canonical_id) WHERE canonical_id IS NOT NULL;
-- For the foreign keys.
CREATE INDEX feedback_posts_by_merged_into
    ON feedback_posts (organization_id, merged_into_id) WHERE merged_into_id IS NOT NULL;
CREATE INDEX feedback_posts_by_author ON feedback_posts (organization_id, author_id);
CREATE INDEX feedback_posts_by_owner
    ON feedback_posts (organization_id, owner_id) WHERE owner_id IS NOT NULL;

-- A row is a tag of a feedback post. place is its index in the given order.
CREATE TABLE feedback_post_tags (
    organization_id blob NOT NULL,
    feedback_post_id blob NOT NULL,
    tag_id blob NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (organization_id, feedback_post_id, tag_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, tag_id) REFERENCES tags (organization_id, id)
) STRICT, WITHOUT ROWID;

-- A row is a post on a board of the roadmap.
CREATE TABLE roadmap_posts (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    title text NOT NULL,
    description text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    roadmap_board_id blob NOT NULL,
    author_id blob,
    owner_id blob,
    status_id blob NOT NULL,
    category_id blob,
    eta integer,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id, roadmap_board_id) REFERENCES roadmap_boards (organization_id, id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, owner_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, status_id) REFERENCES statuses (organization_id, id),
    FOREIGN KEY (organization_id, category_id) REFERENCES categories (organization_id, id)
) STRICT;

-- For the foreign keys.
CREATE INDEX roadmap_posts_by_author
    ON roadmap_posts (organization_id, author_id) WHERE author_id IS NOT NULL;
CREATE INDEX roadmap_posts_by_owner
    ON roadmap_posts (organization_id, owner_id) WHERE owner_id IS NOT NULL;

-- A row is a comment on a feedback post. depth is 0 without a parent, and otherwise one more than
-- the parent's. The foreign key to the parent includes the post, so that both are on one post.
CREATE TABLE comments (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    content text NOT NULL,
    author_id blob NOT NULL,
    parent_comment_id blob,
    feedback_post_id blob NOT NULL,
    visibility_code text NOT NULL
        CHECK (visibility_code IN ('public', 'internal')),
    moderation_status_code text NOT NULL
        CHECK (moderation_status_code IN ('pending', 'accepted', 'rejected', 'spam')),
    depth integer NOT NULL CHECK (depth >= 0),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, feedback_post_id, id),
    CHECK (parent_comment_id <> id),
    CHECK ((parent_comment_id IS NULL) = (depth = 0)),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, feedback_post_id, parent_comment_id)
        REFERENCES comments (organization_id, feedback_post_id, id)
) STRICT;

-- /comments/list, oldest first, and comment_count.
CREATE INDEX comments_by_post
    ON comments (organization_id, feedback_post_id, created_at, id) WHERE is_active;
-- An export writes parents before their answers.
CREATE INDEX comments_by_depth ON comments (organization_id, depth, id);
-- For the foreign keys. Without the first index, the deletion of a post's comments would read all
-- of them for each one.
CREATE INDEX comments_by_parent
    ON comments (organization_id, feedback_post_id, parent_comment_id)
    WHERE parent_comment_id IS NOT NULL;
CREATE INDEX comments_by_author ON comments (organization_id, author_id);

-- A row is a user's vote on a feedback post or on a roadmap post.
CREATE TABLE votes (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    user_id blob NOT NULL,
    feedback_post_id blob,
    roadmap_post_id blob,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    -- The user first, and not partial: the same index serves the foreign key to users.
    UNIQUE (organization_id, user_id, feedback_post_id),
    CHECK ((feedback_post_id IS NULL) <> (roadmap_post_id IS NULL)),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, roadmap_post_id) REFERENCES roadmap_posts (organization_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX votes_one_per_roadmap_post
    ON votes (organization_id, roadmap_post_id, user_id) WHERE roadmap_post_id IS NOT NULL;
-- /votes/voters, oldest first, vote_count, and the votes that a merge moves.
CREATE INDEX votes_by_feedback_post
    ON votes (organization_id, feedback_post_id, created_at, id) WHERE feedback_post_id IS NOT NULL;
CREATE INDEX votes_by_roadmap_post
    ON votes (organization_id, roadmap_post_id, created_at, id) WHERE roadmap_post_id IS NOT NULL;

-- A row is the audit record of a merge: its posts and its user, and the users whose votes were
-- moved or, as second votes on the target, dropped. Both sets of user ids are ascending, 16 bytes
-- each.
CREATE TABLE merges (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    merge_post_id blob NOT NULL,
    into_post_id blob NOT NULL,
    merger_id blob NOT NULL,
    moved_user_ids blob NOT NULL,
    dropped_user_ids blob NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (merge_post_id <> into_post_id),
    FOREIGN KEY (organization_id, merge_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, into_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, merger_id) REFERENCES users (organization_id, user_id)
) STRICT;

-- For the foreign keys.
CREATE INDEX merges_by_merge_post ON merges (organization_id, merge_post_id);
CREATE INDEX merges_by_into_post ON merges (organization_id, into_post_id);
CREATE INDEX merges_by_merger ON merges (organization_id, merger_id);

-- A row is a label of changelog entries.
CREATE TABLE labels (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    code text NOT NULL,
    color text NOT NULL,
    description text,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- /labels/list.
CREATE INDEX labels_by_name ON labels (organization_id, name, id) WHERE is_active;

-- A row is an entry of the changelog. entry_type is `type` in the API.
CREATE TABLE changelog_entries (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    status_code text NOT NULL
        CHECK (status_code IN ('draft', 'published', 'scheduled')),
    show_on_portal integer NOT NULL CHECK (show_on_portal IN (0, 1)),
    featured_image_url text,
    author_id blob,
    scheduled_at integer,
    published_at integer,
    entry_type text CHECK (entry_type IN ('fixed', 'new', 'improvement')),
    notify integer NOT NULL CHECK (notify IN (0, 1)),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    CHECK (status_code <> 'scheduled' OR scheduled_at IS NOT NULL),
    CHECK (status_code <> 'published' OR published_at IS NOT NULL),
    FOREIGN KEY (organization_id) REFERENCES organizations (id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id)
) STRICT;

-- /changelog/list, "newest" and "oldest".
CREATE INDEX changelog_entries_by_age
    ON changelog_entries (organization_id, created_at, id) WHERE is_active;
-- /changelog/list, "published": entries that were never published come last.
CREATE INDEX changelog_entries_by_publication
    ON changelog_entries (organization_id, published_at DESC, id DESC) WHERE is_active;
-- For the scheduler: due entries.
CREATE INDEX changelog_entries_scheduled
    ON changelog_entries (organization_id, scheduled_at, id)
    WHERE status_code = 'scheduled' AND is_active;
-- For the foreign key.
CREATE INDEX changelog_entries_by_author
    ON changelog_entries (organization_id, author_id) WHERE author_id IS NOT NULL;

-- A row is a label of a changelog entry. place is its index in the given order.
CREATE TABLE changelog_entry_labels (
    organization_id blob NOT NULL,
    changelog_entry_id blob NOT NULL,
    label_id blob NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (organization_id, changelog_entry_id, label_id),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES changelog_entries (organization_id, id),
    FOREIGN KEY (organization_id, label_id) REFERENCES labels (organization_id, id)
) STRICT, WITHOUT ROWID;

-- /changelog/list with label_ids.
CREATE INDEX changelog_entry_labels_by_label
    ON changelog_entry_labels (organization_id, label_id, changelog_entry_id);

-- A row is a collection of the help center. The last positions are the highest ones that were given
-- to its categories and to the articles directly in it. The next record gets the one after it.
CREATE TABLE help_collections (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    description text NOT NULL,
    icon text NOT NULL,
    color text NOT NULL,
    seq_number integer NOT NULL,
    last_category_position integer NOT NULL,
    last_article_position integer NOT NULL,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- /help-collections/list.
CREATE INDEX help_collections_by_position
    ON help_collections (organization_id, seq_number, name, id) WHERE is_active;

-- A row is a category of a help collection.
CREATE TABLE help_categories (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    collection_id blob NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    description text,
    icon text,
    color text,
    seq_number integer NOT NULL,
    last_article_position integer NOT NULL,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id, collection_id) REFERENCES help_collections (organization_id, id)
) STRICT;

-- /help-categories/list: of all collections, of one (and its category_count).
CREATE INDEX help_categories_by_position
    ON help_categories (organization_id, seq_number, name, id) WHERE is_active;
CREATE INDEX help_categories_by_collection
    ON help_categories (organization_id, collection_id, seq_number, name, id) WHERE is_active;

-- A row is an article of the help center, in a category or directly in a collection.
-- search_text is title, content and excerpt, folded.
CREATE TABLE help_articles (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    slug text NOT NULL,
    slug_key text NOT NULL,
    excerpt text,
    status_code text NOT NULL
        CHECK (status_code IN ('draft', 'published')),
    show_on_portal integer NOT NULL CHECK (show_on_portal IN (0, 1)),
    is_favourite integer NOT NULL CHECK (is_favourite IN (0, 1)),
    collection_id blob,
    category_id blob,
    seq_number integer NOT NULL,
    author_id blob,
    published_at integer,
    view_count integer NOT NULL CHECK (view_count >= 0),
    helpful_count integer NOT NULL CHECK (helpful_count >= 0),
    not_helpful_count integer NOT NULL CHECK (not_helpful_count >= 0),
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    search_text text NOT NULL,
    created_at integer NOT NULL,
    updated_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    CHECK ((collection_id IS NULL) <> (category_id IS NULL)),
    CHECK (status_code <> 'published' OR published_at IS NOT NULL),
    FOREIGN KEY (organization_id, collection_id) REFERENCES help_collections (organization_id, id),
    FOREIGN KEY (organization_id, category_id) REFERENCES help_categories (organization_id, id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id)
) STRICT;

-- /help-articles/search and /help-articles/list, "updated".
CREATE INDEX help_articles_by_update
    ON help_articles (organization_id, updated_at, id) WHERE is_active;
-- /help-articles/list: "newest" and "oldest", "title", "position".
CREATE INDEX help_articles_by_age
    ON help_articles (organization_id, created_at, id) WHERE is_active;
CREATE INDEX help_articles_by_title
    ON help_articles (organization_id, title, id) WHERE is_active;
CREATE INDEX help_articles_by_position
    ON help_articles (organization_id, seq_number, id) WHERE is_active;
-- /help-articles/list of one parent (other orders sort its few articles), the article_count, and
-- the foreign keys, which also need deleted articles.
CREATE INDEX help_articles_by_collection
    ON help_articles (organization_id, collection_id, updated_at, id, is_active)
    WHERE collection_id IS NOT NULL;
CREATE INDEX help_articles_by_category
    ON help_articles (organization_id, category_id, updated_at, id, is_active)
    WHERE category_id IS NOT NULL;
-- For the foreign key.
CREATE INDEX help_articles_by_author
    ON help_articles (organization_id, author_id) WHERE author_id IS NOT NULL;

-- A row is a related article of an article. place is its index in the given order.
CREATE TABLE help_article_relations (
    organization_id blob NOT NULL,
    help_article_id blob NOT NULL,
    related_article_id blob NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (organization_id, help_article_id, related_article_id),
    FOREIGN KEY (organization_id, help_article_id) REFERENCES help_articles (organization_id, id),
    FOREIGN KEY (organization_id, related_article_id) REFERENCES help_articles (organization_id, id)
) STRICT, WITHOUT ROWID;

-- For the foreign key.
CREATE INDEX help_article_relations_by_related
    ON help_article_relations (organization_id, related_article_id);

-- A row is a receiver of events. event_types are separated by commas; an empty text stands for all.
-- Secrets are sealed. The previous secret is used beside the present one until previous_until. A
-- receiver with awaits_rotation was imported without its secret, and gets nothing until it has a
-- new one. The row counts the failures since the last success, and their events up to two. It has
-- the time and the event of the first failure.
CREATE TABLE webhook_subscriptions (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    url text NOT NULL,
    event_types text NOT NULL,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    awaits_rotation integer NOT NULL CHECK (awaits_rotation IN (0, 1)),
    sealed_secret blob NOT NULL,
    previous_sealed_secret blob,
    previous_until integer,
    failing_since integer,
    first_failed_event_id blob,
    failure_count integer NOT NULL,
    failed_event_count integer NOT NULL CHECK (failed_event_count BETWEEN 0 AND 2),
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK ((previous_sealed_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((failing_since IS NULL) = (first_failed_event_id IS NULL)),
    CHECK ((failing_since IS NULL) = (failure_count = 0)),
    CHECK ((failing_since IS NULL) = (failed_event_count = 0)),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is an API key, present or past: its digest, for look-ups by requests, and the sealed key.
CREATE TABLE api_keys (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    digest blob NOT NULL,
    sealed blob NOT NULL,
    scope text NOT NULL,
    is_active integer NOT NULL CHECK (is_active IN (0, 1)),
    created_at integer NOT NULL,
    revoked_at integer,
    PRIMARY KEY (organization_id, id),
    UNIQUE (digest),
    CHECK (is_active = (revoked_at IS NULL)),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- At most one active key.
CREATE UNIQUE INDEX api_keys_one_active ON api_keys (organization_id) WHERE is_active;

-- A row is an event that at least one subscription receives. data is the JSON of its deliveries as
-- text: it is signed, so its bytes never change.
CREATE TABLE events (
    organization_id blob NOT NULL,
    id blob NOT NULL,
    event_type text NOT NULL CHECK (event_type IN (
        'post.created', 'post.edited', 'post.deleted', 'post.tag_added', 'post.tag_removed',
        'post.status_changed', 'comment.created', 'comment.edited', 'comment.deleted',
        'vote.created', 'vote.deleted')),
    data text NOT NULL,
    recorded_at integer NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- A row is the delivery of an event to a subscription. A pending delivery is due at
-- next_attempt_at, and leased until leased_until. occurred_at is the time of the first dispatch.
-- ended_at is the time at which the event was delivered or given up.
CREATE TABLE deliveries (
    organization_id blob NOT NULL,
    event_id blob NOT NULL,
    subscription_id blob NOT NULL,
    state text NOT NULL
        CHECK (state IN ('pending', 'delivered', 'failed')),
    attempt_count integer NOT NULL CHECK (attempt_count >= 0),
    next_attempt_at integer,
    lease_holder blob,
    leased_until integer,
    occurred_at integer,
    ended_at integer,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, event_id, subscription_id),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK (state = 'pending' OR lease_holder IS NULL),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id),
    FOREIGN KEY (organization_id, subscription_id)
        REFERENCES webhook_subscriptions (organization_id, id)
) STRICT, WITHOUT ROWID;

-- For the dispatcher, which takes a few due deliveries of each subscription.
CREATE INDEX deliveries_pending
    ON deliveries (organization_id, subscription_id, next_attempt_at, event_id)
    WHERE next_attempt_at IS NOT NULL;
-- The deliveries of a subscription, newest first, their removal, and the foreign key.
CREATE INDEX deliveries_by_subscription
    ON deliveries (organization_id, subscription_id, created_at, event_id);

-- A row is one attempt of a delivery: the status of the answer, or the class of the error that
-- replaced or interrupted the answer, and the first 1,024 bytes of the answer.
CREATE TABLE delivery_attempts (
    organization_id blob NOT NULL,
    event_id blob NOT NULL,
    subscription_id blob NOT NULL,
    attempt integer NOT NULL CHECK (attempt > 0),
    started_at integer NOT NULL,
    status integer,
    error_class text,
    duration_ms integer NOT NULL,
    answer blob NOT NULL,
    PRIMARY KEY (organization_id, event_id, subscription_id, attempt),
    CHECK (status IS NOT NULL OR error_class IS NOT NULL),
    FOREIGN KEY (organization_id, event_id, subscription_id)
        REFERENCES deliveries (organization_id, event_id, subscription_id)
) STRICT;

-- A row is the mailing of an entry that was published with notify. Its mails are written in
-- batches, in the order of the recipients' user_id. last_user_id is the last recipient so far.
CREATE TABLE mailings (
    organization_id blob NOT NULL,
    changelog_entry_id blob NOT NULL,
    last_user_id blob,
    lease_holder blob,
    leased_until integer,
    created_at integer NOT NULL,
    expanded_at integer,
    PRIMARY KEY (organization_id, changelog_entry_id),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK (expanded_at IS NULL OR lease_holder IS NULL),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES changelog_entries (organization_id, id)
) STRICT;

-- For the mailer: mailings with mails that are not written yet.
CREATE INDEX mailings_unexpanded
    ON mailings (organization_id, changelog_entry_id) WHERE expanded_at IS NULL;

-- A row is the mail of a mailing to one user. It is 'sending' from before the connection to the
-- mail server until the outcome is written, so that an interrupted mail is recognized.
CREATE TABLE mails (
    organization_id blob NOT NULL,
    changelog_entry_id blob NOT NULL,
    user_id blob NOT NULL,
    state text NOT NULL
        CHECK (state IN ('pending', 'sending', 'sent', 'failed')),
    attempt_count integer NOT NULL CHECK (attempt_count >= 0),
    next_attempt_at integer,
    lease_holder blob,
    leased_until integer,
    error_class text,
    ended_at integer,
    PRIMARY KEY (organization_id, changelog_entry_id, user_id),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'sending') = (lease_holder IS NOT NULL)),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK ((state IN ('sent', 'failed')) = (ended_at IS NOT NULL)),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES mailings (organization_id, changelog_entry_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
) STRICT, WITHOUT ROWID;

-- For the mailer: due and interrupted mails.
CREATE INDEX mails_pending
    ON mails (organization_id, next_attempt_at, changelog_entry_id, user_id)
    WHERE next_attempt_at IS NOT NULL;
CREATE INDEX mails_sending
    ON mails (organization_id, leased_until) WHERE leased_until IS NOT NULL;
-- For the foreign key.
CREATE INDEX mails_by_user ON mails (organization_id, user_id);

-- A row is the answer to a write with an idempotency key. A repeated write gets the same answer.
CREATE TABLE receipts (
    organization_id blob NOT NULL,
    path text NOT NULL,
    idempotency_key text NOT NULL,
    body_digest blob NOT NULL,
    answer text NOT NULL,
    created_at integer NOT NULL,
    PRIMARY KEY (organization_id, path, idempotency_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
) STRICT;

-- The removal of old receipts.
CREATE INDEX receipts_by_age ON receipts (organization_id, created_at);

-- A row is a fact about the installation, such as the value that verifies its master key.
CREATE TABLE instance (
    name text NOT NULL,
    value blob NOT NULL,
    PRIMARY KEY (name)
) STRICT;

-- A row is the lease of a task that one process at a time does.
CREATE TABLE leases (
    name text NOT NULL,
    holder blob NOT NULL,
    until integer NOT NULL,
    PRIMARY KEY (name)
) STRICT;
