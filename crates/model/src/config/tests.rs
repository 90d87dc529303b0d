//! What a configuration file means, line by line.

use super::*;
use crate::{Problem, Severity};
use proptest::prelude::*;

fn read(text: &str) -> (Config, Vec<Problem>) {
    parse(text, &|name| match name {
        "PORT" => Some("7000".to_owned()),
        "NAME" => Some("backup".to_owned()),
        _ => None,
    })
}

/// Checks that `text` yields exactly one problem with this code, line and a part of its words.
fn check_problem(text: &str, code: &str, line: Option<u32>, words: &str) {
    let (_, problems) = read(text);
    assert_eq!(problems.len(), 1, "{text}: {problems:?}");
    let problem = &problems[0];
    assert_eq!((problem.code, problem.line), (code, line), "{text}: {problem:?}");
    let said = format!("{} {}", problem.message, problem.remedy);
    assert!(said.contains(words), "{text}: {said}");
}

#[test]
fn nothing_written_is_the_default() {
    let (config, problems) = read("");
    assert_eq!(config, Config::default());
    assert_eq!(problems, []);
    assert_eq!(config.watcher.debounce_ms, 500);
    assert_eq!(config.max_file_bytes(), 5 * 1024 * 1024);
    assert_eq!(config.history.max_commits, 5000);
    assert_eq!(config.query.default_k, 12);
    assert_eq!(config.security.private_patterns, ["*.private", "*.secret"]);
    assert_eq!(config.chunking.of("python").overlap_percent, 15);
    assert_eq!(config.chunking.of("markdown").max_tokens, 400);
    assert_eq!(config.watch_paths(), None);
}

#[test]
fn sections_read_the_same_with_and_without_prefix() {
    let keys = "debounce_ms = 50\nwatch_paths = [\"src/\", \"docs/\"]\n";
    let (plain, problems) =
        read(&format!("enabled = false\n[watcher]\n{keys}[projects.a]\nwatch_paths = [\"a\"]\n"));
    let (prefixed, more) = read(&format!(
        "[context]\nenabled = false\n[context.watcher]\n{keys}[context.projects.a]\nwatch_paths = [\"a\"]\n"
    ));
    assert_eq!((problems.len(), more.len()), (0, 0), "{problems:?} {more:?}");
    assert_eq!(plain, prefixed);
    assert!(!plain.core.enabled);
    assert_eq!(plain.watch_paths().map(<[String]>::len), Some(2));
    assert_eq!(plain.projects["a"].watch_paths, ["a"]);
}

#[test]
fn both_spellings_at_once_are_joined() {
    let (config, problems) = read(
        "[watcher]\ndebounce_ms = 1\npoll_interval_ms = 500\n[context.watcher]\ndebounce_ms = 2\n",
    );
    assert_eq!((config.watcher.debounce_ms, config.watcher.poll_interval_ms), (2, 500));
    assert_eq!(problems.len(), 1);
    assert_eq!((problems[0].code, problems[0].line), ("CTX_W_CONFIG_TWICE", Some(5)));
}

#[test]
fn environment_is_filled_in_and_may_be_a_number() {
    let (config, problems) = read(
        "[engine]\nport = \"${PORT}\"\nhost = \"${HOST:-::1}\"\n[storage]\npath = \"/var/${NAME}\"\nbackup_enabled = \"${ON:-true}\"\n",
    );
    assert_eq!(problems, []);
    assert_eq!((config.engine.port, config.engine.host.as_str()), (7000, "::1"));
    assert_eq!(config.storage.path.as_deref(), Some("/var/backup"));
    assert!(config.storage.backup_enabled);
}

#[test]
fn mistakes_name_their_line_and_the_remedy() {
    check_problem(
        "[watcher]\ndebounce = 3\n",
        "CTX_W_CONFIG_UNKNOWN_KEY",
        Some(2),
        "watcher.debounce_ms",
    );
    check_problem("\n[wacher]\nenabled = true\n", "CTX_W_CONFIG_UNKNOWN_KEY", Some(2), "`watcher`");
    check_problem("[engine]\nport = \"9090\"\n", "CTX_E_CONFIG_TYPE", Some(2), "a whole number");
    check_problem("[engine]\nport = 70000\n", "CTX_E_CONFIG_RANGE", Some(2), "1 to 65535");
    check_problem("[query]\n\nmmr_lambda = 1.5\n", "CTX_E_CONFIG_RANGE", Some(3), "0 to 1");
    check_problem("[query]\nmmr_lambda = nan\n", "CTX_E_CONFIG_RANGE", Some(2), "mmr_lambda");
    check_problem("mode = \"cloud\"\n", "CTX_E_CONFIG_TYPE", Some(1), "hybrid");
    check_problem("watcher = 3\n", "CTX_E_CONFIG_TYPE", Some(1), "a section");
    check_problem("[storage]\npath = \"${GONE}\"\n", "CTX_E_CONFIG_ENV", Some(2), "${GONE:-value}");
    check_problem(
        "[indexing]\nallowed_extensions = [\"*.rs\"]\n",
        "CTX_E_CONFIG_EXTENSION",
        None,
        "\".rs\"",
    );
    check_problem(
        "[providers.hybrid]\ncombines = [\"symbols\"]\n",
        "CTX_E_CONFIG_PROVIDER",
        None,
        "\"symbol\"",
    );
    check_problem("[projects.web]\n", "CTX_E_CONFIG_PROJECT", None, "web");
    check_problem(
        "[chunking.rust]\nmax_token = 3\n",
        "CTX_W_CONFIG_UNKNOWN_KEY",
        Some(2),
        "chunking.rust.max_tokens",
    );
}

#[test]
fn a_broken_line_spares_the_others() {
    let (config, problems) = read("[watcher]\ndebounce_ms = 70\nwatch_paths = [\"a\"\n");
    assert_eq!(config.watcher.debounce_ms, 70);
    assert!(
        problems
            .iter()
            .all(|problem| problem.severity == Severity::Error && problem.line.is_some()),
        "{problems:?}"
    );
    assert!(!problems.is_empty());
}

#[test]
fn wrong_values_keep_the_default() {
    let (config, problems) = read("[watcher]\ndebounce_ms = 9999999\n[query]\ndefault_k = -1\n");
    assert_eq!((config.watcher.debounce_ms, config.query.default_k), (500, 12));
    assert_eq!(problems.len(), 2);
}

#[test]
fn extensions_take_one_form() {
    let (config, problems) = read("[indexing]\nallowed_extensions = [\"RS\", \".Py\"]\n");
    assert_eq!(config.indexing.allowed_extensions, [".rs", ".py"]);
    assert_eq!(problems.len(), 1);
}

#[test]
fn fingerprints_tell_the_parts_apart() {
    let base = Config::default().fingerprint();
    let check = |text: &str, changed: [bool; 4]| {
        let print = read(text).0.fingerprint();
        let pairs = [
            (print.scan, base.scan),
            (print.chunking, base.chunking),
            (print.secrets, base.secrets),
            (print.embedding, base.embedding),
        ];
        assert_eq!(pairs.map(|(new, old)| new != old), changed, "{text}");
        assert_eq!(print.all() != base.all(), changed.contains(&true), "{text}");
    };
    check("[watcher]\ndebounce_ms = 1\n[bootstrap]\nparallel_workers = 9\n", [false; 4]);
    check("[watcher]\nwatch_paths = [\"auto\"]\n", [false; 4]);
    check("[watcher]\nignore_patterns = []\n", [true, false, false, false]);
    check("[indexing]\nmax_file_size_mb = 1\n", [true, false, false, false]);
    check("[chunking.go]\nmax_tokens = 100\n", [false, true, false, false]);
    check("[security]\nscrub_secrets = false\n", [false, false, true, false]);
    check("[embedding]\nmodel = \"x\"\n", [false, false, false, true]);
}

#[test]
fn the_reference_is_a_valid_configuration() {
    let keys = reference();
    assert!(keys.len() > 80);
    assert!(keys.iter().all(|key| !key.doc.is_empty()));
    let mut text = String::new();
    let mut section = "";
    for key in keys.iter().filter(|key| key.default != "not set" && key.section != "projects.NAME")
    {
        if key.section != section {
            section = key.section;
            text.push_str(&format!("[{section}]\n"));
        }
        text.push_str(&format!("{} = {}\n", key.name, key.default));
    }
    let (config, problems) = read(&text);
    assert_eq!(problems, []);
    let mut expected = Config::default();
    expected.chunking.languages.insert("language".to_owned(), ChunkRules::default());
    assert_eq!(config, expected);
}

/// Lines that resemble a configuration, so that random texts get past the TOML parser.
fn likely_line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "enabled",
        "watch_paths",
        "port",
        "max_tokens",
        "combines",
        "x",
        "context",
        "projects",
    ]);
    let value = prop_oneof![
        Just("true".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:?}")),
        "\"[^\"\\\\\\r\\n]{0,12}\"",
        Just("[\"a\", 1, [], {a = 1}]".to_owned()),
        Just("{ watch_paths = [\"${A:-b}\"] }".to_owned()),
        Just("1979-05-27".to_owned()),
    ];
    let section = prop::sample::select(vec![
        "watcher",
        "context.engine",
        "chunking.go",
        "projects.a",
        "providers.hybrid",
        "context",
        "[watcher]",
        "a.b",
    ]);
    prop_oneof![
        (key, value).prop_map(|(key, value)| format!("{key} = {value}")),
        section.prop_map(|section| format!("[{section}]")),
        ".{0,20}",
    ]
}

proptest! {
    #[test]
    fn parsing_never_panics(text in any::<String>()) {
        let _ = parse(&text, &|_| None);
    }

    #[test]
    fn parsing_what_looks_like_a_configuration_never_panics(lines in prop::collection::vec(likely_line(), 0..20)) {
        let (config, problems) = parse(&lines.join("\n"), &|_| None);
        let _ = config.fingerprint();
        prop_assert!(problems.iter().all(|problem| !problem.message.is_empty() && !problem.remedy.is_empty()));
    }
}
