//! Declared knowledge as users meet it: refs, documents against code, rules, pictures, the brief.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::process::Command;

const GRAPH: &str = "nodes:
- {ref_id: shop, kind: service, summary: Sells things, test: pytest tests}
- {ref_id: payments, kind: domain, summary: Moves money, source: shop/payment.py, docs: [docs/payments.md], tags: [low], owners: ['@bank'], color: red}
- {ref_id: cart, kind: domain, summary: Holds lines, source: shop/cart.py, docs: [docs/cart.md], tags: [low]}
- {ref_id: checkout, kind: feature, summary: Sells a cart, source: shop/checkout.py, tags: [high]}
edges:
- {src: payments, dst: shop, kind: part_of}
- {src: cart, dst: shop, kind: part_of}
- {src: checkout, dst: shop, kind: part_of}
- {src: checkout, dst: payments, kind: depends_on}
rules:
- name: money-knows-no-cart
  description: Payments must not know carts
  deny: {from: {ref_id: payments}, to: {ref_id: cart}}
- name: layers
  description: Checkout stands above
  layers: [high, low]
  edge_kind: depends_on
";

const CHARGE: &str = "    message = f\"{card}:{amount}\"\n    return sign(message)\n";

fn declared() -> Sandbox {
    let sandbox = Sandbox::shop();
    sandbox.fixture.write(".contextd/graph/shop.yml", GRAPH);
    sandbox.fixture.write(
        "docs/cart.md",
        "# Cart\n\nA cart holds lines.\n\n## Invariants\n\nA total is never negative.\n",
    );
    sandbox
}

fn edit(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(sandbox.fixture.path(path)).unwrap();
    assert!(text.contains(from), "{path} has no {from}");
    sandbox.fixture.write(path, &text.replace(from, to));
}

/// Returns the exit code and the JSON of a command.
fn asked(sandbox: &Sandbox, args: &[&str]) -> (i32, Value) {
    let output = sandbox.run(&[args, &["--json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{args:?}: {error}: {text} {}", String::from_utf8_lossy(&output.stderr))
    });
    crate::schemas::check(args, &value);
    (output.status.code().unwrap(), value)
}

/// Returns the stale documents with their reasons and what they are about.
fn stale(sandbox: &Sandbox, args: &[&str]) -> (i32, Vec<(String, String, String)>) {
    let (code, report) = asked(sandbox, args);
    let pairs = report["pairs"].as_array().unwrap().iter().filter(|pair| pair["status"] == "stale");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (
        code,
        pairs
            .map(|pair| {
                (
                    text(&pair["doc_path"]),
                    text(&pair["reason"]),
                    text(&pair["reasons"][0]["details"][0]),
                )
            })
            .collect(),
    )
}

#[test]
fn an_edit_makes_exactly_its_documents_stale_and_formatting_does_not() {
    let sandbox = declared();
    let check = || stale(&sandbox, &["docs", "check"]);
    assert_eq!(check(), (0, vec![]), "nothing is recorded, so nothing is stale");
    assert_eq!(asked(&sandbox, &["docs", "update", "--all"]).1["summary"]["updated"], 2);
    assert_eq!(check(), (0, vec![]));
    let lock = std::fs::read_to_string(sandbox.fixture.path(".contextd/sync.lock")).unwrap();

    edit(
        &sandbox,
        "shop/payment.py",
        "def charge(card: str, amount: int) -> str:",
        "def charge(\n    card: str,\n    amount: int,\n) -> str:",
    );
    edit(&sandbox, "shop/payment.py", "f\"{card}:{amount}\"", "f'{card}:{amount}'  # joined");
    assert_eq!(check(), (0, vec![]), "formatting does not count");

    edit(&sandbox, "shop/payment.py", "return sign(message)", "return sign(message + '!')");
    let expected = vec![(
        "docs/payments.md".to_owned(),
        "hash_changed".to_owned(),
        "shop/payment.py::charge".to_owned(),
    )];
    assert_eq!(check(), (2, expected.clone()));
    assert_eq!(stale(&sandbox, &["sync-check", "cart"]), (0, vec![]));
    let lines = sandbox.run(&["docs", "check", "--porcelain"]);
    assert!(
        String::from_utf8_lossy(&lines.stdout)
            .contains("stale\tpayments\tdocs/payments.md\t\thash_changed\n")
    );

    edit(&sandbox, "docs/payments.md", "given back", "handed back");
    assert_eq!(check(), (2, expected), "somebody must say that they agree");
    assert_eq!(asked(&sandbox, &["docs", "update", "payments"]).0, 0);
    assert_eq!(check(), (0, vec![]));
    assert_ne!(std::fs::read_to_string(sandbox.fixture.path(".contextd/sync.lock")).unwrap(), lock);

    edit(&sandbox, "shop/cart.py", "def total(self):", "def total(self, rate=1):");
    assert_eq!(
        check().1[0],
        (
            "docs/cart.md".to_owned(),
            "symbols_changed".to_owned(),
            "shop/cart.py::Cart.total".to_owned()
        )
    );
}

#[test]
fn a_section_covers_what_it_names() {
    let sandbox = declared();
    sandbox.fixture.write("docs/payments.md", "# Payments\n\n## Refunds\n<!-- contextd:covers=refund -->\nGiven back.\n\n## Charges\n\nTaken.\n");
    edit(
        &sandbox,
        "shop/payment.py",
        "def sign(",
        "# contextd:doc=docs/cart.md#invariants\ndef sign(",
    );
    asked(&sandbox, &["docs", "update", "--all"]);
    edit(&sandbox, "shop/payment.py", "bool(receipt)", "receipt != ''");
    let (code, report) = asked(&sandbox, &["docs", "check"]);
    let found: Vec<(&str, &str)> = report["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|pair| pair["status"] == "stale")
        .map(|pair| (pair["doc_path"].as_str().unwrap(), pair["section"].as_str().unwrap()))
        .collect();
    assert_eq!((code, found), (2, vec![("docs/payments.md", "Refunds")]));
    edit(&sandbox, "shop/payment.py", "hashlib.sha256", "hashlib.sha512");
    let (_, report) = asked(&sandbox, &["docs", "check", "docs/cart.md"]);
    assert!(
        report["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .any(|pair| pair["section"] == "Invariants" && pair["status"] == "stale"),
        "{report}"
    );
}

#[test]
fn errors_are_told_from_stale_documents() {
    let sandbox = declared();
    let output = sandbox.run(&["docs", "check", "paymants"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("payments"), "{output:?}");
    sandbox.fixture.write(".contextd/graph/broken.yml", "nodes:\n- {ref_id: x\n");
    let output = sandbox.run(&["docs", "check"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.code() == Some(1) && said.contains(".contextd/graph/broken.yml:"),
        "{said}"
    );
    assert_eq!(sandbox.run(&["lint"]).status.code(), Some(1));
}

#[test]
fn a_revision_stands_in_for_the_recorded_state() {
    let sandbox = declared();
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@example.org",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args)
            .current_dir(sandbox.fixture.root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    let check = || stale(&sandbox, &["docs", "check", "--since", "HEAD"]);
    assert_eq!(check(), (0, vec![]));
    edit(&sandbox, "shop/payment.py", CHARGE, "    return sign(card)\n");
    assert_eq!(check().0, 2);
    assert_eq!(check().1[0].0, "docs/payments.md");
    edit(&sandbox, "docs/payments.md", "given back", "handed back");
    assert_eq!(check(), (0, vec![]), "the document was changed with the code");
    assert_eq!(
        sandbox.run(&["docs", "check", "--since", "no-such-revision"]).status.code(),
        Some(1)
    );
}

#[test]
fn rules_are_checked_on_the_code_with_evidence() {
    let sandbox = declared();
    assert_eq!(asked(&sandbox, &["lint"]).0, 0);
    sandbox.fixture.write("shop/payment.py", "from shop.cart import Cart\n\n\ndef charge(card: str, cart: Cart) -> str:\n    return card\n");
    let (code, report) = asked(&sandbox, &["lint"]);
    let own = &report["violations"][0];
    assert_eq!(
        (
            code,
            own["rule"].as_str(),
            own["evidence"][0]["path"].as_str(),
            own["evidence"][0]["line"].as_u64()
        ),
        (1, Some("money-knows-no-cart"), Some("shop/payment.py"), Some(1)),
        "{report}"
    );
    assert!(!own["remedy"].as_str().unwrap().is_empty());
    let format =
        |name: &str| String::from_utf8(sandbox.run(&["lint", "--format", name]).stdout).unwrap();
    assert!(
        format("github")
            .starts_with("::error file=shop/payment.py,line=1,title=money-knows-no-cart::")
    );
    let sarif: Value = serde_json::from_str(&format("sarif")).unwrap();
    assert_eq!(
        sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "shop/payment.py"
    );
}

#[test]
fn a_ref_is_answered_with_all_that_belongs_to_it() {
    let sandbox = declared();
    let bundle = asked(&sandbox, &["ref", "payments"]).1;
    assert_eq!(
        (
            bundle["version"].as_u64(),
            bundle["focus"]["ref_id"].as_str(),
            bundle["warning"].is_null()
        ),
        (Some(1), Some("payments"), true),
        "{bundle}"
    );
    assert_eq!(bundle["graph"]["nodes"][0]["extra"]["color"], "red");
    let edges = bundle["graph"]["edges"].as_array().unwrap();
    assert!(
        edges.iter().any(|edge| edge["src"] == "checkout"
            && edge["dst"] == "payments"
            && edge["kind"] == "depends_on"),
        "{edges:?}"
    );
    assert!(bundle["code_symbols"].as_array().unwrap().iter().any(|symbol| symbol["symbol_name"]
        == "charge"
        && symbol["file_path"] == "shop/payment.py"));
    // Invariants of a neighbour come before other sections of the focus.
    assert_eq!(bundle["text_chunks"][0]["section"], "invariants");
    assert!(
        bundle["constraints"]
            .as_array()
            .unwrap()
            .iter()
            .any(|rule| rule["rule"] == "money-knows-no-cart")
    );
    assert_eq!(bundle["tests"]["command"], "pytest tests");
    let etag = bundle["etag"].as_str().unwrap();
    assert_eq!(asked(&sandbox, &["ref", "payments", "--etag", etag]).1["cached"], true);
    assert!(sandbox.text(&["ctx", "payments", "cart", "--depth", "0"]).contains("# cart (domain)"));
    let wrong = sandbox.run(&["ref", "pay"]);
    assert!(
        wrong.status.code() == Some(1)
            && String::from_utf8_lossy(&wrong.stderr).contains("payments")
    );
    assert_eq!(asked(&sandbox, &["why", "payments"]).1["downstream"][0]["ref_id"], "checkout");
}

#[test]
fn anything_can_be_drawn() {
    let sandbox = declared();
    for (target, expected) in [
        ("payments", "depends_on"),
        ("charge", "calls"),
        ("shop/payment.py", "shop/checkout.py"),
        ("shop/", "checkout.py"),
        ("", "part_of"),
    ] {
        let drawn = sandbox.text(&["graph", target, "--format", "mermaid"]);
        assert!(
            drawn.starts_with("flowchart LR\n") && drawn.contains(expected),
            "{target}: {drawn}"
        );
        assert!(sandbox.text(&["graph", target, "--format", "dot"]).starts_with("digraph"));
        assert!(!asked(&sandbox, &["graph", target]).1["nodes"].as_array().unwrap().is_empty());
    }
    assert_eq!(
        asked(&sandbox, &["graph", "payments", "--max-nodes", "2"]).1["nodes"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(sandbox.run(&["graph", "paymants"]).status.code(), Some(1));
}

#[test]
fn a_brief_fits_and_needs_no_declaration() {
    let sandbox = Sandbox::shop();
    sandbox.fixture.write("README.md", "# Shop\n\n[![x](y)](z)\n\nA small shop that sells things to people.\n\nRun `pytest tests` to test it.\n");
    let brief = sandbox.text(&["prime"]);
    assert!(contextd_pack::Tokenizer::O200k.count(&brief) < 2_000);
    for expected in [
        "A small shop that sells things",
        "test: `pytest tests`",
        "shop/",
        "`main` in tools/src/main.rs",
    ] {
        assert!(brief.contains(expected), "{expected}: {brief}");
    }
    sandbox.fixture.write(".contextd/graph/shop.yml", GRAPH);
    let brief = sandbox.text(&["prime", "--budget", "300"]);
    assert!(
        brief.contains("money-knows-no-cart")
            && contextd_pack::Tokenizer::O200k.count(&brief) <= 300,
        "{brief}"
    );
}

#[test]
fn packs_carry_what_is_declared_about_their_code() {
    let sandbox = Sandbox::shop();
    let plain = asked(&sandbox, &["task", "charge the card at checkout"]).1;
    assert!(plain["notes"].is_null(), "{plain}");
    sandbox.fixture.write(".contextd/graph/shop.yml", GRAPH);
    asked(&sandbox, &["docs", "update", "payments"]);
    edit(&sandbox, "shop/payment.py", CHARGE, "    return sign(card)\n");
    let pack = asked(&sandbox, &["task", "charge the card at checkout"]).1;
    let notes: Vec<(&str, &str)> = pack["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| (note["kind"].as_str().unwrap(), note["text"].as_str().unwrap()))
        .collect();
    for (kind, part) in [
        ("rule", "Payments must not know carts"),
        ("stale-doc", "docs/payments.md"),
        ("owner", "@bank"),
        ("test", "pytest tests"),
        ("part", "Moves money"),
    ] {
        assert!(
            notes.iter().any(|(own, text)| *own == kind && text.contains(part)),
            "{kind}: {notes:?}"
        );
    }
    assert_ne!(plain["packId"], pack["packId"]);
    // A contract has its rules as items, with the place that declares them, and says them once.
    let contract =
        asked(&sandbox, &["task", "charge the card at checkout", "--intent", "contract"]).1;
    let items: Vec<&serde_json::Value> = contract["sections"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|section| section["items"].as_array().unwrap())
        .collect();
    let rule =
        items.iter().find(|item| item["kind"] == "rule").unwrap_or_else(|| panic!("{contract}"));
    assert_eq!(
        (rule["name"].as_str(), rule["fileRelPath"].as_str()),
        (Some("money-knows-no-cart"), Some(".contextd/graph/shop.yml")),
        "{rule}"
    );
    assert!(
        rule["lines"]["start"].as_u64() > Some(0)
            && rule["excerpt"]["text"].as_str().unwrap().contains("Payments must not know carts"),
        "{rule}"
    );
    assert!(
        contract["notes"].as_array().unwrap().iter().all(|note| note["kind"] != "rule"),
        "{contract}"
    );
    for format in ["text", "markdown", "xml"] {
        let text = sandbox.text(&[
            "task",
            "charge the card at checkout",
            "--budget",
            "400",
            "--format",
            format,
        ]);
        assert!(
            contextd_pack::Tokenizer::O200k.count(&text) <= 400
                && text.contains("Payments must not know carts"),
            "{format}: {text}"
        );
    }
}

#[test]
fn the_doctor_looks_at_declarations() {
    let sandbox = declared();
    sandbox.fixture.write(".contextd/graph/more.yml", "nodes:\n- {ref_id: alone, kind: domain}\n");
    edit(
        &sandbox,
        "shop/payment.py",
        "import hashlib",
        "# contextd:domain=nowhere\nimport hashlib",
    );
    sandbox.text(&["index"]);
    let (code, report) = asked(&sandbox, &["doctor"]);
    let ill: Vec<&str> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["ok"] == false)
        .map(|check| check["check"].as_str().unwrap())
        .collect();
    assert_eq!((code, ill), (1, vec!["summaries", "isolated nodes", "annotations"]), "{report}");
}

#[test]
fn code_that_is_gone_makes_its_documents_stale() {
    let sandbox = declared();
    sandbox.fixture.write("docs/back.md", "# Back\n\nWords.\n\n## Refunds\n<!-- contextd:covers=shop/payment.py::refund -->\nGiven back.\n");
    sandbox
        .fixture
        .write("shop/gift.py", "# contextd:doc=docs/gift.md\ndef wrap(box):\n    return box\n");
    sandbox.fixture.write("docs/gift.md", "# Gifts\n\nWrapped.\n");
    sandbox.fixture.write("lone/one.py", "def alone():\n    return 1\n");
    sandbox.fixture.write("docs/lone.md", "# Lone\n\nOne.\n");
    sandbox.fixture.write(".contextd/graph/lone.yml", "nodes:\n- {ref_id: lone, kind: domain, summary: One, source: lone/, docs: [docs/lone.md]}\n");
    sandbox.fixture.git(&["init", "-q"]);
    sandbox.fixture.commit("all");
    asked(&sandbox, &["docs", "update", "--all"]);
    edit(&sandbox, "shop/payment.py", "def refund(", "def give_back(");
    std::fs::remove_file(sandbox.fixture.path("shop/gift.py")).unwrap();
    std::fs::remove_file(sandbox.fixture.path("lone/one.py")).unwrap();
    let row =
        |doc: &str, what: &str| (doc.to_owned(), "symbols_changed".to_owned(), what.to_owned());
    let (code, found) = stale(&sandbox, &["docs", "check"]);
    assert_eq!(code, 2);
    for (doc, what) in [
        ("docs/back.md", "-shop/payment.py::refund"),
        ("docs/gift.md", "-shop/gift.py::wrap"),
        ("docs/lone.md", "-lone/one.py::alone"),
    ] {
        assert!(found.contains(&row(doc, what)), "{doc}: {found:?}");
    }
    let (code, found) = stale(&sandbox, &["docs", "check", "--since", "HEAD"]);
    assert_eq!(code, 2);
    for (doc, what) in
        [("docs/back.md", "-shop/payment.py::refund"), ("docs/lone.md", "-lone/one.py::alone")]
    {
        assert!(found.contains(&row(doc, what)), "{doc}: {found:?}");
    }
    let notes = sandbox.run(&["docs", "check", "docs/back.md", "--format", "github"]);
    assert!(String::from_utf8_lossy(&notes.stdout).contains("docs/back.md,line=5"), "{notes:?}");

    asked(&sandbox, &["docs", "update", "docs/gift.md"]);
    let (code, found) = stale(&sandbox, &["docs", "check"]);
    assert!(
        code == 2
            && found.iter().all(|(doc, _, _)| doc != "docs/gift.md")
            && found.iter().any(|(doc, _, _)| doc == "docs/lone.md"),
        "another document stays stale: {found:?}"
    );
    asked(&sandbox, &["docs", "update", "--all"]);
    assert_eq!(stale(&sandbox, &["docs", "check"]), (0, vec![]));
}
