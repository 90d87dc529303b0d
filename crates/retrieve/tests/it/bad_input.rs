//! Requests that nobody should write, and that come anyway.

use crate::{search_files, task_names};
use contextd_retrieve::{Shape, understand};
use contextd_testkit::Fixture;

const TRACE: &str = "Traceback (most recent call last):\n  File \"/srv/app/shop/checkout.py\", line 10, in checkout\n    return charge(card, amount)\n  File \"/srv/app/shop/payment.py\", line 12, in charge\n    message = f\"{card}:{amount}\"\nValueError: the cart is empty\n";
const DIFF: &str = "diff --git a/shop/payment.py b/shop/payment.py\nindex 83db48f..bf269f4 100644\n--- a/shop/payment.py\n+++ b/shop/payment.py\n@@ -10,3 +10,3 @@ def charge(card: str, amount: int) -> str:\n-    message = f\"{card}:{amount}\"\n+    message = f\"{card}:{amount}:EUR\"\n     return sign(message)\n";

#[test]
fn every_text_is_answered_or_known_to_say_nothing() {
    let reader = Fixture::shop().engine().reader().expect("a reader");
    let long = "the cart is empty and the bank says no ".repeat(27_000);
    assert!(long.len() > 1_000_000);
    let texts = [
        "",
        " \n\t ",
        "the of and with",
        "日本語のカートの合計",
        "корзина",
        "\u{0}\u{1}\u{1b}[31m\u{202e}",
        "((((((((((",
        "a",
        "🛒🛒🛒",
        &long,
        TRACE,
        DIFF,
        &"x".repeat(1_000_000),
        &"cart_".repeat(200_000),
        &"(".repeat(100_000),
    ];
    for text in texts {
        let query = understand(text);
        assert!(
            query.text.len() <= 20_000
                && query.words.len() <= 64
                && query.identifiers.len() <= 64
                && query.compounds.len() <= 128
        );
        let (symbols, files) = (task_names(&reader, text), search_files(&reader, text));
        assert!(symbols.iter().chain(&files).all(|(_, score)| score.is_finite()));
        if query.is_empty {
            assert!(symbols.is_empty() && files.is_empty(), "{text:.40}");
        }
    }
}

#[test]
fn what_says_nothing_is_known() {
    for text in ["", "the of and with", "\u{0}\u{7}", "?!", "how is it done?"] {
        assert!(understand(text).is_empty, "{text:?}");
    }
    for text in ["cart", "日本語", "корзина", TRACE, DIFF] {
        assert!(!understand(text).is_empty, "{text:?}");
    }
}

#[test]
fn a_stack_trace_leads_to_its_frames() {
    let reader = Fixture::shop().engine().reader().expect("a reader");
    let query = understand(TRACE);
    assert!(query.paths.iter().any(|path| path.ends_with("shop/checkout.py")), "{:?}", query.paths);
    let files = search_files(&reader, TRACE);
    let top: Vec<&str> = files.iter().take(2).map(|file| file.0.as_str()).collect();
    assert!(top.contains(&"shop/checkout.py") && top.contains(&"shop/payment.py"), "{files:?}");
}

#[test]
fn a_diff_leads_to_its_file() {
    let reader = Fixture::shop().engine().reader().expect("a reader");
    assert_eq!(search_files(&reader, DIFF)[0].0, "shop/payment.py");
    assert_eq!(task_names(&reader, DIFF)[0].0, "charge");
}

#[test]
fn long_text_is_a_task_not_a_name() {
    assert_eq!(understand(&"The bank does not answer. ".repeat(50_000)).shape, Shape::Task);
}
