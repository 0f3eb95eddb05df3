//! The services of `hearback-http`, tested through endpoints.

mod connections;
mod health;
mod log;
mod metrics;
mod rate;
