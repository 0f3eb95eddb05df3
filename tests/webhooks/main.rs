//! Webhooks from the change to the receiver: `hearback serve` with receivers of many kinds.

#![expect(clippy::expect_used, clippy::panic, reason = "a failure in a helper must fail the test")]

mod crash;
mod fairness;
mod names;
mod receivers;
mod replicas;
mod rules;
mod support;
mod zoo;
