//! Trees that mean harm: nothing crashes, hangs or escapes, and each problem is listed.

use crate::support;
use contextd_engine::{RefreshOptions, Silent};
use contextd_scan::Rule;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const DEPTH: usize = 200_000;

fn nested(open: &str, inside: &str, close: &str) -> String {
    format!("{}{inside}{}", open.repeat(DEPTH), close.repeat(DEPTH))
}

fn plant(root: &Path, outside: &Path) {
    support::plant(root);
    let write = |path: &str, bytes: &[u8]| support::write(&root.join(path), bytes);
    support::write(&outside.join("stolen.py"), b"def stolen_marker(): pass\n");
    symlink(outside, root.join("escape")).unwrap();
    symlink(outside.join("stolen.py"), root.join("escape.py")).unwrap();
    symlink("/etc/passwd", root.join("passwd.txt")).unwrap();
    symlink(".", root.join("self")).unwrap();
    symlink("loop-b", root.join("loop-a")).unwrap();
    symlink("loop-a", root.join("loop-b")).unwrap();
    assert!(
        std::process::Command::new("mkfifo").arg(root.join("pipe.py")).status().unwrap().success()
    );
    drop(UnixListener::bind(root.join("socket.py")).unwrap());
    write("locked.py", b"x = 1\n");
    fs::set_permissions(root.join("locked.py"), fs::Permissions::from_mode(0o000)).unwrap();
    write("deep/list.py", nested("[", "1", "]").as_bytes());
    write("deep/call.js", nested("f(", "1", ")").as_bytes());
    write("deep/block.rs", format!("fn main() {{ {} }}", nested("{", "1", "}")).as_bytes());
    write(
        "deep/block.go",
        format!("package main\nfunc main() {{ {} }}", nested("{", "", "}")).as_bytes(),
    );
    write("deep/array.json", nested("[", "", "]").as_bytes());
    write("deep/paren.c", format!("int x = {};", nested("(", "1", ")")).as_bytes());
    write("deep/tags.html", nested("<b>", "x", "</b>").as_bytes());
    write("deep/unclosed.java", "class A { ".repeat(DEPTH).as_bytes());
    for name in [".gitignore", ".contextignore", "CODEOWNERS", ".gitattributes"] {
        write(name, format!("{} @x\n", nested("{", "a", "}")).as_bytes());
    }
    write(".contextd/graph/flow.yml", "[".repeat(DEPTH).as_bytes());
    write(".contextd/graph/block.yml", "- ".repeat(DEPTH).as_bytes());
    write("package.json", format!("{{\"a\": {}}}", nested("[", "1", "]")).as_bytes());
    write("tsconfig.json", nested("{\"a\":", "1", "}").as_bytes());
    write("Cargo.toml", format!("a = {}", nested("[", "1", "]")).as_bytes());
    write("deep/quote.md", nested("> ", "x", "").as_bytes());
    write("bytes/invalid.py", b"name = '\xff\xfe\xff'\n");
    write("bytes/nul.py", b"x = '\0'\n");
    write("bytes/crlf.py", b"def windows():\r\n    return 1\r\n");
    write("bytes/bom.py", "\u{feff}def marked():\n    return 1\n".as_bytes());
    write("bytes/empty.py", b"");
    write("bytes/..dots.py", b"def dotted(): pass\n");
    write("long/line.js", "a+".repeat(5 << 20).as_bytes());
    write("long/text.txt", "word ".repeat(2 << 20).as_bytes());
    fs::File::create(root.join("huge.py")).unwrap().set_len(1 << 30).unwrap();
    write("context.toml", b"[indexing]\nsize_exceptions = [\"long/*\"]\n");
}

#[test]
fn a_hostile_tree_is_survived_and_its_problems_are_listed() {
    let place = tempfile::tempdir().unwrap();
    let (root, outside) = (place.path().join("tree"), place.path().join("outside"));
    plant(&root, &outside);
    let started = Instant::now();
    let refreshed = support::refresh(&root, 0);
    assert!(started.elapsed() < Duration::from_secs(300), "it took {:?}", started.elapsed());
    let engine = support::open(&root);
    let snapshot = engine.snapshot().unwrap().unwrap();
    for path in [
        "bytes/crlf.py",
        "bytes/bom.py",
        "bytes/empty.py",
        "bytes/..dots.py",
        "deep/list.py",
        "deep/call.js",
        "deep/block.rs",
        "deep/unclosed.java",
        "long/line.js",
        "long/text.txt",
    ] {
        assert!(snapshot.find_file(path).is_some(), "{path} is indexed");
    }
    for path in [
        "escape.py",
        "escape/stolen.py",
        "passwd.txt",
        "pipe.py",
        "socket.py",
        "huge.py",
        "bytes/nul.py",
        "bytes/invalid.py",
    ] {
        assert_eq!(snapshot.find_file(path), None, "{path} is not");
    }
    assert_eq!(
        (snapshot.symbols_named("windows").len(), snapshot.symbols_named("marked").len()),
        (1, 1)
    );
    assert!(snapshot.symbols_named("stolen_marker").is_empty());
    let scan = engine.scanner.scan();
    for (path, rule) in [
        ("pipe.py", Rule::NotRegular),
        ("socket.py", Rule::NotRegular),
        ("huge.py", Rule::TooLarge),
        ("escape.py", Rule::Symlink),
    ] {
        assert!(
            scan.rejected.iter().any(|rejected| rejected.rel == path && rejected.rule == rule),
            "{path} is listed under {rule}"
        );
    }
    // The owner of all files may read what nobody may.
    if fs::read(root.join("locked.py")).is_err() {
        assert!(
            refreshed.problems.iter().any(|problem| problem.path.as_deref() == Some("locked.py"))
        );
        let errors = contextd_store::Ledger::errors(&engine.ledger().unwrap()).unwrap();
        assert!(errors.iter().any(|error| error.record.file_path == "locked.py"));
    }
    assert!(!support::refresh(&root, 60_000).changed);
}

/// Texts at which a grammar's scanner, or the parser's library, would end the program.
fn killers() -> Vec<(&'static str, String)> {
    let word = "A".repeat(310);
    vec![
        ("deploy/nested.yaml", "- ".repeat(254)),
        ("word.rb", format!("<<{word}\nx\n{word}\n")),
        ("notes.py", format!("def f():\n  x\n{}", ".. a::\n   ".repeat(20_000))),
    ]
}

fn unparsed(problems: &[contextd_model::Problem]) -> Vec<&str> {
    let found = problems.iter().filter(|problem| problem.code == "CTX_W_FILE_UNPARSED");
    found.filter_map(|problem| problem.path.as_deref()).collect()
}

#[test]
fn what_would_end_the_program_is_listed_and_everything_else_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    support::plant(root);
    for (path, text) in killers() {
        support::write(&root.join(path), text.as_bytes());
    }
    let expected = ["deploy/nested.yaml", "notes.py", "word.rb"];
    assert_eq!(unparsed(&support::refresh(root, 0).problems), expected);
    // They stay listed while they are there.
    let again = support::refresh(root, 60_000);
    assert!(!again.changed);
    assert_eq!(unparsed(&again.problems), expected);
    let engine = support::open(root);
    let snapshot = engine.snapshot().unwrap().unwrap();
    assert!(expected.iter().all(|path| snapshot.find_file(path).is_some()), "they are indexed");
    assert!(!snapshot.symbols_named("price_of").is_empty(), "and so is the rest");
    let checkups = engine.doctor();
    let files = checkups.iter().find(|checkup| checkup.name == "files").unwrap();
    assert_eq!(files.problem.as_ref().map(|problem| problem.code), Some("CTX_W_FILE_UNPARSED"));
    fs::write(root.join("notes.py"), "def f(): pass\n").unwrap();
    assert_eq!(unparsed(&support::refresh(root, 120_000).problems).len(), 2);
}

#[test]
fn a_text_put_over_a_file_cannot_brick_the_index() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    support::plant(root);
    support::refresh(root, 0);
    for (path, text) in killers() {
        let engine = support::open(root);
        assert!(engine.put_overlay(path, &text, support::now()).unwrap());
        support::refresh(root, 0);
        assert!(support::open(root).snapshot().unwrap().unwrap().find_file(path).is_some());
    }
}

#[test]
fn files_that_change_while_they_are_read_end_up_as_they_are() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let stop = AtomicBool::new(false);
    let restless = place.path().join("restless.py");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 0u32;
            while !stop.load(Ordering::Relaxed) {
                let mut file = fs::File::create(&restless).unwrap();
                for _ in 0..50 {
                    writeln!(file, "def restless_{number}(): pass").unwrap();
                }
                number += 1;
            }
        });
        for _ in 0..10 {
            let options = RefreshOptions {
                now: support::now(),
                wait: Duration::from_secs(60),
                ..RefreshOptions::default()
            };
            support::open(place.path()).refresh(&options, &Silent).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    support::write(&restless, b"def at_rest(): pass\n");
    support::refresh(place.path(), 0);
    assert_eq!(support::difference_to_fresh(place.path()), None);
    assert_eq!(
        support::open(place.path()).snapshot().unwrap().unwrap().symbols_named("at_rest").len(),
        1
    );
}

#[test]
fn the_doctor_finds_damage() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let unwell = || -> Vec<&'static str> {
        support::open(place.path())
            .doctor()
            .into_iter()
            .filter(|checkup| checkup.problem.is_some())
            .map(|checkup| checkup.name)
            .collect()
    };
    assert_eq!(unwell(), ["index"], "before the first run");
    support::refresh(place.path(), 60_000);
    assert_eq!(unwell(), [] as [&str; 0]);
    let (_, files) = support::image(place.path());
    let segment = support::open(place.path())
        .places
        .index
        .join(files.keys().find(|path| path.ends_with(".seg")).unwrap());
    let mut bytes = fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&segment, bytes).unwrap();
    assert_eq!(unwell(), ["index"]);
}

#[test]
fn who_asks_for_everything_anew_takes_nothing_over_from_damaged_files() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    let before = support::image(place.path());
    let index = support::open(place.path()).places.index;
    for path in before.1.keys().filter(|path| path.ends_with(".seg") || path.ends_with(".graph")) {
        let mut bytes = fs::read(index.join(path)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..][..16].fill(0xa5);
        fs::write(index.join(path), bytes).unwrap();
    }
    let options = RefreshOptions { full: true, now: 60_000, ..RefreshOptions::default() };
    support::open(place.path()).refresh(&options, &Silent).unwrap();
    assert_eq!(support::image(place.path()), before);
    assert!(support::open(place.path()).doctor().iter().all(|checkup| checkup.problem.is_none()));
}

#[test]
fn damaged_files_of_the_index_are_built_again() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    let (before, index) = (support::image(place.path()), support::open(place.path()).places.index);
    for victim in ["CURRENT", "ledger.db", "facts.db", "snapshots"] {
        let path = index.join(victim);
        let files: Vec<_> = if path.is_dir() {
            fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect()
        } else {
            vec![path]
        };
        for file in files {
            fs::write(file, b"damaged").unwrap();
        }
        support::refresh(place.path(), 60_000);
        assert_eq!(support::image(place.path()), before, "after damage to {victim}");
    }
}
