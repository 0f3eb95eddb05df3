//! The indexes that contain the records with work for background steps.

use crate::erasure;
use hearback_ports::backlog::Task;
use hearback_ports::deliveries::Ended;

/// An index that contains the records that wait for a task, and no others. The first record of each
/// organization comes first.
pub struct Queue {
    /// The table.
    pub table: &'static str,
    /// The index.
    pub index: &'static str,
    /// The condition of the index.
    pub waits: &'static str,
    /// The column that follows the organization in the index.
    pub order: &'static str,
    /// The beginning of the condition that a record is due. The present is appended to it. `None`
    /// if all records are due.
    pub is_due: Option<&'static str>,
}

/// The queues of a task.
pub fn queues(task: Task) -> &'static [Queue] {
    match task {
        Task::PublishEntries => &[Queue {
            table: "changelog_entries",
            index: "changelog_entries_scheduled",
            waits: "status_code = 'scheduled' AND is_active",
            order: "scheduled_at",
            is_due: Some("scheduled_at <= "),
        }],
        Task::FollowUps => &[Queue {
            table: "follow_ups",
            index: "follow_ups_waiting",
            waits: "true",
            order: "task",
            is_due: None,
        }],
        Task::SumSpends => &[Queue {
            table: "feedback_post_counts",
            index: "feedback_post_counts_due",
            waits: "spend_due",
            order: "feedback_post_id",
            is_due: None,
        }],
        Task::WriteMails => &[Queue {
            table: "mailings",
            index: "mailings_unexpanded",
            waits: "expanded_at IS NULL",
            order: "id",
            is_due: None,
        }],
        Task::SendMails => &[
            Queue {
                table: "mails",
                index: "mails_pending",
                waits: "next_attempt_at IS NOT NULL",
                order: "next_attempt_at",
                is_due: Some("next_attempt_at <= "),
            },
            Queue {
                table: "mails",
                index: "mails_sending",
                waits: "leased_until IS NOT NULL",
                order: "leased_until",
                is_due: Some("leased_until < "),
            },
        ],
        Task::PruneDeliveries(Ended::Delivered) => &[Queue {
            table: "deliveries",
            index: "deliveries_delivered",
            waits: "state = 'delivered'",
            order: "ended_at",
            is_due: Some("ended_at < "),
        }],
        Task::PruneDeliveries(Ended::Failed) => &[Queue {
            table: "deliveries",
            index: "deliveries_failed",
            waits: "state = 'failed'",
            order: "ended_at",
            is_due: Some("ended_at < "),
        }],
        Task::ExpireDeliveries => &[Queue {
            table: "webhook_subscriptions",
            index: "webhook_subscriptions_inactive",
            waits: "inactive_since IS NOT NULL",
            order: "inactive_since",
            is_due: Some("inactive_since < "),
        }],
        Task::PruneReceipts => &[Queue {
            table: "receipts",
            index: "receipts_by_age",
            waits: "true",
            order: "created_at",
            is_due: Some("created_at < "),
        }],
        Task::PruneSessions => &OVER,
        Task::PruneAudit => &[Queue {
            table: "audit_entries",
            index: "audit_entries_by_age",
            waits: "true",
            order: "at",
            is_due: Some("at < "),
        }],
        Task::PruneLedger => &[Queue {
            table: "events",
            index: "events_in_ledger",
            waits: "in_ledger",
            order: "recorded_at",
            is_due: Some("recorded_at < "),
        }],
        Task::PruneNotices => &[Queue {
            table: "mails",
            index: "mails_by_age",
            waits: "state IN ('sent', 'failed', 'kept')",
            order: "created_at",
            is_due: Some("created_at < "),
        }],
        Task::PruneMisses => &[Queue {
            table: "missed_searches",
            index: "missed_searches_by_day",
            waits: "true",
            order: "day",
            is_due: Some("day < "),
        }],
        Task::ReviewImages => &[Queue {
            table: "images",
            index: "images_by_review",
            waits: "true",
            order: "review_at",
            is_due: Some("review_at < "),
        }],
        Task::EraseDeleted => &DELETED,
    }
}

static OVER: [Queue; 4] = [
    over("sessions", "sessions_by_end", "expires_at", "expires_at <= "),
    over("sign_ins", "sign_ins_by_end", "expires_at", "expires_at <= "),
    over("spent_tokens", "spent_tokens_by_end", "until", "until <= "),
    over("password_tries", "password_tries_by_end", "expires_at", "expires_at <= "),
];

/// The queue of the rows of a table that are over at a time.
const fn over(
    table: &'static str,
    index: &'static str,
    order: &'static str,
    is_due: &'static str,
) -> Queue {
    Queue { table, index, waits: "true", order, is_due: Some(is_due) }
}

static DELETED: [Queue; 7] = [
    deleted("users", "users_deleted", erasure::USER),
    deleted("companies", "companies_deleted", erasure::COMPANY),
    deleted("feedback_posts", "feedback_posts_deleted", erasure::POST),
    deleted("roadmap_posts", "roadmap_posts_deleted", erasure::POST),
    deleted("comments", "comments_deleted", erasure::COMMENT),
    deleted("changelog_entries", "changelog_entries_deleted", erasure::ENTRY),
    deleted("help_articles", "help_articles_deleted", erasure::ARTICLE),
];

/// The queue of the deleted records of a table that are not erased.
const fn deleted(table: &'static str, index: &'static str, waits: &'static str) -> Queue {
    Queue { table, index, waits, order: "updated_at", is_due: Some("updated_at < ") }
}
