//! The program as its users run it.

mod commands;
mod http;
mod mcp;
mod sandbox;
