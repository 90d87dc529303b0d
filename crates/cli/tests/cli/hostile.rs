//! Repositories that mean harm, as somebody meets them who has just cloned one.

use crate::http::{LOCAL, Server};
use crate::sandbox::Sandbox;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Texts at which a grammar's scanner, or the parser's library, would end the program.
fn killers() -> [(&'static str, String); 3] {
    let word = "A".repeat(310);
    [
        ("nested.yaml", "- ".repeat(254)),
        ("word.rb", format!("<<{word}\nx\n{word}\n")),
        ("notes.py", format!("def f():\n  x\n{}", ".. a::\n   ".repeat(20_000))),
    ]
}

#[test]
fn no_file_ends_a_command_now_or_in_a_past_commit() {
    let sandbox = Sandbox::shop();
    let fixture = &sandbox.fixture;
    fixture.git(&["init", "-q", "-b", "main"]);
    fixture.commit("Begin");
    killers().iter().for_each(|(path, text)| fixture.write(path, text));
    fixture.commit("Add notes");
    let index = sandbox.run(&["index"]);
    let told = String::from_utf8_lossy(&index.stderr).into_owned();
    assert!(index.status.success(), "{told}");
    for (path, _) in killers() {
        assert!(told.contains(path), "{path} is not listed: {told}");
    }
    let commands: [&[&str]; 5] = [
        &["search", "charge"],
        &["recent", "notes.py"],
        &["recent", "nested.yaml"],
        &["pr", "HEAD~1..HEAD"],
        &["status"],
    ];
    for words in commands {
        sandbox.text(words);
    }
    killers().iter().for_each(|(path, _)| fixture.write(path, "\n"));
    fixture.commit("Take the notes out");
    for words in commands {
        sandbox.text(words);
    }
    sandbox.text(&["pr", "HEAD~2..HEAD"]);
}

#[test]
fn no_text_ends_a_server_or_bricks_its_index() {
    let sandbox = Sandbox::shop();
    {
        let server = Server::start(&sandbox, None);
        for (path, text) in killers() {
            let body = serde_json::json!({"file_path": path, "content": text}).to_string();
            let (status, answer) = server.ask("POST", "/add_context", LOCAL, &body);
            assert_eq!(status, 200, "{path}: {answer}");
            assert_eq!(server.ask("GET", "/stats", LOCAL, "").0, 200, "{path}");
        }
    }
    // The texts are kept and met again by whoever starts next.
    sandbox.text(&["index", "--full"]);
    let server = Server::start(&sandbox, None);
    assert_eq!(server.ask("GET", "/stats", LOCAL, "").0, 200);
}

/// Everything below a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.insert(entry.path(), Vec::new());
            found.extend(contents(&entry.path()));
        } else {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[test]
fn a_repository_removes_nothing_outside_of_itself() {
    for attack in ["index", "folder", "git", "storage"] {
        let sandbox = Sandbox::shop();
        let (root, victim) = (sandbox.fixture.root(), sandbox.home().join("victim"));
        for name in ["notes.txt", "CURRENT", "ledger.db", "segments/a.seg", "contextd/notes.txt"] {
            let path = victim.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        // What only names another folder of git is passed over.
        let is_refused = attack != "git";
        match attack {
            "index" => {
                fs::create_dir_all(root.join(".contextd")).unwrap();
                symlink(&victim, root.join(".contextd/index")).unwrap();
            }
            "folder" => symlink(&victim, root.join(".contextd")).unwrap(),
            "git" => {
                let _ = fs::remove_dir_all(root.join(".git"));
                fs::write(root.join(".git"), format!("gitdir: {}\n", victim.display())).unwrap();
            }
            _ => {
                let config = format!("[storage]\npath = {victim:?}\n");
                fs::write(root.join("context.toml"), config).unwrap();
            }
        }
        let before = contents(&victim);
        for words in [&["search", "charge"][..], &["index"], &["clean"]] {
            let output = sandbox.run(words);
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.success(), !is_refused, "{attack}: {words:?}: {told}");
            if is_refused {
                assert!(told.contains("storage.path"), "{attack}: {words:?}: {told}");
            }
        }
        assert!(contents(&victim) == before, "{attack}: the victim was changed");
    }
}
