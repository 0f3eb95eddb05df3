//! Statements that tell whether a connection waits for a lock.

use diesel::dsl::auto_type;
use diesel::prelude::*;

diesel::define_sql_function! {
    /// The identifier of the server's process for this connection.
    fn pg_backend_pid() -> Integer;
}

diesel::table! {
    pg_stat_activity (pid) {
        pid -> Integer,
        wait_event_type -> Nullable<Text>,
    }
}

/// The identifier of a process of the server, if the process waits for a lock.
#[auto_type]
pub(crate) fn waits_for_a_lock(process: i32) -> _ {
    pg_stat_activity::table
        .filter(pg_stat_activity::pid.eq(process))
        .filter(pg_stat_activity::wait_event_type.eq("Lock"))
        .select(pg_stat_activity::pid)
}
