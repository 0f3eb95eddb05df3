#![doc = include_str!("../README.md")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "all of this is test code outside #[test] functions: what goes wrong is to fail the test, with its line"
)]

pub mod build;
pub mod closed_port;
pub mod cluster;
pub mod conformance;
pub mod crowd;
pub mod deliveries;
pub mod generate;
pub mod members;
pub mod postgres;
pub mod property;
pub mod scratch;
pub mod smtp;
pub mod system;
