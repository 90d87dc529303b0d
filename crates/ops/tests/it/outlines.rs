//! A type too large to be shown whole is listed with its lines; its members stand by themselves.

use crate::sandbox::Sandbox;
use contextd_ops::Answer;
use serde_json::json;

#[test]
fn members_of_a_large_type_stand_by_themselves() {
    let sandbox = Sandbox::new();
    let filler: String = (0..12)
        .map(|line| format!("        self.note('ledger entry number {line} of the day')\n"))
        .collect();
    let method = |name: String| format!("    def {name}(self, entry):\n{filler}\n");
    let mut text =
        "class Ledger:\n    \"\"\"Ledger of entries that are settled at night.\"\"\"\n\n"
            .to_owned();
    text.extend((0..60).map(|number| method(format!("book_{number}"))));
    text.push_str(&method("settle_at_night".to_owned()));
    sandbox.write("shop/ledger.py", &text);
    let Ok(Answer::Pack(pack)) = sandbox.ask(
        "context_for_task",
        json!({"task": "why does the Ledger settle entries at night", "budget": 8_000}),
    ) else {
        panic!("no pack")
    };
    let ledger = pack.items().find(|item| item.name == "Ledger").expect("the type itself");
    assert_eq!(ledger.excerpt.detail, "signature");
    let member = pack.items().find(|item| item.name.ends_with("settle_at_night"));
    let member = member.expect("the member that is meant");
    assert_eq!(member.excerpt.detail, "lines");
    assert!(member.excerpt.text.contains("def settle_at_night"), "{}", member.excerpt.text);
}
