//! Go: a type implements an interface when it has its methods.

use super::{Look, World};
use crate::key;
use crate::policy::Modules as Style;
use contextd_model::SymbolKind;
use contextd_model::facts::{FILE_SYMBOL, UNKNOWN_PARAMETERS, binding};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Types that may satisfy one interface; a method set that more types have says little.
const MAX_CANDIDATES: usize = 400;

/// Returns the interfaces that each type satisfies, in the order of their numbers.
pub fn satisfied(world: &World<'_>) -> FxHashMap<u32, Vec<u32>> {
    let files = (0..world.files.len() as u32).into_par_iter();
    let pairs: Vec<Vec<(u32, u32)>> =
        files.map(|file| satisfied_of(world.seen_from(file))).collect();
    let mut found: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (implementor, interface) in pairs.into_iter().flatten() {
        found.entry(implementor).or_default().push(interface);
    }
    found
}

/// Returns the types that satisfy the interfaces of a file, each with the interface.
pub(super) fn satisfied_of(world: Look<'_, '_>) -> Vec<(u32, u32)> {
    let policy = world.policy(world.file);
    if policy.modules != Style::Folder {
        return Vec::new();
    }
    let rows = world.own().symbols.iter().enumerate();
    rows.filter(|(_, row)| row.kind() == SymbolKind::Interface && row.parent == FILE_SYMBOL)
        .flat_map(|(at, _)| {
            let interface = world.global(world.file, at as u32);
            let types = implementors(world, interface, policy.family).into_iter();
            types.map(move |implementor| (implementor, interface))
        })
        .collect()
}

/// Returns the types that have the methods of an interface of the file itself, in order.
fn implementors(world: Look<'_, '_>, interface: u32, family: u8) -> Vec<u32> {
    // An embedded interface that is not here may ask for more than can be seen.
    if world.supers(interface).is_some_and(|supers| supers.open || !supers.found.is_empty()) {
        return Vec::new();
    }
    let methods: Vec<u32> = world.own_methods(world.local(interface)).collect();
    let rarest = methods
        .iter()
        .min_by_key(|&&method| world.members_named(family, key::name(world.name_of(method))).len());
    let Some(&rarest) = rarest else {
        return Vec::new();
    };
    let candidates = world.members_named(family, key::name(world.name_of(rarest)));
    if candidates.len() > MAX_CANDIDATES {
        return Vec::new();
    }
    let mut types: Vec<u32> = candidates.iter().filter_map(|&method| world.outer(method)).collect();
    types.sort_unstable();
    types.dedup();
    types.retain(|&candidate| methods.iter().all(|&wanted| has_method(world, candidate, wanted)));
    types
}

fn has_method(world: Look<'_, '_>, candidate: u32, wanted: u32) -> bool {
    let name = key::name(world.name_of(wanted));
    let asked = Shape::of(world, wanted);
    world.in_scope(candidate, name).iter().any(|&method| asked.fits(&Shape::of(world, method)))
}

/// What a method takes and gives, as far as its facts tell.
struct Shape<'f> {
    /// Parameters, the receiver aside; `None` when they are not known.
    count: Option<usize>,
    /// Heads of the types of the parameters, as many as are named.
    parameters: Vec<&'f str>,
    results: usize,
    /// Head of the last result's type; only the last of a list is sure to be written with its type.
    last_result: &'f str,
    /// Types may be parameters of the interface, so their names say nothing.
    generic: bool,
}

impl<'f> Shape<'f> {
    fn of(world: Look<'_, 'f>, method: u32) -> Self {
        let (file, row) = (world.file_of(method), world.row(method));
        let count = Some(usize::from(row.parameters))
            .filter(|&count| count != usize::from(UNKNOWN_PARAMETERS));
        let bound = world.bindings_of(method).map(|(_, row)| row);
        let bound = bound.filter(|row| row.how == binding::PARAMETER);
        // A method's receiver is its first parameter; named results follow and are cut off.
        let receiver = usize::from(world.outer(method).is_some());
        let parameters = bound
            .map(|row| head(world.text(file, row.type_text)))
            .skip(receiver)
            .take(count.unwrap_or(0))
            .collect();
        let (results, last_result) = results(world.text(file, row.type_text));
        let generic =
            world.row_at(file, row.parent).is_some_and(|parent| !parent.generics.is_empty());
        Self { count, parameters, results, last_result, generic }
    }

    /// True when nothing that is known of both tells them apart.
    fn fits(&self, other: &Self) -> bool {
        if self.count.zip(other.count).is_some_and(|(left, right)| left != right)
            || self.results != other.results
        {
            return false;
        }
        if self.generic || other.generic {
            return true;
        }
        // Parameters without names leave their types unknown.
        let told = self.parameters.len() == other.parameters.len()
            && self.count == Some(self.parameters.len());
        let same =
            |(left, right): (&&str, &&str)| !is_plain(left) || !is_plain(right) || left == right;
        same((&self.last_result, &other.last_result))
            && (!told || self.parameters.iter().zip(&other.parameters).all(same))
    }
}

/// Returns the last name of a type: the same type is named differently inside and outside of its
/// package.
fn head(text: &str) -> &str {
    text.rsplit(['.', '*', ']', ' ']).next().unwrap_or(text)
}

/// True for the name of a type, not for a function or an inline type.
fn is_plain(head: &str) -> bool {
    !head.is_empty() && head.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns how many results a written result type has, and the head of the last one's type.
fn results(text: &str) -> (usize, &str) {
    let text = text.trim();
    let Some(list) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return (usize::from(!text.is_empty()), head(text));
    };
    let list = list.trim().trim_end_matches(',');
    let (mut depth, mut count, mut start) = (0usize, 1, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                count += 1;
                start = at + 1;
            }
            _ => {}
        }
    }
    if list.is_empty() { (0, "") } else { (count, head(list[start..].trim())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_with_and_without_names() {
        for (text, expected) in [
            ("", (0, "")),
            ("error", (1, "error")),
            ("*pkg.Type", (1, "Type")),
            ("(int, error)", (2, "error")),
            ("(a, b int, err error)", (3, "error")),
            ("(map[string]pkg.Item, func(a, b int) bool)", (2, "bool")),
            ("(\n\tint,\n\terror,\n)", (2, "error")),
        ] {
            assert_eq!(results(text), expected, "{text:?}");
        }
    }
}
