//! An agent's session over standard input and output.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Session {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let mut child = sandbox
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut session = Self { child, input, output, next: 0 };
        let hello = session.ask("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}));
        assert_eq!(hello["result"]["serverInfo"]["name"], "contextd", "{hello}");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server went away");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_agent_lists_tools_asks_and_leaves() {
    let sandbox = Sandbox::shop();
    let mut session = Session::start(&sandbox, &["serve", "--stdio"]);
    let tools = session.ask("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "context_for_task",
            "query_context",
            "context_for_files",
            "context_for_pr",
            "show",
            "grep",
            "symbol",
            "explain_symbol",
            "get_context_stats"
        ]
    );
    let tokens = contextd_pack::Tokenizer::O200k.count(&tools["result"].to_string());
    assert!(tokens <= 2_000, "{tokens}");

    let task = session.call("context_for_task", json!({"task": "charge the card at checkout"}));
    assert!(task["content"][0]["text"].as_str().unwrap().contains("def checkout"), "{task}");
    assert!(
        task["structuredContent"]["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|item| item["name"] == "charge"),
        "{task}"
    );
    let symbol = session.call("symbol", json!({"name": "Cart.total"}));
    assert_eq!(symbol["structuredContent"]["symbols"][0]["symbol"], "Cart.total");

    // A change is seen by the next answer.
    std::thread::sleep(Duration::from_millis(1_100));
    sandbox.fixture.write("shop/voucher.py", "def redeem_voucher(code):\n    return code\n");
    let found = session.call("symbol", json!({"name": "redeem_voucher"}));
    assert_eq!(found["structuredContent"]["symbols"][0]["file"], "shop/voucher.py", "{found}");

    let wrong = session.call("symbol", json!({"name": "nothing_like_it"}));
    assert_eq!(
        (wrong["isError"].as_bool(), wrong["structuredContent"]["error"]["code"].as_str()),
        (Some(true), Some("CTX_E_NOT_FOUND"))
    );
    let outside = session.call("refresh_context", json!({"paths": ["../../etc"]}));
    assert_eq!(outside["structuredContent"]["error"]["code"], "CTX_E_OUTSIDE_ROOT");

    drop(session.input.take());
    let closed = Instant::now();
    while session.child.try_wait().unwrap().is_none() {
        assert!(closed.elapsed() < Duration::from_secs(2), "the server outlives its client");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_tool_has_a_schema_and_answers() {
    let sandbox = Sandbox::shop();
    let mut session = Session::start(&sandbox, &["serve", "--tools", "all"]);
    let tools = session.ask("tools/list", json!({}))["result"]["tools"].clone();
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        let answer = session.call(tool["name"].as_str().unwrap(), json!({}));
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        assert!(!text.is_empty(), "{tool}: {answer}");
    }
}
