//! Go: a type implements an interface when it has its methods.

use super::World;
use crate::key;
use crate::policy::Modules as Style;
use contextd_model::SymbolKind;
use contextd_model::facts::{FILE_SYMBOL, binding};
use rustc_hash::FxHashMap;

/// Types that may satisfy one interface; a method set that more types have says little.
const MAX_CANDIDATES: usize = 400;

/// Returns the interfaces that each type satisfies, in the order of their numbers.
pub fn satisfied(world: &World<'_>) -> FxHashMap<u32, Vec<u32>> {
    let mut found: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for file in 0..world.files.len() as u32 {
        let table = &world.tables[file as usize];
        if table.policy.modules != Style::Folder {
            continue;
        }
        for (at, row) in world.files[file as usize].view.symbols.iter().enumerate() {
            if row.kind() == SymbolKind::Interface && row.parent == FILE_SYMBOL {
                let interface = world.global(file, at as u32);
                for implementor in implementors(world, interface, table.policy.family) {
                    found.entry(implementor).or_default().push(interface);
                }
            }
        }
    }
    found
}

fn implementors(world: &World<'_>, interface: u32, family: u8) -> Vec<u32> {
    // An embedded interface that is not here may ask for more than can be seen.
    if world
        .supers
        .get(&interface)
        .is_some_and(|supers| supers.open || !supers.found.is_empty())
    {
        return Vec::new();
    }
    let methods = methods_of(world, interface);
    let rarest = methods.iter().min_by_key(|&&method| {
        world
            .members_named(family, key::name(world.name_of(method)))
            .len()
    });
    let Some(&rarest) = rarest else {
        return Vec::new();
    };
    let candidates = world.members_named(family, key::name(world.name_of(rarest)));
    if candidates.len() > MAX_CANDIDATES {
        return Vec::new();
    }
    let mut types: Vec<u32> = candidates
        .iter()
        .filter_map(|method| world.outer.get(method).copied())
        .collect();
    types.sort_unstable();
    types.dedup();
    types.retain(|&candidate| {
        methods
            .iter()
            .all(|&wanted| has_method(world, candidate, wanted))
    });
    types
}

fn methods_of(world: &World<'_>, interface: u32) -> Vec<u32> {
    let file = world.file_of(interface);
    let local = world.local(interface);
    let rows = world.files[file as usize].view.symbols;
    let inside = rows
        .iter()
        .enumerate()
        .skip(local as usize + 1)
        .take_while(|(_, row)| row.parent >= local);
    inside
        .filter(|(_, row)| row.parent == local && row.kind() == SymbolKind::Method)
        .map(|(at, _)| world.global(file, at as u32))
        .collect()
}

fn has_method(world: &World<'_>, candidate: u32, wanted: u32) -> bool {
    let name = key::name(world.name_of(wanted));
    let (count, types) = parameters(world, wanted);
    world.in_scope(candidate, name).iter().any(|&method| {
        let (own_count, own_types) = parameters(world, method);
        // Parameters without names leave their types unknown here.
        own_count == count
            && (types.len() != count || own_types.len() != count || types == own_types)
    })
}

/// Returns how many parameters a method has and the heads of their types, packages off: the same
/// type is named differently inside and outside of its package.
fn parameters<'f>(world: &World<'f>, method: u32) -> (usize, Vec<&'f str>) {
    let view = &world.files[world.file_of(method) as usize].view;
    let local = world.local(method);
    let start = view.bindings.partition_point(|row| row.owner < local);
    let rows = view.bindings[start..]
        .iter()
        .take_while(|row| row.owner == local)
        .filter(|row| row.how == binding::PARAMETER);
    let heads = rows
        .map(|row| view.str(row.type_text))
        .map(|text| text.rsplit(['.', '*', ']', ' ']).next().unwrap_or(text));
    // A method's receiver is its first parameter; named results follow and are cut off.
    let outside = world.outer.contains_key(&method);
    let count = parameter_count(view.str(world.row(method).signature), outside);
    (
        count,
        heads.skip(usize::from(outside)).take(count).collect(),
    )
}

/// Counts the names in a signature's parameter list.
fn parameter_count(signature: &str, has_receiver: bool) -> usize {
    let rest = if has_receiver {
        signature
            .split_once(')')
            .map_or(signature, |(_, rest)| rest)
    } else {
        signature
    };
    let Some(open) = rest.find('(') else { return 0 };
    let (mut depth, mut commas, mut any) = (0usize, 0usize, false);
    for c in rest[open..].chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            ',' if depth == 1 => commas += 1,
            ' ' => {}
            _ => any = true,
        }
    }
    if any { commas + 1 } else { 0 }
}
