//! Answers made while it is found out whether the index is up to date: they stand or leave no trace.

use crate::sandbox::Sandbox;
use contextd_engine::{Engine, EngineOptions, RefreshOptions, Silent};
use contextd_ops::{Context, Listening, Operation, Trial, ahead, find};
use contextd_snapshot::{SnapshotName, current};
use contextd_store::{Ledger, UsageFilter};
use serde_json::{Value, json};
use std::sync::Arc;

fn context(sandbox: &Sandbox) -> Context {
    let engine =
        Engine::open(&sandbox.root, &EngineOptions::default(), &|_| None).expect("an engine");
    Context::new(Arc::new(engine), || 1_700_000_000_000, |_, _| Some(String::new()), false)
}

fn operation(name: &str) -> &'static Operation {
    find(name).expect("an operation")
}

/// Looks as a question does, and says which snapshot holds everything.
fn look(context: &Context, trial: &Trial) -> Option<SnapshotName> {
    let options = RefreshOptions {
        quick: true,
        beside: Some(trial.beside()),
        now: 1_900_000_000_000,
        ..RefreshOptions::default()
    };
    let refreshed = context
        .engine
        .refresh(&options, &Listening { progress: &Silent, trial })
        .expect("a refresh");
    refreshed.snapshot.filter(|_| !refreshed.changed)
}

/// Questions on account and packs that are remembered.
fn traces(context: &Context) -> (u64, usize) {
    let ledger = context.engine.ledger().expect("a ledger");
    (
        ledger.usage_summary(&UsageFilter::default()).expect("a summary").count,
        ledger.list_packs(10).expect("packs").len(),
    )
}

fn question() -> Value {
    json!({"query": "charge the total of a cart"})
}

#[test]
fn an_answer_stands_when_nothing_has_changed() {
    // Packs are remembered where nothing is declared.
    let sandbox = Sandbox::new();
    sandbox.write("cart.py", "class Cart:\n    def total(self):\n        return sum(self.lines)\n\n\ndef charge(cart):\n    return cart.total()\n");
    sandbox.write("back.py", "def give_back(receipt):\n    return receipt\n");
    sandbox.ask("status", Value::Null).expect("an index");
    let context = context(&sandbox);
    let (answered, answer) = ahead(&context, operation("query_context"), &question(), |trial| {
        Ok::<_, ()>(look(&context, trial))
    })
    .unwrap()
    .expect("nothing has changed");
    assert_eq!(traces(&context), (0, 0), "nothing is written before it is known to stand");
    let plain = (operation("query_context").run)(&context, question()).expect("an answer");
    assert!(answer.found());
    assert_eq!(answer.to_json(), plain.to_json());
    let other = json!({"query": "give the receipt back"});
    let (more, _) = ahead(&context, operation("query_context"), &other, |trial| {
        Ok::<_, ()>(look(&context, trial))
    })
    .unwrap()
    .expect("nothing has changed");
    let before = traces(&context);
    [answered, more].iter().for_each(Context::flush);
    assert_eq!(
        traces(&context),
        (before.0 + 2, before.1 + 1),
        "both are on the account, and the other pack is remembered"
    );
}

#[test]
fn a_change_before_the_question_is_never_missed() {
    let sandbox = Sandbox::shop();
    sandbox.ask("status", Value::Null).expect("an index");
    sandbox.edit("shop/pay.py", "def sign(amount):", "def seal(amount):");
    let (context, input) = (context(&sandbox), json!({"name": "seal"}));
    // The answer is ready, and wrong, before anybody looks.
    let waited = |trial: &Trial| {
        trial.beside().wait();
        Ok::<_, ()>(look(&context, trial))
    };
    assert!(ahead(&context, operation("symbol"), &input, waited).unwrap().is_none());
    assert!((operation("symbol").run)(&context, input).expect("what was written before").found());
    // One that was there and is gone.
    let (old, again) = (json!({"name": "charge"}), self::context(&sandbox));
    sandbox.edit("shop/pay.py", "def charge(", "def take(");
    let waited = |trial: &Trial| {
        trial.beside().wait();
        Ok::<_, ()>(look(&again, trial))
    };
    assert!(ahead(&again, operation("symbol"), &old, waited).unwrap().is_none());
    assert!((operation("symbol").run)(&again, old).is_err(), "nothing is called so any more");
    assert_eq!(traces(&again).0, 0, "what did not stand is on no account");
}

#[test]
fn only_the_snapshot_that_holds_everything_counts() {
    let sandbox = Sandbox::shop();
    sandbox.ask("status", Value::Null).expect("an index");
    let context = context(&sandbox);
    let published = current(&context.engine.places.index).expect("a name");
    let run = |name: &str, fresh: Option<SnapshotName>| {
        ahead(&context, operation(name), &question(), |_| Ok::<_, ()>(fresh)).unwrap().is_some()
    };
    assert!(run("query_context", published));
    assert!(!run("query_context", None), "nobody knows");
    assert!(
        !run("query_context", Some(SnapshotName(contextd_model::ContentHash([7; 32])))),
        "another one holds everything"
    );
    assert!(!run("context_pack_create", published), "what writes is run once");
    assert_eq!(traces(&context), (0, 0));
    assert_eq!(
        ahead(&context, operation("query_context"), &question(), |_| Err("no look")).err(),
        Some("no look")
    );
}
