//! The tables as Diesel sees them. They have the columns that `migrations/postgres` and
//! `migrations/sqlite` create.
//!
//! `joinable!` is not used: it joins by one column, and every join here is by `organization_id` and
//! an id.

use diesel::{allow_tables_to_appear_in_same_query, table};

/// Every table that holds rows of organizations, each before the tables that it refers to, with the
/// columns of its primary key behind `organization_id`. The rows of an organization can be deleted
/// in this order. Its row in `organizations` is deleted last. On SQLite, its articles are removed
/// from the full-text index first.
pub const TENANT_TABLES_CHILDREN_FIRST: &[(&str, &str)] = &[
    ("audit_entries", "id"),
    ("follow_ups", "task, kind, target_id"),
    ("list_ends", "list, parent_id"),
    ("daily_counts", "counted, parent_id, day"),
    ("missed_searches", "words, day"),
    ("record_counts", "counted, parent_id"),
    ("feedback_post_counts", "feedback_post_id"),
    ("receipts", "path, idempotency_key"),
    ("spent_tokens", "digest"),
    ("sign_ins", "id"),
    ("password_tries", "id"),
    ("passwords", "user_id"),
    ("saved_views", "user_id, name"),
    ("second_factors", "user_id"),
    ("sessions", "digest"),
    ("oidc_accounts", "digest"),
    ("oidc_providers", "id"),
    ("sso_secrets", "id"),
    ("images", "digest"),
    ("mail_troubles", "error_class"),
    ("mails", "mailing_id, user_id"),
    ("mailings", "id"),
    ("delivery_attempts", "event_id, subscription_id, attempt"),
    ("deliveries", "event_id, subscription_id"),
    ("events", "id"),
    ("api_keys", "id"),
    ("webhook_subscriptions", "id"),
    ("help_redirects", "id"),
    ("help_article_versions", "id"),
    ("help_article_relations", "help_article_id, related_article_id"),
    ("help_articles", "id"),
    ("help_categories", "id"),
    ("help_collections", "id"),
    ("entry_links", "id"),
    ("changelog_entry_labels", "changelog_entry_id, label_id"),
    ("changelog_entries", "id"),
    ("labels", "id"),
    ("merges", "id"),
    ("dropped_votes", "id"),
    ("post_subscriptions", "id"),
    ("roadmap_links", "id"),
    ("votes", "id"),
    ("comments", "id"),
    ("roadmap_posts", "id"),
    ("feedback_post_tags", "feedback_post_id, tag_id"),
    ("feedback_posts", "id"),
    ("tags", "id"),
    ("categories", "id"),
    ("statuses", "id"),
    ("roadmap_boards", "id"),
    ("feedback_boards", "id"),
    ("users", "id"),
    ("companies", "id"),
];

macro_rules! tables {
    ($($(#[$attribute:meta])* $table:ident ($($key:ident),+) { $($columns:tt)+ })+) => {
        $(table! {
            use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
            use crate::values::{SqlId, SqlIds, SqlJson, SqlKeys, SqlStamp};

            $(#[$attribute])*
            $table ($($key),+) { $($columns)+ }
        })+
        allow_tables_to_appear_in_same_query!($($table),+);
    };
}

tables! {
    /// `slug_key` and `host` are columns on SQLite alone. PostgreSQL has them in
    /// `organization_slugs`.
    organizations (id) {
        id -> SqlId,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        help_center_enabled -> Bool,
        created_at -> SqlStamp,
        is_active -> Bool,
        events_ledger -> Bool,
        portal -> Text,
        host -> Nullable<Text>,
    }

    /// PostgreSQL has the table, SQLite does not.
    organization_slugs (organization_id) {
        organization_id -> SqlId,
        slug_key -> Text,
        host -> Nullable<Text>,
    }

    companies (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        external_id -> Text,
        name -> Text,
        monthly_spend -> BigInt,
        customer_status -> Text,
        attributes -> SqlJson,
        is_active -> Bool,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
    }

    users (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        user_id -> SqlId,
        email -> Nullable<Text>,
        name -> Text,
        avatar_url -> Text,
        portal_role -> Text,
        company_name -> Text,
        customer_status -> Text,
        is_subscribed -> Bool,
        is_active -> Bool,
        created_at -> SqlStamp,
        external_id -> Nullable<Text>,
        company_id -> Nullable<SqlId>,
        locale -> Text,
        attributes -> SqlJson,
        is_blocked -> Bool,
        is_trusted -> Bool,
        updated_at -> SqlStamp,
        search_text -> Text,
        post_mail -> Text,
        changelog_mail -> Bool,
    }

    feedback_boards (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon_url -> Nullable<Text>,
        is_voting_enabled -> Bool,
        is_commenting_enabled -> Bool,
        show_post_dates -> Bool,
        is_active -> Bool,
        seq_number -> BigInt,
        created_at -> SqlStamp,
        external_id -> Nullable<Text>,
        access_code -> Text,
        allowed_email_domains -> Text,
        allowed_user_ids -> SqlIds,
        post_moderation_code -> Text,
        comment_moderation_code -> Text,
        guest_code -> Text,
        post_template -> Nullable<Text>,
    }

    roadmap_boards (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon_url -> Nullable<Text>,
        is_voting_enabled -> Bool,
        is_active -> Bool,
        seq_number -> BigInt,
        created_at -> SqlStamp,
        external_id -> Nullable<Text>,
        access_code -> Text,
    }

    statuses (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        code -> Text,
        color -> Text,
        status_group_code -> Text,
        is_default_status -> Bool,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_active -> Bool,
        seq_number -> BigInt,
        created_at -> SqlStamp,
        external_id -> Nullable<Text>,
    }

    categories (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        code -> Text,
        description -> Nullable<Text>,
        color -> Text,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_active -> Bool,
        created_at -> SqlStamp,
        external_id -> Nullable<Text>,
    }

    follow_ups (organization_id, task, kind, target_id) {
        organization_id -> SqlId,
        task -> Text,
        kind -> Text,
        target_id -> SqlId,
        replacement_id -> Nullable<SqlId>,
    }

    list_ends (organization_id, list, parent_id) {
        organization_id -> SqlId,
        list -> Text,
        parent_id -> SqlId,
        last_position -> BigInt,
    }

    tags (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        code -> Nullable<Text>,
        color -> Text,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_public -> Bool,
        external_id -> Nullable<Text>,
        is_active -> Bool,
        created_at -> SqlStamp,
        removal_pending -> Bool,
    }

    /// `votes_from_id` is a column on SQLite alone: the votes of a large merge move in parts.
    /// `similar_keys` is a column on PostgreSQL alone. SQLite has the keys in a full-text index, under
    /// `similar_id`.
    feedback_posts (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        title -> Text,
        description -> Text,
        slug -> Text,
        slug_key -> Text,
        board_id -> SqlId,
        author_id -> SqlId,
        owner_id -> Nullable<SqlId>,
        status_id -> SqlId,
        category_id -> Nullable<SqlId>,
        eta -> Nullable<SqlStamp>,
        moderation_status_code -> Text,
        merged_into_id -> Nullable<SqlId>,
        canonical_id -> Nullable<SqlId>,
        is_active -> Bool,
        search_text -> Text,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
        votes_from_id -> Nullable<SqlId>,
        external_id -> Nullable<Text>,
        eta_is_public -> Bool,
        is_pinned -> Bool,
        created_by_id -> Nullable<SqlId>,
        status_changed_at -> SqlStamp,
        similar_keys -> Nullable<SqlKeys>,
        similar_id -> Nullable<BigInt>,
        attributes -> SqlJson,
        tag_ids -> SqlIds,
    }

    feedback_post_counts (organization_id, feedback_post_id) {
        organization_id -> SqlId,
        feedback_post_id -> SqlId,
        board_id -> SqlId,
        is_active -> Bool,
        vote_count -> BigInt,
        comment_count -> BigInt,
        recent_vote_count -> BigInt,
        monthly_spend -> BigInt,
        spend_due -> Bool,
        trend_vote_count -> BigInt,
    }

    record_counts (organization_id, counted, parent_id) {
        organization_id -> SqlId,
        counted -> Text,
        parent_id -> SqlId,
        number -> BigInt,
    }

    /// On SQLite: the voters whose votes a merge has moved or dropped, while others still move.
    moved_votes (id) {
        id -> BigInt,
        organization_id -> SqlId,
        source_id -> SqlId,
        moved_user_ids -> SqlIds,
        dropped_user_ids -> SqlIds,
    }

    feedback_post_tags (organization_id, feedback_post_id, tag_id) {
        organization_id -> SqlId,
        feedback_post_id -> SqlId,
        tag_id -> SqlId,
        place -> Integer,
    }

    roadmap_posts (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        title -> Text,
        description -> Text,
        slug -> Text,
        slug_key -> Text,
        roadmap_board_id -> SqlId,
        author_id -> Nullable<SqlId>,
        owner_id -> Nullable<SqlId>,
        status_id -> SqlId,
        category_id -> Nullable<SqlId>,
        eta -> Nullable<SqlStamp>,
        is_active -> Bool,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
        external_id -> Nullable<Text>,
        tag_ids -> SqlIds,
        seq_number -> BigInt,
    }

    roadmap_links (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        roadmap_post_id -> SqlId,
        feedback_post_id -> SqlId,
        sync_status -> Bool,
        created_at -> SqlStamp,
    }

    post_subscriptions (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        feedback_post_id -> SqlId,
        user_id -> SqlId,
        level -> Text,
        created_at -> SqlStamp,
    }

    comments (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        content -> Text,
        author_id -> SqlId,
        parent_comment_id -> Nullable<SqlId>,
        feedback_post_id -> SqlId,
        visibility_code -> Text,
        moderation_status_code -> Text,
        depth -> Integer,
        is_active -> Bool,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
        external_id -> Nullable<Text>,
        is_pinned -> Bool,
    }

    votes (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        user_id -> SqlId,
        feedback_post_id -> Nullable<SqlId>,
        roadmap_post_id -> Nullable<SqlId>,
        created_at -> SqlStamp,
        created_by_id -> Nullable<SqlId>,
        source_url -> Nullable<Text>,
        cast_on_id -> Nullable<SqlId>,
    }

    dropped_votes (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        user_id -> SqlId,
        feedback_post_id -> SqlId,
        kept_post_id -> SqlId,
        created_by_id -> Nullable<SqlId>,
        source_url -> Nullable<Text>,
        created_at -> SqlStamp,
    }

    merges (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        merge_post_id -> SqlId,
        into_post_id -> SqlId,
        merger_id -> SqlId,
        moved_user_ids -> SqlIds,
        dropped_user_ids -> SqlIds,
        created_at -> SqlStamp,
        votes_kept -> Bool,
    }

    labels (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        code -> Text,
        color -> Text,
        description -> Nullable<Text>,
        is_active -> Bool,
        created_at -> SqlStamp,
        external_id -> Nullable<Text>,
    }

    changelog_entries (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        title -> Text,
        content -> Text,
        slug -> Text,
        slug_key -> Text,
        status_code -> Text,
        show_on_portal -> Bool,
        featured_image_url -> Nullable<Text>,
        author_id -> Nullable<SqlId>,
        scheduled_at -> Nullable<SqlStamp>,
        published_at -> Nullable<SqlStamp>,
        entry_type -> Nullable<Text>,
        notify -> Bool,
        is_active -> Bool,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
        notify_voters -> Bool,
        external_id -> Nullable<Text>,
    }

    entry_links (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        changelog_entry_id -> SqlId,
        feedback_post_id -> SqlId,
        created_at -> SqlStamp,
    }

    changelog_entry_labels (organization_id, changelog_entry_id, label_id) {
        organization_id -> SqlId,
        changelog_entry_id -> SqlId,
        label_id -> SqlId,
        place -> Integer,
    }

    help_collections (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Text,
        icon -> Text,
        color -> Text,
        seq_number -> BigInt,
        is_active -> Bool,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
        external_id -> Nullable<Text>,
    }

    help_categories (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        collection_id -> SqlId,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon -> Nullable<Text>,
        color -> Nullable<Text>,
        seq_number -> BigInt,
        is_active -> Bool,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
        external_id -> Nullable<Text>,
    }

    help_articles (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        title -> Text,
        content -> Text,
        slug -> Text,
        slug_key -> Text,
        excerpt -> Nullable<Text>,
        status_code -> Text,
        show_on_portal -> Bool,
        is_favourite -> Bool,
        collection_id -> Nullable<SqlId>,
        category_id -> Nullable<SqlId>,
        seq_number -> BigInt,
        author_id -> Nullable<SqlId>,
        published_at -> Nullable<SqlStamp>,
        view_count -> BigInt,
        helpful_count -> BigInt,
        not_helpful_count -> BigInt,
        is_active -> Bool,
        search_text -> Text,
        created_at -> SqlStamp,
        updated_at -> SqlStamp,
        external_id -> Nullable<Text>,
        version -> BigInt,
        versioned_at -> SqlStamp,
    }

    help_article_versions (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        help_article_id -> SqlId,
        version -> BigInt,
        author_id -> Nullable<SqlId>,
        title -> Text,
        content -> Text,
        created_at -> SqlStamp,
    }

    help_redirects (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        from_path -> Text,
        to_path -> Text,
        created_at -> SqlStamp,
    }

    help_article_relations (organization_id, help_article_id, related_article_id) {
        organization_id -> SqlId,
        help_article_id -> SqlId,
        related_article_id -> SqlId,
        place -> Integer,
    }

    /// On SQLite: the number of each article in the full-text index.
    help_article_search_keys (search_id) {
        organization_id -> SqlId,
        help_article_id -> SqlId,
        search_id -> BigInt,
    }

    /// On SQLite: the full-text index of articles. A search matches the column that has the name of
    /// the index.
    help_articles_search (rowid) {
        rowid -> BigInt,
        search_text -> Text,
        #[sql_name = "help_articles_search"]
        matched -> Text,
    }

    webhook_subscriptions (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        url -> Text,
        event_types -> Text,
        board_ids -> Text,
        description -> Nullable<Text>,
        is_active -> Bool,
        awaits_rotation -> Bool,
        sealed_secret -> Binary,
        previous_sealed_secret -> Nullable<Binary>,
        previous_until -> Nullable<SqlStamp>,
        failing_since -> Nullable<SqlStamp>,
        first_failed_event_id -> Nullable<SqlId>,
        failure_count -> Integer,
        failed_event_count -> Integer,
        created_at -> SqlStamp,
        inactive_since -> Nullable<SqlStamp>,
        last_success_at -> Nullable<SqlStamp>,
    }

    api_keys (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        digest -> Binary,
        sealed -> Binary,
        scope -> Text,
        is_active -> Bool,
        created_at -> SqlStamp,
        revoked_at -> Nullable<SqlStamp>,
    }

    audit_entries (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        at -> SqlStamp,
        door -> Text,
        actor_id -> Nullable<SqlId>,
        action -> Text,
        target_kind -> Text,
        target_id -> SqlId,
        data -> Text,
    }

    events (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        event_type -> Text,
        data -> Text,
        recorded_at -> SqlStamp,
        user_id -> Nullable<SqlId>,
        in_ledger -> Bool,
    }

    deliveries (organization_id, event_id, subscription_id) {
        organization_id -> SqlId,
        event_id -> SqlId,
        subscription_id -> SqlId,
        state -> Text,
        attempt_count -> Integer,
        next_attempt_at -> Nullable<SqlStamp>,
        lease_holder -> Nullable<SqlId>,
        leased_until -> Nullable<SqlStamp>,
        occurred_at -> Nullable<SqlStamp>,
        ended_at -> Nullable<SqlStamp>,
        created_at -> SqlStamp,
        attempts_before_replay -> Integer,
    }

    delivery_attempts (organization_id, event_id, subscription_id, attempt) {
        organization_id -> SqlId,
        event_id -> SqlId,
        subscription_id -> SqlId,
        attempt -> Integer,
        started_at -> SqlStamp,
        status -> Nullable<Integer>,
        error_class -> Nullable<Text>,
        duration_ms -> Integer,
        answer -> Binary,
    }

    mailings (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        changelog_entry_id -> Nullable<SqlId>,
        feedback_post_id -> Nullable<SqlId>,
        status_id -> Nullable<SqlId>,
        comment_id -> Nullable<SqlId>,
        actor_id -> Nullable<SqlId>,
        topic -> Nullable<Text>,
        other_post_id -> Nullable<SqlId>,
        addressee_id -> Nullable<SqlId>,
        last_user_id -> Nullable<SqlId>,
        created_at -> SqlStamp,
        expanded_at -> Nullable<SqlStamp>,
    }

    mails (organization_id, mailing_id, user_id) {
        organization_id -> SqlId,
        mailing_id -> SqlId,
        user_id -> SqlId,
        state -> Text,
        attempt_count -> Integer,
        next_attempt_at -> Nullable<SqlStamp>,
        lease_holder -> Nullable<SqlId>,
        leased_until -> Nullable<SqlStamp>,
        error_class -> Nullable<Text>,
        ended_at -> Nullable<SqlStamp>,
        in_digest -> Bool,
        is_unread -> Bool,
        created_at -> SqlStamp,
    }

    mail_troubles (organization_id, error_class) {
        organization_id -> SqlId,
        error_class -> Text,
        answer -> Text,
        at -> SqlStamp,
    }

    receipts (organization_id, path, idempotency_key) {
        organization_id -> SqlId,
        path -> Text,
        idempotency_key -> Text,
        body_digest -> Binary,
        answer -> Text,
        created_at -> SqlStamp,
    }

    sessions (organization_id, digest) {
        organization_id -> SqlId,
        digest -> Binary,
        user_id -> SqlId,
        agent -> Text,
        way -> Text,
        factor -> Text,
        created_at -> SqlStamp,
        seen_at -> SqlStamp,
        expires_at -> SqlStamp,
    }

    passwords (organization_id, user_id) {
        organization_id -> SqlId,
        user_id -> SqlId,
        hash -> Text,
        set_at -> SqlStamp,
    }

    saved_views (organization_id, user_id, name) {
        organization_id -> SqlId,
        user_id -> SqlId,
        name -> Text,
        query -> Text,
    }

    second_factors (organization_id, user_id) {
        organization_id -> SqlId,
        user_id -> SqlId,
        sealed -> Binary,
        recovery -> Binary,
        last_step -> BigInt,
        confirmed_at -> SqlStamp,
    }

    password_tries (organization_id, id) {
        organization_id -> SqlId,
        id -> Binary,
        tries -> Integer,
        expires_at -> SqlStamp,
    }

    sign_ins (organization_id, id) {
        organization_id -> SqlId,
        id -> Binary,
        link -> Binary,
        code -> Nullable<Binary>,
        email -> Text,
        role -> Nullable<Text>,
        return_to -> Text,
        guest_name -> Nullable<Text>,
        act -> Nullable<Text>,
        tries -> Integer,
        created_at -> SqlStamp,
        expires_at -> SqlStamp,
    }

    spent_tokens (organization_id, digest) {
        organization_id -> SqlId,
        digest -> Binary,
        until -> SqlStamp,
    }

    sso_secrets (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        sealed -> Binary,
        created_at -> SqlStamp,
    }

    images (organization_id, digest) {
        organization_id -> SqlId,
        digest -> Binary,
        format -> Text,
        width -> Integer,
        height -> Integer,
        bytes -> BigInt,
        created_at -> SqlStamp,
        review_at -> SqlStamp,
    }

    oidc_providers (organization_id, id) {
        organization_id -> SqlId,
        id -> SqlId,
        name -> Text,
        issuer -> Text,
        client_id -> Text,
        sealed -> Binary,
        email_claim -> Text,
        email_verified_claim -> Text,
        name_claim -> Text,
        picture_claim -> Text,
        for_members -> Bool,
        created_at -> SqlStamp,
    }

    oidc_accounts (organization_id, digest) {
        organization_id -> SqlId,
        digest -> Binary,
        user_id -> SqlId,
        created_at -> SqlStamp,
    }

    instance (name) {
        name -> Text,
        value -> Binary,
    }

    leases (name) {
        name -> Text,
        holder -> SqlId,
        until -> SqlStamp,
    }

    /// The versions of the migrations that Diesel has run.
    __diesel_schema_migrations (version) {
        version -> Text,
    }

    /// SQLite's own list of the tables and indexes in the file.
    sqlite_schema (name) {
        name -> Text,
    }

    /// SQLite's table-valued function `json_each`: a row for each element of an array. `json` is
    /// its argument.
    #[sql_name = "json_each"]
    sqlite_json_each (id) {
        id -> BigInt,
        value -> Text,
        json -> Text,
    }
}
