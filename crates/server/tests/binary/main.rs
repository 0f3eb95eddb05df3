//! The binary: commands, settings, signals, files.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "in a test, a failure is a panic with its line"
)]

mod backup;
mod completions;
mod config;
mod demo;
mod doctor;
mod import_export;
mod keys;
mod mail;
mod mail_server;
mod man;
mod metrics;
mod organizations;
mod receiver;
mod reseal;
mod secrets;
mod serve;
mod set_up;
mod settings;
mod sign_in;
mod sso;
mod support;
mod webhooks;
