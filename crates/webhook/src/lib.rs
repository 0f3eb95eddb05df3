//! The webhook adapter: [`HttpSender`] signs deliveries and brings them to their receivers.
//!
//! ```text
//!   Dispatch ──> address (a URL that may be sent to) ──> resolver (addresses that may be connected to)
//!            ──> body, signature ──> sender (POST, answer) ──> Reply
//! ```
//!
//! A receiver is whatever somebody typed in: its address may lead into our own network, and what answers there may be broken or
//! hostile. So nothing is connected to that the [`Policy`] does not allow, and an attempt takes 30 seconds and less than a
//! mebibyte of memory, whatever the receiver does.
//!
//! **Architecture invariant:** depends on `ports` and `domain` alone; nobody else names an HTTP client.

mod address;
mod body;
mod failure;
mod resolver;
mod sender;
mod signature;

#[cfg(test)]
mod tests;

pub use address::{BadAddress, Policy};
pub use sender::{HttpSender, SetupError};
