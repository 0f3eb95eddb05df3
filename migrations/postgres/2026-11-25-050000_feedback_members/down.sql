DELETE FROM delivery_attempts USING events
WHERE events.organization_id = delivery_attempts.organization_id
    AND events.id = delivery_attempts.event_id AND event_type NOT IN (
        'post.created', 'post.edited', 'post.deleted', 'post.tag_added', 'post.tag_removed',
        'post.status_changed', 'comment.created', 'comment.edited', 'comment.deleted',
        'vote.created', 'vote.deleted');
DELETE FROM deliveries USING events
WHERE events.organization_id = deliveries.organization_id
    AND events.id = deliveries.event_id AND event_type NOT IN (
        'post.created', 'post.edited', 'post.deleted', 'post.tag_added', 'post.tag_removed',
        'post.status_changed', 'comment.created', 'comment.edited', 'comment.deleted',
        'vote.created', 'vote.deleted');
DELETE FROM events WHERE event_type NOT IN (
    'post.created', 'post.edited', 'post.deleted', 'post.tag_added', 'post.tag_removed',
    'post.status_changed', 'comment.created', 'comment.edited', 'comment.deleted',
    'vote.created', 'vote.deleted');
ALTER TABLE events ADD CONSTRAINT events_event_type_check CHECK (event_type IN (
    'post.created', 'post.edited', 'post.deleted', 'post.tag_added', 'post.tag_removed',
    'post.status_changed', 'comment.created', 'comment.edited', 'comment.deleted',
    'vote.created', 'vote.deleted'));
DROP TABLE follow_ups;
DROP TABLE post_subscriptions;
DROP TABLE roadmap_links;
DROP INDEX roadmap_posts_by_board;
DROP INDEX roadmap_posts_by_position;
DROP INDEX roadmap_posts_by_external_id;
ALTER TABLE roadmap_posts
    DROP COLUMN seq_number,
    DROP COLUMN tag_ids,
    DROP COLUMN external_id;
ALTER TABLE votes DROP COLUMN source_url, DROP COLUMN created_by_id;
DROP INDEX comments_one_pinned;
ALTER TABLE comments DROP COLUMN is_pinned;
DROP INDEX statuses_by_external_id;
ALTER TABLE statuses DROP COLUMN external_id;
ALTER TABLE roadmap_boards DROP COLUMN access_code;
ALTER TABLE feedback_boards
    DROP COLUMN post_template,
    DROP COLUMN guest_code,
    DROP COLUMN comment_moderation_code,
    DROP COLUMN post_moderation_code,
    DROP COLUMN allowed_user_ids,
    DROP COLUMN allowed_email_domains,
    DROP COLUMN access_code;
ALTER TABLE feedback_posts
    DROP COLUMN status_changed_at,
    DROP COLUMN created_by_id,
    DROP COLUMN is_pinned,
    DROP COLUMN eta_is_public;
