//! What other files can see of a file.
//!
//! [`World::link_file`](crate::World::link_file) reads a file's own facts whole, and of the other files only their
//! interfaces. So a file whose [`interface_fingerprint`] is unchanged is linked again after an edit, and no other.

use contextd_model::StrId;
use contextd_model::facts::{BindingRow, FILE_SYMBOL, FactsView, SymbolRow, binding, modifier};
use contextd_model::hash::ContentHash;

/// Returns a hash of everything other files can see of this one: names, kinds, scopes, types, bases,
/// imports and the package, but neither places nor bodies.
pub fn interface_fingerprint(view: FactsView<'_>) -> u64 {
    ContentHash::of(&interface_bytes(&view)).short()
}

fn interface_bytes(view: &FactsView<'_>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4096);
    put(&mut bytes, view.package_name());
    bytes.push(view.language);
    let visible = visible_rows(view);
    let number = |row: u32| visible.get(row as usize).copied().unwrap_or(u32::MAX);
    for (at, row) in view.symbols.iter().enumerate().filter(|(at, _)| visible[*at] != u32::MAX) {
        bytes.extend(number(row.parent).to_le_bytes());
        bytes.extend([row.kind, row.visibility]);
        bytes.extend(row.modifiers.to_le_bytes());
        // The name of the file's own row is its path, which is not asked for.
        let own = if at == 0 { [StrId::EMPTY; 2] } else { [row.name, row.qualified] };
        for id in own.into_iter().chain([row.type_text, row.generics, row.annotations]) {
            put(&mut bytes, view.str(id));
        }
        bytes.push(row.parameters);
    }
    for row in view.imports {
        bytes.extend([b'i', row.kind]);
        put(&mut bytes, &owner_of(view, row.owner));
        for id in [row.module, row.name, row.alias] {
            put(&mut bytes, view.str(id));
        }
    }
    for row in view.bases {
        bytes.extend([b'b', row.kind]);
        bytes.extend(number(row.owner).to_le_bytes());
        put(&mut bytes, view.str(row.qualifier));
        put(&mut bytes, view.str(row.name));
    }
    for row in view.bindings.iter().filter(|row| is_visible_binding(view, row)) {
        bytes.extend([b'v', row.how, row.position]);
        bytes.extend(row.flags.to_le_bytes());
        let (owner, generics) = visible_owner(view, &visible, row.owner);
        bytes.extend(owner.to_le_bytes());
        put(&mut bytes, &generics);
        put(&mut bytes, view.str(row.name));
        put(&mut bytes, view.str(row.type_text));
    }
    bytes
}

/// Tells in which scope something stands.
fn owner_of(view: &FactsView<'_>, owner: u32) -> String {
    view.symbols.get(owner as usize).map_or_else(String::new, |row| {
        if owner == FILE_SYMBOL {
            String::new()
        } else {
            format!("{} {}", row.kind, view.str(row.qualified))
        }
    })
}

fn put(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// Numbers the rows that others can see; what stands inside a body has none.
fn visible_rows(view: &FactsView<'_>) -> Vec<u32> {
    let mut next = 0;
    let mut number = |(at, row): (usize, &SymbolRow)| {
        if at != FILE_SYMBOL as usize && row.has(modifier::LOCAL) {
            return u32::MAX;
        }
        next += 1;
        next - 1
    };
    view.symbols.iter().enumerate().map(&mut number).collect()
}

/// Returns the number of the nearest row around `owner` that others can see, and the type parameters of those further
/// inside: what a field is assigned there may name them.
fn visible_owner(view: &FactsView<'_>, visible: &[u32], owner: u32) -> (u32, String) {
    let (mut at, mut generics) = (owner as usize, String::new());
    while visible.get(at).is_some_and(|&number| number == u32::MAX) {
        generics += view.str(view.symbols[at].generics);
        generics.push('\n');
        at = view.symbols[at].parent as usize;
    }
    (visible.get(at).copied().unwrap_or(u32::MAX), generics)
}

/// Fields through `self`, values of file-level variables and members, parameters, and whether there is a receiver.
fn is_visible_binding(view: &FactsView<'_>, row: &BindingRow) -> bool {
    let Some(owner) = view.symbols.get(row.owner as usize) else {
        return false;
    };
    let own = owner.name == row.name && !owner.kind().is_callable();
    view.str(row.name).starts_with("self.")
        || (own || matches!(row.how, binding::PARAMETER | binding::RECEIVER))
            && !owner.has(modifier::LOCAL)
}

/// True when other files see no difference between two versions of a file, the numbers of its symbols included.
pub fn shows_the_same(old: &FactsView<'_>, new: &FactsView<'_>) -> bool {
    same_symbols(old, new) && interface_fingerprint(*old) == interface_fingerprint(*new)
}

/// True when all symbols are the same, those inside of bodies too, wherever they stand.
fn same_symbols(old: &FactsView<'_>, new: &FactsView<'_>) -> bool {
    new.symbols.len() == old.symbols.len()
        && new.symbols.iter().zip(old.symbols).all(|(left, right)| {
            let texts = [
                (left.name, right.name),
                (left.qualified, right.qualified),
                (left.type_text, right.type_text),
            ];
            (left.parent, left.kind, left.visibility, left.modifiers)
                == (right.parent, right.kind, right.visibility, right.modifiers)
                && texts.into_iter().all(|(left, right)| new.str(left) == old.str(right))
        })
}
