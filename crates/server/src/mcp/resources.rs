//! Resources: the state of the project and its index, schemas, stored packs, and the rest of long answers.

use super::Mcp;
use crate::call::{CallProgress, call};
use contextd_ops::{Answer, OPERATIONS, OpError, find, schema_names};
use contextd_render::Format;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use std::sync::Arc;

/// Address, name, form and sense of each resource that is always there.
const FIXED: &[(&str, &str, &str, &str)] = &[
    (
        "contextd://report",
        "report",
        "text/markdown",
        "What the project consists of and what is indexed of it",
    ),
    ("contextd://stats", "stats", "application/json", "What is indexed, use, running rebuilds"),
    (
        "contextd://health",
        "health",
        "application/json",
        "Checks of configuration, index and ledger",
    ),
    ("contextd://schema", "schema", "application/json", "Names of all schemas"),
    ("contextd://session", "session", "application/json", "What this client has asked so far"),
];

/// Returns the resources that are always there.
pub fn list() -> Vec<Resource> {
    FIXED
        .iter()
        .map(|(uri, name, mime, about)| {
            Resource::new(*uri, *name).with_mime_type(*mime).with_description(*about)
        })
        .collect()
}

/// Returns the forms of the others.
pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("contextd://schema/{name}", "schema of a name")
            .with_mime_type("application/json")
            .with_description("JSON schema of a wire type or of an operation's input"),
        ResourceTemplate::new("contextd://pack/{id}", "stored pack")
            .with_mime_type("application/json")
            .with_description("A stored context pack"),
        ResourceTemplate::new("contextd://answers/{id}", "long answer").with_description(
            "An answer that a response could not hold; ?page=2 and so on for the rest",
        ),
    ]
}

/// Returns the link to a kept answer.
pub fn answer_link(id: &str, mime: &str, about: &str) -> Resource {
    Resource::new(format!("contextd://answers/{id}"), format!("answer {id}"))
        .with_mime_type(mime)
        .with_description(about)
}

/// Reads a resource.
pub fn read(server: &Mcp, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let path = uri.strip_prefix("contextd://").ok_or_else(|| unknown(uri))?;
    let json = |value: Value| (value.to_string(), "application/json");
    let (text, mime) = match path.split_once('/') {
        None => match path {
            "report" => (report(server)?, "text/markdown"),
            "stats" => json(run(server, "get_context_stats", json!({}))?.to_json()),
            "health" => json(run(server, "doctor", json!({}))?.to_json()),
            "session" => json(server.session.value()),
            "schema" => json(
                json!({"schemas": schema_names().chain(OPERATIONS.iter().map(|operation| operation.name)).collect::<Vec<_>>()}),
            ),
            _ => return Err(unknown(uri)),
        },
        Some(("schema", name)) => json(run(server, "schema", json!({ "name": name }))?.to_json()),
        Some(("pack", id)) => {
            json(run(server, "context_pack_get", json!({ "packId": id }))?.to_json())
        }
        Some(("answers", rest)) => return page(server, uri, rest),
        Some(_) => return Err(unknown(uri)),
    };
    let whole = super::kept::fitting(&text, super::response::MOST) == text.len();
    if whole {
        return Ok(contents(uri, text, mime));
    }
    // Too long for one response: it is kept and read in pages from here.
    let id = server.kept.put(&text);
    page(server, &format!("contextd://answers/{id}"), &id)
}

fn page(server: &Mcp, uri: &str, rest: &str) -> Result<ReadResourceResult, ErrorData> {
    let (id, page) = rest.split_once("?page=").unwrap_or((rest, "1"));
    let page: usize = page.parse().map_err(|_| unknown(uri))?;
    let (mut text, more) = server.kept.page(id, page).ok_or_else(|| unknown(uri))?;
    if more {
        text.push_str(&format!("\n… goes on in contextd://answers/{id}?page={}", page + 1));
    }
    Ok(contents(uri, text, "text/plain"))
}

fn contents(uri: &str, text: String, mime: &str) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(mime)])
}

fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("there is no resource `{uri}`"),
        Some(json!({"uri": uri, "code": "CTX_E_NOT_FOUND"})),
    )
}

/// Runs an operation for a resource or a prompt.
pub fn run(server: &Mcp, name: &str, input: Value) -> Result<Answer, ErrorData> {
    let operation = find(name).ok_or_else(|| unknown(name))?;
    call(
        &server.served,
        operation,
        input,
        &Arc::new(CallProgress::default()),
        Some(&server.session.id),
    )
    .map(|called| called.answer)
    .map_err(|error| refused(&error))
}

fn refused(error: &OpError) -> ErrorData {
    let data = Some(json!({"code": error.code, "remedy": error.remedy}));
    let message = format!("{} {}", error.message, error.remedy);
    if error.is_not_found() {
        ErrorData::resource_not_found(message, data)
    } else {
        ErrorData::internal_error(message, data)
    }
}

/// Writes what the project consists of: its brief where there is one, then the numbers.
fn report(server: &Mcp) -> Result<String, ErrorData> {
    let mut text = String::from("# Project\n\n");
    if find("prime").is_some()
        && let Ok(brief) = run(server, "prime", json!({}))
    {
        text.push_str(&contextd_render::answer(&brief, Format::Markdown));
        text.push_str("\n\n");
    }
    for (title, name) in [("Index", "status"), ("Files", "project_stats"), ("Health", "doctor")] {
        let answer = run(server, name, json!({}))?;
        text.push_str(&format!(
            "## {title}\n\n```\n{}\n```\n\n",
            contextd_render::answer(&answer, Format::Text).trim_end()
        ));
    }
    Ok(text)
}
