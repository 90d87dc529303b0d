//! The program over standard input and output, with the SDK's own client.

use crate::sandbox::Sandbox;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
use std::process::Stdio;

#[test]
fn the_sdks_client_lists_and_calls_every_tool_in_both_revisions() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        for mode in [
            ClientLifecycleMode::Initialize,
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        ] {
            let sandbox = Sandbox::shop();
            sandbox.text(&["index"]);
            let mut command = tokio::process::Command::from(
                sandbox.command(&["serve", "--stdio", "--tools", "all"]),
            );
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn()
                .unwrap();
            let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
            let client = ().serve_with_lifecycle(streams, mode).await.unwrap();
            let tools = client.list_all_tools().await.unwrap();
            assert_eq!(tools.len(), contextd_ops::OPERATIONS.len());
            for tool in tools {
                let result =
                    client.call_tool(CallToolRequestParams::new(tool.name.clone())).await.unwrap();
                assert!(
                    !result.content.is_empty() && result.structured_content.is_some(),
                    "{}",
                    tool.name
                );
            }
            client.cancel().await.unwrap();
            assert!(child.wait().await.unwrap().success());
        }
    });
}
