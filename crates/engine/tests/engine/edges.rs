//! Edges as they come out of the whole pipeline, where the linker reads segments and not facts.

use crate::support::{difference_to_fresh, open, refresh, write};
use contextd_model::{EdgeKind, SymbolKind};
use std::path::Path;

/// Indexes files and returns their edges: `a.go:f calls b.go:g`, with the confidence when guessed.
fn edges(root: &Path, files: &[(&str, &str)]) -> Vec<String> {
    for (path, text) in files {
        write(&root.join(path), text.as_bytes());
    }
    refresh(root, 1_000);
    let snapshot = open(root).snapshot().unwrap().unwrap();
    let name = |number: u32| {
        let symbol = snapshot.symbol(number);
        if symbol.kind() == SymbolKind::File {
            symbol.path().to_owned()
        } else {
            format!("{}:{}", symbol.path(), symbol.qualified())
        }
    };
    let mut lines = Vec::new();
    for source in 0..snapshot.symbol_count() {
        for edge in snapshot.graph().out(source) {
            let guess =
                if edge.is_known() { String::new() } else { format!(" ~{}", edge.confidence) };
            lines.push(format!("{} {} {}{guess}", name(source), edge.kind(), name(edge.target)));
        }
    }
    for edge in snapshot.graph().outside() {
        let guess =
            if edge.confidence >= 90 { String::new() } else { format!(" ~{}", edge.confidence) };
        lines.push(format!(
            "{} {} {}:{} @{}{guess}",
            name(edge.source),
            edge.kind,
            edge.target_kind(),
            edge.name,
            edge.line
        ));
    }
    lines
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let found = edges(folder.path(), files);
    for line in expected {
        match line.strip_prefix("! ") {
            Some(unwanted) => assert!(
                !found.iter().any(|edge| edge.starts_with(unwanted)),
                "unwanted `{unwanted}` in\n{}",
                found.join("\n")
            ),
            None => assert!(
                found.iter().any(|edge| edge == line),
                "no `{line}` in\n{}",
                found.join("\n")
            ),
        }
    }
}

#[test]
fn go_interfaces_ask_for_parameters_and_results() {
    let files = [
        ("go.mod", "module example.com/m\n"),
        (
            "a/a.go",
            "package a\n\ntype Reader interface {\n\tRead(key, name string) (int, error)\n\tSeek(int)\n}\n",
        ),
        (
            "b/b.go",
            "package b\n\ntype Good struct{}\n\nfunc (g *Good) Read(k, n string) (count int, err error) { return 0, nil }\nfunc (g *Good) Seek(to int) {}\n",
        ),
        (
            "b/c.go",
            "package b\n\ntype Fewer struct{}\n\nfunc (g *Fewer) Read(k string) (int, error) { return 0, nil }\nfunc (g *Fewer) Seek(to int) {}\n",
        ),
        (
            "b/d.go",
            "package b\n\ntype Other struct{}\n\nfunc (g *Other) Read(k, n int) (int, error) { return 0, nil }\nfunc (g *Other) Seek(to int) {}\n",
        ),
        (
            "b/e.go",
            "package b\n\ntype Silent struct{}\n\nfunc (g *Silent) Read(k, n string) int { return 0 }\nfunc (g *Silent) Seek(to int) {}\n",
        ),
    ];
    check(
        &files,
        &[
            "b/b.go:Good implements a/a.go:Reader",
            "b/b.go:Good.Read overrides a/a.go:Reader.Read",
            "! b/c.go:Fewer implements",
            "! b/d.go:Other implements",
            "! b/e.go:Silent implements",
        ],
    );
}

#[test]
fn what_stands_outside_is_named() {
    let files = [
        (
            "app.py",
            "import os\nimport subprocess\n\n@app.route('/users/<id>')\ndef user(id):\n    return os.getenv('DB_URL')\n\ndef build():\n    subprocess.run('make all')\n",
        ),
        (
            "web/server.js",
            "const express = require('express');\n\nfunction list(req, res) {}\n\nfunction setup(router) {\n  router.get('/items', list);\n  router.post('/items', (req, res) => res.end());\n}\n",
        ),
        ("docs/CODEOWNERS", "* @all\n/web/ @front @design\n"),
    ];
    check(
        &files,
        &[
            "app.py:user handles_route route:/users/<id> @4",
            "app.py:user reads_env env:DB_URL @6",
            "app.py:build executes_process process:make @9",
            "web/server.js:list handles_route route:GET /items @6",
            "web/server.js:setup handles_route route:POST /items @7 ~60",
            "app.py owned_by owner:@all @0",
            "web/server.js owned_by owner:@front @0",
            "web/server.js owned_by owner:@design @0",
            "! web/server.js owned_by owner:@all",
        ],
    );
}

#[test]
fn results_and_fields_show_where_values_go() {
    let files = [
        ("a.py", "def load():\n    return 1\n"),
        (
            "b.py",
            "from a import load\n\ndef use():\n    value = load()\n    return value\n\ndef drop():\n    load()\n",
        ),
        (
            "c.ts",
            "export class Box {\n  size: number = 0;\n  grow(by: number) {\n    this.size = by;\n  }\n}\n",
        ),
    ];
    check(
        &files,
        &[
            "a.py:load dataflow b.py:use ~80",
            "! a.py:load dataflow b.py:drop",
            "c.ts:Box.grow dataflow c.ts:Box.size",
        ],
    );
}

/// What stands outside follows its files and the rules, edit by edit.
#[test]
fn outside_edges_follow_edits() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let first = [
        ("a.py", "import os\n\ndef f():\n    return os.getenv('ONE')\n"),
        ("b.py", "from a import f\n\ndef g():\n    x = f()\n    return x\n"),
        ("CODEOWNERS", "* @all\n"),
    ];
    edges(root, &first);
    for (path, text) in [
        ("a.py", "import os\n\ndef f():\n    return os.getenv('TWO')\n"),
        ("b.py", "from a import f\n\ndef g():\n    f()\n    return 1\n"),
        ("CODEOWNERS", "a.py @me\n"),
    ] {
        write(&root.join(path), text.as_bytes());
        refresh(root, 2_000);
        assert_eq!(difference_to_fresh(root), None, "after {path}");
    }
    let found = edges(root, &[]);
    assert!(
        found.contains(&"a.py:f reads_env env:TWO @4".to_owned())
            && found.contains(&"a.py owned_by owner:@me @0".to_owned()),
        "{}",
        found.join("\n")
    );
    assert!(
        !found
            .iter()
            .any(|edge| edge.contains("ONE") || edge.contains("@all") || edge.contains("dataflow")),
        "{}",
        found.join("\n")
    );
}

#[test]
fn edges_name_the_file_they_are_written_in() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("Cargo.toml", "[package]\nname = \"demo\"\n"),
        ("src/lib.rs", "mod kind;\nmod shows;\n"),
        ("src/kind.rs", "pub trait Show { fn show(&self); }\npub struct Kind;\n"),
        (
            "src/shows.rs",
            "use crate::kind::{Kind, Show};\n\n\n\nimpl Show for Kind {\n    fn show(&self) {}\n}\n",
        ),
        ("a.py", "def load():\n    return 1\n"),
        ("b.py", "from a import load\n\ndef use():\n    value = load()\n    return value\n"),
    ];
    edges(folder.path(), &files);
    let snapshot = open(folder.path()).snapshot().unwrap().unwrap();
    let mut found = Vec::new();
    for source in 0..snapshot.symbol_count() {
        for edge in snapshot
            .graph()
            .out(source)
            .iter()
            .filter(|edge| matches!(edge.kind(), EdgeKind::Implements | EdgeKind::Dataflow))
        {
            found.push(format!(
                "{} {} {}:{}",
                snapshot.symbol(source).name(),
                edge.kind(),
                snapshot.file(snapshot.written_in(source, &edge)).path(),
                edge.line
            ));
        }
    }
    found.sort();
    assert_eq!(found, ["Kind implements src/shows.rs:5", "load dataflow b.py:4"]);
}

#[test]
fn a_function_expression_is_known_inside_itself_alone() {
    let files = [
        ("log.js", "module.exports = function log() {}\n"),
        (
            "app.js",
            "const log = require('./log')\napp.use(function log(req) { return log(req.next) })\nfunction other() { return log() }\n",
        ),
    ];
    check(
        &files,
        &["app.js:other calls log.js:log", "! app.js:log calls", "! app.js:other calls app.js:log"],
    );
}
