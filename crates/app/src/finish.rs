//! The background step that finishes changes of many records, which are made in parts.

use crate::backlog::Progress;
use crate::feedback_posts::move_votes;
use crate::tags::remove_deleted_tags;
use hearback_ports::Ports;

/// Takes deleted tags from posts, and moves votes of merges. More may be left if it did anything.
pub async fn finish_changes(ports: &Ports) -> Progress {
    let mut progress = remove_deleted_tags(ports).await;
    progress.add(move_votes(ports).await);
    progress
}
