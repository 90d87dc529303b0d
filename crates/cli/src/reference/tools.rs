//! The operations as MCP tools and as HTTP routes.

use super::row;
use super::schemas::fields;
use contextd_ops::{OPERATIONS, Operation};
use std::fmt::Write as _;

pub fn tools() -> String {
    let mut out = String::from(
        "# MCP tools\n\nEvery operation is a tool. Clients see the everyday ones; `contextd serve --stdio --tools all` shows all of them, and those that are not shown can be called, too.\n\n| tool | command | changes something | shown by default |\n|---|---|---|---|\n",
    );
    for operation in OPERATIONS {
        let changes = match (operation.read_only, operation.destructive) {
            (true, _) => "no",
            (false, false) => "yes",
            (false, true) => "yes, and removes",
        };
        out.push_str(&row(&[
            &format!("[`{0}`](#{0})", operation.name),
            &format!("`contextd {}`", command(operation)),
            changes,
            if operation.core { "yes" } else { "" },
        ]));
    }
    for operation in OPERATIONS {
        let _ = writeln!(out, "\n## {}\n\n{}\n", operation.name, operation.about);
        let rows = fields(&(operation.schema)());
        out.push_str(&if rows.is_empty() {
            "No input.\n".to_owned()
        } else {
            format!("| field | type | meaning |\n|---|---|---|\n{rows}")
        });
    }
    out
}

fn command(operation: &Operation) -> String {
    operation
        .command
        .strip_prefix("pack-")
        .map_or_else(|| operation.command.to_owned(), |rest| format!("pack {rest}"))
}

pub fn http() -> String {
    let mut out = String::from(
        "# HTTP routes\n\n`contextd serve --http 127.0.0.1:8765` serves these; `/openapi.json` is the whole description, and [service.md](../service.md) tells who may ask and what the limits are. Every operation is `POST /v1/NAME` with the input of its [tool](tools.md), and a method of JSON-RPC 2.0 at `/rpc`; MCP is spoken at `/mcp`. A refusal is `{\"error\": {\"code\", \"message\", \"remedy\"}}`.\n\n| route | what it does |\n|---|---|\n",
    );
    let description = contextd_server::openapi();
    for (path, methods) in description["paths"].as_object().into_iter().flatten() {
        for (method, route) in methods.as_object().into_iter().flatten() {
            let about = route["summary"]
                .as_str()
                .or_else(|| route["description"].as_str())
                .unwrap_or_default();
            out.push_str(&row(&[&format!("`{} {path}`", method.to_uppercase()), about]));
        }
    }
    out
}
