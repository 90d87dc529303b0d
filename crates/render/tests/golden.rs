//! Golden packs: one small repository with a known call graph, in every format.
//!
//! `main` calls `checkout`, which calls `Cart.total` and `charge`; `charge` calls `sign`; a test calls
//! `checkout`; a document names `charge`. What changes here is changed knowingly:
//! `cargo xtask bless --reason "why"` writes the files anew and the reason beside them.

use contextd_engine::{Engine, EngineOptions, RefreshOptions, Silent};
use contextd_ops::{Answer, Context, find};
use contextd_pack::ContextPack;
use contextd_render::Format;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const FILES: &[(&str, &str)] = &[
    (
        "five/cart.py",
        "class Cart:\n    \"\"\"What a customer wants to buy.\"\"\"\n\n    def __init__(self):\n        self.lines = []\n\n    def add(self, price, count=1):\n        self.lines.append((price, count))\n\n    def total(self) -> int:\n        \"\"\"Returns the sum of all lines.\"\"\"\n        return sum(price * count for price, count in self.lines)\n",
    ),
    (
        "five/payment.py",
        "import hashlib\n\n\ndef sign(message: str) -> str:\n    return hashlib.sha256(message.encode()).hexdigest()\n\n\ndef charge(card: str, amount: int) -> str:\n    \"\"\"Sends a payment to the bank — and returns its receipt.\"\"\"\n    return sign(f\"{card}:{amount}\")\n",
    ),
    (
        "five/checkout.py",
        "from five.cart import Cart\nfrom five.payment import charge\n\n\ndef checkout(cart: Cart, card: str) -> str:\n    \"\"\"Charges the card with the total of the cart.\"\"\"\n    if not cart.lines:\n        raise ValueError(\"the cart is empty\")\n    return charge(card, cart.total())\n\n\ndef main():\n    cart = Cart()\n    cart.add(3)\n    return checkout(cart, \"4111\")\n",
    ),
    (
        "tests/test_checkout.py",
        "from five.cart import Cart\nfrom five.checkout import checkout\n\n\ndef test_checkout_charges_the_total():\n    cart = Cart()\n    cart.add(5, 2)\n    assert checkout(cart, \"4111\")\n",
    ),
    ("docs/payments.md", "# Payments\n\nThe bank answers `charge` with a receipt.\n"),
];

/// An indexed copy; the folder has a name of its own because it is part of a pack's identity.
fn context(folder: &Path) -> Context {
    let root = folder.join("five");
    for (path, text) in FILES {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let engine = Engine::open(&root, &EngineOptions::default(), &|_| None).unwrap();
    engine
        .refresh(
            &RefreshOptions {
                now: 1_700_000_000_000,
                wait: Duration::from_secs(60),
                ..RefreshOptions::default()
            },
            &Silent,
        )
        .unwrap();
    Context::new(Arc::new(engine), || 1_700_000_000_000, contextd_render::pack, false)
}

fn run(context: &Context, name: &str, input: Value) -> Answer {
    (find(name).unwrap().run)(context, input).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn pack(context: &Context, format: &str) -> ContextPack {
    // A focus needs no ranking, so new weights do not change these files.
    match run(
        context,
        "context_pack_create",
        json!({"focus": {"symbolId": "checkout"}, "format": format, "budgets": {"maxTotalTokens": 6000}}),
    ) {
        Answer::Pack(pack) => *pack,
        other => panic!("{other:?}"),
    }
}

/// Takes out what depends on versions of extractors and weights, or on how long their names are.
fn steady(text: &str, pack: &ContextPack) -> String {
    let mut text = text.replace(&pack.index_signature, "INDEX").replace(&pack.pack_id, "PACK");
    if let Some(explain) = &pack.explain {
        text = text.replace(&explain.weights, "WEIGHTS");
    }
    text.replace(&format!("\"tokens\":{}", pack.stats.tokens), "\"tokens\":TOKENS")
        .replace(&format!(" tokens={}", pack.stats.tokens), " tokens=TOKENS")
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn check(name: &str, text: &str) {
    let file = golden(name);
    if std::env::var_os("CONTEXTD_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        return std::fs::write(file, text).unwrap();
    }
    let expected = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert!(
        expected == text,
        "{name} differs; if that is meant: cargo xtask bless --reason \"why\"\n--- expected\n{expected}\n--- got\n{text}"
    );
}

#[test]
fn packs_are_as_they_were_blessed() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    for format in Format::ALL.iter().filter(|format| format.writes_packs()) {
        let mut pack = pack(&context, format.name());
        let tokens = pack.stats.tokens;
        pack.created_at = None;
        pack.stats.timings = None;
        // Before they are written, counts of tokens are made steady too: they follow the length of hashes.
        pack.stats.tokens = if *format == Format::Json { tokens } else { 0 };
        let text = contextd_render::pack(&pack, format.name()).unwrap();
        check(&format!("pack.{}", format.name()), &steady(&text, &pack));
    }
}

#[test]
fn what_a_caller_has_is_referred_to_as_it_was_blessed() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    let first = pack(&context, "gcf");
    let ask = |focus: &str| match run(
        &context,
        "context_pack_create",
        json!({"focus": {"symbolId": focus}, "format": "gcf", "budgets": {"maxTotalTokens": 6000}, "held": {"packIds": [first.pack_id]}}),
    ) {
        Answer::Pack(mut pack) => {
            pack.stats.tokens = 0;
            steady(&contextd_render::pack(&pack, "gcf").unwrap(), &pack)
        }
        other => panic!("{other:?}"),
    };
    check("unchanged.gcf", &ask("checkout"));
    check("session.gcf", &ask("charge"));
    let payment = FILES[1].1.replace("    return sign(", "    note(card)\n    return sign(");
    std::fs::write(
        folder.path().join("five/five/payment.py"),
        format!("{payment}\n\ndef note(card: str) -> None:\n    print(card)\n"),
    )
    .unwrap();
    context
        .engine
        .refresh(
            &RefreshOptions {
                now: 1_700_000_000_001,
                wait: Duration::from_secs(60),
                ..RefreshOptions::default()
            },
            &Silent,
        )
        .unwrap();
    check("delta.gcf", &ask("checkout"));
}

const DECLARED: &str = "nodes:
- {ref_id: shop, kind: service, summary: Sells things, test: pytest tests}
- {ref_id: checkout, kind: feature, summary: Charges a cart, source: five/checkout.py}
- {ref_id: payments, kind: domain, summary: Moves money, source: five/payment.py, docs: [docs/payments.md], owners: ['@bank']}
edges:
- {src: checkout, dst: shop, kind: part_of}
- {src: payments, dst: shop, kind: part_of}
- {src: checkout, dst: payments, kind: depends_on}
rules:
- {name: money-stands-alone, description: Payments know nothing of checkout, deny: {from: {ref_id: payments}, to: {ref_id: checkout}}}
";

#[test]
fn a_bundle_is_as_it_was_blessed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("five/.contextd/graph")).unwrap();
    std::fs::write(folder.path().join("five/.contextd/graph/five.yml"), DECLARED).unwrap();
    let context = context(folder.path());
    let answer = run(&context, "get_context", json!({"ref_ids": ["payments"]}));
    let bundle: Value =
        serde_json::from_str(&contextd_render::answer(&answer, Format::Bundle)).unwrap();
    contextd_testkit::schemas::check(&["Bundle"], &contextd_ops::schema_named, &bundle);
    check("bundle.json", &serde_json::to_string_pretty(&bundle).unwrap());
}

#[test]
fn the_binary_form_holds_the_same_graph() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    let pack = pack(&context, "gcb");
    let graph = contextd_render::graph::GraphPack::of(&pack);
    let read = contextd_render::gcb::decode(&contextd_render::gcb::pack(&pack)).unwrap();
    assert_eq!(read, contextd_render::gcb::carried(&graph));
    assert!(read.nodes.iter().any(|node| node.qname == "five/checkout.py:checkout"));
}

#[test]
fn the_code_graph_is_as_it_was_blessed() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    let Answer::Facts(value, true) = run(
        &context,
        "code_graph_context",
        json!({"entities": ["five/checkout.py-five-checkout"]}),
    ) else {
        panic!()
    };
    check("codegraph.json", &serde_json::to_string_pretty(&value).unwrap());
    let Answer::Facts(error, false) =
        run(&context, "code_graph_context", json!({"entities": ["five/checkout.py-five-chekout"]}))
    else {
        panic!()
    };
    assert_eq!(
        (error["error"].as_str(), error["missing_entities"][0].as_str()),
        (Some("entity_not_found"), Some("five/checkout.py-five-chekout"))
    );
}

#[test]
fn every_spelling_of_a_key_finds_the_entity() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    for key in [
        "five/checkout.py-five-checkout",
        "checkout",
        "python:fn:checkout:five_checkout_py:5-9",
        "python:fn:checkout:__five_checkout_py:T1706284800",
        "five_checkout_py-checkout-fn-1a2b3c4d",
        "scip-contextd python . five/checkout.py/checkout().",
    ] {
        let Answer::Facts(value, true) =
            run(&context, "code_graph_context", json!({"entities": [key], "hopDepth": 0}))
        else {
            panic!("{key}")
        };
        assert_eq!(value["entities"][0]["isgl1_key"], "five/checkout.py-five-checkout", "{key}");
        assert_eq!(value["entities"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_code_graph_counts_its_tokens_and_keeps_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let context = context(folder.path());
    let graph = |limit: u64| match run(
        &context,
        "code_graph_context",
        json!({"entities": ["checkout"], "hopDepth": 3, "sizeLimit": limit}),
    ) {
        Answer::Facts(value, true) => {
            Ok(serde_json::from_value::<contextd_pack::codegraph::CodeGraph>(value).unwrap())
        }
        Answer::Facts(value, false) => Err(value),
        other => panic!("{other:?}"),
    };
    let tokenizer = contextd_pack::Tokenizer::O200k;
    let whole = graph(100_000).unwrap();
    assert!(!whole.optimization_info.truncation_applied);
    for limit in (600..whole.token_count + 400).step_by(150) {
        match graph(limit) {
            Ok(part) => {
                assert_eq!(part.token_count, part.count(tokenizer), "at {limit}");
                assert!(tokenizer.count(&part.text()) as u64 <= limit, "at {limit}");
                let known = [
                    "remove_priority_3",
                    "compress_signatures",
                    "truncate_documentation",
                    "limit_relationships",
                    "remove_lsp_metadata",
                    "remove_priority_2",
                ];
                assert_eq!(
                    part.optimization_info.truncation_steps,
                    known[..part.optimization_info.truncation_steps.len()],
                    "steps in their order"
                );
                assert!(
                    part.entities
                        .iter()
                        .any(|entity| entity.isgl1_key == "five/payment.py-five-charge"),
                    "what the base leans on stays"
                );
            }
            Err(error) => assert_eq!(error["error"], "context_size_exceeded", "at {limit}"),
        }
    }
}
