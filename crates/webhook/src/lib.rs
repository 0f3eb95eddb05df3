//! The webhook adapter: [`HttpSender`] signs deliveries and sends them to their receivers.
//!
//! ```text
//!   Dispatch ──> address (a URL that may be sent to) ──> resolver (addresses that may be connected to)
//!            ──> body, signature ──> sender (POST, answer) ──> Reply
//! ```
//!
//! A receiver may be broken or hostile, and its address may lead into a private network. So the
//! client connects only to addresses that the [`Policy`] allows, and an attempt takes at most 30
//! seconds and less than a mebibyte of memory.
//!
//! **Architecture invariant:** depends on `ports` and `domain` alone; no other crate names an HTTP
//! client. Requests of other adapters go through [`HttpSender::exchange`].

mod address;
mod body;
mod failure;
mod lookup;
mod resolver;
mod sender;
mod signature;

#[cfg(test)]
mod tests;

pub use address::{BadAddress, Policy};
pub use sender::{HttpSender, NoAnswer, SetupError};
