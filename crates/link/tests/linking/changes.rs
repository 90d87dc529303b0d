//! A world with new versions of files links as one built from nothing, and leaves the others as they were.
//!
//! Sources are those of the languages' own cases, a folder a language; `CONTEXTD_SOURCES` names another folder to draw from,
//! `CONTEXTD_CASES` how many edits are drawn.

use super::facts;
use contextd_link::reads::Seen;
use contextd_link::{Change, FileLinks, LinkFile, Reads, World, shows_the_same};
use contextd_model::StrId;
use contextd_model::facts::FileFacts;
use contextd_model::strings::StringTable;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A repository: paths with texts.
type Sources = Vec<(String, String)>;

/// Returns the blocks of a language's cases as files of one folder.
fn cases(folder: &Path) -> Sources {
    let mut sources = Sources::new();
    let files = std::fs::read_dir(folder.join("cases")).into_iter().flatten().flatten();
    let mut files: Vec<_> = files.map(|entry| entry.path()).collect();
    files.sort();
    for text in files.iter().filter_map(|file| std::fs::read_to_string(file).ok()) {
        let mut block: Option<(String, String)> = None;
        for line in text.lines() {
            match (line.strip_prefix("````"), &mut block) {
                (Some(""), _) => sources.extend(block.take()),
                (Some(name), None) => {
                    block = Some((format!("all/{}_{name}", sources.len()), String::new()))
                }
                (_, Some((_, text))) => *text += &format!("{line}\n"),
                _ => {}
            }
        }
    }
    sources
}

fn repositories() -> Vec<Sources> {
    if let Some(folder) = std::env::var_os("CONTEXTD_SOURCES") {
        return vec![read(Path::new(&folder))];
    }
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang/src/languages");
    let mut folders: Vec<_> = std::fs::read_dir(languages)
        .expect("languages")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    folders.iter().map(|folder| cases(folder)).filter(|sources| sources.len() > 2).collect()
}

fn read(folder: &Path) -> Sources {
    let (mut sources, mut pending) = (Sources::new(), vec![folder.to_owned()]);
    while let Some(at) = pending.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(at)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for path in entries {
            let rel = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            if path.is_dir() && !rel.starts_with('.') {
                pending.push(path);
            } else if contextd_lang::detect(&rel, "").name() != "text"
                && let Ok(text) = std::fs::read_to_string(&path)
                && text.len() < 100_000
            {
                sources.push((rel, text));
            }
        }
    }
    sources
}

/// Keeps of facts what the linker reads, and the strings of that alone, as an index does.
pub fn lean(facts: &FileFacts) -> FileFacts {
    let mut lean =
        FileFacts { strings: StringTable::default(), chunks: Vec::new(), ..facts.clone() };
    let (mut strings, mut known) = (StringTable::default(), BTreeMap::new());
    let mut keep = |id: &mut StrId| {
        *id = *known.entry(facts.str(*id)).or_insert_with_key(|text| strings.push(text))
    };
    keep(&mut lean.package);
    for row in &mut lean.symbols {
        [
            &mut row.name,
            &mut row.qualified,
            &mut row.type_text,
            &mut row.generics,
            &mut row.annotations,
        ]
        .into_iter()
        .for_each(&mut keep);
        (row.signature, row.doc) = (StrId::EMPTY, StrId::EMPTY);
    }
    lean.refs.iter_mut().flat_map(|row| [&mut row.name, &mut row.qualifier]).for_each(&mut keep);
    lean.imports
        .iter_mut()
        .flat_map(|row| [&mut row.module, &mut row.name, &mut row.alias])
        .for_each(&mut keep);
    lean.bases.iter_mut().flat_map(|row| [&mut row.name, &mut row.qualifier]).for_each(&mut keep);
    lean.bindings
        .iter_mut()
        .flat_map(|row| [&mut row.name, &mut row.type_text])
        .for_each(&mut keep);
    lean.strings = strings;
    lean
}

pub fn lean_facts(path: &str, text: &str) -> FileFacts {
    lean(&facts(&[(path, text)])[0].1)
}

/// Draws numbers; the same seed draws the same.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.len() > 1 && !word.starts_with(|c: char| c.is_numeric()))
        .collect()
}

/// Changes a text as people do: a part written again under another name, taken away or brought from elsewhere, a word
/// that becomes another one, a line more.
fn edited(draw: &mut Draw, text: &str, other: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (at, length) = (draw.below(lines.len() + 1), 1 + draw.below(8));
    let end = (at + length).min(lines.len());
    let mut result: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let known = words(text);
    let from_other = words(other);
    match draw.below(8) {
        0 if !known.is_empty() => {
            let word = known[draw.below(known.len())];
            let copy: Vec<String> = result[at..end]
                .iter()
                .map(|line| line.replace(word, &format!("{word}Zq")))
                .collect();
            result.splice(end..end, copy);
        }
        1 => drop(result.drain(at..end)),
        2 if !known.is_empty() => {
            let word = known[draw.below(known.len())];
            return text.replace(word, &format!("{word}Zq"));
        }
        3 if !known.is_empty() && !from_other.is_empty() => {
            let (word, instead) =
                (known[draw.below(known.len())], from_other[draw.below(from_other.len())]);
            return text.replacen(word, instead, 1 + draw.below(2));
        }
        4 => {
            let others: Vec<&str> = other.lines().collect();
            let (from, place) = (draw.below(others.len() + 1), draw.below(result.len() + 1));
            let part: Vec<String> = others[from..(from + length).min(others.len())]
                .iter()
                .map(|line| (*line).to_owned())
                .collect();
            result.splice(place..place, part);
        }
        5 => result.insert(at, String::new()),
        6 => {
            let part: Vec<String> = result.drain(at..end).collect();
            let to = draw.below(result.len() + 1);
            result.splice(to..to, part);
        }
        _ => {
            let (from, to) = (draw.below(result.len() + 1), draw.below(result.len() + 1));
            let part: Vec<String> = result[from..(from + length).min(result.len())].to_vec();
            result.splice(to..to, part);
        }
    }
    result.join("\n") + "\n"
}

/// Gives symbols other numbers.
fn renumbered(links: FileLinks, number: impl Fn(u32) -> u32) -> FileLinks {
    let mut links = links;
    for (source, edge) in &mut links.edges {
        (*source, edge.target) = (number(*source), number(edge.target));
    }
    links.edges.sort_unstable_by_key(|(source, edge)| (*source, edge.kind, edge.target));
    links.outside.iter_mut().for_each(|edge| edge.source = number(edge.source));
    links.outside.sort_unstable();
    links
}

/// Links one version of a repository after the other, each from what is known of the one before, and holds that against
/// linking from nothing; tells how it went.
pub fn check(versions: &[Vec<(String, FileFacts)>], what: &str) -> Vec<&'static str> {
    let views: Vec<Vec<LinkFile<'_>>> = versions
        .iter()
        .map(|facts| {
            facts.iter().map(|(path, facts)| LinkFile { path, view: facts.view() }).collect()
        })
        .collect();
    let mut reads: Option<Reads> = None;
    let mut told = Vec::new();
    for (old, new) in views.iter().zip(&views[1..]) {
        let changed: Vec<usize> =
            (0..old.len()).filter(|&at| versions_differ(&old[at], &new[at])).collect();
        let mut world = World::build_with_room(old);
        let mut known = reads.take().or_else(|| world.reads(|| true)).expect("all is read");
        let links: Vec<FileLinks> = (0..old.len()).map(|file| world.link_file(file)).collect();
        let places: Vec<(u32, u32)> =
            (0..world.symbol_count()).map(|symbol| world.place_of(symbol)).collect();
        let changes: BTreeMap<u32, Change> = changed
            .iter()
            .map(|&at| (at as u32, Change::between(&old[at].view, &new[at].view)))
            .collect();
        let facts: Vec<_> = changed.iter().map(|&at| (at, new[at].view)).collect();
        let is_same = changed.iter().all(|&at| shows_the_same(&old[at].view, &new[at].view));
        if is_same && let Some((_, again)) = World::build_with_room(old).with_facts(&facts, None) {
            assert!(changed.iter().all(|&at| again.contains(&(at as u32))), "{what}");
        }
        let Some((world, again)) = world.with_facts(&facts, Some(&mut known)) else {
            told.push("anew");
            continue;
        };
        let again: BTreeSet<u32> = again.into_iter().collect();
        let first: Vec<u32> = new
            .iter()
            .scan(0, |total, file| {
                Some(std::mem::replace(total, *total + file.view.symbols.len() as u32))
            })
            .collect();
        let fresh = World::build(new);
        let seen = Seen::default();
        for (file, old_links) in links.into_iter().enumerate() {
            let expected = fresh.link_file(file);
            let found = if again.contains(&(file as u32)) {
                let (links, questions) = world.link_noted(file as u32, &seen);
                known.set_late(file as u32, questions);
                renumbered(links, |symbol| {
                    let (file, local) = world.place_of(symbol);
                    first[file as usize] + local
                })
            } else {
                renumbered(old_links, |symbol| {
                    let (home, local) = places[symbol as usize];
                    let view = &old[home as usize].view;
                    let row = changes.get(&home).map_or(Some(local), |change| change.row(local));
                    let row = row.unwrap_or_else(|| {
                        panic!(
                            "{} leads to {} of {}, which is gone: {what}",
                            old[file].path,
                            view.str(view.symbols[local as usize].qualified),
                            old[home as usize].path
                        )
                    });
                    first[home as usize] + row
                })
            };
            assert_eq!(found, expected, "{} after {what}", old[file].path);
        }
        told.push(if is_same {
            "bodies"
        } else if again.len() == changed.len() {
            "alone"
        } else {
            "with others"
        });
        reads = Some(known);
    }
    told
}

fn versions_differ(old: &LinkFile<'_>, new: &LinkFile<'_>) -> bool {
    let facts = |file: &LinkFile<'_>| format!("{:?}", file.view);
    facts(old) != facts(new)
}

#[test]
#[allow(
    clippy::print_stderr,
    reason = "who runs more rounds sees how many of each kind there were"
)]
fn new_versions_link_as_from_nothing() {
    let rounds: u64 =
        std::env::var("CONTEXTD_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40);
    let start: u64 =
        std::env::var("CONTEXTD_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut told: BTreeMap<&str, u32> = BTreeMap::new();
    for sources in repositories() {
        let before: Vec<(String, FileFacts)> = {
            let texts: Vec<(&str, &str)> =
                sources.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            facts(&texts).into_iter().map(|(path, facts)| (path, lean(&facts))).collect()
        };
        let texts: BTreeMap<&str, String> =
            sources.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        for seed in start..start + rounds {
            let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let (mut versions, mut texts) = (vec![before.clone()], texts.clone());
            let mut what = format!("seed {seed}");
            for _ in 0..1 + draw.below(4) {
                let mut after = versions.last().expect("the first").clone();
                for _ in 0..1 + draw.below(4) / 3 {
                    let at = draw.below(before.len());
                    let path = before[at].0.as_str();
                    let other = &sources[draw.below(sources.len())].1;
                    let text = edited(&mut draw, &texts[path], other);
                    after[at].1 = lean_facts(path, &text);
                    texts.insert(path, text);
                    what += &format!(" of {path}");
                }
                what += ",";
                versions.push(after);
            }
            for way in check(&versions, &what) {
                *told.entry(way).or_default() += 1;
            }
        }
    }
    eprintln!("{told:?}");
    for way in ["bodies", "alone", "with others", "anew"] {
        assert!(told.contains_key(way), "no edit was of this kind: {way}, only {told:?}");
    }
}

/// Gives one file of a repository another text, and tells how that was linked.
fn after(files: &[(&str, &str)], path: &str, text: &str) -> &'static str {
    let before: Vec<(String, FileFacts)> =
        facts(files).into_iter().map(|(path, facts)| (path, lean(&facts))).collect();
    let mut after = before.clone();
    let changed = after.iter_mut().find(|file| file.0 == path).expect("a file of that path");
    changed.1 = lean_facts(path, text);
    check(&[before, after], path)[0]
}

#[test]
fn only_who_asked_is_linked_again() {
    let files = [
        ("a.py", "class A:\n    def run(self):\n        pass\n"),
        ("b.py", "from a import A\n\n\ndef f():\n    A().run()\n"),
        ("c.py", "def g(a):\n    return a.other()\n"),
        ("notes.md", "# Notes\n\nCall `quite_new`.\n"),
    ];
    let with = |more: &str| format!("{}{more}", files[0].1);
    assert_eq!(
        after(&files, "a.py", &with("\n    def unheard(self):\n        self.run()\n")),
        "alone"
    );
    assert_eq!(
        after(&files, "a.py", &with("\n\ndef f():\n    pass\n")),
        "alone",
        "another one has the name, and asks for its own"
    );
    assert_eq!(
        after(&files, "a.py", &with("\n\ndef quite_new(a):\n    return A()\n")),
        "with others",
        "the notes"
    );
    assert_eq!(
        after(&files, "a.py", &with("\n    def __init__(self):\n        pass\n")),
        "with others",
        "who makes an object means its constructor"
    );
    assert_eq!(
        after(&files, "a.py", &with("\n    def other(self):\n        pass\n")),
        "with others",
        "what is not known may be one"
    );
    assert_eq!(
        after(&files, "a.py", &files[0].1.replace("run", "walk")),
        "with others",
        "what was called is gone"
    );
    assert_eq!(
        after(&files, "a.py", &files[0].1.replace("(self)", "(self, a)")),
        "with others",
        "what was called takes more"
    );
    let go = |more: &str| {
        format!(
            "package a\n\nimport \"fmt\"\n\ntype S struct{{}}\n\nfunc (s *S) Open() error {{ return nil }}\n{more}"
        )
    };
    let files = [
        ("a/s.go", &*go("")),
        ("a/t.go", "package a\n\nfunc use(s *S) { s.Open() }\n"),
        ("b/i.go", "package b\n\ntype Door interface {\n\tOpen() error\n\tClose() error\n}\n"),
    ];
    assert_eq!(
        after(
            &files,
            "a/s.go",
            &go("\nfunc (s *S) Shut() error { return nil }\n").replace("\"fmt\"", "\"os\"")
        ),
        "alone",
        "imports are the file's own"
    );
    assert_eq!(
        after(&files, "a/s.go", &go("\nfunc (s *S) Close() error { return nil }\n")),
        "alone",
        "an interface asks for it, but the edge is the type's"
    );
}

#[test]
fn what_a_new_name_leads_to_is_asked_for() {
    let files = [
        ("x/a.go", "package x\n\nfunc Make() *Later { return nil }\n"),
        ("x/b.go", "package x\n\nfunc use() { Make().Run() }\n"),
    ];
    let text = "package x\n\nfunc Make() *Later { return nil }\n\ntype Later struct{}\n\nfunc (l *Later) Start() {}\n";
    assert_eq!(after(&files, "x/a.go", text), "with others");
}

#[test]
fn what_moves_down_keeps_its_bases_members_and_interfaces() {
    let python = "class A:\n    def run(self):\n        self.x = A()\n\n\nclass B(A):\n    pass\n\n\ndef use():\n    B().run()\n    B().x.run()\n";
    let files = [
        ("a.py", python),
        ("b.py", "from a import B\n\n\nclass C(B):\n    pass\n\n\ndef g():\n    C().run()\n"),
    ];
    assert_eq!(after(&files, "a.py", &format!("def unheard():\n    pass\n\n\n{python}")), "alone");
    let go = "type Door interface {\n\tOpen() error\n}\n\ntype S struct{}\n\nfunc (s *S) Open() error { return nil }\n\nfunc use(s *S) {\n\ts.Open()\n\ts.Shut()\n}\n";
    let files = [
        ("a/s.go", &*format!("package a\n\n{go}")),
        ("a/t.go", "package a\n\nfunc (s *S) Shut() { s.Open() }\n"),
        ("b/d.go", "package b\n\ntype T struct{}\n\nfunc (t *T) Open() error { return nil }\n"),
    ];
    assert_eq!(
        after(&files, "a/s.go", &format!("package a\n\nfunc unheard() {{}}\n\n{go}")),
        "alone"
    );
}
