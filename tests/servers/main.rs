//! Several servers on one PostgreSQL database: behind a balancer, and with a replica beside the
//! primary. Attacks on one server, and long writes beside its requests.

#![expect(clippy::expect_used, clippy::panic, reason = "a failure in a helper must fail the test")]

mod attacks;
mod balancer;
mod deadline;
mod long_writes;
mod raw;
mod replica;
mod support;
