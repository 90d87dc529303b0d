//! Laws of packs, on a real index and in every format.

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
    (find(name).unwrap().run)(&SHOP.1, input).unwrap_or_else(|error| panic!("{name}: {error} {}", error.remedy))
}

fn pack(request: &PackRequest) -> ContextPack {
    match run("context_pack_create", serde_json::to_value(request).unwrap()) {
        Answer::Pack(pack) => *pack,
        other => panic!("{other:?}"),
    }
}

fn request(query: &str) -> PackRequest {
    PackRequest { query: query.into(), ..PackRequest::default() }
}

const QUERIES: &[&str] = &["charge the card at checkout", "where do sessions expire", "refund", "format a price", "Cart.total"];
const FORMATS: &[&str] = &["json", "markdown", "xml", "text"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
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
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| pack(&request(query)).canonical()), expected, "{query} on {threads}");
        }
    }
}

#[test]
fn a_task_brings_what_it_needs_with_reasons() {
    let Answer::Pack(pack) = run("context_for_task", json!({"task": "checkout should refuse an expired card"})) else { panic!() };
    let names: Vec<&str> = pack.items().map(|item| item.name.as_str()).collect();
    assert!(names.contains(&"checkout") && names.contains(&"charge"), "{names:?}");
    for item in pack.items() {
        assert!(!item.why.rule.is_empty() && !item.stale && item.content_hash.len() == 64);
        assert!(item.scores.hybrid_score <= 1.0 && (item.scores.graph_distance == 0) == item.why.path.is_empty());
    }
    let text = contextd_render::pack(&pack, "text").unwrap();
    assert!(text.contains("def checkout(cart: Cart, card: str) -> str:"), "{text}");
}

#[test]
fn ranges_select_the_text_in_utf16() {
    let Answer::Pack(pack) = run("context_for_task", json!({"task": "format_price main"})) else { panic!() };
    let source = std::fs::read_to_string(SHOP.0.path("tools/src/main.rs")).unwrap();
    let units: Vec<u16> = source.encode_utf16().collect();
    let item = pack.items().find(|item| item.name == "main").expect("main");
    let part = String::from_utf16(&units[item.range.start as usize..item.range.end as usize]).unwrap();
    assert!(part.starts_with("fn main()") && part.ends_with('}'), "{part}");
}

#[test]
fn strictness_decides_about_edges_without_evidence_and_about_caps() {
    let mut strict = PackRequest { strictness: contextd_pack::request::Strictness::Strict, ..request("charge the card") };
    strict.expansion.require_evidence = true;
    strict.expansion.evidence_kinds = vec![contextd_pack::request::EvidenceKind::Tooling];
    let none = pack(&strict);
    assert!(none.items().all(|item| item.scores.graph_distance == 0), "no edge of the fixture has evidence of tooling");
    assert!(none.stats.dropped.get("noEvidence").copied().unwrap_or(0) > 0);
    let warned = pack(&PackRequest { strictness: contextd_pack::request::Strictness::Warn, ..strict.clone() });
    assert!(!warned.explain.unwrap().evidence_gaps.is_empty());
    let loose = pack(&PackRequest { strictness: contextd_pack::request::Strictness::Loose, ..strict.clone() });
    assert!(loose.explain.unwrap().evidence_gaps.is_empty());
    strict.budgets.max_items = Some(251);
    let error = (find("context_pack.create").unwrap().run)(&SHOP.1, serde_json::to_value(&strict).unwrap()).unwrap_err();
    assert_eq!(error.code, "POC_E_BUDGET_EXCEEDED");
}

#[test]
fn stored_packs_are_replayed_and_a_change_shows_in_their_difference() {
    let fixture = Fixture::shop();
    let context = Context::new(Arc::new(fixture.engine()), || 7, contextd_render::pack, false);
    let create = || match (find("context_pack_create").unwrap().run)(&context, json!({"query": "refund a payment"})).unwrap() {
        Answer::Pack(pack) => *pack,
        other => panic!("{other:?}"),
    };
    let before = create();
    let Ok(Answer::Pack(stored)) = (find("context_pack_get").unwrap().run)(&context, json!({"packId": before.pack_id})) else { panic!() };
    assert_eq!(stored.canonical(), before.canonical());
    let old = std::fs::read_to_string(fixture.path("shop/payment.py")).unwrap();
    fixture.write("shop/payment.py", &old.replace("return bool(receipt)", "return receipt.startswith('r')"));
    // Until the index is refreshed, what changed is marked.
    assert!(create().items().any(|item| item.stale && item.name == "refund"));
    context.engine.refresh(&contextd_engine::RefreshOptions { now: 9, ..Default::default() }, &contextd_engine::Silent).unwrap();
    let after = create();
    assert_ne!(before.index_signature, after.index_signature);
    assert_ne!(before.pack_id, after.pack_id);
    let Ok(Answer::Diff(diff)) = (find("context_pack_diff").unwrap().run)(&context, json!({"from": before.pack_id, "to": after.pack_id})) else { panic!() };
    assert!(diff.changed.iter().any(|entry| entry.name == "refund" && entry.why == "its text changed"), "{diff:?}");
}

#[test]
fn secrets_are_neither_shown_nor_hidden_from_the_reader() {
    let fixture = Fixture::shop();
    fixture.write("shop/bank.py", "def bank_login():\n    token = \"ghp_16C7e42F292c6912E7710c838347Ae178B4a\"\n    return token\n");
    let context = Context::new(Arc::new(fixture.engine()), || 7, contextd_render::pack, false);
    let Ok(Answer::Pack(pack)) = (find("context_for_task").unwrap().run)(&context, json!({"task": "bank_login"})) else { panic!() };
    let item = pack.items().find(|item| item.name == "bank_login").unwrap();
    assert!(item.excerpt.redacted && item.excerpt.text.contains("[REDACTED]") && !pack.canonical().contains("16C7e42F"), "{:?}", item.excerpt);
}
