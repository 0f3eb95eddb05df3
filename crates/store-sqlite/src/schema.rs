//! The tables as Diesel sees them: column for column what `migrations/sqlite` makes. Ids are `Binary`
//! (16 bytes), times are `BigInt` (milliseconds since the Unix epoch).
//!
//! No `joinable!`: it joins by one column, and every join here is by `organization_id` and an id.

use diesel::{allow_tables_to_appear_in_same_query, table};

/// Every table that holds rows of organizations, each before the tables that it refers to: the order
/// in which an organization's rows can be deleted. Its row in `organizations` goes last.
pub(crate) const TENANT_TABLES_CHILDREN_FIRST: &[&str] = &[
    "list_ends",
    "help_article_search_keys",
    "receipts",
    "mails",
    "mailings",
    "delivery_attempts",
    "deliveries",
    "events",
    "api_keys",
    "webhook_subscriptions",
    "help_article_relations",
    "help_articles",
    "help_categories",
    "help_collections",
    "changelog_entry_labels",
    "changelog_entries",
    "labels",
    "merges",
    "votes",
    "comments",
    "roadmap_posts",
    "feedback_post_tags",
    "feedback_posts",
    "tags",
    "categories",
    "statuses",
    "roadmap_boards",
    "feedback_boards",
    "users",
];

table! {
    organizations (id) {
        id -> Binary,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        help_center_enabled -> Bool,
        created_at -> BigInt,
    }
}

table! {
    users (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        user_id -> Binary,
        email -> Nullable<Text>,
        name -> Text,
        avatar_url -> Text,
        portal_role -> Text,
        company_name -> Text,
        customer_status -> Text,
        is_subscribed -> Bool,
        is_active -> Bool,
        created_at -> BigInt,
    }
}

table! {
    feedback_boards (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
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
        created_at -> BigInt,
    }
}

table! {
    roadmap_boards (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon_url -> Nullable<Text>,
        is_voting_enabled -> Bool,
        is_active -> Bool,
        seq_number -> BigInt,
        created_at -> BigInt,
    }
}

table! {
    statuses (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        name -> Text,
        code -> Text,
        color -> Text,
        status_group_code -> Text,
        is_default_status -> Bool,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_active -> Bool,
        seq_number -> BigInt,
        created_at -> BigInt,
    }
}

table! {
    categories (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        name -> Text,
        code -> Text,
        description -> Nullable<Text>,
        color -> Text,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_active -> Bool,
        created_at -> BigInt,
    }
}

table! {
    list_ends (organization_id, list, parent_id) {
        organization_id -> Binary,
        list -> Text,
        parent_id -> Binary,
        last_position -> BigInt,
    }
}

table! {
    tags (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        name -> Text,
        code -> Nullable<Text>,
        color -> Text,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_public -> Bool,
        external_id -> Nullable<Text>,
        is_active -> Bool,
        created_at -> BigInt,
    }
}

table! {
    feedback_posts (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        title -> Text,
        description -> Text,
        slug -> Text,
        slug_key -> Text,
        board_id -> Binary,
        author_id -> Binary,
        owner_id -> Nullable<Binary>,
        status_id -> Binary,
        category_id -> Nullable<Binary>,
        eta -> Nullable<BigInt>,
        moderation_status_code -> Text,
        merged_into_id -> Nullable<Binary>,
        canonical_id -> Nullable<Binary>,
        is_active -> Bool,
        search_text -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    feedback_post_tags (organization_id, feedback_post_id, tag_id) {
        organization_id -> Binary,
        feedback_post_id -> Binary,
        tag_id -> Binary,
        place -> Integer,
    }
}

table! {
    roadmap_posts (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        title -> Text,
        description -> Text,
        slug -> Text,
        slug_key -> Text,
        roadmap_board_id -> Binary,
        author_id -> Nullable<Binary>,
        owner_id -> Nullable<Binary>,
        status_id -> Binary,
        category_id -> Nullable<Binary>,
        eta -> Nullable<BigInt>,
        is_active -> Bool,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    comments (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        content -> Text,
        author_id -> Binary,
        parent_comment_id -> Nullable<Binary>,
        feedback_post_id -> Binary,
        visibility_code -> Text,
        moderation_status_code -> Text,
        depth -> Integer,
        is_active -> Bool,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    votes (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        user_id -> Binary,
        feedback_post_id -> Nullable<Binary>,
        roadmap_post_id -> Nullable<Binary>,
        created_at -> BigInt,
    }
}

table! {
    merges (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        merge_post_id -> Binary,
        into_post_id -> Binary,
        merger_id -> Binary,
        moved_user_ids -> Binary,
        dropped_user_ids -> Binary,
        created_at -> BigInt,
    }
}

table! {
    labels (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        name -> Text,
        code -> Text,
        color -> Text,
        description -> Nullable<Text>,
        is_active -> Bool,
        created_at -> BigInt,
    }
}

table! {
    changelog_entries (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        title -> Text,
        content -> Text,
        slug -> Text,
        slug_key -> Text,
        status_code -> Text,
        show_on_portal -> Bool,
        featured_image_url -> Nullable<Text>,
        author_id -> Nullable<Binary>,
        scheduled_at -> Nullable<BigInt>,
        published_at -> Nullable<BigInt>,
        entry_type -> Nullable<Text>,
        notify -> Bool,
        is_active -> Bool,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    changelog_entry_labels (organization_id, changelog_entry_id, label_id) {
        organization_id -> Binary,
        changelog_entry_id -> Binary,
        label_id -> Binary,
        place -> Integer,
    }
}

table! {
    help_collections (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Text,
        icon -> Text,
        color -> Text,
        seq_number -> BigInt,
        is_active -> Bool,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    help_categories (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        collection_id -> Binary,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon -> Nullable<Text>,
        color -> Nullable<Text>,
        seq_number -> BigInt,
        is_active -> Bool,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    help_articles (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        title -> Text,
        content -> Text,
        slug -> Text,
        slug_key -> Text,
        excerpt -> Nullable<Text>,
        status_code -> Text,
        show_on_portal -> Bool,
        is_favourite -> Bool,
        collection_id -> Nullable<Binary>,
        category_id -> Nullable<Binary>,
        seq_number -> BigInt,
        author_id -> Nullable<Binary>,
        published_at -> Nullable<BigInt>,
        view_count -> BigInt,
        helpful_count -> BigInt,
        not_helpful_count -> BigInt,
        is_active -> Bool,
        search_text -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    help_article_relations (organization_id, help_article_id, related_article_id) {
        organization_id -> Binary,
        help_article_id -> Binary,
        related_article_id -> Binary,
        place -> Integer,
    }
}

table! {
    help_article_search_keys (search_id) {
        organization_id -> Binary,
        help_article_id -> Binary,
        search_id -> BigInt,
    }
}

table! {
    /// The full-text index of articles. What is searched for is matched with the column of the index's own name.
    help_articles_search (rowid) {
        rowid -> BigInt,
        search_text -> Text,
        #[sql_name = "help_articles_search"]
        matched -> Text,
    }
}

table! {
    webhook_subscriptions (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        url -> Text,
        event_types -> Text,
        is_active -> Bool,
        awaits_rotation -> Bool,
        sealed_secret -> Binary,
        previous_sealed_secret -> Nullable<Binary>,
        previous_until -> Nullable<BigInt>,
        failing_since -> Nullable<BigInt>,
        first_failed_event_id -> Nullable<Binary>,
        failure_count -> Integer,
        failed_event_count -> Integer,
        created_at -> BigInt,
        inactive_since -> Nullable<BigInt>,
    }
}

table! {
    api_keys (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        digest -> Binary,
        sealed -> Binary,
        scope -> Text,
        is_active -> Bool,
        created_at -> BigInt,
        revoked_at -> Nullable<BigInt>,
    }
}

table! {
    events (organization_id, id) {
        organization_id -> Binary,
        id -> Binary,
        event_type -> Text,
        data -> Text,
        recorded_at -> BigInt,
    }
}

table! {
    deliveries (organization_id, event_id, subscription_id) {
        organization_id -> Binary,
        event_id -> Binary,
        subscription_id -> Binary,
        state -> Text,
        attempt_count -> Integer,
        next_attempt_at -> Nullable<BigInt>,
        lease_holder -> Nullable<Binary>,
        leased_until -> Nullable<BigInt>,
        occurred_at -> Nullable<BigInt>,
        ended_at -> Nullable<BigInt>,
        created_at -> BigInt,
        attempts_before_replay -> Integer,
    }
}

table! {
    delivery_attempts (organization_id, event_id, subscription_id, attempt) {
        organization_id -> Binary,
        event_id -> Binary,
        subscription_id -> Binary,
        attempt -> Integer,
        started_at -> BigInt,
        status -> Nullable<Integer>,
        error_class -> Nullable<Text>,
        duration_ms -> Integer,
        answer -> Binary,
    }
}

table! {
    mailings (organization_id, changelog_entry_id) {
        organization_id -> Binary,
        changelog_entry_id -> Binary,
        last_user_id -> Nullable<Binary>,
        created_at -> BigInt,
        expanded_at -> Nullable<BigInt>,
    }
}

table! {
    mails (organization_id, changelog_entry_id, user_id) {
        organization_id -> Binary,
        changelog_entry_id -> Binary,
        user_id -> Binary,
        state -> Text,
        attempt_count -> Integer,
        next_attempt_at -> Nullable<BigInt>,
        lease_holder -> Nullable<Binary>,
        leased_until -> Nullable<BigInt>,
        error_class -> Nullable<Text>,
        ended_at -> Nullable<BigInt>,
    }
}

table! {
    receipts (organization_id, path, idempotency_key) {
        organization_id -> Binary,
        path -> Text,
        idempotency_key -> Text,
        body_digest -> Binary,
        answer -> Text,
        created_at -> BigInt,
    }
}

table! {
    instance (name) {
        name -> Text,
        value -> Binary,
    }
}

table! {
    leases (name) {
        name -> Text,
        holder -> Binary,
        until -> BigInt,
    }
}

table! {
    /// What Diesel's migrations keep.
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

table! {
    /// SQLite's own list of what the file holds.
    sqlite_schema (name) {
        name -> Text,
    }
}

table! {
    /// What SQLite's function of that name makes: a row for each element of an array. `json` is its argument.
    #[sql_name = "json_each"]
    sqlite_json_each (id) {
        id -> BigInt,
        value -> Text,
        json -> Text,
    }
}

allow_tables_to_appear_in_same_query!(
    organizations,
    users,
    feedback_boards,
    roadmap_boards,
    statuses,
    categories,
    tags,
    feedback_posts,
    feedback_post_tags,
    roadmap_posts,
    comments,
    votes,
    merges,
    labels,
    changelog_entries,
    changelog_entry_labels,
    help_collections,
    help_categories,
    help_articles,
    help_article_relations,
    help_article_search_keys,
    help_articles_search,
    webhook_subscriptions,
    api_keys,
    events,
    deliveries,
    delivery_attempts,
    mailings,
    mails,
    receipts,
    sqlite_json_each,
);

#[cfg(test)]
mod tests {
    use super::TENANT_TABLES_CHILDREN_FIRST;

    #[test]
    fn tenant_tables_stand_in_the_order_in_which_the_migrations_drop_them() {
        let down = concat!(
            "DROP TABLE list_ends;\n",
            include_str!("../../../migrations/sqlite/2026-11-21-060000_article_search/down.sql"),
            include_str!("../../../migrations/sqlite/2026-11-21-000000_initial/down.sql"),
        );

        let dropped: Vec<&str> = down
            .lines()
            .filter_map(|line| line.strip_prefix("DROP TABLE ")?.strip_suffix(';'))
            .filter(|table| {
                !["leases", "instance", "organizations", "help_articles_search"].contains(table)
            })
            .collect();

        assert_eq!(dropped, TENANT_TABLES_CHILDREN_FIRST);
    }
}
