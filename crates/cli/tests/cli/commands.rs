//! Commands, their formats and exit codes.

use crate::sandbox::Sandbox;
use contextd_pack::Tokenizer;
use std::io::Read;
use std::process::Stdio;

#[test]
fn a_task_is_answered_without_indexing_first_and_inside_its_budget() {
    let sandbox = Sandbox::shop();
    for format in ["text", "markdown", "xml", "json"] {
        let text = sandbox.text(&[
            "task",
            "charge the card at checkout",
            "--budget",
            "900",
            "--format",
            format,
        ]);
        assert!(text.contains("checkout"), "{format}: {text}");
        let tokens = Tokenizer::O200k.count(text.trim_end_matches('\n'));
        assert!(tokens <= 900, "{format}: {tokens}");
    }
    let pack = sandbox.json(&["task", "charge the card at checkout", "--format", "json"]);
    assert_eq!(
        (pack["schema"].as_str(), pack["formatVersion"].as_u64()),
        (Some("ContextPack"), Some(1))
    );
    assert_eq!(pack, sandbox.json(&["task", "charge the card at checkout", "--json"]));
}

#[test]
fn hits_have_the_fields_that_scripts_rely_on() {
    let sandbox = Sandbox::shop();
    let found = sandbox.json(&["search", "where do idle sessions expire", "--json"]);
    let hit = &found["hits"][0];
    assert_eq!(hit["file"], "web/session.ts", "{found}");
    for field in ["symbolId", "symbol", "kind", "file", "startLine", "endLine", "score", "why"] {
        assert!(!hit[field].is_null() || field == "symbolId", "{field}: {hit}");
    }
    let seed = sandbox.json(&["search", "sessions", "--format", "hits", "-k", "1"]);
    assert_eq!(seed["hits"].as_array().unwrap().len(), 1);
    assert!(seed["hits"][0]["chunkId"].is_string() && seed["hits"][0]["offsets"]["end"].is_u64());
    let scoped = sandbox.json(&["search", "payment", "--lang", "markdown", "--json"]);
    assert!(scoped["hits"].as_array().unwrap().iter().all(|hit| hit["language"] == "markdown"));
}

#[test]
fn a_symbol_has_its_callers_and_a_wrong_one_has_suggestions() {
    let sandbox = Sandbox::shop();
    let symbol = sandbox.json(&["symbol", "charge", "--json"]);
    let callers: Vec<&str> = symbol["symbols"][0]["callers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|caller| caller["symbol"].as_str().unwrap())
        .collect();
    assert_eq!(callers, ["checkout"]);
    let id = symbol["symbols"][0]["symbolId"].as_str().unwrap();
    assert_eq!(sandbox.json(&["symbol", id, "--json"])["symbols"], symbol["symbols"]);
    let wrong = sandbox.run(&["symbol", "chrage"]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(said.contains("charge") && said.contains("CTX_E_NOT_FOUND"), "{said}");
}

#[test]
fn scores_add_up_and_impact_reaches_the_test() {
    let sandbox = Sandbox::shop();
    let why = sandbox.json(&["why", "checkout", "--task", "charge the card at checkout", "--json"]);
    let sum: f64 = why["terms"]
        .as_array()
        .unwrap()
        .iter()
        .map(|term| term["contribution"].as_f64().unwrap())
        .sum();
    assert!(
        (sum + why["adjustment"].as_f64().unwrap() - why["score"].as_f64().unwrap()).abs() < 1e-4,
        "{why}"
    );
    let impact = sandbox.json(&["impact", "charge", "--json"]);
    assert!(
        impact["tests"].as_array().unwrap().contains(&"tests/test_checkout.py".into()),
        "{impact}"
    );
    assert!(sandbox.text(&["files", "shop/payment.py"]).contains("checkout"));
}

#[test]
fn checks_tell_by_their_exit_code() {
    let sandbox = Sandbox::shop();
    sandbox.fixture.write("secret.private", "x");
    assert_eq!(sandbox.run(&["check-file", "shop/cart.py"]).status.code(), Some(0));
    let output = sandbox.run(&["check-file", "secret.private"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("private_name"));
    assert_eq!(sandbox.run(&["status"]).status.code(), Some(1), "no index yet");
    assert_eq!(sandbox.run(&["task"]).status.code(), Some(2), "usage");
    assert_eq!(sandbox.run(&["pack", "get", "nothing"]).status.code(), Some(1));
    assert_eq!(sandbox.run(&["rebuild"]).status.code(), Some(2), "not confirmed");
    sandbox.text(&["rebuild", "--confirm"]);
    let jobs = sandbox.json(&["jobs", "--json"]);
    assert_eq!(jobs["jobs"][0]["status"], "completed", "{jobs}");
    assert_eq!(jobs["jobs"][0]["progress"]["percentComplete"], 100.0, "{jobs}");
    assert!(!sandbox.text(&["jobs"]).contains('{'), "records are written in words");
    assert_eq!(sandbox.run(&["jobs", "--cancel"]).status.code(), Some(2), "which one?");
    let refused = sandbox.run(&["export", "symbols", "--out", "no/such/folder/symbols.jsonl"]);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && why.contains("no/such/folder") && why.contains("[CTX_E_IO]"),
        "{why}"
    );
    sandbox.text(&["doctor"]);
    sandbox.text(&["validate-config"]);
}

#[test]
fn the_state_of_the_index_has_its_names() {
    let sandbox = Sandbox::shop();
    let index = sandbox.json(&["index", "--json"]);
    let status = sandbox.json(&["status", "--json"]);
    for field in [
        "indexSignature",
        "files",
        "symbols",
        "edges",
        "chunks",
        "languages",
        "lastIndexed",
        "stale",
        "sizeBytes",
    ] {
        assert!(!status[field].is_null() && !index[field].is_null(), "{field}: {status}");
    }
    assert!(index["durationMs"].is_u64() && status["files"] == 7);
    assert_eq!(sandbox.json(&["stats", "--json"])["storage"]["totalFiles"], 7);
}

#[test]
fn what_could_steer_a_terminal_is_written_out() {
    let sandbox = Sandbox::shop();
    sandbox
        .fixture
        .write("odd.py", "def odd_one():\n    return \"\u{1b}[31m red \u{202e} back\"\n");
    let text = sandbox.text(&["symbol", "odd_one"]);
    assert!(
        text.contains("\\u{1b}[31m") && !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text}"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let sandbox = Sandbox::shop();
    (0..3_000).for_each(|number| {
        sandbox.fixture.write(&format!("many/file_with_a_rather_long_name_{number}.txt"), "x")
    });
    let mut child = sandbox
        .command(&["list-indexable"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn the_program_describes_itself() {
    let sandbox = Sandbox::shop();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(sandbox.text(&["completions", shell]).contains("contextd"));
    }
    assert!(sandbox.text(&["man"]).contains("contextd"));
    assert!(sandbox.json(&["schema", "ContextPack"])["properties"]["packId"].is_object());
    assert!(sandbox.json(&["schema", "context_for_task"])["properties"]["task"].is_object());
}

#[test]
fn an_export_is_up_to_date_and_a_status_says_what_is_not() {
    let sandbox = Sandbox::shop();
    assert_eq!(
        sandbox.json(&["index", "--json"])["stale"],
        false,
        "what was just read is not stale"
    );
    sandbox.fixture.write("shop/fresh.py", "def brand_new_thing():\n    return 1\n");
    assert_eq!(sandbox.json(&["status", "--json"])["stale"], true);
    let shown = sandbox.command(&["status"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&shown.stdout).contains("files changed since"), "{shown:?}");
    assert!(sandbox.text(&["export", "symbols"]).contains("brand_new_thing"));
    assert_eq!(sandbox.json(&["status", "--json"])["stale"], false);
}

#[test]
fn paths_count_from_the_working_folder_or_the_root() {
    let sandbox = Sandbox::shop();
    sandbox.text(&["index"]);
    let root = sandbox.fixture.root();
    // What tells the root from below.
    std::fs::write(root.join("pyproject.toml"), "[project]\nname = \"shop\"\n").unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("contextd"));
    command
        .args([
            "check-file",
            "--json",
            "payment.py",
            "./payment.py",
            "../shop/payment.py",
            "shop/payment.py",
        ])
        .current_dir(root.join("shop"))
        .env("HOME", sandbox.home());
    let output = command.output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let paths: Vec<_> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(paths, [("shop/payment.py", "included"); 4]);
}

#[test]
fn an_answer_of_a_part_of_the_files_says_so() {
    let sandbox = Sandbox::shop();
    sandbox.text(&["index"]);
    let ask = || sandbox.run(&["search", "refund", "--json"]);
    let partial = |output: &std::process::Output| {
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["partial"].clone()
    };
    assert!(partial(&ask()).is_null());
    assert_eq!(sandbox.json(&["status", "--json"])["partial"], false);
    // A first run that goes on: it holds the lock, what it has published so far is marked, and nobody has noted yet that
    // all files are in it. Whether the runs above did depends on how young their files were.
    let index = sandbox.fixture.path(".contextd/index");
    let _ = std::fs::remove_file(index.join("calm"));
    let _writes = contextd_snapshot::WriterLock::try_lock(&index).unwrap().expect("nobody writes");
    std::fs::copy(index.join("CURRENT"), index.join("PARTIAL")).unwrap();
    let output = ask();
    assert_eq!(partial(&output), true);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("only the files read so far"),
        "{output:?}"
    );
    assert_eq!(sandbox.json(&["status", "--json"])["partial"], true);
}

#[test]
fn an_index_tells_what_is_wrong_with_its_settings() {
    let sandbox = Sandbox::shop();
    let with = |text: &str, args: &[&str]| {
        std::fs::write(sandbox.fixture.path("context.toml"), text).unwrap();
        let output = sandbox.run(args);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = with("[watcher]\nwatch_paths = [\"shpo\"]\n", &["index"]);
    assert!(
        code == Some(0)
            && said.contains("\"shpo\" does not exist")
            && said.contains("no file belongs to the index"),
        "{code:?} {said}"
    );
    for (text, key) in [
        ("[query]\nprofile = \"nonsense\"\n", "`query.profile`"),
        ("[budget]\ntokenizer = \"gpt5\"\n", "`budget.tokenizer`"),
    ] {
        let (code, said) = with(text, &["validate-config"]);
        assert!(
            code == Some(2) && said.contains(key) && said.contains("Choose among"),
            "{code:?} {said}"
        );
    }
}
