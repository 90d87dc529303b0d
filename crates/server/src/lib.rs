//! Serving agents and services: MCP over standard input and output, operations over HTTP.
//!
//! The operations are those of `ops`; nothing is decided here but how they are spoken.

mod fresh;
mod http;
mod mcp;
mod response;
mod tools;

pub use http::serve_http;
pub use mcp::{Mcp, serve_stdio};
pub use tools::{ToolSet, list};
