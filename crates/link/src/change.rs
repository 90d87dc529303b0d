//! What a new version of a file changes for the others: the names whose meaning may be another now, and where the
//! symbols that mean what they meant have gone.
//!
//! Of another file the linker reads only what it finds under a name, and what that leads to by the names in it. So
//! what stands under names that did not change, and mentions none that did, is for every other file what it was.

use crate::policy::{self, Modules as Style};
use crate::world::scope_named;
use contextd_model::SymbolKind;
use contextd_model::facts::{BindingRow, FILE_SYMBOL, FactsView, ImportRow, NONE, SymbolRow, binding, import_kind, modifier};
use std::collections::{BTreeMap, BTreeSet};

/// The difference between two versions of a file, as others see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Names under which the file shows something else than before.
    pub names: BTreeSet<String>,
    /// Of these, the names of what changed only inside of types, with the names of the types.
    pub inner: BTreeMap<String, BTreeSet<String>>,
    /// Imported names that changed and that others may see through the file.
    pub passed_on: BTreeSet<String>,
    /// By old row the new one; [`NONE`] for what only the file itself sees and for what is gone.
    pub rows: Vec<u32>,
}

impl Change {
    /// Compares two versions; `None` when the difference is more than names can tell.
    pub fn between(old: &FactsView<'_>, new: &FactsView<'_>) -> Option<Self> {
        let policy = policy::of(new.language);
        if old.language != new.language || old.package_name() != new.package_name() || policy.terms_apart || frame(old) != frame(new) {
            return None;
        }
        let (before, after) = (Shown::of(old), Shown::of(new));
        let mut names = differing(&before.entries, &after.entries);
        let imported = differing(&before.imports, &after.imports);
        let is_passed_on = |name: &String| before.passed_on.contains(name) || after.passed_on.contains(name);
        let passed_on: BTreeSet<String> = imported.iter().filter(|name| is_passed_on(name)).cloned().collect();
        // What mentions a name that changed may mean something else, whatever its own words are.
        let mut causes: Vec<String> = names.iter().cloned().chain(imported.iter().cloned()).collect();
        while let Some(cause) = causes.pop() {
            for (name, lines) in before.entries.iter().chain(&after.entries) {
                if !names.contains(name) && lines.iter().any(|line| is_mentioned(&line.asks, &cause)) {
                    names.insert(name.clone());
                    causes.push(name.clone());
                }
            }
        }
        // Nobody can ask for what has no name, so nobody could be told that it changed.
        if names.contains("") {
            return None;
        }
        let is_cause = |line: &Line| names.iter().chain(&imported).any(|cause| is_mentioned(&line.asks, cause));
        let inner = names.iter().filter_map(|name| Some((name.clone(), types_of_changes(before.lines(name), after.lines(name), is_cause)?))).collect();
        let rows = survivors(old, new);
        Some(Self { names, inner, passed_on, rows })
    }

    /// True when no other file can tell the two versions apart by a name.
    pub fn is_hidden(&self) -> bool {
        self.names.is_empty() && self.passed_on.is_empty()
    }
}

/// Returns the names under which a file shows something that mentions any of `names`, and what it imports by them.
pub fn led_to(view: &FactsView<'_>, names: &[String]) -> BTreeSet<String> {
    let shown = Shown::of(view);
    let mentions = |lines: &[Line]| lines.iter().any(|line| names.iter().any(|name| is_mentioned(&line.asks, name)));
    let entries = shown.entries.iter().chain(&shown.imports);
    entries.filter(|(_, lines)| mentions(lines)).map(|(name, _)| name.clone()).collect()
}

/// What others read of a file without asking for a name: blocks that add to what stands elsewhere, imports of
/// everything, what a module exports by default.
fn frame(view: &FactsView<'_>) -> Vec<String> {
    let policy = policy::of(view.language);
    let mut frame = Vec::new();
    for row in view.symbols.iter().skip(1).filter(|row| !row.has(modifier::LOCAL)) {
        let is_block = matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module) && !row.has(modifier::TITLE);
        if is_block || row.kind() == SymbolKind::Extension || row.has(modifier::DEFAULT) {
            frame.push(described(view, row));
        }
    }
    for row in view.imports.iter().filter(|row| is_of_all(row) || policy.modules == Style::Include) {
        frame.push(format!("{} {} {} {}", row.kind, row.owner == FILE_SYMBOL, view.str(row.module), view.str(row.name)));
    }
    frame
}

fn is_of_all(row: &ImportRow) -> bool {
    matches!(row.kind, import_kind::WILDCARD | import_kind::REEXPORT_ALL | import_kind::INCLUDE)
}

/// Something that stands under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    text: String,
    /// The part of the text that names are looked up by.
    asks: String,
    /// The name of the type that it is a member of.
    of: Option<String>,
}

/// What stands under each name, line by line.
#[derive(Default)]
struct Shown {
    entries: BTreeMap<String, Vec<Line>>,
    imports: BTreeMap<String, Vec<Line>>,
    passed_on: BTreeSet<String>,
}

impl Shown {
    fn of(view: &FactsView<'_>) -> Self {
        let mut shown = Self::default();
        for row in view.symbols.iter().skip(1).filter(|row| !row.has(modifier::LOCAL)) {
            let (line, asks) = (described(view, row), asked_by(view, row));
            if let Some(class) = told_by(view, row) {
                shown.put(class, line.clone(), asks.clone(), None);
            }
            shown.put(view.str(row.name), line, asks, type_around(view, row));
        }
        for row in view.bases {
            let line = format!("base {} {} {}", row.kind, view.str(row.qualifier), view.str(row.name));
            let owner = view.symbols.get(row.owner as usize).map_or("", |owner| view.str(owner.name));
            shown.put(owner, line.clone(), line, None);
        }
        for row in view.bindings {
            shown.binding(view, row);
        }
        for row in view.imports.iter().filter(|row| !is_of_all(row)) {
            shown.import(view, row);
        }
        shown
    }

    fn put(&mut self, name: &str, text: String, asks: String, of: Option<&str>) {
        self.entries.entry(name.to_owned()).or_default().push(Line { text, asks, of: of.map(str::to_owned) });
    }

    fn lines(&self, name: &str) -> &[Line] {
        self.entries.get(name).map_or(&[], Vec::as_slice)
    }

    /// Parameters and values belong to what they are of, fields that a body assigns to their own names.
    fn binding(&mut self, view: &FactsView<'_>, row: &BindingRow) {
        let Some(owner) = view.symbols.get(row.owner as usize) else { return };
        let asks = || format!("{} {}", scope_of(view, owner), view.str(row.type_text));
        let line = || format!("bound {} {} {} {} {} in {}", row.how, row.position, row.flags, view.str(row.name), view.str(row.type_text), view.str(owner.qualified));
        if let Some(field) = view.str(row.name).strip_prefix("self.") {
            self.put(field, line(), asks(), type_around(view, owner));
        } else if !owner.has(modifier::LOCAL) && (owner.name == row.name || matches!(row.how, binding::PARAMETER | binding::RECEIVER)) {
            if let Some(class) = told_by(view, owner) {
                self.put(class, line(), asks(), None);
            }
            self.put(view.str(owner.name), line(), asks(), type_around(view, owner));
        }
    }

    fn import(&mut self, view: &FactsView<'_>, row: &ImportRow) {
        let policy = policy::of(view.language);
        let bound = [row.alias, row.name, row.module].map(|id| view.str(id)).into_iter().find(|text| !text.is_empty()).unwrap_or("");
        let bound = if policy.modules == Style::Dotted { bound.split('.').next().unwrap_or(bound) } else { bound };
        let text = format!("{} {} {} {}", row.kind, row.owner == FILE_SYMBOL, view.str(row.module), view.str(row.name));
        self.imports.entry(bound.to_owned()).or_default().push(Line { asks: text.clone(), text, of: None });
        let is_passed_on = match policy.modules {
            Style::Folder | Style::Declared => false,
            Style::RelativePath => row.kind == import_kind::REEXPORT,
            _ => true,
        };
        if is_passed_on {
            self.passed_on.insert(bound.to_owned());
        }
    }
}

fn described(view: &FactsView<'_>, row: &SymbolRow) -> String {
    let [qualified, type_text, generics, annotations] = [row.qualified, row.type_text, row.generics, row.annotations].map(|id| view.str(id));
    format!("{} {} {} {} {qualified} {type_text} {generics} {annotations}", row.kind, row.visibility, row.modifiers, row.parameters)
}

/// Returns the name of the type that others find a member by without its own name: who calls a class means its
/// constructor, and what an interface asks for is told by all its members.
fn told_by<'a>(view: &FactsView<'a>, row: &SymbolRow) -> Option<&'a str> {
    let policy = policy::of(view.language);
    let parent = view.symbols.get(row.parent as usize).filter(|parent| parent.kind().is_type())?;
    let is_constructor = row.kind() == SymbolKind::Constructor || policy.constructors.contains(&view.str(row.name));
    let is_asked_for = policy.modules == Style::Folder && parent.kind() == SymbolKind::Interface;
    (is_constructor || is_asked_for).then(|| view.str(parent.name))
}

/// Returns the words of a symbol that are looked up: what it stands in, and its types.
fn asked_by(view: &FactsView<'_>, row: &SymbolRow) -> String {
    let [type_text, generics, annotations] = [row.type_text, row.generics, row.annotations].map(|id| view.str(id));
    format!("{} {type_text} {generics} {annotations}", scope_of(view, row))
}

/// Returns a qualified name without the name itself.
fn scope_of<'a>(view: &FactsView<'a>, row: &SymbolRow) -> &'a str {
    let qualified = view.str(row.qualified);
    qualified.strip_suffix(view.str(row.name)).unwrap_or(qualified)
}

/// Returns the name of the type that a symbol is a member of; of what stands deeper or elsewhere, none is told.
fn type_around<'a>(view: &FactsView<'a>, row: &SymbolRow) -> Option<&'a str> {
    let parent = view.symbols.get(row.parent as usize)?;
    // What a package adds to a type may be found without asking which type.
    let stands_outside = || scope_named(view, row).filter(|_| policy::of(view.language).modules == Style::Folder);
    let name = if parent.kind().is_type() { view.str(parent.name) } else { stands_outside()? };
    Some(name).filter(|name| !name.is_empty() && row.kind() != SymbolKind::Extension)
}

/// Returns the types of the lines that changed or mention what did, `None` when some is of no type.
fn types_of_changes(before: &[Line], after: &[Line], is_cause: impl Fn(&Line) -> bool) -> Option<BTreeSet<String>> {
    let is_same = |line: &&Line| before.contains(line) && after.contains(line) && !is_cause(line);
    let changed = before.iter().chain(after).filter(|line| !is_same(line));
    changed.map(|line| line.of.clone()).collect()
}

fn differing(before: &BTreeMap<String, Vec<Line>>, after: &BTreeMap<String, Vec<Line>>) -> BTreeSet<String> {
    let names = before.keys().chain(after.keys());
    names.filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

/// Follows the symbols that others may still mean: of several with one full name, the first is the first still.
fn survivors(old: &FactsView<'_>, new: &FactsView<'_>) -> Vec<u32> {
    fn visible<'v>(view: &'v FactsView<'_>) -> impl Iterator<Item = (u32, (&'v str, u8))> {
        let rows = (0..).zip(view.symbols).skip(1).filter(|(_, row)| !row.has(modifier::LOCAL));
        rows.map(|(at, row)| (at, (view.str(row.qualified), row.kind)))
    }
    let mut places: BTreeMap<(&str, u8), (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    visible(old).for_each(|(at, key)| places.entry(key).or_default().0.push(at));
    visible(new).for_each(|(at, key)| places.entry(key).or_default().1.push(at));
    let mut rows = vec![NONE; old.symbols.len()];
    rows.iter_mut().take(1).for_each(|row| *row = FILE_SYMBOL);
    for (before, after) in places.values().filter(|(before, after)| before.len() == after.len()) {
        before.iter().zip(after).for_each(|(&from, &to)| rows[from as usize] = to);
    }
    rows
}

/// True when any of a file's texts mentions a name as a word. A text may say more than it is asked: `newName` is taken
/// for a mention of `Name`, as the linker may take it.
pub fn mentions(view: &FactsView<'_>, name: &str) -> bool {
    let name = name.trim_end_matches('=');
    view.strings.text.contains(name) && (0..view.strings.len()).any(|id| is_mentioned(view.str(contextd_model::StrId(id as u32)), name))
}

/// True when a text mentions a name as a word.
pub fn is_mentioned(text: &str, name: &str) -> bool {
    let name = name.trim_end_matches('=');
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (first, last) = (name.starts_with(is_word), name.ends_with(is_word));
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let begins = !first || !before.ends_with(is_word) || before.ends_with("new");
        begins && (!last || !after.starts_with(is_word))
    })
}
