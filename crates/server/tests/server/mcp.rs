//! MCP with the SDK's own client: both revisions, over the framing of standard streams and over HTTP.

#![allow(deprecated)] // Roots: older revisions still have them.

use crate::http_client::forward;
use crate::support::{Shop, context};
use contextd_ops::OPERATIONS;
use contextd_server::{Mcp, Served, ToolSet};
use contextd_testkit::Fixture;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientConfig, GetPromptRequestParams, ListRootsResult,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, Root,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RequestContext, RoleClient,
    RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ErrorData, ServiceExt as _};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A client that remembers progress and has roots.
#[derive(Clone, Default)]
struct Agent {
    progress: Arc<Mutex<Vec<f64>>>,
    roots: Vec<String>,
}

impl ClientHandler for Agent {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        if !self.roots.is_empty() {
            info.capabilities.roots = Some(rmcp::model::RootsCapabilities::default());
        }
        info
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.iter().map(Root::new).collect()))
    }

    async fn on_progress(
        &self,
        note: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.progress.lock().unwrap().push(note.progress);
    }
}

type Client = RunningService<RoleClient, Agent>;

fn modes() -> [(ClientLifecycleMode, &'static str); 2] {
    [
        (ClientLifecycleMode::Initialize, "2025-11-25"),
        (
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
            "2026-07-28",
        ),
    ]
}

/// Speaks over streams, as over standard input and output.
async fn over_streams(
    served: Arc<Served>,
    tools: ToolSet,
    agent: Agent,
    mode: ClientLifecycleMode,
) -> Client {
    let (near, far) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let service = Mcp::new(served, tools).serve(far).await.unwrap();
        let _ = service.waiting().await;
    });
    agent.serve_with_lifecycle(near, mode).await.unwrap()
}

/// What to call a tool with so that it has something to say; others are called with nothing.
fn arguments(tool: &str) -> Value {
    match tool {
        "context_for_task" => json!({"task": "charge the card at checkout"}),
        "query_context" => json!({"query": "where do sessions expire"}),
        "context_for_files" => json!({"paths": ["shop/payment.py"]}),
        "symbol" => json!({"name": "charge"}),
        "explain_symbol" => json!({"symbol": "charge", "task": "charge the card"}),
        "impact" => json!({"target": "charge"}),
        "rebuild_context" => json!({"confirm": true, "options": {"validateOnly": true}}),
        "check_file" => json!({"paths": ["shop/payment.py"]}),
        "context_pack_create" => json!({"query": "charge the card"}),
        "schema" => json!({"name": "ContextPack"}),
        "task_context" => json!({"title": "charge the card"}),
        "add_context" => json!({"file_path": "shop/payment.py"}),
        "delete_context" => json!({"file_path": "shop/nothing.py"}),
        "refresh_context" => json!({"async": false}),
        _ => json!({}),
    }
}

/// Tools that have nothing to say to the arguments above.
const REFUSING: &[&str] = &["context_pack_get", "context_pack_diff"];

async fn call(client: &Client, name: &str, input: Value) -> CallToolResult {
    let arguments = input.as_object().cloned().unwrap();
    client
        .call_tool(CallToolRequestParams::new(name.to_owned()).with_arguments(arguments))
        .await
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Lists and calls everything there is.
async fn try_everything(client: &Client) {
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), OPERATIONS.len());
    for tool in &tools {
        let result = call(client, &tool.name, arguments(&tool.name)).await;
        let text = result.content[0].as_text().unwrap().text.clone();
        assert!(!text.is_empty() && result.structured_content.is_some(), "{}", tool.name);
        let known = arguments(&tool.name) != json!({})
            || matches!(&*tool.name, "status" | "get_context_stats" | "doctor" | "list_indexable");
        assert!(
            !known || REFUSING.contains(&&*tool.name) || result.is_error != Some(true),
            "{}: {text}",
            tool.name
        );
        let annotations = tool.annotations.as_ref().unwrap();
        let operation = OPERATIONS.iter().find(|operation| operation.name == tool.name).unwrap();
        assert_eq!(
            (annotations.read_only_hint, annotations.destructive_hint.unwrap_or(false)),
            (Some(operation.read_only), operation.destructive)
        );
    }
    for resource in client.list_all_resources().await.unwrap() {
        let read = client
            .read_resource(ReadResourceRequestParams::new(resource.uri.clone()))
            .await
            .unwrap();
        assert!(!read.contents.is_empty(), "{}", resource.uri);
    }
    assert!(
        client
            .read_resource(ReadResourceRequestParams::new("contextd://schema/ContextPack"))
            .await
            .is_ok()
    );
    assert!(
        client.read_resource(ReadResourceRequestParams::new("contextd://nothing")).await.is_err()
    );
    assert_eq!(client.list_all_resource_templates().await.unwrap().len(), 3);
    let prompts = client.list_all_prompts().await.unwrap();
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["refactor_safely", "review_pr", "investigate_dead_code"]);
    for name in names {
        let arguments = json!({"symbol": "charge"}).as_object().cloned().unwrap();
        let prompt = client
            .get_prompt(GetPromptRequestParams::new(name).with_arguments(arguments))
            .await
            .unwrap();
        let text = serde_json::to_string(&prompt.messages).unwrap();
        let says = match name {
            "refactor_safely" => "checkout",
            "review_pr" => "Review the change",
            _ => "expireSessions",
        };
        assert!(text.contains(says), "{text}");
    }
    let unknown = client.call_tool(CallToolRequestParams::new("no_such_tool")).await.unwrap_err();
    assert!(unknown.to_string().contains("no_such_tool"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_works_over_streams_in_both_revisions() {
    for (mode, version) in modes() {
        let fixture = Fixture::shop();
        let client = over_streams(
            Served::new(context(&fixture), None, true),
            ToolSet::All,
            Agent::default(),
            mode,
        )
        .await;
        assert_eq!(client.peer_info().unwrap().protocol_version.as_str(), version);
        try_everything(&client).await;
        client.cancel().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_works_over_http_in_both_revisions() {
    let shop = Shop::with(Fixture::shop(), |options| options.tools = ToolSet::All);
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("mcp");
    forward(&socket, shop.server.address());
    for (mode, version) in modes() {
        let transport = StreamableHttpClientTransport::from_unix_socket(
            socket.to_str().unwrap(),
            "http://localhost/mcp",
        );
        let client = Agent::default().serve_with_lifecycle(transport, mode).await.unwrap();
        assert_eq!(client.peer_info().unwrap().protocol_version.as_str(), version);
        try_everything(&client).await;
        client.cancel().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_work_reports_progress_that_grows() {
    let fixture = Fixture::empty();
    for number in 0..600 {
        fixture.write(
            &format!("part/module_{number}.py"),
            &format!("def handler_{number}(request):\n    return request.path\n"),
        );
    }
    let agent = Agent::default();
    let client = over_streams(
        Served::new(context(&fixture), None, true),
        ToolSet::All,
        agent.clone(),
        ClientLifecycleMode::Initialize,
    )
    .await;
    let result = call(&client, "rebuild_context", json!({"confirm": true, "async": false})).await;
    assert_eq!(result.structured_content.unwrap()["status"], "completed");
    let heard = agent.progress.lock().unwrap().clone();
    assert!(heard.windows(2).all(|pair| pair[0] < pair[1]), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_call_ends_and_the_session_goes_on() {
    let fixture = Fixture::shop();
    let client = over_streams(
        Served::new(context(&fixture), None, true),
        ToolSet::All,
        Agent::default(),
        ClientLifecycleMode::Initialize,
    )
    .await;
    let request = rmcp::model::ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(
        CallToolRequestParams::new("rebuild_context")
            .with_arguments(json!({"confirm": true, "async": false}).as_object().cloned().unwrap()),
    ));
    let running = client
        .send_cancellable_request(request, rmcp::service::PeerRequestOptions::default())
        .await
        .unwrap();
    running.cancel(Some("changed my mind".to_owned())).await.unwrap();
    let result = call(&client, "symbol", json!({"name": "charge"})).await;
    assert_ne!(result.is_error, Some(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clients_root_is_served_unless_one_was_named() {
    let (here, there) = (Fixture::empty(), Fixture::shop());
    here.write("only_here.py", "def only_here():\n    return 1\n");
    for pinned in [false, true] {
        let open = Arc::new(|path: &std::path::Path| {
            contextd_engine::Engine::open(path, &contextd_engine::EngineOptions::default(), &|_| {
                None
            })
            .map(|engine| {
                contextd_ops::Context::new(
                    Arc::new(engine),
                    crate::support::now,
                    contextd_render::pack,
                    true,
                )
            })
            .map_err(|error| error.to_string())
        });
        let agent = Agent {
            roots: vec![
                "file:///no/such/folder".to_owned(),
                format!("file://{}", there.root().display()),
            ],
            ..Agent::default()
        };
        let client = over_streams(
            Served::new(context(&here), Some(open), pinned),
            ToolSet::Core,
            agent,
            ClientLifecycleMode::Initialize,
        )
        .await;
        let name = if pinned { "only_here" } else { "charge" };
        let mut found = false;
        for _ in 0..100 {
            found = call(&client, "symbol", json!({ "name": name })).await.is_error != Some(true);
            if found {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert!(found, "pinned: {pinned}");
        client.cancel().await.unwrap();
    }
}
