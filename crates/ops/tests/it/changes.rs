//! `pr`: what changed, and what belongs to it.

use crate::sandbox::{Sandbox, changed, names, section};
use serde_json::json;

#[test]
fn changed_symbols_are_told_apart() {
    let shop = Sandbox::shop();
    shop.edit("shop/cart.py", "return sum(self.lines)", "return sum(self.lines) + 1")
        .edit(
            "shop/cart.py",
            "    def clear(self):\n        self.lines = []\n",
            "    def is_empty(self):\n        return not self.lines\n",
        )
        .edit("shop/pay.py", "def sign(amount):", "def sign(amount, key=None):");
    let pack = shop.pr(json!({}));
    assert_eq!(
        changed(&pack),
        ["added Cart.is_empty", "body Cart.total", "removed Cart.clear", "signature sign"]
    );
    let summary = &section(&pack, "seeds")[0].excerpt.text;
    for part in [
        "main..work tree: 2 files",
        "signature function sign",
        "- def sign(amount)",
        "+ def sign(amount, key=None)",
        "risk: ",
        "owners: @shop",
    ] {
        assert!(summary.contains(part), "{part} in\n{summary}");
    }
    assert!(
        names(&section(&pack, "callers")).contains(&"charge".to_owned()),
        "who calls what changed"
    );
    assert_eq!(names(&section(&pack, "tests")), ["test_charge"], "refund did not change");
}

#[test]
fn blank_lines_moves_and_comments_around_are_no_changes() {
    let shop = Sandbox::shop();
    shop.edit("shop/pay.py", "def sign(amount):\n    return str(amount)\n\n\ndef refund(receipt):\n    return receipt\n", "def refund(receipt):\n\n    return receipt\n\n\ndef sign(amount):\n    return str(amount)\n");
    assert_eq!(changed(&shop.pr(json!({}))), Vec::<String>::new());
}

#[test]
fn documents_and_company_come_along() {
    let shop = Sandbox::shop();
    for round in 0..4 {
        shop.write("shop/rates.py", &format!("RATE = {round}\n")).edit(
            "shop/pay.py",
            "def charge(cart: Cart):\n",
            &format!("def charge(cart: Cart):\n    # {round}\n"),
        );
        shop.commit("Set the rate");
    }
    shop.edit("shop/pay.py", "def charge(cart: Cart):", "def charge(cart: Cart, note=''):");
    let pack = shop.pr(json!({}));
    assert!(section(&pack, "docs").iter().any(|item| item.file_rel_path == "docs/pay.md" && item.why.rule == "documents-changed"));
    let left: Vec<&str> = section(&pack, "related")
        .iter()
        .filter(|item| item.why.rule == "usually-changed-together")
        .map(|item| item.title.as_str())
        .collect();
    assert_eq!(
        left,
        ["usually changed together with shop/pay.py: 4 of 5 commits (80 %), left out here"]
    );
}

#[test]
fn the_pack_keeps_its_budget_and_names_every_symbol() {
    let shop = Sandbox::shop();
    let functions = |value: u32| {
        (0..60)
            .map(|number| format!("def function_{number}():\n    return {value}\n\n\n"))
            .collect::<String>()
    };
    shop.write("shop/many.py", &functions(1));
    shop.commit("Add many");
    shop.write("shop/many.py", &functions(2));
    for budget in [1_500, 4_000, 8_000] {
        let pack = shop.pr(json!({"budget": budget, "format": "json"}));
        let written = serde_json::to_string(&pack).unwrap();
        assert!(pack.budgets.tokenizer.count(&written) as u64 <= budget, "{budget}");
        let summary = &section(&pack, "seeds")[0].excerpt.text;
        assert!(
            budget < 4_000
                || (0..60).all(|number| summary.contains(&format!("function_{number}\n"))),
            "{summary}"
        );
        assert_eq!(
            pack,
            shop.pr(json!({"budget": budget, "format": "json"})),
            "the same question, the same answer"
        );
    }
}

#[test]
fn patches_are_read_before_and_after_they_are_applied() {
    let shop = Sandbox::shop();
    shop.edit("shop/pay.py", "return str(amount)", "return repr(amount)")
        .write("shop/new.py", "def fresh():\n    return 1\n");
    shop.git(&["add", "-A"]);
    let patch = shop.git(&["diff", "--cached"]);
    let expected = ["added fresh", "body sign"];
    assert_eq!(changed(&shop.pr(json!({"patch": patch}))), expected, "applied");
    shop.git(&["reset", "-q", "--hard"]);
    assert_eq!(changed(&shop.pr(json!({"patch": patch}))), expected, "not applied");
    let broken = patch.replace("return str(amount)", "return int(amount)");
    shop.pr(json!({"patch": broken}));
    assert!(shop.refused("context_for_pr", json!({"patch": "no patch at all"})).is_not_found());
}

#[test]
fn secrets_of_a_commit_are_not_shown() {
    let shop = Sandbox::shop();
    let key = ["AKIA", "IOSFODNN7", "Q3RT5WX"].concat();
    shop.write("shop/keys.py", &format!("def key():\n    token = '{key}'\n    return token\n"))
        .write(".env", &format!("AWS_ACCESS_KEY_ID={key}\n"));
    shop.git(&["add", "-A", "-f"]);
    shop.commit("Add keys");
    let written = serde_json::to_string(&shop.pr(json!({"range": "HEAD~1"}))).unwrap();
    assert!(written.contains("shop/keys.py") && !written.contains(&key), "{written}");
}
