//! The server as its clients see it, in one process and without a network.

mod fallback;
mod http_client;
mod mcp;
mod rest;
mod rpc;
mod security;
mod slow;
mod snapshots;
mod support;
mod workflow;
