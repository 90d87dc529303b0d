//! Several callables of one name in one place: which of them a call means, and how sure that is.

use super::FileLinker;
use crate::key;
use crate::parameters::Parameters;
use crate::policy::Modules as Style;
use crate::resolve::sure;
use contextd_model::facts::{RefRow, SymbolRow, UNKNOWN_PARAMETERS, binding, modifier};
use contextd_model::{RefKind, SymbolKind};

impl FileLinker<'_, '_> {
    /// Returns the overload that a call means and how sure it is of that: the only one that takes as
    /// many arguments as the call gives. Where the number does not tell, types or labels would have to,
    /// so the first one that fits is a guess. A language whose methods list `self` has no overloads.
    pub(super) fn overload(&self, target: u32, row: &RefRow, surely: u8) -> (u32, u8) {
        let world = self.world;
        let (file, chosen) = (world.file_of(target), world.row(target));
        let policy = world.policy(file);
        if !chosen.kind().is_callable() || policy.modules == Style::Dotted {
            return (target, surely);
        }
        let same = |other: &SymbolRow| {
            (other.parent, other.name, other.kind) == (chosen.parent, chosen.name, chosen.kind)
                && other.has(modifier::DECLARATION) == chosen.has(modifier::DECLARATION)
        };
        let scope = world.global(file, chosen.parent);
        let name = key::name(world.name_of(target));
        let named = world.in_scope(scope, name);
        // Extensions may overload what a type defines itself.
        if policy.overloads && policy.partial_types && chosen.kind() == SymbolKind::Method {
            let owner = world.extended(scope);
            let inside = world.in_scope(owner, name).iter();
            let mut beside = inside.chain(world.attached_to(owner, name)).copied();
            if beside.any(|other| world.file_of(other) != file && world.kind(other).is_callable()) {
                return (target, surely.min(sure::UNION));
            }
        }
        if named.len() < 2 {
            let lacking = policy.all_arguments
                && row.kind() == RefKind::Call
                && row.arguments != UNKNOWN_PARAMETERS
                && Parameters::of(world, target).want_more_than(row.arguments);
            return (target, if lacking { surely.min(sure::UNION) } else { surely });
        }
        let here = |symbol: &u32| world.file_of(*symbol) == file && same(world.row(*symbol));
        let same: Vec<u32> = named.iter().copied().filter(here).collect();
        self.choose(target, &same, row, surely, policy.overloads)
    }

    /// Returns the constructor that a class defines itself and that a call means, and how sure it is.
    pub(super) fn constructor(&self, class: u32, row: &RefRow, surely: u8) -> Option<(u32, u8)> {
        let world = self.world;
        let policy = world.policy(world.file_of(class));
        let mut found: Vec<u32> = world.constructors(class).collect();
        if policy.partial_types {
            let parts = self.resolver.parts(class).iter().copied();
            let parts = parts.filter(|&part| part != class && self.resolver.is_part(class, part));
            found.extend(parts.flat_map(|part| world.constructors(part)));
        }
        let &first = found.first()?;
        Some(self.choose(first, &found, row, surely, policy.overloads))
    }

    /// True when the result of a call goes to a variable on its line.
    fn is_kept(&self, row: &RefRow) -> bool {
        let view = self.world.own();
        let start = view.bindings.partition_point(|bound| bound.owner < row.owner);
        let name = view.str(row.name);
        let own = view.bindings[start..].iter().take_while(|bound| bound.owner == row.owner);
        own.filter(|bound| bound.how == binding::CALLED && bound.line == row.line)
            .any(|bound| view.str(bound.type_text).rsplit('.').next() == Some(name))
    }

    fn choose(
        &self,
        first: u32,
        same: &[u32],
        row: &RefRow,
        surely: u8,
        overloads: bool,
    ) -> (u32, u8) {
        let world = self.world;
        let usable = |symbol: &u32| !world.has(*symbol, modifier::REFUSED);
        let mut same: Vec<u32> = same.iter().copied().filter(usable).collect();
        if same.iter().any(|&symbol| !world.has(symbol, modifier::LOWERED)) {
            same.retain(|&symbol| !world.has(symbol, modifier::LOWERED));
        }
        // What gives nothing cannot be kept.
        let gives =
            |symbol: u32| world.text(world.file_of(symbol), world.row(symbol).type_text) != "void";
        if overloads
            && same.iter().any(|&symbol| gives(symbol))
            && !same.iter().all(|&symbol| gives(symbol))
            && self.is_kept(row)
        {
            same.retain(|&symbol| gives(symbol));
        }
        let first =
            if same.contains(&first) { first } else { same.first().copied().unwrap_or(first) };
        if same.len() < 2 {
            return (first, surely);
        }
        let guess = if overloads { surely.min(sure::UNION) } else { surely };
        let taken: Vec<(u32, Parameters<'_>)> =
            same.iter().map(|&symbol| (symbol, Parameters::of(world, symbol))).collect();
        let is_told = row.kind() == RefKind::Call
            && row.arguments != UNKNOWN_PARAMETERS
            && taken.iter().all(|(_, parameters)| parameters.are_counted());
        if !is_told {
            return (first, guess);
        }
        // One that takes just these arguments is meant before one that has defaults or takes any number.
        let exact =
            |(_, parameters): &&(u32, Parameters<'_>)| parameters.are_exactly(row.arguments);
        let accepting = |(_, parameters): &&(u32, Parameters<'_>)| parameters.accept(row.arguments);
        let mut fitting: Vec<u32> = taken.iter().filter(exact).map(|&(symbol, _)| symbol).collect();
        if fitting.is_empty() {
            fitting = taken.iter().filter(accepting).map(|&(symbol, _)| symbol).collect();
        }
        // Of one that takes a list and one that takes a single value, types would have to tell.
        let rivalled = |only: u32| {
            let own = Parameters::of(world, only);
            overloads
                && taken.iter().any(|(other, parameters)| {
                    *other != only
                        && parameters.are_at_least(row.arguments)
                        && parameters.last_type() != own.last_type()
                })
        };
        match fitting[..] {
            [only] if rivalled(only) => (only, guess),
            [only] => (only, surely),
            [_, ..] if fitting.contains(&first) => (first, guess),
            [fits, ..] => (fits, guess),
            [] => (first, guess),
        }
    }
}
