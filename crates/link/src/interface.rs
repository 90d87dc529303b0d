//! What other files can see of a file, and what a file looks for in others.
//!
//! [`World::link_file`](crate::World::link_file) reads a file's own facts whole, and of the other
//! files only their interfaces. So after a change:
//!
//! 1. A file whose [`interface_fingerprint`] is unchanged is linked again, and no other.
//! 2. Otherwise let `D` be the names by [`interface_names`] whose entries differ between the old and
//!    the new interface. A name of any file whose entry *mentions* a name of `D` (a base, a type, an
//!    initial value, a re-export) joins `D`, until nothing joins. Files that mention a name of `D`
//!    by [`mentions`] are linked again.
//! 3. A file that is added, removed or renamed changes all its names, and the last components of its
//!    path with them, since imports may now lead elsewhere.

use contextd_model::facts::{FactsView, binding, modifier};
use contextd_model::hash::ContentHash;
use std::collections::BTreeMap;

/// Returns a hash of everything other files can see of this one: names, kinds, scopes, types, bases,
/// imports and the package, but neither places nor bodies.
pub fn interface_fingerprint(view: FactsView<'_>) -> u64 {
    let mut bytes = Vec::with_capacity(4096);
    put(&mut bytes, view.package_name());
    bytes.push(view.language);
    let visible = visible_rows(&view);
    for (at, row) in view.symbols.iter().enumerate() {
        if visible[at] == u32::MAX {
            continue;
        }
        bytes.extend(
            visible
                .get(row.parent as usize)
                .copied()
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        bytes.extend([row.kind, row.visibility]);
        bytes.extend(row.modifiers.to_le_bytes());
        for id in [
            row.name,
            row.qualified,
            row.type_text,
            row.generics,
            row.annotations,
        ] {
            put(&mut bytes, view.str(id));
        }
        bytes.push(row.parameters);
    }
    for row in view.imports {
        bytes.extend([b'i', row.kind, u8::from(row.owner == 0)]);
        for id in [row.module, row.name, row.alias] {
            put(&mut bytes, view.str(id));
        }
    }
    for row in view.bases {
        bytes.extend([b'b', row.kind]);
        bytes.extend(
            visible
                .get(row.owner as usize)
                .copied()
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        put(&mut bytes, view.str(row.qualifier));
        put(&mut bytes, view.str(row.name));
    }
    for row in view
        .bindings
        .iter()
        .filter(|row| is_visible_binding(&view, row))
    {
        bytes.extend([b'v', row.how, row.position]);
        bytes.extend(row.flags.to_le_bytes());
        bytes.extend(visible_owner(&view, &visible, row.owner).to_le_bytes());
        put(&mut bytes, view.str(row.name));
        put(&mut bytes, view.str(row.type_text));
    }
    ContentHash::of(&bytes).short()
}

fn put(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Numbers the rows that others can see; what stands inside a body has none.
fn visible_rows(view: &FactsView<'_>) -> Vec<u32> {
    let mut next = 0;
    let number = |local: bool, next: &mut u32| {
        if local {
            return u32::MAX;
        }
        *next += 1;
        *next - 1
    };
    view.symbols
        .iter()
        .map(|row| number(row.has(modifier::LOCAL), &mut next))
        .collect()
}

/// Returns the number of the nearest row around `owner` that others can see.
fn visible_owner(view: &FactsView<'_>, visible: &[u32], owner: u32) -> u32 {
    let mut at = owner as usize;
    while visible.get(at).is_some_and(|&number| number == u32::MAX) {
        at = view.symbols[at].parent as usize;
    }
    visible.get(at).copied().unwrap_or(u32::MAX)
}

/// Fields through `self`, values of file-level variables and members, and parameters.
fn is_visible_binding(view: &FactsView<'_>, row: &contextd_model::facts::BindingRow) -> bool {
    let Some(owner) = view.symbols.get(row.owner as usize) else {
        return false;
    };
    let own = owner.name == row.name && !owner.kind().is_callable();
    view.str(row.name).starts_with("self.")
        || (own || row.how == binding::PARAMETER) && !owner.has(modifier::LOCAL)
}

/// Returns every name a file mentions: references and the parts of their qualifiers, imports, bases,
/// types, and the names it defines, which decide whether a name elsewhere is still the only one.
/// Names may repeat.
pub fn mentions(view: FactsView<'_>) -> impl Iterator<Item = &str> {
    let refs = view
        .refs
        .iter()
        .flat_map(move |row| [row.name, row.qualifier]);
    let imports = view
        .imports
        .iter()
        .flat_map(move |row| [row.module, row.name, row.alias]);
    let bases = view
        .bases
        .iter()
        .flat_map(move |row| [row.name, row.qualifier]);
    let bindings = view.bindings.iter().map(move |row| row.type_text);
    let symbols = view
        .symbols
        .iter()
        .flat_map(move |row| [row.name, row.type_text, row.qualified]);
    refs.chain(imports)
        .chain(bases)
        .chain(bindings)
        .chain(symbols)
        .flat_map(move |id| words(view.str(id)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-')))
        .filter(|word| !word.is_empty())
}

/// Returns the interface name by name: what its entry says, and the names that the entry mentions.
/// Members of a type stand under the type as well, since a type's members decide what it satisfies.
pub fn interface_names(view: FactsView<'_>) -> BTreeMap<String, (u64, Vec<String>)> {
    let mut texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in view
        .symbols
        .iter()
        .filter(|row| !row.has(modifier::LOCAL) && !row.name.is_empty())
    {
        let fields =
            [row.qualified, row.type_text, row.generics, row.annotations].map(|id| view.str(id));
        let entry = format!(
            "{}\u{1}{}\u{1}{}\u{1}{}\u{1}{}",
            row.kind,
            row.visibility,
            row.modifiers,
            fields.join("\u{1}"),
            row.parameters
        );
        if let Some(parent) = view
            .symbols
            .get(row.parent as usize)
            .filter(|parent| parent.kind().is_type())
        {
            texts
                .entry(view.str(parent.name))
                .or_default()
                .push(entry.clone());
        }
        texts.entry(view.str(row.name)).or_default().push(entry);
    }
    for row in view.imports {
        let bound = [row.alias, row.name, row.module]
            .into_iter()
            .map(|id| view.str(id))
            .find(|text| !text.is_empty())
            .unwrap_or("");
        texts.entry(bound).or_default().push(format!(
            "i{}\u{1}{}\u{1}{}",
            row.kind,
            view.str(row.module),
            view.str(row.name)
        ));
    }
    for row in view.bases {
        let owner = view
            .symbols
            .get(row.owner as usize)
            .map_or("", |owner| view.str(owner.name));
        texts.entry(owner).or_default().push(format!(
            "b{}\u{1}{}\u{1}{}",
            row.kind,
            view.str(row.qualifier),
            view.str(row.name)
        ));
    }
    for row in view
        .bindings
        .iter()
        .filter(|row| is_visible_binding(&view, row))
    {
        let name = view.str(row.name).trim_start_matches("self.");
        texts.entry(name).or_default().push(format!(
            "v{}\u{1}{}",
            row.how,
            view.str(row.type_text)
        ));
    }
    texts
        .into_iter()
        .map(|(name, entries)| (name.to_owned(), entry_of(&entries)))
        .collect()
}

fn entry_of(entries: &[String]) -> (u64, Vec<String>) {
    let joined = entries.join("\u{2}");
    let mut mentioned: Vec<String> = words(&joined).map(str::to_owned).collect();
    mentioned.sort_unstable();
    mentioned.dedup();
    (ContentHash::of(joined.as_bytes()).short(), mentioned)
}
