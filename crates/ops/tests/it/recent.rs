//! `recent`: what changed lately, by part, file and symbol; and tests found by name.

use crate::sandbox::{Sandbox, names, section};
use contextd_ops::Answer;
use contextd_pack::ContextPack;
use serde_json::{Value, json};

fn lively_shop() -> Sandbox {
    let shop = Sandbox::shop();
    shop.edit("shop/cart.py", "return sum(self.lines)", "return sum(self.lines) or 0");
    shop.commit("Count an empty cart");
    shop.edit("shop/pay.py", "return str(amount)", "return repr(amount)");
    shop.commit("Sign what is exact");
    shop
}

fn recent(shop: &Sandbox, input: Value) -> ContextPack {
    match shop.ask("recent_changes", input).expect("an answer") {
        Answer::Pack(pack) => *pack,
        other => panic!("no pack: {other:?}"),
    }
}

fn subjects(pack: &ContextPack) -> Vec<String> {
    let commits = pack.items().filter(|item| item.kind == "commit");
    commits
        .map(|item| item.title.split_once(' ').map_or("", |(_, subject)| subject).to_owned())
        .collect()
}

#[test]
fn commits_come_with_the_symbols_they_touched_and_their_diffs() {
    let shop = lively_shop();
    let pack = recent(&shop, json!({}));
    assert_eq!(subjects(&pack), ["Sign what is exact", "Count an empty cart", "Begin the shop"]);
    let pack = recent(&shop, json!({"of": "shop/cart.py"}));
    assert_eq!(subjects(&pack), ["Count an empty cart", "Begin the shop"]);
    assert!(names(&section(&pack, "related")).contains(&"Cart.total".to_owned()));
    let diff =
        pack.items().find(|item| item.kind == "diff" && item.name == "Cart.total").expect("a diff");
    assert!(
        diff.excerpt.text.contains("+        return sum(self.lines) or 0"),
        "{}",
        diff.excerpt.text
    );
}

#[test]
fn a_symbol_has_a_history_of_its_own() {
    let shop = lively_shop();
    assert_eq!(
        subjects(&recent(&shop, json!({"of": "Cart.total"}))),
        ["Count an empty cart", "Begin the shop"]
    );
    assert_eq!(subjects(&recent(&shop, json!({"of": "Cart.clear"}))), ["Begin the shop"]);
}

#[test]
fn a_question_about_changes_is_answered_with_commits() {
    let shop = lively_shop();
    let Answer::Hits(hits) = shop
        .ask("query_context", json!({"query": "what changed recently in the cart"}))
        .expect("an answer")
    else {
        panic!("no hits")
    };
    let found: Vec<(&str, &str)> =
        hits.hits.iter().map(|hit| (hit.kind.as_str(), hit.chunk_kind.as_str())).collect();
    assert!(found.contains(&("commit", "COMMIT")), "{found:?}");
    assert!(hits.hits.iter().any(|hit| hit.symbol == "Cart.total"), "{:?}", hits.hits);
    let error = shop.ask("recent_changes", json!({"of": "zebras"})).expect_err("nothing");
    assert!(error.message.contains("zebras"));
}

#[test]
fn a_test_is_found_by_its_name_where_no_call_shows_it() {
    let shop = Sandbox::new();
    shop.write("shop/rates.py", "def convert(amount):\n    return amount\n")
        .write(
            "tests/test_rates.py",
            "import run\n\n\ndef test_convert():\n    assert run.everything()\n",
        )
        .write("tests/test_other.py", "def test_nothing():\n    assert 1\n");
    shop.commit("Begin");
    shop.edit("shop/rates.py", "return amount", "return 2 * amount");
    let Answer::Tests(scope) = shop.ask("test_scope", json!({"since": "HEAD"})).expect("an answer")
    else {
        panic!("no tests")
    };
    let found: Vec<(&str, &str, &str)> = scope
        .tests
        .iter()
        .map(|test| (test.name.as_str(), test.certainty.as_str(), test.path[0].as_str()))
        .collect();
    assert_eq!(
        found,
        [("test_convert", "guessed", "test_convert is named after convert at shop/rates.py:1")]
    );
}
