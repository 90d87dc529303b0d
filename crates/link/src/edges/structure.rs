//! Nesting, bases and overrides.

use super::FileLinker;
use crate::key;
use crate::parameters::Parameters;
use crate::policy::Modules as Style;
use crate::resolve::sure;
use contextd_model::facts::{FILE_SYMBOL, base_kind};
use contextd_model::{EdgeKind, SymbolKind, Visibility};

/// Data and markup nest by their rows alone; edges would only repeat it.
fn is_structural(kind: SymbolKind) -> bool {
    !matches!(
        kind,
        SymbolKind::Key | SymbolKind::Element | SymbolKind::Selector | SymbolKind::Statement
    )
}

impl FileLinker<'_, '_> {
    pub(super) fn structure(&mut self) {
        let world = self.world;
        let view = world.own();
        for (at, row) in
            view.symbols.iter().enumerate().skip(1).filter(|(_, row)| is_structural(row.kind()))
        {
            let symbol = world.global(self.file, at as u32);
            let parent = world.global(self.file, row.parent);
            self.push(parent, symbol, EdgeKind::Contains, row.name_line, 100, 1);
            if view.symbols[row.parent as usize].kind().is_type() {
                self.push(symbol, parent, EdgeKind::MemberOf, row.name_line, 100, 1);
            }
            if let Some(outer) = world.outer(symbol) {
                self.push(symbol, outer, EdgeKind::MemberOf, row.name_line, sure::SCOPE, 1);
                self.push(outer, symbol, EdgeKind::Contains, 0, sure::SCOPE, 1);
            }
            // The members of an `impl` block belong to its type.
            if let Some(outer) = world
                .outer(parent)
                .filter(|_| view.symbols[row.parent as usize].kind() == SymbolKind::Extension)
            {
                self.push(symbol, outer, EdgeKind::MemberOf, row.name_line, sure::SCOPE, 1);
            }
        }
    }

    pub(super) fn bases(&mut self) {
        let world = self.world;
        let view = world.own();
        for (at, row) in view.symbols.iter().enumerate().skip(1) {
            let symbol = world.global(self.file, at as u32);
            if row.kind().is_type() {
                for base in world.bases(symbol) {
                    let kind = if base.kind == base_kind::IMPLEMENTS {
                        EdgeKind::Implements
                    } else {
                        EdgeKind::Extends
                    };
                    self.push(symbol, base.target, kind, base.line, base.sure, 1);
                }
                for &interface in world.satisfied(symbol) {
                    self.push(
                        symbol,
                        interface,
                        EdgeKind::Implements,
                        row.name_line,
                        sure::SHARED,
                        1,
                    );
                }
            } else if row.kind().is_callable() && row.kind() != SymbolKind::Constructor {
                self.overrides(symbol, row.parent, row.name_line);
            }
        }
    }

    /// Returns the callable that a method overrides among those of its name in a base: where names
    /// may be overloaded, one that takes the same. What several fit is a guess.
    fn overridden(&self, method: u32, named: &[u32]) -> Option<(u32, u8)> {
        let world = self.world;
        let callables = named.iter().copied();
        let mut callables: Vec<u32> =
            callables.filter(|&symbol| world.kind(symbol).is_callable()).collect();
        if !world.policy(self.file).overloads {
            return callables.first().map(|&found| (found, 100));
        }
        // What only its type sees neither overrides nor is overridden, save in C++.
        let is_private = |symbol: u32| world.row(symbol).visibility() == Visibility::Private;
        if world.policy(self.file).modules != Style::Include {
            callables.retain(|&symbol| !is_private(symbol) && !is_private(method));
        }
        let own = Parameters::of(world, method);
        callables.retain(|&symbol| own.may_be(&Parameters::of(world, symbol)));
        let same = |nullable: bool| {
            let same = |symbol: &u32| own.are(&Parameters::of(world, *symbol), nullable);
            callables.iter().copied().filter(same).collect::<Vec<u32>>()
        };
        let exact = same(true);
        let same = if exact.is_empty() { same(false) } else { exact };
        match (&same[..], &callables[..]) {
            ([only], _) => Some((*only, 100)),
            ([], [only]) => Some((*only, if own.is_told() { sure::UNION } else { 100 })),
            ([first, ..], _) | ([], [first, ..]) => Some((*first, sure::UNION)),
            ([], []) => None,
        }
    }

    /// A method overrides the nearest one of that name among the bases.
    fn overrides(&mut self, method: u32, parent: u32, line: u32) {
        let world = self.world;
        let owner = world.outer(method).unwrap_or_else(|| world.global(self.file, parent));
        let owner = world.extended(owner);
        if world.local(owner) == FILE_SYMBOL {
            return;
        }
        let name = key::name(world.name_of(method));
        let bases = world.bases(owner).iter().map(|base| (base.target, base.sure));
        let interfaces = world.satisfied(owner).iter().map(|&interface| (interface, sure::SHARED));
        let mut pending: Vec<(u32, u8)> = bases.chain(interfaces).collect();
        let mut at = 0;
        while at < pending.len() && at < 32 {
            let (base, base_sure) = pending[at];
            at += 1;
            if let Some((found, surely)) = self.overridden(method, world.in_scope(base, name)) {
                self.push(method, found, EdgeKind::Overrides, line, base_sure.min(surely), 1);
                continue;
            }
            for next in world.bases(base) {
                if !pending.iter().any(|&(known, _)| known == next.target) {
                    pending.push((next.target, next.sure));
                }
            }
        }
    }
}
