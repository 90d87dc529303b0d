//! What people see, and what programs can rely on.

use crate::sandbox::Sandbox;
use serde_json::Value;
use std::process::Output;

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_command_teaches_with_examples() {
    let sandbox = Sandbox::shop();
    let help = sandbox.text(&["--help"]);
    let names: Vec<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(|letter: char| letter.is_ascii_lowercase()))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert!(names.len() > 20 && names.contains(&"task") && names.contains(&"uninit"), "{help}");
    for name in names {
        let text = sandbox.text(&[name, "--help"]);
        assert!(
            text.contains("Examples:") && text.contains(&format!("contextd {name}")),
            "{name}: {text}"
        );
    }
    assert!(!help.contains("context-pack"), "other spellings are not listed");
}

#[test]
fn without_a_command_the_program_says_what_to_type() {
    let sandbox = Sandbox::shop();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("contextd"));
    let output =
        command.current_dir(sandbox.fixture.root()).env("HOME", sandbox.home()).output().unwrap();
    assert!(
        output.status.success()
            && out(&output).contains("not indexed yet")
            && out(&output).contains("contextd task"),
        "{output:?}"
    );
    assert!(!sandbox.fixture.path(".contextd").exists(), "looking changes nothing");
}

#[test]
fn the_first_question_says_that_it_indexes_and_the_next_does_not() {
    let sandbox = Sandbox::shop();
    let first = sandbox.run(&["search", "refund"]);
    assert!(
        err(&first).contains("First question here") && err(&first).contains("7 files"),
        "{}",
        err(&first)
    );
    assert!(err(&sandbox.run(&["search", "refund"])).is_empty());
    sandbox.text(&["clean"]);
    assert!(err(&sandbox.run(&["search", "refund", "-q"])).is_empty(), "quiet");
}

#[test]
fn colours_are_for_terminals_and_can_be_refused() {
    let sandbox = Sandbox::shop();
    let piped = sandbox.text(&["search", "refund"]);
    assert!(!piped.contains('\u{1b}') && !piped.contains('│'));
    let forced =
        sandbox.command(&["search", "refund"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    assert!(out(&forced).contains('\u{1b}') && out(&forced).contains('│'), "{}", out(&forced));
    let refused = sandbox
        .command(&["search", "refund", "--no-color"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(!out(&refused).contains('\u{1b}') && out(&refused).contains('│'));
    let unwanted = sandbox.command(&["search", "refund"]).env("NO_COLOR", "1").output().unwrap();
    assert!(!out(&unwanted).contains('\u{1b}'));
    for args in [
        &["task", "refund"][..],
        &["symbol", "charge"],
        &["impact", "sign"],
        &["why", "refund", "--task", "refund"],
        &["stats"],
        &["doctor"],
        &["project-stats"],
    ] {
        let shown = sandbox.command(args).env("CLICOLOR_FORCE", "1").output().unwrap();
        assert!(shown.status.success() && out(&shown).contains('\u{1b}'), "{args:?}: {shown:?}");
    }
}

#[test]
fn the_terminal_does_not_obey_code() {
    let sandbox = Sandbox::shop();
    sandbox
        .fixture
        .write("odd.py", "def odd_one():\n    return \"\u{1b}]0;title\u{7} \u{202e} back\"\n");
    for args in [&["symbol", "odd_one"][..], &["search", "odd_one"], &["task", "odd_one"]] {
        let shown = sandbox.command(args).env("CLICOLOR_FORCE", "1").output().unwrap();
        assert!(
            out(&shown).contains("\\u{1b}]0;title\\u{7}")
                && !out(&shown).contains(['\u{202e}', '\u{7}']),
            "{args:?}: {}",
            out(&shown)
        );
    }
}

#[test]
fn programs_get_errors_as_json_and_codes() {
    let sandbox = Sandbox::shop();
    for (args, code, exit) in [
        (&["symbol", "chrage", "--json"][..], "CTX_E_NOT_FOUND", 1),
        (&["task", "x", "--project", "web", "--json"], "CTX_E_NOT_FOUND", 1),
        (&["task", "x", "--config", "absent.toml", "--json"], "", 2),
        (&["task", "x", "--budgte", "5", "--json"], "CTX_E_REQUEST", 2),
        (&["sarch", "x", "--format", "json"], "CTX_E_REQUEST", 2),
    ] {
        let output = sandbox.run(args);
        let value: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let said = value["error"]["code"].as_str().unwrap_or_default();
        assert!(
            output.status.code() == Some(exit) && !said.is_empty() && said.contains(code),
            "{args:?}: {output:?}"
        );
    }
    for asked in [&["status", "--json"][..], &["status", "--format", "json"]] {
        let none = Sandbox::shop().run(asked);
        assert!(
            none.status.code() == Some(1) && out(&none).contains("POC_E_INDEX_MISSING"),
            "{none:?}"
        );
    }
    let usage = sandbox.run(&["sarch", "x"]);
    assert!(usage.status.code() == Some(2) && err(&usage).contains("search"), "{}", err(&usage));
}

#[test]
fn a_wrong_name_has_at_most_five_suggestions() {
    let sandbox = Sandbox::shop();
    let many: String =
        (0..30).map(|number| format!("def handle_event_{number}():\n    pass\n\n")).collect();
    sandbox.fixture.write("events.py", &many);
    let said = err(&sandbox.run(&["symbol", "handle_evnt_1"]));
    let count = said.matches("handle_event_").count();
    assert!((1..=5).contains(&count), "{said}");
}

#[test]
fn projects_of_the_configuration_narrow_a_question() {
    let sandbox = Sandbox::shop();
    sandbox.fixture.write("context.toml", "[projects.web]\nwatch_paths = [\"web\"]\n[projects.shop]\nwatch_paths = [\"shop\", \"tests\"]\n");
    let files = |args: &[&str]| -> Vec<String> {
        let hits = sandbox.json(args);
        hits["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["file"].as_str().unwrap().to_owned())
            .collect()
    };
    let web = files(&["search", "sessions total charge", "--project", "web", "--json"]);
    assert!(!web.is_empty() && web.iter().all(|file| file.starts_with("web/")), "{web:?}");
    let all = files(&["search", "charge the card", "--all-projects", "--json"]);
    assert!(all.iter().any(|file| file.starts_with("shop/")), "{all:?}");
    assert!(
        !sandbox.text(&["task", "charge the card", "--project", "shop"]).contains("web/session.ts")
    );
}

#[test]
fn other_spellings_work() {
    let sandbox = Sandbox::shop();
    let task = sandbox.text(&["task", "charge the card"]);
    assert_eq!(sandbox.text(&["context", "--task", "charge the card"]), task);
    assert_eq!(sandbox.text(&["ctx", "charge the card"]), task);
    let pack = sandbox.json(&["context-pack", "--query", "charge the card", "--explain", "--json"]);
    let id = pack["packId"].as_str().unwrap();
    assert!(
        pack["explain"].is_object()
            && sandbox.json(&["context-pack", "--pack-id", id, "--json"])["packId"] == id
    );
    assert!(
        sandbox.json(&["rebuild", "--dry-run", "--paths", "shop", "tests", "--json"]).is_object()
    );
}

#[test]
fn everything_can_be_exported_to_a_database() {
    let sandbox = Sandbox::shop();
    sandbox.fixture.write("odd.py", "def quote():\n    return \"it's; -- odd\"\n");
    sandbox.text(&["index"]);
    let script = sandbox.text(&["export", "--sql", "-"]);
    let database = rusqlite::Connection::open_in_memory().unwrap();
    database.execute_batch(&script).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let status = sandbox.json(&["status", "--json"]);
    assert_eq!(count("SELECT count(*) FROM file_state"), status["files"].as_i64().unwrap());
    assert_eq!(count("SELECT count(*) FROM symbols"), status["symbols"].as_i64().unwrap());
    assert_eq!(count("SELECT count(*) FROM edges"), status["edges"].as_i64().unwrap());
    assert_eq!(count("SELECT count(*) FROM chunks"), status["chunks"].as_i64().unwrap());
    assert_eq!(count("SELECT count(*) FROM chunks WHERE content IS NULL"), 0);
    assert!(count("SELECT count(*) FROM chunks WHERE content LIKE '%it''s; -- odd%'") > 0);
    assert!(
        count(
            "SELECT count(*) FROM links WHERE source_file = 'shop/checkout.py' AND target_file = 'shop/payment.py' AND kind = 'calls'"
        ) > 0
    );
    assert_eq!(sandbox.run(&["export"]).status.code(), Some(2), "what is not said");
}

#[test]
fn there_is_a_manual_page_for_every_command_and_completions_for_every_shell() {
    let sandbox = Sandbox::shop();
    let folder = sandbox.home().join("man");
    sandbox.text(&["man", "--out", folder.to_str().unwrap()]);
    for page in ["contextd.1", "contextd-task.1", "contextd-init.1", "contextd-pack-create.1"] {
        let text = std::fs::read_to_string(folder.join(page)).unwrap();
        assert!(text.contains(".TH contextd"), "{page}: {text}");
    }
    assert!(sandbox.text(&["man", "task"]).contains("charge the card only once"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(sandbox.text(&["completions", shell]).contains("list-indexable"), "{shell}");
    }
}

/// Returns what a terminal shows, without colours.
fn shown(sandbox: &Sandbox, args: &[&str]) -> String {
    let output = sandbox.command(args).env("CLICOLOR_FORCE", "1").output().unwrap();
    console::strip_ansi_codes(&out(&output)).into_owned()
}

#[test]
fn numbers_beside_code_are_those_of_the_file() {
    let sandbox = Sandbox::shop();
    let fill: String = (0..30).map(|at| format!("    step_{at}()\n")).collect();
    sandbox.fixture.write("shop/long.py", &format!("import shop\n\n\ndef long_one(a):\n{fill}    return a\n\n\ndef user(b):\n    c = b\n    d = c\n    return long_one(d)\n"));
    sandbox.fixture.write("notes.txt", "one\ntwo\nthree\n");
    sandbox.fixture.git(&["init", "-q"]);
    sandbox.fixture.commit("first");
    let text = std::fs::read_to_string(sandbox.fixture.path("shop/long.py")).unwrap();
    sandbox.fixture.write(
        "shop/long.py",
        &text
            .replace("    step_20()\n", "    step_20(a)\n    step_20b()\n")
            .replace("return a\n", "return a\n\n\ndef added(e):\n    return e\n"),
    );
    sandbox.fixture.write("notes.txt", "one\ntwo\nthree!\n");
    sandbox.fixture.commit("second");
    for args in [&["pr", "HEAD~1"][..], &["recent", "shop/long.py"], &["task", "added long_one"]] {
        let text = shown(&sandbox, args);
        let mut lines: Vec<String> = Vec::new();
        let (mut checked, mut file) = (0, String::new());
        for line in text.lines() {
            // A map has the path alone on its line.
            let head = line.split_once("  ").map_or(line, |(place, _)| place);
            let path = head.split(':').next().unwrap_or_default();
            if let Some(place) = Some(head)
                .filter(|place| place.contains(['.', ':']) && !place.starts_with(' '))
                .filter(|_| sandbox.fixture.path(path).is_file())
            {
                file = place.split(':').next().unwrap().to_owned();
                lines = std::fs::read_to_string(sandbox.fixture.path(&file))
                    .unwrap()
                    .lines()
                    .map(str::to_owned)
                    .collect();
            }
            let Some((head, code)) = line.split_once('│') else { continue };
            let Ok(number) = head.trim_start_matches([' ', '+', '-']).trim().parse::<usize>()
            else {
                continue;
            };
            assert!(
                number > 0
                    && lines
                        .get(number - 1)
                        .is_some_and(|own| own.contains(code.trim().trim_end_matches('…'))),
                "{args:?} {file}: {line}\n{text}"
            );
            checked += 1;
        }
        assert!(checked > 0 || args[0] == "recent", "{args:?}: {text}");
        assert!(
            !text.contains(":0")
                && !text.contains("0.00")
                && !text.lines().any(|line| line.trim() == ":"),
            "{args:?}: {text}"
        );
        let piped = sandbox.text(args);
        assert!(
            !piped.lines().any(|line| line.trim() == ":" || line.starts_with("0 ")),
            "{args:?}: {piped}"
        );
    }
    assert_eq!(
        shown(&sandbox, &["recent", "shop/long.py"])
            .lines()
            .filter(|line| line.contains(" second ("))
            .count(),
        1,
        "a commit is told once"
    );
    let text = shown(&sandbox, &["pr", "HEAD~1"]);
    assert!(
        text.contains("+ 25 │ step_20(a)")
            && text.contains("+ 26 │ step_20b()")
            && text.contains("│ step_20()"),
        "{text}"
    );
    assert!(text.contains("46 │ return long_one(d)"), "{text}");
}

#[test]
fn long_lists_are_shortened_for_people_only() {
    let sandbox = Sandbox::shop();
    let users: String =
        (0..300).map(|at| format!("def test_number_{at}():\n    assert hub({at})\n\n\n")).collect();
    sandbox.fixture.write("hub.py", "def hub(x):\n    return x\n");
    sandbox.fixture.write("tests/test_hub.py", &format!("from hub import hub\n\n\n{users}"));
    for args in [
        &["tests", "hub.py"][..],
        &["impact", "hub.py"],
        &["task", "hub test number", "--budget", "20000"],
    ] {
        let text = shown(&sandbox, args);
        assert!(
            text.lines().count() < 200 && text.contains(" more "),
            "{args:?}: {} lines",
            text.lines().count()
        );
    }
    assert!(sandbox.text(&["tests", "hub.py"]).lines().count() > 300);
    assert!(sandbox.json(&["tests", "hub.py", "--json"])["tests"].as_array().unwrap().len() >= 300);
}

#[test]
fn what_finds_nothing_says_what_to_do_and_scores_say_what_their_terms_are() {
    let sandbox = Sandbox::shop();
    sandbox.text(&["index"]);
    let nothing = sandbox.run(&["task", "zzyzx qwrtplk"]);
    assert!(
        nothing.status.code() == Some(1) && err(&nothing).contains("contextd symbol NAME"),
        "{nothing:?}"
    );
    let text = shown(&sandbox, &["task", "zzyzx qwrtplk"]);
    assert!(text.contains("Nothing was found.") && !text.contains("0 items"), "{text}");
    assert!(err(&sandbox.run(&["task", "zzyzx qwrtplk", "--json"])).is_empty());
    let why = shown(&sandbox, &["why", "charge", "--task", "charge the card"]);
    assert!(why.contains("words in its name") && why.lines().count() < 60, "{why}");
    assert_eq!(sandbox.run(&["jobs"]).status.code(), Some(0));
}

#[test]
fn a_budget_holds_for_every_answer_and_says_when_it_holds_nothing() {
    let sandbox = Sandbox::shop();
    sandbox.text(&["index"]);
    for args in [["task", "charge the card"], ["search", "charge the card"]] {
        let small = sandbox.run(&[args[0], args[1], "--budget", "3"]);
        assert!(
            small.status.code() == Some(1) && err(&small).contains("larger --budget"),
            "{small:?}"
        );
        assert_eq!(String::from_utf8_lossy(&small.stdout), "Nothing fits.\n");
        assert!(shown(&sandbox, &[args[0], args[1], "--budget", "3"]).contains("Nothing fits."));
    }
    for args in [["symbol", "charge"], ["impact", "charge"]] {
        let whole = sandbox.text(&args);
        let tokens = |text: &str| contextd_pack::Tokenizer::default().count(text);
        for share in [2, 3] {
            let budget = tokens(&whole) / share;
            let part = sandbox.text(&[args[0], args[1], "--budget", &budget.to_string()]);
            assert!(
                tokens(&part) <= budget && !part.trim().is_empty(),
                "{args:?} in {budget}: {part}"
            );
        }
        assert_eq!(sandbox.text(&[args[0], args[1], "--budget", "100000"]), whole);
    }
    let json = sandbox.json(&["impact", "charge", "--budget", "200", "--json"]);
    assert_eq!(json["cut"], true);
}

#[test]
fn options_that_cannot_be_meant_are_refused_and_words_without_a_command_get_a_tip() {
    let sandbox = Sandbox::shop();
    sandbox.text(&["index"]);
    for args in [
        ["search", "cart", "--min-score", "3"],
        ["search", "cart", "-k", "0"],
        ["search", "cart", "--budget", "0"],
    ] {
        assert_eq!(sandbox.run(&args).status.code(), Some(2), "{args:?}");
    }
    let nowhere = sandbox.run(&["search", "cart", "--path", "nowhere"]);
    assert!(
        nowhere.status.code() == Some(1) && err(&nowhere).contains("no `nowhere`"),
        "{nowhere:?}"
    );
    let words = sandbox.run(&["where", "are", "carts"]);
    assert!(
        words.status.code() == Some(2) && err(&words).contains("contextd \"where are carts"),
        "{words:?}"
    );
    let help = sandbox.run(&["--help"]);
    assert!(help.status.success() && !help.stdout.is_empty() && err(&help).is_empty(), "{help:?}");
}

#[test]
fn guesses_may_begin_with_a_hyphen() {
    let sandbox = Sandbox::shop();
    let text = sandbox.text(&["task", "charge the card", "--names", "-a, charge"]);
    assert!(text.contains("shop/payment.py\n"), "{text}");
}
