//! Several servers on one PostgreSQL database: behind a balancer, and with a replica beside the
//! primary.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "what goes wrong in a helper is to fail the test"
)]

mod balancer;
mod replica;
mod support;
