//! The tests of a repository as its runners see them: what can be run by itself, and what runs before it.

use crate::catalog::{Catalog, flag};
use contextd_lang::{LanguageId, paths};
use contextd_model::facts::{FILE_SYMBOL, FactsView, binding, modifier};
use contextd_model::{SymbolKind, facts::SymbolRow};
use contextd_snapshot::{LinkRows, Snapshot, Wanted};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Tests by symbol, with the code that runs around them without being called.
#[derive(Default)]
pub struct Suite {
    /// Runnable tests, rising: functions and methods, or whole files where nothing finer is known.
    pub tests: Vec<u32>,
    is_test: FxHashSet<u32>,
    by_file: FxHashMap<u32, Vec<u32>>,
    /// What a fixture, a set-up or a shared file of a folder runs before: its tests.
    before: FxHashMap<u32, Vec<u32>>,
}

/// What one file adds.
#[derive(Default)]
struct Part {
    file: u32,
    tests: Vec<u32>,
    fixtures: Vec<(String, u32)>,
    /// Parameters of tests and fixtures: who, and the name.
    wants: Vec<(u32, String)>,
    /// Set-up code and the type or file whose tests it prepares.
    setups: Vec<(u32, u32)>,
}

impl Suite {
    /// Finds the tests of a snapshot.
    pub fn of(snapshot: &Snapshot, catalog: &Catalog) -> Suite {
        let marked = |file: u32| {
            catalog.file_flags[file as usize] & flag::TEST != 0
                || snapshot.symbols_of_file(file).any(|symbol| catalog.is_test(symbol))
        };
        // A workflow or a page about tests runs none.
        let is_program = |file: u32| LanguageId(snapshot.file(file).language()).is_program();
        let files: Vec<u32> =
            (0..snapshot.file_count()).filter(|&file| is_program(file) && marked(file)).collect();
        let parts: Vec<Part> = files
            .par_iter()
            .map_init(LinkRows::default, |rows, &file| part(snapshot, file, rows))
            .collect();
        let mut suite = Suite::default();
        for part in &parts {
            suite.tests.extend(&part.tests);
            suite.by_file.insert(part.file, part.tests.clone());
        }
        suite.tests.sort_unstable();
        suite.is_test = suite.tests.iter().copied().collect();
        suite.set_ups(snapshot, &parts);
        suite.fixtures(snapshot, &parts);
        suite
    }

    pub fn is_test(&self, symbol: u32) -> bool {
        self.is_test.contains(&symbol)
    }

    /// Returns the tests of a file.
    pub fn of_file(&self, file: u32) -> &[u32] {
        self.by_file.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns what runs after a symbol without calling it: tests of a fixture or a set-up, other fixtures.
    pub fn after(&self, symbol: u32) -> &[u32] {
        self.before.get(&symbol).map_or(&[], Vec::as_slice)
    }

    fn set_ups(&mut self, snapshot: &Snapshot, parts: &[Part]) {
        for part in parts {
            for &(setup, scope) in &part.setups {
                let whole_file = snapshot.symbol(scope).parent().is_none();
                let mut types = vec![scope];
                if !whole_file {
                    types.extend(heirs(snapshot, scope));
                }
                let inside = |test: u32| {
                    types.iter().any(|&owner| snapshot.symbol(owner).descendants().contains(&test))
                };
                let tests: Vec<u32> = if whole_file {
                    part.tests.clone()
                } else {
                    self.tests.iter().copied().filter(|&test| inside(test)).collect()
                };
                self.before.entry(setup).or_default().extend(tests);
            }
        }
    }

    /// A fixture runs before what names it as a parameter: in its own file, or below its folder when
    /// the file is shared by the folder. One that nothing names runs before everything in its reach.
    fn fixtures(&mut self, snapshot: &Snapshot, parts: &[Part]) {
        let mut wants: FxHashMap<&str, Vec<(u32, u32)>> = FxHashMap::default();
        for part in parts {
            for (who, name) in &part.wants {
                wants.entry(name).or_default().push((part.file, *who));
            }
        }
        for part in parts {
            let path = snapshot.file(part.file).path();
            let folder = shared_folder(path);
            let reaches = |file: u32| {
                file == part.file
                    || folder.is_some_and(|folder| snapshot.file(file).path().starts_with(folder))
            };
            for (name, fixture) in &part.fixtures {
                let named: Vec<u32> = wants
                    .get(name.as_str())
                    .into_iter()
                    .flatten()
                    .filter(|&&(file, who)| who != *fixture && reaches(file))
                    .map(|&(_, who)| who)
                    .collect();
                let all = || {
                    parts
                        .iter()
                        .filter(|other| reaches(other.file))
                        .flat_map(|other| other.tests.iter().copied())
                        .collect()
                };
                self.before.entry(*fixture).or_default().extend(if named.is_empty() {
                    all()
                } else {
                    named
                });
            }
        }
    }
}

/// Returns the folder that a file's fixtures are shared by.
fn shared_folder(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("conftest.").then(|| &path[..path.len() - name.len()])
}

/// Returns the types below a type.
fn heirs(snapshot: &Snapshot, base: u32) -> Vec<u32> {
    use contextd_model::EdgeKind::{Extends, Implements};
    let mut found = vec![base];
    let mut at = 0;
    while at < found.len() && found.len() < 200 {
        let below: Vec<u32> = snapshot
            .graph()
            .incoming(found[at])
            .filter(|(_, edge)| matches!(edge.kind(), Extends | Implements))
            .map(|(heir, _)| heir)
            .collect();
        for heir in below {
            if !found.contains(&heir) {
                found.push(heir);
            }
        }
        at += 1;
    }
    found.split_off(1)
}

fn part(snapshot: &Snapshot, file: u32, rows: &mut LinkRows) -> Part {
    let mut part = Part { file, ..Part::default() };
    let named = snapshot.file(file);
    let first = named.symbols().start;
    let Some(facts) = named.facts(Wanted::Links, rows) else { return part };
    let language = LanguageId(named.language()).name();
    let name = named.path().rsplit('/').next().unwrap_or_default();
    let mut runs: FxHashSet<u32> = FxHashSet::default();
    for (at, row) in
        facts.symbols.iter().enumerate().skip(1).filter(|(_, row)| row.kind().is_callable())
    {
        let (number, at) = (first + at as u32, at as u32);
        if is_fixture(&facts, row) {
            part.fixtures.push((facts.str(row.name).to_owned(), number));
            runs.insert(at);
        } else if runs_alone(&facts, row, language, name) {
            part.tests.push(number);
            runs.insert(at);
        } else if prepares(&facts, row) {
            part.setups.push((number, first + row.parent));
        }
    }
    for row in facts
        .bindings
        .iter()
        .filter(|row| row.how == binding::PARAMETER && runs.contains(&row.owner))
    {
        part.wants.push((first + row.owner, facts.str(row.name).to_owned()));
    }
    let whole = facts.symbols[FILE_SYMBOL as usize].has(modifier::TEST)
        || paths::is_test(name) && shared_folder(named.path()).is_none();
    if part.tests.is_empty() && whole && facts.symbols.len() + facts.refs.len() > 1 {
        part.tests.push(first);
    }
    part
}

fn last_words<'f>(
    facts: &FactsView<'f>,
    row: &SymbolRow,
) -> impl Iterator<Item = &'f str> + use<'f> {
    facts
        .strings
        .get(row.annotations)
        .split(' ')
        .map(|path| path.rsplit(['.', ':']).next().unwrap_or(path))
}

fn is_fixture(facts: &FactsView<'_>, row: &SymbolRow) -> bool {
    last_words(facts, row).any(|word| word == "fixture")
}

/// Tells by the conventions of a language whether a runner runs a callable by itself.
fn runs_alone(facts: &FactsView<'_>, row: &SymbolRow, language: &str, file_name: &str) -> bool {
    let name = facts.str(row.name);
    let in_type =
        facts.symbols.get(row.parent as usize).is_some_and(|parent| parent.kind().is_type());
    if row.has(modifier::LOCAL) {
        return false;
    }
    match language {
        "python" => {
            name.starts_with("test")
                && paths::is_test(file_name)
                && (in_type || row.parent == FILE_SYMBOL)
        }
        "rust" => last_words(facts, row).any(|word| {
            word == "test"
                || word.ends_with("_test")
                || matches!(word, "rstest" | "test_case" | "quickcheck")
        }),
        "go" => {
            !in_type
                && file_name.ends_with("_test.go")
                && ["Test", "Fuzz", "Example"].iter().any(|prefix| {
                    name.strip_prefix(prefix)
                        .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_lowercase()))
                })
        }
        "java" | "kotlin" | "scala" | "csharp" | "php" | "swift" => {
            let annotated = last_words(facts, row).any(|word| {
                matches!(
                    word,
                    "Test"
                        | "ParameterizedTest"
                        | "RepeatedTest"
                        | "TestFactory"
                        | "TestTemplate"
                        | "Fact"
                        | "Theory"
                        | "TestMethod"
                        | "TestCase"
                        | "DataProvider"
                )
            });
            annotated
                || in_type
                    && name.starts_with("test")
                    && facts.symbols.get(row.parent as usize).is_some_and(|parent| {
                        parent.has(modifier::TEST) || paths::is_test(file_name)
                    })
        }
        "ruby" => name.starts_with("test_"),
        "javascript" | "typescript" | "tsx" | "jsx" => false,
        _ => row.has(modifier::TEST),
    }
}

/// Tells whether a callable of a test file runs around its tests by its name or annotation.
fn prepares(facts: &FactsView<'_>, row: &SymbolRow) -> bool {
    const NAMES: [&str; 16] = [
        "setUp",
        "setUpClass",
        "setUpTestData",
        "setup",
        "setup_method",
        "setup_class",
        "setup_module",
        "setUpModule",
        "asyncSetUp",
        "tearDown",
        "tearDownClass",
        "teardown",
        "teardown_method",
        "asyncTearDown",
        "TestMain",
        "before_setup",
    ];
    NAMES.contains(&facts.str(row.name))
        || row.kind() == SymbolKind::Constructor
        || last_words(facts, row).any(|word| {
            matches!(
                word,
                "Before"
                    | "BeforeEach"
                    | "BeforeAll"
                    | "BeforeClass"
                    | "After"
                    | "AfterEach"
                    | "AfterAll"
                    | "AfterClass"
                    | "SetUp"
                    | "OneTimeSetUp"
                    | "TearDown"
                    | "TestInitialize"
            )
        })
}
