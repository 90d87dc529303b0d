//! What was learned: takes part in sessions only, holds while the code holds, and is never lost.

use contextd_engine::{Engine, RefreshOptions, Silent};
use contextd_ops::{Answer, Context, find};
use contextd_pack::ContextPack;
use contextd_store::{Feedback, FeedbackFilter, Ledger, Verdict};
use contextd_testkit::Fixture;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn render(pack: &ContextPack, _format: &str) -> Option<String> {
    Some(pack.canonical())
}

fn context(fixture: &Fixture) -> Context {
    Context::new(Arc::new(fixture.engine()), || 1_700_000_000_000, render, false)
}

fn run(context: &Context, name: &str, input: Value) -> Answer {
    let operation = find(name).expect("an operation");
    let answer = (operation.run)(context, input)
        .unwrap_or_else(|error| panic!("{name}: {} {}", error.code, error.message));
    contextd_testkit::schemas::check(
        contextd_ops::answer_names(operation.name),
        &contextd_ops::schema_named,
        &answer.to_json(),
    );
    answer
}

fn task(context: &Context, input: Value) -> ContextPack {
    match run(context, "context_for_task", input) {
        Answer::Pack(pack) => *pack,
        other => panic!("{other:?}"),
    }
}

fn facts(context: &Context, name: &str, input: Value) -> Value {
    run(context, name, input).to_json()
}

const REQUEST: &str = "give the money of a payment back";

#[test]
fn without_a_session_everything_is_cold() {
    let fixture = Fixture::shop();
    let context = context(&fixture);
    let before = task(&context, json!({"task": REQUEST, "format": "json"}));
    assert_eq!(before.learned_state, "cold");
    facts(&context, "feedback", json!({"useful": ["sign"], "query": REQUEST}));
    task(&context, json!({"task": REQUEST, "format": "json", "session": "a"}));
    assert_eq!(
        task(&context, json!({"task": REQUEST, "format": "json"})).canonical(),
        before.canonical()
    );
    assert_eq!(
        task(&context, json!({"task": REQUEST, "format": "json", "session": "a", "cold": true}))
            .canonical(),
        before.canonical()
    );
}

#[test]
fn the_same_state_gives_the_same_bytes_and_another_state_another_id() {
    let (one, two) = (Fixture::shop(), Fixture::shop());
    let (first, second) = (context(&one), context(&two));
    let mut ids = Vec::new();
    for context in [&first, &second] {
        facts(
            context,
            "feedback",
            json!({"useful": ["sign"], "notUseful": ["refund"], "query": REQUEST}),
        );
    }
    for request in [REQUEST, "charge the card", REQUEST] {
        let input = |session: &str| json!({"task": request, "format": "json", "session": session});
        // Different names of sessions and different folders: the state counts.
        let (a, b) = (task(&first, input("a")), task(&second, input("b")));
        assert_eq!(a.learned_state, b.learned_state);
        // Only the folder's name, which is the repository's id here, tells the packs apart.
        assert_eq!(
            (&a.sections, &a.edges, &a.seeds, &a.pack_root),
            (&b.sections, &b.edges, &b.seeds, &b.pack_root)
        );
        ids.push(a.pack_id);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3, "the third request met another state of the session than the first");
    // A process that was started again reads the same state from the ledger.
    let again = Context::new(first.engine.clone(), || 1_800_000_000_000, render, false);
    let input = |id: &str| json!({"task": "sessions expire", "format": "json", "session": id});
    first.flush();
    let mut ledger = first.engine.ledger().unwrap();
    let kept = ledger.session("a").unwrap().unwrap();
    let live = task(&first, input("a")).canonical();
    first.flush();
    ledger.put_session(&kept).unwrap();
    assert_eq!(task(&again, input("a")).canonical(), live);
}

#[test]
fn sessions_do_not_leak_into_each_other() {
    let fixture = Fixture::shop();
    let context = context(&fixture);
    let ask = |session: &str, request: &str| {
        task(&context, json!({"task": request, "format": "json", "session": session}))
    };
    let fresh = ask("reference", REQUEST);
    for request in ["charge the card", "`Cart.total` is wrong", "sign messages", "expire sessions"]
    {
        ask("busy", request);
    }
    assert_eq!(ask("other", REQUEST).canonical(), fresh.canonical());
    let busy = ask("busy", REQUEST);
    assert_ne!(busy.learned_state, fresh.learned_state);
    assert!(busy.items().any(|item| item.known), "what the session was sent is marked");
    assert!(fresh.items().all(|item| !item.known));
}

#[test]
fn a_delta_leaves_out_what_was_sent() {
    let fixture = Fixture::shop();
    let context = context(&fixture);
    let ask = |delta: bool| {
        task(&context, json!({"task": REQUEST, "format": "json", "session": "s", "delta": delta}))
    };
    let first = ask(true);
    assert!(first.items().all(|item| !item.excerpt.text.is_empty()));
    let second = ask(true);
    assert!(
        second
            .items()
            .filter(|item| item.known)
            .all(|item| item.excerpt.text.is_empty() && item.excerpt.detail == "known")
    );
    assert!(second.stats.tokens < first.stats.tokens);
}

fn rank(context: &Context, session: &str, symbol: &str) -> (u64, Vec<String>) {
    let why = facts(
        context,
        "explain_symbol",
        json!({"symbol": symbol, "task": REQUEST, "session": session}),
    );
    let terms = why["terms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|term| term["signal"].as_str().unwrap().to_owned())
        .collect();
    (why["rank"].as_u64().unwrap_or(u64::MAX), terms)
}

#[test]
fn judgements_move_ranks_are_explained_and_expire_with_their_package() {
    let fixture = Fixture::shop();
    let context = context(&fixture);
    let (cold, terms) = rank(&context, "s", "sign");
    assert!(terms.iter().all(|term| !term.starts_with("learned")));
    for _ in 0..3 {
        facts(
            &context,
            "feedback",
            json!({"useful": ["sign"], "notUseful": ["refund"], "query": REQUEST}),
        );
    }
    let (warm, terms) = rank(&context, "s", "sign");
    assert!(warm < cold, "{warm} {cold}");
    assert!(
        terms.iter().any(|term| term == "learned_feedback")
            && terms.iter().any(|term| term == "learned_vocabulary"),
        "{terms:?}"
    );
    let listed = facts(&context, "feedback", json!({"action": "list"}));
    assert_eq!((listed["valid"].as_u64(), listed["expired"].as_u64()), (Some(6), Some(0)));
    // A change in another package leaves them; one in a neighbouring file ends them.
    fixture.write("web/session.ts", "export const x = 1;\n");
    refresh(&context.engine);
    assert_eq!(facts(&context, "feedback", json!({"action": "list"}))["valid"], 6);
    fixture.write("shop/cart.py", "class Cart:\n    pass\n");
    refresh(&context.engine);
    let listed = facts(&context, "feedback", json!({"action": "list"}));
    assert_eq!((listed["valid"].as_u64(), listed["expired"].as_u64()), (Some(0), Some(6)));
    let (_, terms) = rank(&context, "s2", "sign");
    assert!(terms.iter().all(|term| !term.starts_with("learned")), "{terms:?}");
}

fn refresh(engine: &Engine) {
    engine
        .refresh(
            &RefreshOptions {
                now: 1_700_000_001_000,
                wait: Duration::from_secs(60),
                ..RefreshOptions::default()
            },
            &Silent,
        )
        .expect("an index");
}

#[test]
fn what_was_learned_can_be_exported_forgotten_and_imported() {
    let fixture = Fixture::shop();
    let context = context(&fixture);
    facts(
        &context,
        "feedback",
        json!({"useful": ["sign", "charge"], "query": REQUEST, "note": "good"}),
    );
    let version = |context: &Context| {
        facts(context, "feedback", json!({"action": "list"}))["learnedState"].clone()
    };
    let before = version(&context);
    let Answer::Lines(lines) = run(&context, "feedback", json!({"action": "export"})) else {
        panic!("lines")
    };
    let rows: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        facts(&context, "feedback", json!({"action": "forget", "symbol": "sign"}))["forgotten"],
        1
    );
    assert_eq!(
        facts(&context, "feedback", json!({"action": "forget", "all": true}))["forgotten"],
        1
    );
    assert_ne!(version(&context), before);
    assert_eq!(
        facts(&context, "feedback", json!({"action": "import", "rows": rows}))["imported"],
        2
    );
    assert_eq!(
        facts(&context, "feedback", json!({"action": "import", "rows": rows}))["imported"],
        0
    );
    assert_eq!(version(&context), before, "the same judgements are the same state");
    let explained = facts(
        &context,
        "feedback",
        json!({"action": "explain", "symbol": "charge", "query": REQUEST}),
    );
    assert_eq!(explained["judgements"][0]["counts"], true);
}

#[test]
fn usage_is_reported_counted_and_compared() {
    let fixture = Fixture::shop();
    let context = context(&fixture);
    let pack = task(&context, json!({"task": REQUEST, "format": "json", "session": "s"}));
    let report = facts(
        &context,
        "report_usage",
        json!({"packId": pack.pack_id, "used": ["refund", "no_such_thing"], "taskId": "t1", "tokensInput": 900, "tokensOutput": 100, "session": "s"}),
    );
    assert_eq!((&report["used"], &report["unknown"]), (&json!(1), &json!(["no_such_thing"])));
    assert_eq!(
        report["unused"].as_u64().unwrap() + 1,
        pack.items().filter(|item| item.symbol_id.is_some()).count() as u64
    );
    facts(
        &context,
        "report_usage",
        json!({"taskId": "t1", "tokensInput": 9000, "tokensOutput": 1000, "phase": "before"}),
    );
    let reports = facts(&context, "savings", json!({"by": "reports"}));
    assert_eq!(reports["tasks"][0]["reductionPercent"], 90.0);
    assert_eq!(
        (
            &reports["before"]["avgTotal"],
            &reports["after"]["avgInput"],
            &reports["reductionPercent"]
        ),
        (&json!(10_000.0), &json!(900.0), &json!(90.0))
    );
    let kinds = facts(&context, "savings", json!({"by": "kind"}));
    assert_eq!(
        (&kinds["groups"][0]["key"], &kinds["groups"][0]["itemsUsed"]),
        (&json!("context_for_task"), &json!(1))
    );
    assert_eq!(kinds["total"]["tokens"], pack.stats.tokens);
    let used: u64 = facts(&context, "savings", json!({"by": "provider"}))["providers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["used"].as_u64().unwrap())
        .sum();
    assert_eq!(used, 1);
    let text = contextd_ops::prometheus(&context).unwrap();
    assert!(text.contains("contextd_queries_total{op=\"context_for_task\"} 1"), "{text}");
}

#[test]
fn stored_queries_are_scrubbed() {
    let fixture = Fixture::shop();
    let context = context(&fixture);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    task(
        &context,
        json!({"task": format!("why is the token {secret} refused by charge"), "format": "json"}),
    );
    context.flush();
    let rows = context.engine.ledger().unwrap().usage_query(&Default::default()).unwrap();
    assert_eq!(rows.len(), 1);
    assert!(!rows[0].query.as_ref().unwrap().contains(&secret), "{rows:?}");
    assert!(!format!("{rows:?}").contains(&secret));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Writers of several threads, each with its own connection as processes have, lose nothing, neither
    /// judgements nor steps of a session they share.
    #[test]
    fn concurrent_feedback_loses_nothing(writers in prop::collection::vec(1usize..12, 2..5), batch in 1usize..4) {
        let fixture = Fixture::empty();
        fixture.write("a.py", "def f():\n    pass\n");
        let engine = Arc::new(fixture.engine());
        let threads: Vec<_> = writers.iter().enumerate().map(|(writer, &times)| {
            let engine = engine.clone();
            std::thread::spawn(move || for time in 0..times {
                let row = |place: usize| Feedback { ts: 1, session_id: None, pack_id: None, target: format!("{writer}.{time}.{place}"), verdict: Verdict::Used, anchor: String::new(), words: Vec::new(), note: None, chance: None };
                let mut ledger = engine.ledger().expect("a ledger");
                ledger.put_feedback(&(0..batch).map(row).collect::<Vec<_>>()).expect("writes");
                let context = Context::new(engine.clone(), || 2, render, false);
                task(&context, json!({"task": "f", "format": "json", "session": "shared"}));
                context.flush();
            })
        }).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        let total: usize = writers.iter().sum();
        let ledger = engine.ledger().expect("a ledger");
        let mut targets: Vec<String> = ledger.feedback(&FeedbackFilter::default()).expect("reads").into_iter().map(|row| row.target).collect();
        targets.sort();
        targets.dedup();
        prop_assert_eq!(targets.len(), total * batch);
        prop_assert_eq!(ledger.session("shared").expect("reads").expect("is there").step, total as u64);
    }
}
