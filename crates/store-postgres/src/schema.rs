//! The tables as Diesel sees them: column for column what `migrations/postgres` makes.
//!
//! No `joinable!`: it joins by one column, and every join here is by `organization_id` and an id.

use diesel::{allow_tables_to_appear_in_same_query, table};

/// Every table that holds rows of organizations, each before the tables that it refers to: the order
/// in which an organization's rows can be deleted. Its row in `organizations` goes last.
pub(crate) const TENANT_TABLES_CHILDREN_FIRST: &[&str] = &[
    "list_ends",
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
        id -> Uuid,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        help_center_enabled -> Bool,
        created_at -> Timestamptz,
    }
}

table! {
    users (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        user_id -> Uuid,
        email -> Nullable<Text>,
        name -> Text,
        avatar_url -> Text,
        portal_role -> Text,
        company_name -> Text,
        customer_status -> Text,
        is_subscribed -> Bool,
        is_active -> Bool,
        created_at -> Timestamptz,
    }
}

table! {
    feedback_boards (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon_url -> Nullable<Text>,
        is_voting_enabled -> Bool,
        is_commenting_enabled -> Bool,
        show_post_dates -> Bool,
        is_active -> Bool,
        seq_number -> Int8,
        created_at -> Timestamptz,
    }
}

table! {
    roadmap_boards (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon_url -> Nullable<Text>,
        is_voting_enabled -> Bool,
        is_active -> Bool,
        seq_number -> Int8,
        created_at -> Timestamptz,
    }
}

table! {
    statuses (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        code -> Text,
        color -> Text,
        status_group_code -> Text,
        is_default_status -> Bool,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_active -> Bool,
        seq_number -> Int8,
        created_at -> Timestamptz,
    }
}

table! {
    categories (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        code -> Text,
        description -> Nullable<Text>,
        color -> Text,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_active -> Bool,
        created_at -> Timestamptz,
    }
}

table! {
    list_ends (organization_id, list, parent_id) {
        organization_id -> Uuid,
        list -> Text,
        parent_id -> Uuid,
        last_position -> Int8,
    }
}

table! {
    tags (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        code -> Nullable<Text>,
        color -> Text,
        show_on_feedback -> Bool,
        show_on_roadmap -> Bool,
        is_public -> Bool,
        external_id -> Nullable<Text>,
        is_active -> Bool,
        created_at -> Timestamptz,
    }
}

table! {
    feedback_posts (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        title -> Text,
        description -> Text,
        slug -> Text,
        slug_key -> Text,
        board_id -> Uuid,
        author_id -> Uuid,
        owner_id -> Nullable<Uuid>,
        status_id -> Uuid,
        category_id -> Nullable<Uuid>,
        eta -> Nullable<Timestamptz>,
        moderation_status_code -> Text,
        merged_into_id -> Nullable<Uuid>,
        canonical_id -> Nullable<Uuid>,
        is_active -> Bool,
        search_text -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

table! {
    feedback_post_tags (organization_id, feedback_post_id, tag_id) {
        organization_id -> Uuid,
        feedback_post_id -> Uuid,
        tag_id -> Uuid,
        place -> Int4,
    }
}

table! {
    roadmap_posts (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        title -> Text,
        description -> Text,
        slug -> Text,
        slug_key -> Text,
        roadmap_board_id -> Uuid,
        author_id -> Nullable<Uuid>,
        owner_id -> Nullable<Uuid>,
        status_id -> Uuid,
        category_id -> Nullable<Uuid>,
        eta -> Nullable<Timestamptz>,
        is_active -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

table! {
    comments (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        content -> Text,
        author_id -> Uuid,
        parent_comment_id -> Nullable<Uuid>,
        feedback_post_id -> Uuid,
        visibility_code -> Text,
        moderation_status_code -> Text,
        depth -> Int4,
        is_active -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

table! {
    votes (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        user_id -> Uuid,
        feedback_post_id -> Nullable<Uuid>,
        roadmap_post_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
    }
}

table! {
    merges (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        merge_post_id -> Uuid,
        into_post_id -> Uuid,
        merger_id -> Uuid,
        moved_user_ids -> Array<Uuid>,
        dropped_user_ids -> Array<Uuid>,
        created_at -> Timestamptz,
    }
}

table! {
    labels (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        code -> Text,
        color -> Text,
        description -> Nullable<Text>,
        is_active -> Bool,
        created_at -> Timestamptz,
    }
}

table! {
    changelog_entries (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        title -> Text,
        content -> Text,
        slug -> Text,
        slug_key -> Text,
        status_code -> Text,
        show_on_portal -> Bool,
        featured_image_url -> Nullable<Text>,
        author_id -> Nullable<Uuid>,
        scheduled_at -> Nullable<Timestamptz>,
        published_at -> Nullable<Timestamptz>,
        entry_type -> Nullable<Text>,
        notify -> Bool,
        is_active -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

table! {
    changelog_entry_labels (organization_id, changelog_entry_id, label_id) {
        organization_id -> Uuid,
        changelog_entry_id -> Uuid,
        label_id -> Uuid,
        place -> Int4,
    }
}

table! {
    help_collections (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Text,
        icon -> Text,
        color -> Text,
        seq_number -> Int8,
        is_active -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

table! {
    help_categories (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        collection_id -> Uuid,
        name -> Text,
        slug -> Text,
        slug_key -> Text,
        description -> Nullable<Text>,
        icon -> Nullable<Text>,
        color -> Nullable<Text>,
        seq_number -> Int8,
        is_active -> Bool,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

table! {
    help_articles (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        title -> Text,
        content -> Text,
        slug -> Text,
        slug_key -> Text,
        excerpt -> Nullable<Text>,
        status_code -> Text,
        show_on_portal -> Bool,
        is_favourite -> Bool,
        collection_id -> Nullable<Uuid>,
        category_id -> Nullable<Uuid>,
        seq_number -> Int8,
        author_id -> Nullable<Uuid>,
        published_at -> Nullable<Timestamptz>,
        view_count -> Int8,
        helpful_count -> Int8,
        not_helpful_count -> Int8,
        is_active -> Bool,
        search_text -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

table! {
    help_article_relations (organization_id, help_article_id, related_article_id) {
        organization_id -> Uuid,
        help_article_id -> Uuid,
        related_article_id -> Uuid,
        place -> Int4,
    }
}

table! {
    webhook_subscriptions (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        url -> Text,
        event_types -> Text,
        is_active -> Bool,
        awaits_rotation -> Bool,
        sealed_secret -> Bytea,
        previous_sealed_secret -> Nullable<Bytea>,
        previous_until -> Nullable<Timestamptz>,
        failing_since -> Nullable<Timestamptz>,
        first_failed_event_id -> Nullable<Uuid>,
        failure_count -> Int4,
        failed_event_count -> Int4,
        created_at -> Timestamptz,
        inactive_since -> Nullable<Timestamptz>,
    }
}

table! {
    api_keys (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        digest -> Bytea,
        sealed -> Bytea,
        scope -> Text,
        is_active -> Bool,
        created_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
    }
}

table! {
    events (organization_id, id) {
        organization_id -> Uuid,
        id -> Uuid,
        event_type -> Text,
        data -> Text,
        recorded_at -> Timestamptz,
    }
}

table! {
    deliveries (organization_id, event_id, subscription_id) {
        organization_id -> Uuid,
        event_id -> Uuid,
        subscription_id -> Uuid,
        state -> Text,
        attempt_count -> Int4,
        next_attempt_at -> Nullable<Timestamptz>,
        lease_holder -> Nullable<Uuid>,
        leased_until -> Nullable<Timestamptz>,
        occurred_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        attempts_before_replay -> Int4,
    }
}

table! {
    delivery_attempts (organization_id, event_id, subscription_id, attempt) {
        organization_id -> Uuid,
        event_id -> Uuid,
        subscription_id -> Uuid,
        attempt -> Int4,
        started_at -> Timestamptz,
        status -> Nullable<Int4>,
        error_class -> Nullable<Text>,
        duration_ms -> Int4,
        answer -> Bytea,
    }
}

table! {
    mailings (organization_id, changelog_entry_id) {
        organization_id -> Uuid,
        changelog_entry_id -> Uuid,
        last_user_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        expanded_at -> Nullable<Timestamptz>,
    }
}

table! {
    mails (organization_id, changelog_entry_id, user_id) {
        organization_id -> Uuid,
        changelog_entry_id -> Uuid,
        user_id -> Uuid,
        state -> Text,
        attempt_count -> Int4,
        next_attempt_at -> Nullable<Timestamptz>,
        lease_holder -> Nullable<Uuid>,
        leased_until -> Nullable<Timestamptz>,
        error_class -> Nullable<Text>,
        ended_at -> Nullable<Timestamptz>,
    }
}

table! {
    receipts (organization_id, path, idempotency_key) {
        organization_id -> Uuid,
        path -> Text,
        idempotency_key -> Text,
        body_digest -> Bytea,
        answer -> Text,
        created_at -> Timestamptz,
    }
}

table! {
    instance (name) {
        name -> Text,
        value -> Bytea,
    }
}

table! {
    leases (name) {
        name -> Text,
        holder -> Uuid,
        until -> Timestamptz,
    }
}

table! {
    /// What Diesel's migrations keep.
    __diesel_schema_migrations (version) {
        version -> Text,
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
    webhook_subscriptions,
    api_keys,
    events,
    deliveries,
    delivery_attempts,
    mailings,
    mails,
    receipts,
);

#[cfg(test)]
mod tests {
    use super::TENANT_TABLES_CHILDREN_FIRST;

    #[test]
    fn tenant_tables_stand_in_the_order_in_which_the_migration_drops_them() {
        let down = include_str!("../../../migrations/postgres/2026-11-21-000000_initial/down.sql");

        let dropped: Vec<&str> = down
            .lines()
            .filter_map(|line| line.strip_prefix("DROP TABLE ")?.strip_suffix(';'))
            .filter(|table| !["leases", "instance", "organizations"].contains(table))
            .collect();

        // A later migration made this one.
        let expected = [&["list_ends"], &*dropped].concat();
        assert_eq!(expected, TENANT_TABLES_CHILDREN_FIRST);
    }
}
