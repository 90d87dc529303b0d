//! Laws of packs, on a real index and in every format.

mod support;

use contextd_ops::{Answer, Context, find};
use contextd_pack::{ContextPack, PackRequest, Tokenizer};
use contextd_testkit::Fixture;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

static SHOP: LazyLock<(Fixture, Context)> = LazyLock::new(|| {
    let fixture = Fixture::shop();
    let engine = fixture.engine();
    (fixture, Context::new(Arc::new(engine), || 0, contextd_render::pack, false))
});

fn run(name: &str, input: Value) -> Answer {
    (find(name).unwrap().run)(&SHOP.1, input)
        .unwrap_or_else(|error| panic!("{name}: {error} {}", error.remedy))
}

fn pack(request: &PackRequest) -> ContextPack {
    match run("context_pack_create", serde_json::to_value(request).unwrap()) {
        Answer::Pack(pack) => {
            support::valid("ContextPack", &serde_json::to_value(&*pack).unwrap());
            *pack
        }
        other => panic!("{other:?}"),
    }
}

fn request(query: &str) -> PackRequest {
    PackRequest { query: query.into(), ..PackRequest::default() }
}

const QUERIES: &[&str] = &[
    "charge the card at checkout",
    "where do sessions expire",
    "refund",
    "format a price",
    "Cart.total",
];
const FORMATS: &[&str] = &["json", "markdown", "xml", "text", "gcf", "gcf-stream", "gcb", "hits"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn a_pack_never_exceeds_its_budget(query in 0..QUERIES.len(), format in 0..FORMATS.len(), tokens in 1u64..4_000, items in 0u64..40, bytes in 0u64..3_000, section in 0u64..12) {
        let mut request = PackRequest { format: FORMATS[format].into(), ..request(QUERIES[query]) };
        request.budgets.max_total_tokens = Some(tokens);
        request.budgets.max_items = Some(items);
        request.budgets.max_items_per_section = Some(section);
        request.budgets.max_bytes_per_item = Some(bytes);
        let pack = pack(&request);
        let rendered = contextd_render::pack(&pack, FORMATS[format]).unwrap();
        let used = Tokenizer::O200k.count(&rendered) as u64;
        prop_assert!(used <= pack.budgets.max_total_tokens, "{used} of {}", pack.budgets.max_total_tokens);
        let raised = pack.budgets.clamped.iter().any(|clamp| clamp.field == "maxTotalTokens");
        prop_assert!(raised == (pack.budgets.max_total_tokens > tokens));
        prop_assert!(!raised || pack.stats.items == 0, "a raised budget is no room for items");
        prop_assert!(u64::from(pack.stats.items) <= items);
        for part in &pack.sections {
            prop_assert!(part.items.len() as u64 <= section);
            for item in &part.items {
                prop_assert!(item.excerpt.text.len() as u64 <= bytes);
                prop_assert!(item.chunk_uid.starts_with("b3:"));
            }
        }
    }
}

#[test]
fn the_same_request_gives_the_same_bytes_whatever_the_threads() {
    for query in QUERIES {
        let expected = pack(&request(query)).canonical();
        for threads in 1..=8 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(
                pool.install(|| pack(&request(query)).canonical()),
                expected,
                "{query} on {threads}"
            );
        }
    }
}

#[test]
fn a_hundred_runs_give_one_pack() {
    let fixture = Fixture::shop();
    let context = Context::new(Arc::new(fixture.engine()), || 0, contextd_render::pack, true);
    let reader = context.reader().unwrap();
    let request = PackRequest { format: "json".into(), ..request("charge the card at checkout") };
    let render = |pack: &ContextPack| contextd_render::pack(pack, "json").unwrap();
    let once = || context.engine.pack(&reader, &request, &render).unwrap().canonical();
    let first = once();
    assert!((0..100).all(|_| once() == first));
}

#[test]
fn the_order_in_which_files_came_does_not_matter() {
    let canonical = |reverse: bool| {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        let shop = Fixture::shop();
        let mut paths = [
            "shop/cart.py",
            "shop/checkout.py",
            "shop/payment.py",
            "tests/test_checkout.py",
            "docs/payments.md",
        ];
        if reverse {
            paths.reverse();
        }
        for path in paths {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::copy(shop.path(path), root.join(path)).unwrap();
        }
        let engine = contextd_engine::Engine::open(&root, &Default::default(), &|_| None).unwrap();
        engine
            .refresh(
                &contextd_engine::RefreshOptions { now: 1, ..Default::default() },
                &contextd_engine::Silent,
            )
            .unwrap();
        let reader = engine.reader().unwrap();
        let request =
            PackRequest { format: "json".into(), ..request("charge the card at checkout") };
        engine
            .pack(&reader, &request, &|pack| contextd_render::pack(pack, "json").unwrap())
            .unwrap()
            .canonical()
    };
    assert_eq!(canonical(false), canonical(true));
}

#[test]
fn packs_are_the_same_from_snapshot_lines_and_ledger() {
    use contextd_pack::{
        Defaults, HeldItems, Inputs, Layer, LayerLine, Lines, Shelf, ids::Versions, lines,
    };
    let fixture = Fixture::shop();
    let engine = fixture.engine();
    let reader = engine.reader().unwrap();
    let mut exported = String::new();
    lines(&reader.snapshot, &mut |line| exported.push_str(&format!("{}\n", line.to_json())));
    let read =
        Lines::read(exported.lines().map(|line| LayerLine::from_json(line).unwrap())).unwrap();
    assert!(engine.kept_layer().unwrap().is_none(), "only on request");
    assert_eq!(engine.keep_layer(&reader.snapshot).unwrap(), exported.lines().count());
    let (signature, kept) = engine.kept_layer().unwrap().unwrap();
    assert_eq!(signature, reader.snapshot.index_signature().to_hex());
    let (weights, _) = engine.weights(None).unwrap();
    let (texts, held) = (engine.texts(), HeldItems::default());
    for format in ["json", "text", "gcf"] {
        let render = |pack: &ContextPack| contextd_render::pack(pack, format).unwrap();
        for intent in contextd_pack::request::Intent::ALL {
            let request = PackRequest {
                intent: *intent,
                format: format.into(),
                ..request("charge the card at checkout")
            };
            // Each backend has a shelf of its own: nothing may come over from another.
            let shelves: [Shelf; 3] = Default::default();
            let defaults = Defaults { tokens: 4_000, lambda: 0.5, tokenizer: Tokenizer::O200k };
            let inputs = |layer, sources, seeds, shelf| Inputs {
                layer,
                sources,
                seeds,
                texts: &texts,
                shelf,
                history: None,
                rules: None,
                known: None,
                notes: None,
                held: &held,
                held_packs: Arc::default(),
                weights: &weights,
                versions: Versions::default(),
                defaults,
                render: &render,
                clock: &|| 0,
            };
            let own = inputs(
                &reader.snapshot as &dyn Layer,
                Some(reader.sources(None)),
                None,
                &shelves[0],
            );
            let seeds = contextd_pack::seed_records(&own, &request).unwrap();
            seeds.iter().for_each(|seed| support::valid("SeedRecord", &json!(seed)));
            let expected = contextd_pack::build(&own, &request).unwrap().pack;
            assert!(expected.items().count() >= 3, "{intent:?} {format}");
            let expected = (render(&expected), expected.canonical());
            for (layer, shelf) in [(&read, &shelves[1]), (&kept, &shelves[2])] {
                let pack =
                    contextd_pack::build(&inputs(layer, None, Some(&seeds), shelf), &request)
                        .unwrap()
                        .pack;
                assert_eq!((render(&pack), pack.canonical()), expected, "{intent:?} {format}");
                let bare =
                    contextd_pack::build(&inputs(layer, None, None, shelf), &request).map(|_| ());
                assert_eq!(
                    bare.unwrap_err().code(),
                    "POC_E_NOT_SUPPORTED",
                    "lines have no full text"
                );
            }
        }
    }
}

#[test]
fn intents_change_what_is_sought() {
    let of = |intent: &str, query: &str| match run(
        "context_for_task",
        json!({"task": query, "intent": intent}),
    ) {
        Answer::Pack(pack) => *pack,
        other => panic!("{other:?}"),
    };
    let contract = of("contract", "charge");
    assert!(
        contract.items().all(|item| item.excerpt.detail != "body"),
        "signatures and docs, no bodies"
    );
    assert!(contract.items().any(|item| item.excerpt.text.contains("Sends a payment to the bank")));
    let impact = of("impact", "sign");
    assert!(
        impact.items().all(|item| item
            .why
            .path
            .iter()
            .all(|step| step.to != item.name || step.kind == "member_of")),
        "only what leans on the seeds"
    );
    let debug = of(
        "debug",
        "Traceback:\n  File \"/srv/shop/payment.py\", line 12, in charge\nValueError: declined",
    );
    assert_eq!(debug.items().find(|item| item.name == "charge").unwrap().why.rule, "stack-frame");
    let refactor = of("refactor", "checkout");
    assert!(
        refactor.items().any(|item| item.file_rel_path.starts_with("tests/")),
        "{:?}",
        refactor.items().map(|item| &item.name).collect::<Vec<_>>()
    );
}

#[test]
fn what_the_caller_has_is_not_sent_again() {
    let fixture = Fixture::shop();
    let context = Context::new(Arc::new(fixture.engine()), || 7, contextd_render::pack, true);
    let ask =
        |input: Value| match (find("context_pack_create").unwrap().run)(&context, input).unwrap() {
            Answer::Pack(pack) => *pack,
            other => panic!("{other:?}"),
        };
    let first = ask(json!({"query": "refund a payment", "format": "text"}));
    let body = first.items().find(|item| item.name == "refund").unwrap();
    assert_eq!(body.excerpt.detail, "body");
    let again = ask(
        json!({"query": "refund a payment", "format": "text", "held": {"packIds": [first.pack_id]}}),
    );
    let item = again.items().find(|item| item.name == "refund").unwrap();
    assert_eq!(
        (item.excerpt.detail.as_str(), item.excerpt.text.as_str(), &item.chunk_uid),
        ("held", "", &body.chunk_uid)
    );
    assert!(again.stats.tokens * 2 < first.stats.tokens || again.stats.items > first.stats.items);
    let graph = ask(json!({"query": "refund a payment", "format": "gcf"}));
    let same = ask(
        json!({"query": "refund a payment", "format": "gcf", "held": {"packIds": [graph.pack_id]}}),
    );
    assert!(
        contextd_render::pack(&same, "gcf")
            .unwrap()
            .starts_with("GCF profile=graph tool=contextd unchanged=true ")
    );
    let other = ask(
        json!({"query": "charge a card", "format": "gcf", "held": {"packIds": [graph.pack_id]}}),
    );
    let text = contextd_render::pack(&other, "gcf").unwrap();
    assert!(text.contains("session=true") && text.contains("# previously transmitted"), "{text}");
    // A change makes it new again.
    let old = std::fs::read_to_string(fixture.path("shop/payment.py")).unwrap();
    fixture.write(
        "shop/payment.py",
        &old.replace("return bool(receipt)", "return receipt.startswith('r')"),
    );
    context
        .engine
        .refresh(
            &contextd_engine::RefreshOptions { now: 9, ..Default::default() },
            &contextd_engine::Silent,
        )
        .unwrap();
    let changed = ask(
        json!({"query": "refund a payment", "format": "text", "held": {"packIds": [first.pack_id]}}),
    );
    assert_eq!(changed.items().find(|item| item.name == "refund").unwrap().excerpt.detail, "body");
}

#[test]
fn a_remembered_answer_is_the_fresh_one() {
    let fixture = Fixture::shop();
    let engine = Arc::new(fixture.engine());
    let context = |stays| Context::new(engine.clone(), || 7, contextd_render::pack, stays);
    let ask = |context: &Context| match (find("context_for_task").unwrap().run)(
        context,
        json!({"task": "refund a payment", "format": "json"}),
    )
    .unwrap()
    {
        Answer::Pack(pack) => pack.canonical(),
        other => panic!("{other:?}"),
    };
    let (serving, once) = (context(true), context(false));
    let first = ask(&serving);
    assert_eq!(
        [ask(&serving), ask(&once), ask(&context(false))],
        [first.clone(), first.clone(), first.clone()]
    );
    // A file that changed under the index is marked, whatever is remembered.
    let old = std::fs::read_to_string(fixture.path("shop/payment.py")).unwrap();
    fixture.write("shop/payment.py", &old.replace("bool(receipt)", "len(receipt) > 3"));
    let marked = ask(&serving);
    assert!(marked.contains("\"stale\":true") && marked == ask(&context(true)));
    // After a change elsewhere, what was gathered before gives the same as gathering anew.
    fixture.write("shop/payment.py", &old);
    fixture.write("web/session.ts", "export function other(): number {\n  return 1;\n}\n");
    engine
        .refresh(
            &contextd_engine::RefreshOptions { now: 9, ..Default::default() },
            &contextd_engine::Silent,
        )
        .unwrap();
    let after = ask(&serving);
    assert_eq!(after, ask(&context(true)));
    assert_ne!(after, first, "the index has another signature");
}

/// One thing that happens to a project that is being served.
#[derive(Clone, Debug)]
enum Event {
    /// A file gets another text.
    Edit(usize, usize),
    /// It is indexed; before that, answers mark what has changed.
    Refresh,
    Ask {
        query: usize,
        format: usize,
        intent: usize,
        tokens: u64,
    },
}

const EDITED: &[&str] =
    &["shop/payment.py", "shop/cart.py", "web/session.ts", "docs/payments.md", "shop/new.py"];

fn event() -> impl Strategy<Value = Event> {
    let ask = (0..QUERIES.len(), 0..FORMATS.len(), 0..6usize, 200u64..3_000)
        .prop_map(|(query, format, intent, tokens)| Event::Ask { query, format, intent, tokens });
    prop_oneof![3 => ask, 2 => (0..EDITED.len(), 0..4usize).prop_map(|(file, text)| Event::Edit(file, text)), 2 => Just(Event::Refresh)]
}

/// Texts that a file may get: as it was, with something added, something else, with nothing in it.
fn edited(fixture: &Fixture, original: &[String], file: usize, text: usize) {
    let old = &original[file];
    let comment = if EDITED[file].ends_with(".ts") { "//" } else { "#" };
    let new = match text {
        0 => old.clone(),
        1 => format!("{old}\n\n{comment} charge the card, format a price, refund\n"),
        2 if EDITED[file].ends_with(".py") => {
            format!("{old}\n\ndef refund_later(receipt):\n    return refund(receipt)\n")
        }
        2 => old.replace("session", "visit"),
        _ => String::new(),
    };
    fixture.write(EDITED[file], &new);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happened_before_an_answer_is_the_fresh_one(events in proptest::collection::vec(event(), 4..16)) {
        let fixture = Fixture::shop();
        let open = || contextd_engine::Engine::open(fixture.root(), &Default::default(), &|_| None).unwrap();
        let original: Vec<String> = EDITED.iter().map(|path| std::fs::read_to_string(fixture.path(path)).unwrap_or_default()).collect();
        let serving = Context::new(Arc::new(fixture.engine()), || 7, contextd_render::pack, true);
        let mut now = 10;
        for event in events {
            match event {
                Event::Edit(file, text) => edited(&fixture, &original, file, text),
                Event::Refresh => {
                    now += 1;
                    serving.engine.refresh(&contextd_engine::RefreshOptions { now, ..Default::default() }, &contextd_engine::Silent).unwrap();
                }
                Event::Ask { query, format, intent, tokens } => {
                    let input = json!({"task": QUERIES[query], "format": FORMATS[format], "intent": contextd_pack::request::Intent::ALL[intent].name(), "budget": tokens});
                    let ask = |context: &Context| match (find("context_for_task").unwrap().run)(context, input.clone()).unwrap() {
                        Answer::Pack(pack) => (contextd_render::pack(&pack, FORMATS[format]), pack.canonical()),
                        other => panic!("{other:?}"),
                    };
                    let remembered = [ask(&serving), ask(&serving)];
                    contextd_pack::forget_counts();
                    let fresh = ask(&Context::new(Arc::new(open()), || 7, contextd_render::pack, true));
                    prop_assert!(remembered.iter().all(|answer| *answer == fresh), "{:?}\n{:?}", remembered, fresh);
                }
            }
        }
    }
}

#[test]
fn a_task_brings_what_it_needs_with_reasons() {
    let Answer::Pack(pack) =
        run("context_for_task", json!({"task": "checkout should refuse an expired card"}))
    else {
        panic!()
    };
    let names: Vec<&str> = pack.items().map(|item| item.name.as_str()).collect();
    assert!(names.contains(&"checkout") && names.contains(&"charge"), "{names:?}");
    for item in pack.items() {
        assert!(!item.why.rule.is_empty() && !item.stale && item.content_hash.len() == 64);
        assert!(
            item.scores.hybrid_score <= 1.0
                && (item.scores.graph_distance == 0) == item.why.path.is_empty()
        );
    }
    let text = contextd_render::pack(&pack, "text").unwrap();
    assert!(text.contains("def checkout(cart: Cart, card: str) -> str:"), "{text}");
}

#[test]
fn ranges_select_the_text_in_utf16() {
    let Answer::Pack(pack) = run("context_for_task", json!({"task": "format_price main"})) else {
        panic!()
    };
    let source = std::fs::read_to_string(SHOP.0.path("tools/src/main.rs")).unwrap();
    let units: Vec<u16> = source.encode_utf16().collect();
    let item = pack.items().find(|item| item.name == "main").expect("main");
    let part =
        String::from_utf16(&units[item.range.start as usize..item.range.end as usize]).unwrap();
    assert!(part.starts_with("fn main()") && part.ends_with('}'), "{part}");
}

#[test]
fn strictness_decides_about_edges_without_evidence_and_about_caps() {
    let mut strict = PackRequest {
        strictness: contextd_pack::request::Strictness::Strict,
        ..request("charge the card")
    };
    strict.expansion.require_evidence = true;
    strict.expansion.evidence_kinds = vec![contextd_pack::request::EvidenceKind::Tooling];
    let none = pack(&strict);
    assert!(
        none.items().all(|item| item.scores.graph_distance == 0),
        "no edge of the fixture has evidence of tooling"
    );
    assert!(none.stats.dropped.get("noEvidence").copied().unwrap_or(0) > 0);
    let warned = pack(&PackRequest {
        strictness: contextd_pack::request::Strictness::Warn,
        ..strict.clone()
    });
    assert!(!warned.explain.unwrap().evidence_gaps.is_empty());
    let loose = pack(&PackRequest {
        strictness: contextd_pack::request::Strictness::Loose,
        ..strict.clone()
    });
    assert!(loose.explain.unwrap().evidence_gaps.is_empty());
    strict.budgets.max_items = Some(251);
    let error =
        (find("context_pack.create").unwrap().run)(&SHOP.1, serde_json::to_value(&strict).unwrap())
            .unwrap_err();
    assert_eq!(error.code, "POC_E_BUDGET_EXCEEDED");
}

#[test]
fn stored_packs_are_replayed_and_a_change_shows_in_their_difference() {
    let fixture = Fixture::shop();
    let context = Context::new(Arc::new(fixture.engine()), || 7, contextd_render::pack, false);
    let create = || match (find("context_pack_create").unwrap().run)(
        &context,
        json!({"query": "refund a payment"}),
    )
    .unwrap()
    {
        Answer::Pack(pack) => *pack,
        other => panic!("{other:?}"),
    };
    let before = create();
    let Ok(Answer::Pack(stored)) =
        (find("context_pack_get").unwrap().run)(&context, json!({"packId": before.pack_id}))
    else {
        panic!()
    };
    assert_eq!(stored.canonical(), before.canonical());
    let old = std::fs::read_to_string(fixture.path("shop/payment.py")).unwrap();
    fixture.write(
        "shop/payment.py",
        &old.replace("return bool(receipt)", "return receipt.startswith('r')"),
    );
    // Until the index is refreshed, what changed is marked.
    assert!(create().items().any(|item| item.stale && item.name == "refund"));
    context
        .engine
        .refresh(
            &contextd_engine::RefreshOptions { now: 9, ..Default::default() },
            &contextd_engine::Silent,
        )
        .unwrap();
    let after = create();
    assert_ne!(before.index_signature, after.index_signature);
    assert_ne!(before.pack_id, after.pack_id);
    let Ok(Answer::Diff(diff)) = (find("context_pack_diff").unwrap().run)(
        &context,
        json!({"from": before.pack_id, "to": after.pack_id}),
    ) else {
        panic!()
    };
    let changed: Vec<(&str, &str)> =
        diff.changed.iter().map(|entry| (entry.name.as_str(), entry.why.as_str())).collect();
    assert_eq!(
        (changed, diff.entered.len(), diff.left.len(), diff.same_index),
        (vec![("refund", "its text changed")], 0, 0, false),
        "exactly what changed: {diff:?}"
    );
}

#[test]
fn secrets_are_neither_shown_nor_hidden_from_the_reader() {
    let fixture = Fixture::shop();
    fixture.write("shop/bank.py", "def bank_login():\n    token = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\"\n    return token\n");
    let context = Context::new(Arc::new(fixture.engine()), || 7, contextd_render::pack, false);
    let Ok(Answer::Pack(pack)) =
        (find("context_for_task").unwrap().run)(&context, json!({"task": "bank_login"}))
    else {
        panic!()
    };
    let item = pack.items().find(|item| item.name == "bank_login").unwrap();
    assert!(
        item.excerpt.redacted
            && item.excerpt.text.contains("[REDACTED]")
            && !pack.canonical().contains("16C7e42F"),
        "{:?}",
        item.excerpt
    );
}
