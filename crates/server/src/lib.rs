//! Serving agents: MCP over standard input and output.
//!
//! The operations are those of `ops`; nothing is decided here but how they are spoken.

mod fresh;
mod mcp;
mod response;
mod tools;

pub use mcp::{Mcp, serve_stdio};
pub use tools::{ToolSet, list};
