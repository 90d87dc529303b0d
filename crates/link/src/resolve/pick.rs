//! Several symbols of one name: which one is meant, and how sure that is.

use super::{Kind, Resolver, Value, Want, sure};
use crate::parameters::Parameters;
use crate::policy::Modules as Style;
use crate::world::COMMON_SOURCES;
use crate::world::modules::{basename, folder_of, shared_folders};
use contextd_model::facts::{FILE_SYMBOL, UNKNOWN_PARAMETERS, binding, modifier};
use contextd_model::{SymbolKind, Visibility};
use std::borrow::Cow;

impl<'f> Resolver<'_, 'f> {
    /// Chooses among symbols of one scope and name: merged declarations, overloads, redefinitions.
    /// What no caller may use is never meant.
    pub(super) fn pick(&self, symbols: &[u32], want: Want) -> Option<u32> {
        let world = self.world;
        let usable = |symbol: &u32| {
            !world.has(*symbol, modifier::REFUSED)
                && (want != Want::Type
                    || world.kind(*symbol) != SymbolKind::Object
                    || !world.policy(world.file_of(*symbol)).terms_apart)
        };
        if let [only] = symbols {
            return Some(*only).filter(usable);
        }
        let symbols = &*self.of_arity(symbols);
        let is_object = |symbol: u32| world.kind(symbol) == SymbolKind::Object;
        let companions = symbols.iter().any(|&symbol| is_object(symbol));
        symbols.iter().copied().filter(usable).min_by_key(|&symbol| {
            let kind = world.kind(symbol);
            // Of a type and the object beside it, terms mean the object and types the type.
            let beside = companions
                && match want {
                    Want::Type | Want::Make => is_object(symbol),
                    Want::Call | Want::Any => kind.is_type() && !is_object(symbol),
                };
            (
                !fits(kind, want),
                // A term is never an alias of a type, where a value has the same name.
                want != Want::Type && kind == SymbolKind::TypeAlias,
                beside,
                world.has(symbol, modifier::DECLARATION) && kind.is_callable(),
                kind == SymbolKind::Extension,
                world.has(symbol, modifier::LOWERED | modifier::SPECIALIZED),
                symbol,
            )
        })
    }

    /// Chooses among the symbols that a package holds under one name, as seen from a file. Where
    /// several files define it (one for each platform, or each version of a library) the one nearest
    /// to the file is meant, then the declaration that all platforms share; else it is a guess.
    pub(super) fn pick_near(
        &self,
        from: u32,
        symbols: &[u32],
        want: Want,
        surely: u8,
    ) -> Option<Value<'f>> {
        let world = self.world;
        // Another top folder is another module.
        let hidden = |symbol: u32| {
            let file = world.file_of(symbol);
            world.policy(file).internal_to_module
                && world.row(symbol).visibility() == Visibility::Internal
                && shared_folders(world.path(from), world.path(file)) == 0
        };
        let symbols =
            without(symbols, |symbol| hidden(symbol) || !world.sees(from, world.file_of(symbol)));
        let symbols = &*self.accepting(symbols, want);
        let best = self.pick(symbols, want)?;
        let policy = world.policy(world.file_of(best));
        if want == Want::Type && policy.modules == Style::Declared && !fits(world.kind(best), want)
        {
            return None;
        }
        let value = |symbol: u32, sure: u8| Some(Value::new(Kind::Symbol(symbol), sure));
        let home = world.file_of(best);
        if symbols.iter().all(|&symbol| world.file_of(symbol) == home) {
            return value(best, surely);
        }
        let rivals = self.rivals(best, symbols, want);
        if rivals.iter().all(|&symbol| world.file_of(symbol) == home) {
            return value(best, surely);
        }
        let mut callables =
            rivals.iter().map(|&symbol| world.row(symbol)).filter(|row| row.kind().is_callable());
        let parameters = callables.next().map(|row| row.parameters);
        if callables.any(|row| Some(row.parameters) != parameters) {
            return value(best, surely.min(sure::TWIN));
        }
        self.nearest_rival(from, &rivals, want, surely)
    }

    /// Leaves out the types that take another number of type arguments, unless that leaves nothing.
    fn of_arity<'s>(&self, symbols: &'s [u32]) -> Cow<'s, [u32]> {
        let world = self.world;
        let tells = |symbol: u32| world.policy(world.file_of(symbol)).types_by_arity;
        if self.arity == UNKNOWN_PARAMETERS || !symbols.first().is_some_and(|&first| tells(first)) {
            return Cow::Borrowed(symbols);
        }
        let other = |symbol: u32| world.kind(symbol).is_type() && world.arity(symbol) != self.arity;
        if symbols.iter().all(|&symbol| other(symbol)) {
            return Cow::Borrowed(symbols);
        }
        without(symbols, other)
    }

    /// Leaves out the overloads that cannot take what a call gives, unless that leaves nothing.
    fn accepting<'s>(&self, symbols: Cow<'s, [u32]>, want: Want) -> Cow<'s, [u32]> {
        let world = self.world;
        let [first, _, ..] = symbols[..] else { return symbols };
        let policy = world.policy(world.file_of(first));
        if !want.is_call() || self.arguments == UNKNOWN_PARAMETERS || !policy.overloads {
            return symbols;
        }
        let refuses = |symbol: u32| {
            world.kind(symbol).is_callable()
                // Most often the numbers are the same, and nothing more has to be known.
                && world.row(symbol).parameters != self.arguments
                && !Parameters::of(world, symbol).accept(self.arguments)
        };
        let kept: Vec<u32> = symbols.iter().copied().filter(|&symbol| !refuses(symbol)).collect();
        if kept.is_empty() || kept.len() == symbols.len() { symbols } else { Cow::Owned(kept) }
    }

    /// Chooses among definitions of one thing in several files.
    fn nearest_rival(
        &self,
        from: u32,
        rivals: &[u32],
        want: Want,
        surely: u8,
    ) -> Option<Value<'f>> {
        let world = self.world;
        let value = |symbol: u32, sure: u8| Some(Value::new(Kind::Symbol(symbol), sure));
        let closest = self.closest(from, rivals);
        let first = self.pick(&closest, want)?;
        let home = world.file_of(first);
        if closest.iter().all(|&symbol| world.file_of(symbol) == home) {
            // A type and a function that makes it are told apart by what a call gives.
            let made =
                |symbol: &u32| world.kind(*symbol).is_callable() != world.kind(first).is_callable();
            let either = want.is_call() && closest.iter().any(made)
                || self.is_seen_beside(from, first, rivals);
            return value(first, if either { surely.min(sure::UNION) } else { surely });
        }
        let expected =
            rivals.iter().copied().find(|&symbol| world.row(symbol).has(modifier::EXPECTED));
        match expected {
            Some(expected) => value(expected, surely),
            None => value(first, surely.min(sure::TWIN)),
        }
    }

    /// True when what is nearest is of one platform, and what all platforms share defines another
    /// callable of that name: their types tell them apart. A declaration of it is no other.
    fn is_seen_beside(&self, from: u32, nearest: u32, rivals: &[u32]) -> bool {
        let world = self.world;
        let of_platform = |symbol: u32| world.source_set(world.file_of(symbol)) > COMMON_SOURCES;
        of_platform(nearest)
            && world.kind(nearest).is_callable()
            && rivals.iter().any(|&other| {
                !world.has(other, modifier::EXPECTED | modifier::DECLARATION)
                    && !of_platform(other)
                    && world.file_of(other) != from
            })
    }

    /// Returns the symbols whose files are nearest to a file.
    pub(super) fn closest(&self, from: u32, symbols: &[u32]) -> Vec<u32> {
        let near = |symbol: &u32| self.nearness(from, self.world.file_of(*symbol));
        let places: Vec<(usize, usize)> = symbols.iter().map(near).collect();
        let nearest = places.iter().max();
        let is_nearest =
            |(symbol, place): (&u32, &(usize, usize))| (Some(place) == nearest).then_some(*symbol);
        symbols.iter().zip(&places).filter_map(is_nearest).collect()
    }

    /// Returns the symbols that are as good as the best one, in whatever file they stand.
    fn rivals(&self, best: u32, symbols: &[u32], want: Want) -> Vec<u32> {
        let world = self.world;
        let policy = world.policy(world.file_of(best));
        let chosen = world.kind(best);
        // Parts of one thing are not rivals.
        let reopened = |kind: SymbolKind| {
            matches!(kind, SymbolKind::Namespace | SymbolKind::Module)
                || policy.partial_types && kind.is_type()
        };
        if reopened(chosen) {
            return vec![best];
        }
        let is_prototype = |symbol: u32| {
            let row = world.row(symbol);
            row.has(modifier::DECLARATION)
                && row.kind().is_callable()
                && !row.has(modifier::EXPECTED)
        };
        let fits_as_well = |symbol: &u32| {
            let row = world.row(*symbol);
            let is_object = row.kind() == SymbolKind::Object;
            !row.has(modifier::REFUSED)
                && row.has(modifier::LOWERED) == world.has(best, modifier::LOWERED)
                && fits(row.kind(), want) == fits(chosen, want)
                && is_object == (chosen == SymbolKind::Object)
                && row.kind() != SymbolKind::Extension
                && (!is_prototype(*symbol) || is_prototype(best))
        };
        symbols.iter().copied().filter(fits_as_well).collect()
    }

    /// Counts what the places of two files have in common: folders from the root, then names of
    /// source sets anywhere in the path.
    pub(super) fn nearness(&self, from: u32, file: u32) -> (usize, usize) {
        let path = |file: u32| self.world.path(file);
        let (here, there) = (path(from), path(file));
        let common =
            source_sets(there).filter(|set| source_sets(here).any(|other| other == *set)).count();
        (shared_folders(here, there), common)
    }

    /// Returns what the calls of an object mean: its `apply`, else the class beside it.
    pub fn applied(&mut self, object: u32) -> Option<Value<'f>> {
        let world = self.world;
        let value = self.member_of_type(object, "apply", Want::Call);
        if let Kind::Symbol(found) = value.kind
            && world.kind(found).is_callable()
        {
            return Some(value);
        }
        let class = self.beside(object, |kind| kind.is_type() && kind != SymbolKind::Object)?;
        Some(Value::new(Kind::Symbol(class), sure::SCOPE))
    }

    /// Returns the symbol of the same scope, file and name whose kind is asked for.
    fn beside(&self, symbol: u32, asked: impl Fn(SymbolKind) -> bool) -> Option<u32> {
        let world = self.world;
        let (file, row) = (world.file_of(symbol), world.row(symbol));
        let scope = world.global(file, row.parent);
        let name = crate::key::name(world.name_of(symbol));
        let named = world.in_scope(scope, name).iter().copied();
        named
            .filter(|&other| other != symbol && world.file_of(other) == file)
            .find(|&other| asked(world.kind(other)))
    }

    /// Returns the lines in which a symbol of this file is known, where a function without a name limits
    /// them.
    pub(super) fn known_in(&self, symbol: u32) -> Option<std::ops::Range<u32>> {
        let world = self.world;
        let (_, scope) =
            world.bindings_of(symbol).find(|(_, bound)| bound.how == binding::SCOPE)?;
        Some(scope.line..scope.line + u32::from(scope.flags))
    }

    /// Returns the symbols that a line sees, of the innermost function that has any.
    fn innermost<'s>(&mut self, symbols: &'s [u32], line: u32) -> Cow<'s, [u32]> {
        let lines: Vec<_> = symbols.iter().map(|&symbol| self.known_in(symbol)).collect();
        if lines.iter().all(Option::is_none) {
            return Cow::Borrowed(symbols);
        }
        self.line_matters = true;
        let first = |lines: &Option<std::ops::Range<u32>>| {
            lines.as_ref().map_or(Some(0), |lines| lines.contains(&line).then_some(lines.start))
        };
        let inner = lines.iter().filter_map(first).max();
        let seen = symbols
            .iter()
            .zip(&lines)
            .filter(|(_, lines)| inner.is_some() && first(lines) == inner);
        Cow::Owned(seen.map(|(&symbol, _)| symbol).collect())
    }

    /// Chooses among symbols of one scope as seen from a line of the same file: blocks that are no
    /// symbols (callbacks of a test) may each define the name, and the last one before is meant.
    pub(super) fn pick_before(
        &mut self,
        symbols: &[u32],
        want: Want,
        file: u32,
        line: u32,
    ) -> Option<u32> {
        let world = self.world;
        let style = world.policy(file).modules;
        let here = file == self.file && line != u32::MAX && style == Style::RelativePath;
        let symbols = &*if here { self.innermost(symbols, line) } else { Cow::Borrowed(symbols) };
        let best = self.pick(symbols, want)?;
        let row = world.row(best);
        let defines_again = |symbol: u32| {
            let other = world.row(symbol);
            world.file_of(symbol) == file
                && fits(other.kind(), want) == fits(row.kind(), want)
                && other.parent == row.parent
                && !other.kind().is_type()
                && (!other.has(modifier::DECLARATION) || row.has(modifier::DECLARATION))
        };
        if !here || world.local(best) == FILE_SYMBOL || row.kind().is_type() {
            return Some(best);
        }
        let again = symbols.iter().copied().filter(|&symbol| defines_again(symbol));
        let again: Vec<u32> = again.collect();
        if again.len() < 2 {
            return Some(best);
        }
        self.line_matters = true;
        let before = |symbol: &&u32| world.row(**symbol).name_line <= line;
        again.iter().rfind(before).or(again.first()).copied()
    }
}

/// Leaves out what is hidden; most often nothing is.
pub(super) fn without(symbols: &[u32], hidden: impl Fn(u32) -> bool) -> Cow<'_, [u32]> {
    if symbols.iter().any(|&symbol| hidden(symbol)) {
        let seen = symbols.iter().copied().filter(|&symbol| !hidden(symbol));
        Cow::Owned(seen.collect())
    } else {
        Cow::Borrowed(symbols)
    }
}

/// True when a kind may be meant where this is wanted.
fn fits(kind: SymbolKind, want: Want) -> bool {
    match want {
        Want::Type => kind.is_type() || matches!(kind, SymbolKind::Namespace | SymbolKind::Module),
        Want::Call | Want::Make => {
            kind.is_callable()
                || kind.is_type() && kind != SymbolKind::Interface && kind != SymbolKind::TypeAlias
        }
        Want::Any => true,
    }
}

/// Folders that say what kind of files they hold, and nothing of a platform.
const LAYOUT: [&str; 12] = [
    "include", "internal", "java", "kotlin", "lib", "main", "scala", "source", "src", "test",
    "tests", "util",
];

/// Returns the names that may tell for which platform a file is: its folders without what says that
/// they hold tests, its own name and the ending of it (`unix.h`, `pool.common.kt`, `pool_linux.go`).
fn source_sets(path: &str) -> impl Iterator<Item = &str> {
    let plain = |part: &'_ str| -> usize {
        let end = ["Main", "Test"].iter().find_map(|end| part.strip_suffix(end));
        end.map_or(part.len(), str::len)
    };
    let stem = basename(path).rsplit_once('.').map_or("", |(stem, _)| stem);
    let ending = stem.rfind(['.', '_', '-']).map_or("", |at| &stem[at + 1..]);
    folder_of(path)
        .split('/')
        .chain([stem, ending])
        .map(move |part| &part[..plain(part)])
        .filter(|part| !part.is_empty() && !LAYOUT.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_sets_are_folders_and_endings() {
        let sets = |path: &'static str| source_sets(path).collect::<Vec<_>>();
        assert_eq!(sets("core/jvmTest/kotlin/Pool.kt"), ["core", "jvm", "Pool"]);
        assert_eq!(sets("pool/pool_linux.go"), ["pool", "pool_linux", "linux"]);
        assert_eq!(sets("Pool.common.kt"), ["Pool.common", "common"]);
        assert_eq!(sets("include/unix.h"), ["unix"]);
    }
}
