//! The documentation: its reference pages are those of this program, and every example in it works.

use crate::sandbox::Sandbox;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the pages below a folder, in order.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn the_reference_is_that_of_this_program() {
    let sandbox = Sandbox::shop();
    let made = sandbox.home().join("docs");
    sandbox.text(&["reference", "--out", made.to_str().unwrap()]);
    let docs = repository().join("docs");
    for page in pages(&made) {
        let name = page.strip_prefix(&made).unwrap();
        let there = std::fs::read_to_string(docs.join(name)).unwrap_or_default();
        assert!(
            there == std::fs::read_to_string(&page).unwrap(),
            "docs/{} is out of date: run `cargo xtask docs`, and read what changed",
            name.display()
        );
    }
    let kept = pages(&docs)
        .into_iter()
        .filter(|page| std::fs::read_to_string(page).unwrap().starts_with("<!-- Made by"))
        .count();
    assert_eq!(kept, pages(&made).len(), "docs has pages that are no longer made");
}

/// Returns the command lines of a page that its readers are told to run.
fn examples(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.trim() {
            "```console" => inside = true,
            "```" => inside = false,
            line if inside => found.extend(line.strip_prefix("$ ")),
            _ => {}
        }
    }
    found
}

/// Takes a command line apart as a shell does, as far as the examples go.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What the shop's makers declare about it, so that examples about refs and rules have some.
const DECLARED: &str = "nodes:
- {ref_id: shop, kind: service, summary: Sells things}
- {ref_id: payments, kind: domain, summary: Moves money, source: shop/payment.py, docs: [docs/payments.md]}
- {ref_id: cart, kind: domain, summary: Holds lines, source: shop/cart.py}
edges:
- {src: payments, dst: shop, kind: part_of}
- {src: cart, dst: shop, kind: part_of}
rules:
- name: money-knows-no-cart
  description: Payments must not know carts
  deny: {from: {ref_id: payments}, to: {ref_id: cart}}
";

/// Makes the shop a repository with a branch, so that examples about history and changes have something to tell.
fn with_history(sandbox: &Sandbox) {
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command
            .current_dir(sandbox.fixture.root())
            .args([
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.org",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args);
        command
            .env("HOME", sandbox.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .map(|output| assert!(output.status.success(), "{args:?}: {output:?}"))
            .unwrap();
    };
    sandbox.fixture.write(".contextd/graph/shop.yml", DECLARED);
    sandbox.fixture.write("tasks.jsonl", "{\"id\": \"1\", \"query\": \"charge the card\"}\n");
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "Open the shop"]);
    git(&["checkout", "-q", "-b", "totals"]);
    let cart = std::fs::read_to_string(sandbox.fixture.path("shop/cart.py")).unwrap();
    sandbox.fixture.write(
        "shop/cart.py",
        &cart.replace(
            "return sum(price * count for price, count in self.lines)",
            "return max(0, sum(price * count for price, count in self.lines))",
        ),
    );
    git(&["commit", "-q", "-a", "-m", "Never let a total fall below nothing"]);
}

#[test]
fn every_example_works() {
    let root = repository();
    let (mut count, mut wrong) = (0, Vec::new());
    let readme = root.join("README.md");
    for page in pages(&root.join("docs")).iter().chain([&readme]) {
        let text = std::fs::read_to_string(page).unwrap();
        let lines = examples(&text);
        if lines.is_empty() {
            continue;
        }
        let sandbox = Sandbox::shop();
        with_history(&sandbox);
        // Somebody who reads this has an agent installed.
        std::fs::create_dir_all(sandbox.home().join(".cursor")).unwrap();
        for line in lines {
            count += 1;
            let words = words(line);
            assert_eq!(
                words.first().map(String::as_str),
                Some("contextd"),
                "{}: only contextd can be tried: {line}",
                page.display()
            );
            let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
            let output =
                sandbox.command(&args).current_dir(sandbox.fixture.root()).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if !output.status.success()
                || said.contains("error:")
                || output.stdout.is_empty() && said.is_empty() && !writes_a_file(&args)
            {
                wrong.push(format!("{}: {line}\n{:?}\n{said}", page.display(), output.status));
            }
            // Its reader sends it to a file, which a later example takes in.
            if line == "contextd feedback export" {
                std::fs::write(sandbox.fixture.path("judgements.jsonl"), &output.stdout).unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "{count} examples were found");
}

fn writes_a_file(args: &[&str]) -> bool {
    args.contains(&"--out") || args.contains(&"--sql")
}

#[test]
fn links_lead_somewhere() {
    let root = repository();
    let readme = root.join("README.md");
    for page in pages(&root.join("docs")).iter().chain([&readme]) {
        let text = std::fs::read_to_string(page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") {
                assert!(page.parent().unwrap().join(target).exists(), "{}: {link}", page.display());
            }
        }
    }
}
