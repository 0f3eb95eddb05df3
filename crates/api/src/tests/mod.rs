//! What `hearback-http` does for the API, seen through endpoints.

mod connections;
mod health;
mod log;
mod metrics;
mod rate;
