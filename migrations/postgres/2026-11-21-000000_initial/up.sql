-- The whole schema. The SQLite migration of the same name has the same tables, columns, keys and
-- indexes in the same order. The comments differ only if the engines differ. Change both files.
--
-- The tables can be spread over machines, by tenant:
-- * Every primary key, unique rule, foreign key and index leads with organization_id. A table with
--   another key has the line "not spread" with its reason directly above CREATE TABLE.
-- * `);` alone on a line ends each table and nothing else, so that the tests can derive a variant
--   with PARTITION BY HASH (organization_id).
-- * No sequences, enum types, triggers, defaults, cascades or deferred checks: the application
--   writes every value and deletes every row. Ids are UUIDv7. Times are whole milliseconds of the
--   application's clock. An import writes a reference to a later row after that row.
--
-- Rules of all tables:
-- * The tables check closed sets and the rules of states, too. They check no lengths: the
--   application limits the values in an index, since an entry has 2,704 bytes at most.
-- * Text orders by code point. slug_key is the slug in ASCII lower case. Slugs are unique by it.
-- * seq_number and last_..._position count ten-thousandths: 10000 is 1.0000.
-- * is_active is false if the record is deleted. The row stays, so that references remain valid.
-- * Each paginated list has an index in its order, read forwards or backwards. Short lists (boards,
--   statuses, categories, tags) have no index.
-- * A partial index serves a statement with the bare column (`WHERE is_active`), or, if the index
--   has IS NOT NULL, with a comparison of the column. It does not serve `is_active = $1`.
-- * A foreign key to a long table has an index. Without it, the deletion of an organization would
--   read the referring table once for each deleted row.
-- * The background steps look for work of all organizations at once. Their indexes contain only
--   waiting rows, so that a full read of an index is cheap. Such a statement orders by the index's
--   columns, organization first.

-- Trusted extensions: the owner of the database may create them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- A row is a tenant.
-- not spread: the other tables are spread by its id, and its slug is unique among all
CREATE TABLE organizations (
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    help_center_enabled boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (slug_key)
);

-- A row is a user's link to an organization (id), with the profile of the user (user_id). An
-- unknown email is NULL; clients see "".
CREATE TABLE users (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    email text COLLATE "C" CHECK (email <> ''),
    name text COLLATE "C" NOT NULL,
    avatar_url text COLLATE "C" NOT NULL,
    portal_role text COLLATE "C" NOT NULL,
    company_name text COLLATE "C" NOT NULL,
    customer_status text COLLATE "C" NOT NULL,
    is_subscribed boolean NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, user_id),
    UNIQUE (organization_id, email),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- A row is a board of feedback posts.
CREATE TABLE feedback_boards (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    description text COLLATE "C",
    icon_url text COLLATE "C",
    is_voting_enabled boolean NOT NULL,
    is_commenting_enabled boolean NOT NULL,
    show_post_dates boolean NOT NULL,
    is_active boolean NOT NULL,
    seq_number bigint NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- A row is a board of the roadmap.
CREATE TABLE roadmap_boards (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    description text COLLATE "C",
    icon_url text COLLATE "C",
    is_voting_enabled boolean NOT NULL,
    is_active boolean NOT NULL,
    seq_number bigint NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- A row is a status of feedback and roadmap posts.
CREATE TABLE statuses (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    color text COLLATE "C" NOT NULL,
    status_group_code text COLLATE "C" NOT NULL
        CHECK (status_group_code IN ('open', 'in-progress', 'completed', 'closed')),
    is_default_status boolean NOT NULL,
    show_on_feedback boolean NOT NULL,
    show_on_roadmap boolean NOT NULL,
    is_active boolean NOT NULL,
    seq_number bigint NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- At most one status is the default.
CREATE UNIQUE INDEX statuses_one_default ON statuses (organization_id) WHERE is_default_status;

-- A row is a category of feedback and roadmap posts.
CREATE TABLE categories (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    description text COLLATE "C",
    color text COLLATE "C" NOT NULL,
    show_on_feedback boolean NOT NULL,
    show_on_roadmap boolean NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- A row is a tag of feedback posts.
CREATE TABLE tags (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    code text COLLATE "C",
    color text COLLATE "C" NOT NULL,
    show_on_feedback boolean NOT NULL,
    show_on_roadmap boolean NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- A row is a feedback post. merged_into_id is the post that it was merged into. canonical_id is the
-- post at the end of that chain, which has the votes. Each merge updates canonical_id, so that a
-- vote on an old id needs one join and no recursion. search_text is title and description, folded.
CREATE TABLE feedback_posts (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    title text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    board_id uuid NOT NULL,
    author_id uuid NOT NULL,
    owner_id uuid,
    status_id uuid NOT NULL,
    category_id uuid,
    eta timestamptz,
    moderation_status_code text COLLATE "C" NOT NULL
        CHECK (moderation_status_code IN ('pending', 'accepted', 'rejected', 'spam')),
    merged_into_id uuid,
    canonical_id uuid,
    is_active boolean NOT NULL,
    search_text text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
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
);

-- /feedback-posts/list, newest first: all posts, of a board, of a status, of both.
CREATE INDEX feedback_posts_by_age
    ON feedback_posts (organization_id, created_at, id) WHERE is_active;
CREATE INDEX feedback_posts_by_board
    ON feedback_posts (organization_id, board_id, created_at, id) WHERE is_active;
CREATE INDEX feedback_posts_by_status
    ON feedback_posts (organization_id, status_id, created_at, id) WHERE is_active;
CREATE INDEX feedback_posts_by_board_and_status
    ON feedback_posts (organization_id, board_id, status_id, created_at, id) WHERE is_active;
-- The same list with a search of three characters or more. The index finds candidates, and the text
-- decides.
CREATE INDEX feedback_posts_search
    ON feedback_posts USING gin (organization_id, search_text gin_trgm_ops);
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
    organization_id uuid NOT NULL,
    feedback_post_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (organization_id, feedback_post_id, tag_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, tag_id) REFERENCES tags (organization_id, id)
);

-- A row is a post on a board of the roadmap.
CREATE TABLE roadmap_posts (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    title text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    roadmap_board_id uuid NOT NULL,
    author_id uuid,
    owner_id uuid,
    status_id uuid NOT NULL,
    category_id uuid,
    eta timestamptz,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id, roadmap_board_id) REFERENCES roadmap_boards (organization_id, id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, owner_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, status_id) REFERENCES statuses (organization_id, id),
    FOREIGN KEY (organization_id, category_id) REFERENCES categories (organization_id, id)
);

-- For the foreign keys.
CREATE INDEX roadmap_posts_by_author
    ON roadmap_posts (organization_id, author_id) WHERE author_id IS NOT NULL;
CREATE INDEX roadmap_posts_by_owner
    ON roadmap_posts (organization_id, owner_id) WHERE owner_id IS NOT NULL;

-- A row is a comment on a feedback post. depth is 0 without a parent, and otherwise one more than
-- the parent's. The foreign key to the parent includes the post, so that both are on one post.
CREATE TABLE comments (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    content text COLLATE "C" NOT NULL,
    author_id uuid NOT NULL,
    parent_comment_id uuid,
    feedback_post_id uuid NOT NULL,
    visibility_code text COLLATE "C" NOT NULL
        CHECK (visibility_code IN ('public', 'internal')),
    moderation_status_code text COLLATE "C" NOT NULL
        CHECK (moderation_status_code IN ('pending', 'accepted', 'rejected', 'spam')),
    depth integer NOT NULL CHECK (depth >= 0),
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, feedback_post_id, id),
    CHECK (parent_comment_id <> id),
    CHECK ((parent_comment_id IS NULL) = (depth = 0)),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, feedback_post_id, parent_comment_id)
        REFERENCES comments (organization_id, feedback_post_id, id)
);

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
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    feedback_post_id uuid,
    roadmap_post_id uuid,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    -- The user first, and not partial: the same index serves the foreign key to users.
    UNIQUE (organization_id, user_id, feedback_post_id),
    CHECK ((feedback_post_id IS NULL) <> (roadmap_post_id IS NULL)),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id),
    FOREIGN KEY (organization_id, feedback_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, roadmap_post_id) REFERENCES roadmap_posts (organization_id, id)
);

CREATE UNIQUE INDEX votes_one_per_roadmap_post
    ON votes (organization_id, roadmap_post_id, user_id) WHERE roadmap_post_id IS NOT NULL;
-- /votes/voters, oldest first, vote_count, and the votes that a merge moves.
CREATE INDEX votes_by_feedback_post
    ON votes (organization_id, feedback_post_id, created_at, id) WHERE feedback_post_id IS NOT NULL;
CREATE INDEX votes_by_roadmap_post
    ON votes (organization_id, roadmap_post_id, created_at, id) WHERE roadmap_post_id IS NOT NULL;

-- A row is the audit record of a merge: its posts and its user, and the users whose votes were
-- moved or, as second votes on the target, dropped. Both sets of user ids are ascending.
CREATE TABLE merges (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    merge_post_id uuid NOT NULL,
    into_post_id uuid NOT NULL,
    merger_id uuid NOT NULL,
    moved_user_ids uuid[] NOT NULL,
    dropped_user_ids uuid[] NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK (merge_post_id <> into_post_id),
    FOREIGN KEY (organization_id, merge_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, into_post_id) REFERENCES feedback_posts (organization_id, id),
    FOREIGN KEY (organization_id, merger_id) REFERENCES users (organization_id, user_id)
);

-- For the foreign keys.
CREATE INDEX merges_by_merge_post ON merges (organization_id, merge_post_id);
CREATE INDEX merges_by_into_post ON merges (organization_id, into_post_id);
CREATE INDEX merges_by_merger ON merges (organization_id, merger_id);

-- A row is a label of changelog entries.
CREATE TABLE labels (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL,
    color text COLLATE "C" NOT NULL,
    description text COLLATE "C",
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- /labels/list.
CREATE INDEX labels_by_name ON labels (organization_id, name, id) WHERE is_active;

-- A row is an entry of the changelog. entry_type is `type` in the API.
CREATE TABLE changelog_entries (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    title text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    status_code text COLLATE "C" NOT NULL
        CHECK (status_code IN ('draft', 'published', 'scheduled')),
    show_on_portal boolean NOT NULL,
    featured_image_url text COLLATE "C",
    author_id uuid,
    scheduled_at timestamptz,
    published_at timestamptz,
    entry_type text COLLATE "C" CHECK (entry_type IN ('fixed', 'new', 'improvement')),
    notify boolean NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    CHECK (status_code <> 'scheduled' OR scheduled_at IS NOT NULL),
    CHECK (status_code <> 'published' OR published_at IS NOT NULL),
    FOREIGN KEY (organization_id) REFERENCES organizations (id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id)
);

-- /changelog/list, "newest" and "oldest".
CREATE INDEX changelog_entries_by_age
    ON changelog_entries (organization_id, created_at, id) WHERE is_active;
-- /changelog/list, "published": entries that were never published come last.
CREATE INDEX changelog_entries_by_publication
    ON changelog_entries (organization_id, published_at DESC NULLS LAST, id DESC) WHERE is_active;
-- For the scheduler: due entries.
CREATE INDEX changelog_entries_scheduled
    ON changelog_entries (organization_id, scheduled_at, id)
    WHERE status_code = 'scheduled' AND is_active;
-- For the foreign key.
CREATE INDEX changelog_entries_by_author
    ON changelog_entries (organization_id, author_id) WHERE author_id IS NOT NULL;

-- A row is a label of a changelog entry. place is its index in the given order.
CREATE TABLE changelog_entry_labels (
    organization_id uuid NOT NULL,
    changelog_entry_id uuid NOT NULL,
    label_id uuid NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (organization_id, changelog_entry_id, label_id),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES changelog_entries (organization_id, id),
    FOREIGN KEY (organization_id, label_id) REFERENCES labels (organization_id, id)
);

-- /changelog/list with label_ids.
CREATE INDEX changelog_entry_labels_by_label
    ON changelog_entry_labels (organization_id, label_id, changelog_entry_id);

-- A row is a collection of the help center. The last positions are the highest ones that were given
-- to its categories and to the articles directly in it. The next record gets the one after it.
CREATE TABLE help_collections (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL,
    icon text COLLATE "C" NOT NULL,
    color text COLLATE "C" NOT NULL,
    seq_number bigint NOT NULL,
    last_category_position bigint NOT NULL,
    last_article_position bigint NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- /help-collections/list.
CREATE INDEX help_collections_by_position
    ON help_collections (organization_id, seq_number, name, id) WHERE is_active;

-- A row is a category of a help collection.
CREATE TABLE help_categories (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    collection_id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    description text COLLATE "C",
    icon text COLLATE "C",
    color text COLLATE "C",
    seq_number bigint NOT NULL,
    last_article_position bigint NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    FOREIGN KEY (organization_id, collection_id) REFERENCES help_collections (organization_id, id)
);

-- /help-categories/list: of all collections, of one (and its category_count).
CREATE INDEX help_categories_by_position
    ON help_categories (organization_id, seq_number, name, id) WHERE is_active;
CREATE INDEX help_categories_by_collection
    ON help_categories (organization_id, collection_id, seq_number, name, id) WHERE is_active;

-- A row is an article of the help center, in a category or directly in a collection.
-- search_text is title, content and excerpt, folded.
CREATE TABLE help_articles (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    title text COLLATE "C" NOT NULL,
    content text COLLATE "C" NOT NULL,
    slug text COLLATE "C" NOT NULL,
    slug_key text COLLATE "C" NOT NULL,
    excerpt text COLLATE "C",
    status_code text COLLATE "C" NOT NULL
        CHECK (status_code IN ('draft', 'published')),
    show_on_portal boolean NOT NULL,
    is_favourite boolean NOT NULL,
    collection_id uuid,
    category_id uuid,
    seq_number bigint NOT NULL,
    author_id uuid,
    published_at timestamptz,
    view_count bigint NOT NULL CHECK (view_count >= 0),
    helpful_count bigint NOT NULL CHECK (helpful_count >= 0),
    not_helpful_count bigint NOT NULL CHECK (not_helpful_count >= 0),
    is_active boolean NOT NULL,
    search_text text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, slug_key),
    CHECK ((collection_id IS NULL) <> (category_id IS NULL)),
    CHECK (status_code <> 'published' OR published_at IS NOT NULL),
    FOREIGN KEY (organization_id, collection_id) REFERENCES help_collections (organization_id, id),
    FOREIGN KEY (organization_id, category_id) REFERENCES help_categories (organization_id, id),
    FOREIGN KEY (organization_id, author_id) REFERENCES users (organization_id, user_id)
);

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
-- Searches of three characters or more. The index finds candidates, and the text decides.
CREATE INDEX help_articles_search
    ON help_articles USING gin (organization_id, search_text gin_trgm_ops);
-- For the foreign key.
CREATE INDEX help_articles_by_author
    ON help_articles (organization_id, author_id) WHERE author_id IS NOT NULL;

-- A row is a related article of an article. place is its index in the given order.
CREATE TABLE help_article_relations (
    organization_id uuid NOT NULL,
    help_article_id uuid NOT NULL,
    related_article_id uuid NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (organization_id, help_article_id, related_article_id),
    FOREIGN KEY (organization_id, help_article_id) REFERENCES help_articles (organization_id, id),
    FOREIGN KEY (organization_id, related_article_id) REFERENCES help_articles (organization_id, id)
);

-- For the foreign key.
CREATE INDEX help_article_relations_by_related
    ON help_article_relations (organization_id, related_article_id);

-- A row is a receiver of events. event_types are separated by commas; an empty text stands for all.
-- Secrets are sealed. The previous secret is used beside the present one until previous_until. A
-- receiver with awaits_rotation was imported without its secret, and gets nothing until it has a
-- new one. The row counts the failures since the last success, and their events up to two. It has
-- the time and the event of the first failure.
CREATE TABLE webhook_subscriptions (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    url text COLLATE "C" NOT NULL,
    event_types text COLLATE "C" NOT NULL,
    is_active boolean NOT NULL,
    awaits_rotation boolean NOT NULL,
    sealed_secret bytea NOT NULL,
    previous_sealed_secret bytea,
    previous_until timestamptz,
    failing_since timestamptz,
    first_failed_event_id uuid,
    failure_count integer NOT NULL,
    failed_event_count integer NOT NULL CHECK (failed_event_count BETWEEN 0 AND 2),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    CHECK ((previous_sealed_secret IS NULL) = (previous_until IS NULL)),
    CHECK ((failing_since IS NULL) = (first_failed_event_id IS NULL)),
    CHECK ((failing_since IS NULL) = (failure_count = 0)),
    CHECK ((failing_since IS NULL) = (failed_event_count = 0)),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- A row is an API key, present or past: its digest, for look-ups by requests, and the sealed key.
-- not spread: a key is looked up before the organization is known, so its digest is unique for all
CREATE TABLE api_keys (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    digest bytea NOT NULL,
    sealed bytea NOT NULL,
    scope text COLLATE "C" NOT NULL,
    is_active boolean NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (organization_id, id),
    UNIQUE (digest),
    CHECK (is_active = (revoked_at IS NULL)),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- At most one active key.
CREATE UNIQUE INDEX api_keys_one_active ON api_keys (organization_id) WHERE is_active;

-- A row is an event that at least one subscription receives. data is the JSON of its deliveries as
-- text: it is signed, so its bytes never change.
CREATE TABLE events (
    organization_id uuid NOT NULL,
    id uuid NOT NULL,
    event_type text COLLATE "C" NOT NULL CHECK (event_type IN (
        'post.created', 'post.edited', 'post.deleted', 'post.tag_added', 'post.tag_removed',
        'post.status_changed', 'comment.created', 'comment.edited', 'comment.deleted',
        'vote.created', 'vote.deleted')),
    data text COLLATE "C" NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- A row is the delivery of an event to a subscription. A pending delivery is due at
-- next_attempt_at, and leased until leased_until. occurred_at is the time of the first dispatch.
-- ended_at is the time at which the event was delivered or given up.
CREATE TABLE deliveries (
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    state text COLLATE "C" NOT NULL
        CHECK (state IN ('pending', 'delivered', 'failed')),
    attempt_count integer NOT NULL CHECK (attempt_count >= 0),
    next_attempt_at timestamptz,
    lease_holder uuid,
    leased_until timestamptz,
    occurred_at timestamptz,
    ended_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, event_id, subscription_id),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK (state = 'pending' OR lease_holder IS NULL),
    FOREIGN KEY (organization_id, event_id) REFERENCES events (organization_id, id),
    FOREIGN KEY (organization_id, subscription_id)
        REFERENCES webhook_subscriptions (organization_id, id)
);

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
    organization_id uuid NOT NULL,
    event_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    attempt integer NOT NULL CHECK (attempt > 0),
    started_at timestamptz NOT NULL,
    status integer,
    error_class text COLLATE "C",
    duration_ms integer NOT NULL,
    answer bytea NOT NULL,
    PRIMARY KEY (organization_id, event_id, subscription_id, attempt),
    CHECK (status IS NOT NULL OR error_class IS NOT NULL),
    FOREIGN KEY (organization_id, event_id, subscription_id)
        REFERENCES deliveries (organization_id, event_id, subscription_id)
);

-- A row is the mailing of an entry that was published with notify. Its mails are written in
-- batches, in the order of the recipients' user_id. last_user_id is the last recipient so far.
CREATE TABLE mailings (
    organization_id uuid NOT NULL,
    changelog_entry_id uuid NOT NULL,
    last_user_id uuid,
    lease_holder uuid,
    leased_until timestamptz,
    created_at timestamptz NOT NULL,
    expanded_at timestamptz,
    PRIMARY KEY (organization_id, changelog_entry_id),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK (expanded_at IS NULL OR lease_holder IS NULL),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES changelog_entries (organization_id, id)
);

-- For the mailer: mailings with mails that are not written yet.
CREATE INDEX mailings_unexpanded
    ON mailings (organization_id, changelog_entry_id) WHERE expanded_at IS NULL;

-- A row is the mail of a mailing to one user. It is 'sending' from before the connection to the
-- mail server until the outcome is written, so that an interrupted mail is recognized.
CREATE TABLE mails (
    organization_id uuid NOT NULL,
    changelog_entry_id uuid NOT NULL,
    user_id uuid NOT NULL,
    state text COLLATE "C" NOT NULL
        CHECK (state IN ('pending', 'sending', 'sent', 'failed')),
    attempt_count integer NOT NULL CHECK (attempt_count >= 0),
    next_attempt_at timestamptz,
    lease_holder uuid,
    leased_until timestamptz,
    error_class text COLLATE "C",
    ended_at timestamptz,
    PRIMARY KEY (organization_id, changelog_entry_id, user_id),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
    CHECK ((state = 'sending') = (lease_holder IS NOT NULL)),
    CHECK ((lease_holder IS NULL) = (leased_until IS NULL)),
    CHECK ((state IN ('sent', 'failed')) = (ended_at IS NOT NULL)),
    FOREIGN KEY (organization_id, changelog_entry_id)
        REFERENCES mailings (organization_id, changelog_entry_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, user_id)
);

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
    organization_id uuid NOT NULL,
    path text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    body_digest bytea NOT NULL,
    answer text COLLATE "C" NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, path, idempotency_key),
    FOREIGN KEY (organization_id) REFERENCES organizations (id)
);

-- The removal of old receipts.
CREATE INDEX receipts_by_age ON receipts (organization_id, created_at);

-- A row is a fact about the installation, such as the value that verifies its master key.
-- not spread: it belongs to no organization
CREATE TABLE instance (
    name text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (name)
);

-- A row is the lease of a task that one process at a time does.
-- not spread: it belongs to no organization
CREATE TABLE leases (
    name text COLLATE "C" NOT NULL,
    holder uuid NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (name)
);
