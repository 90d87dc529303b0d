//! The program as its users run it.

mod commands;
mod docs;
mod hostile;
mod http;
mod init;
mod mcp;
mod mcp_client;
mod oracle;
mod processes;
mod sandbox;
mod schemas;
mod terminal;
