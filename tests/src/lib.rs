#![doc = include_str!("../README.md")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "all of this is test code outside #[test] functions: a failure must fail the test, with its line"
)]

pub mod build;
#[cfg(feature = "harness")]
pub mod closed_port;
#[cfg(feature = "harness")]
pub mod cluster;
pub mod conformance;
pub mod crowd;
pub mod deliveries;
pub mod generate;
pub mod members;
#[cfg(feature = "harness")]
pub mod postgres;
pub mod property;
#[cfg(feature = "harness")]
pub mod scratch;
#[cfg(feature = "harness")]
pub mod smtp;
pub mod system;
