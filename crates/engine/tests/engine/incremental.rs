//! Incremental equals fresh: whatever happened to the folder, the index is the one built from nothing.

use crate::support::{self, BODIES, FIXTURE};
use contextd_link::{LinkFile, LinkOptions};
use contextd_snapshot::{LinkRows, Wanted};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

/// One thing that happens to a folder. Numbers choose among what is there.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Append(usize, usize),
    /// All lines move down.
    Shift(usize),
    /// Other words inside of bodies.
    Reword(usize),
    /// Something new at the end, with a name of its own or one that is used elsewhere.
    Define(usize, usize),
    Rename(usize, usize),
    MoveFolder(usize),
    Delete(usize),
    Mode(usize, u32),
    Link(usize, usize),
    Touch(usize),
    Config(usize),
    Ignore(usize),
}

/// Paths beside the fixture's that files may come to lie at: other languages, other packages.
const PLACES: &[&str] = &[
    "shop/more.py",
    "lib/items.py",
    "web/deep/index.ts",
    "srv/store/more.go",
    "core/src/rate/mod.rs",
    "jvm/Openable.java",
    "notes.md",
    "odd name.txt",
    "vendor/x.js",
];

/// File, words and other words: what is called changes, what is defined does not.
const REWORDS: &[(&str, &str, &str)] = &[
    ("shop/basket.py", "price_of(item) for", "item.total() for"),
    ("shop/basket.py", "self.items.append(item)", "self.total()"),
    ("tests/test_basket.py", "assert basket.total() == 4", "assert Item('x') and basket.add(1)"),
    ("tests/test_basket.py", "basket.add(Item('pear'))", "basket.missing()"),
    ("web/cart.ts", "format(this.lines.length)", "this.show() + unknown()"),
    ("srv/main.go", "store.Open().Close()", "store.Open()"),
    ("core/src/lib.rs", "rate.of(cents)", "rate.of(cents) + apply(rate, 1)"),
    ("core/src/rate.rs", "cents * self.0 / 100", "self.of(cents)"),
    ("jvm/Till.java", "super.open() + 1", "this.open()"),
];

/// Names to define: the first nobody else uses.
const DEFINED: &[&str] =
    &["quite_new", "total", "Open", "price_of", "format", "apply", "Basket", "Rate"];

/// Returns a definition in the language of a path.
fn definition(path: &str, name: &str) -> String {
    match path.rsplit('.').next() {
        Some("py") => format!("\n\ndef {name}(one, *others):\n    return price_of(one)\n"),
        Some("ts" | "js") => {
            format!("\nexport function {name}(one: number) {{ return format(one); }}\n")
        }
        Some("go") => format!("\nfunc {name}() int {{ return 1 }}\n"),
        Some("rs") => format!("\npub fn {name}(cents: u32) -> u32 {{ cents }}\n"),
        Some("java") => format!("\nclass {name} {{ int {name}() {{ return 1; }} }}\n"),
        _ => format!("\n## {name}\n\nSee `{name}`.\n"),
    }
}

const FOLDERS: &[(&str, &str)] = &[
    ("shop", "store"),
    ("store", "shop"),
    ("web", "ui"),
    ("srv/store", "srv/kept"),
    ("jvm", "java/jvm"),
];

const CONFIGS: &[&str] = &[
    "",
    "[watcher]\nignore_patterns = [\"*.md\", \"web/\"]\n",
    "[indexing]\nblocked_extensions = [\".go\"]\n",
    "[chunking.python]\nmax_tokens = 16\n",
    "[indexing]\nfollow_symlinks = true\n",
    "[security]\nsecret_patterns = [\"pear\"]\n",
    "[watcher]\nwatch_paths = [\"shop/\", \"core/\"]\n",
];

const IGNORES: &[&str] = &["", "*.ts\n", "shop/*\n!shop/items.py\n", "srv/\n"];

fn step() -> impl Strategy<Value = Step> {
    let any = 0..64usize;
    prop_oneof![
        5 => (any.clone(), any.clone()).prop_map(|(path, body)| Step::Write(path, body)),
        3 => (any.clone(), any.clone()).prop_map(|(path, body)| Step::Append(path, body)),
        3 => any.clone().prop_map(Step::Shift),
        4 => any.clone().prop_map(Step::Reword),
        3 => (any.clone(), any.clone()).prop_map(|(path, name)| Step::Define(path, name)),
        2 => (any.clone(), any.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => any.clone().prop_map(Step::MoveFolder),
        2 => any.clone().prop_map(Step::Delete),
        1 => (any.clone(), prop_oneof![Just(0o600), Just(0o755), Just(0o000)]).prop_map(|(path, mode)| Step::Mode(path, mode)),
        1 => (any.clone(), any.clone()).prop_map(|(at, to)| Step::Link(at, to)),
        1 => any.clone().prop_map(Step::Touch),
        1 => any.clone().prop_map(Step::Config),
        1 => any.prop_map(Step::Ignore),
    ]
}

fn path_of(number: usize) -> &'static str {
    let all = FIXTURE.len() + PLACES.len();
    match number % all {
        at if at < FIXTURE.len() => FIXTURE[at].0,
        at => PLACES[at - FIXTURE.len()],
    }
}

/// Does what the step says where it can be done; the rest is left as it is.
fn take(root: &Path, step: &Step) {
    let at = |number: usize| root.join(path_of(number));
    // Something else may lie at the path, or on the way to it: then nothing happens.
    let _ = match step {
        Step::Write(path, body) => put(&at(*path), BODIES[body % BODIES.len()].as_bytes()),
        Step::Append(path, body) => {
            let mut bytes = fs::read(at(*path)).unwrap_or_default();
            bytes.extend_from_slice(BODIES[body % BODIES.len()].as_bytes());
            put(&at(*path), &bytes)
        }
        Step::Shift(path) => fs::read(at(*path))
            .and_then(|bytes| put(&at(*path), &[b"\n\n", bytes.as_slice()].concat())),
        Step::Reword(which) => reword(root, REWORDS[which % REWORDS.len()]),
        Step::Define(path, name) => fs::read_to_string(at(*path)).and_then(|text| {
            put(
                &at(*path),
                (text + &definition(path_of(*path), DEFINED[name % DEFINED.len()])).as_bytes(),
            )
        }),
        Step::Rename(from, to) => fs::create_dir_all(at(*to).parent().unwrap())
            .and_then(|()| fs::rename(at(*from), at(*to))),
        Step::MoveFolder(pair) => {
            let (from, to) = FOLDERS[pair % FOLDERS.len()];
            fs::create_dir_all(root.join(to).parent().unwrap())
                .and_then(|()| fs::rename(root.join(from), root.join(to)))
        }
        Step::Delete(path) => fs::remove_file(at(*path)),
        Step::Mode(path, mode) => fs::set_permissions(at(*path), fs::Permissions::from_mode(*mode)),
        Step::Link(from, to) => {
            let _ = fs::remove_file(at(*from));
            symlink(at(*to), at(*from))
        }
        Step::Touch(path) => fs::File::options()
            .append(true)
            .open(at(*path))
            .and_then(|file| file.set_modified(std::time::UNIX_EPOCH)),
        Step::Config(which) => {
            put(&root.join("context.toml"), CONFIGS[which % CONFIGS.len()].as_bytes())
        }
        Step::Ignore(which) => {
            put(&root.join(".contextignore"), IGNORES[which % IGNORES.len()].as_bytes())
        }
    };
}

fn reword(root: &Path, (path, from, to): (&str, &str, &str)) -> std::io::Result<()> {
    let text = fs::read_to_string(root.join(path))?;
    let text = if text.contains(to) { text.replace(to, from) } else { text.replace(from, to) };
    fs::write(root.join(path), text)
}

fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap())?;
    fs::write(path, bytes)
}

/// Cases by default, more when the variable asks for them.
fn cases() -> u32 {
    std::env::var("CONTEXTD_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn after_any_steps_the_index_is_the_one_built_from_nothing(rounds in prop::collection::vec((prop::collection::vec(step(), 1..4), any::<bool>(), any::<bool>()), 1..6)) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("tree");
        support::plant(&root);
        support::refresh(&root, 60_000);
        for (steps, ahead, by_shards) in &rounds {
            steps.iter().for_each(|step| take(&root, step));
            let refresh = if *by_shards { support::refresh_by_shards } else { support::refresh };
            refresh(&root, if *ahead { 60_000 } else { 0 });
            prop_assert_eq!(support::difference_to_fresh(&root), None);
        }
        let again = support::refresh(&root, 60_000);
        prop_assert!(!again.changed, "a refresh without a change published something else");
    }

    #[test]
    fn kept_tables_link_as_new_ones_do_after_any_steps(rounds in prop::collection::vec(prop::collection::vec(step().prop_filter("an open engine keeps its settings", |step| !matches!(step, Step::Config(_))), 1..3), 1..6)) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("tree");
        support::plant(&root);
        support::refresh(&root, 60_000);
        let engine = support::open(&root);
        engine.keep_warm(0, LONG);
        for steps in &rounds {
            steps.iter().for_each(|step| take(&root, step));
            refresh_open(&engine);
            prop_assert_eq!(support::difference_to_fresh(&root), None);
        }
    }
}

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(3_600);

fn refresh_open(engine: &contextd_engine::Engine) -> contextd_engine::Refreshed {
    let options =
        contextd_engine::RefreshOptions { now: support::now() + 60_000, ..Default::default() };
    engine.refresh(&options, &contextd_engine::Silent).unwrap()
}

#[test]
fn reading_by_shards_counts_what_it_does() {
    let place = tempfile::tempdir().unwrap();
    let (root, other) = (place.path().join("tree"), place.path().join("other"));
    support::plant(&root);
    support::copy(&root, &other);
    let (one, two) = (support::refresh(&root, 60_000), support::refresh_by_shards(&other, 60_000));
    assert!(one.extracted > 10 && one.segments_written > 0);
    assert_eq!(
        (one.snapshot, one.read, one.extracted, one.segments_written),
        (two.snapshot, two.read, two.extracted, two.segments_written)
    );
    assert_eq!(support::image(&root), support::image(&other));
}

#[test]
fn a_second_refresh_reads_nothing() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let first = support::refresh(place.path(), 60_000);
    assert!(first.changed && first.read > 10);
    let second = support::refresh(place.path(), 60_000);
    assert_eq!((second.changed, second.read, second.snapshot), (false, 0, first.snapshot));
}

#[test]
fn young_files_are_read_again_though_nothing_seems_changed() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    // With a clock behind, every file looks as if it could change within the same tick.
    let first = support::refresh(place.path(), -60_000);
    let second = support::refresh(place.path(), 60_000);
    assert_eq!((second.read, second.changed, second.snapshot), (first.read, false, first.snapshot));
}

#[test]
fn a_file_that_was_no_text_is_read_again_when_its_path_is_named() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    let engine = support::open(place.path());
    let path = "shop/later.py";
    for (bytes, is_there) in [
        (&b"\0\0\0"[..], false),
        (b"def later():\n    pass\n", true),
        (b"\0", false),
        (b"def later():\n    return 1\n", true),
    ] {
        fs::write(place.path().join(path), bytes).unwrap();
        let options = contextd_engine::RefreshOptions {
            now: support::now() + 60_000,
            only: Some([path.to_owned()].into()),
            ..Default::default()
        };
        engine.refresh(&options, &contextd_engine::Silent).unwrap();
        assert_eq!(
            engine.snapshot().unwrap().unwrap().find_file(path).is_some(),
            is_there,
            "{bytes:?}"
        );
        assert_eq!(support::difference_to_fresh(place.path()), None);
    }
}

#[test]
fn files_that_a_setting_leaves_out_are_gone_at_once() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    support::write(&place.path().join("context.toml"), CONFIGS[1].as_bytes());
    support::refresh(place.path(), 60_000);
    let engine = support::open(place.path());
    let snapshot = engine.snapshot().unwrap().unwrap();
    assert_eq!((snapshot.find_file("README.md"), snapshot.find_file("web/cart.ts")), (None, None));
    let ledger = engine.ledger().unwrap();
    assert_eq!(
        contextd_store::Ledger::file_state(&ledger, "web/cart.ts").unwrap(),
        None,
        "the ledger forgets it as well"
    );
    assert!(!support::refresh(place.path(), 60_000).changed);
}

#[test]
fn an_edit_inside_a_body_links_one_file_again() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let first = support::refresh(place.path(), 60_000);
    assert_eq!(first.linked, first.files);
    for words in REWORDS {
        reword(place.path(), *words).unwrap();
        let refreshed = support::refresh(place.path(), 60_000);
        assert!(refreshed.changed && refreshed.linked == 1, "{words:?}: {refreshed:?}");
        assert_eq!(support::difference_to_fresh(place.path()), None, "{words:?}");
    }
}

#[test]
fn kept_tables_link_as_new_ones_do() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    let engine = support::open(place.path());
    engine.keep_warm(0, LONG);
    let shifted = FIXTURE
        .iter()
        .map(|(path, _)| Step::Shift(FIXTURE.iter().position(|(other, _)| other == path).unwrap()));
    let steps = (0..REWORDS.len()).map(Step::Reword).chain(shifted).chain([
        Step::Delete(3),
        Step::Reword(5),
        Step::Write(20, 2),
        Step::Reword(7),
    ]);
    for step in steps {
        take(place.path(), &step);
        refresh_open(&engine);
        assert_eq!(support::difference_to_fresh(place.path()), None, "{step:?}");
    }
}

#[test]
fn with_kept_tables_what_nobody_names_links_its_file_alone() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let files = support::refresh(place.path(), 60_000).files;
    let engine = support::open(place.path());
    engine.keep_warm(0, LONG);
    let of = |path: &str| FIXTURE.iter().position(|(other, _)| *other == path).unwrap();
    for path in
        ["shop/basket.py", "web/cart.ts", "srv/main.go", "core/src/rate.rs", "jvm/Till.java"]
    {
        // What files ask is noted behind the start and behind every edit; who is quicker has all files linked.
        let mut linked = (0..20).map(|attempt| {
            std::thread::sleep(Duration::from_millis(40 * attempt));
            let text = fs::read_to_string(place.path().join(path)).unwrap()
                + &definition(path, &format!("quite_new_{}_{attempt}", of(path)));
            fs::write(place.path().join(path), text).unwrap();
            let linked = refresh_open(&engine).linked;
            assert_eq!(support::difference_to_fresh(place.path()), None, "{path}");
            linked
        });
        assert!(linked.any(|linked| linked == 1), "{path}");
    }
    take(place.path(), &Step::Define(of("shop/basket.py"), 1));
    let linked = refresh_open(&engine).linked;
    assert!(linked > 1, "a name that others use: {linked} of {files}");
    assert_eq!(support::difference_to_fresh(place.path()), None);
}

#[test]
fn tables_are_let_go_at_rest_and_come_back_with_a_change() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    let files = support::refresh(place.path(), 60_000).files;
    let engine = support::open(place.path());
    engine.keep_warm(0, Duration::from_millis(100));
    let path = place.path().join("web/cart.ts");
    let mut number = 0;
    // Without the tables, nobody knows that no other file asks for a new name.
    let mut links_after = |pause: u64| {
        std::thread::sleep(Duration::from_millis(pause));
        number += 1;
        let text = fs::read_to_string(&path).unwrap()
            + &definition("web/cart.ts", &format!("quite_new_{number}"));
        fs::write(&path, text).unwrap();
        refresh_open(&engine).linked
    };
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    let mut until = |pause: u64, expected: u64| {
        while links_after(pause) as u64 != expected {
            assert!(
                std::time::Instant::now() < deadline,
                "{expected} files were never linked after {pause} ms"
            );
        }
    };
    until(20, 1);
    until(400, files as u64);
    until(20, 1);
    assert_eq!(support::difference_to_fresh(place.path()), None);
}

/// Modules of functions that hand on what others return.
const MODULES: u64 = 20;
const FUNCTIONS: u64 = 5;

/// Writes a module whose functions call what `calls` chooses; `more` are the numbers of functions that nobody else names.
fn write_module(root: &Path, module: u64, mut calls: impl FnMut() -> u64, more: &[u64]) {
    let name = |number: u64| format!("f{}_{}", number / FUNCTIONS % MODULES, number % FUNCTIONS);
    let others = (0..MODULES).filter(|&other| other != module);
    let mut text: String = others
        .flat_map(|other| {
            (0..FUNCTIONS).map(move |at| format!("from m{other} import f{other}_{at}\n"))
        })
        .collect();
    let own = (0..FUNCTIONS)
        .map(|at| format!("f{module}_{at}"))
        .chain(more.iter().map(|number| format!("new_{module}_{number}")));
    for function in own {
        text += &format!(
            "\n\ndef {function}(a):\n    b = {}(a)\n    return {}(b)\n",
            name(calls()),
            name(calls())
        );
    }
    support::write(&root.join(format!("m{module}.py")), text.as_bytes());
}

#[test]
fn what_moves_and_what_it_hands_on_are_patched_in() {
    let place = tempfile::tempdir().unwrap();
    let mut random = 7u64;
    let mut draw = || {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    (0..MODULES).for_each(|module| write_module(place.path(), module, &mut draw, &[]));
    support::refresh(place.path(), 60_000);
    let engine = support::open(place.path());
    engine.keep_warm(0, LONG);
    // Time for the notes of what files ask, which are made behind the start.
    std::thread::sleep(Duration::from_millis(500));
    for round in 0..24 {
        let (module, count) = (draw() % MODULES, draw() % 3);
        let more: Vec<u64> = (0..count).map(|_| draw()).collect();
        write_module(place.path(), module, &mut draw, &more);
        assert_eq!(refresh_open(&engine).linked, 1, "round {round}: {module} with {more:?}");
        assert_eq!(
            support::difference_to_fresh(place.path()),
            None,
            "round {round}: {module} with {more:?}"
        );
    }
}

#[test]
fn the_graph_is_the_one_that_the_linker_makes() {
    let place = tempfile::tempdir().unwrap();
    support::plant(place.path());
    support::refresh(place.path(), 60_000);
    reword(place.path(), REWORDS[2]).unwrap();
    support::refresh(place.path(), 60_000);
    let snapshot = support::open(place.path()).snapshot().unwrap().unwrap();
    let mut rows: Vec<LinkRows> = Vec::new();
    rows.resize_with(snapshot.file_count() as usize, LinkRows::default);
    let view = |(number, rows)| {
        (snapshot.file(number).path(), snapshot.file(number).facts(Wanted::Links, rows).unwrap())
    };
    let views: Vec<_> = (0..).zip(rows.iter_mut()).map(view).collect();
    let files: Vec<LinkFile<'_>> =
        views.iter().map(|&(path, view)| LinkFile { path, view }).collect();
    let links = contextd_link::link(&files, &LinkOptions::default());
    assert!(links.edges.len() > 40);
    for symbol in 0..snapshot.symbol_count() {
        let mut expected = links.edges
            [links.offsets[symbol as usize] as usize..links.offsets[symbol as usize + 1] as usize]
            .to_vec();
        expected.sort_unstable();
        let mut found: Vec<_> = snapshot.graph().out(symbol).iter().collect();
        found.sort_unstable();
        assert_eq!(found, expected, "edges of {}", snapshot.symbol(symbol).qualified());
        assert_eq!(snapshot.graph().community(symbol), links.communities[symbol as usize]);
    }
    let unresolved: Vec<u32> = links
        .unresolved
        .counts
        .iter()
        .flat_map(|(&(language, reason), &count)| {
            [u32::from(language), reason as u32, count as u32]
        })
        .collect();
    assert_eq!(snapshot.graph().unresolved().collect::<Vec<_>>(), unresolved);
}

#[test]
fn crates_are_known_by_the_name_in_their_manifest() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("crates/store/Cargo.toml", "[package]\nname = \"shop-store\"\n");
    write("crates/store/src/lib.rs", "pub fn save() {}\n");
    write("crates/app/Cargo.toml", "[package]\nname = \"shop-app\"\n");
    write("crates/app/src/lib.rs", "use shop_store::save;\n\npub fn run() {\n    save();\n}\n");
    let engine = contextd_engine::Engine::open(
        root.path(),
        &contextd_engine::EngineOptions::default(),
        &|_| None,
    )
    .unwrap();
    let leads_over = |now: i64| {
        engine
            .refresh(
                &contextd_engine::RefreshOptions {
                    now,
                    wait: std::time::Duration::from_secs(60),
                    ..Default::default()
                },
                &contextd_engine::Silent,
            )
            .unwrap();
        let snapshot = engine.snapshot().unwrap().unwrap();
        let run = snapshot.symbols_named("run")[0];
        snapshot.graph().out(run).iter().any(|edge| {
            edge.is_known() && snapshot.symbol(edge.target).path() == "crates/store/src/lib.rs"
        })
    };
    assert!(leads_over(1_700_000_000_000));
    // Another name, and the import leads nowhere any more.
    write("crates/store/Cargo.toml", "[package]\nname = \"shop-shelf\"\n");
    assert!(!leads_over(1_700_000_100_000));
}
