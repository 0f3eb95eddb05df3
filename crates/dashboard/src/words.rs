//! The words of fields, codes and actions.

use crate::desk::Desk;
use crate::schema::Action;
use crate::sections::section_of;
use crate::values::text_of;
use hearback_web::chrome::{Chrome, key};
use serde_json::Value;

/// The words of a field of a form.
pub(crate) fn field(c: &Chrome, action: &Action, name: &str) -> String {
    match (action.path, name) {
        ("/comments/create", "content") => c.t("desk-note"),
        _ => column(c, name),
    }
}

/// The words of a member of a record.
pub(crate) fn column(c: &Chrome, name: &str) -> String {
    let own = match name {
        "category" => "category_id",
        "collection" => "collection_id",
        "company" => "company_name",
        "event" => "event_type",
        name => name,
    };
    said(c, &FIELDS, own).unwrap_or_else(|| plain(name))
}

/// The hint of a field, or an empty text.
pub(crate) fn hint(c: &Chrome, name: &str) -> String {
    said(c, &HINTS, name).unwrap_or_default()
}

/// The words of a code.
pub(crate) fn code(c: &Chrome, code: &str) -> String {
    said(c, &CODES, code).unwrap_or_else(|| code.to_owned())
}

/// The words of an action.
pub(crate) fn act(c: &Chrome, path: &str) -> String {
    let verb = path.rsplit('/').next().unwrap_or_default();
    match (verb, section_of(path)) {
        ("create" | "upsert", Some(section)) => c.t(section.new),
        _ => self::verb(c, verb),
    }
}

/// The words of an action of any record.
pub(crate) fn verb(c: &Chrome, verb: &str) -> String {
    said(c, &VERBS, verb).unwrap_or_else(|| plain(verb))
}

/// The words of the effects of an action that cannot count them, or an empty text.
pub(crate) fn warning(c: &Chrome, path: &str) -> String {
    said(c, &WARNINGS, path).unwrap_or_default()
}

/// The words of an entry of a post's activity.
pub(crate) fn happening(c: &Chrome, desk: &Desk, entry: &Value) -> String {
    let words = said(c, &HAPPENED, &text_of(&entry["type"])).unwrap_or_default();
    let status = entry["data"]["after"]["status_id"].as_str();
    let frame = &desk.request.visit.frame;
    let status = frame.statuses.iter().find(|it| Some(it.id.to_string().as_str()) == status);
    match status {
        Some(status) => format!("{words}: {}", status.name),
        None => words,
    }
}

fn said(c: &Chrome, table: &[(&str, &'static str)], name: &str) -> Option<String> {
    let found = table.iter().find(|(it, _)| *it == name);
    found.map(|(_, key)| c.t(key))
}

/// The name of a member as words.
fn plain(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// The members of records, and the fields of forms.
const FIELDS: [(&str, &str); 178] = [
    ("access_code", key("field-access-code")),
    ("action", key("field-action")),
    ("actor_id", key("field-actor-id")),
    ("add_tag_ids", key("field-add-tag-ids")),
    ("allowed_email_domains", key("field-allowed-email-domains")),
    ("allowed_user_ids", key("field-allowed-user-ids")),
    ("api_key_id", key("desk-keys")),
    ("article_id", key("field-article-id")),
    ("articles_deleted", key("field-articles-deleted")),
    ("articles_moved", key("field-articles-moved")),
    ("at", key("field-at")),
    ("attempt_count", key("field-attempt-count")),
    ("attempts", key("field-attempts")),
    ("attributes", key("field-attributes")),
    ("author_email", key("field-author-email")),
    ("author_external_id", key("field-author-external-id")),
    ("author_id", key("field-author-id")),
    ("author_name", key("field-author-name")),
    ("avatar_url", key("field-avatar-url")),
    ("block_author", key("field-block-author")),
    ("board_id", key("field-board-id")),
    ("board_ids", key("field-board-ids")),
    ("body", key("field-body")),
    ("categories_deleted", key("field-categories-deleted")),
    ("categories_moved", key("field-categories-moved")),
    ("category_id", key("field-category-id")),
    ("code", key("field-code")),
    ("collection_id", key("field-collection-id")),
    ("color", key("field-color")),
    ("comment", key("field-comment")),
    ("comment_count", key("field-comment-count")),
    ("comment_id", key("field-comment-id")),
    ("comment_moderation_code", key("field-comment-moderation-code")),
    ("comments_deleted", key("field-comments-deleted")),
    ("comments_moved", key("field-comments-moved")),
    ("company_id", key("field-company-id")),
    ("company_name", key("field-company-name")),
    ("content", key("field-content")),
    ("content_code", key("field-content-code")),
    ("created_after", key("field-created-after")),
    ("created_at", key("field-created-at")),
    ("created_before", key("field-created-before")),
    ("customer_status", key("field-customer-status")),
    ("data", key("field-data")),
    ("delete_articles", key("field-delete-articles")),
    ("delete_posts", key("field-delete-posts")),
    ("delivery_id", key("field-delivery-id")),
    ("description", key("field-description")),
    ("details", key("field-details")),
    ("door", key("field-door")),
    ("duration_ms", key("field-duration-ms")),
    ("email", key("field-email")),
    ("ended_at", key("field-ended-at")),
    ("entry_id", key("field-entry-id")),
    ("error", key("field-error")),
    ("eta", key("field-eta")),
    ("eta_is_public", key("field-eta-is-public")),
    ("event_id", key("field-event-id")),
    ("event_type", key("field-event-type")),
    ("event_types", key("field-event-types")),
    ("excerpt", key("field-excerpt")),
    ("external_id", key("field-external-id")),
    ("failing_since", key("field-failing-since")),
    ("featured_image_url", key("field-featured-image-url")),
    ("feedback_post_id", key("field-feedback-post-id")),
    ("feedback_post_ids", key("field-feedback-post-ids")),
    ("from_path", key("field-from-path")),
    ("guest_code", key("field-guest-code")),
    ("headers", key("field-headers")),
    ("helpful_count", key("field-helpful-count")),
    ("icon", key("field-icon")),
    ("icon_url", key("field-icon-url")),
    ("id", key("field-id")),
    ("ids", key("field-ids")),
    ("import_id", key("people-import")),
    ("into_post_id", key("field-into-post-id")),
    ("into_tag_id", key("field-into-tag-id")),
    ("into_user_id", key("field-into-user-id")),
    ("is_active", key("field-is-active")),
    ("is_blocked", key("field-is-blocked")),
    ("is_commenting_enabled", key("field-is-commenting-enabled")),
    ("is_default_status", key("field-is-default-status")),
    ("is_favourite", key("field-is-favourite")),
    ("is_helpful", key("field-is-helpful")),
    ("is_pinned", key("field-is-pinned")),
    ("is_public", key("field-is-public")),
    ("is_subscribed", key("field-is-subscribed")),
    ("is_trusted", key("field-is-trusted")),
    ("is_voting_enabled", key("field-is-voting-enabled")),
    ("label_id", key("field-label-id")),
    ("label_ids", key("field-label-ids")),
    ("last_success_at", key("field-last-success-at")),
    ("level", key("field-level")),
    ("locale", key("field-locale")),
    ("merge_post_id", key("field-merge-post-id")),
    ("merge_user_id", key("field-merge-user-id")),
    ("merged_into_id", key("field-merged-into-id")),
    ("moderation_status_code", key("field-moderation-status-code")),
    ("monthly_spend", key("field-monthly-spend")),
    ("move_posts_to_board_id", key("field-move-posts-to-board-id")),
    ("move_to_collection_id", key("field-move-to-collection-id")),
    ("name", key("field-name")),
    ("next_attempt_at", key("field-next-attempt-at")),
    ("not_helpful_count", key("field-not-helpful-count")),
    ("note", key("field-note")),
    ("notify", key("field-notify")),
    ("notify_voters", key("field-notify-voters")),
    ("occurred_at", key("field-occurred-at")),
    ("overlap_seconds", key("field-overlap-seconds")),
    ("owner_id", key("field-owner-id")),
    ("parent_comment_id", key("field-parent-comment-id")),
    ("portal_role", key("field-portal-role")),
    ("position", key("field-position")),
    ("post_id", key("field-post-id")),
    ("post_ids", key("field-post-ids")),
    ("post_moderation_code", key("field-post-moderation-code")),
    ("post_template", key("field-post-template")),
    ("post_type", key("field-post-type")),
    ("posts_deleted", key("field-posts-deleted")),
    ("posts_followed", key("field-posts-followed")),
    ("posts_moved", key("field-posts-moved")),
    ("published", key("field-published")),
    ("published_at", key("field-published-at")),
    ("redirect_id", key("field-redirect-id")),
    ("reject_pending", key("field-reject-pending")),
    ("related_article_ids", key("field-related-article-ids")),
    ("remove_tag_ids", key("field-remove-tag-ids")),
    ("replacement_category_id", key("field-replacement-category-id")),
    ("replacement_status_id", key("field-replacement-status-id")),
    ("response", key("field-response")),
    ("roadmap_board_id", key("field-roadmap-board-id")),
    ("scheduled_at", key("field-scheduled-at")),
    ("scheduled_for", key("field-scheduled-for")),
    ("search", key("field-search")),
    ("show_on_feedback", key("field-show-on-feedback")),
    ("show_on_portal", key("field-show-on-portal")),
    ("show_on_roadmap", key("field-show-on-roadmap")),
    ("show_post_dates", key("field-show-post-dates")),
    ("signing_secret", key("field-signing-secret")),
    ("slug", key("field-slug")),
    ("sort", key("field-sort")),
    ("source_url", key("field-source-url")),
    ("state", key("field-state")),
    ("status", key("field-status")),
    ("status_changed_at", key("field-status-changed-at")),
    ("status_code", key("field-status-code")),
    ("status_group_code", key("field-status-group-code")),
    ("status_id", key("field-status-id")),
    ("subscribe_author", key("field-subscribe-author")),
    ("subscriptions_moved", key("field-subscriptions-moved")),
    ("sync_status", key("field-sync-status")),
    ("tag_id", key("field-tag-id")),
    ("tag_ids", key("field-tag-ids")),
    ("target_id", key("field-target-id")),
    ("target_kind", key("field-target-kind")),
    ("title", key("field-title")),
    ("to_path", key("field-to-path")),
    ("trust_author", key("field-trust-author")),
    ("type", key("field-type")),
    ("updated_at", key("field-updated-at")),
    ("url", key("field-url")),
    ("urls_changed", key("field-urls-changed")),
    ("user_id", key("field-user-id")),
    ("version", key("field-version")),
    ("view_count", key("field-view-count")),
    ("visibility_code", key("field-visibility-code")),
    ("vote_count", key("field-vote-count")),
    ("voted", key("field-voted")),
    ("voter_email", key("field-voter-email")),
    ("voter_external_id", key("field-voter-external-id")),
    ("voter_id", key("field-voter-id")),
    ("voter_name", key("field-voter-name")),
    ("votes_deleted", key("field-votes-deleted")),
    ("votes_dropped", key("field-votes-dropped")),
    ("votes_moved", key("field-votes-moved")),
    ("votes_restored", key("field-votes-restored")),
    ("votes_returned", key("field-votes-returned")),
    ("webhook_id", key("field-webhook-id")),
];

/// The hints of fields.
const HINTS: [(&str, &str); 9] = [
    ("attributes", key("hint-attributes")),
    ("slug", key("hint-slug")),
    ("allowed_email_domains", key("hint-lines")),
    ("scheduled_for", key("hint-utc")),
    ("eta", key("hint-eta")),
    ("event_types", key("hint-events")),
    ("overlap_seconds", key("hint-overlap")),
    ("content", key("hint-markdown")),
    ("details", key("hint-markdown")),
];

/// The codes.
const CODES: [(&str, &str); 56] = [
    ("public", key("code-public")),
    ("signed_in", key("code-signed-in")),
    ("team", key("code-team")),
    ("custom", key("code-custom")),
    ("off", key("code-off")),
    ("first_post", key("code-first-post")),
    ("on", key("code-on")),
    ("none", key("code-none")),
    ("email", key("code-email")),
    ("anonymous", key("code-anonymous")),
    ("pending", key("code-pending")),
    ("accepted", key("code-accepted")),
    ("rejected", key("code-rejected")),
    ("spam", key("code-spam")),
    ("draft", key("code-draft")),
    ("published", key("code-published")),
    ("scheduled", key("code-scheduled")),
    ("open", key("code-open")),
    ("in-progress", key("code-in-progress")),
    ("completed", key("code-completed")),
    ("closed", key("code-closed")),
    ("new", key("code-new")),
    ("improvement", key("code-improvement")),
    ("fixed", key("code-fixed")),
    ("internal", key("code-internal")),
    ("post", key("code-post")),
    ("comment", key("code-comment")),
    ("feedback", key("code-feedback")),
    ("roadmap", key("code-roadmap")),
    ("delivered", key("code-delivered")),
    ("failed", key("code-failed")),
    ("all", key("code-all")),
    ("status", key("code-status")),
    ("anonymize", key("code-anonymize")),
    ("delete", key("code-delete")),
    ("votes", key("code-votes")),
    ("trending", key("code-trending")),
    ("newest", key("code-newest")),
    ("oldest", key("code-oldest")),
    ("owner", key("code-owner")),
    ("admin", key("code-admin")),
    ("member", key("code-member")),
    ("viewer", key("code-viewer")),
    ("end_user", key("code-end-user")),
    ("api", key("code-api")),
    ("dashboard", key("code-dashboard")),
    ("portal", key("code-portal")),
    ("background", key("code-background")),
    ("spend", key("code-spend")),
    ("comments", key("code-comments")),
    ("name", key("code-name")),
    ("updated", key("code-updated")),
    ("monthly_spend", key("code-monthly-spend")),
    ("title", key("code-by-title")),
    ("position", key("code-position")),
    ("command_line", key("code-command-line")),
];

/// The actions, by the last part of their path.
const VERBS: [(&str, &str); 30] = [
    ("update", key("verb-update")),
    ("delete", key("verb-delete")),
    ("reorder", key("verb-reorder")),
    ("block", key("verb-block")),
    ("unblock", key("verb-unblock")),
    ("merge", key("verb-merge")),
    ("unmerge", key("verb-unmerge")),
    ("erase", key("verb-erase")),
    ("change-status", key("verb-change-status")),
    ("bulk-update", key("verb-bulk-update")),
    ("add-tag", key("verb-add-tag")),
    ("remove-tag", key("verb-remove-tag")),
    ("restore", key("verb-restore")),
    ("subscribe", key("verb-subscribe")),
    ("unsubscribe", key("verb-unsubscribe")),
    ("toggle", key("verb-toggle")),
    ("set", key("verb-set")),
    ("set-many", key("verb-set-many")),
    ("link", key("verb-link")),
    ("unlink", key("verb-unlink")),
    ("link-posts", key("verb-link-posts")),
    ("unlink-posts", key("verb-unlink-posts")),
    ("decide", key("verb-decide")),
    ("rotate-secret", key("verb-rotate-secret")),
    ("test", key("verb-test")),
    ("replay", key("verb-replay")),
    ("publish", key("verb-publish")),
    ("unpublish", key("verb-unpublish")),
    ("restore-version", key("verb-restore-version")),
    ("feedback", key("verb-feedback")),
];

/// The effects of actions that ask first and cannot count them.
const WARNINGS: [(&str, &str); 17] = [
    ("/users/delete", key("warn-users-delete")),
    ("/users/block", key("warn-users-block")),
    ("/companies/delete", key("warn-companies-delete")),
    ("/feedback-posts/delete", key("warn-feedback-posts-delete")),
    ("/comments/delete", key("warn-comments-delete")),
    ("/categories/delete", key("warn-categories-delete")),
    ("/tags/delete", key("warn-tags-delete")),
    ("/tags/merge", key("warn-tags-merge")),
    ("/statuses/delete", key("warn-statuses-delete")),
    ("/roadmap-boards/delete", key("warn-roadmap-boards-delete")),
    ("/roadmap-posts/delete", key("warn-roadmap-posts-delete")),
    ("/webhooks/delete", key("warn-webhooks-delete")),
    ("/webhooks/rotate-secret", key("warn-webhooks-rotate-secret")),
    ("/labels/delete", key("warn-labels-delete")),
    ("/changelog/delete", key("warn-changelog-delete")),
    ("/help-articles/delete", key("warn-help-articles-delete")),
    ("/help-redirects/delete", key("warn-help-redirects-delete")),
];

/// The types of activity.
const HAPPENED: [(&str, &str); 10] = [
    ("created", key("happened-created")),
    ("edited", key("happened-edited")),
    ("status_changed", key("happened-status-changed")),
    ("owner_changed", key("happened-owner-changed")),
    ("merged_in", key("happened-merged-in")),
    ("merged", key("happened-merged")),
    ("unmerged", key("happened-unmerged")),
    ("moderated", key("happened-moderated")),
    ("deleted", key("happened-deleted")),
    ("restored", key("happened-restored")),
];
