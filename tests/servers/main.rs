//! Several servers on one PostgreSQL database: behind a balancer, and with a replica beside the
//! primary. Attacks on one server.

#![expect(clippy::expect_used, clippy::panic, reason = "a failure in a helper must fail the test")]

mod attacks;
mod balancer;
mod deadline;
mod raw;
mod replica;
mod support;
