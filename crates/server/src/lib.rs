//! Serving agents and services: MCP over standard input and output and over HTTP, the operations over HTTP.
//!
//! The operations are those of `ops`; nothing is decided here but how they are spoken. [`Served`] holds
//! what is served, [`serve_stdio`] and [`HttpServer`] speak for it, [`client`] is the other side.

mod call;
pub mod client;
mod fresh;
mod http;
mod inputs;
mod mcp;
mod served;

pub(crate) use http::http_status;
pub use http::{HttpLimits, HttpOptions, HttpServer, McpRoute, openapi, serve_http};
pub use mcp::{Mcp, ToolSet, list, serve_stdio};
pub use served::{Opener, Served};
