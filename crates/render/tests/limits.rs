//! Every field of a request at its limit and one beyond it.

mod support;

use contextd_ops::{Answer, Context, OpError, find};
use contextd_pack::{ContextPack, Tokenizer};
use contextd_testkit::Fixture;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

/// Functions that the query names; each has callers and callees of its own.
const HUBS: usize = 60;
const EACH: usize = 20;

static CROWD: LazyLock<(Fixture, Context)> = LazyLock::new(|| {
    let fixture = crowd();
    let context = Context::new(Arc::new(fixture.engine()), || 0, contextd_render::pack, true);
    (fixture, context)
});

/// Enough of everything to fill every cap: hubs with callers and callees, a chain of calls, a long body.
fn crowd() -> Fixture {
    let fixture = Fixture::empty();
    let (mut hubs, mut leaves, mut users) =
        (String::from("import leaves\n\n\n"), String::new(), String::from("import hubs\n\n\n"));
    for hub in 0..HUBS {
        let calls: String =
            (0..EACH).map(|leaf| format!("    leaves.leaf_{hub}_{leaf}()\n")).collect();
        let _ = write!(hubs, "def hub_{hub}():\n{calls}\n\n");
        for each in 0..EACH {
            let _ = write!(leaves, "def leaf_{hub}_{each}():\n    return {each}\n\n\n");
            let _ = write!(users, "def user_{hub}_{each}():\n    return hubs.hub_{hub}()\n\n\n");
        }
    }
    fixture.write("hubs.py", &hubs);
    fixture.write("leaves.py", &leaves);
    fixture.write("users.py", &users);
    let chain: String = (0..8)
        .map(|link| {
            format!(
                "def link_{link}():\n    return {}\n\n\n",
                if link < 7 { format!("link_{}()", link + 1) } else { "0".to_owned() }
            )
        })
        .collect();
    fixture.write("chain.py", &chain);
    let long: String =
        (0..2_400).map(|line| format!("    value_{line:04} = compute({line:04})\n")).collect();
    fixture.write(
        "long.py",
        &format!(
            "def compute(number):\n    return number\n\n\ndef endless():\n{long}    return 0\n"
        ),
    );
    fixture
}

fn ask(request: Value) -> Result<ContextPack, OpError> {
    match (find("context_pack_create").unwrap().run)(&CROWD.1, request)? {
        Answer::Pack(pack) => {
            support::valid("ContextPack", &serde_json::to_value(&*pack).unwrap());
            Ok(*pack)
        }
        other => panic!("{other:?}"),
    }
}

/// Writes a value at a path such as `budgets.maxItems`.
fn with(mut request: Value, path: &str, value: Value) -> Value {
    let pointer = format!("/{}", path.replace('.', "/"));
    if let Some((parent, _)) = path.split_once('.')
        && request.get(parent).is_none()
    {
        request[parent] = json!({});
    }
    if let Some((parent, key)) = pointer.rsplit_once('/') {
        request.pointer_mut(parent).unwrap()[key] = value;
    }
    request
}

/// A request whose answer fills what is measured.
fn hubs() -> Value {
    json!({"query": "hub", "ranking": "task", "budgets": {"maxTotalTokens": 400_000, "maxTotalChars": 1_900_000, "maxItems": 250, "maxItemsPerSection": 80}})
}

fn endless() -> Value {
    json!({"focus": {"symbolId": "endless"}, "budgets": {"maxTotalTokens": 200_000}})
}

fn chain() -> Value {
    json!({"focus": {"symbolId": "link_0"}, "expansion": {"direction": "out", "maxHops": 2}})
}

/// The field, its cap, a request that reaches it, and what of a pack it limits.
type Cap = (&'static str, u64, fn() -> Value, fn(&ContextPack) -> u64);

const CAPS: &[Cap] = &[
    ("expansion.maxHops", 4, chain, |pack| {
        pack.items().map(|item| u64::from(item.scores.graph_distance)).max().unwrap_or(0)
    }),
    ("budgets.maxItems", 250, hubs, |pack| pack.items().count() as u64),
    ("budgets.maxItemsPerSection", 80, hubs, |pack| {
        pack.sections.iter().map(|section| section.items.len() as u64).max().unwrap_or(0)
    }),
    ("budgets.maxBytesPerItem", 64_000, endless, |pack| {
        pack.items().map(|item| item.excerpt.text.len() as u64).max().unwrap_or(0)
    }),
    ("budgets.maxTotalChars", 2_000_000, hubs, |pack| {
        contextd_render::pack(pack, "json").unwrap().chars().count() as u64
    }),
    ("budgets.maxTotalTokens", 1_000_000, hubs, |pack| {
        Tokenizer::O200k.count(&contextd_render::pack(pack, "json").unwrap()) as u64
    }),
];

fn resolved(pack: &ContextPack, field: &str) -> u64 {
    serde_json::to_value(&pack.budgets).unwrap()[field.rsplit('.').next().unwrap()]
        .as_u64()
        .unwrap()
}

#[test]
fn a_cap_holds_exactly_and_one_over_it_is_clamped_or_refused() {
    for &(field, cap, request, used) in CAPS {
        let name = field.rsplit('.').next().unwrap();
        let of = |value: u64, strictness: &str| {
            ask(with(with(request(), field, json!(value)), "strictness", json!(strictness)))
        };
        for strictness in ["strict", "warn", "loose"] {
            let at = of(cap, strictness)
                .unwrap_or_else(|error| panic!("{field} at {cap}, {strictness}: {error}"));
            assert!(
                at.budgets.clamped.is_empty() && resolved(&at, field) == cap,
                "{field}: {:?}",
                at.budgets
            );
            assert!(used(&at) <= cap, "{field}: {} of {cap}", used(&at));
        }
        let below = of(cap - 1, "warn").unwrap();
        assert!(
            below.budgets.clamped.is_empty()
                && resolved(&below, field) == cap - 1
                && used(&below) < cap,
            "{field}"
        );
        let refused = of(cap + 1, "strict").unwrap_err();
        assert!(
            refused.code == "POC_E_BUDGET_EXCEEDED" && refused.message.contains(name),
            "{field}: {refused}"
        );
        let at = of(cap, "warn").unwrap();
        for strictness in ["warn", "loose"] {
            let over = of(cap + 1, strictness).unwrap();
            let clamp =
                over.budgets.clamped.first().unwrap_or_else(|| panic!("{field} was not clamped"));
            assert_eq!(
                (clamp.field.as_str(), clamp.requested, clamp.used, over.budgets.clamped.len()),
                (name, cap + 1, cap, 1)
            );
            assert!(
                over.explain
                    .as_ref()
                    .unwrap()
                    .warnings
                    .iter()
                    .any(|warning| warning.contains(name)),
                "{field}: said"
            );
            assert!(
                used(&over) <= cap
                    && over
                        .items()
                        .map(|item| &item.chunk_uid)
                        .eq(at.items().map(|item| &item.chunk_uid)),
                "{field}: the same items as at the cap"
            );
        }
        // A limit that nothing comes near shows nothing.
        let reached: fn(u64) -> bool = match name {
            "maxTotalChars" | "maxTotalTokens" => |used| used > 10_000,
            "maxBytesPerItem" => |used| used > 63_900,
            "maxHops" => |used| used == 4,
            "maxItems" => |used| used == 250,
            _ => |used| used == 80,
        };
        assert!(reached(used(&at)), "{field}: only {} is used", used(&at));
    }
}

#[test]
fn small_limits_hold_too() {
    for format in ["json", "text", "markdown", "xml", "gcf"] {
        for (chars, tokens, items, section) in [
            (3_000, 100_000, 250, 80),
            (100_000, 900, 250, 80),
            (40_000, 9_000, 1, 80),
            (40_000, 9_000, 250, 1),
            (40_000, 9_000, 7, 3),
        ] {
            let pack = ask(json!({"query": "hub", "format": format, "budgets": {"maxTotalChars": chars, "maxTotalTokens": tokens, "maxItems": items, "maxItemsPerSection": section}})).unwrap();
            let text = contextd_render::pack(&pack, format).unwrap();
            assert!(
                text.chars().count() as u64 <= pack.budgets.max_total_chars.max(chars)
                    && pack.budgets.max_total_chars == chars,
                "{format}: {} of {chars}",
                text.chars().count()
            );
            assert!(Tokenizer::O200k.count(&text) as u64 <= tokens, "{format}");
            assert!(
                pack.items().count() <= items
                    && pack.sections.iter().all(|part| part.items.len() <= section),
                "{format}"
            );
            assert!(pack.items().count() > 0, "{format}: {chars} {tokens} {items} {section}");
        }
    }
}

/// Fields that are one of a set of words, with all of them.
const WORDS: &[(&str, &[&str])] = &[
    ("seedMode", &["code", "prose", "mixed"]),
    ("seedProvider", &["sparse", "fts", "hybrid"]),
    ("intent", &["answer", "summarize", "refactor", "debug", "impact", "contract"]),
    ("expansion.direction", &["out", "in", "both"]),
    ("ordering.primary", &["seedScore", "graphDistance", "graphEvidence", "hybridScore"]),
    ("strictness", &["strict", "warn", "loose"]),
];

/// Fields that are lists of such words.
const LISTS: &[(&str, &[&str])] = &[
    ("expansion.edgeTypes", &["call", "usage", "import", "export", "dataflow"]),
    ("expansion.evidenceKinds", &["callsite", "identifier", "importStmt", "span", "tooling"]),
    ("ordering.stableTieBreakers", &["symbolId", "chunkUid", "fileRelPath", "startLine"]),
];

const SWITCHES: &[&str] = &[
    "expansion.includeSameFileNeighbors",
    "expansion.includeImports",
    "expansion.includeExports",
    "expansion.includeDataflow",
    "expansion.requireEvidence",
    "includeExplain",
];

#[test]
fn every_field_takes_its_words_and_no_others() {
    let base = || json!({"query": "hub", "budgets": {"maxTotalTokens": 2_000}});
    let refused = |field: &str, value: Value| {
        let error =
            ask(with(base(), field, value.clone())).expect_err(&format!("{field}: {value}"));
        assert!(!error.code.is_empty() && !error.remedy.is_empty(), "{field}: {error}");
        error
    };
    for (field, words) in WORDS {
        for word in *words {
            ask(with(base(), field, json!(word)))
                .unwrap_or_else(|error| panic!("{field} {word}: {error}"));
        }
        refused(field, json!("sideways"));
        refused(field, json!(3));
    }
    for (field, words) in LISTS {
        ask(with(base(), field, json!(words))).unwrap_or_else(|error| panic!("{field}: {error}"));
        for word in *words {
            ask(with(base(), field, json!([word])))
                .unwrap_or_else(|error| panic!("{field} {word}: {error}"));
        }
        refused(field, json!(["sideways"]));
    }
    for field in SWITCHES {
        for value in [true, false] {
            ask(with(base(), field, json!(value)))
                .unwrap_or_else(|error| panic!("{field} {value}: {error}"));
        }
        refused(field, json!("yes"));
    }
    for field in [
        "budgets.maxItems",
        "budgets.maxTotalTokens",
        "budgets.maxTotalChars",
        "budgets.maxItemsPerSection",
        "budgets.maxBytesPerItem",
        "expansion.maxHops",
    ] {
        refused(field, json!(-1));
        refused(field, json!("many"));
    }
    assert_eq!(refused("seedProvider", json!("ann")).code, "POC_E_NOT_SUPPORTED");
    refused("sideways", json!(1));
    refused("expansion.sideways", json!(1));
    refused("indexSignature", json!("another"));
    assert!(ask(json!({"query": "hub", "includeExplain": false})).unwrap().explain.is_none());
}

#[test]
fn what_means_the_same_has_the_same_identity() {
    let id = |request: Value| ask(request).unwrap().pack_id;
    let plain = id(json!({"query": "hub"}));
    let said = [
        json!({"budgets": {"maxItems": 80, "maxItemsPerSection": 25, "maxBytesPerItem": 4096, "maxTotalChars": 200_000}, "query": "hub"}),
        json!({"expansion": {"direction": "both", "edgeTypes": ["call", "usage", "import"], "maxHops": 2}, "strictness": "warn", "includeExplain": true, "query": "hub"}),
        json!({"tokenizer": "o200k", "mmrLambda": 0.5, "query": "hub", "budgets": {"maxTotalTokens": 6_000}}),
        json!({"indexRoot": "/somewhere/else", "query": "hub"}),
    ];
    for request in said {
        assert_eq!(id(request.clone()), plain, "{request}");
    }
    for request in [
        json!({"query": "hubs"}),
        json!({"query": "hub", "budgets": {"maxItems": 81}}),
        json!({"query": "hub", "strictness": "loose"}),
        json!({"query": "hub", "expansion": {"maxHops": 3}}),
    ] {
        assert_ne!(id(request.clone()), plain, "{request}");
    }
    let signature = ask(json!({"query": "hub"})).unwrap().index_signature;
    assert_eq!(
        id(json!({"query": "hub", "indexSignature": signature})),
        plain,
        "naming the signature that is there changes nothing"
    );
}
