//! The MCP server.

use crate::fresh::Fresh;
use crate::response;
use crate::tools::{self, ToolSet};
use contextd_ops::{Answer, Context, OpError, find, new_session};
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const INSTRUCTIONS: &str = "contextd answers questions about the code of this project from a local index. Begin work with context_for_task; use query_context to find places, symbol for definitions and uses, context_for_files before editing. Answers name files and lines, and mark what is guessed or stale.";

/// Most tokens of a pack in a response; the structure needs room too.
const PACK_TOKENS: u64 = 16_000;

/// Serves the operations of one root to one client.
#[derive(Clone)]
pub struct Mcp {
    context: Arc<Context>,
    fresh: Arc<Fresh>,
    tools: ToolSet,
}

impl Mcp {
    /// Makes a server and begins to index behind it.
    pub fn new(context: Arc<Context>, tools: ToolSet) -> Self {
        let fresh = Arc::new(Fresh::default());
        fresh.begin(&context);
        // A connection is a session; one that was named is taken up again.
        let context = if context.asker.session.is_none() { Arc::new(context.in_session(new_session((context.now)()))) } else { context };
        Self { context, fresh, tools }
    }

    fn call(&self, name: &str, input: Value) -> CallToolResult {
        let Some(operation) = find(name) else {
            return response::refusal(&OpError::not_found(format!("there is no tool `{name}`"), "List the tools first."));
        };
        self.fresh.before_answer(&self.context);
        let note = self.fresh.is_building().then_some("The index is still being built: this answer may be incomplete.");
        match (operation.run)(&self.context, limited(operation.name, input)) {
            Ok(answer) => response::answer(&answer, note),
            Err(error) if error.code == "POC_E_INDEX_MISSING" && self.fresh.is_building() => {
                response::answer(&Answer::Facts(json!({"status": "indexing", "message": "The index is being built. Ask again in a moment."}), true), None)
            }
            Err(error) => response::refusal(&error),
        }
    }
}

/// Keeps the budgets of packs below what a response may hold.
fn limited(name: &str, mut input: Value) -> Value {
    if matches!(name, "context_for_task" | "context_for_files") && let Some(map) = input.as_object_mut() {
        for key in ["budget", "maxTokens"] {
            if let Some(asked) = map.get(key).and_then(Value::as_u64).filter(|&asked| asked > PACK_TOKENS) {
                tracing::info!("a budget of {asked} tokens was lowered to {PACK_TOKENS}");
                map.insert(key.to_owned(), json!(PACK_TOKENS));
            }
        }
        map.insert("format".to_owned(), json!("text"));
    }
    input
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(Implementation::new("contextd", env!("CARGO_PKG_VERSION"))).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(&self, _request: Option<PaginatedRequestParams>, _context: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.tools)))
    }

    async fn call_tool(&self, request: CallToolRequestParams, _context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let server = self.clone();
        let input = request.arguments.map_or(json!({}), Value::Object);
        let name = request.name.into_owned();
        let result = tokio::task::spawn_blocking(move || server.call(&name, input)).await;
        result.map(Into::into).map_err(|error| ErrorData::internal_error(format!("the operation broke off: {error}"), None))
    }
}

/// Serves over standard input and output until the client closes them.
pub fn serve_stdio(context: Arc<Context>, tools: ToolSet) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| format!("the runtime cannot start: {error}"))?;
    let result = runtime.block_on(async {
        let service = Mcp::new(context, tools).serve(rmcp::transport::stdio()).await.map_err(|error| format!("the session could not begin: {error}"))?;
        service.waiting().await.map(drop).map_err(|error| format!("the session broke off: {error}"))
    });
    // Work that goes on behind the answers may be left: the next start continues it.
    runtime.shutdown_timeout(Duration::from_millis(200));
    result
}
