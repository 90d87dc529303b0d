//! A server for the public conformance suite: it has the tools, resources and prompts that the suite asks
//! for and the product has no use for, and speaks through the same HTTP stack.
//!
//! `cargo run -p contextd-server --example conformance -- 127.0.0.1:8931`, then
//! `tests/clients/conformance.sh http://127.0.0.1:8931/mcp`.
// Sampling, logging and subscriptions of older revisions are what the suite tries.
#![allow(deprecated)]
#![allow(clippy::print_stderr, reason = "an example reports on the terminal")]

use contextd_engine::{Engine, EngineOptions};
use contextd_ops::Context;
use contextd_server::{HttpOptions, HttpServer, McpRoute, Served};
use rmcp::model::*;
use rmcp::service::{Peer, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound file without sound.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

#[derive(Clone)]
struct Suite;

fn main() -> Result<(), String> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8931".to_owned());
    let folder = std::env::temp_dir().join(format!("contextd-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let engine = Engine::open(&folder, &EngineOptions::default(), &|_| None)
        .map_err(|error| error.to_string())?;
    let served =
        Served::new(Context::new(Arc::new(engine), || 0, contextd_render::pack, true), None, true);
    let server =
        HttpServer::start_with(served, &HttpOptions::new(address), McpRoute::new(|| Suite))?;
    eprintln!("serving http://{}/mcp", server.address());
    server.wait()
}

fn tools() -> Vec<Tool> {
    let tool = |name: &'static str, schema: Value| {
        Tool::new(
            name,
            "For the conformance suite",
            Arc::new(schema.as_object().cloned().unwrap_or_default()),
        )
    };
    let none = || json!({"type": "object", "properties": {}});
    let mut tools: Vec<Tool> = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_tool_with_progress",
        "test_error_handling",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_reconnection",
    ]
    .into_iter()
    .map(|name| tool(name, none()))
    .collect();
    let text = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
    tools.push(tool("test_sampling", text("prompt")));
    tools.push(tool("test_elicitation", text("message")));
    tools.push(tool(
        "json_schema_2020_12_tool",
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
            "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}}, "additionalProperties": false
        }),
    ));
    tools
}

fn embedded(uri: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text("This is an embedded resource content.", uri))
}

async fn content(
    name: &str,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> Result<Vec<ContentBlock>, ErrorData> {
    let peer = &context.peer;
    let text =
        |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(match name {
        "test_simple_text" => vec![ContentBlock::text("This is a simple text response for testing.")],
        "test_image_content" => vec![ContentBlock::image(PNG, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(WAV, "audio/wav")],
        "test_embedded_resource" => vec![embedded("test://embedded-resource")],
        "test_multiple_content_types" => vec![ContentBlock::text("Multiple content types test:"), ContentBlock::image(PNG, "image/png"), embedded("test://mixed-content-resource")],
        "test_tool_with_logging" => logged(peer).await,
        "test_tool_with_progress" => progressed(peer, context.meta.get_progress_token()).await,
        "test_sampling" => sampled(peer, &text("prompt")).await?,
        "test_elicitation" => elicited(peer, &text("message"), json!({"type": "object", "properties": {"username": {"type": "string", "description": "User's response"}, "email": {"type": "string", "description": "User's email address"}}, "required": ["username", "email"]})).await?,
        "test_elicitation_sep1034_defaults" => elicited(peer, "Please review the defaults", defaults()).await?,
        "test_elicitation_sep1330_enums" => elicited(peer, "Please choose", choices()).await?,
        "test_reconnection" => {
            tokio::time::sleep(Duration::from_millis(300)).await;
            vec![ContentBlock::text("Reconnection test completed")]
        }
        "json_schema_2020_12_tool" => vec![ContentBlock::text(json!(arguments).to_string())],
        _ => return Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None)),
    })
}

async fn logged(peer: &Peer<RoleServer>) -> Vec<ContentBlock> {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let _ = peer
            .notify_logging_message(LoggingMessageNotificationParam::new(
                LoggingLevel::Info,
                json!(line),
            ))
            .await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    vec![ContentBlock::text("Logged three lines.")]
}

async fn progressed(peer: &Peer<RoleServer>, token: Option<ProgressToken>) -> Vec<ContentBlock> {
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = token.clone() {
            let _ = peer
                .notify_progress(
                    ProgressNotificationParam::new(token, done)
                        .with_total(100.0)
                        .with_message(format!("Completed step {done} of 100")),
                )
                .await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    vec![ContentBlock::text("Done in three steps.")]
}

async fn sampled(peer: &Peer<RoleServer>, prompt: &str) -> Result<Vec<ContentBlock>, ErrorData> {
    let request = parsed(
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": prompt}}], "maxTokens": 100}),
    )?;
    let answer = peer
        .create_message(request)
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(vec![ContentBlock::text(format!("LLM response: {}", json!(answer)))])
}

async fn elicited(
    peer: &Peer<RoleServer>,
    message: &str,
    schema: Value,
) -> Result<Vec<ContentBlock>, ErrorData> {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(parsed(
        json!({"mode": "form", "message": message, "requestedSchema": schema}),
    )?));
    let answer = peer
        .send_request(request)
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(vec![ContentBlock::text(format!("Elicitation completed: {}", json!(answer)))])
}

fn parsed<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn defaults() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}, "verified": {"type": "boolean", "default": true}}})
}

fn choices() -> Value {
    let titled = |sort: &str| json!([{"const": "value1", "title": format!("First {sort}")}, {"const": "value2", "title": format!("Second {sort}")}, {"const": "value3", "title": format!("Third {sort}")}]);
    let plain = json!(["option1", "option2", "option3"]);
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}}}})
}

impl ServerHandler for Suite {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new(
            "contextd-conformance",
            env!("CARGO_PKG_VERSION"),
        ))
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let info = CompletionInfo::with_all_values(vec!["test".to_owned()])
            .map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "test_error_handling" {
            return Ok(CallToolResult::error(vec![ContentBlock::text(
                "This tool intentionally returns an error for testing",
            )])
            .into());
        }
        let arguments = request.arguments.unwrap_or_default();
        Ok(CallToolResult::success(content(&request.name, &arguments, &context).await?).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let names = ["static-text", "static-binary", "watched-resource"];
        Ok(ListResourcesResult::with_all_items(
            names
                .iter()
                .map(|name| {
                    Resource::new(format!("test://{name}"), *name)
                        .with_description("For the conformance suite")
                        .with_mime_type("text/plain")
                })
                .collect(),
        ))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![
            ResourceTemplate::new("test://template/{id}/data", "template")
                .with_mime_type("application/json"),
        ]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let contents = match uri.strip_prefix("test://").unwrap_or_default() {
            "static-text" => {
                ResourceContents::text("This is the content of the static text resource.", uri)
            }
            "static-binary" => ResourceContents::blob(PNG, uri).with_mime_type("image/png"),
            "watched-resource" => ResourceContents::text("Watched.", uri),
            other => match other
                .strip_prefix("template/")
                .and_then(|rest| rest.strip_suffix("/data"))
            {
                Some(id) => ResourceContents::text(
                    json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")})
                        .to_string(),
                    uri,
                )
                .with_mime_type("application/json"),
                None => {
                    return Err(ErrorData::resource_not_found(
                        format!("there is no resource `{uri}`"),
                        None,
                    ));
                }
            },
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str| {
            PromptArgument::new(name)
                .with_required(true)
                .with_description("For the conformance suite")
        };
        let prompt = |name: &str, arguments: Vec<PromptArgument>| {
            Prompt::new(name, Some("For the conformance suite"), Some(arguments))
        };
        Ok(ListPromptsResult::with_all_items(vec![
            prompt("test_simple_prompt", vec![]),
            prompt("test_prompt_with_arguments", vec![argument("arg1"), argument("arg2")]),
            prompt("test_prompt_with_embedded_resource", vec![argument("resourceUri")]),
            prompt("test_prompt_with_image", vec![]),
        ]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let says = |text: String| PromptMessage::new_text(Role::User, text);
        let messages = match request.name.as_str() {
            "test_simple_prompt" => vec![says("This is a simple prompt for testing.".to_owned())],
            "test_prompt_with_arguments" => vec![says(format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                given("arg1"),
                given("arg2")
            ))],
            "test_prompt_with_embedded_resource" => vec![
                PromptMessage::new(Role::User, embedded(given("resourceUri"))),
                says("Please process the embedded resource above.".to_owned()),
            ],
            "test_prompt_with_image" => vec![
                PromptMessage::new(Role::User, ContentBlock::image(PNG, "image/png")),
                says("Please analyze the image above.".to_owned()),
            ],
            other => {
                return Err(ErrorData::invalid_params(
                    format!("there is no prompt `{other}`"),
                    None,
                ));
            }
        };
        Ok(GetPromptResult::new(messages).into())
    }
}
