//! The program as its users run it.

mod commands;
mod docs;
mod http;
mod init;
mod mcp;
mod oracle;
mod processes;
mod mcp_client;
mod sandbox;
mod schemas;
mod terminal;
