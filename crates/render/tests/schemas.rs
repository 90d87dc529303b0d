//! Every answer is what its published schema says.

mod support;

use contextd_ops::{Answer, Context, SCHEMAS, find};
use contextd_testkit::Fixture;
use serde_json::{Value, json};
use std::sync::Arc;
use support::valid;

#[test]
fn answers_are_what_their_schemas_say() {
    let fixture = Fixture::shop();
    let context = Context::new(Arc::new(fixture.engine()), || 7, contextd_render::pack, false);
    let run = |name: &str, input: Value| {
        (find(name).unwrap().run)(&context, input).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let mut seen: Vec<&str> = Vec::new();
    let mut check = |schema: &'static str, name: &str, input: Value| {
        let answer = run(name, input).to_json();
        valid(schema, &answer);
        seen.push(schema);
        answer
    };
    let first = check(
        "ContextPack",
        "context_pack_create",
        json!({"query": "refund a payment", "intent": "debug"}),
    );
    assert!(first["createdAt"].is_string() && first["stats"]["timings"].is_object());
    let second = check(
        "ContextPack",
        "context_pack_create",
        json!({"query": "charge the card", "strictness": "strict", "expansion": {"requireEvidence": true}}),
    );
    check("ContextPack", "context_pack_get", json!({"packId": first["packId"]}));
    for intent in ["answer", "summarize", "refactor", "impact", "contract"] {
        check(
            "ContextPack",
            "context_for_task",
            json!({"task": "checkout charges a card", "intent": intent, "format": "json"}),
        );
    }
    check(
        "ContextPack",
        "context_for_files",
        json!({"paths": ["shop/payment.py"], "format": "json"}),
    );
    check(
        "PackDiff",
        "context_pack_diff",
        json!({"from": first["packId"], "to": second["packId"]}),
    );
    check("Hits", "query_context", json!({"query": "where is a payment given back"}));
    check("Symbol", "symbol", json!({"name": "checkout"}));
    check("Why", "explain_symbol", json!({"symbol": "checkout", "task": "charge a card"}));
    check("Impact", "impact", json!({"target": "charge"}));
    check(
        "CodeGraph",
        "code_graph_context",
        json!({"entities": ["Cart", "expireSessions", "format_price"], "hopDepth": 3}),
    );
    check("CodeGraphError", "code_graph_context", json!({"entities": ["nowhere"]}));
    valid(
        "PackRequest",
        &json!({"query": "x", "held": {"packIds": ["a"]}, "budgets": {"maxItems": 3}, "focus": {"symbolId": "s"}}),
    );
    artifacts(&run, &context, &first);
    lines(&context);
    for (name, _) in SCHEMAS {
        // The others are checked by whoever makes those answers.
        let ours = [
            "ContextPack",
            "PackDiff",
            "Hits",
            "Symbol",
            "Why",
            "Impact",
            "CodeGraph",
            "CodeGraphError",
        ];
        assert!(!ours.contains(name) || seen.contains(name), "{name} was never checked");
    }
}

fn artifacts(run: &dyn Fn(&str, Value) -> Answer, context: &Context, pack: &Value) {
    run("context_pack_write", json!({"packIds": [pack["packId"]]}));
    let read = |name: &str| -> Value {
        serde_json::from_slice(&std::fs::read(context.engine.artifacts().join(name)).unwrap())
            .unwrap()
    };
    valid("PackShards", &read("context_packs.meta.json"));
    valid("PackManifest", &read("context_packs.manifest.json"));
    valid("ContextPack", &read("context_packs.jsonl"));
}

fn lines(context: &Context) {
    let reader = context.reader().unwrap();
    let mut count = 0;
    contextd_pack::lines(&reader.snapshot, &mut |line| {
        valid("LayerLine", &json!(line));
        count += 1;
    });
    assert!(count > 50);
}

#[test]
fn a_schema_refuses_what_is_not_in_it() {
    let wrong = std::panic::catch_unwind(|| valid("PackRequest", &json!({"query": 3})));
    assert!(wrong.is_err());
    let more = std::panic::catch_unwind(|| {
        valid(
            "PackManifest",
            &json!({"formatVersion": 1, "schema": "s", "schemaVersion": "1", "pieces": [], "more": 1}),
        )
    });
    assert!(more.is_err());
}
