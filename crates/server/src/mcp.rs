//! The MCP server: tools, resources and prompts of what is served, for one client.

mod complete;
mod kept;
mod prompts;
mod resources;
mod response;
mod roots;
mod session;
mod tools;

pub use tools::{ToolSet, list};

use crate::call::{CallProgress, call};
use crate::served::Served;
use contextd_ops::{OpError, find};
use kept::Kept;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant};

const INSTRUCTIONS: &str = "contextd answers questions about the code of this project from a local index. Begin work with context_for_task and give it names: 5 to 12 identifiers, file names, messages or terms that you expect in the code, guesses welcome. Use show to read several places at once, grep to see whether a place is the only one, query_context to find places, symbol for definitions and uses. Answers name files and lines, and mark what is guessed or stale.";

/// Most tokens of a pack in a response; the structure needs room too.
const PACK_TOKENS: u64 = 16_000;
/// How often a client hears about progress.
const TICK: Duration = Duration::from_millis(150);

/// Serves the operations of one root to one client.
#[derive(Clone)]
pub struct Mcp {
    served: Arc<Served>,
    tools: ToolSet,
    kept: Arc<Kept>,
    session: Arc<Session>,
}

impl Mcp {
    /// Makes a server for a client; indexing begins with its first request.
    pub fn new(served: Arc<Served>, tools: ToolSet) -> Self {
        let session = Session::new((served.root().context.now)());
        Self { served, tools, kept: Arc::default(), session: Arc::new(session) }
    }

    /// Returns a server for another client of the same process.
    pub(crate) fn for_client(&self) -> Self {
        let session = Session::new((self.served.root().context.now)());
        Self { session: Arc::new(session), ..self.clone() }
    }

    fn call(&self, name: &str, input: Value, progress: &Arc<CallProgress>) -> CallToolResult {
        let Some(operation) = find(name) else {
            return response::refusal(&OpError::not_found(
                format!("there is no tool `{name}`"),
                "List the tools first.",
            ));
        };
        let start = Instant::now();
        let result = match call(
            &self.served,
            operation,
            limited(operation.name, input),
            progress,
            Some(&self.session.id),
        ) {
            Ok(called) => response::answer(&called.answer, called.partial, &self.kept),
            Err(error) => response::refusal(&error),
        };
        self.session.note(operation.name, start.elapsed(), result.is_error != Some(true));
        result
    }
}

/// Keeps the budgets of packs below what a response may hold.
fn limited(name: &str, mut input: Value) -> Value {
    let pack = matches!(
        name,
        "context_for_task" | "context_for_files" | "context_for_pr" | "recent_changes"
    );
    if let Some(map) = input.as_object_mut().filter(|_| pack) {
        for key in ["budget", "maxTokens"] {
            if let Some(asked) =
                map.get(key).and_then(Value::as_u64).filter(|&asked| asked > PACK_TOKENS)
            {
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
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("contextd", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        roots::follow(&self.served, &context.peer).await;
        self.served.begin();
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        roots::follow(&self.served, &context.peer).await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list(self.tools)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        find(name).map(|operation| tools::tool(operation, self.tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        if find(&name).is_none() {
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{name}`: list the tools first"),
                Some(json!({"code": "CTX_E_NOT_FOUND"})),
            ));
        }
        let input = request.arguments.map_or(json!({}), Value::Object);
        let progress = Arc::new(CallProgress::default());
        let (server, shared) = (self.clone(), progress.clone());
        let mut work = tokio::task::spawn_blocking(move || server.call(&name, input, &shared));
        let token = context.meta.get_progress_token();
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                done = &mut work => return done.map(Into::into).map_err(|error| ErrorData::internal_error(format!("the operation broke off: {error}"), None)),
                () = context.ct.cancelled() => {
                    progress.cancel();
                    return Err(ErrorData::invalid_request("the call was cancelled", Some(json!({"code": "CTX_E_CANCELLED"}))));
                }
                _ = ticks.tick(), if token.is_some() => {
                    let Some((token, report)) = token.clone().zip(progress.report()) else { continue };
                    let mut note = ProgressNotificationParam::new(token, report.done as f64).with_message(report.message);
                    note.total = report.total.map(|total| total as f64);
                    // A client that hears nothing still gets the answer.
                    let _ = context.peer.notify_progress(note).await;
                }
            }
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let server = self.clone();
        blocking(move || resources::read(&server, &request.uri)).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let server = self.clone();
        let arguments = request.arguments.unwrap_or_default();
        blocking(move || prompts::get(&server, &request.name, &arguments)).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let served = self.served.clone();
        blocking(move || complete::complete(&served, &request)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ErrorData> + Send + 'static,
) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        ErrorData::internal_error(format!("the request broke off: {error}"), None)
    })?
}

/// Serves over standard input and output until the client closes them.
pub fn serve_stdio(served: Arc<Served>, tools: ToolSet) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| format!("the runtime cannot start: {error}"))?;
    let result = runtime.block_on(async {
        let service = Mcp::new(served, tools)
            .serve(rmcp::transport::stdio())
            .await
            .map_err(|error| format!("the session could not begin: {error}"))?;
        service.waiting().await.map(drop).map_err(|error| format!("the session broke off: {error}"))
    });
    // Work that goes on behind the answers may be left: the next start continues it.
    runtime.shutdown_timeout(Duration::from_millis(200));
    result
}
