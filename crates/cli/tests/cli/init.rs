//! Registration with every agent in a scratch home, and its undoing.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const JSON: &[&str] = &[
    "",
    "{}",
    "{\"KEY\": {}}\n",
    "{\n  \"theme\": \"dark\"\n}\n",
    "{\n\t// mine\n\t\"KEY\": {\n\t\t\"other\": {\n\t\t\t\"command\": \"x\", /* y */\n\t\t},\n\t},\n\t\"z\": [1, 2,],\n}",
    "\u{feff}{\r\n    \"KEY\": {\r\n        \"other\": { \"command\": \"x\" }\r\n    },\r\n    \"z\": 1\r\n}\r\n",
];

const TOML: &[&str] = &[
    "",
    "model = \"m\" # mine",
    "# first\r\nmodel = \"m\"\r\n\r\n[KEY.other]\r\ncommand = \"x\"\r\n",
    "KEY = { other = { command = \"x\" } }\n",
];

/// Returns every file and folder with its bytes and mode.
fn tree(root: &Path) -> BTreeMap<PathBuf, (u32, Option<Vec<u8>>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            let bytes = about.is_file().then(|| std::fs::read(&path).unwrap());
            if about.is_dir() {
                open.push(path.clone());
            }
            found.insert(path.strip_prefix(root).unwrap().to_owned(), (mode(&about), bytes));
        }
    }
    found
}

#[cfg(unix)]
fn mode(about: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions())
}

#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> u32 {
    0
}

fn agents(sandbox: &Sandbox) -> Vec<(String, PathBuf, Vec<String>)> {
    let list = sandbox.json(&["init", "--list", "--json"]);
    let agents = list["agents"].as_array().unwrap();
    let key = |agent: &Value| {
        agent["key"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part.as_str().unwrap().to_owned())
            .collect()
    };
    agents
        .iter()
        .map(|agent| {
            (
                agent["id"].as_str().unwrap().to_owned(),
                PathBuf::from(agent["file"].as_str().unwrap()),
                key(agent),
            )
        })
        .collect()
}

/// Reads a configuration with a parser that the program does not use.
fn read(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap();
    let body = text.trim_start_matches('\u{feff}');
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("toml") => {
            basic_toml::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
        }
        _ => json5::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}")),
    }
}

#[test]
fn every_agent_is_registered_and_everything_is_undone() {
    let sandbox = Sandbox::shop();
    let agents = agents(&sandbox);
    let ids: Vec<&str> = agents.iter().map(|(id, ..)| id.as_str()).collect();
    // In the last round no file exists.
    for round in 0..=JSON.len() {
        let start = |file: &Path, key: &[String]| {
            let texts =
                if file.extension().is_some_and(|ending| ending == "toml") { TOML } else { JSON };
            (round < JSON.len()).then(|| texts[round % texts.len()].replace("KEY", &key.join(".")))
        };
        for (_, file, key) in &agents {
            match start(file, key) {
                Some(text) => {
                    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                    std::fs::write(file, text).unwrap();
                }
                None => std::fs::remove_file(file).unwrap(),
            }
        }
        let before = tree(sandbox.home());
        sandbox.text(&["init", "--agent", &ids.join(","), "--yes"]);
        for (id, file, key) in &agents {
            let said = read(file);
            let own = key.iter().fold(&said, |value, part| &value[part.as_str()]);
            let line = own["contextd"].to_string();
            assert!(
                line.contains("contextd") && line.contains("\"serve\",\"--stdio\""),
                "{id}: {said}"
            );
            if start(file, key).is_some_and(|text| text.contains("other")) {
                assert_eq!(own["other"]["command"], "x", "{id}: {said}");
            }
        }
        let between = tree(sandbox.home());
        sandbox.text(&["init", "--agent", &ids.join(","), "--yes"]);
        assert_eq!(tree(sandbox.home()), between, "a second time changes nothing");
        sandbox.text(&["uninit", "--yes"]);
        assert_eq!(tree(sandbox.home()), before, "round {round}");
    }
}

#[test]
fn folders_that_were_made_go_again() {
    let sandbox = Sandbox::shop();
    let before = tree(sandbox.home());
    let agents = agents(&sandbox);
    let ids: Vec<&str> = agents.iter().map(|(id, ..)| id.as_str()).collect();
    sandbox.text(&["init", "--agent", &ids.join(","), "--yes"]);
    assert!(agents.iter().all(|(_, file, _)| file.exists()));
    sandbox.text(&["uninit", "--yes"]);
    assert_eq!(tree(sandbox.home()), before);
}

#[test]
fn an_entry_of_somebody_else_is_not_touched_unasked() {
    let sandbox = Sandbox::shop();
    let file = sandbox.home().join(".cursor/mcp.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{\"mcpServers\": {\"contextd\": {\"command\": \"mine\"}}}").unwrap();
    let before = tree(sandbox.home());
    let refused = sandbox.run(&["init", "--agent", "cursor", "--yes"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--force"), "{refused:?}");
    sandbox.text(&["uninit", "--agent", "cursor", "--yes"]);
    assert_eq!(tree(sandbox.home()), before);
    sandbox.text(&["init", "--agent", "cursor", "--yes", "--force"]);
    assert_ne!(read(&file)["mcpServers"]["contextd"]["command"], "mine");
    sandbox.text(&["uninit", "--yes"]);
    assert_eq!(tree(sandbox.home()), before, "the old entry is back");
    sandbox.text(&["uninit", "--agent", "cursor", "--yes", "--force"]);
    assert_eq!(read(&file)["mcpServers"].as_object().map(serde_json::Map::len), Some(0));
}

#[test]
fn later_changes_of_others_survive_the_undoing() {
    let sandbox = Sandbox::shop();
    let file = sandbox.home().join(".claude.json");
    std::fs::write(&file, "{\n  \"a\": 1\n}\n").unwrap();
    sandbox.text(&["init", "--agent", "claude-code", "--yes"]);
    // The agent itself writes the file anew, in its own way.
    let mut said = read(&file);
    said["mcpServers"]["other"] = serde_json::json!({"command": "x"});
    std::fs::write(&file, said.to_string()).unwrap();
    sandbox.text(&["uninit", "--yes"]);
    assert_eq!(read(&file), serde_json::json!({"a": 1, "mcpServers": {"other": {"command": "x"}}}));
    assert!(!sandbox.home().join(".local").exists(), "no receipt is left");
}

#[test]
fn a_moved_program_is_registered_anew_and_still_undone() {
    let sandbox = Sandbox::shop();
    let file = sandbox.home().join(".codex/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "model = \"m\"").unwrap();
    let before = tree(sandbox.home());
    sandbox.text(&["init", "--yes", "--command", "/old/contextd", "--agent", "codex"]);
    sandbox.text(&["init", "--yes", "--command", "/new/contextd", "--agent", "codex"]);
    assert_eq!(read(&file)["mcp_servers"]["contextd"]["command"], "/new/contextd");
    sandbox.text(&["uninit", "--yes"]);
    assert_eq!(tree(sandbox.home()), before);
}

#[test]
fn nothing_is_written_without_consent_and_broken_files_are_left_alone() {
    let sandbox = Sandbox::shop();
    assert_eq!(sandbox.run(&["init"]).status.code(), Some(1), "no agent is found");
    assert_eq!(sandbox.run(&["init", "--agent", "nobody"]).status.code(), Some(2));
    for (folder, text) in
        [(".cursor", "{\"mcpServers\": "), (".kiro/settings", "[]"), (".gemini", "{}")]
    {
        let name = if folder == ".gemini" { "settings.json" } else { "mcp.json" };
        std::fs::create_dir_all(sandbox.home().join(folder)).unwrap();
        std::fs::write(sandbox.home().join(folder).join(name), text).unwrap();
    }
    let before = tree(sandbox.home());
    for args in [&["init", "--agent", "gemini"][..], &["init", "--agent", "gemini", "--dry-run"]] {
        let text = sandbox.text(args);
        assert!(text.contains("+ ") && text.contains("\"contextd\": {"), "{text}");
        assert_eq!(tree(sandbox.home()), before);
    }
    let output = sandbox.run(&["init", "--yes"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("Cursor") && said.contains("Kiro") && said.contains("line 1"), "{said}");
    assert!(
        read(&sandbox.home().join(".gemini/settings.json"))["mcpServers"]["contextd"].is_object(),
        "the others are served"
    );
    sandbox.text(&["uninit", "--yes"]);
    assert_eq!(tree(sandbox.home()), before);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::shop();
    let real = sandbox.home().join("dotfiles/cursor.json");
    let link = sandbox.home().join(".cursor/mcp.json");
    std::fs::create_dir_all(real.parent().unwrap()).unwrap();
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::fs::write(&real, "{}").unwrap();
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("../dotfiles/cursor.json", &link).unwrap();
    let before = tree(sandbox.home());
    sandbox.text(&["init", "--agent", "cursor", "--yes"]);
    assert!(link.symlink_metadata().unwrap().is_symlink() && read(&real)["mcpServers"].is_object());
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    sandbox.text(&["uninit", "--yes"]);
    assert_eq!(tree(sandbox.home()), before);
    std::fs::remove_file(&real).unwrap();
    assert_eq!(
        sandbox.run(&["init", "--agent", "cursor", "--yes"]).status.code(),
        Some(2),
        "a link to nothing"
    );
}

#[test]
fn instructions_go_into_the_repository_only_when_asked() {
    let sandbox = Sandbox::shop();
    let before = tree(sandbox.fixture.root());
    sandbox.text(&["init", "--agent", "zed", "--yes"]);
    assert_eq!(tree(sandbox.fixture.root()), before);
    for start in [None, Some("# Rules\r\n\r\nBe kind.")] {
        if let Some(text) = start {
            sandbox.fixture.write("AGENTS.md", text);
        }
        let before = tree(sandbox.fixture.root());
        sandbox.text(&["init", "--agent", "zed", "--instructions", "--yes"]);
        let text = std::fs::read_to_string(sandbox.fixture.path("AGENTS.md")).unwrap();
        assert!(text.contains("context_for_task") && text.contains("<!-- /contextd -->"), "{text}");
        sandbox.text(&["uninit", "--yes"]);
        assert_eq!(tree(sandbox.fixture.root()), before);
    }
}
