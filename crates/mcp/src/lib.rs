//! The tools of agents, by the Model Context Protocol: `POST /mcp`, and standard input and output.
//!
//! `tools` lists the tools. A tool is a name for one or more endpoints of the API, which have all
//! of its rules: `catalog` makes the schema of its arguments from theirs, and `call` makes their
//! bodies from its arguments. `texts` marks in answers what end users have written.
//!
//! **Architecture invariant:** this crate holds no rule of the product. It calls endpoints, and no
//! use case.

mod call;
mod catalog;
mod http;
mod server;
mod texts;
mod tools;

pub use http::{Mcp, PATH, routes};
pub use server::{StdioError, serve_stdio};
