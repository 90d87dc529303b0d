//! What commands print as JSON, against the schemas that the program publishes.

use crate::sandbox::Sandbox;
use contextd_ops::{answer_names, find, schema_named};
use serde_json::Value;

/// Fails when the output of a command is not what its schema says.
pub fn check(args: &[&str], value: &Value) {
    contextd_testkit::schemas::check(&names(args, value), &schema_named, value);
}

/// Returns the names of what a command may print.
fn names(args: &[&str], value: &Value) -> Vec<&'static str> {
    if value["error"]["code"].is_string() {
        return vec!["Failure"];
    }
    let hits = args.windows(2).any(|pair| pair == ["--format", "hits"]);
    let second = args.get(1).copied().unwrap_or_default();
    let operation = match (args[0], second) {
        ("index", _) => return vec!["IndexReport"],
        ("clean", _) => return vec!["Cleaned"],
        ("init" | "uninit", _) => return vec!["Registration", "Agents"],
        ("schema", _) => return Vec::new(),
        ("search" | "task" | "files", _) if hits => return vec!["QueryContext"],
        ("task" | "files" | "ctx", _)
            if args.windows(2).any(|pair| pair == ["--format", "codegraph"]) =>
        {
            "code_graph_context"
        }
        ("pack", "create") if args.contains(&"--write") => "context_pack_write",
        ("pack", word) => {
            return answer_names(
                find(&format!("pack-{word}")).map_or("", |operation| operation.name),
            )
            .to_vec();
        }
        ("context-pack", _) if args.contains(&"--write") => "context_pack_write",
        ("context-pack", _) => "context_pack_create",
        ("docs", "update") | ("sync-update", _) => "sync_update",
        ("docs", _) | ("sync-check", _) => "sync_check",
        ("ctx", _) => return vec!["Bundle", "ContextPack", "Unchanged"],
        ("audit", _) => "audit_secrets",
        ("test-scope", _) => "test_scope",
        ("report-usage" | "report", _) => "report_usage",
        (word, _) => find(word).map_or("", |operation| operation.name),
    };
    let names = answer_names(operation);
    assert!(!names.is_empty(), "no schema is known for {args:?}");
    names.to_vec()
}

/// Commands that answer with JSON, besides those that the other tests run.
const RUN: &[&[&str]] = &[
    &["index"],
    &["status"],
    &["stats"],
    &["doctor"],
    &["check-file", "shop/cart.py"],
    &["list-indexable"],
    &["project-stats"],
    &["validate-config"],
    &["audit", "secrets"],
    &["refresh"],
    &["rebuild", "--dry-run"],
    &["rebuild", "--confirm"],
    &["jobs"],
    &["task", "charge the card"],
    &["search", "where do sessions expire"],
    &["ask", "Charge the card only once at checkout"],
    &["files", "shop/payment.py"],
    &["symbol", "charge"],
    &["why", "charge", "--task", "charge the card"],
    &["impact", "charge"],
    &["tests", "shop/payment.py"],
    &["codegraph", "charge"],
    &["pack", "create", "charge the card"],
    &["pack", "list"],
    &["graph", "charge"],
    &["prime"],
    &["lint"],
    &["docs", "check"],
    &["feedback", "list"],
    &["savings"],
    &["savings", "--by", "provider"],
    &["savings", "--by", "language"],
    &["clean"],
];

#[test]
fn every_command_prints_what_its_schema_says() {
    let sandbox = Sandbox::shop();
    for words in RUN {
        let output = sandbox.run(&[words, &["--json"][..]].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        let value = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{words:?}: {error}: {text}{}", String::from_utf8_lossy(&output.stderr))
        });
        check(words, &value);
        assert!(value["error"].is_null(), "{words:?}: {value}");
    }
}

#[test]
fn exported_lines_are_what_their_schemas_say() {
    let sandbox = Sandbox::shop();
    sandbox.text(&["index"]);
    for (what, name) in [
        ("symbols", "ExportedSymbol"),
        ("edges", "ExportedEdge"),
        ("chunks", "ExportedChunk"),
        ("files", "ExportedFile"),
        ("layer", "LayerLine"),
    ] {
        let lines = sandbox.text(&["export", what]);
        assert!(lines.lines().count() > 3, "{what}");
        for line in lines.lines() {
            contextd_testkit::schemas::check(
                &[name],
                &schema_named,
                &serde_json::from_str(line).unwrap(),
            );
        }
    }
}

#[test]
fn every_wire_type_has_a_schema_that_the_program_prints() {
    let sandbox = Sandbox::shop();
    for name in contextd_ops::schema_names() {
        let schema = schema_named(name).unwrap();
        assert_eq!(
            sandbox.text(&["schema", name]).trim_end(),
            contextd_pack::canonical::to_string(&schema),
            "{name}"
        );
    }
    for operation in contextd_ops::OPERATIONS.iter().filter(|operation| operation.name != "schema")
    {
        let answer: Value =
            serde_json::from_str(&sandbox.text(&["schema", &format!("{}.answer", operation.name)]))
                .unwrap();
        assert!(
            answer["properties"].is_object()
                || answer["anyOf"].is_array()
                || answer["items"].is_object(),
            "{}: {answer}",
            operation.name
        );
        let input: Value = serde_json::from_str(
            &sandbox.text(&["schema", &format!("{}.input", operation.command)]),
        )
        .unwrap();
        assert_eq!(input["type"], "object", "{}", operation.name);
    }
    assert_eq!(sandbox.run(&["schema", "nothing"]).status.code(), Some(1));
}
