//! `tests` and `impact`: what a change reaches.

use crate::sandbox::Sandbox;
use contextd_ops::{Answer, Impact, TestScope};
use serde_json::{Value, json};

fn scope(shop: &Sandbox, input: Value) -> TestScope {
    match shop.ask("test_scope", input) {
        Ok(Answer::Tests(scope)) => scope,
        other => panic!("no tests: {other:?}"),
    }
}

fn ids(shop: &Sandbox, input: Value) -> Vec<String> {
    let mut ids: Vec<String> = scope(shop, input).tests.into_iter().map(|test| test.id).collect();
    ids.sort();
    ids
}

#[test]
fn tests_are_reached_through_calls_fixtures_and_constructors() {
    let shop = Sandbox::shop();
    let charge = ["tests/test_pay.py::test_charge"];
    assert_eq!(ids(&shop, json!({"paths": ["sign"]})), charge);
    assert_eq!(ids(&shop, json!({"paths": ["Cart.__init__"]})), charge, "through the fixture");
    assert_eq!(ids(&shop, json!({"paths": ["refund"]})), ["tests/test_pay.py::test_refund"]);
    shop.edit("shop/pay.py", "return str(amount)", "return None");
    let changed = scope(&shop, json!({"since": "HEAD"}));
    assert_eq!(changed.changed, ["body function sign (shop/pay.py:9)"]);
    assert_eq!((changed.found, changed.total), (1, 2));
    assert_eq!(
        changed.tests[0].path,
        ["test_charge calls charge at tests/test_pay.py:12", "charge calls sign at shop/pay.py:6"]
    );
    assert_eq!(changed.tests[0].certainty, "known");
}

#[test]
fn runners_get_what_they_take() {
    let shop = Sandbox::shop();
    shop.write("Cargo.toml", "[package]\nname = \"till\"\n")
        .write("src/lib.rs", "pub mod price;\n")
        .write("src/price.rs", "pub fn euros(cents: u64) -> u64 {\n    cents / 100\n}\n\n#[cfg(test)]\nmod tests {\n    fn helper() {}\n\n    #[test]\n    fn rounds() {\n        helper();\n        assert_eq!(super::euros(100), 1);\n    }\n}\n")
        .write("tests/whole.rs", "#[test]\nfn prices() {\n    assert_eq!(till::price::euros(200), 2);\n}\n")
        .write("pkg/sum.go", "package pkg\n\nfunc Sum(a int) int { return a }\n")
        .write("pkg/sum_test.go", "package pkg\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tSum(1)\n}\n")
        .write("web/add.ts", "export function add(a: number) {\n  return a;\n}\n")
        .write("web/add.test.ts", "import { add } from './add';\n\ntest('adds', () => {\n  add(1);\n});\n");
    let lines = |paths: &[&str], format: &str| match shop
        .ask("test_scope", json!({"paths": paths, "format": format}))
    {
        Ok(Answer::Lines(lines)) => lines,
        other => panic!("no lines: {other:?}"),
    };
    assert_eq!(
        lines(&["src/price.rs"], "cargo"),
        ["--lib -- --exact price::tests::rounds", "--test whole -- --exact prices"]
    );
    assert_eq!(lines(&["pkg/sum.go"], "go"), ["./pkg -run '^(TestSum)$'"]);
    assert_eq!(lines(&["web/add.ts"], "jest"), ["web/add.test.ts"]);
    assert_eq!(
        lines(&["shop/pay.py"], "pytest"),
        ["tests/test_pay.py::test_charge", "tests/test_pay.py::test_refund"]
    );
    assert_eq!(lines(&["shop/pay.py", "web"], "files"), ["tests/test_pay.py", "web/add.test.ts"]);
}

#[test]
fn a_changed_test_is_its_own_test() {
    let shop = Sandbox::shop();
    shop.edit("tests/test_pay.py", "assert refund(1)", "assert refund(2)");
    assert_eq!(ids(&shop, json!({})), ["tests/test_pay.py::test_refund"]);
}

#[test]
fn impact_goes_by_distance_and_tells_what_is_public() {
    let shop = Sandbox::shop();
    let impact = |target: &str| -> Impact {
        match shop.ask("impact", json!({"target": target})) {
            Ok(Answer::Impact(impact)) => impact,
            other => panic!("no impact: {other:?}"),
        }
    };
    let sign = impact("sign");
    let known: Vec<(&str, u32)> = sign
        .items
        .iter()
        .filter(|item| item.certainty == "known" && item.kind != "file")
        .map(|item| (item.symbol.as_str(), item.distance))
        .collect();
    assert_eq!(known, [("charge", 1), ("test_charge", 2)]);
    assert!(
        sign.known as usize >= known.len() && sign.known + sign.guessed == sign.items.len() as u32
    );
    assert_eq!(sign.tests, ["tests/test_pay.py"]);
    assert_eq!(sign.test_cases[0].id, "tests/test_pay.py::test_charge");
    assert!(
        sign.docs.iter().any(|item| item.file == "docs/pay.md"),
        "the document names `charge`, which calls it"
    );
    assert!(sign.public.iter().any(|name| name.starts_with("charge (")));
    assert!(impact("shop/cart.py").items.iter().any(|item| item.symbol == "charge"));
    assert!(
        shop.refused("impact", json!({"target": "no_such_symbol"}))
            .message
            .contains("no_such_symbol")
    );
}

#[test]
fn a_qualified_name_means_what_has_it_and_a_bare_one_all_that_end_with_it() {
    let shop = Sandbox::new();
    shop.write("web/helpers.py", "def url_for(name):\n    return name\n\n\ndef link(name):\n    return url_for(name)\n\n\ndef page(name):\n    return url_for(name)\n")
        .write("web/other.py", "def url_for(name):\n    return name\n")
        .write("web/app.py", "class App:\n    def url_for(self, name):\n        return name\n\n\nclass Outer:\n    class App:\n        def url_for(self, name):\n            return name\n")
        .write("test/app_test.rb", "class AppTest\n  it \"a.b::C works\" do\n    run\n  end\n  test \"two. or three\" do\n    run\n  end\nend\n");
    let found = |name: &str| -> Vec<(String, String)> {
        let answer = shop.ask("symbol", json!({"name": name})).expect("symbols").to_json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        answer["symbols"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| (text(&own["symbol"]), text(&own["file"])))
            .collect()
    };
    let names =
        |name: &str| -> Vec<String> { found(name).into_iter().map(|(name, _)| name).collect() };
    for name in
        ["App.url_for", "App::url_for", "web.app.App.url_for", "App#url_for", "App.url_for()"]
    {
        assert_eq!(names(name), ["App.url_for"], "{name}");
    }
    assert_eq!(names("Outer.App.url_for"), ["Outer.App.url_for"]);
    assert_eq!(found("helpers.url_for"), [("url_for".to_owned(), "web/helpers.py".to_owned())]);
    assert_eq!(
        found("web/app.py::App.url_for"),
        [("App.url_for".to_owned(), "web/app.py".to_owned())]
    );
    let bare = found("url_for");
    assert_eq!(bare.len(), 3, "{bare:?}");
    assert_eq!(bare[0].1, "web/helpers.py", "the one that is used most");
    let rows = shop.ask("impact", json!({"target": "App.url_for"})).expect("impact").to_json();
    assert!(
        rows["items"].as_array().unwrap().iter().all(|item| item["symbol"] != "link"),
        "{rows}"
    );
    let snapshot =
        shop.ask("symbol", json!({"name": "test/app_test.rb:3"})).expect("a test").to_json();
    let sentence = snapshot["symbols"][0]["symbol"].as_str().unwrap();
    assert!(sentence.contains("a.b"), "{sentence}");
    assert_eq!(names(sentence), [sentence]);
}

#[test]
fn only_programs_are_tests() {
    let shop = Sandbox::shop();
    shop.write(".github/workflows/tests.yaml", "name: tests\n")
        .write("docs/tests.rst", "Tests\n=====\n\nRun `charge`.\n");
    shop.commit("Pages about tests");
    shop.edit(".github/workflows/tests.yaml", "tests", "all tests")
        .edit("docs/tests.rst", "Run", "Call")
        .edit("shop/pay.py", "str(amount)", "None");
    assert_eq!(ids(&shop, json!({"since": "HEAD"})), ["tests/test_pay.py::test_charge"]);
}

#[test]
fn counts_of_files_agree() {
    let shop = Sandbox::shop();
    shop.write("logo.png", "\u{0}\u{1}binary\u{0}");
    let value = |operation: &str| shop.ask(operation, json!({})).expect("an answer").to_json();
    let listed = value("list_indexable").as_array().unwrap().len() as u64;
    for operation in ["project_stats", "audit_secrets", "status"] {
        assert_eq!(value(operation)["files"].as_u64(), Some(listed), "{operation}");
    }
}

#[test]
fn a_path_that_is_not_there_is_called_a_file() {
    let shop = Sandbox::shop();
    let said = |operation: &str, input: Value| {
        let error = shop.refused(operation, input);
        (error.message, error.remedy)
    };
    let (message, remedy) = said("impact", json!({"target": "shop/payy.py"}));
    assert!(
        message.contains("no file `shop/payy.py`") && remedy.contains("shop/pay.py"),
        "{message} {remedy}"
    );
    let (message, remedy) = said("test_scope", json!({"paths": ["pay.py"]}));
    assert!(
        message.contains("no file `pay.py`") && remedy.contains("shop/pay.py"),
        "{message} {remedy}"
    );
    assert!(said("symbol", json!({"name": "shop/pay.py"})).0.contains("is a file, not a symbol"));
    assert!(said("impact", json!({"target": "Cart.totl"})).0.contains("no symbol `Cart.totl`"));
    shop.write(".gitignore", "hidden.py\n").write("hidden.py", "x = 1\n");
    assert!(said("impact", json!({"target": "hidden.py"})).0.contains("is not indexed"));
}

#[test]
fn a_brief_bears_the_name_of_its_manifest() {
    let shop = Sandbox::shop();
    let name = || {
        shop.ask("prime", json!({})).expect("a brief").to_json()["project"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(name(), "work", "the folder, where nothing else is known");
    for (path, text, expected) in [
        ("go.mod", "module example.org/tools/till/v2\n\ngo 1.22\n", "till"),
        ("package.json", "{\"name\": \"@shop/root\"}", "work"),
        ("package.json", "{\"name\": \"@shop/till-web\"}", "till-web"),
        ("pyproject.toml", "[project]\nname = \"Till\"\n", "Till"),
    ] {
        shop.write(path, text);
        assert_eq!(name(), expected, "{path}");
    }
}

#[test]
fn no_jobs_is_an_answer() {
    assert!(Sandbox::shop().ask("get_rebuild_status", json!({})).expect("jobs").found());
}

#[test]
fn the_lock_of_documents_is_not_indexed() {
    let shop = Sandbox::shop();
    shop.write(".contextd/sync.lock", "version: 1\npairs: []\n")
        .write(".contextd/graph/a.yml", "nodes: []\n");
    let listed = shop.ask("list_indexable", json!({})).expect("paths").to_json().to_string();
    assert!(listed.contains(".contextd/graph/a.yml") && !listed.contains("sync.lock"), "{listed}");
}
