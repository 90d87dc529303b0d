//! Laws of maps: numbers are those of the file, caps hold, guesses lead to what they name.

mod support;

use contextd_ops::{Answer, Context, find};
use contextd_pack::{ContextPack, Tokenizer};
use contextd_testkit::Fixture;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

static SHOP: LazyLock<(Fixture, Context)> = LazyLock::new(|| {
    let fixture = Fixture::shop();
    let steps: String = (0..150).map(|at| format!("    step_{at}(card)\n")).collect();
    fixture.write(
        "shop/long.py",
        &format!("LIMIT = 3\n\n\ndef settle(card):\n{steps}    return card\n"),
    );
    let engine = fixture.engine();
    (fixture, Context::new(Arc::new(engine), || 0, contextd_render::pack, false))
});

fn task(input: Value) -> ContextPack {
    match (find("context_for_task").unwrap().run)(&SHOP.1, input).unwrap() {
        Answer::Pack(pack) => {
            support::valid("ContextPack", &serde_json::to_value(&*pack).unwrap());
            *pack
        }
        other => panic!("{other:?}"),
    }
}

fn lines_of(file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(SHOP.0.path(file)).unwrap();
    text.lines().map(str::to_owned).collect()
}

const TASKS: &[&str] = &[
    "charge the card only once at checkout",
    "sessions expire too early",
    "settle a card in many steps, the hundred and fortieth step of which is step 140",
    "format a price",
];
const NAMES: &[&str] =
    &["charge", "Cart.total", "settle", "step_140", "expires_at", "no_such_name_here"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn numbers_in_a_margin_are_those_of_the_file(at in 0..TASKS.len(), names in proptest::sample::subsequence(NAMES, 0..4), tokens in 60u64..7_000) {
        let pack = task(json!({"task": TASKS[at], "names": names, "budget": tokens}));
        let text = contextd_render::pack(&pack, "text").unwrap();
        prop_assert!(Tokenizer::O200k.count(&text) as u64 <= pack.budgets.max_total_tokens, "{text}");
        let mut file: Vec<String> = Vec::new();
        for line in text.lines() {
            if pack.items().any(|item| item.file_rel_path == line) {
                file = lines_of(line);
                continue;
            }
            let (head, code) = line.trim_start().split_once(' ').unwrap_or((line.trim_start(), ""));
            if let Ok(number) = head.parse::<usize>() {
                prop_assert_eq!(file[number - 1].trim_end(), code, "{}", text);
            }
        }
        for item in pack.items() {
            let own = lines_of(&item.file_rel_path);
            prop_assert!(item.lines.end as usize <= own.len().max(1), "{}", item.name);
            let numbers = item.excerpt.lines.iter().flat_map(|run| run.start..=run.end);
            if item.excerpt.detail == "lines" {
                let shown: Vec<&str> = numbers.map(|number| own[number as usize - 1].as_str()).collect();
                prop_assert_eq!(shown.join("\n"), item.excerpt.text.clone());
            }
        }
    }

    #[test]
    fn caps_of_items_hold(at in 0..TASKS.len(), format in 0..4usize) {
        let format = ["text", "json", "markdown", "xml"][format];
        let pack = task(json!({"task": TASKS[at], "names": ["settle"], "budget": 900, "format": format}));
        let rendered = contextd_render::pack(&pack, format).unwrap();
        prop_assert!(Tokenizer::O200k.count(&rendered) <= 900 || pack.stats.items == 0, "{rendered}");
        let again = task(json!({"task": TASKS[at], "names": ["settle"], "budget": 900, "format": format}));
        prop_assert_eq!(pack.canonical(), again.canonical());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn an_explicit_map_keeps_the_caps_of_its_request(at in 0..TASKS.len(), items in 1u64..12, section in 1u64..12, bytes in 1u64..900, tokens in 200u64..4_000) {
        let request = json!({
            "query": TASKS[at], "names": ["settle", "charge"], "ranking": "task", "layout": "map", "format": "text",
            "budgets": {"maxItems": items, "maxItemsPerSection": section, "maxBytesPerItem": bytes, "maxTotalTokens": tokens},
        });
        let Ok(Answer::Pack(pack)) = (find("context_pack_create").unwrap().run)(&SHOP.1, request) else { panic!("no pack") };
        prop_assert!(pack.items().count() as u64 <= items.min(section));
        for item in pack.items() {
            prop_assert!(item.excerpt.text.len() as u64 <= bytes.max(1), "{} of {bytes}: {}", item.excerpt.text.len(), item.excerpt.text);
        }
    }
}

#[test]
fn a_guess_brings_what_it_names() {
    let pack = task(json!({"task": "it goes wrong", "names": ["settle"]}));
    let first = pack.items().next().unwrap();
    assert!(first.name == "settle" && first.excerpt.detail == "lines", "{first:?}");
}

#[test]
fn a_window_of_a_long_function_holds_the_words() {
    let pack = task(json!({"task": "the step is skipped", "names": ["step_140"]}));
    let text = contextd_render::pack(&pack, "text").unwrap();
    assert!(text.contains("step_140(card)") && text.contains("… "), "{text}");
}

#[test]
fn a_guess_that_stands_nowhere_is_told_with_near_names() {
    let pack = task(json!({"task": "charge the card", "names": ["charge", "chargee_card"]}));
    let explain = pack.explain.as_ref().unwrap();
    assert!(explain.names_not_found.keys().eq(["chargee_card"]), "{explain:?}");
    assert!(explain.hint.is_empty());
    let text = contextd_render::pack(&pack, "text").unwrap();
    assert!(text.contains("not in the index: chargee_card"), "{text}");
    let without = task(json!({"task": "charge the card"}));
    assert!(without.explain.as_ref().unwrap().hint.contains("names"));
}
