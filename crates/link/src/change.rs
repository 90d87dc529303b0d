//! What a new version of a file means for the others, where that is as good as nothing: it defines names that it did not
//! define, or no longer defines some, and everything else that others can see is what it was.
//!
//! Of another file the linker reads what it finds under a name, and what that leads to by the names in it. So when no
//! other file mentions the names that came or went, and nothing that stayed does, the others link as before.

use crate::interface::{is_visible_binding, owner_of, rest_of_interface};
use crate::policy::{self, Modules as Style};
use contextd_model::facts::{FILE_SYMBOL, FactsView, ImportRow, NONE, SymbolRow, import_kind, modifier};
use contextd_model::{StrId, SymbolKind};
use std::collections::BTreeSet;

/// The difference between two versions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Names of symbols that only one of the versions has.
    pub names: BTreeSet<String>,
    /// By old row the new one; [`NONE`] for what only the file itself sees and for what is gone.
    pub rows: Vec<u32>,
}

impl Change {
    /// Compares two versions; `None` when more than names that came or went tells them apart.
    pub fn between(old: &FactsView<'_>, new: &FactsView<'_>) -> Option<Self> {
        // What is named like a package is more than a symbol.
        if policy::of(new.language).terms_apart {
            return None;
        }
        let (before, after) = (visible_names(old), visible_names(new));
        let names: BTreeSet<&str> = before.symmetric_difference(&after).copied().collect();
        // Nobody can ask for what has no name, so nobody could be told that it changed.
        if names.contains("") || rest_of_interface(old, &names) != rest_of_interface(new, &names) {
            return None;
        }
        let (imported, now) = (local_imports(old), local_imports(new));
        let bound = imported.symmetric_difference(&now).map(|(bound, _)| *bound);
        let causes: BTreeSet<&str> = names.iter().copied().chain(bound).collect();
        let reaches_further = |view: &FactsView<'_>| asks_for(view, &names, &causes) || adds_to_others(view, &names);
        if reaches_further(old) || reaches_further(new) {
            return None;
        }
        let mut rows = vec![NONE; old.symbols.len()];
        for (from, to) in staying(old, &names).zip(staying(new, &names)) {
            rows[from] = to as u32;
        }
        Some(Self { names: names.into_iter().map(str::to_owned).collect(), rows })
    }
}

fn visible_names<'v>(view: &FactsView<'v>) -> BTreeSet<&'v str> {
    view.symbols.iter().skip(1).filter(|row| !row.has(modifier::LOCAL)).map(|row| view.str(row.name)).collect()
}

/// Returns the rows that others may see, less those of some names; the file itself is the first.
fn staying<'v>(view: &'v FactsView<'v>, without: &'v BTreeSet<&str>) -> impl Iterator<Item = usize> + 'v {
    let stays = |at: usize, row: &SymbolRow| at == FILE_SYMBOL as usize || !row.has(modifier::LOCAL) && !without.contains(view.str(row.name));
    (0..view.symbols.len()).filter(move |&at| stays(at, &view.symbols[at]))
}

/// True for an import that only its own file sees.
pub(crate) fn is_local(view: &FactsView<'_>, row: &ImportRow) -> bool {
    match policy::of(view.language).modules {
        Style::Folder | Style::Declared => !matches!(row.kind, import_kind::WILDCARD | import_kind::REEXPORT_ALL | import_kind::INCLUDE),
        Style::RelativePath => matches!(row.kind, import_kind::MODULE | import_kind::NAME),
        _ => false,
    }
}

/// Returns what the imports bind that only the file itself sees, each with what it is bound to.
fn local_imports<'v>(view: &FactsView<'v>) -> BTreeSet<(&'v str, String)> {
    let rows = view.imports.iter().filter(|row| is_local(view, row));
    rows.map(|row| {
        let [alias, name, module] = [row.alias, row.name, row.module].map(|id| view.str(id));
        let bound = [alias, name, module].into_iter().find(|text| !text.is_empty()).unwrap_or("");
        (bound, format!("{} {} {module} {name}", row.kind, owner_of(view, row.owner)))
    })
    .collect()
}

/// True when something that stays mentions a cause: its own words are the same, but they may mean something else.
fn asks_for(view: &FactsView<'_>, without: &BTreeSet<&str>, causes: &BTreeSet<&str>) -> bool {
    let mentions = |id: StrId| causes.iter().any(|cause| is_mentioned(view.str(id), cause));
    let stays = |owner: u32| view.symbols.get(owner as usize).is_none_or(|row| !without.contains(view.str(row.name)));
    // What stands in a scope is found through it, wherever that is declared.
    let symbols = staying(view, without).skip(1).map(|at| &view.symbols[at]).any(|row| [row.qualified, row.name, row.type_text, row.generics, row.annotations].into_iter().any(mentions));
    // A local import may name what it will: that is the file's own business.
    let imports = view.imports.iter().filter(|row| !is_local(view, row)).any(|row| [row.module, row.name, row.alias].into_iter().any(mentions));
    let bases = view.bases.iter().filter(|row| stays(row.owner)).any(|row| mentions(row.name) || mentions(row.qualifier));
    let bindings = view.bindings.iter().filter(|row| is_visible_binding(view, row) && (stays(row.owner) || view.str(row.name).starts_with("self."))).any(|row| mentions(row.type_text));
    symbols || imports || bases || bindings
}

/// True when something that came or went is found by others without its name: blocks that add to what stands elsewhere,
/// what a module exports by default, the constructor of a class that stays, what an interface that stays asks for.
fn adds_to_others(view: &FactsView<'_>, names: &BTreeSet<&str>) -> bool {
    let policy = policy::of(view.language);
    let mut rows = view.symbols.iter().skip(1).filter(|row| !row.has(modifier::LOCAL) && names.contains(view.str(row.name)));
    rows.any(|row| {
        let is_block = matches!(row.kind(), SymbolKind::Namespace | SymbolKind::Module) && !row.has(modifier::TITLE);
        let parent = view.symbols.get(row.parent as usize).filter(|parent| parent.kind().is_type() && !names.contains(view.str(parent.name)));
        let is_constructor = row.kind() == SymbolKind::Constructor || policy.constructors.contains(&view.str(row.name));
        let is_asked_for = |parent: &SymbolRow| policy.modules == Style::Folder && parent.kind() == SymbolKind::Interface;
        is_block || row.kind() == SymbolKind::Extension || row.has(modifier::DEFAULT) || parent.is_some_and(|parent| is_constructor || is_asked_for(parent))
    })
}

/// True when any of a file's texts mentions a name as a word. A text may say more than it is asked: `newName` is taken
/// for a mention of `Name`, as the linker may take it.
pub fn mentions(view: &FactsView<'_>, name: &str) -> bool {
    let name = name.trim_end_matches('=');
    view.strings.text.contains(name) && (0..view.strings.len()).any(|id| is_mentioned(view.str(StrId(id as u32)), name))
}

/// True when a text mentions a name as a word.
fn is_mentioned(text: &str, name: &str) -> bool {
    let name = name.trim_end_matches('=');
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (first, last) = (name.starts_with(is_word), name.ends_with(is_word));
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let begins = !first || !before.ends_with(is_word) || before.ends_with("new");
        begins && (!last || !after.starts_with(is_word))
    })
}
